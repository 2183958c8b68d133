//! Changes of behaviour as proposals: shown when recorded calls end differently, brought up to date, and taken back when they end
//! as before.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::{Digest, Hasher};
use crate::base::text;
use crate::domain::call::{CallId, Effect, Outcome};
use crate::domain::event::{Event, Level};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Body, CallChange, Change, Proposal, ProposalState};
use crate::domain::recorded_test::TestId;
use crate::domain::snapshot::Topic;
use crate::domain::subject::Subject;
use crate::engine::index::reachability;
use crate::engine::replay::recorded_tests::compare::TestEnds;
use crate::engine::state::core::Core;
use crate::engine::state::follow_ups::{Came, FollowUps};
use crate::generate::replay::summary_line;
use crate::python::zygote::LATE_MAX;
use crate::source::dependencies::Reach;

/// Tests that fail now and are named beside a change.
const FAILING_MAX: usize = 3;

/// Lists the functions whose code the calls of an open change may run through, and the files that they may read.
pub fn asked_about(core: &Core, reach: &Reach) -> BTreeSet<Subject> {
    reachability::reach_of(disputed(core).iter(), reach)
}

/// Lists what was ever asked about a function's calls, the newest first.
pub fn changes_of(core: &Core, function: &FunctionId) -> Vec<Arc<Proposal>> {
    let state = core.state.lock();
    let changes = state.proposals.values().rev().filter(|proposal| proposal.change().is_some());
    changes.filter(|proposal| proposal.subject.is(function)).cloned().collect()
}

/// Tells whether one of these changes already says of a call that it ends in this way.
pub fn was_shown(changes: &[Arc<Proposal>], call: CallId, new: &Effect) -> bool {
    let mut shown = changes.iter().filter_map(|proposal| proposal.change()).flat_map(|change| &change.calls);
    shown.any(|other| other.call == call && other.new == *new)
}

/// Tells whether a change still shows, whatever a person said of it.
pub fn is_open(proposal: &Proposal) -> bool {
    matches!(proposal.state, ProposalState::Ready | ProposalState::Rejected)
}

/// Shows that calls of a function end differently; `untold` calls of it have no outcome, and tests that ran ended so.
///
/// # Errors
/// Fails when the store cannot be written.
pub fn show(core: &Arc<Core>, function: &FunctionId, change: Change, untold: usize, ends: &TestEnds) -> Result<(), Trouble> {
    let basis = basis(&change);
    let line = summary_line(function, &change);
    let tests = tests_of(core, &change)?;
    let evidence = evidence(&change, untold, &tests, ends);
    let mut changes = changes_of(core, function).into_iter();
    let existing = changes.next();
    // Undo may have brought back an older one.
    for older in changes.filter(|older| is_open(older)) {
        core.move_proposal(older.id, ProposalState::Stale, |_| {})?;
    }
    let count = change.calls.len() as u64;
    let id = match existing {
        Some(old) if old.basis == basis && is_open(&old) => {
            // The same calls end in the same way, but a test may fail of it only now, or not any more.
            if old.evidence != evidence && tests.iter().any(|(test, _)| ends.contains_key(test)) {
                core.change_proposal(old.id, move |proposal| proposal.evidence = evidence)?;
            }
            return Ok(());
        }
        // More calls than were seen at first: who looks at it goes on looking at it.
        Some(old) if old.state == ProposalState::Ready && !core.store().was_decided(old.id)? && is_part(&old, &change) => {
            core.change_proposal(old.id, move |proposal| {
                if proposal.state == ProposalState::Ready {
                    (proposal.body, proposal.evidence, proposal.basis) = (Body::Change(change), evidence, basis);
                }
            })?;
            core.log.add(Level::Warning, "changed", &line, Some(Topic::Function(function.clone())));
            return Ok(());
        }
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

/// Gives the seconds that a call had, where it took all of them.
pub fn late_by(effect: &Effect) -> Option<f64> {
    if let Outcome::TimedOut(seconds) = effect.outcome { Some(seconds) } else { None }
}

/// Tells whether recorded calls of a function end differently and nobody has taken the new outcomes.
pub fn is_disputed(core: &Core, function: &FunctionId) -> bool {
    changes_of(core, function).iter().any(|change| is_open(change))
}

/// No call of a function ends differently: whatever was asked about them is void, silently. Where nobody can tell how one ends
/// now, because its module cannot be imported, the question is out of date, and its answer is not "restored".
pub fn withdraw(core: &Arc<Core>, function: &FunctionId, untold: &HashSet<CallId>) -> Result<(), Trouble> {
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
fn tests_of(core: &Core, change: &Change) -> Result<Vec<(TestId, String)>, Trouble> {
    let ids: Vec<CallId> = change.calls.iter().map(|call| call.call).collect();
    let inside: BTreeSet<TestId> = core.store().compared_in_tests(&ids)?.into_values().collect();
    let tests = core.store().recorded_tests(&inside.into_iter().collect::<Vec<_>>())?;
    Ok(tests.into_iter().map(|(id, test)| (id, test.label().to_owned())).collect())
}

fn evidence(change: &Change, untold: usize, tests: &[(TestId, String)], ends: &TestEnds) -> Vec<Evidence> {
    let mut lines = vec![Evidence::new(Finding::Pass, EvidenceKind::Replays, "the same both times")];
    if let [(_, first), rest @ ..] = tests {
        let others = if rest.is_empty() { String::new() } else { format!(" and {}", text::count(rest.len(), "other test")) };
        lines.push(Evidence::new(Finding::Note, EvidenceKind::InTest, format!("{first}{others}")));
    }
    for (label, said) in tests.iter().filter_map(|(test, label)| Some((label, ends.get(test)?.as_ref()?))).take(FAILING_MAX) {
        lines.push(Evidence::new(Finding::Fail, EvidenceKind::InTest, format!("{label} fails now: {said}")));
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

/// Tells whether all that a proposal says of calls is said by a change, too.
fn is_part(proposal: &Proposal, change: &Change) -> bool {
    let says = |one: &CallChange| change.calls.iter().any(|other| other.call == one.call && other.new == one.new);
    proposal.change().is_some_and(|part| part.calls.iter().all(says))
}
