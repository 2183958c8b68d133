//! File events to batches of changed files, Python, YAML, configuration and what recorded calls read: the only home of
//! `notify`.
//!
//! The system's notices are hints, collected into a set that never blocks their sender; a worker waits for quiet, asks
//! the tree what is the project's own, leaves out our own writes, and hands over a batch. Which functions a batch
//! changes is `source/` and the engine's business.

mod coalesce;
mod events;
mod filter;
mod followed;
mod ledger;
mod poll;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::base::clock::{self, Moment};
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::{RelPath, tilde};
use crate::domain::settings::Watch;
use crate::domain::snapshot::WatchState;
use coalesce::{Coalescer, Due, Stage};
use filter::{Pace, Tree};
use followed::Followed;
use ledger::Ledger;

/// How often git's lock is looked at while it is there.
const LOCK_LOOK: Duration = Duration::from_millis(20);

/// Files that are named while they wait; more are counted.
const NAMED: usize = 50;

/// Changed files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// Python and YAML files, configuration, and others that are followed, which were written, made, moved or removed; sorted.
    pub paths: Vec<RelPath>,
    /// Something may have been missed: compare everything.
    pub rescan: bool,
    /// Many files changed at once, or git was at work.
    pub storm: bool,
}

/// Takes batches, on the watcher's own thread.
pub type OnBatch = Box<dyn Fn(Batch) + Send>;

/// Watches a project until it is dropped.
pub struct Watcher {
    shared: Arc<Shared>,
    /// The project's folder, resolved.
    root: PathBuf,
    threads: Vec<JoinHandle<()>>,
}

/// What the system's notices, the worker and the owner share.
struct Shared {
    pending: Mutex<Pending>,
    /// Wakes the worker.
    wake: Condvar,
    /// Wakes the reader of the tree, which sleeps while the system tells of changes.
    turn: Condvar,
    ledger: Mutex<Ledger>,
    followed: Mutex<Followed>,
}

struct Pending {
    coalescer: Coalescer,
    paused: Option<Moment>,
    pace: Pace,
    stopped: bool,
}

impl Shared {
    /// Notes a path that something happened to.
    fn hint(&self, path: PathBuf, stage: Stage) {
        self.pending.lock().coalescer.add(path, stage, Instant::now());
        self.wake.notify_all();
    }

    /// Notes that something may have been missed.
    fn rescan(&self) {
        self.pending.lock().coalescer.add_rescan(Instant::now());
        self.wake.notify_all();
    }

    /// Says how changes are noticed from now on.
    fn set_pace(&self, pace: Pace) {
        self.pending.lock().pace = pace;
        self.turn.notify_all();
    }

    /// Lets the reader of the tree wait for its turn, and then for so long; tells whether the watcher goes on.
    fn wait_to_read(&self, pause: Duration) -> bool {
        let mut pending = self.pending.lock();
        while !pending.stopped && !matches!(pending.pace, Pace::Reading(_)) {
            self.turn.wait(&mut pending);
        }
        let until = Instant::now() + pause;
        while !pending.stopped && !self.turn.wait_until(&mut pending, until).timed_out() {}
        !pending.stopped
    }

    fn stop(&self) {
        self.pending.lock().stopped = true;
        self.wake.notify_all();
        self.turn.notify_all();
    }
}

impl Watcher {
    /// Begins to watch a project. Every change after this call returns is reported, in batches, on a thread of its own.
    ///
    /// `exclude` is what the index leaves out too. Where the system gives no notices the tree is read now and then, which
    /// [`Watcher::state`] says with the reason.
    ///
    /// # Errors
    /// Fails when the folder cannot be read or the system gives no threads.
    pub fn start(root: &Path, exclude: &[String], settings: &Watch, on_batch: OnBatch) -> Result<Self, Trouble> {
        let pace = if settings.enabled { Pace::Notices } else { Pace::Off };
        let shared = Arc::new(Shared {
            pending: Mutex::new(Pending {
                coalescer: Coalescer::new(Duration::from_millis(settings.quiet_ms)),
                paused: None,
                pace,
                stopped: false,
            }),
            wake: Condvar::new(),
            turn: Condvar::new(),
            ledger: Mutex::new(Ledger::default()),
            followed: Mutex::default(),
        });
        let mut watcher = Self { shared: Arc::clone(&shared), root: root.to_owned(), threads: Vec::new() };
        if !settings.enabled {
            return Ok(watcher);
        }
        let cannot = |why: &dyn std::fmt::Display| {
            Trouble::environment(format!("{} cannot be watched.", tilde(root))).because(format!("{why}."))
        };
        let root = root.canonicalize().map_err(|error| cannot(&error))?;
        watcher.root.clone_from(&root);
        let every = Duration::from_millis(if settings.poll_ms == 0 { poll::EVERY_MS } else { settings.poll_ms });
        let reason = if settings.poll_ms == 0 { events::no_notices(&root) } else { Some("watch.poll_ms says so".into()) };
        let mut tree = Tree::new(root.clone(), exclude.to_vec());
        let pace = tree.begin(&shared, reason);
        let mut poller = poll::Poller::new(root.clone(), exclude.to_vec(), every);
        if matches!(pace, Pace::Reading(_)) {
            // Taken here, so that nothing is missed between this call and the reader's first turn.
            poller.look(&Followed::default());
        }
        shared.set_pace(pace);
        let lock = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.is_dir()).map(|git| git.join("index.lock"));
        let worker = Worker { shared: Arc::clone(&shared), tree, lock, on_batch };
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| std::thread::Builder::new().name(name.into()).spawn(work);
        watcher.threads.push(spawn("watch", Box::new(move || worker.run())).map_err(|error| cannot(&error))?);
        watcher.threads.push(spawn("watch-poll", Box::new(move || poller.run(&shared))).map_err(|error| cannot(&error))?);
        Ok(watcher)
    }

    /// Announces a write of our own: this file will have this content, or be gone (`None`). It is not reported.
    pub fn expect(&self, path: &RelPath, content: Option<Digest>) {
        self.shared.ledger.lock().expect(path.clone(), content, Instant::now());
    }

    /// Follows these files and folders besides the project's own, and no others; of a folder the names in it.
    pub fn follow(&self, paths: BTreeSet<RelPath>) {
        let paths = Followed(paths);
        let before = std::mem::replace(&mut *self.shared.followed.lock(), paths.clone());
        if before != paths {
            self.shared.pending.lock().coalescer.add_walk(Instant::now());
            self.shared.wake.notify_all();
        }
    }

    /// Stops reporting; changes are collected.
    pub fn pause(&self) {
        self.shared.pending.lock().paused.get_or_insert_with(clock::now);
    }

    /// Goes on; what was collected comes as one batch.
    pub fn resume(&self) {
        self.shared.pending.lock().paused = None;
        self.shared.wake.notify_all();
    }

    /// Tells whether and how the project is watched.
    #[must_use]
    pub fn state(&self) -> WatchState {
        let pending = self.shared.pending.lock();
        match (&pending.pace, pending.paused) {
            (Pace::Off, _) => WatchState::Off,
            (_, Some(since)) => {
                let below = |path: &PathBuf| RelPath::new(path.strip_prefix(&self.root).ok()?.to_str()?);
                let first = pending.coalescer.python_files().filter_map(below).take(NAMED).collect();
                WatchState::Paused { since, files: pending.coalescer.python_files().count(), first }
            }
            (Pace::Notices, None) => WatchState::On,
            (Pace::Reading(reason), None) => WatchState::Polling { reason: reason.as_str().into() },
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            // Dropped by whoever takes the batches, it cannot wait for itself.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

/// Turns hints into batches.
struct Worker {
    shared: Arc<Shared>,
    tree: Tree,
    /// git's lock on its index, there while it changes many files.
    lock: Option<PathBuf>,
    on_batch: OnBatch,
}

impl Worker {
    fn run(mut self) {
        while let Some(taken) = self.next() {
            let followed = self.shared.followed.lock().clone();
            let found = self.tree.take(&taken, &followed);
            if let Some(pace) = found.pace {
                self.shared.set_pace(pace);
            }
            let paths: Vec<RelPath> = {
                let ledger = self.shared.ledger.lock();
                let root = self.tree.root();
                let theirs = |path: &RelPath| !ledger.is_ours(path, &path.under(root), Instant::now());
                found.changed.into_iter().filter(theirs).collect()
            };
            if !paths.is_empty() || found.rescan {
                (self.on_batch)(Batch { paths, rescan: found.rescan, storm: taken.storm });
            }
        }
    }

    /// Waits until a batch is due; `None` when the watcher ends.
    fn next(&self) -> Option<coalesce::Taken> {
        loop {
            let locked = self.lock.as_ref().is_some_and(|lock| lock.exists());
            let mut pending = self.shared.pending.lock();
            if pending.stopped {
                return None;
            }
            let now = Instant::now();
            let due = if pending.paused.is_some() { Due::Never } else { pending.coalescer.due(now, locked) };
            match due {
                Due::Now => return Some(pending.coalescer.take(now)),
                Due::Never => self.shared.wake.wait(&mut pending),
                Due::At(at) => {
                    let at = if locked { at.min(now + LOCK_LOOK) } else { at };
                    self.shared.wake.wait_until(&mut pending, at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
