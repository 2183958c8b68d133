//! File events to changed files.
