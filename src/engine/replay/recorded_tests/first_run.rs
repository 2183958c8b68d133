//! The first run of recorded tests on the code they were recorded with: which calls end there as they did in the recording, and
//! what of them differs from run to run. Later runs are compared with it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::contain;
use crate::domain::call::{Call, CallId, Effect, RecordingId};
use crate::domain::event::{JobKind, Level};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::recorded_test::{FormerCall, FormerRun, TestId};
use crate::domain::scene::Scene;
use crate::domain::snapshot::Topic;
use crate::domain::touch::Touch;
use crate::engine::calls::read;
use crate::engine::index::reachability;
use crate::engine::python::environment::{self, Environment};
use crate::engine::python::rerun::{Rerun, RerunCall};
use crate::engine::replay::code_versions::RecordedVersion;
use crate::engine::replay::recorded_tests::choose::{self, Candidate};
use crate::engine::replay::recorded_tests::{Asked, Manner, On, ready, run_tests};
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::generate::align;
use crate::generate::noise;
use crate::generate::replay::difference;
use crate::generate::timing;
use crate::python::value;
use crate::record::inputs::digest;
use crate::source::index::Index;
use crate::store::{StoredCall, StoredOutcome};

/// The second run has another date and time of day: 400 days, 5 hours and some minutes later.
const SHIFT: i64 = 400 * 86_400 + 5 * 3_600 + 17 * 60 + 13;

/// How often the number of tests that ended is shown.
const TELL: Duration = Duration::from_millis(250);

/// Calls of a function that can be compared alone and are compared where they answer a client.
const ANSWERED: usize = 3;

/// In the second run the tests are collected in so many parts.
const GROUPS: usize = 8;

/// Runs tests of a recording whose calls cannot be made alone, on the code that it ran, and keeps what they showed. Does nothing where
/// the sandbox does not allow it.
///
/// # Errors
/// Fails when the database does, or Python cannot be started.
pub async fn run(core: &Arc<Core>, recording: RecordingId, ran: On) -> Result<(), Trouble> {
    let environment = environment::contained(core).await?;
    if let Err(why) = blocking(contain::available_for_tests).await? {
        core.log.add(Level::Info, "tests", format!("Recorded tests are not run again here: {why}"), None);
        return Ok(());
    }
    let worker = core.clone();
    let index = ran.index.clone();
    let candidates = blocking(move || candidates(&worker, &index, recording)).await??;
    let asked: BTreeSet<TestId> = candidates.iter().map(|one| one.candidate.test).collect();
    let asked = core.store().recorded_tests(&asked.into_iter().collect::<Vec<_>>())?;
    let starts = asked.iter().filter(|(_, test)| test.is_start()).map(|(id, _)| *id).collect();
    let functions = choose::tests(candidates.iter().map(|one| &one.candidate), &starts);
    let tests = core.store().recorded_tests(&functions.keys().copied().collect::<Vec<_>>())?;
    if !tests.is_empty() {
        let job = core.jobs.begin(JobKind::Replay, JobSubject::RecordedTests, 2 * tests.len() as u64);
        core.touch();
        let count = tests.len();
        let learned = learn(core, &environment, &ran, Asked { tests, functions }, candidates, &job).await?;
        let Some(Learned { calls: compared, not_run }) = learned.filter(|_| !job.is_cancelled()) else {
            // They are run when they are needed next.
            job.end(false);
            return Ok(());
        };
        job.end(true);
        let line = format!("{} can be compared inside {}", text::count(compared, "more call"), text::count(count, "test"));
        core.log.add(Level::Info, "tests", line, Some(Topic::Recording(recording)));
        if let Some(why) = not_run {
            core.say(Level::Warning, "tests", format!("Recorded tests cannot be run again: {why}"));
        }
        core.touch();
    }
    Ok(core.store().set_tests_tried(recording)?)
}

/// A recorded call that is to be compared in its test. It is decoded when its test has run: decoded, it takes ten times the memory.
struct Wanted {
    candidate: Candidate,
    stored: StoredCall,
    /// It can be compared alone, too.
    is_alone: bool,
}

impl Wanted {
    fn new(test: TestId, stored: StoredCall, is_alone: bool) -> Self {
        let (function, way) = (stored.function.clone(), choose::way(&read::decode(stored.clone())));
        Self { candidate: Candidate { function, way, test }, stored, is_alone }
    }
}

/// Lists the calls of a recording that were made in tests and cannot be compared otherwise, and some of those by way of which a client
/// was answered: what a framework makes of them shows there alone.
fn candidates(core: &Core, index: &Index, recording: RecordingId) -> Result<Vec<Wanted>, Trouble> {
    let stored = core.store().calls_in(recording)?;
    let ids: Vec<CallId> = stored.iter().map(|call| call.id).collect();
    let tests = core.store().tests_of(&ids)?;
    let repeated: HashSet<CallId> = core.store().repeated(&ids)?.into_iter().collect();
    let can_be_compared = |call: &StoredCall| match &call.not_replayable {
        None => repeated.contains(&call.id),
        Some(reason) => read::is_only_compared(reason, repeated.contains(&call.id)),
    };
    let in_test_file = |function: &FunctionId| index.module_of(function).is_some_and(|module| module.is_test());
    let in_tests = stored.into_iter().filter(|call| call.outcome.is_some() && !in_test_file(&call.function));
    let mut answered: BTreeMap<FunctionId, Vec<Wanted>> = BTreeMap::new();
    let mut wanted = Vec::new();
    for stored in in_tests {
        let Some(test) = tests.get(&stored.id).copied() else { continue };
        if !can_be_compared(&stored) {
            wanted.push(Wanted::new(test, stored, false));
        } else if stored.touches.iter().any(is_answered) {
            answered.entry(stored.function.clone()).or_default().push(Wanted::new(test, stored, true));
        }
    }
    wanted.extend(answered.into_values().flat_map(some_of));
    Ok(wanted)
}

/// Chooses among calls of a function that answered clients: in different tests, and those first that end in a way of their own.
fn some_of(answered: Vec<Wanted>) -> impl Iterator<Item = Wanted> {
    let (mut ways, mut tests) = (BTreeSet::new(), BTreeSet::new());
    let (mut chosen, others): (Vec<_>, Vec<_>) = answered.into_iter().partition(|one| ways.insert(one.candidate.way.clone()));
    chosen.extend(others);
    chosen.into_iter().filter(move |one| tests.insert(one.candidate.test)).take(ANSWERED)
}

/// Tells whether a touch says that a client of a test was answered by way of the call.
fn is_answered(touch: &Touch) -> bool {
    matches!(touch, Touch::Scene(text) if Scene::read(text).is_some_and(|scene| scene.answer().is_some()))
}

/// What running tests showed.
struct Learned {
    /// Calls that can be compared from now on.
    calls: usize,
    /// Why the first test that was not run was not.
    not_run: Option<String>,
}

async fn learn(
    core: &Arc<Core>,
    environment: &Arc<Environment>,
    ran: &On,
    asked: Asked,
    candidates: Vec<Wanted>,
    job: &Job<'_>,
) -> Result<Option<Learned>, Trouble> {
    let alone: HashSet<CallId> = candidates.iter().filter(|one| one.is_alone).map(|one| one.stored.id).collect();
    let mut of_test: BTreeMap<TestId, Vec<StoredCall>> = BTreeMap::new();
    for Wanted { candidate, stored, .. } in candidates {
        if asked.functions.get(&candidate.test).is_some_and(|wanted| wanted.contains(&candidate.function)) {
            of_test.entry(candidate.test).or_default().push(stored);
        }
    }
    Box::pin(ready::learn_modules(core, environment, ran, &asked, &job.cancel)).await?;
    let plain = Manner { groups: 1, ..Manner::default() };
    let shifted = Manner { shift: Some(SHIFT), groups: GROUPS, ended: plain.ended.clone(), ..Manner::default() };
    let (ended, total) = (plain.ended.clone(), 2 * asked.tests.len() as u64);
    let runs = async {
        futures_util::try_join!(
            run_tests(core, environment, ran, asked.clone(), plain, &job.cancel),
            run_tests(core, environment, ran, asked.clone(), shifted, &job.cancel),
        )
    };
    let (mut first, mut second) = while_telling(core, job, &ended, total, runs).await?;
    if !stands(core, ran).await? {
        return Ok(None);
    }
    let reach = reachability::reach_of_now(core, &ran.index).await?;
    let recorded_version = RecordedVersion::of(core, &reach)?;
    let is_own = |module: &str| ran.index.module_called(module).is_some();
    let mut kept: Vec<(TestId, FormerRun)> = Vec::new();
    let (mut baselines, mut outcomes) = (Vec::new(), Vec::new());
    for (test, recorded) in of_test {
        let Some(run) = first.tests.remove(&test) else { continue };
        let mut recorded: Vec<Call> = recorded.into_iter().map(read::decode).collect();
        recorded.iter_mut().for_each(|call| timing::leave_out(&mut call.effect));
        let other = second.tests.remove(&test).map(|other| other.read());
        let Seen { run, calls } = seen(run.read(), other.as_ref(), &recorded, &alone, &is_own);
        // With other data than the program had, two runs that agree do not tell what it did.
        for call in calls.into_iter().filter(|call| !recorded_version.has_other_data(&call.function)) {
            let code = recorded_version.code_key(&call.function);
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
    Ok(Some(Learned { calls, not_run: first.not_run.into_values().next() }))
}

/// Waits for runs of tests, and tells how many tests ended so far.
async fn while_telling<T>(core: &Core, job: &Job<'_>, ended: &AtomicU64, total: u64, runs: impl Future<Output = T>) -> T {
    let mut runs = std::pin::pin!(runs);
    loop {
        tokio::select! {
            done = &mut runs => return done,
            () = tokio::time::sleep(TELL) => {
                job.progress(ended.load(Ordering::Relaxed), total);
                core.touch();
            }
        }
    }
}

/// Tells whether the files are still those that the tests were to run on.
async fn stands(core: &Arc<Core>, ran: &On) -> Result<bool, Trouble> {
    let (core, index, files) = (core.clone(), ran.index.clone(), ran.files.clone());
    blocking(move || {
        let edited: BTreeSet<RelPath> = (*index).clone().update(&core.root, None).files.into_iter().collect();
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

/// `alone` are the recorded calls that can be compared alone: what they answer is all that a test shows of them, so they stay what they
/// are where nothing was answered.
fn seen(
    run: Rerun<RerunCall>,
    other: Option<&Rerun<RerunCall>>,
    recorded: &[Call],
    alone: &HashSet<CallId>,
    is_own: &dyn Fn(&str) -> bool,
) -> Seen {
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
                && let Some(effect) = settled(recorded, call, twin, is_own)
                && (!alone.contains(&recorded.id) || shows_more(recorded, &effect))
            {
                let outcome = value::encode_outcome(&effect);
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

/// Finds which calls of a run are recorded ones. Equal arguments come before the same line of the caller, and an equal outcome before
/// one of the same kind.
fn recorded_as<'a>(made: &[RerunCall], recorded: &[&'a Call]) -> HashMap<usize, &'a Call> {
    let mut found: HashMap<usize, &Call> = HashMap::new();
    let mut left: Vec<&Call> = recorded.to_vec();
    let alike =
        |call: &Call, made: &RerunCall| made.effect.as_ref().is_some_and(|effect| difference(&call.effect, effect).is_none());
    let in_one_way = |call: &Call, made: &RerunCall| made.effect.as_ref().is_some_and(|effect| ends_as_recorded(call, effect));
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

/// Tells whether a call ended as it was recorded, but for parts that vary. What it drew by chance is drawn otherwise here.
fn ends_as_recorded(recorded: &Call, effect: &Effect) -> bool {
    let draws = || recorded.touches.iter().any(|touch| matches!(touch, Touch::Random(_)));
    noise::leave_out(&mut recorded.effect.clone(), effect) || draws() && noise::end_in_one_way(&recorded.effect, effect)
}

/// Tells whether a call ended in its test just as it was recorded, and answered a client.
fn shows_more(recorded: &Call, effect: &Effect) -> bool {
    effect.answers().is_some() && difference(&recorded.effect, &effect.clone().as_recorded()).is_none()
}

/// Gives how a call ended, without what differs between two runs; `None` where nothing is left of it, or where it did not end as
/// recorded. What both runs agree on counts, also where the recording has something else: a folder, what was drawn by chance.
fn settled(recorded: &Call, call: &RerunCall, twin: &RerunCall, is_own: &dyn Fn(&str) -> bool) -> Option<Effect> {
    let mut effect = call.effect.clone()?;
    noise::leave_out_foreign(&mut effect, is_own);
    let is_left = noise::leave_out(&mut effect, twin.effect.as_ref()?) && ends_as_recorded(recorded, &effect);
    // What stands there must be the same both times: two runs may have left out different parts.
    let mut again = twin.effect.clone()?;
    noise::leave_out_likewise(&effect, &mut again);
    (is_left && difference(&effect, &again).is_none()).then_some(effect)
}
