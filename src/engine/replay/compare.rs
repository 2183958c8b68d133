//! Recorded calls run against today's code and compared with their baseline. The changes that come of it are shown by `changes.rs`.
//!
//! Outcomes are known by the code a call may run through, so known code is not run again and going back says nothing.
//! A call counts only after it was seen to repeat its recorded outcome on the code it was recorded with (`first_replay.rs`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::{Call, CallId, Effect, Outcome};
use crate::domain::event::{Event, JobKind, Level};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{CallChange, Change, Proposal};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::recorded_test::TestId;
use crate::domain::snapshot::WatchState;
use crate::engine::calls;
use crate::engine::index::refresh;
use crate::engine::index::{reachability, syntax_errors};
use crate::engine::python::environment;
use crate::engine::python::replay_calls::Observed;
use crate::engine::python::replay_calls::Replaying;
use crate::engine::replay::changes::{self, changes_of, late_by, was_shown};
use crate::engine::replay::code_versions;
use crate::engine::replay::edited::{Delta, Tally};
use crate::engine::replay::failure::Failure;
use crate::engine::replay::followed_lines::Followed;
use crate::engine::replay::imports;
use crate::engine::replay::recorded_tests::compare::{FirstTests, TestEnds, Twice};
use crate::engine::replay::recorded_tests::control::{self, Suspect};
use crate::engine::replay::recorded_tests::needed;
use crate::engine::replay::today::replay_today;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs;
use crate::generate::replay::{Answer, Baseline, compare, difference};
use crate::python::protocol::Lines;
use crate::python::zygote::{LATE_MAX, NotMade};
use crate::source::dependencies::Reach;
use crate::source::index::Index;
use crate::store::StoredOutcome;

/// How often calls are run after a save, while files go on being others than those that are known, and the time in between.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(300);

/// Runs the calls of these functions where their outcome under today's code is not known, and shows what changed.
pub async fn run(core: &Arc<Core>, functions: BTreeSet<FunctionId>) -> Result<Seen, Trouble> {
    if functions.is_empty() { Ok(Seen::default()) } else { run_and_compare(core, functions, &BTreeSet::new()).await }
}

/// What a replay came to.
#[derive(Default)]
pub struct Seen {
    /// Calls compared, whether they ran now or their outcome was known.
    pub compared: u64,
    /// Those that ended as before.
    pub same: u64,
    /// Files were others than those that are known, so what ran says nothing.
    moved: bool,
    /// It came to its end.
    pub whole: bool,
    /// What became of each function's calls.
    pub tally: Tally,
}

/// Lets a replay of saved code end early; what it did not come to is owed.
pub fn interrupt(core: &Core) {
    core.jobs.supersede(JobKind::Replay, Some(&JobSubject::SavedCode));
}

/// Runs and compares, again where files were edited meanwhile: of one that was put back at once no save tells.
pub async fn run_and_compare(
    core: &Arc<Core>,
    wanted: BTreeSet<FunctionId>,
    first: &BTreeSet<FunctionId>,
) -> Result<Seen, Trouble> {
    let mut seen = Box::pin(compare_now(core, wanted, first)).await?;
    for _ in 1..ATTEMPTS {
        // While saves wait, files stay others than those that are known.
        if !seen.moved || matches!(core.state.lock().watch, Some(WatchState::Paused { .. })) {
            return Ok(seen);
        }
        tokio::time::sleep(PAUSE).await;
        if core.watcher.lock().is_none() {
            refresh::reread(core, None).await;
        }
        let owed = core.state.lock().owed.clone();
        if owed.is_empty() {
            return Ok(seen);
        }
        seen = Box::pin(compare_now(core, owed, first)).await?;
    }
    if seen.moved && core.watcher.lock().is_none() {
        // Nobody would learn of the save that did it.
        let trouble = Trouble::environment("The code changed while its calls ran, so they say nothing.");
        return Err(trouble.so("Replay them again."));
    }
    Ok(seen)
}

/// Runs and compares. Calls of `first` run ahead of the others, alone or in a few fast tests, and what differs of them is shown while the
/// others still run.
async fn compare_now(core: &Arc<Core>, wanted: BTreeSet<FunctionId>, first: &BTreeSet<FunctionId>) -> Result<Seen, Trouble> {
    // The newest request wins, and does what it interrupts as well.
    core.state.lock().owed.extend(wanted.iter().cloned());
    interrupt(core);
    let replaying = core.part::<Replaying>();
    let _turn = replaying.0.lock().await;
    let wanted: BTreeSet<FunctionId> = core.state.lock().owed.union(&wanted).cloned().collect();
    let started = clock::now();
    let index = core.index();
    let reach = reachability::reach_of_now(core, &index).await?;
    let began = code_versions::begin(core, &index, &reach, BTreeSet::new()).await?;
    let worker = (core.clone(), reach.clone(), wanted.clone());
    let (calls, mut outcomes, mut unknown_code, left_out, edited, followed) = blocking(move || {
        let (core, reach, wanted) = worker;
        let (calls, known, unknown, left_out) = gather(&core, &reach, &wanted)?;
        let in_tests = unknown.iter().any(|call| call.observed.inside.is_some());
        let delta = if in_tests { Delta::since_recording(&core)? } else { Delta::default() };
        let (edited, followed) = (needed::edited(&delta), Followed::of(&core, &delta)?);
        Ok::<_, Trouble>((calls, known, unknown, left_out, edited, followed))
    })
    .await??;
    let postponed = edited.map(|edited| needed::part(&mut unknown_code, &edited, &calls.keys().collect())).unwrap_or_default();
    let job = core.jobs.begin(JobKind::Replay, JobSubject::SavedCode, unknown_code.len() as u64);
    core.touch();
    let functions_of = |open: &[Call]| open.iter().map(|call| call.function.clone()).collect::<BTreeSet<_>>();
    let mut pending: HashSet<CallId> = unknown_code.iter().map(|call| call.id).collect();
    let open = functions_of(&unknown_code);
    let settled: BTreeSet<FunctionId> = calls.keys().filter(|function| !open.contains(*function)).cloned().collect();
    let is_ahead = |call: &Call| first.contains(&call.function) && call.observed.inside.is_none();
    let (ahead, behind): (Vec<Call>, Vec<Call>) = unknown_code.into_iter().partition(is_ahead);
    let of_ahead = functions_of(&ahead);
    let mut not_made: Failures = postponed.into_iter().map(|call| (call, Failure::OtherTest)).collect();
    let mut tally = Tally { followed, ..Tally::default() };
    for (function, reasons) in left_out {
        tally.of(&function).not_compared = reasons;
    }
    let (mut same, mut changed) = (0, 0);
    let mut concluded: BTreeSet<FunctionId> = BTreeSet::new();
    for (calls_now, functions) in [(Vec::new(), settled), (ahead, of_ahead), (behind, open)] {
        if !calls_now.is_empty() {
            let code = Code { index: &index, reach: &reach, began: &began, functions: &functions };
            let (fresh, failures) = Box::pin(run_twice(core, &code, &calls, &calls_now, first, &mut tally, &job)).await?;
            if !code.stands(core).await? {
                // Nobody can tell which code the outcomes belong to.
                job.end(false);
                return Ok(Seen { moved: true, ..Seen::default() });
            }
            let (stored, seen): (Vec<StoredOutcome>, Vec<_>) = fresh.into_iter().unzip();
            core.store().put_outcomes(stored)?;
            outcomes.extend(seen);
            not_made.extend(failures);
            for call in &calls_now {
                pending.remove(&call.id);
            }
        }
        if job.is_cancelled() {
            job.end(false);
            return Ok(Seen::default());
        }
        for function in functions {
            let Some(own) = calls.get(&function) else { continue };
            if own.iter().any(|(call, _)| pending.contains(&call.id)) {
                show_some(core, &function, own, known(&outcomes), &tally.ends)?;
            } else if !concluded.contains(&function) {
                core.state.lock().owed.remove(&function);
                let seen = conclude(core, &function, own, &outcomes, &not_made, &mut tally)?;
                (same, changed) = (same + seen.0, changed + seen.1);
                concluded.insert(function);
            }
        }
    }
    core.state.lock().owed.retain(|function| !wanted.contains(function));
    job.end(true);
    let compared = same + changed;
    let unknown = not_made.len() as u64;
    imports::note(core, &wanted, &tally.import_failures);
    if compared + unknown > 0 {
        let ms = jobs::elapsed_ms(started);
        let seconds = Duration::from_millis(ms).as_secs_f64();
        let line = format!("{} in {seconds:.1} s: {same} as before, {changed} changed", text::count_u64(compared, "call"));
        core.log.add(Level::Info, "replayed", &line, None);
        core.announce(Event::Replayed { calls: compared, changed, same, unknown, ms });
    }
    Ok(Seen { compared, same, moved: false, whole: true, tally })
}

/// The code that calls run on.
struct Code<'a> {
    index: &'a Arc<Index>,
    reach: &'a Arc<Reach>,
    began: &'a Arc<code_versions::Began>,
    /// The functions whose calls run.
    functions: &'a BTreeSet<FunctionId>,
}

impl Code<'_> {
    /// Tells whether it is still what it was when the run began.
    async fn stands(&self, core: &Arc<Core>) -> Result<bool, Trouble> {
        code_versions::stands(core, self.index, self.reach, self.functions, self.began).await
    }
}

/// Runs calls, and once more those that seem to differ: only the same answer twice is shown to a person. What the first tests show of
/// the calls of `first` is shown while others run.
async fn run_twice(
    core: &Arc<Core>,
    code: &Code<'_>,
    calls: &Calls,
    open: &[Call],
    first: &BTreeSet<FunctionId>,
    tally: &mut Tally,
    job: &jobs::Job<'_>,
) -> Result<Ran, Trouble> {
    let environment = environment::contained(core).await?;
    let lines = tally.followed.lines();
    let tests: Vec<TestId> = open.iter().filter_map(|call| call.observed.inside).collect::<BTreeSet<_>>().into_iter().collect();
    let (sender, mut early) = mpsc::unbounded_channel();
    let tests = needed::first(open, first, &core.store().test_durations(&tests)?);
    let first = FirstTests { tests, seen: Some(sender) };
    // On the heap: what runs below it is large, and a worker's stack is not.
    let mut run = Box::pin(replay_today(core, &environment, open, &lines, &first, job));
    let Twice { first: observed, second: mut again, lines_run, ends } = loop {
        tokio::select! {
            done = &mut run => break done?,
            Some(seen) = early.recv() => {
                if code.stands(core).await? {
                    show_first(core, calls, &seen)?;
                }
            }
        }
    };
    tally.followed.ran.extend(lines_run);
    tally.ends.extend(ends);
    let is_suspect = |call: &&Call| observed.get(&call.id).is_some_and(|seen| differs(calls, call, seen));
    let mut once_more: Vec<Call> = open.iter().filter(is_suspect).cloned().collect();
    let suspected: HashSet<CallId> = once_more.iter().map(|call| call.id).collect();
    once_more.retain(|call| !again.contains_key(&call.id));
    let none = FirstTests::default();
    again.extend(Box::pin(replay_today(core, &environment, &once_more, &Lines::new(), &none, job)).await?.first);
    let repeats = |call: &&Call| {
        let both = observed.get(&call.id).zip(again.get(&call.id));
        both.is_some_and(|(seen, again)| match (&seen.effect, &again.effect) {
            (Ok(one), Ok(other)) => difference(one, other).is_none(),
            _ => false,
        })
    };
    let shown = open.iter().filter(|call| call.observed.inside.is_some() && suspected.contains(&call.id)).filter(repeats);
    let suspects = shown.filter_map(|call| {
        let seen = observed.get(&call.id)?;
        Some(Suspect { call, baseline: baseline_of(calls, call)?, today: seen.effect.as_ref().ok()?, entered: &seen.entered })
    });
    let suspects: Vec<Suspect<'_>> = suspects.collect();
    let unsettled = Box::pin(control::differ_as_recorded(core, &environment, &suspects, job)).await?;
    let (mut fresh, mut failures) = (Fresh::new(), Failures::new());
    for call in open {
        let Some(seen) = observed.get(&call.id) else { continue };
        let effect = match &seen.effect {
            Ok(effect) => effect,
            Err(why) => {
                failures.insert(call.id, Failure::NotMade(why.clone()));
                continue;
            }
        };
        let repeated = |second: &Observed| second.effect.as_ref().is_ok_and(|other| difference(effect, other).is_none());
        let is_one = match again.get(&call.id) {
            Some(second) => repeated(second),
            None => !suspected.contains(&call.id),
        };
        if !is_one {
            failures.insert(call.id, Failure::Differs);
            continue;
        }
        if unsettled.contains(&call.id) {
            failures.insert(call.id, Failure::DiffersAsRecorded);
            continue;
        }
        let stored = seen.stored(call.id, code.reach.code_key(&call.function));
        fresh.push((stored, (call.id, (effect.clone(), seen.entered.clone()))));
    }
    Ok((fresh, failures))
}

/// What running calls came to.
type Ran = (Fresh, Failures);
/// Outcomes to be stored, and the same decoded.
type Fresh = Vec<(StoredOutcome, (CallId, Known))>;
/// Calls that have no outcome under today's code.
type Failures = HashMap<CallId, Failure>;

/// How a call ended, and the project's functions that it ran through.
type Known = (Effect, Vec<FunctionId>);
type Outcomes = HashMap<CallId, Known>;
type Calls = BTreeMap<FunctionId, Vec<(Call, Effect)>>;
/// How many calls of a function are kept that cannot be compared, by reason.
type LeftOut = BTreeMap<FunctionId, BTreeMap<Reason, u64>>;

/// Reads the calls with their baselines, and parts them into known outcomes and calls that have to run.
fn gather(core: &Core, reach: &Reach, wanted: &BTreeSet<FunctionId>) -> Result<(Calls, Outcomes, Vec<Call>, LeftOut), Trouble> {
    let mut calls = Calls::new();
    let mut left_out = LeftOut::new();
    let mut known = Outcomes::new();
    let mut unknown = Vec::new();
    let unparsed = reach.resting_on(&[], &syntax_errors::files(&core.index()));
    for function in wanted {
        let code = reach.code_key(function);
        let mut own = Vec::new();
        let mut open = Vec::new();
        // A file that does not parse keeps its last good functions, so the code that is known is not what would run.
        let is_known = !unparsed.contains(function);
        let shown = changes_of(core, function);
        let (compared, others) = calls::read::parted_calls(core, function)?.compared();
        left_out.insert(function.clone(), others);
        let mut outcomes = calls::read::outcomes(core, compared.iter().map(|(call, _)| call.id), code)?;
        for (call, baseline) in compared {
            match outcomes.remove(&call.id) {
                Some(found)
                    if is_known && (difference(&baseline, &found.0).is_none() || was_shown(&shown, call.id, &found.0)) =>
                {
                    known.insert(call.id, found);
                }
                // One that was known as the right outcome, and is not any more, is run twice before it is shown.
                _ => open.push(call.clone()),
            }
            own.push((call, baseline));
        }
        // Where enough of them are known not to end, the others are not tried at each start.
        let late =
            own.iter().filter(|(call, _)| known.get(&call.id).is_some_and(|(effect, _)| late_by(effect).is_some())).count();
        if late < LATE_MAX as usize {
            unknown.extend(open);
        }
        if !own.is_empty() {
            calls.insert(function.clone(), own);
        }
    }
    Ok((calls, known, unknown, left_out))
}

fn raises_type_error(effect: &Effect) -> bool {
    matches!(&effect.outcome, Outcome::Raised { mro, .. } if mro.iter().any(|name| name == "builtins:TypeError"))
}

fn differs(calls: &Calls, call: &Call, seen: &Observed) -> bool {
    match (&seen.effect, baseline_of(calls, call)) {
        (Ok(effect), Some(baseline)) => difference(baseline, effect).is_some(),
        _ => false,
    }
}

fn baseline_of<'a>(calls: &'a Calls, call: &Call) -> Option<&'a Effect> {
    calls.get(&call.function)?.iter().find(|(other, _)| other.id == call.id).map(|(_, baseline)| baseline)
}

/// How a call ended, both times, and the functions that it ran through.
type Ended<'a> = ([&'a Effect; 2], &'a [FunctionId]);

/// Gives how calls ended that are known to end so each time.
fn known<'a>(outcomes: &'a Outcomes) -> impl Fn(CallId) -> Option<Ended<'a>> {
    |call| outcomes.get(&call).map(|(effect, through)| ([effect, effect], through.as_slice()))
}

/// What the outcomes of a function's calls tell.
#[derive(Default)]
struct Compared<'a> {
    changed: Vec<CallChange>,
    same: u64,
    /// The functions that the changed ones ran through.
    entered: HashSet<FunctionId>,
    /// The calls that were compared, with what, and the functions that each ran through.
    ran: Vec<(CallId, &'a Effect, &'a [FunctionId])>,
    /// Calls whose outcomes say nothing.
    left_out: Vec<(CallId, Reason)>,
}

/// Compares a function's calls with their baselines, as far as it is known how they `ended`, each twice.
fn compared<'a>(own: &'a [(Call, Effect)], ended: impl Fn(CallId) -> Option<Ended<'a>>) -> Compared<'a> {
    let mut found = Compared::default();
    for (call, baseline) in own {
        let Some((effects, through)) = ended(call.id) else { continue };
        // A stand-in that a function written in C refuses raises what the real part would not.
        if let Some(reason) = call.stood_in()
            && raises_type_error(effects[0])
            && !raises_type_error(baseline)
        {
            found.left_out.push((call.id, reason));
            continue;
        }
        match compare(call, Baseline { effect: baseline, reproduced: true }, &effects.map(Clone::clone)) {
            Answer::Same => found.same += 1,
            Answer::Unknown(reason) => {
                found.left_out.push((call.id, reason));
                continue;
            }
            Answer::Changed(change) => {
                found.entered.extend(through.iter().cloned());
                found.changed.push(*change);
            }
        }
        found.ran.push((call.id, baseline, through));
    }
    found
}

/// Shows the calls of a function that end differently, while others of it still run.
fn show_some<'a>(
    core: &Arc<Core>,
    function: &FunctionId,
    own: &'a [(Call, Effect)],
    ended: impl Fn(CallId) -> Option<Ended<'a>>,
    ends: &TestEnds,
) -> Result<(), Trouble> {
    let found = compared(own, ended);
    if found.changed.is_empty() { Ok(()) } else { show_changed(core, function, found, 0, ends) }
}

/// Shows what the first tests showed.
fn show_first(core: &Arc<Core>, calls: &Calls, seen: &Twice) -> Result<(), Trouble> {
    let ended = |call: CallId| {
        let (one, other) = (seen.first.get(&call)?, seen.second.get(&call)?);
        Some(([one.effect.as_ref().ok()?, other.effect.as_ref().ok()?], one.entered.as_slice()))
    };
    calls.iter().try_for_each(|(function, own)| show_some(core, function, own, ended, &seen.ends))
}

/// Turns the outcomes of all calls of a function into a proposal: a new change, another one, or one that is gone. Gives how many ended as
/// before, and how many did not.
fn conclude(
    core: &Arc<Core>,
    function: &FunctionId,
    own: &[(Call, Effect)],
    outcomes: &Outcomes,
    not_made: &Failures,
    tally: &mut Tally,
) -> Result<(u64, u64), Trouble> {
    let mut found = compared(own, known(outcomes));
    let mut untold: HashSet<CallId> = found.left_out.iter().map(|(call, _)| *call).collect();
    std::mem::take(&mut found.left_out).into_iter().for_each(|(_, reason)| tally.of(function).leave_out(reason));
    for (call, _) in own.iter().filter(|(call, _)| !outcomes.contains_key(&call.id)) {
        untold.insert(call.id);
        let failure = not_made.get(&call.id);
        // One that was not tried belongs to a function whose calls do not end any more.
        tally.of(function).leave_out(failure.map_or_else(|| ReasonCode::NoResult.into(), Failure::reason));
        if let Some(Failure::NotMade(NotMade { import: Some(raised), .. })) = failure
            && let Some(path) = RelPath::new(&raised.path)
        {
            tally.import_failed(function, 1, &path, raised.line, &raised.exception);
        }
    }
    for (call, baseline, through) in std::mem::take(&mut found.ran) {
        tally.ran_through(function, call, baseline, through);
    }
    let (same, differ) = (found.same, found.changed.len() as u64);
    let counts = tally.of(function);
    (counts.compared, counts.differ) = (same + differ, differ);
    if differ == 0 {
        changes::withdraw(core, function, &untold)?;
    } else {
        show_changed(core, function, found, untold.len(), &tally.ends)?;
    }
    Ok((same, differ))
}

fn show_changed(
    core: &Arc<Core>,
    function: &FunctionId,
    found: Compared<'_>,
    untold: usize,
    ends: &TestEnds,
) -> Result<(), Trouble> {
    let Compared { changed: calls, same, mut entered, .. } = found;
    entered.insert(function.clone());
    let because = code_versions::causes(core, &entered)?;
    changes::show(core, function, Change { calls, same, because, seen: clock::now() }, untold, ends)
}

/// Sees that a change still is what today's code does, before somebody takes it: where that is not known, its calls run.
/// What is gone by then, or another change, waits as that.
pub async fn confirm(core: &Arc<Core>, proposal: &Proposal) -> Result<(), Trouble> {
    let (Some(function), Some(change)) = (proposal.function(), proposal.change()) else { return Ok(()) };
    if change.calls.is_empty() {
        return Ok(());
    }
    let code = reachability::reach_of_now(core, &core.index()).await?.code_key(function);
    let known = calls::read::outcomes(core, change.calls.iter().map(|call| call.call), code)?;
    let holds = |call: &CallChange| known.get(&call.call).is_some_and(|(now, _)| difference(now, &call.new).is_none());
    if change.calls.iter().all(holds) {
        return Ok(());
    }
    run(core, BTreeSet::from([function.clone()])).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::Outcome;
    use crate::domain::proposal::ProposalState;
    use crate::domain::samples;
    use crate::domain::settings::Settings;
    use crate::domain::snapshot::Trust;
    use crate::domain::value::Value;

    fn core() -> Arc<Core> {
        let store = crate::store::open_in_memory().unwrap();
        Arc::new(Core::new("/nonexistent".into(), Settings::default(), store, Trust::Trusted, "none".into()))
    }

    fn gave(number: i64) -> Effect {
        Effect { outcome: Outcome::Returned(Value::Int(number)), changed: vec![] }
    }

    fn call() -> Call {
        samples::call(FunctionId("m:f".into()), &[], Value::Int(1))
    }

    /// Compares one call, recorded as 1, with what it gives now.
    fn see(core: &Arc<Core>, baseline: i64, now: Option<i64>) -> (u64, u64, u64) {
        let own = [(call(), gave(baseline))];
        let outcomes = now.map(|now| (CallId(1), (gave(now), vec![]))).into_iter().collect();
        let mut tally = Tally::default();
        let (same, changed) = conclude(core, &call().function, &own, &outcomes, &Failures::new(), &mut tally).unwrap();
        (same, changed, tally.not_compared())
    }

    fn states(core: &Core) -> Vec<ProposalState> {
        core.store().proposals_of(&call().function).unwrap().iter().map(|proposal| proposal.state).collect()
    }

    #[test]
    fn a_change_that_nobody_can_tell_any_more_waits_for_nobody_and_comes_back() {
        let core = core();
        assert_eq!(see(&core, 1, Some(2)), (0, 1, 0));
        assert_eq!(see(&core, 1, None), (0, 0, 1));
        assert_eq!(states(&core), [ProposalState::Stale]);
        assert_eq!(see(&core, 1, Some(2)), (0, 1, 0));
        assert_eq!(states(&core), [ProposalState::Ready]);
        assert_eq!(see(&core, 1, Some(1)), (1, 0, 0));
        assert_eq!(states(&core), [ProposalState::Stale]);
    }

    #[test]
    fn what_was_accepted_stays_as_it_was_when_the_function_changes_again() {
        let core = core();
        see(&core, 1, Some(2));
        let first = core.store().proposals_of(&call().function).unwrap().remove(0);
        let decision = crate::domain::decision::Decision {
            id: crate::domain::decision::DecisionId(0),
            proposal: first.id,
            subject: first.subject.clone(),
            verb: crate::domain::decision::Verb::Accept,
            from: first.state,
            by: "me".into(),
            at: clock::now(),
            reason: None,
            basis: first.basis,
            edits: vec![],
            undone: false,
        };
        let entry = crate::domain::journal_entry::JournalEntry::new(
            crate::domain::journal_entry::JournalAction::Decide,
            vec![decision],
            vec![],
        );
        let written = core.steps(|store| store.begin(&entry).and_then(|(id, _)| store.finish(id))).unwrap().remove(0);
        see(&core, 2, Some(3));
        assert_eq!(states(&core), [ProposalState::Written, ProposalState::Ready]);
        assert_eq!(core.store().proposal(first.id).unwrap().unwrap().body, written.body);
    }
}
