//! Snapshots and the announcements that go out after them.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, broadcast, watch};

use crate::base::hash::Digest;
use crate::domain::event::Event;
use crate::domain::function::FunctionId;
use crate::domain::proposal::{Proposal, ProposalState};
use crate::domain::snapshot::{FileRow, FunctionRow, QueueRow, RedRow, Snapshot, Trust, UnjudgedRow, VerdictRow, WatchState};
use crate::engine::state::known_failures;
use crate::engine::state::memory::State;
use crate::engine::state::record_suggestions::offers;
use crate::engine::state::rows::{self, Known};
use crate::engine::state::verdict_rows;
use crate::source::index::Index;

/// Announcements a slow subscriber may be behind before it has to read everything again.
const EVENTS_KEPT: usize = 4096;

/// The last snapshot, and what waits for the next.
pub struct Snapshots {
    last: RwLock<Arc<Snapshot>>,
    rows: Mutex<Option<Arc<Rows>>>,
    events: broadcast::Sender<Event>,
    /// Tells of each snapshot that shows something else than the one before, also where no event goes with it.
    newer: watch::Sender<u64>,
    pending: Mutex<Vec<Event>>,
    dirty: Notify,
    refresh: tokio::sync::Mutex<u64>,
}

/// The rows of a snapshot that take work in a large project, and the state they were made of.
pub struct Rows {
    pub index: Arc<Index>,
    pub changes: u64,
    pub files: Arc<Vec<FileRow>>,
    pub functions: Arc<Vec<FunctionRow>>,
    pub queue: Arc<Vec<QueueRow>>,
    pub verdicts: Arc<Vec<VerdictRow>>,
    pub unjudged: Arc<Vec<UnjudgedRow>>,
    pub red: Arc<Vec<RedRow>>,
    pub stale: usize,
    pub offers: Vec<Vec<String>>,
    pub tree: Digest,
}

impl Snapshots {
    pub fn new(first: Arc<Snapshot>) -> Self {
        Self {
            last: RwLock::new(first),
            rows: Mutex::new(None),
            events: broadcast::channel(EVENTS_KEPT).0,
            newer: watch::channel(0).0,
            pending: Mutex::new(Vec::new()),
            dirty: Notify::new(),
            refresh: tokio::sync::Mutex::new(0),
        }
    }

    /// Announces after the next snapshot.
    pub fn announce(&self, event: Event) {
        self.pending.lock().push(event);
        self.touch();
    }

    /// Says that the snapshot is out of date.
    pub fn touch(&self) {
        self.dirty.notify_one();
    }

    /// Waits until the snapshot is out of date.
    pub async fn outdated(&self) {
        self.dirty.notified().await;
    }

    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Tells of snapshots that show something new, by their generation.
    pub fn newer(&self) -> watch::Receiver<u64> {
        self.newer.subscribe()
    }

    /// Gives the last snapshot.
    pub fn last(&self) -> Arc<Snapshot> {
        self.last.read().clone()
    }

    /// Makes a snapshot now and sends what waited for it.
    pub async fn make(&self, build: impl FnOnce(u64) -> Snapshot + Send + 'static) -> Arc<Snapshot> {
        let mut generation = self.refresh.lock().await;
        *generation += 1;
        let number = *generation;
        // What is said before anybody listens waits for the first who does.
        let pending = if self.events.receiver_count() > 0 { std::mem::take(&mut *self.pending.lock()) } else { Vec::new() };
        let built = tokio::task::spawn_blocking(move || Arc::new(build(number))).await;
        if let Ok(built) = built {
            let last = std::mem::replace(&mut *self.last.write(), built.clone());
            if (Snapshot { generation: built.generation, ..(*last).clone() }) != *built {
                self.newer.send_replace(number);
            }
        }
        for event in pending {
            // Nobody listening is no error.
            let _ = self.events.send(event);
        }
        self.last()
    }

    /// Gives the rows as they were made last where nothing about them changed, else new ones.
    pub fn rows_of(&self, state: &State, index: Arc<Index>, last: &Snapshot) -> Arc<Rows> {
        let mut made = self.rows.lock();
        let rows = made
            .take()
            .filter(|made| Arc::ptr_eq(&made.index, &index) && made.changes == state.changes())
            .unwrap_or_else(|| Arc::new(rows_of(state, index, last)));
        made.insert(rows).clone()
    }
}

/// Makes rows.
fn rows_of(state: &State, index: Arc<Index>, last: &Snapshot) -> Rows {
    let changes = state.changes();
    let mut waiting: HashMap<&FunctionId, Vec<&Proposal>> = HashMap::new();
    for proposal in state.proposals.values() {
        if let Some(function) = proposal.function() {
            waiting.entry(function).or_default().push(proposal);
        }
    }
    let red = known_failures::rows(state.proposals.values(), &state.put_away);
    let red_functions: HashSet<&FunctionId> = red.iter().map(|row| &row.function).collect();
    let judged = verdict_rows::marks(state.verdicts.values());
    let broken: HashSet<&FunctionId> =
        state.import_failures.iter().flat_map(|one| one.functions.iter().map(|(function, _)| function)).collect();
    let known = |id: &FunctionId| Known {
        calls: state.calls.get(id).copied().unwrap_or(0),
        callers: state.callers.get(id).copied().unwrap_or(0),
        tested: state.tested.contains(id),
        untestable: state.untestable.get(id).cloned(),
        edited: state.edited.get(id).copied(),
        red: red_functions.contains(id) || broken.contains(id),
        uncompared: state.uncompared.get(id).cloned(),
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
        unjudged: kept(&last.unjudged, verdict_rows::unjudged(state.verdicts.values(), &index)),
        red: kept(&last.red, red),
        stale,
        tree: index.hash(),
        offers: offers(index.modules().map(AsRef::as_ref)),
        index,
    }
}

/// Gives the rows of the last snapshot where nothing about them changed, so that a screen can skip work.
pub fn kept<T: PartialEq>(last: &Arc<Vec<T>>, rows: Vec<T>) -> Arc<Vec<T>> {
    if **last == rows { last.clone() } else { Arc::new(rows) }
}

pub fn empty(root: &Path, project: &str, state: &State) -> Snapshot {
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
        near: state.near.clone(),
        queue: Arc::default(),
        verdicts: Arc::default(),
        unjudged: Arc::default(),
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
        undo_of_another: state.undo_of_another.clone(),
        can_redo: state.can_redo,
        session: state.session.clone(),
    }
}
