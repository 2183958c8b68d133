//! Recorded calls as they end today inside their tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::contain;
use crate::domain::call::{Call, CallId};
use crate::domain::function::FunctionId;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::recorded_test::{FormerRun, RecordedTest, TestId};
use crate::engine::python::environment::Environment;
use crate::engine::python::replay_calls::Observed;
use crate::engine::python::rerun::{Files, Place, Rerun, RerunCall, Reruns, Wanted};
use crate::engine::replay::recorded_tests::first_run::variables;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::{align, noise};
use crate::python::value;
use crate::python::zygote::NotMade;
use crate::source::index::Index;

/// Files that tests run on, and the functions in them.
#[derive(Clone)]
pub struct On {
    /// The functions.
    pub index: Arc<Index>,
    /// The files.
    pub files: Files,
}

/// Runs the tests of these calls, and gives how each call ended there, or why that cannot be told; what is cancelled is missing.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn observe(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    on: &On,
    calls: &[Call],
    job: &Job<'_>,
) -> Result<HashMap<CallId, Observed>, Trouble> {
    if calls.is_empty() {
        return Ok(HashMap::new());
    }
    let mut of_test: BTreeMap<TestId, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        if let Some(test) = call.observed.inside {
            of_test.entry(test).or_default().push(call);
        }
    }
    let ids: Vec<TestId> = of_test.keys().copied().collect();
    let tests = core.store().recorded_tests(&ids)?;
    let former = core.store().former_runs(&ids)?;
    let baselines = core.store().baselines(&calls.iter().map(|call| call.id).collect::<Vec<_>>())?;
    let functions: BTreeMap<TestId, BTreeSet<FunctionId>> =
        of_test.iter().map(|(test, calls)| (*test, calls.iter().map(|call| call.function.clone()).collect())).collect();
    let variables = variables(core, calls.iter());
    if let Err(why) = blocking(contain::available_for_tests).await? {
        let reason = |test: &TestId| ReasonCode::TestNotRun.of(tests.get(test).map_or("", |test| &test.name)).with(why);
        let all = of_test.iter().flat_map(|(test, calls)| calls.iter().map(move |call| (call.id, not_made(reason(test)))));
        return Ok(all.collect());
    }
    let (worker, python, on, asked) = (core.clone(), environment.clone(), on.clone(), tests.clone());
    let (wanted, cancel) = (functions, job.cancel.clone());
    let found: Reruns = blocking(move || {
        let settings = worker.settings();
        let (record, redact) = (&settings.record, &settings.redact);
        let place = Place { root: &worker.root, environment: &python, index: on.index, files: &on.files, record, redact };
        place.run(&Wanted { tests: &asked, functions: &wanted, variables, shift: None, groups: 1 }, &cancel)
    })
    .await??;
    if job.is_cancelled() {
        return Ok(HashMap::new());
    }
    let mut observed = HashMap::new();
    for (test, calls) in of_test {
        let (Some(recorded), Some(former)) = (tests.get(&test), former.get(&test)) else { continue };
        let seen = match found.tests.get(&test) {
            Some(run) => in_run(&calls, former, run, recorded, &baselines),
            None => {
                let broken = found.broken.as_ref().map_or("it did not start", |broken| broken.why.as_str());
                let why = if found.missing.contains(&test) { "it is not there" } else { broken };
                let reason = ReasonCode::TestNotRun.of(&recorded.name).with(why);
                calls.iter().map(|call| (call.id, not_made(reason.clone()))).collect()
            }
        };
        observed.extend(seen);
    }
    Ok(observed)
}

/// Pairs the calls of a test's run with those of its former one, and gives how the recorded ones among them ended.
fn in_run(
    calls: &[&Call],
    former: &FormerRun,
    run: &Rerun,
    test: &RecordedTest,
    baselines: &HashMap<CallId, Vec<u8>>,
) -> Vec<(CallId, Observed)> {
    let fails = || {
        let said = run.said.as_deref().unwrap_or("it fails");
        ReasonCode::TestFails.of(&test.name).with(said)
    };
    let mut paired: HashMap<&FunctionId, Vec<Option<usize>>> = HashMap::new();
    let mut seen = Vec::new();
    for call in calls {
        let made = run.calls.get(&call.function).map_or(&[][..], Vec::as_slice);
        let before = former.calls.get(&call.function).map_or(&[][..], Vec::as_slice);
        let pairs = paired.entry(&call.function).or_insert_with(|| {
            let inputs: Vec<Digest> = before.iter().map(|call| call.input).collect();
            align::pairs(&inputs, &made.iter().map(|call| call.input).collect::<Vec<_>>())
        });
        let at = before.iter().position(|one| one.call == Some(call.id));
        let twin = at.and_then(|at| *pairs.get(at)?).and_then(|at| made.get(at));
        let varies = at.and_then(|at| before.get(at)).is_some_and(|one| one.varies);
        let gone = || if former.passed && !run.passed { fails() } else { ReasonCode::NotReachedInTest.of(&test.name).into() };
        let outcome = match twin {
            None => not_made(gone()),
            Some(twin) if !varies && !same_arguments(call, twin) => {
                not_made(ReasonCode::OtherArguments.into())
            }
            Some(twin) => ended(twin, baselines.get(&call.id)),
        };
        seen.push((call.id, outcome));
    }
    // A test that fails now says that something differs, even where it cannot be told what.
    let differs = |(id, outcome): &(CallId, Observed)| {
        let baseline = baselines.get(id).and_then(|bytes| value::outcome(bytes).ok());
        match (&outcome.effect, baseline) {
            (Ok(now), Some(before)) => crate::generate::replay::difference(&before, now).is_some(),
            _ => false,
        }
    };
    if former.passed && !run.passed && !seen.iter().any(differs) {
        let reason = fails();
        seen.iter_mut().filter(|(_, outcome)| outcome.effect.is_ok()).for_each(|(_, outcome)| *outcome = not_made(reason.clone()));
    }
    seen
}

/// Tells whether a call was given what the recorded one was, as far as both have the same parameters.
fn same_arguments(recorded: &Call, today: &RerunCall) -> bool {
    let named = |name: &str| today.args.iter().find(|arg| arg.name == name);
    recorded.args.iter().all(|arg| named(&arg.name).is_none_or(|now| arg.value.first_difference(&now.value).is_none()))
}

fn ended(twin: &RerunCall, baseline: Option<&Vec<u8>>) -> Observed {
    let Some(mut effect) = twin.effect.clone() else { return not_made(ReasonCode::Unfinished.into()) };
    if let Some(pattern) = baseline.and_then(|bytes| value::outcome(bytes).ok()) {
        noise::leave_out_likewise(&pattern, &mut effect);
    }
    let bytes = value::encode_outcome(&effect);
    Observed { effect: Ok(effect), bytes, duration_ns: twin.duration_ns, entered: twin.entered.clone() }
}

fn not_made(why: Reason) -> Observed {
    Observed { effect: Err(NotMade { why, import: None }), bytes: Vec::new(), duration_ns: 0, entered: Vec::new() }
}
