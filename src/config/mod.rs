//! Settings from their layers, with the origin of each value; trust.
