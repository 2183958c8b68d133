//! Recorded tests run again, contained and with the recorder on: what became of each, and every call that it made of some
//! functions. Each starts on a private copy of the project's files and has a network of its own.

mod calls;
mod report;
mod run;
mod sandbox;
mod spare;
mod wanted;

pub use self::spare::Spares;
pub use self::wanted::{Early, Files, Learned, Loaded, Place, Rerun, RerunCall, Reruns, Wanted};
