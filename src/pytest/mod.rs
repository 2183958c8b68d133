//! Running pytest and reading what it found.
//!
//! [`bench`] lays test files out beside the project, [`runner`] says how pytest is run there, [`report`] reads what it
//! found. Starting the process is the caller's: here is no decision how it is contained.

pub mod bench;
pub mod report;
pub mod runner;
#[cfg(test)]
mod tests;
