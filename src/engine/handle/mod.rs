//! What front ends hold the engine by: commands in, events out, a snapshot to look at.

pub(crate) mod clean;
mod commands;
pub mod diff_report;
mod open;
pub(crate) mod proposal_view;
mod queries;
pub mod settings_reload;

pub use open::{Options, open};

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::base::error::Trouble;
use crate::base::paths;
use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::domain::snapshot::{Snapshot, Trust};
use crate::engine::python::environment;
use crate::engine::replay::recorded_tests::ready;
use crate::engine::state::core::Core;
use crate::store;

/// Longest wait at the end for what was sent.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// A front end's hold on the engine; clones share it.
#[derive(Clone)]
pub struct Handle {
    core: Arc<Core>,
    stop: CancellationToken,
    /// What was sent and must not be lost.
    sent: TaskTracker,
    notes: Arc<[Trouble]>,
}

impl Handle {
    /// Notes in the log what went wrong with a front end's own part of the settings.
    pub fn note_settings(&self, trouble: &Trouble) {
        self.core.log.trouble("settings", trouble);
        self.core.touch();
    }

    /// Asks for something; what comes of it is announced.
    pub fn send(&self, command: Command) {
        let handle = self.clone();
        let is_kept = command.is_kept();
        let work = async move {
            if let Err(trouble) = handle.perform(command).await {
                handle.core.complain("failed", &trouble);
            }
        };
        if is_kept {
            self.sent.spawn(work)
        } else {
            tokio::spawn(work)
        };
    }

    /// Hears what is announced from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.core.subscribe()
    }

    /// Tells of snapshots that show something new, by their generation.
    #[must_use]
    pub fn newer(&self) -> watch::Receiver<u64> {
        self.core.newer()
    }

    /// Gives the last snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.core.snapshot()
    }

    /// Makes a snapshot of this moment.
    pub async fn refreshed(&self) -> Arc<Snapshot> {
        self.core.make_snapshot().await
    }

    /// Gives what went wrong while the project was opened, none of it fatal. Whoever watches hears of it as events too.
    #[must_use]
    pub fn notes(&self) -> &[Trouble] {
        &self.notes
    }

    /// Gives the project's root, and the settings in force.
    #[must_use]
    pub fn project(&self) -> (&Path, Arc<Settings>) {
        (&self.core.root, self.core.settings())
    }

    /// Takes what a person allowed by now: for a front end that lives long and cannot ask.
    pub fn take_consent(&self, consent: Consent) {
        self.core.state.lock().consent = consent;
    }

    /// Describes the database for people.
    #[must_use]
    pub fn store_line(&self) -> String {
        let place = self.core.root.join(store::FOLDER).join(store::FILE);
        let mode = match self.core.store().mode() {
            store::Mode::Full => "read and written",
            store::Mode::ReadOnly => "only read",
            store::Mode::Memory if self.core.trust() != Trust::Trusted => "in memory: the folder is only read",
            store::Mode::Memory => "in memory: this project cannot be written",
        };
        format!("{}, {mode}", paths::tilde(&place))
    }

    /// Asks every job to stop.
    pub fn cancel_all(&self) {
        self.core.jobs.cancel_all();
    }

    /// Asks every job to stop, and each that begins from now on: what was asked for comes to its end soon, with everything
    /// left as others may find it.
    pub fn stop(&self) {
        self.core.jobs.stop();
    }

    /// Waits until [`Handle::stop`].
    pub async fn stopped(&self) {
        self.core.jobs.stopped().await;
    }

    /// Ends everything in order: jobs, decisions that were sent and not carried out yet, watcher, worker.
    pub async fn close(&self) {
        self.core.closing.store(true, Ordering::Relaxed);
        self.core.jobs.cancel_all();
        self.sent.close();
        // What takes longer than this hangs, and would hang the terminal.
        let _ = tokio::time::timeout(LAST_WORDS, self.sent.wait()).await;
        // Its threads are waited for without the lock, which they may want before they end.
        let watcher = self.core.watcher.lock().take();
        drop(watcher);
        self.stop.cancel();
        ready::end(&self.core).await;
        environment::close(&self.core).await;
    }
}
