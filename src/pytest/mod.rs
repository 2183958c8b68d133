//! Running pytest and reading what it found.
