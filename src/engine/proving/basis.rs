//! What the proof of a draft rests on, and drafts whose proof does not hold any more.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::{self, Digest};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Draft, Proposal, ProposalId, ProposalState};
use crate::engine::index::reachability;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::generate::trim::without;

/// Gives the hash of all code that each function may run, by the names in it: recordings do not change it.
pub async fn code_of(core: &Arc<Core>, functions: Vec<FunctionId>) -> Result<HashMap<FunctionId, Digest>, Trouble> {
    if functions.is_empty() {
        return Ok(HashMap::new());
    }
    let core = core.clone();
    blocking(move || {
        let reach = reachability::by_names(&core, &core.index());
        functions
            .into_iter()
            .map(|function| {
                let code = reach.code_key(&function);
                (function, code)
            })
            .collect()
    })
    .await
}

/// Hashes what the proof of a draft rests on: its text, and the code under it.
pub fn rests_on(code: Digest, proposal: &Proposal) -> Digest {
    let text = proposal.edited.clone().or_else(|| proposal.draft().map(Draft::standalone)).unwrap_or_default();
    let mut hasher = hash::Hasher::default();
    hasher.part(&code.0.to_le_bytes()).part(text.as_bytes());
    hasher.digest()
}

/// Tells whether a proposal was drafted as this text, whatever a person made of it and the proof took out of it.
pub fn is_text_of(proposal: &Proposal, draft: &Draft) -> bool {
    proposal.draft().is_some_and(|old| {
        if old.drafted.is_some() && old.drafted == Some(hash::of(draft.standalone().as_bytes())) {
            return true;
        }
        let rest = if old.dropped.is_empty() { None } else { without(draft, &old.dropped) };
        old.standalone() == rest.as_ref().unwrap_or(draft).standalone()
    })
}

/// Makes a proposal stale if it still is one that may be: a person may have accepted it since it was looked up.
pub fn make_stale(core: &Arc<Core>, id: ProposalId, may_be: fn(&Proposal) -> bool) -> Result<bool, Trouble> {
    let taken = core.claim(id, move |standing| {
        let waits = may_be(standing);
        if waits {
            standing.state = ProposalState::Stale;
        }
        waits
    })?;
    Ok(taken.is_some())
}

/// Marks the drafts of these functions, whose code changed; gives them.
pub fn mark_stale(core: &Arc<Core>, resting: &BTreeSet<FunctionId>) -> Vec<ProposalId> {
    let ids: Vec<ProposalId> = {
        let state = core.state.lock();
        state
            .proposals
            .values()
            .filter(|proposal| may_be_stale(proposal) && proposal.function().is_some_and(|id| resting.contains(id)))
            .map(|proposal| proposal.id)
            .collect()
    };
    ids.into_iter()
        .filter(|id| {
            make_stale(core, *id, may_be_stale).unwrap_or_else(|trouble| {
                core.complain("stale", &trouble);
                false
            })
        })
        .collect()
}

/// Tells whether a proposal is a draft whose text, or its proof, rests on the project as it is.
pub fn may_be_stale(proposal: &Proposal) -> bool {
    use ProposalState as S;
    let Some(draft) = proposal.draft() else { return false };
    match proposal.state {
        S::Ready | S::Refused | S::Proving => true,
        // One that is still to be written will be of the project as it is then.
        S::Queued => !draft.text.is_empty(),
        _ => false,
    }
}
