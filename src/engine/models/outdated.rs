//! Drafts by models whose function promises something else today, by its signature or its docstring, than when the model was
//! asked: they are set aside. Owns no asking: see `workflow/renew.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Origin, Proposal, ProposalId, ProposalState};
use crate::engine::state::core::Core;
use crate::source::change::IndexChange;

/// Tells whether a draft was asked for by another signature or docstring. What a person made of one is theirs.
pub fn is_outdated(core: &Core, proposal: &Proposal) -> bool {
    let asked = proposal.draft().filter(|draft| matches!(draft.origin, Origin::Model(_))).and_then(|draft| draft.promise);
    let today = proposal.function().and_then(|id| core.function(id)).map(|function| function.fingerprint.promise());
    proposal.edited.is_none() && asked.is_some() && today.is_some() && asked != today
}

/// Sets the outdated drafts of edited functions aside, and gives them.
pub fn after_save(core: &Core, change: &IndexChange) -> Vec<Arc<Proposal>> {
    let edited: BTreeSet<&FunctionId> = change.functions.iter().map(|function| &function.id).collect();
    let drafts: Vec<Arc<Proposal>> = {
        let state = core.state.lock();
        state.proposals.values().filter(|proposal| proposal.function().is_some_and(|id| edited.contains(id))).cloned().collect()
    };
    let mut outdated = Vec::new();
    for draft in drafts.into_iter().filter(|draft| is_outdated(core, draft)) {
        match set_aside(core, draft.id) {
            Ok(true) => outdated.push(draft),
            Ok(false) => {}
            Err(trouble) => core.complain("stale", &trouble),
        }
    }
    outdated
}

/// Makes an outdated draft stale and says why; false where it is none that waits, or another workbench was quicker.
pub fn set_aside(core: &Core, id: ProposalId) -> Result<bool, Trouble> {
    let taken = core.claim(id, |standing| {
        use ProposalState as S;
        let said = standing.promise_changed().is_some();
        let waits = matches!(standing.state, S::Ready | S::Stale | S::Refused | S::Failed | S::Proving);
        if waits && !said {
            standing.state = S::Stale;
            let why = "the signature or docstring changed since the model was asked";
            standing.evidence.insert(0, Evidence::new(Finding::Note, EvidenceKind::InterfaceChanged, why));
        }
        waits && !said
    })?;
    Ok(taken.is_some())
}
