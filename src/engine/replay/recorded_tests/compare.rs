//! Recorded calls as they end today inside their tests.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::contain;
use crate::domain::call::{ASKED, Call, CallId, Effect, ITS_SIDE_EFFECTS};
use crate::domain::function::FunctionId;
use crate::domain::parts;
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::recorded_test::{FormerRun, RecordedTest, TestId};
use crate::domain::value::Value;
use crate::engine::python::environment::Environment;
use crate::engine::python::replay_calls::{Observed, under_former_names};
use crate::engine::python::rerun::{Early, Files, Rerun, RerunCall, Reruns};
use crate::engine::replay::recorded_tests::arguments::same_arguments;
use crate::engine::replay::recorded_tests::{Asked, Manner, On, run_tests};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::replay::difference;
use crate::generate::{align, noise};
use crate::python::lines_run::LinesRun;
use crate::python::protocol::Lines;
use crate::python::value;
use crate::python::zygote::NotMade;
use crate::source::index::Index;

/// So few tests run in one process, or twice at the same time: starting them takes longer than they do.
const FEW: usize = 12;

/// The most tests whose lines are followed.
const FOLLOWED_MAX: usize = 24;

/// The outcomes of calls.
#[derive(Default)]
pub struct Twice {
    /// Of a first run, or why there is none; what is cancelled is missing.
    pub first: HashMap<CallId, Observed>,
    /// Of a second one, for calls that were made twice.
    pub second: HashMap<CallId, Observed>,
    /// Which of the lines that were asked for each test ran.
    pub lines_run: HashMap<TestId, LinesRun>,
    /// How the tests ended.
    pub ends: TestEnds,
}

/// The results of tests that ran now: the message of one that passed before and fails now; `None` for any other.
pub type TestEnds = HashMap<TestId, Option<String>>;

/// Runs the tests of these calls once, and gives the outcome of each call.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn observe(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    on: &On,
    calls: &[Call],
    job: &Job<'_>,
) -> Result<HashMap<CallId, Observed>, Trouble> {
    Ok(run(core, python, on, calls, Manner::default(), None, job).await?.first)
}

/// Tests that run before the others.
#[derive(Default)]
pub struct FirstTests {
    /// The tests.
    pub tests: BTreeSet<TestId>,
    /// Gets the outcomes of the calls in them, of both runs, while other tests still run.
    pub seen: Option<mpsc::UnboundedSender<Twice>>,
}

/// As [`observe`], with a second run of the first tests, and of all if they are few, at the same time: a difference is shown only if it
/// comes twice. Tells which of these lines no test runs.
///
/// # Errors
/// As [`observe`].
pub async fn observe_twice(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    on: &On,
    calls: &[Call],
    lines: &Lines,
    first: &FirstTests,
    job: &Job<'_>,
) -> Result<Twice, Trouble> {
    let manner = Manner { lines: lines.clone(), first: first.tests.clone(), ..Manner::default() };
    run(core, python, on, calls, manner, Some(first), job).await
}

async fn run(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    on: &On,
    calls: &[Call],
    manner: Manner,
    first: Option<&FirstTests>,
    job: &Job<'_>,
) -> Result<Twice, Trouble> {
    if calls.is_empty() {
        return Ok(Twice::default());
    }
    let tests = Tests::of(core, calls)?;
    if let Err(why) = blocking(contain::available_for_tests).await? {
        let not_run = tests.asked.tests.keys().map(|test| (*test, why.to_owned())).collect();
        let none = Reruns { not_run, ..Reruns::default() };
        return Ok(Twice { first: tests.outcomes(&none, &on.index, |_| true), ..Twice::default() });
    }
    let few = tests.asked.tests.len() <= FEW;
    let (one, other) = match (few, first) {
        (true, Some(_)) => (tests.asked.clone(), tests.asked.clone()),
        (true, None) => (tests.asked.clone(), Asked::default()),
        (false, _) => tests.asked.halves(&manner.first),
    };
    let twice: BTreeSet<TestId> = one.tests.keys().filter(|test| other.tests.contains_key(test)).copied().collect();
    let (sender, mut early) = mpsc::unbounded_channel();
    let manners = [0, 1].map(|which| {
        let sender = sender.clone();
        let send: Arc<Early> = Arc::new(move |found: Reruns| drop(sender.send((which, found))));
        Manner { groups: 1, early: first.map(|_| send), ..manner.clone() }
    });
    let [manner, again] = manners;
    let runs = async {
        futures_util::try_join!(
            run_tests(core, python, on, one, manner, &job.cancel),
            run_tests(core, python, on, other, again, &job.cancel),
        )
    };
    let mut runs = Box::pin(runs);
    let mut seen = [Reruns::default(), Reruns::default()];
    let (mut one, other) = loop {
        tokio::select! {
            done = &mut runs => break done?,
            Some((which, found)) = early.recv() => {
                seen[which].tests.extend(found.tests);
                if let Some(seen_first) = first.and_then(|first| first.seen.as_ref()) {
                    let is_twice = |test: &TestId| seen.iter().all(|run| run.tests.contains_key(test));
                    let [one, other] = seen.each_ref().map(|run| tests.outcomes(run, &on.index, is_twice));
                    // Without one who waits for it, it comes with the rest.
                    let ends = tests.ends(&seen[0]);
                    let _ = seen_first.send(Twice { first: one, second: other, ends, ..Twice::default() });
                }
            }
        }
    };
    if job.is_cancelled() {
        return Ok(Twice::default());
    }
    let second = tests.outcomes(&other, &on.index, |test| twice.contains(test));
    for (test, run) in other.tests {
        one.tests.entry(test).or_insert(run);
    }
    one.not_run.extend(other.not_run);
    let lines_run = one.tests.iter().filter_map(|(test, run)| Some((*test, run.lines_run.clone()?))).collect();
    let ends = tests.ends(&one);
    Ok(Twice { first: tests.outcomes(&one, &on.index, |_| true), second, lines_run, ends })
}

/// Runs the tests of these calls once more, on today's files, and says which of these lines any of them runs; `None` where no test
/// came to its end.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn lines_run(
    core: &Arc<Core>,
    python: &Arc<Environment>,
    calls: &[Call],
    lines: &Lines,
) -> Result<Option<LinesRun>, Trouble> {
    if calls.is_empty() || lines.values().all(Vec::is_empty) || blocking(contain::available_for_tests).await?.is_err() {
        return Ok(None);
    }
    let mut asked = Tests::of(core, calls)?.asked;
    if let Some(beyond) = asked.tests.keys().nth(FOLLOWED_MAX).copied() {
        asked.tests.split_off(&beyond);
    }
    let today = On { index: core.index(), files: Files::default() };
    let manner = Manner { groups: 1, lines: lines.clone(), only_lines: true, ..Manner::default() };
    let runs = run_tests(core, python, &today, asked, manner, &CancellationToken::new()).await?;
    Ok(runs.tests.into_values().filter_map(|run| run.lines_run).reduce(LinesRun::with))
}

/// The tests of some calls, and what is known of them.
struct Tests<'a> {
    calls: BTreeMap<TestId, Vec<&'a Call>>,
    asked: Asked,
    former: HashMap<TestId, FormerRun>,
    baselines: HashMap<CallId, Vec<u8>>,
}

impl<'a> Tests<'a> {
    fn of(core: &Core, calls: &'a [Call]) -> Result<Self, Trouble> {
        let mut of_test: BTreeMap<TestId, Vec<&Call>> = BTreeMap::new();
        for call in calls {
            if let Some(test) = call.observed.inside {
                of_test.entry(test).or_default().push(call);
            }
        }
        let ids: Vec<TestId> = of_test.keys().copied().collect();
        let functions = |calls: &Vec<&Call>| calls.iter().map(|call| call.function.clone()).collect();
        let asked = Asked {
            tests: core.store().recorded_tests(&ids)?,
            functions: of_test.iter().map(|(test, calls)| (*test, functions(calls))).collect(),
        };
        let former = core.store().former_runs(&ids)?;
        let baselines = core.store().baselines(&calls.iter().map(|call| call.id).collect::<Vec<_>>())?;
        Ok(Self { calls: of_test, asked, former, baselines })
    }

    /// Gives the results of the tests in these runs.
    fn ends(&self, runs: &Reruns) -> TestEnds {
        let passed = |test: &TestId| self.former.get(test).is_some_and(|former| former.passed);
        let end = |(test, run): (&TestId, &Rerun)| {
            let says = (!run.passed && passed(test)).then(|| run.said.clone().unwrap_or_default());
            (*test, says)
        };
        runs.tests.iter().map(end).collect()
    }

    /// Reads the outcomes of the calls in these tests from runs of them.
    fn outcomes(&self, runs: &Reruns, index: &Index, of: impl Fn(&TestId) -> bool) -> HashMap<CallId, Observed> {
        let mut observed = HashMap::new();
        for (test, calls) in self.calls.iter().filter(|(test, _)| of(test)) {
            let (Some(recorded), Some(former)) = (self.asked.tests.get(test), self.former.get(test)) else { continue };
            match runs.tests.get(test) {
                Some(run) => observed.extend(in_run(calls, former, &run.read(), recorded, &self.baselines, index)),
                None => {
                    let why = runs.not_run.get(test).map_or("it did not start", String::as_str);
                    let reason = ReasonCode::TestNotRun.of(recorded.label()).with(why);
                    observed.extend(calls.iter().map(|call| (call.id, not_made(reason.clone()))));
                }
            }
        }
        observed
    }
}

/// Pairs the calls of a test's run with those of its former one, and gives how the recorded ones among them ended.
fn in_run(
    calls: &[&Call],
    former: &FormerRun,
    run: &Rerun<RerunCall>,
    test: &RecordedTest,
    baselines: &HashMap<CallId, Vec<u8>>,
    index: &Index,
) -> Vec<(CallId, Observed)> {
    let fails = || test.fails(run.said.as_deref().unwrap_or("it fails"));
    let mut paired: HashMap<&FunctionId, Vec<Option<usize>>> = HashMap::new();
    let (mut seen, mut places) = (Vec::new(), Vec::new());
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
        let gone = || if former.passed && !run.passed { fails() } else { ReasonCode::NotReachedInTest.of(test.label()) };
        let baseline = baselines.get(&call.id).and_then(|bytes| value::outcome(bytes).ok());
        let baseline = baseline.as_ref();
        let outcome = match twin {
            None => otherwise_answered(baseline, run).unwrap_or_else(|| not_made(gone())),
            Some(twin) if !varies && !same_arguments(call, twin) => {
                let now = ended(call, twin, baseline, run, index);
                // What its framework gives it differs, and so does what the client gets.
                if is_answered_otherwise(baseline, &now) { now } else { not_made(ReasonCode::OtherArguments.into()) }
            }
            Some(twin) => ended(call, twin, baseline, run, index),
        };
        let place = at.and_then(|at| *pairs.get(at)?);
        seen.push((call.id, outcome));
        places.push(place);
    }
    // Threads make equal calls in any order: of these, one that ended as another did before is that one.
    let is_same =
        |outcome: &Observed, baseline: &Effect| outcome.effect.as_ref().is_ok_and(|now| difference(baseline, now).is_none());
    let before = |call: &Call| baselines.get(&call.id).and_then(|bytes| value::outcome(bytes).ok());
    let mut taken: HashSet<(&FunctionId, usize)> = HashSet::new();
    for ((call, (_, outcome)), place) in calls.iter().zip(&seen).zip(&places) {
        taken.extend(
            place.filter(|_| before(call).is_some_and(|before| is_same(outcome, &before))).map(|at| (&call.function, at)),
        );
    }
    for (at, call) in calls.iter().enumerate() {
        let Some((baseline, made)) = before(call).zip(run.calls.get(&call.function)) else { continue };
        let is_twin =
            |other: &&&Call| other.function == call.function && other.input == call.input && other.thread != call.thread;
        let Some(input) = places[at].and_then(|place| made.get(place)).map(|one| one.input) else { continue };
        if is_same(&seen[at].1, &baseline) || !calls.iter().any(|other| is_twin(&other)) {
            continue;
        }
        let equal =
            made.iter().enumerate().filter(|(place, one)| one.input == input && !taken.contains(&(&call.function, *place)));
        let mut ends = equal.map(|(place, one)| (place, ended(call, one, Some(&baseline), run, index)));
        if let Some((place, outcome)) = ends.find(|(_, outcome)| is_same(outcome, &baseline)) {
            taken.insert((&call.function, place));
            seen[at].1 = outcome;
        }
    }
    // A test that fails now says that something differs, even where it cannot be told what.
    let differs = |(id, outcome): &(CallId, Observed)| {
        let baseline = baselines.get(id).and_then(|bytes| value::outcome(bytes).ok());
        match (&outcome.effect, baseline) {
            (Ok(now), Some(before)) => difference(&before, now).is_some(),
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

/// Tells whether a client is answered otherwise by way of a call than it was.
fn is_answered_otherwise(baseline: Option<&Effect>, now: &Observed) -> bool {
    let answers = baseline.and_then(Effect::answers).zip(now.effect.as_ref().ok().and_then(Effect::answers));
    answers.is_some_and(|(before, after)| !before.same_as(after))
}

fn items(answers: &Value) -> &[Value] {
    if let Value::List(answers) = answers { answers } else { &[] }
}

/// Gives what a client asked, of its answer.
fn asked(answer: &Value) -> Option<&Value> {
    let Value::Dict(parts) = answer else { return None };
    parts.iter().find(|(key, _)| matches!(key, Value::Str(key) if key == ASKED)).map(|(_, asked)| asked)
}

/// Gives what a test's clients are answered today where they were answered these: by way of the same call, by way of another one, or
/// without any. `None` where something is not asked any more.
fn todays_answers(before: &[Value], own: Option<&Value>, run: &Rerun<RerunCall>) -> Option<Value> {
    let of_calls = || run.calls.values().flatten().filter_map(|call| call.effect.as_ref()?.answers());
    let mut own: Vec<&Value> = own.map(items).unwrap_or_default().iter().collect();
    let answer_to = |old: &Value| {
        if let Some(at) = own.iter().position(|new| asked(new) == asked(old)) {
            return Some(own.remove(at).clone());
        }
        let mut all = run.answers.iter().chain(of_calls().flat_map(items)).filter(|new| asked(new) == asked(old));
        let first = all.clone().next();
        all.find(|new| old.same_as(new)).or(first).cloned()
    };
    before.iter().map(answer_to).collect::<Option<Vec<Value>>>().map(Value::List)
}

/// Finds that what a client asked is answered otherwise today, without the call by way of which it was answered: a route that is gone, a
/// check before it. The answer is told as one of the call. Gives nothing where the answer is the same.
fn otherwise_answered(baseline: Option<&Effect>, run: &Rerun<RerunCall>) -> Option<Observed> {
    let before = baseline?;
    let mut now = before.clone();
    now.set_answers(Some(todays_answers(items(before.answers()?), None, run)?));
    noise::leave_out_likewise(before, &mut now);
    let is_other = difference(before, &now).is_some();
    is_other.then(|| Observed { bytes: value::encode_outcome(&now), effect: Ok(now), duration_ns: 0, entered: Vec::new() })
}

fn ended(call: &Call, twin: &RerunCall, baseline: Option<&Effect>, run: &Rerun<RerunCall>, index: &Index) -> Observed {
    let Some(mut effect) = twin.effect.clone() else { return not_made(ReasonCode::Unfinished.into()) };
    under_former_names(index, call, &mut effect);
    if let Some(pattern) = baseline {
        // Another call may be the last one that a framework makes for an answer.
        effect.set_answers(pattern.answers().and_then(|before| todays_answers(items(before), effect.answers(), run)));
        noise::leave_out_likewise(pattern, &mut effect);
        let is_own = |module: &str| index.module_called(module).is_some();
        let is_known = |name: &str| name == ITS_SIDE_EFFECTS || pattern.changed.iter().any(|(known, _)| known == name);
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
