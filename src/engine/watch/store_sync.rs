//! What other processes write to the project's store while it is open here.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::base::error::Trouble;
use crate::domain::event::Event;
use crate::domain::function::FunctionId;
use crate::domain::proposal::ProposalId;
use crate::engine::replay::changes;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::watch::on_save;
use crate::engine::workflow::renew;
use crate::engine::{recording, specs, verdicts};
use crate::store::{Store, StoreError};

/// How often the store is asked whether another process changed it.
const STORE_EVERY: Duration = Duration::from_millis(100);

/// Looks for what another process wrote to the store.
pub async fn follow_store(core: Arc<Core>, stop: CancellationToken) {
    let mut gone = false;
    let mut runs = specs::run::left_at(&core.root);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(STORE_EVERY) => {}
        }
        on_save::count_waiting(&core);
        let worker = core.clone();
        let left = specs::run::left_at(&core.root);
        let specs = std::mem::replace(&mut runs, left) != left;
        let looked = blocking(move || {
            let taken = verdicts::state::take_in(&worker);
            if specs {
                specs::run::read(&worker);
            }
            (worker.store().changed(), taken)
        });
        let Ok((changed, taken)) = looked.await else { return };
        let was_gone = std::mem::replace(&mut gone, matches!(changed, Err(StoreError::Gone)));
        if gone && !was_gone {
            core.complain("database", &StoreError::Gone.into());
        }
        let changed = changed.unwrap_or(false);
        if let Err(trouble) = taken {
            core.complain("verdict", &trouble);
        }
        if changed {
            let disputed = changes::disputed(&core);
            if let Err(trouble) = resync(&core) {
                core.complain("database", &trouble);
            }
            // Drafts that this process set aside over a change wait for its end, whoever brings that about.
            let settled: Vec<FunctionId> = disputed.difference(&changes::disputed(&core)).cloned().collect();
            renew::renew_drafts(&core, &settled);
            core.announce(Event::Resync);
        }
    }
}

/// Reads again what another process may have changed.
pub fn resync(core: &Arc<Core>) -> Result<(), Trouble> {
    let ours: Vec<ProposalId> = core.state.lock().proposals.keys().copied().collect();
    core.take_in(&ours, Store::open_proposals)?;
    let recordings = core.store().recordings()?.into_iter().map(recording::run::row).collect();
    core.state.lock().recordings = recordings;
    verdicts::state::load(core)?;
    core.reload_recorded()?;
    core.reload_undo()
}
