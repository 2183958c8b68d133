//! Recorded calls as they end today inside their tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::contain;
use crate::domain::call::{Call, CallId};
use crate::domain::function::FunctionId;
use crate::domain::parts;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::recorded_test::{FormerRun, RecordedTest, TestId};
use crate::domain::value::Value;
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::replay_calls::{Observed, under_former_names};
use crate::engine::python::rerun::{Files, Place, Rerun, RerunCall, Reruns, Wanted};
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

/// Tests that run twice at the same time: starting them takes longer than they do, and what differs is shown only if it does so twice.
const TWICE_MAX: usize = 12;

/// How calls ended in runs of their tests.
#[derive(Default)]
pub struct InTests {
    /// In the first run of each, or why it cannot be told; what is cancelled is missing.
    pub first: HashMap<CallId, Observed>,
    /// In a second run, where there was one.
    pub second: HashMap<CallId, Observed>,
}

/// Runs the tests of these calls, and gives how each call ended there.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn observe(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    on: &On,
    calls: &[Call],
    job: &Job<'_>,
) -> Result<InTests, Trouble> {
    if calls.is_empty() {
        return Ok(InTests::default());
    }
    let mut of_test: BTreeMap<TestId, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        if let Some(test) = call.observed.inside {
            of_test.entry(test).or_default().push(call);
        }
    }
    let ids: Vec<TestId> = of_test.keys().copied().collect();
    let tests = core.store().recorded_tests(&ids)?;
    if let Err(why) = blocking(contain::available_for_tests).await? {
        let reason = |test: &TestId| ReasonCode::TestNotRun.of(tests.get(test).map_or("", |test| &test.name)).with(why);
        let all = of_test.iter().flat_map(|(test, calls)| calls.iter().map(move |call| (call.id, not_made(reason(test)))));
        return Ok(InTests { first: all.collect(), second: HashMap::new() });
    }
    let former = core.store().former_runs(&ids)?;
    let baselines = core.store().baselines(&calls.iter().map(|call| call.id).collect::<Vec<_>>())?;
    let functions: BTreeMap<TestId, BTreeSet<FunctionId>> =
        of_test.iter().map(|(test, calls)| (*test, calls.iter().map(|call| call.function.clone()).collect())).collect();
    let variables = environment::import_variables(core);
    let run = |asked: BTreeMap<TestId, RecordedTest>| {
        let (worker, python, on, wanted) = (core.clone(), python.clone(), on.clone(), functions.clone());
        let (variables, cancel) = (variables.clone(), job.cancel.clone());
        blocking(move || {
            let settings = worker.settings();
            let (record, redact) = (&settings.record, &settings.redact);
            let place = Place { root: &worker.root, environment: &python, index: on.index, files: &on.files, record, redact };
            place.run(&Wanted { tests: &asked, functions: &wanted, variables, shift: None, groups: 1 }, &cancel)
        })
    };
    let ended = |runs: &Reruns| ended_in(runs, &of_test, &tests, &former, &baselines, &on.index);
    let (one, other) = if tests.len() <= TWICE_MAX {
        (tests.clone(), tests.clone())
    } else {
        let halves: (Vec<_>, Vec<_>) = tests.iter().enumerate().partition(|(at, _)| at % 2 == 0);
        let tests =
            |half: Vec<(usize, (&TestId, &RecordedTest))>| half.into_iter().map(|(_, (id, test))| (*id, test.clone())).collect();
        (tests(halves.0), tests(halves.1))
    };
    let (one, other): (Result<Reruns, Trouble>, Result<Reruns, Trouble>) = futures_util::try_join!(run(one), run(other))?;
    let (mut one, other) = (one?, other?);
    if job.is_cancelled() {
        return Ok(InTests::default());
    }
    if tests.len() <= TWICE_MAX {
        return Ok(InTests { first: ended(&one), second: ended(&other) });
    }
    one.tests.extend(other.tests);
    one.missing.extend(other.missing);
    one.broken = one.broken.or(other.broken);
    Ok(InTests { first: ended(&one), second: HashMap::new() })
}

fn ended_in(
    runs: &Reruns,
    of_test: &BTreeMap<TestId, Vec<&Call>>,
    tests: &BTreeMap<TestId, RecordedTest>,
    former: &HashMap<TestId, FormerRun>,
    baselines: &HashMap<CallId, Vec<u8>>,
    index: &Index,
) -> HashMap<CallId, Observed> {
    let mut observed = HashMap::new();
    for (test, calls) in of_test {
        let (Some(recorded), Some(former)) = (tests.get(test), former.get(test)) else { continue };
        match runs.tests.get(test) {
            Some(run) => observed.extend(in_run(calls, former, run, recorded, baselines, index)),
            None => {
                let broken = runs.broken.as_ref().map_or("it did not start", |broken| broken.why.as_str());
                let why = if runs.missing.contains(test) { "it is not there" } else { broken };
                let reason = ReasonCode::TestNotRun.of(&recorded.name).with(why);
                observed.extend(calls.iter().map(|call| (call.id, not_made(reason.clone()))));
            }
        }
    }
    observed
}

/// Pairs the calls of a test's run with those of its former one, and gives how the recorded ones among them ended.
fn in_run(
    calls: &[&Call],
    former: &FormerRun,
    run: &Rerun,
    test: &RecordedTest,
    baselines: &HashMap<CallId, Vec<u8>>,
    index: &Index,
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
        let gone = || if former.passed && !run.passed { fails() } else { ReasonCode::NotReachedInTest.of(&test.name) };
        let outcome = match twin {
            None => not_made(gone()),
            Some(twin) if !varies && !same_arguments(call, twin) => not_made(ReasonCode::OtherArguments.into()),
            Some(twin) => ended(call, twin, baselines.get(&call.id), index),
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
        seen.iter_mut()
            .filter(|(_, outcome)| outcome.effect.is_ok())
            .for_each(|(_, outcome)| *outcome = not_made(reason.clone()));
    }
    seen
}

/// Tells whether a call was given what the recorded one was, as far as both have the same parameters.
fn same_arguments(recorded: &Call, today: &RerunCall) -> bool {
    let named = |name: &str| today.args.iter().find(|arg| arg.name == name);
    recorded.args.iter().all(|arg| named(&arg.name).is_none_or(|now| arg.value.first_difference(&now.value).is_none()))
}

fn ended(call: &Call, twin: &RerunCall, baseline: Option<&Vec<u8>>, index: &Index) -> Observed {
    let Some(mut effect) = twin.effect.clone() else { return not_made(ReasonCode::Unfinished.into()) };
    under_former_names(index, call, &mut effect);
    if let Some(pattern) = baseline.and_then(|bytes| value::outcome(bytes).ok()) {
        noise::leave_out_likewise(&pattern, &mut effect);
        let is_own = |module: &str| index.module_called(module).is_some();
        let is_known = |name: &str| pattern.changed.iter().any(|(known, _)| known == name);
        let before = |name: &str| twin.args.iter().find(|arg| arg.name == name).map(|arg| &arg.value);
        // A framework's object may look otherwise after any look at it.
        let counts = |name: &str, after: &Value| {
            let is_ours = parts::type_of(after).is_none_or(|ty| is_own(&ty.module));
            is_ours && before(name).is_none_or(|before| noise::changed_itself(before, after, &is_own))
        };
        effect.changed.retain(|(name, after)| is_known(name) || counts(name, after));
    }
    let bytes = value::encode_outcome(&effect);
    Observed { effect: Ok(effect), bytes, duration_ns: twin.duration_ns, entered: twin.entered.clone() }
}

fn not_made(why: Reason) -> Observed {
    Observed { effect: Err(NotMade { why, import: None }), bytes: Vec::new(), duration_ns: 0, entered: Vec::new() }
}
