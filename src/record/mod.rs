//! Starting a program under the recorder and reading its spool.
//!
//! [`launch`] says how a program is started, [`live`] runs it and reads along, [`ingest`] turns a spool folder into what
//! the store keeps, [`journey`] reads that back where it is a journey, [`folder`] owns the folders on disk, [`remedy`]
//! says what helps a program that failed. The format is `docs/spool.md`; the recorder itself is Python.

pub mod activation;
mod assemble;
pub mod folder;
#[cfg(test)]
mod golden;
pub mod ingest;
pub mod inputs;
pub mod journey;
pub mod launch;
pub mod live;
pub mod placed;
pub mod remedy;
mod spool;
#[cfg(test)]
mod tests;

pub use assemble::LoadedModule;
