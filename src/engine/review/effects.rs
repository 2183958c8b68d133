//! What a decision changes besides files: baselines, notes, the list of accepted tests, the counts of this pass.

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::hash::{self, Digest};
use crate::domain::call::{CallId, Effect};
use crate::domain::decision::Verb;
use crate::domain::proposal::{Body, CallChange, Change, Proposal, ProposalState};
use crate::engine::calls;
use crate::engine::edits::draft_text;
use crate::engine::state::core::Core;
use crate::python::value;
use crate::store::{AcceptedTest, Note};

/// Counts a decision of this pass, or one that was taken back.
pub fn count(core: &Core, verb: Verb, step: isize) {
    let decided = &mut core.state.lock().decided;
    let counter = match verb {
        Verb::Accept => &mut decided.accepted,
        Verb::Edit => &mut decided.edited,
        Verb::Reject => &mut decided.rejected,
        Verb::Overrule | Verb::Keep => &mut decided.overruled,
        Verb::Skip => return,
    };
    *counter = counter.saturating_add_signed(step);
}

/// Makes one side of a change the right outcomes from now on.
pub fn take_baseline<'a>(core: &Core, change: &'a Change, which: impl Fn(&'a CallChange) -> &'a Effect) -> Result<(), Trouble> {
    for call in &change.calls {
        core.store().set_baseline(call.call, Some(value::encode_outcome(which(call))))?;
        core.store().note_chosen(call.call)?;
    }
    Ok(())
}

/// Notes that recorded outcomes are bugs.
pub fn overrule(core: &Core, proposal: &Proposal, at: Moment, reason: Option<&str>) -> Result<(), Trouble> {
    for (call, outcome) in outcomes_of(core, proposal)? {
        let note = Note { outcome, reason: reason.map(ToOwned::to_owned), at };
        core.store().overrule(call, note)?;
    }
    Ok(())
}

/// Lists the outcomes a proposal is about, by call.
pub fn outcomes_of(core: &Core, proposal: &Proposal) -> Result<Vec<(CallId, Digest)>, Trouble> {
    Ok(match &proposal.body {
        Body::Change(change) => change.calls.iter().map(|call| (call.call, calls::read::outcome_hash(&call.new))).collect(),
        Body::Draft(draft) => core
            .store()
            .baselines(&draft.calls)?
            .into_iter()
            .filter_map(|(call, bytes)| Some((call, calls::read::outcome_hash(&value::outcome(&bytes).ok()?))))
            .collect(),
        Body::Near(_) | Body::Verdict(_) | Body::Spec(_) => Vec::new(),
    })
}

/// Stores which tests a function has now.
pub fn remember_tests(core: &Core, proposal: &Proposal) -> Result<(), Trouble> {
    let (Some(function), Some(draft)) = (proposal.function(), proposal.draft()) else { return Ok(()) };
    let parts = draft_text::parts(proposal)?;
    core.store().put_accepted(&AcceptedTest {
        function: function.clone(),
        path: draft.target.clone(),
        tests: parts.tests,
        body: hash::of(parts.text.as_bytes()),
        proposal: Some(proposal.id),
    })?;
    Ok(())
}

/// After undoing, the function has the tests it had before, if it had any.
pub fn forget_tests(core: &Core, proposal: &Proposal) -> Result<(), Trouble> {
    let (Some(function), Some(draft)) = (proposal.function(), proposal.draft()) else { return Ok(()) };
    core.store().remove_accepted(function, &draft.target)?;
    let older = core.store().proposals_of(function)?;
    let older = older.iter().rev().find(|other| {
        other.id != proposal.id
            && other.state == ProposalState::Written
            && other.draft().is_some_and(|d| d.target == draft.target)
    });
    older.map_or(Ok(()), |older| remember_tests(core, older))
}
