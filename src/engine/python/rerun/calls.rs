//! The calls of tests, read from the spool of a run while it goes on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::wanted::{EncodedCall, Rerun};
use crate::domain::batch::{Batch, SpoolCall};
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::{RecordedTest, TestId};
use crate::domain::touch::Touch;
use crate::domain::value::Value;
use crate::domain::value_json;
use crate::record::ingest::Ingest;

/// What was read so far.
pub(super) struct Calls {
    ingest: Ingest,
    seen: Seen,
    /// The names of today of functions that moved, by the recorded ones.
    moved: HashMap<FunctionId, FunctionId>,
}

#[derive(Default)]
struct Seen {
    begun: Vec<Begun>,
    ends: HashMap<SpoolCall, (Vec<u8>, i64)>,
    answers: Answers,
    /// Those without a call, with their processes.
    others: Vec<(i64, Value)>,
}

/// What clients were answered by way of calls.
type Answers = HashMap<SpoolCall, Vec<Value>>;

#[derive(Clone)]
struct Begun {
    /// The test's id for its runner, where the call was made in a test.
    test: Option<Arc<RecordedTest>>,
    spool: SpoolCall,
    parent: Option<i64>,
    start_ns: i64,
    function: FunctionId,
    call: EncodedCall,
}

impl Calls {
    pub(super) fn new(ingest: Ingest, moved: HashMap<FunctionId, FunctionId>) -> Self {
        Self { ingest, seen: Seen::default(), moved }
    }

    /// Reads all that was written. Calls of processes that go on are not whole yet.
    pub(super) fn catch_up(&mut self) {
        loop {
            let batch = self.ingest.poll();
            if batch.is_empty() {
                break;
            }
            self.seen.add(batch);
        }
    }

    /// Reads all that there is at the end.
    pub(super) fn finish(&mut self) {
        let Self { ingest, seen, .. } = self;
        ingest.finish(&mut |batch, _| seen.add(batch));
    }

    /// Adds their calls to tests that ended. Outside of all tests, those of the session's process belong to its start.
    pub(super) fn give(&self, tests: &BTreeMap<&str, TestId>, start: Option<(i64, TestId)>, found: &mut BTreeMap<TestId, Rerun>) {
        let test_of = |one: &Begun| match &one.test {
            Some(test) => tests.get(test.name.as_str()).copied(),
            None => start.filter(|(pid, _)| *pid == one.spool.process).map(|(_, id)| id),
        };
        let own =
            self.seen.begun.iter().filter_map(|one| Some((test_of(one).filter(|test| found.contains_key(test))?, one.clone())));
        let mut own: Vec<(TestId, Begun)> = own.collect();
        own.sort_by_key(|(test, one)| (*test, one.start_ns, one.spool.number));
        // A call begins after the one that makes it: from the last to the first, what is below a call is known when it is met.
        let mut below: HashMap<SpoolCall, BTreeSet<FunctionId>> = HashMap::new();
        for (_, Begun { spool, parent, function, call, .. }) in own.iter_mut().rev() {
            let mut entered = below.remove(spool).unwrap_or_default();
            entered.insert(self.moved.get(function).unwrap_or(function).clone());
            if let Some(number) = parent {
                below.entry(SpoolCall { number: *number, ..*spool }).or_default().extend(entered.iter().cloned());
            }
            call.entered = entered.into_iter().collect();
        }
        for (test, Begun { spool, function, mut call, .. }) in own {
            let Some(rerun) = found.get_mut(&test) else { continue };
            if let Some((outcome, duration_ns)) = self.seen.ends.get(&spool) {
                (call.outcome, call.duration_ns) = (Some(outcome.clone()), *duration_ns);
            }
            call.answers = self.seen.answers.get(&spool).cloned().unwrap_or_default();
            rerun.calls.entry(function).or_default().push(call);
        }
        for rerun in found.values_mut().filter(|rerun| rerun.process.is_some()) {
            let own = self.seen.others.iter().filter(|(process, _)| rerun.process == Some(*process));
            rerun.answers = own.map(|(_, answer)| answer.clone()).collect();
        }
    }
}

impl Seen {
    fn add(&mut self, batch: Batch) {
        for noted in batch.touches {
            if let Touch::Answer(json) = noted.touch {
                self.answers.entry(noted.spool).or_default().push(answer(json));
            }
        }
        self.others.extend(batch.answers.into_iter().map(|(process, json)| (process, answer(json))));
        let in_tests: HashMap<SpoolCall, Arc<RecordedTest>> = batch.in_tests.into_iter().collect();
        for call in batch.calls {
            let (answers, entered) = (Vec::new(), Vec::new());
            let (input, caller_line) = (call.input, call.caller_line);
            let made = EncodedCall { args: call.args, outcome: None, answers, input, caller_line, duration_ns: 0, entered };
            let test = in_tests.get(&call.spool).cloned();
            let (spool, parent, start_ns) = (call.spool, call.parent, call.start_ns);
            self.begun.push(Begun { test, spool, parent, start_ns, function: call.function, call: made });
        }
        self.ends.extend(batch.ends.into_iter().map(|end| (end.spool, (end.outcome, end.duration_ns))));
    }
}

/// Reads an answer. With a secret taken out it may be no JSON any more.
fn answer(json: String) -> Value {
    serde_json::from_str(&json).map_or_else(|_| Value::Str(json), |json| value_json::read(&json))
}
