//! What one reading of a recording's spools found, on its way from `record/` to the project's store.
//!
//! Values are bytes already: the recorder's own encoding, with secrets taken out.

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::domain::call::Touch;
use crate::domain::function::FunctionId;

/// Names a call inside its recording, as the recorder does: counters of one process never repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SpoolCall {
    /// The recorded process: any number that is one process's in the recording.
    pub process: i64,
    /// The call's number in that process.
    pub number: i64,
}

/// A call that started.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCall {
    /// Which call.
    pub spool: SpoolCall,
    /// The function.
    pub function: FunctionId,
    /// Its file below the root.
    pub path: String,
    /// The number of the kept call it was made from, in the same process.
    pub parent: Option<i64>,
    /// The project function that called it, where known.
    pub caller: Option<FunctionId>,
    /// The caller's line.
    pub caller_line: Option<u32>,
    /// Called from outside the project.
    pub direct: bool,
    /// The thread: the spool's file ordinal.
    pub thread: u32,
    /// The asyncio task, 0 for none.
    pub task: u32,
    /// The receiver's number, for methods.
    pub receiver: Option<u64>,
    /// Start, in nanoseconds since the recording's start.
    pub start_ns: i64,
    /// The arguments: marshal of a tuple of `(name, kind number, value)`.
    pub args: Vec<u8>,
    /// Hash of the function and its arguments.
    pub input: Digest,
}

/// A call that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEnd {
    /// Which call.
    pub spool: SpoolCall,
    /// How it ended and what it changed: an outcome tuple of `docs/worker.md`.
    pub outcome: Vec<u8>,
    /// It ended by an exception.
    pub failed: bool,
    /// Duration in nanoseconds.
    pub duration_ns: i64,
    /// Why it cannot be run again, as far as known.
    pub not_replayable: Option<String>,
}

/// How often a kept call's input was seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallTimes {
    /// Which call.
    pub spool: SpoolCall,
    /// How often in all.
    pub times: u64,
}

/// Something a call touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTouch {
    /// Which call.
    pub spool: SpoolCall,
    /// What it touched.
    pub touch: Touch,
}

/// How often a function was called in a recording so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionCount {
    /// The function.
    pub function: FunctionId,
    /// Its file below the root.
    pub path: String,
    /// Calls in all.
    pub calls: u64,
    /// Calls that raised in all.
    pub raised: u64,
}

/// How often a function was called from one place so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerCount {
    /// The function.
    pub function: FunctionId,
    /// Who called it; `None` for code outside the project.
    pub caller: Option<FunctionId>,
    /// From which line.
    pub line: Option<u32>,
    /// How often in all.
    pub times: u64,
}

/// One project function entering another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The function that calls.
    pub caller: FunctionId,
    /// The function that is called.
    pub callee: FunctionId,
}

/// What a reading of the spools found, to be stored in one transaction. Counts are totals of the recording so far: they
/// replace those stored before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Calls that started.
    pub calls: Vec<NewCall>,
    /// What calls touched.
    pub touches: Vec<CallTouch>,
    /// Calls that ended.
    pub ends: Vec<CallEnd>,
    /// Repetitions.
    pub times: Vec<CallTimes>,
    /// Totals by function.
    pub counts: Vec<FunctionCount>,
    /// Totals by caller.
    pub callers: Vec<CallerCount>,
    /// Who enters whom.
    pub edges: Vec<Edge>,
}

impl Batch {
    /// Tells whether the reading found nothing new.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
