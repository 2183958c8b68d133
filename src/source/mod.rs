//! Python source: index, fingerprints, what uses what.
