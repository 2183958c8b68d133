//! What the worker is asked of the lines of a function, and what it answers ([worker.md](../../docs/worker.md)).

use serde::{Deserialize, Serialize};

use crate::python::protocol::bytes;

/// The function whose lines are followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Followed {
    /// Its file, relative to the root.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// Its first line, with decorators.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

/// What the lines of a function gave in a call.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GivenLines {
    /// The lines that ran.
    pub ran: Vec<u32>,
    /// Those that did not.
    pub missed: Vec<u32>,
    /// What they gave.
    pub given: Vec<GivenLine>,
    /// The call ran on when it was not followed any more.
    pub cut: bool,
}

/// What one line gave last.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GivenLine {
    /// The line.
    pub line: u32,
    /// How often it ran.
    pub times: u64,
    /// How it went on from there.
    pub how: HowItWent,
    /// The returned value or the exception, with the assigned names as what changed: an outcome, marshalled.
    #[serde(default, deserialize_with = "bytes")]
    pub seen: Option<Vec<u8>>,
}

/// How a call goes on from a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HowItWent {
    /// With the next one.
    GoesOn,
    /// It returned.
    Returned,
    /// It yielded.
    Yielded,
    /// It raised.
    Raised,
    /// What it called raised.
    Passed,
}
