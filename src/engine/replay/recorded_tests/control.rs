//! The control run: before a difference is shown that recorded tests had, they run once more on the code that was recorded, now and
//! under the same load. What ends otherwise there, too, was not changed by an edit.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Call, CallId, Effect, RecordingId};
use crate::domain::recorded_test::TestId;
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
const TESTS_MAX: usize = 24;

/// Runs the tests of calls that differ from their baselines on the recorded code; gives the calls that differ there, too. Where nobody
/// knows that code any more, nothing is run.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn differ_as_recorded(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    calls: &[(&Call, &Effect)],
    job: &Job<'_>,
) -> Result<HashSet<CallId>, Trouble> {
    let tests: BTreeSet<TestId> = calls.iter().filter_map(|(call, _)| call.observed.inside).take(TESTS_MAX).collect();
    let mut of_recording: BTreeMap<RecordingId, Vec<(Call, &Effect)>> = BTreeMap::new();
    for (call, baseline) in calls.iter().filter(|(call, _)| call.observed.inside.is_some_and(|test| tests.contains(&test))) {
        of_recording.entry(call.recording).or_default().push(((*call).clone(), baseline));
    }
    let mut found = HashSet::new();
    for (recording, own) in of_recording {
        let Some(recorded) = first_replay::recorded_code(core, recording).await? else { continue };
        let is_todays = recorded.files.texts.is_empty() && recorded.files.gone.is_empty();
        if is_todays && Delta::since_recording(core)?.is_empty() {
            // It is the recorded code that ran.
            found.extend(own.iter().map(|(call, _)| call.id));
            continue;
        }
        let (calls, baselines): (Vec<Call>, Vec<&Effect>) = own.into_iter().unzip();
        let (lines, first) = (Lines::new(), FirstTests::default());
        let Twice { first, second, .. } =
            Box::pin(compare::observe_twice(core, python, &recorded, &calls, &lines, &first, job)).await?;
        let differs = |call: &Call, baseline: &Effect, seen: &HashMap<CallId, Observed>| {
            let effect = seen.get(&call.id).and_then(|seen| seen.effect.as_ref().ok());
            effect.is_some_and(|effect| difference(baseline, effect).is_some())
        };
        let pairs = calls.iter().zip(baselines);
        let differ = pairs.filter(|(call, baseline)| [&first, &second].iter().any(|seen| differs(call, baseline, seen)));
        found.extend(differ.map(|(call, _)| call.id));
    }
    Ok(found)
}
