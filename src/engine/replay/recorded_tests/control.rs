//! The control run: recorded tests that show a difference run once more on the recorded code, now and under the same load. What ends
//! otherwise there, too, was not changed by an edit.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId, Effect, RecordingId};
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::TestId;
use crate::domain::subject::Subject;
use crate::engine::python::environment::Environment;
use crate::engine::python::replay_calls::Observed;
use crate::engine::replay::edited::Delta;
use crate::engine::replay::first_replay;
use crate::engine::replay::recorded_tests::compare::{self, FirstTests, Twice};
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::replay::difference;
use crate::python::protocol::Lines;

/// The most tests of a control run: an edit with more differences has changed something.
const TESTS_MAX: usize = 48;

/// A call that differs from its baseline in its test.
pub struct Suspect<'a> {
    /// The call.
    pub call: &'a Call,
    /// How it ended on the recorded code.
    pub baseline: &'a Effect,
    /// How it ended today.
    pub today: &'a Effect,
    /// The functions that it ran through today.
    pub entered: &'a [FunctionId],
}

/// Runs the tests of these calls on the recorded code; gives the calls that an edit did not change: they differ there, too. Where nothing
/// was edited, these are only the calls that end in a third way: a package or the environment may be another. Tests come first with calls
/// that ran through no edited function. Nothing is run where nobody knows the recorded code any more, or where a file was edited that
/// calls read: the control run would read it, too.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn differ_as_recorded(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    suspects: &[Suspect<'_>],
    job: &Job<'_>,
) -> Result<HashSet<CallId>, Trouble> {
    let mut found = HashSet::new();
    if suspects.is_empty() {
        return Ok(found);
    }
    let delta = Delta::since_recording(core)?;
    if delta.edited.iter().any(|subject| matches!(subject, Subject::File(_))) {
        return Ok(found);
    }
    let chosen = core.store().chosen(&suspects.iter().map(|one| one.call.id).collect::<Vec<_>>())?;
    let mut of_recording: BTreeMap<RecordingId, Vec<&Suspect<'_>>> = BTreeMap::new();
    for one in suspects.iter().filter(|one| !chosen.contains(&one.call.id)) {
        of_recording.entry(one.call.recording).or_default().push(one);
    }
    for (recording, own) in of_recording {
        let Some(recorded) = first_replay::recorded_code(core, recording).await? else { continue };
        let is_todays = recorded.files.texts.is_empty() && recorded.files.gone.is_empty();
        let own = of_tests(own, &delta);
        let calls: Vec<Call> = own.iter().map(|one| one.call.clone()).collect();
        let (lines, first) = (Lines::new(), FirstTests::default());
        let Twice { first, second, .. } =
            Box::pin(compare::observe_twice(core, python, &recorded, &calls, &lines, &first, job)).await?;
        let differs = |one: &Suspect<'_>, seen: &HashMap<CallId, Observed>| {
            let effect = seen.get(&one.call.id).and_then(|seen| seen.effect.as_ref().ok());
            let before = if is_todays { one.today } else { one.baseline };
            effect.is_some_and(|effect| difference(before, effect).is_some())
        };
        let differ = own.into_iter().filter(|one| [&first, &second].iter().any(|seen| differs(one, seen)));
        found.extend(differ.map(|one| one.call.id));
    }
    Ok(found)
}

/// Leaves the calls of as many tests as a control run has.
fn of_tests<'a>(mut suspects: Vec<&'a Suspect<'a>>, delta: &Delta) -> Vec<&'a Suspect<'a>> {
    let is_edited = |function: &FunctionId| delta.edited.contains(&Subject::Function(function.clone()));
    suspects.sort_by_key(|one| one.entered.iter().any(is_edited));
    let mut tests: BTreeSet<TestId> = BTreeSet::new();
    for test in suspects.iter().filter_map(|one| one.call.observed.inside) {
        if tests.len() < TESTS_MAX {
            tests.insert(test);
        }
    }
    suspects.retain(|one| one.call.observed.inside.is_some_and(|test| tests.contains(&test)));
    suspects
}
