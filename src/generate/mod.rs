//! Recorded calls to tests, and their proof.
