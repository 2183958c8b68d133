//! The first run of recorded tests on the code they were recorded with: which calls end there as they did in the recording, and
//! what of them differs from run to run. Later runs are compared with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::contain;
use crate::domain::call::{Call, CallId, RecordingId};
use crate::domain::event::{JobKind, Level};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::recorded_test::{FormerCall, FormerRun, RecordedTest, TestId};
use crate::domain::snapshot::Topic;
use crate::engine::calls::read;
use crate::engine::index::reachability;
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::rerun::{Broken, Files, Place, Rerun, RerunCall, Reruns, Wanted};
use crate::engine::replay::recorded_tests::choose::{self, Candidate};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::align;
use crate::generate::noise;
use crate::generate::replay::difference;
use crate::python::value;
use crate::record::inputs::digest;
use crate::source::index::Index;
use crate::store::StoredOutcome;

/// The second run has another date and time of day: 400 days, 5 hours and some minutes later.
const SHIFT: i64 = 400 * 86_400 + 5 * 3_600 + 17 * 60 + 13;

/// In the second run the tests are collected in so many parts.
const GROUPS: usize = 8;

/// The code that a recording ran, as its tests find it.
pub struct Ground {
    /// Its functions.
    pub index: Arc<Index>,
    /// Its files, where they are others than today's.
    pub files: Files,
}

/// Runs tests of a recording whose calls cannot be made alone, and keeps what they showed. Does nothing where the sandbox does not allow it.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn run(core: &Arc<Core>, recording: RecordingId, ground: Ground) -> Result<(), Trouble> {
    let environment = environment::contained(core).await?;
    if let Err(why) = blocking(contain::available_for_tests).await? {
        core.log.add(Level::Info, "tests", format!("Recorded tests are not run again here: {why}"), None);
        return Ok(());
    }
    let worker = core.clone();
    let candidates = blocking(move || candidates(&worker, recording)).await??;
    let functions = choose::tests(&candidates);
    let tests = core.store().recorded_tests(&functions.keys().copied().collect::<Vec<_>>())?;
    if !tests.is_empty() {
        let subject = JobSubject::RecordedTests;
        let job = core.jobs.begin(JobKind::Replay, subject, tests.len() as u64);
        core.touch();
        let learned =
            learn(core, &environment, &ground, Chosen { tests: &tests, functions: &functions }, candidates, &job).await?;
        let Some(Learned { calls: compared, broken }) = learned.filter(|_| !job.is_cancelled()) else {
            // They are run when they are needed next.
            job.end(false);
            return Ok(());
        };
        job.end(true);
        let line = format!("{} can be compared inside {}", text::count(compared, "more call"), text::count(tests.len(), "test"));
        core.log.add(Level::Info, "tests", line, Some(Topic::Recording(recording)));
        if let Some(broken) = broken {
            core.say(Level::Warning, "tests", format!("Recorded tests cannot be run again: {}", broken.why));
        }
        core.touch();
    }
    Ok(core.store().set_tests_tried(recording)?)
}

/// Lists the calls of a recording that were made in tests and cannot be compared otherwise.
fn candidates(core: &Core, recording: RecordingId) -> Result<Vec<Candidate>, Trouble> {
    let stored = core.store().calls_in(recording)?;
    let ids: Vec<CallId> = stored.iter().map(|call| call.id).collect();
    let tests = core.store().tests_of(&ids)?;
    let repeated: HashSet<CallId> = core.store().repeated(&ids)?.into_iter().collect();
    let can_be_compared = |call: &crate::store::StoredCall| match &call.not_replayable {
        None => repeated.contains(&call.id),
        Some(reason) => read::is_only_compared(reason, repeated.contains(&call.id)),
    };
    let index = core.index();
    let in_test_file = |function: &FunctionId| index.module_of(function).is_some_and(|module| module.is_test());
    let wanted =
        stored.into_iter().filter(|call| call.outcome.is_some() && !can_be_compared(call) && !in_test_file(&call.function));
    Ok(wanted.filter_map(|call| Some(Candidate { test: *tests.get(&call.id)?, call: read::decode(call) })).collect())
}

/// What running tests showed.
struct Learned {
    /// Calls that can be compared from now on.
    calls: usize,
    broken: Option<Broken>,
}

/// The tests that are run, and the functions that are looked at in each.
#[derive(Clone, Copy)]
struct Chosen<'a> {
    tests: &'a BTreeMap<TestId, RecordedTest>,
    functions: &'a BTreeMap<TestId, BTreeSet<FunctionId>>,
}

async fn learn(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    ground: &Ground,
    chosen: Chosen<'_>,
    candidates: Vec<Candidate>,
    job: &Job<'_>,
) -> Result<Option<Learned>, Trouble> {
    let mut of_test: BTreeMap<TestId, Vec<Call>> = BTreeMap::new();
    let is_wanted = |one: &Candidate| chosen.functions.get(&one.test).is_some_and(|wanted| wanted.contains(&one.call.function));
    for candidate in candidates.into_iter().filter(is_wanted) {
        of_test.entry(candidate.test).or_default().push(candidate.call);
    }
    let variables = environment::import_variables(core);
    let run = |shift: Option<i64>| {
        let (core, environment, index) = (core.clone(), environment.clone(), ground.index.clone());
        let (files, tests, functions) = (ground.files.clone(), chosen.tests.clone(), chosen.functions.clone());
        let (variables, cancel) = (variables.clone(), job.cancel.clone());
        blocking(move || {
            let settings = core.settings();
            let (record, redact) = (&settings.record, &settings.redact);
            let place = Place { root: &core.root, environment: &environment, index, files: &files, record, redact };
            let groups = if shift.is_some() { GROUPS } else { 1 };
            place.run(&Wanted { tests: &tests, functions: &functions, variables, shift, groups }, &cancel)
        })
    };
    let (first, second) = futures_util::try_join!(run(None), run(Some(SHIFT)))?;
    let (mut first, second): (Reruns, Reruns) = (first?, second?);
    if !stands(core, ground).await? {
        return Ok(None);
    }
    let reach = reachability::reach_of_now(core, &ground.index).await?;
    let is_own = |module: &str| ground.index.module_called(module).is_some();
    let mut kept: Vec<(TestId, FormerRun)> = Vec::new();
    let (mut baselines, mut outcomes) = (Vec::new(), Vec::new());
    for (test, recorded) in of_test {
        let Some(run) = first.tests.remove(&test) else { continue };
        let other = second.tests.get(&test);
        let Seen { run, calls } = seen(run, other, &recorded, &is_own);
        for call in calls {
            let code = reach.code_key(&call.function);
            let stored = StoredOutcome {
                call: call.id,
                code,
                outcome: call.outcome.clone(),
                duration_ns: call.duration_ns,
                entered: call.entered.clone(),
            };
            outcomes.push(stored);
            baselines.push((call.id, call.outcome));
        }
        kept.push((test, run));
    }
    let calls = baselines.len();
    let worker = core.clone();
    blocking(move || {
        for (call, outcome) in baselines {
            worker.store().set_baseline(call, Some(outcome))?;
        }
        worker.store().put_outcomes(outcomes)?;
        worker.store().put_former_runs(kept)
    })
    .await??;
    Ok(Some(Learned { calls, broken: first.broken }))
}

/// Tells whether the files are still those that the tests were to run on.
async fn stands(core: &Arc<Core>, ground: &Ground) -> Result<bool, Trouble> {
    let (core, ran, files) = (core.clone(), ground.index.clone(), ground.files.clone());
    blocking(move || {
        let edited: BTreeSet<RelPath> = (*ran).clone().update(&core.root, None).files.into_iter().collect();
        let known: BTreeSet<RelPath> = files.texts.into_keys().chain(files.gone).collect();
        edited == known
    })
    .await
}

/// What the first run of a test showed of its recorded calls.
struct Seen {
    run: FormerRun,
    calls: Vec<SeenCall>,
}

/// A recorded call that ends in its test, alone, as it was recorded.
struct SeenCall {
    id: CallId,
    function: FunctionId,
    /// How it ended, without what differs from run to run.
    outcome: Vec<u8>,
    duration_ns: i64,
    entered: Vec<FunctionId>,
}

fn seen(run: Rerun, other: Option<&Rerun>, recorded: &[Call], is_own: &dyn Fn(&str) -> bool) -> Seen {
    let mut calls = Vec::new();
    let mut former = FormerRun { passed: run.passed, ms: run.ms, calls: BTreeMap::new() };
    let others = other.filter(|other| other.passed == run.passed);
    for (function, made) in run.calls {
        let twins = others.and_then(|other| other.calls.get(&function)).map_or(&[][..], Vec::as_slice);
        let of_function: Vec<&Call> = recorded.iter().filter(|call| call.function == function).collect();
        let (inputs, again): (Vec<Digest>, Vec<Digest>) =
            (made.iter().map(|call| call.input).collect(), twins.iter().map(|call| call.input).collect());
        let twin_of = align::pairs(&inputs, &again);
        let mut entries: Vec<FormerCall> = Vec::new();
        let who = recorded_as(&made, &of_function);
        for (at, call) in made.iter().enumerate() {
            let twin = twin_of.get(at).copied().flatten().and_then(|twin| twins.get(twin));
            let known = who.get(&at).copied();
            let varies = twin.is_some_and(|twin| twin.input != call.input)
                || known.is_some_and(|known| call.input != digest(&known.callee(), known.args.clone()));
            let mut entry = FormerCall { input: call.input, varies, call: None };
            if let Some((recorded, twin)) = known.zip(twin)
                && let Some(outcome) = settled(recorded, call, twin, is_own)
            {
                entry.call = Some(recorded.id);
                let (function, duration_ns, entered) = (function.clone(), call.duration_ns, call.entered.clone());
                calls.push(SeenCall { id: recorded.id, function, outcome, duration_ns, entered });
            }
            entries.push(entry);
        }
        former.calls.insert(function, entries);
    }
    Seen { run: former, calls }
}

/// Tells whether a call of a run is a recorded one.
type IsIt<'a> = dyn Fn(&Call, &RerunCall) -> bool + 'a;

/// Finds which calls of a run are recorded ones: those with equal arguments, and of these the one that ended alike; then those made
/// from the same line that ended in the same way.
fn recorded_as<'a>(made: &[RerunCall], recorded: &[&'a Call]) -> HashMap<usize, &'a Call> {
    let mut found: HashMap<usize, &Call> = HashMap::new();
    let mut left: Vec<&Call> = recorded.to_vec();
    let alike =
        |call: &Call, made: &RerunCall| made.effect.as_ref().is_some_and(|effect| difference(&call.effect, effect).is_none());
    let in_one_way = |call: &Call, made: &RerunCall| {
        made.effect.as_ref().is_some_and(|effect| noise::leave_out(&mut call.effect.clone(), effect))
    };
    let same_input = |call: &Call, made: &RerunCall| made.input == digest(&call.callee(), call.args.clone());
    let same_line = |call: &Call, made: &RerunCall| made.caller_line == call.caller_line;
    let rules: [&IsIt<'_>; 4] = [
        &|call, made| same_input(call, made) && alike(call, made),
        &|call, made| same_input(call, made) && in_one_way(call, made),
        &|call, made| same_line(call, made) && alike(call, made),
        &|call, made| same_line(call, made) && in_one_way(call, made),
    ];
    for rule in rules {
        left.retain(|call| {
            let at = (0..made.len()).filter(|at| !found.contains_key(at)).find(|at| rule(call, &made[*at]));
            if let Some(at) = at {
                found.insert(at, call);
            }
            at.is_none()
        });
    }
    found
}

/// Gives how a call ended, without what differs from run to run or from the recording; `None` where nothing is left of it.
fn settled(recorded: &Call, call: &RerunCall, twin: &RerunCall, is_own: &dyn Fn(&str) -> bool) -> Option<Vec<u8>> {
    let mut effect = call.effect.clone()?;
    noise::leave_out_foreign(&mut effect, is_own);
    let is_left = noise::leave_out(&mut effect, twin.effect.as_ref()?) && noise::leave_out(&mut effect, &recorded.effect);
    // What stands there must be the same both times: two runs may have left out different parts.
    let mut again = twin.effect.clone()?;
    noise::leave_out_likewise(&effect, &mut again);
    (is_left && difference(&effect, &again).is_none()).then(|| value::encode_outcome(&effect))
}
