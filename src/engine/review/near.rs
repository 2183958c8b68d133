//! Decisions on near differences: the new outcome is meant, or a bug, or the old one becomes a test. How a decision is carried out and
//! taken back is `journal.rs` and `undo.rs`.

use std::sync::Arc;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::domain::decision::{Decision, Verb};
use crate::domain::journal_entry::JournalAction;
use crate::domain::near::NearChange;
use crate::domain::proposal::{Body, Proposal, ProposalState};
use crate::engine::drafting::near_tests;
use crate::engine::state::core::Core;
use crate::engine::state::rows;

/// Columns of an outcome in a message.
const OUTCOME_MAX: usize = 40;

/// Refuses what is not decided about a near difference, and what is decided about nothing else.
pub fn check(core: &Core, proposals: &[Arc<Proposal>], verb: Verb) -> Result<(), Trouble> {
    if verb == Verb::Keep && !matches!(proposals, [one] if one.near().is_some()) {
        return Err(Trouble::usage("Not kept as a test.").because("Only one near difference at a time becomes a test."));
    }
    for one in proposals {
        let Some(near) = one.near() else { continue };
        let refused = |why: &str| {
            Trouble::usage(format!("Not decided: {}.", one.subject.short()))
                .because(why)
                .so("Accept it as meant, note it as a bug, or keep its old outcome as a test.")
        };
        if proposals.len() > 1 && verb != Verb::Skip {
            return Err(refused("Near differences are decided one by one."));
        }
        let code = core.function(&near.difference.function).map(|function| function.fingerprint.code());
        if verb != Verb::Skip && code != Some(near.code) {
            let changed = Trouble::usage(format!("Not decided: {}.", one.subject.short()));
            return Err(changed.because("Its function changed since the search.").so("`replay --near` searches again."));
        }
    }
    Ok(())
}

/// Makes the draft of a test that expects the old outcome, before that is decided.
pub async fn draft(core: &Arc<Core>, proposal: &Proposal) -> Result<(), Trouble> {
    let Some(near) = proposal.near() else { return Ok(()) };
    if proposal.state != ProposalState::Ready {
        return Err(rows::not_ready(proposal));
    }
    let draft = near_tests::draft(core, near).await?;
    let earlier = near.test.and_then(|id| core.proposal(id).ok());
    let same = earlier.filter(|old| old.state != ProposalState::Written && old.text() == Some(draft.standalone().into()));
    if same.is_some() {
        return Ok(());
    }
    let entered = core.add_proposal(Proposal {
        // It waits for nobody until the decision is made.
        state: ProposalState::Rejected,
        ..Proposal::queued(near.difference.function.clone(), Body::Draft(draft), clock::now())
    })?;
    core.change_proposal(proposal.id, move |standing| {
        if let Body::Near(near) = &mut standing.body {
            near.test = Some(entered.id);
        }
    })?;
    Ok(())
}

/// Lets the draft follow the decision: it is to be verified, or is put away again.
pub fn follow(core: &Core, near: &NearChange, stands: bool) -> Result<(), Trouble> {
    let Some(test) = near.test else { return Ok(()) };
    let to = if stands { ProposalState::Queued } else { ProposalState::Rejected };
    core.settle_proposal(test, move |standing| {
        let is_done = standing.state == to || standing.state == ProposalState::Written;
        let is_verified = stands && standing.state != ProposalState::Rejected;
        if !is_done && !is_verified {
            standing.state = ProposalState::Stale;
        }
    })?;
    core.settle_proposal(test, move |standing| {
        if standing.state == ProposalState::Stale {
            standing.state = to;
        }
    })?;
    Ok(())
}

/// Tells which of these decisions keep a test, when they are made again.
pub fn kept_again(core: &Core, action: JournalAction, group: &[Decision]) -> Vec<Arc<Proposal>> {
    let kept = group.iter().filter(|one| action == JournalAction::Redo && one.verb == Verb::Keep);
    kept.filter_map(|one| core.proposal(one.proposal).ok()).collect()
}

/// Says what was decided about a near difference.
pub fn line(near: &NearChange, verb: Verb) -> String {
    let one = &near.difference;
    let call = format!("{}{}", one.function.qualname(), one.arguments);
    match verb {
        Verb::Keep => format!("Kept as a test: {call} {}.", one.old.outcome.summary(OUTCOME_MAX)),
        Verb::Overrule | Verb::Reject => format!("Noted as a bug: {call} {}.", one.new.outcome.summary(OUTCOME_MAX)),
        _ => format!("Accepted as meant: {call} {}.", one.new.outcome.summary(OUTCOME_MAX)),
    }
}
