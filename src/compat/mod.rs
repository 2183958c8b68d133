//! What the predecessor left behind, read without running any of it: traces of `pytead`, one call a file.
//!
//! [`trace`] reads one file; [`graph`] and [`pickle`] are its two formats. Which function a trace is of, and what becomes of
//! it, is not decided here.

pub mod graph;
pub mod pickle;
pub mod trace;
