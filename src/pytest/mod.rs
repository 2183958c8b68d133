//! Running pytest and reading what it found.
//!
//! [`bench`] lays test files out beside the project, [`runner`] says how pytest is run there in a process of its own,
//! [`warm`] runs it in forks of a Python that has it loaded, [`report`] reads what it found. Starting processes is the
//! caller's: here is no decision how they are contained.

pub mod bench;
pub mod report;
pub mod runner;
#[cfg(test)]
mod tests;
pub mod warm;
