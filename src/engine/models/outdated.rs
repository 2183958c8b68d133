//! Drafts by models whose function promises something else today, by its signature or its docstring, than when the model was
//! asked: they wait for somebody to ask again, or a model of this machine is asked at once. Owns no asking: see `model`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::evidence::EvidenceKind;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Evidence, Finding, Origin, Proposal, ProposalId, ProposalState};
use crate::domain::settings::WatchDraft;
use crate::engine::models;
use crate::engine::models::provider;
use crate::engine::state::core::Core;
use crate::source::change::IndexChange;

/// Tells whether a draft was asked for by another signature or docstring. What a person made of one is theirs.
pub fn is_outdated(core: &Core, proposal: &Proposal) -> bool {
    let asked = proposal.draft().filter(|draft| matches!(draft.origin, Origin::Model(_))).and_then(|draft| draft.promise);
    let today = proposal.function().and_then(|id| core.function(id)).map(|function| function.fingerprint.promise());
    proposal.edited.is_none() && asked.is_some() && today.is_some() && asked != today
}

/// Sets the outdated drafts of edited functions aside; where the settings say so, asks a model of this machine again.
pub fn after_save(core: &Arc<Core>, change: &IndexChange) {
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
    if core.settings().watch.draft == WatchDraft::Auto && !outdated.is_empty() {
        let core = core.clone();
        tokio::spawn(async move { ask_again(&core, &outdated).await });
    }
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

async fn ask_again(core: &Arc<Core>, drafts: &[Arc<Proposal>]) {
    // Nobody is there to be asked whether something may be sent.
    if !provider::of(core).is_ok_and(|chosen| chosen.is_local() && chosen.is_allowed()) {
        return;
    }
    for draft in drafts {
        let Some(function) = draft.function() else { continue };
        let remark = draft.draft().and_then(|draft| draft.remark.clone());
        // Where the model is not there, all the others would fail the same way.
        if let Err(trouble) = models::draft::ask(core, function.clone(), remark).await {
            return core.complain("model", &trouble);
        }
    }
}
