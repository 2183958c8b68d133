//! What one reading of a recording's spools found, on its way from `record/` to the project's store.
//!
//! Values are bytes already: the recorder's own encoding, with secrets taken out.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::hash::Digest;
use crate::domain::function::FunctionId;
use crate::domain::reason::Reason;
use crate::domain::recorded_test::RecordedTest;
use crate::domain::subject::Subject;
use crate::domain::touch::Touch;

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
    pub not_replayable: Option<Reason>,
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
    /// Calls in all.
    pub calls: u64,
    /// Lines that ran only in calls that were not kept; 0 among them where it is not known which ones.
    pub missed: BTreeSet<u32>,
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

/// What a project function was seen to use when it was called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// The function that calls.
    pub caller: FunctionId,
    /// The function that it entered, a class of the project that an argument of it was of, or the code of a module that it
    /// imported.
    pub callee: Subject,
}

/// A run of events of a journey, as one thread of a process wrote them: spool records one after another, secrets taken out,
/// those that define functions with the function's id as a last field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JourneyBlock {
    /// The process: any number that is one process's in the recording.
    pub process: i64,
    /// The thread: the spool's file ordinal.
    pub thread: u32,
    /// The block's place in the file, from 0 up.
    pub number: u32,
    /// How many events it holds.
    pub events: u32,
    /// The records.
    pub records: Vec<u8>,
}

/// What a reading of the spools found, to be stored in one transaction. Counts are totals of the recording so far: they
/// replace those stored before.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Calls that started.
    pub calls: Vec<NewCall>,
    /// What calls touched.
    pub touches: Vec<CallTouch>,
    /// Variables that the project's modules read while they were imported, with their values.
    pub import_variables: Vec<(String, String)>,
    /// What clients of tests were answered without any kept call: the process, and the answer as JSON.
    pub answers: Vec<(i64, String)>,
    /// In which tests of pytest calls started.
    pub in_tests: Vec<(SpoolCall, Arc<RecordedTest>)>,
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
    /// Parts of the journey, in recordings of one.
    pub journey: Vec<JourneyBlock>,
}

impl Batch {
    /// Takes it apart into batches of at most `most` calls each, with what is known of them; the first has everything else.
    #[must_use]
    pub fn pieces(mut self, most: usize) -> Vec<Self> {
        let mut calls = std::mem::take(&mut self.calls);
        let mut rest = self;
        let mut pieces = Vec::new();
        while !calls.is_empty() {
            let few: Vec<NewCall> = calls.drain(..most.clamp(1, calls.len())).collect();
            let here: HashSet<SpoolCall> = few.iter().map(|call| call.spool).collect();
            pieces.push(Self {
                calls: few,
                touches: rest.touches.extract_if(.., |touch| here.contains(&touch.spool)).collect(),
                in_tests: rest.in_tests.extract_if(.., |(spool, _)| here.contains(spool)).collect(),
                ends: rest.ends.extract_if(.., |end| here.contains(&end.spool)).collect(),
                times: rest.times.extract_if(.., |times| here.contains(&times.spool)).collect(),
                ..Self::default()
            });
        }
        pieces.insert(0, rest);
        pieces
    }

    /// Tells whether the reading found nothing new.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::Digest;

    #[test]
    fn the_pieces_of_a_batch_hold_all_of_it_once() {
        let spool = |number| SpoolCall { process: 1, number };
        let call = |number| NewCall {
            spool: spool(number),
            function: FunctionId("m:f".into()),
            path: "m.py".into(),
            parent: None,
            caller: None,
            caller_line: None,
            direct: true,
            thread: 0,
            task: 0,
            receiver: None,
            start_ns: 0,
            args: Vec::new(),
            input: Digest::default(),
        };
        let times = |number| CallTimes { spool: spool(number), times: 2 };
        let edge = Edge { caller: FunctionId("m:f".into()), callee: FunctionId("m:g".into()).into() };
        let batch = Batch {
            calls: (1..=5).map(call).collect(),
            times: [0, 5, 1].map(times).to_vec(),
            edges: vec![edge],
            ..Batch::default()
        };
        let pieces = batch.pieces(2);
        let calls: Vec<Vec<i64>> =
            pieces.iter().map(|piece| piece.calls.iter().map(|call| call.spool.number).collect()).collect();
        assert_eq!(calls, [vec![], vec![1, 2], vec![3, 4], vec![5]]);
        let seen: Vec<Vec<i64>> =
            pieces.iter().map(|piece| piece.times.iter().map(|times| times.spool.number).collect()).collect();
        assert_eq!(
            seen,
            [vec![0], vec![1], vec![], vec![5]],
            "what is known of a call goes with it; an earlier call's goes first"
        );
        assert_eq!(pieces.iter().map(|piece| piece.edges.len()).collect::<Vec<_>>(), [1, 0, 0, 0]);
    }
}
