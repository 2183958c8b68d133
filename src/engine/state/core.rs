//! What the jobs share: the project's state, the log, the queue of announcements, and the snapshot they lead to.
//!
//! The store is written first, memory second, and announcements go out after the snapshot that shows them.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::{Mutex, RwLock};
use tokio::sync::{broadcast, watch};

use crate::base::error::Trouble;
use crate::base::sentence::Sentence;
use crate::config::places::Places;
use crate::config::trust::TrustList;
use crate::domain::call::RecordingId;
use crate::domain::decision::Decision;
use crate::domain::event::{Event, Level};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Proposal, ProposalId};
use crate::domain::settings::Settings;
use crate::domain::snapshot::{RecordingRow, Snapshot, Topic, Trust};
use crate::domain::subject::Subject;
use crate::engine::state::jobs::Jobs;
use crate::engine::state::known_failures;
use crate::engine::state::log::Log;
use crate::engine::state::memory::State;
use crate::engine::state::own_decisions;
use crate::engine::state::parts::Parts;
use crate::engine::state::questions::Questions;
use crate::engine::state::snapshots::{self, Snapshots, kept};
use crate::source::index::Index;
use crate::store::Store;
use crate::watch::Watcher;

/// Milliseconds between two snapshots at least: sixty a second.
const FRAME_MS: u64 = 16;

/// The engine's shared state.
pub struct Core {
    pub root: PathBuf,
    pub project: String,
    settings: RwLock<Arc<Settings>>,
    /// Somebody is there to answer questions.
    pub attended: bool,
    pub questions: Questions,
    store: RwLock<Store>,
    pub index: RwLock<Arc<Index>>,
    pub jobs: Jobs,
    pub log: Log,
    pub watcher: Mutex<Option<Watcher>>,
    /// A step of a proposal is stored and taken into memory as one, so that no older form comes back.
    pub stepping: Mutex<()>,
    /// The project is being closed: what stops now was stopped by nobody.
    pub closing: AtomicBool,
    pub state: Mutex<State>,
    parts: Parts,
    snapshots: Snapshots,
}

impl Core {
    pub fn new(root: PathBuf, settings: Settings, store: Store, trust: Trust, containment: String) -> Self {
        let project = root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned());
        let state = State { trust: Some(trust), containment, ..State::default() };
        let empty = Arc::new(snapshots::empty(&root, &project, &state));
        Self {
            root,
            project,
            settings: RwLock::new(Arc::new(settings)),
            attended: false,
            questions: Questions::default(),
            store: RwLock::new(store),
            index: RwLock::new(Arc::new(Index::default())),
            jobs: Jobs::default(),
            log: Log::default(),
            watcher: Mutex::new(None),
            stepping: Mutex::new(()),
            closing: AtomicBool::new(false),
            state: Mutex::new(state),
            parts: Parts::default(),
            snapshots: Snapshots::new(empty),
        }
    }

    /// Gives the settings in force.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.read().clone()
    }

    /// Takes other settings, for whatever asks from now on.
    pub fn use_settings(&self, settings: Settings) {
        *self.settings.write() = Arc::new(settings);
    }

    /// Gives what a kind of job keeps of its own.
    pub fn part<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        self.parts.get()
    }

    /// Gives the store; clones share it.
    pub fn store(&self) -> Store {
        self.store.read().clone()
    }

    /// Takes another store: that of a folder which is trusted from now on.
    pub fn use_store(&self, store: Store) {
        *self.store.write() = store;
    }

    /// Gives the index as it is now.
    pub fn index(&self) -> Arc<Index> {
        self.index.read().clone()
    }

    /// Gives a function of today's index.
    pub fn function(&self, id: &FunctionId) -> Option<Function> {
        self.index().function(id).cloned()
    }

    pub fn trust(&self) -> Trust {
        self.state.lock().trust.unwrap_or(Trust::Unknown)
    }

    /// Announces after the next snapshot.
    pub fn announce(&self, event: Event) {
        self.snapshots.announce(event);
    }

    /// Says that the snapshot is out of date.
    pub fn touch(&self) {
        self.snapshots.touch();
    }

    /// Tells a person, in the log and as an event.
    pub fn say(&self, level: Level, word: &str, text: impl Into<Sentence>) {
        let text = text.into();
        self.log.add(level, word, text.clone(), None);
        self.announce(Event::Said { level, text });
    }

    /// Tells a person of one thing, in the log and as an event.
    pub fn say_about(&self, about: Topic, level: Level, word: &str, text: impl Into<Sentence>) {
        let text = text.into();
        self.log.add(level, word, text.clone(), Some(about));
        self.announce(Event::Said { level, text });
    }

    /// Tells a person of a trouble.
    pub fn complain(&self, word: &str, trouble: &Trouble) {
        self.log.trouble(word, trouble);
        self.announce(Event::Failed { trouble: trouble.clone() });
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.snapshots.subscribe()
    }

    /// Tells of snapshots that show something new, by their generation.
    pub fn newer(&self) -> watch::Receiver<u64> {
        self.snapshots.newer()
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshots.last()
    }

    /// Makes snapshots while there is something new; ends with the engine.
    pub async fn keep_fresh(self: Arc<Self>, stop: tokio_util::sync::CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.snapshots.outdated() => {}
            }
            self.make_snapshot().await;
            // Several changes in a row share one snapshot; nobody sees more of them than a screen has frames.
            tokio::time::sleep(std::time::Duration::from_millis(FRAME_MS)).await;
        }
    }

    /// Makes a snapshot now and sends what waited for it.
    pub async fn make_snapshot(self: &Arc<Self>) -> Arc<Snapshot> {
        let core = self.clone();
        self.snapshots.make(move |number| core.build(number)).await
    }

    fn build(&self, generation: u64) -> Snapshot {
        let last = self.snapshot();
        let state = self.state.lock();
        let rows = self.snapshots.rows_of(&state, self.index(), &last);
        Snapshot {
            generation,
            files: rows.files.clone(),
            functions: rows.functions.clone(),
            queue: rows.queue.clone(),
            verdicts: rows.verdicts.clone(),
            unjudged: rows.unjudged.clone(),
            red: rows.red.clone(),
            specs: kept(&last.specs, state.specs.rows()),
            stale: rows.stale,
            tree: rows.tree,
            offers: rows.offers.clone(),
            questions: self.questions.rows(),
            jobs: kept(&last.jobs, self.jobs.rows()),
            recordings: kept(&last.recordings, state.recordings.clone()),
            log: kept(&last.log, self.log.rows()),
            ..snapshots::empty(&self.root, &self.project, &state)
        }
    }

    /// Gives a proposal, from memory or from the store.
    pub fn proposal(&self, id: ProposalId) -> Result<Arc<Proposal>, Trouble> {
        if let Some(found) = self.state.lock().proposals.get(&id) {
            return Ok(found.clone());
        }
        self.store().proposal(id)?.map(Arc::new).ok_or_else(|| Trouble::usage(format!("There is no proposal {}.", id.0)))
    }

    /// Reads what the store knows of functions, after recordings changed.
    pub fn reload_recorded(&self) -> Result<(), Trouble> {
        self.state.lock().recorded += 1;
        self.reload_counts()
    }

    /// Reads what the store knows of functions, after decisions.
    pub fn reload_counts(&self) -> Result<(), Trouble> {
        let totals = self.store().functions()?;
        let tested: HashSet<FunctionId> = self.store().accepted()?.into_iter().map(|test| test.function).collect();
        let untestable = self.store().untestable()?.into_iter().collect();
        let mut callers: HashMap<FunctionId, u64> = HashMap::new();
        for edge in self.store().edges()? {
            if let Subject::Function(callee) = edge.callee {
                *callers.entry(callee).or_default() += 1;
            }
        }
        let mut state = self.state.lock();
        *state.calls = totals.into_iter().map(|total| (total.function, total.calls)).collect();
        *state.callers = callers;
        *state.tested = tested;
        *state.untestable = untestable;
        drop(state);
        self.touch();
        Ok(())
    }

    /// Reads who put away what is red, and why.
    fn reload_red(&self) -> Result<(), Trouble> {
        let ids: Vec<ProposalId> = self
            .state
            .lock()
            .proposals
            .values()
            .filter(|proposal| known_failures::is_red(proposal))
            .map(|proposal| proposal.id)
            .collect();
        let found: HashMap<ProposalId, Decision> =
            self.store().standing_on(&ids)?.into_iter().map(|decision| (decision.proposal, decision)).collect();
        let mut state = self.state.lock();
        if *state.put_away != found {
            *state.put_away = found;
        }
        Ok(())
    }

    /// Reads the undo log's two ends, and the decisions that still show.
    pub fn reload_undo(&self) -> Result<(), Trouble> {
        self.reload_red()?;
        let (standing, undone) = (self.store().last_standing()?.is_some(), self.store().last_undone()?.is_some());
        let others = own_decisions::of_another(self)?;
        let mut state = self.state.lock();
        state.undo_of_another = others;
        state.can_undo = standing;
        state.can_redo = undone;
        Ok(())
    }

    /// Changes the row of a recording, the newest first.
    pub fn edit_recording(&self, id: RecordingId, change: impl FnOnce(&mut RecordingRow)) {
        if let Some(row) = self.state.lock().recordings.iter_mut().find(|row| row.id == id) {
            change(row);
        }
        self.touch();
    }

    /// Notes in the user's own list how far the folder is trusted. Nothing acts on it before [`Core::use_trust`].
    pub fn note_trust(&self, trust: Trust) -> Result<(), Trouble> {
        TrustList::in_folder(&Places::find()?.state).set(&self.root, trust)
    }

    /// Acts on the trust in the folder from now on.
    pub fn use_trust(&self, trust: Trust) {
        self.state.lock().trust = Some(trust);
        self.touch();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Moment;
    use crate::domain::proposal::{Body, Change, ProposalState};

    fn core() -> Arc<Core> {
        let store = crate::store::open_in_memory().unwrap();
        Arc::new(Core::new(PathBuf::from("/none"), Settings::default(), store, Trust::Trusted, "none".into()))
    }

    fn change(state: ProposalState) -> Proposal {
        let body = Body::Change(Change { calls: vec![], same: 1, because: vec![], seen: Moment(0) });
        Proposal { state, ..Proposal::queued(FunctionId("m:f".into()), body, Moment(0)) }
    }

    #[test]
    fn rows_that_did_not_change_are_the_same_rows() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let core = core();
            let first = core.make_snapshot().await;
            core.log.add(Level::Info, "word", "line", None);
            let second = core.make_snapshot().await;
            assert!(Arc::ptr_eq(&first.queue, &second.queue) && Arc::ptr_eq(&first.functions, &second.functions));
            assert!(!Arc::ptr_eq(&first.log, &second.log));
            core.add_proposal(change(ProposalState::Ready)).unwrap();
            let third = core.make_snapshot().await;
            assert!(!Arc::ptr_eq(&second.queue, &third.queue) && Arc::ptr_eq(&second.log, &third.log));
        });
    }

    #[test]
    fn an_event_follows_the_snapshot_that_shows_it() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let core = core();
            let mut events = core.subscribe();
            core.add_proposal(change(ProposalState::Ready)).unwrap();
            assert!(events.try_recv().is_err(), "announced before anybody can see it");
            core.make_snapshot().await;
            assert!(matches!(events.try_recv(), Ok(Event::ProposalMoved { .. })));
            assert_eq!(core.snapshot().queue.len(), 1);
        });
    }
}
