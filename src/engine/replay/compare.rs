//! Recorded calls run against today's code, compared with their baseline, and the changes that come of it.
//!
//! Outcomes are known by the code a call may run through, so known code is not run again and going back says nothing.
//! A call counts only after it was seen to repeat its recorded outcome on the code it was recorded with (`first_replay.rs`).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::{Digest, Hasher};
use crate::base::paths::RelPath;
use crate::base::text;
use crate::domain::call::{Call, CallId, Effect, Outcome};
use crate::domain::event::JobKind;
use crate::domain::event::{Event, Level};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::{Body, CallChange, Change, Proposal, ProposalState};
use crate::domain::reason::{Reason, ReasonCode};
use crate::domain::recorded_test::TestId;
use crate::domain::snapshot::{Topic, WatchState};
use crate::domain::subject::Subject;
use crate::engine::calls;
use crate::engine::index::refresh;
use crate::engine::index::{reachability, syntax_errors};
use crate::engine::python::environment;
use crate::engine::python::replay_calls::Observed;
use crate::engine::python::replay_calls::Replaying;
use crate::engine::replay::code_versions;
use crate::engine::replay::edited::{Delta, Tally};
use crate::engine::replay::failure::Failure;
use crate::engine::replay::followed_lines::Followed;
use crate::engine::replay::imports;
use crate::engine::replay::recorded_tests::compare::Twice;
use crate::engine::replay::recorded_tests::needed;
use crate::engine::replay::today::replay_today;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::follow_ups::{Came, FollowUps};
use crate::engine::state::jobs;
use crate::generate::replay::{Answer, Baseline, compare, difference, summary_line};
use crate::python::protocol::Lines;
use crate::python::zygote::{LATE_MAX, NotMade};
use crate::source::dependencies::Reach;
use crate::store::StoredOutcome;

/// How often calls are run after a save, while files go on being others than those that are known, and the time in between.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(300);

/// Runs the calls of these functions where their outcome under today's code is not known, and shows what changed.
pub async fn run(core: &Arc<Core>, functions: BTreeSet<FunctionId>) -> Result<Seen, Trouble> {
    if functions.is_empty() { Ok(Seen::default()) } else { run_and_compare(core, functions, &BTreeSet::new()).await }
}

/// Lists the functions whose code the calls of an open change may run through, and the files that they may read.
pub fn asked_about(core: &Core, reach: &Reach) -> BTreeSet<Subject> {
    reachability::reach_of(disputed(core).iter(), reach)
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
    let mut seen = compare_now(core, wanted, first).await?;
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
        seen = compare_now(core, owed, first).await?;
    }
    if seen.moved && core.watcher.lock().is_none() {
        // Nobody would learn of the save that did it.
        let trouble = Trouble::environment("The code changed while its calls ran, so they say nothing.");
        return Err(trouble.so("Replay them again."));
    }
    Ok(seen)
}

/// Runs and compares: the calls of `first` ahead of the others, so that what they come to is shown while those still run.
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
    let waits: HashSet<&FunctionId> = unknown_code.iter().map(|call| &call.function).collect();
    let (open, known): (Calls, Calls) = calls.into_iter().partition(|(function, _)| waits.contains(function));
    let (ahead, behind): (Calls, Calls) = open.into_iter().partition(|(function, _)| first.contains(function));
    let mut not_made: Failures = postponed.into_iter().map(|call| (call, Failure::OtherTest)).collect();
    let mut tally = Tally { followed, ..Tally::default() };
    for (function, reasons) in left_out {
        tally.of(&function).not_compared = reasons;
    }
    let (mut same, mut changed) = (0, 0);
    for calls in [known, ahead, behind] {
        let open: Vec<Call> = unknown_code.iter().filter(|call| calls.contains_key(&call.function)).cloned().collect();
        if !open.is_empty() {
            let (fresh, failures) = run_twice(core, &reach, &calls, &open, &mut tally.followed, &job).await?;
            let functions = calls.keys().cloned().collect();
            if !code_versions::stands(core, &index, &reach, &functions, &began).await? {
                // Nobody can tell which code the outcomes belong to.
                job.end(false);
                return Ok(Seen { moved: true, ..Seen::default() });
            }
            let (stored, seen): (Vec<StoredOutcome>, Vec<_>) = fresh.into_iter().unzip();
            core.store().put_outcomes(stored)?;
            outcomes.extend(seen);
            not_made.extend(failures);
        }
        if job.is_cancelled() {
            job.end(false);
            return Ok(Seen::default());
        }
        core.state.lock().owed.retain(|function| !calls.contains_key(function));
        let told = conclude(core, &calls, &outcomes, &not_made, &mut tally)?;
        (same, changed) = (same + told.0, changed + told.1);
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

/// Runs calls, and once more those that seem to differ: only the same answer twice is shown to a person.
async fn run_twice(
    core: &Arc<Core>,
    reach: &Reach,
    calls: &Calls,
    open: &[Call],
    followed: &mut Followed,
    job: &jobs::Job<'_>,
) -> Result<(Fresh, Failures), Trouble> {
    let environment = environment::contained(core).await?;
    let lines = followed.lines();
    let Twice { first: observed, second: mut again, lines_left } = replay_today(core, &environment, open, &lines, job).await?;
    followed.left.extend(lines_left);
    let is_suspect = |call: &&Call| observed.get(&call.id).is_some_and(|seen| differs(calls, call, seen));
    let mut suspects: Vec<Call> = open.iter().filter(is_suspect).cloned().collect();
    let suspected: HashSet<CallId> = suspects.iter().map(|call| call.id).collect();
    suspects.retain(|call| !again.contains_key(&call.id));
    again.extend(replay_today(core, &environment, &suspects, &Lines::new(), job).await?.first);
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
        let stored = seen.stored(call.id, reach.code_key(&call.function));
        fresh.push((stored, (call.id, (effect.clone(), seen.entered.clone()))));
    }
    Ok((fresh, failures))
}

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
        let calls::read::Parted { mut confirmed, only_compared, others } = calls::read::parted_calls(core, function)?;
        confirmed.extend(only_compared);
        left_out.insert(function.clone(), others);
        let mut outcomes = calls::read::outcomes(core, confirmed.iter().map(|(call, _)| call.id), code)?;
        for (call, baseline) in confirmed {
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

/// Gives the seconds that a call had, where it took all of them.
fn late_by(effect: &Effect) -> Option<f64> {
    if let Outcome::TimedOut(seconds) = effect.outcome { Some(seconds) } else { None }
}

fn differs(calls: &Calls, call: &Call, seen: &Observed) -> bool {
    let baseline = calls.get(&call.function).and_then(|own| own.iter().find(|(other, _)| other.id == call.id));
    match (&seen.effect, baseline) {
        (Ok(effect), Some((_, baseline))) => difference(baseline, effect).is_some(),
        _ => false,
    }
}

/// Turns outcomes into proposals: new changes, other changes, changes that are gone.
fn conclude(
    core: &Arc<Core>,
    calls: &Calls,
    outcomes: &Outcomes,
    not_made: &Failures,
    tally: &mut Tally,
) -> Result<(u64, u64), Trouble> {
    let (mut same_all, mut changed_all) = (0, 0);
    for (function, own) in calls {
        let mut changed = Vec::new();
        let mut entered: HashSet<FunctionId> = HashSet::from([function.clone()]);
        let mut same = 0;
        let mut untold = HashSet::new();
        for (call, baseline) in own {
            let Some((effect, through)) = outcomes.get(&call.id) else {
                untold.insert(call.id);
                let failure = not_made.get(&call.id);
                // One that was not tried belongs to a function whose calls do not end any more.
                tally.of(function).leave_out(failure.map_or_else(|| ReasonCode::NoResult.into(), Failure::reason));
                if let Some(Failure::NotMade(NotMade { import: Some(raised), .. })) = failure
                    && let Some(path) = RelPath::new(&raised.path)
                {
                    tally.import_failed(function, 1, &path, raised.line, &raised.exception);
                }
                continue;
            };
            // A stand-in that a function written in C refuses raises what the real part would not.
            if let Some(reason) = call.stood_in()
                && raises_type_error(effect)
                && !raises_type_error(baseline)
            {
                untold.insert(call.id);
                tally.of(function).leave_out(reason);
                continue;
            }
            // What seemed to differ was run twice already, each time at the moment of recording.
            match compare(call, Baseline { effect: baseline, reproduced: true }, &[effect.clone(), effect.clone()]) {
                Answer::Same => same += 1,
                Answer::Unknown(reason) => {
                    untold.insert(call.id);
                    tally.of(function).leave_out(reason);
                    continue;
                }
                Answer::Changed(call) => {
                    entered.extend(through.iter().cloned());
                    changed.push(*call);
                }
            }
            tally.ran_through(function, call.id, through);
        }
        let counts = tally.of(function);
        (counts.compared, counts.differ) = (same + changed.len() as u64, changed.len() as u64);
        same_all += same;
        changed_all += changed.len() as u64;
        if changed.is_empty() {
            withdraw(core, function, &untold)?;
        } else {
            let because = code_versions::causes(core, &entered)?;
            show(core, function, Change { calls: changed, same, because, seen: clock::now() }, untold.len())?;
        }
    }
    Ok((same_all, changed_all))
}

/// Lists what was ever asked about a function's calls, the newest first.
fn changes_of(core: &Core, function: &FunctionId) -> Vec<Arc<Proposal>> {
    let state = core.state.lock();
    let changes = state.proposals.values().rev().filter(|proposal| proposal.change().is_some());
    changes.filter(|proposal| proposal.subject.is(function)).cloned().collect()
}

fn was_shown(changes: &[Arc<Proposal>], call: CallId, new: &Effect) -> bool {
    let mut shown = changes.iter().filter_map(|proposal| proposal.change()).flat_map(|change| &change.calls);
    shown.any(|other| other.call == call && other.new == *new)
}

/// Tells whether a change still shows, whatever a person said of it.
pub fn is_open(proposal: &Proposal) -> bool {
    matches!(proposal.state, ProposalState::Ready | ProposalState::Rejected)
}

fn show(core: &Arc<Core>, function: &FunctionId, change: Change, untold: usize) -> Result<(), Trouble> {
    let basis = basis(&change);
    let line = summary_line(function, &change);
    let evidence = evidence(&change, untold, &tests_of(core, &change)?);
    let mut changes = changes_of(core, function).into_iter();
    let existing = changes.next();
    // Undo may have brought back an older one.
    for older in changes.filter(|older| is_open(older)) {
        core.move_proposal(older.id, ProposalState::Stale, |_| {})?;
    }
    let count = change.calls.len() as u64;
    let id = match existing {
        Some(old) if old.basis == basis && is_open(&old) => return Ok(()),
        // What was decided on stays as it was, so that it can be taken back.
        Some(old) if !core.store().was_decided(old.id)? => {
            if old.state != ProposalState::Stale {
                core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
            }
            core.move_proposal(old.id, ProposalState::Ready, move |proposal| {
                proposal.body = Body::Change(change);
                proposal.evidence = evidence;
                proposal.basis = basis;
                proposal.skipped = false;
            })?
            .id
        }
        decided => {
            if let Some(old) = decided.filter(|old| is_open(old)) {
                core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
            }
            let containment = core.state.lock().containment.clone();
            let proposal = Proposal {
                state: ProposalState::Ready,
                evidence,
                proved: Some((2, 2)),
                containment: Some(containment),
                basis,
                ..Proposal::queued(function.clone(), Body::Change(change), clock::now())
            };
            // Another workbench sees the same save.
            let is_it = move |other: &Proposal| other.change().is_some() && other.basis == basis && is_open(other);
            let (stands, new) = core.add_unless(proposal, is_it)?;
            if !new {
                return Ok(());
            }
            stands.id
        }
    };
    core.log.add(Level::Warning, "changed", &line, Some(Topic::Function(function.clone())));
    core.announce(Event::BehaviourChanged { proposal: id, function: function.clone(), calls: count, line: line.into() });
    Ok(())
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

/// Tells whether recorded calls of a function end differently and nobody has taken the new outcomes.
pub fn is_disputed(core: &Core, function: &FunctionId) -> bool {
    changes_of(core, function).iter().any(|change| is_open(change))
}

/// No call of a function ends differently: whatever was asked about them is void, silently. Where nobody can tell how one ends
/// now, because its module cannot be imported, the question is out of date, and its answer is not "restored".
fn withdraw(core: &Arc<Core>, function: &FunctionId, untold: &HashSet<CallId>) -> Result<(), Trouble> {
    let open: Vec<Arc<Proposal>> = changes_of(core, function).into_iter().filter(|old| is_open(old)).collect();
    let is_untold = |call: &CallChange| untold.contains(&call.call);
    if open.iter().filter_map(|old| old.change()).any(|change| change.calls.iter().any(is_untold)) {
        for old in open.into_iter().filter(|old| old.state == ProposalState::Ready) {
            core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
        }
        return Ok(());
    }
    for old in open {
        core.move_proposal(old.id, ProposalState::Stale, |_| {})?;
        core.announce(Event::BehaviourRestored { proposal: old.id, function: function.clone() });
        core.part::<FollowUps>().say(Came::Settled(vec![function.clone()]));
    }
    Ok(())
}

/// Lists the functions of which [`is_disputed`] is true.
pub fn disputed(core: &Core) -> BTreeSet<FunctionId> {
    let state = core.state.lock();
    let open = state.proposals.values().filter(|proposal| proposal.change().is_some() && is_open(proposal));
    open.filter_map(|proposal| proposal.function().cloned()).collect()
}

/// Lists the tests inside which the calls of a change were compared.
fn tests_of(core: &Core, change: &Change) -> Result<Vec<String>, Trouble> {
    let ids: Vec<CallId> = change.calls.iter().map(|call| call.call).collect();
    let inside: BTreeSet<TestId> = core.store().compared_in_tests(&ids)?.into_values().collect();
    let tests = core.store().recorded_tests(&inside.into_iter().collect::<Vec<_>>())?;
    Ok(tests.into_values().map(|test| test.label().to_owned()).collect())
}

fn evidence(change: &Change, untold: usize, tests: &[String]) -> Vec<Evidence> {
    let mut lines = vec![Evidence::new(Finding::Pass, EvidenceKind::Replays, "the same both times")];
    if let [first, rest @ ..] = tests {
        let others = if rest.is_empty() { String::new() } else { format!(" and {}", text::count(rest.len(), "other test")) };
        lines.push(Evidence::new(Finding::Note, EvidenceKind::InTest, format!("{first}{others}")));
    }
    if change.same > 0 {
        lines.push(Evidence::new(Finding::Pass, EvidenceKind::Unchanged, text::count_u64(change.same, "other call")));
    }
    let late: Vec<f64> = change.calls.iter().filter_map(|call| late_by(&call.new)).collect();
    if let [.., seconds] = late.as_slice()
        && late.len() >= LATE_MAX as usize
        && untold > 0
    {
        let told =
            format!("{}: {} of its calls now do not end within {seconds} s", text::count(untold, "other call"), late.len());
        lines.push(Evidence::new(Finding::Note, EvidenceKind::NotRun, told));
    }
    lines
}

fn basis(change: &Change) -> Digest {
    let mut hasher = Hasher::default();
    for call in &change.calls {
        hasher.part(&call.call.0.to_le_bytes());
        hasher.part(serde_json::to_string(&call.old).unwrap_or_default().as_bytes());
        hasher.part(serde_json::to_string(&call.new).unwrap_or_default().as_bytes());
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::call::Outcome;
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
        let calls = Calls::from([(call().function, vec![(call(), gave(baseline))])]);
        let outcomes = now.map(|now| (CallId(1), (gave(now), vec![]))).into_iter().collect();
        let mut tally = Tally::default();
        let (same, changed) = conclude(core, &calls, &outcomes, &Failures::new(), &mut tally).unwrap();
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
