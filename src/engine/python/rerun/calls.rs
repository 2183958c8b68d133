//! The calls of tests, read from the spool of a run while it goes on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::wanted::{Rerun, RerunCall};
use crate::domain::batch::{Batch, SpoolCall};
use crate::domain::call::Effect;
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::{RecordedTest, TestId};
use crate::python::value;
use crate::record::ingest::Ingest;

/// What was read so far.
pub(super) struct Calls {
    ingest: Ingest,
    begun: Vec<Begun>,
    ends: HashMap<SpoolCall, (Option<Effect>, i64)>,
}

#[derive(Clone)]
struct Begun {
    /// The test's id for its runner, where the call was made in a test.
    test: Option<Arc<RecordedTest>>,
    spool: SpoolCall,
    parent: Option<i64>,
    start_ns: i64,
    function: FunctionId,
    call: RerunCall,
}

impl Calls {
    pub(super) fn new(ingest: Ingest) -> Self {
        Self { ingest, begun: Vec::new(), ends: HashMap::new() }
    }

    /// Reads all that was written. Calls of processes that go on are not whole yet.
    pub(super) fn catch_up(&mut self) {
        loop {
            let batch = self.ingest.poll();
            if batch.is_empty() {
                break;
            }
            add(&mut self.begun, &mut self.ends, batch);
        }
    }

    /// Reads all that there is at the end.
    pub(super) fn finish(&mut self) {
        let Self { ingest, begun, ends } = self;
        ingest.finish(&mut |batch, _| add(begun, ends, batch));
    }

    /// Adds their calls to tests that ended. Outside of all tests, those of the session's process belong to its start.
    pub(super) fn give(&self, tests: &BTreeMap<&str, TestId>, start: Option<(i64, TestId)>, found: &mut BTreeMap<TestId, Rerun>) {
        let test_of = |one: &Begun| match &one.test {
            Some(test) => tests.get(test.name.as_str()).copied(),
            None => start.filter(|(pid, _)| *pid == one.spool.process).map(|(_, id)| id),
        };
        let own = self.begun.iter().filter_map(|one| Some((test_of(one).filter(|test| found.contains_key(test))?, one.clone())));
        let mut own: Vec<(TestId, Begun)> = own.collect();
        own.sort_by_key(|(test, one)| (*test, one.start_ns, one.spool.number));
        // A call begins after the one that makes it: from the last to the first, what is below a call is known when it is met.
        let mut below: HashMap<SpoolCall, BTreeSet<FunctionId>> = HashMap::new();
        for (_, Begun { spool, parent, function, call, .. }) in own.iter_mut().rev() {
            let mut entered = below.remove(spool).unwrap_or_default();
            entered.insert(function.clone());
            if let Some(number) = parent {
                below.entry(SpoolCall { number: *number, ..*spool }).or_default().extend(entered.iter().cloned());
            }
            call.entered = entered.into_iter().collect();
        }
        for (test, Begun { spool, function, mut call, .. }) in own {
            let Some(rerun) = found.get_mut(&test) else { continue };
            if let Some((effect, duration_ns)) = self.ends.get(&spool) {
                (call.effect, call.duration_ns) = (effect.clone(), *duration_ns);
            }
            rerun.calls.entry(function).or_default().push(call);
        }
    }
}

fn add(begun: &mut Vec<Begun>, ends: &mut HashMap<SpoolCall, (Option<Effect>, i64)>, batch: Batch) {
    let in_tests: HashMap<SpoolCall, Arc<RecordedTest>> = batch.in_tests.into_iter().collect();
    for call in batch.calls {
        let args = value::arguments(&call.args).map(|(args, _)| args).unwrap_or_default();
        let (input, caller_line) = (call.input, call.caller_line);
        let made = RerunCall { args, input, caller_line, effect: None, duration_ns: 0, entered: Vec::new() };
        let test = in_tests.get(&call.spool).cloned();
        let (spool, parent, start_ns) = (call.spool, call.parent, call.start_ns);
        begun.push(Begun { test, spool, parent, start_ns, function: call.function, call: made });
    }
    ends.extend(batch.ends.into_iter().map(|end| (end.spool, (value::outcome(&end.outcome).ok(), end.duration_ns))));
}
