//! Drafts that are worked on again: after a save, after a change was settled, and when a person asks.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Proposal, ProposalId, ProposalState};
use crate::domain::settings::WatchDraft;
use crate::engine::models::provider;
use crate::engine::replay::behaviour;
use crate::engine::state::core::Core;
use crate::engine::state::follow_ups::{Came, FollowUps};
use crate::engine::{drafting, models, specs};
use crate::source::change::IndexChange;

/// Works on what follows from what came to pass, until the project is closed.
pub async fn follow(core: Arc<Core>, stop: CancellationToken) {
    let Some(mut came) = core.part::<FollowUps>().take() else { return };
    loop {
        let next = tokio::select! {
            () = stop.cancelled() => return,
            next = came.recv() => next,
        };
        match next {
            Some(Came::Settled(functions)) => renew_drafts(&core, &functions),
            None => return,
        }
    }
}

/// Works again on the drafts of these functions that waited for a change to be decided or to go.
pub fn renew_drafts(core: &Arc<Core>, functions: &[FunctionId]) {
    let waiting: Vec<ProposalId> = {
        let state = core.state.lock();
        let drafts = state.proposals.values().filter(|proposal| proposal.draft().is_some());
        let waits =
            |one: &&Arc<Proposal>| one.state == ProposalState::Stale && one.function().is_some_and(|id| functions.contains(id));
        drafts.filter(waits).map(|proposal| proposal.id).collect()
    };
    if !waiting.is_empty() {
        let core = core.clone();
        tokio::spawn(async move { drafting::pipeline::renew(&core, waiting).await });
    }
}

/// Replays what a save may have changed, and works again on the drafts that it made stale. The next save is read while this one
/// is replayed; the newest replay wins.
pub async fn replay(core: &Arc<Core>, resting: &BTreeSet<FunctionId>, edited: &BTreeSet<FunctionId>, stale: Vec<ProposalId>) {
    behaviour::after_save(core, resting, edited).await;
    drafting::pipeline::renew(core, stale).await;
}

/// Sets the drafts by models aside that a save made outdated; where the settings say so, asks a model of this machine again.
pub fn ask_outdated(core: &Arc<Core>, change: &IndexChange) {
    let outdated = models::outdated::after_save(core, change);
    if core.settings().watch.draft == WatchDraft::Auto && !outdated.is_empty() {
        let core = core.clone();
        tokio::spawn(async move { ask_again(&core, &outdated).await });
    }
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

/// Proves one proposal again, or drafts it anew when the code under it changed.
pub async fn prove_again(core: &Arc<Core>, id: ProposalId) -> Result<(), Trouble> {
    let proposal = core.proposal(id)?;
    if let (Some(function), Some(_)) = (proposal.function(), proposal.change()) {
        return behaviour::replay(core, vec![function.clone()]).await.map(|_| ());
    }
    if proposal.spec().is_some() {
        return specs::drafts::check_again(core, id, None).await;
    }
    drafting::pipeline::renew(core, vec![id]).await;
    Ok(())
}
