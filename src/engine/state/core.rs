//! What the jobs share: the project's state, the log, the queue of announcements, and the snapshot they lead to.
//!
//! The store is written first, memory second, and announcements go out after the snapshot that shows them.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, broadcast, watch};

use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::config::places::Places;
use crate::config::trust::TrustList;
use crate::domain::call::RecordingId;
use crate::domain::decision::Decision;
use crate::domain::event::{Event, Level};
use crate::domain::function::{Function, FunctionId};
use crate::domain::proposal::{Proposal, ProposalId, ProposalState};
use crate::domain::question::Consent;
use crate::domain::settings::Settings;
use crate::domain::snapshot::{
    Decided, FileRow, FunctionRow, QueueRow, RecordingRow, RedRow, Snapshot, Topic, Trust, VerdictRow, WatchState,
};
use crate::engine::state::jobs::Jobs;
use crate::engine::state::known_failures;
use crate::engine::state::log::Log;
use crate::engine::state::parts::Parts;
use crate::engine::state::questions::Questions;
use crate::engine::state::record_suggestions::offers;
use crate::engine::state::rows::{self, Known};
use crate::engine::state::spec_board::Board;
use crate::engine::state::token_buffers::Streams;
use crate::engine::state::verdict_rows;
use crate::engine::state::versioned::Counted;
use crate::source::index::Index;
use crate::source::installed::Installed;
use crate::store::Store;
use crate::watch::Watcher;

/// Announcements a slow subscriber may be behind before it has to read everything again.
const EVENTS_KEPT: usize = 4096;

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
    pub streams: Streams,
    /// What is known of the packages in that environment.
    pub installed: RwLock<Arc<Installed>>,
    pub watcher: Mutex<Option<Watcher>>,
    /// A step of a proposal is stored and taken into memory as one, so that no older form comes back.
    pub stepping: Mutex<()>,
    /// The project is being closed: what stops now was stopped by nobody.
    pub closing: AtomicBool,
    pub state: Mutex<State>,
    parts: Parts,
    snapshot: RwLock<Arc<Snapshot>>,
    rows: Mutex<Option<Rows>>,
    events: broadcast::Sender<Event>,
    /// Tells of each snapshot that shows something else than the one before, also where no event goes with it.
    newer: watch::Sender<u64>,
    pending: Mutex<Vec<Event>>,
    dirty: Notify,
    refresh: tokio::sync::Mutex<u64>,
}

/// What changes while the engine runs, besides the index and the store.
#[derive(Default)]
pub struct State {
    pub trust: Option<Trust>,
    pub consent: Consent,
    pub watch: Option<WatchState>,
    pub indexed: bool,
    pub reading: (usize, usize),
    /// Open proposals, and those that moved since the engine opened.
    pub proposals: Counted<BTreeMap<ProposalId, Arc<Proposal>>>,
    pub calls: Counted<HashMap<FunctionId, u64>>,
    pub callers: Counted<HashMap<FunctionId, u64>>,
    pub tested: Counted<HashSet<FunctionId>>,
    pub untestable: Counted<HashMap<FunctionId, String>>,
    /// The decisions on changes that were put away and still show.
    pub put_away: Counted<HashMap<ProposalId, Decision>>,
    pub edited: Counted<HashMap<FunctionId, Moment>>,
    /// The last verdict of each test with an intent, by node id.
    pub verdicts: Counted<BTreeMap<String, verdict_rows::Kept>>,
    /// The project's YAML tests.
    pub specs: Board,
    pub recordings: Vec<RecordingRow>,
    pub decided: Decided,
    pub can_undo: bool,
    pub can_redo: bool,
    pub python: Option<String>,
    pub python_trouble: Option<Trouble>,
    pub model: Option<String>,
    pub containment: String,
    pub session: Option<Arc<serde_json::Value>>,
    /// Functions whose replay was interrupted: the next one runs them too.
    pub owed: BTreeSet<FunctionId>,
    /// Grows with every reading of what is recorded.
    pub recorded: u64,
}

impl State {
    /// Tells how often something may have changed that rows are made of.
    fn changes(&self) -> u64 {
        let known = [self.calls.changes(), self.callers.changes(), self.tested.changes(), self.untestable.changes()];
        known.iter().sum::<u64>()
            + self.proposals.changes()
            + self.put_away.changes()
            + self.edited.changes()
            + self.verdicts.changes()
    }
}

/// The rows of a snapshot that take work in a large project, and the state they were made of.
struct Rows {
    index: Arc<Index>,
    changes: u64,
    files: Arc<Vec<FileRow>>,
    functions: Arc<Vec<FunctionRow>>,
    queue: Arc<Vec<QueueRow>>,
    verdicts: Arc<Vec<VerdictRow>>,
    red: Arc<Vec<RedRow>>,
    stale: usize,
    offers: Vec<Vec<String>>,
    tree: Digest,
}

impl Core {
    pub fn new(root: PathBuf, settings: Settings, store: Store, trust: Trust, containment: String) -> Self {
        let project = root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned());
        let state = State { trust: Some(trust), containment, ..State::default() };
        let snapshot = Arc::new(empty(&root, &project, &state));
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
            streams: Streams::default(),
            installed: RwLock::default(),
            watcher: Mutex::new(None),
            stepping: Mutex::new(()),
            closing: AtomicBool::new(false),
            state: Mutex::new(state),
            parts: Parts::default(),
            snapshot: RwLock::new(snapshot),
            rows: Mutex::new(None),
            events: broadcast::channel(EVENTS_KEPT).0,
            newer: watch::channel(0).0,
            pending: Mutex::new(Vec::new()),
            dirty: Notify::new(),
            refresh: tokio::sync::Mutex::new(0),
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
        self.pending.lock().push(event);
        self.dirty.notify_one();
    }

    /// Says that the snapshot is out of date.
    pub fn touch(&self) {
        self.dirty.notify_one();
    }

    /// Tells a person, in the log and as an event.
    pub fn say(&self, level: Level, word: &str, text: impl Into<String>) {
        let text = text.into();
        self.log.add(level, word, &text, None);
        self.announce(Event::Said { level, text });
    }

    /// Tells a person of one thing, in the log and as an event.
    pub fn say_about(&self, about: Topic, level: Level, word: &str, text: String) {
        self.log.add(level, word, &text, Some(about));
        self.announce(Event::Said { level, text });
    }

    /// Tells a person of a trouble.
    pub fn complain(&self, word: &str, trouble: &Trouble) {
        self.log.trouble(word, trouble);
        self.announce(Event::Failed { trouble: trouble.clone() });
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Tells of snapshots that show something new, by their generation.
    pub fn newer(&self) -> watch::Receiver<u64> {
        self.newer.subscribe()
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().clone()
    }

    /// Makes snapshots while there is something new; ends with the engine.
    pub async fn keep_fresh(self: Arc<Self>, stop: tokio_util::sync::CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.dirty.notified() => {}
            }
            self.make_snapshot().await;
            // Several changes in a row share one snapshot; nobody sees more of them than a screen has frames.
            tokio::time::sleep(std::time::Duration::from_millis(FRAME_MS)).await;
        }
    }

    /// Makes a snapshot now and sends what waited for it.
    pub async fn make_snapshot(self: &Arc<Self>) -> Arc<Snapshot> {
        let mut generation = self.refresh.lock().await;
        *generation += 1;
        let number = *generation;
        // What is said before anybody listens waits for the first who does.
        let pending = if self.events.receiver_count() > 0 { std::mem::take(&mut *self.pending.lock()) } else { Vec::new() };
        let core = self.clone();
        let built = tokio::task::spawn_blocking(move || Arc::new(core.build(number))).await;
        if let Ok(built) = built {
            let last = std::mem::replace(&mut *self.snapshot.write(), built.clone());
            if (Snapshot { generation: built.generation, ..(*last).clone() }) != *built {
                self.newer.send_replace(number);
            }
        }
        for event in pending {
            // Nobody listening is no error.
            let _ = self.events.send(event);
        }
        self.snapshot()
    }

    fn build(&self, generation: u64) -> Snapshot {
        let last = self.snapshot();
        let state = self.state.lock();
        let mut made = self.rows.lock();
        let rows = self.rows_of(&state, &last, made.take());
        let snapshot = Snapshot {
            generation,
            files: rows.files.clone(),
            functions: rows.functions.clone(),
            queue: rows.queue.clone(),
            verdicts: rows.verdicts.clone(),
            red: rows.red.clone(),
            specs: kept(&last.specs, state.specs.rows()),
            stale: rows.stale,
            tree: rows.tree,
            offers: rows.offers.clone(),
            questions: self.questions.rows(),
            jobs: kept(&last.jobs, self.jobs.rows()),
            recordings: kept(&last.recordings, state.recordings.clone()),
            log: kept(&last.log, self.log.rows()),
            ..empty(&self.root, &self.project, &state)
        };
        *made = Some(rows);
        snapshot
    }

    /// Gives the rows as they were made last where nothing about them changed, else new ones.
    fn rows_of(&self, state: &State, last: &Snapshot, made: Option<Rows>) -> Rows {
        let (index, changes) = (self.index(), state.changes());
        if let Some(made) = made
            && Arc::ptr_eq(&made.index, &index)
            && made.changes == changes
        {
            return made;
        }
        let mut waiting: HashMap<&FunctionId, Vec<&Proposal>> = HashMap::new();
        for proposal in state.proposals.values() {
            waiting.entry(&proposal.function).or_default().push(proposal);
        }
        let red = known_failures::rows(state.proposals.values(), &state.put_away);
        let red_functions: HashSet<&FunctionId> = red.iter().map(|row| &row.function).collect();
        let judged = verdict_rows::marks(state.verdicts.values());
        let known = |id: &FunctionId| Known {
            calls: state.calls.get(id).copied().unwrap_or(0),
            callers: state.callers.get(id).copied().unwrap_or(0),
            tested: state.tested.contains(id),
            untestable: state.untestable.get(id).cloned(),
            edited: state.edited.get(id).copied(),
            red: red_functions.contains(id),
            judged: judged.get(id).copied(),
        };
        let mut files = Vec::new();
        let mut functions = Vec::new();
        // The queue asks about functions with a proposal alone.
        let mut asked_about = HashMap::new();
        for module in index.modules() {
            files.push(rows::file(module));
            for function in &module.functions {
                let known = known(&function.id);
                let own = waiting.get(&function.id).map_or(&[][..], Vec::as_slice);
                functions.push(rows::function(function, &known, own));
                if !own.is_empty() {
                    asked_about.insert(function.id.clone(), (function, known));
                }
            }
        }
        let open: Vec<&Proposal> = state.proposals.values().map(AsRef::as_ref).collect();
        let queue = rows::queue(&open, &asked_about);
        let stale = open.iter().filter(|proposal| proposal.draft().is_some() && proposal.state == ProposalState::Stale).count();
        Rows {
            changes,
            files: kept(&last.files, files),
            functions: kept(&last.functions, functions),
            queue: kept(&last.queue, queue),
            verdicts: kept(&last.verdicts, verdict_rows::rows(state.verdicts.values(), state.proposals.values(), &index)),
            red: kept(&last.red, red),
            stale,
            tree: index.hash(),
            offers: offers(index.modules().map(AsRef::as_ref)),
            index,
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
            *callers.entry(edge.callee).or_default() += 1;
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
        let mut state = self.state.lock();
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

    /// Trusts the project's folder from now on.
    pub fn set_trust(&self, trust: Trust) -> Result<(), Trouble> {
        TrustList::in_folder(&Places::find()?.state).set(&self.root, trust)?;
        self.state.lock().trust = Some(trust);
        self.touch();
        Ok(())
    }
}

/// Gives the rows of the last snapshot where nothing about them changed, so that a screen can skip work.
fn kept<T: PartialEq>(last: &Arc<Vec<T>>, rows: Vec<T>) -> Arc<Vec<T>> {
    if **last == rows { last.clone() } else { Arc::new(rows) }
}

fn empty(root: &std::path::Path, project: &str, state: &State) -> Snapshot {
    Snapshot {
        generation: 0,
        project: project.to_owned(),
        root: root.to_owned(),
        trust: state.trust.unwrap_or(Trust::Unknown),
        watch: state.watch.clone().unwrap_or(WatchState::Off),
        indexed: state.indexed,
        reading: state.reading,
        tree: Digest::default(),
        files: Arc::default(),
        functions: Arc::default(),
        queue: Arc::default(),
        verdicts: Arc::default(),
        red: Arc::default(),
        specs: Arc::default(),
        decided: state.decided,
        stale: 0,
        questions: Vec::new(),
        jobs: Arc::default(),
        recordings: Arc::default(),
        log: Arc::default(),
        offers: Vec::new(),
        python: state.python.clone(),
        python_trouble: state.python_trouble.clone(),
        model: state.model.clone(),
        containment: state.containment.clone(),
        can_undo: state.can_undo,
        can_redo: state.can_redo,
        session: state.session.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::proposal::{Body, Change};

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
