//! Changes of files: planned, shown, applied, taken back.
