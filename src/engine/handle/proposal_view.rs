//! A proposal with what accepting it would write.

use crate::base::error::Trouble;
use crate::base::text;
use crate::domain::proposal::{Body, Proposal, ProposalId, ProposalState};
use crate::domain::snapshot::{OtherDraft, ProposalView};
use crate::engine::edits::overlay::Overlay;
use crate::engine::edits::plan::{self, planned};
use crate::engine::state::core::Core;
use crate::engine::state::{known_failures, rows};
use crate::write::plan::in_order;

/// Gives a proposal with what accepting it would write now.
pub fn proposal(core: &Core, id: ProposalId) -> Result<ProposalView, Trouble> {
    let proposal = core.proposal(id)?;
    let newer = core
        .state
        .lock()
        .proposals
        .values()
        .rev()
        .find(|other| {
            other.subject == proposal.subject
                && other.id > id
                && other.draft().is_some() == proposal.draft().is_some()
                && rows::is_in_queue(other)
        })
        .map(|other| other.id);
    let mut blocked = blocked(core, &proposal);
    let planned = match proposal.state {
        ProposalState::Written => Ok((Vec::new(), false)),
        _ => planned(core, &proposal, &Overlay::new()),
    };
    let (plan, beside) = planned.unwrap_or_else(|trouble| {
        blocked.get_or_insert(trouble);
        (Vec::new(), true)
    });
    let conflict = if beside { plan::conflict(core, &proposal).unwrap_or_default() } else { None };
    let others = others(core, &proposal)?;
    Ok(ProposalView { proposal: as_written(&proposal), plan, blocked, newer, others, conflict })
}

/// Says why a proposal may not be accepted now, when that is so; of one that was put away also who did it and why.
fn blocked(core: &Core, proposal: &Proposal) -> Option<Trouble> {
    let why = rows::blocked(proposal)?;
    let decision = core.state.lock().put_away.get(&proposal.id).cloned();
    let told = decision
        .map_or_else(|| text::capital(&format!("{}.", why.without_stop())), |decision| known_failures::summary(&decision));
    Some(Trouble::usage("It cannot be accepted now.").because(told))
}

/// Gives a proposal with its tests in the order in which accepting writes them: an editor shows what the page shows.
fn as_written(proposal: &Proposal) -> Proposal {
    let mut shown = proposal.clone();
    if let Body::Draft(draft) = &mut shown.body {
        draft.text = in_order(&draft.text);
        shown.edited = shown.edited.as_deref().map(in_order);
    }
    shown
}

/// Lists the other drafts of a proposal's function that have a text, the newest first.
fn others(core: &Core, proposal: &Proposal) -> Result<Vec<OtherDraft>, Trouble> {
    if proposal.draft().is_none() {
        return Ok(Vec::new());
    }
    let all = core.store().proposals_about(&proposal.subject)?;
    let others = all.iter().rev().filter(|other| other.id != proposal.id).filter_map(|other| {
        let draft = other.draft()?;
        let text = other.edited.clone().unwrap_or_else(|| draft.standalone());
        let model = draft.origin.author();
        (!text.trim().is_empty()).then_some(OtherDraft { id: other.id, state: other.state, model, text })
    });
    Ok(others.collect())
}
