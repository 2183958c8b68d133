//! A handle on the database: one thread writes, each reading has a connection of its own.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::error::{Result, StoreError};
use super::json::STACK;
use super::schema::{self, Place};

/// The folder inside a project that holds what the workbench knows about it.
pub const FOLDER: &str = ".pytead";

/// The database's file name in [`FOLDER`].
pub const FILE: &str = "pytead.db";

/// What this store can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It reads and writes the project's database.
    Full,
    /// It only reads: the database cannot be written, or somebody else made it.
    ReadOnly,
    /// It lives in memory and is gone with the process: the project has no usable place for it.
    Memory,
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// A handle on the project's database; clones share it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    place: Place,
    mode: Mode,
    foreign: bool,
    /// Why nothing is written, and what to do about it.
    refusal: (String, String),
    writer: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    readers: Mutex<Vec<Connection>>,
    /// Tells other processes that this one has the database open.
    users: Mutex<Option<File>>,
    /// The device and number of the file as it was opened; `None` where there is none, or it is only read.
    file: Option<(u64, u64)>,
    /// What [`Store::changed`] saw last.
    seen: AtomicI64,
}

impl Store {
    pub(super) fn start(place: Place, foreign: bool, writer: Option<Connection>) -> Result<Self> {
        let mode = match place {
            Place::File(_) => Mode::Full,
            Place::ReadOnly(_) => Mode::ReadOnly,
            Place::Memory(_) => Mode::Memory,
        };
        // From here on the commits of others are news, also while what is there is read.
        let seen = writer.as_ref().map_or(Ok(0), version)?.into();
        let (sender, thread) = match writer {
            Some(mut connection) => {
                let (sender, jobs) = mpsc::channel::<Job>();
                // Deep values are written on this stack.
                let builder = std::thread::Builder::new().name("store".into()).stack_size(STACK);
                let thread = builder.spawn(move || {
                    for job in jobs {
                        // A panic in one job must not take the writer away from all others; its transaction rolls back.
                        if std::panic::catch_unwind(AssertUnwindSafe(|| job(&mut connection))).is_err() {
                            tracing::error!("a write to the store panicked and was rolled back");
                        }
                    }
                });
                (Some(sender), Some(thread.map_err(|error| StoreError::Thread(error.to_string()))?))
            }
            None => (None, None),
        };
        let readers = Mutex::new(Vec::new());
        let users = Mutex::new(None);
        let refusal = Default::default();
        let file = if let Place::File(path) = &place { number(path) } else { None };
        Ok(Self { inner: Arc::new(Inner { place, mode, foreign, refusal, writer: sender, thread, readers, users, file, seen }) })
    }

    /// Starts a store that refuses every write with this reason, the end of a sentence, and this advice.
    pub(super) fn start_reading(file: PathBuf, foreign: bool, why: &str, todo: &str) -> Result<Self> {
        let mut store = Self::start(Place::ReadOnly(file), foreign, None)?;
        if let Some(inner) = Arc::get_mut(&mut store.inner) {
            inner.refusal = (why.to_owned(), todo.to_owned());
        }
        Ok(store)
    }

    /// Keeps a lock for as long as the store is open.
    pub(super) fn hold(&self, users: Option<File>) {
        *self.inner.users.lock() = users;
    }

    /// Tells where its connections lead.
    pub(super) fn place(&self) -> &Place {
        &self.inner.place
    }

    /// Tells what this store can do.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.inner.mode
    }

    /// Tells whether the database was made by somebody else. Decisions, accepted outcomes and accepted tests of such a
    /// database are never given out.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.inner.foreign
    }

    /// Tells whether another process changed the database since this was asked last, or else since it was opened.
    ///
    /// # Errors
    /// Fails when the database cannot be read, and with [`StoreError::Gone`] when its file is not there any more.
    pub fn changed(&self) -> Result<bool> {
        if self.inner.mode != Mode::Full {
            return Ok(false);
        }
        let version = self.on_writer(|connection| version(connection))?;
        Ok(self.inner.seen.swap(version, Ordering::Relaxed) != version)
    }

    /// Runs `work` in a transaction on the writing thread; it is committed when `work` gives `Ok` and undone otherwise.
    pub(super) fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.on_writer(move |connection| in_transaction(connection, work))
    }

    /// As [`Store::write`], and what was committed is on the disk when this returns, so that a power cut does not take it.
    pub(super) fn write_through<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.on_writer(move |connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            let result = in_transaction(connection, work);
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            result
        })
    }

    pub(super) fn on_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let writer = self.inner.writer.as_ref().ok_or_else(|| {
            let (why, todo) = self.inner.refusal.clone();
            StoreError::ReadOnly { why, todo }
        })?;
        if let Place::File(path) = &self.inner.place
            && self.inner.file.is_some()
            && number(path) != self.inner.file
        {
            return Err(StoreError::Gone);
        }
        let (reply, answer) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |connection| {
            // Whoever asked may be gone; the work is done all the same.
            let _ = reply.send(work(connection));
        });
        writer.send(job).map_err(|_| StoreError::Closed)?;
        answer.recv().map_err(|_| StoreError::Closed)?
    }

    /// Runs `work` on a reading connection, in one transaction, so that all it reads belongs together.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = self.inner.readers.lock().pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => schema::reader(&self.inner.place)?,
        };
        let result = connection.transaction().map_err(StoreError::from).and_then(|transaction| work(&transaction));
        if !matches!(&result, Err(StoreError::Damaged | StoreError::Sqlite(_))) {
            self.inner.readers.lock().push(connection);
        }
        result
    }
}

/// Gives the device and number of a file.
fn number(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|meta| (meta.dev(), meta.ino()))
}

fn in_transaction<T>(connection: &mut Connection, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

/// Gives a number that moves, on one connection, for the commits of others only.
fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "data_version", |row| row.get(0))?)
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.readers.lock().clear();
        // The writer closes last, so that SQLite folds its log into the file before the process ends.
        self.writer = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
