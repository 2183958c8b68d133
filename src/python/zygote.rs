//! The warm, contained Python of a project: started when first needed, started again when it dies, ended with its owner.
//!
//! It never loads project code itself; each request is answered by a fork of it. Values stay marshalled here
//! (`value.rs` reads them).

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::base::error::Trouble;
use crate::base::text;
use crate::contain::{self, Confinement, Level, Limits};
use crate::python::interpreter::Interpreter;
use crate::python::package::Package;
use crate::python::protocol::{Expression, Hello, Op, Reply, Request, WireCall, frame, read_reply};

/// What the process may take besides the time of the calls: starting, importing the project, forking.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much of what the process says on stderr is kept for its last words.
const LAST_WORDS: usize = 4096;

/// What a worker is for.
#[derive(Debug, Clone)]
pub struct WorkerSpec {
    /// The Python to run.
    pub interpreter: Interpreter,
    /// Our package.
    pub package: Package,
    /// How it is contained.
    pub level: Level,
    /// The project's root, absolute and resolved.
    pub root: PathBuf,
    /// The folders the project's modules are imported from, absolute.
    pub paths: Vec<PathBuf>,
    /// Modules from outside the project to import once.
    pub preload: Vec<String>,
    /// The seed of string hashes.
    pub hash_seed: u32,
    /// More variables for the project's code.
    pub env: BTreeMap<String, String>,
    /// What it may use up.
    pub limits: Limits,
}

impl WorkerSpec {
    /// Describes a worker whose modules are imported from the root.
    #[must_use]
    pub fn new(interpreter: Interpreter, package: Package, level: Level, root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self {
            interpreter,
            package,
            level,
            paths: vec![root.clone()],
            root,
            preload: Vec::new(),
            hash_seed: 0,
            env: BTreeMap::new(),
            limits: Limits::default(),
        }
    }
}

/// A recorded call to make again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayCall {
    /// Comes back with the outcome.
    pub key: u64,
    /// The module under its name of today: the index's, also where it was recorded as `__main__`.
    pub module: String,
    /// Its file, relative to the root.
    pub path: String,
    /// The function in it.
    pub qualname: String,
    /// The arguments: a marshalled tuple of `(name, kind, value)`.
    pub args: Vec<u8>,
    /// How long it may take.
    pub wait: Duration,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The key of the call.
    pub key: u64,
    /// How it ended, or why it could not be built or called.
    pub result: Result<Ending, String>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The outcome, marshalled: `value::outcome` reads it.
    pub outcome: Vec<u8>,
    /// How long it took, in nanoseconds.
    pub ns: u64,
    /// The project's functions it entered: relative path and qualified name.
    pub entered: Vec<(String, String)>,
}

/// An expression that was evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// The key of the expression.
    pub key: u64,
    /// The value, marshalled, or why there is none.
    pub result: Result<Vec<u8>, String>,
}

/// A project's Python. Clones share it; when the last is gone, the process and all below it end.
#[derive(Clone)]
pub struct Worker(Arc<Shared>);

struct Shared {
    spec: WorkerSpec,
    next: AtomicU64,
    live: tokio::sync::Mutex<Option<Arc<Live>>>,
}

impl Worker {
    /// Starts the process and waits until it says who it is.
    ///
    /// # Errors
    /// When it cannot be started or contained.
    pub async fn start(spec: WorkerSpec) -> Result<Self, Trouble> {
        let worker = Self(Arc::new(Shared { spec, next: AtomicU64::new(1), live: tokio::sync::Mutex::new(None) }));
        worker.live().await?;
        Ok(worker)
    }

    /// Gives what the process says of itself; starts it again when it died.
    ///
    /// # Errors
    /// As [`Worker::start`].
    pub async fn hello(&self) -> Result<Hello, Trouble> {
        Ok(self.live().await?.hello.clone())
    }

    /// Gives how the process is contained.
    #[must_use]
    pub fn level(&self) -> Level {
        self.0.spec.level
    }

    /// Makes calls; each in a process of its own, from the files as they are now. With `track`, replies say which
    /// functions of the project were entered.
    ///
    /// # Errors
    /// When the process cannot be started again or the request is too large.
    pub async fn replay(&self, calls: &[ReplayCall], track: bool) -> Result<Running<Replayed>, Trouble> {
        let wait = calls.iter().map(|call| call.wait).sum::<Duration>();
        let calls = calls
            .iter()
            .map(|call| {
                let wait_ms = u64::try_from(call.wait.as_millis()).unwrap_or(u64::MAX);
                WireCall::new(call.key, &call.module, &call.path, &call.qualname, &call.args, wait_ms)
            })
            .collect();
        let (root, paths) = self.places()?;
        self.ask(Op::Replay { root: &root, paths: &paths, calls, track }, wait, |reply| {
            let result = match (reply.outcome, reply.broken) {
                (Some(outcome), _) => Ok(Ending { outcome, ns: reply.ns?, entered: reply.entered }),
                (None, why) => Err(why?),
            };
            Some(Replayed { key: reply.key?, result })
        })
        .await
    }

    /// Evaluates expressions, all in one process.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn evaluate(&self, items: &[Expression]) -> Result<Running<Evaluated>, Trouble> {
        let (root, paths) = self.places()?;
        self.ask(Op::Evaluate { root: &root, paths: &paths, items }, Duration::ZERO, |reply| {
            let result = match (reply.value, reply.broken) {
                (Some(value), _) => Ok(value),
                (None, why) => Err(why?),
            };
            Some(Evaluated { key: reply.key?, result })
        })
        .await
    }

    fn places(&self) -> Result<(String, Vec<String>), Trouble> {
        let text = |path: &PathBuf| {
            path.to_str().map(str::to_owned).ok_or_else(|| Trouble::environment("The project's path is not UTF-8."))
        };
        Ok((text(&self.0.spec.root)?, self.0.spec.paths.iter().map(text).collect::<Result<_, _>>()?))
    }

    async fn ask<T>(&self, op: Op<'_>, wait: Duration, read: fn(Reply) -> Option<T>) -> Result<Running<T>, Trouble> {
        let live = self.live().await?;
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let replies = live.send(id, op)?;
        Ok(Running { id, live, replies, read, deadline: Instant::now() + PATIENCE + wait, over: false })
    }

    /// Gives the running process, started when there is none.
    async fn live(&self) -> Result<Arc<Live>, Trouble> {
        let mut live = self.0.live.lock().await;
        if let Some(running) = live.as_ref().filter(|live| live.is_running()) {
            return Ok(Arc::clone(running));
        }
        *live = None;
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let started = Arc::new(Live::start(&self.0.spec, id).await?);
        *live = Some(Arc::clone(&started));
        Ok(started)
    }
}

/// The replies to one request, as they come. Dropping it cancels the request.
pub struct Running<T> {
    id: u64,
    live: Arc<Live>,
    replies: mpsc::UnboundedReceiver<Reply>,
    read: fn(Reply) -> Option<T>,
    deadline: Instant,
    over: bool,
}

impl<T> Running<T> {
    /// Waits for the next reply; `None` after the last.
    ///
    /// # Errors
    /// When the request failed as a whole, the process died, or it says nothing for too long. The request is over then.
    pub async fn next(&mut self) -> Option<Result<T, Trouble>> {
        if self.over {
            return None;
        }
        let reply = match tokio::time::timeout_at(self.deadline, self.replies.recv()).await {
            Ok(Some(reply)) => reply,
            Ok(None) => {
                self.over = true;
                return Some(Err(self.live.died()));
            }
            Err(_) => {
                self.over = true;
                self.live.end();
                return Some(Err(Trouble::environment("The project's Python gave no answer in time and was ended.")));
            }
        };
        self.over = reply.done;
        if let Some(error) = reply.error {
            self.over = true;
            return Some(Err(Trouble::environment(text::display(&error))));
        }
        if reply.key.is_none() && reply.done {
            return None;
        }
        match (self.read)(reply) {
            Some(answer) => Some(Ok(answer)),
            None => {
                self.over = true;
                self.live.end();
                Some(Err(Trouble::internal("The project's Python gave an answer without a meaning and was ended.")))
            }
        }
    }

    /// Collects all replies.
    ///
    /// # Errors
    /// With the first error of [`Running::next`].
    pub async fn all(mut self) -> Result<Vec<T>, Trouble> {
        let mut all = Vec::new();
        while let Some(reply) = self.next().await {
            all.push(reply?);
        }
        Ok(all)
    }

    /// Ends the request and everything it started.
    pub fn cancel(self) {}
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        if !self.over {
            self.live.cancel(self.id);
        }
    }
}

/// One run of the process.
struct Live {
    process: u32,
    requests: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Mutex<Waiting>>,
    hello: Hello,
    // Gone with the process.
    _scratch: tempfile::TempDir,
}

#[derive(Default)]
struct Waiting {
    replies: HashMap<u64, mpsc::UnboundedSender<Reply>>,
    over: bool,
    last_words: String,
}

impl Live {
    async fn start(spec: &WorkerSpec, id: u64) -> Result<Self, Trouble> {
        let scratch = contain::scratch()?;
        let failed = |error: std::io::Error| Trouble::environment("The project's Python could not be started.").because(error);
        let mut child = tokio::process::Command::from(command(spec, scratch.path())?)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (Some(process), Some(mut stdin), Some(mut stdout), Some(mut stderr)) =
            (child.id(), child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Trouble::internal("The project's Python was started without pipes."));
        };

        let waiting = Arc::new(Mutex::new(Waiting::default()));
        let (requests, mut outgoing) = mpsc::unbounded_channel::<Vec<u8>>();
        tokio::spawn(async move {
            while let Some(frame) = outgoing.recv().await {
                if stdin.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
        let shared = Arc::clone(&waiting);
        tokio::spawn(async move {
            let mut buffer = [0; 1024];
            while let Ok(got @ 1..) = stderr.read(&mut buffer).await {
                let words = &mut shared.lock().last_words;
                if words.len() < LAST_WORDS {
                    words.push_str(&String::from_utf8_lossy(&buffer[..got]));
                }
            }
        });
        let shared = Arc::clone(&waiting);
        tokio::spawn(async move {
            while let Ok(reply) = read_reply(&mut stdout).await {
                let mut waiting = shared.lock();
                let (id, done) = (reply.id, reply.done);
                if let Some(receiver) = waiting.replies.get(&id) {
                    let _ = receiver.send(reply);
                }
                if done {
                    waiting.replies.remove(&id);
                }
            }
            // It died, or says what is no reply: either way it is over.
            contain::stop(process);
            let _ = child.wait().await;
            let mut waiting = shared.lock();
            waiting.over = true;
            waiting.replies.clear();
        });

        let hello = Hello { python: String::new(), executable: String::new(), pytest: None, hashseed: None };
        let mut live = Self { process, requests, waiting, hello, _scratch: scratch };
        let mut replies = live.send(id, Op::Hello { preload: &spec.preload })?;
        let reply = tokio::time::timeout(PATIENCE, replies.recv())
            .await
            .map_err(|_| Trouble::environment("The project's Python did not get ready in time."))?
            .ok_or_else(|| live.died())?;
        live.hello = serde_json::from_value(reply.rest).map_err(|error| {
            Trouble::environment("The project's Python did not get ready.").because(reply.error.unwrap_or(error.to_string()))
        })?;
        Ok(live)
    }

    fn is_running(&self) -> bool {
        !self.waiting.lock().over
    }

    fn send(&self, id: u64, op: Op<'_>) -> Result<mpsc::UnboundedReceiver<Reply>, Trouble> {
        let frame = frame(&Request { id, op }).ok_or_else(|| {
            Trouble::environment("Too much was asked of the project's Python at once.").so("Ask for fewer functions.")
        })?;
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut waiting = self.waiting.lock();
        if !waiting.over {
            waiting.replies.insert(id, sender);
            let _ = self.requests.send(frame);
        }
        Ok(receiver)
    }

    fn cancel(&self, id: u64) {
        // Nobody waits for the answer, so it carries the number of the request itself.
        if let Some(frame) = frame(&Request { id, op: Op::Cancel { target: id } }) {
            let _ = self.requests.send(frame);
        }
    }

    fn end(&self) {
        contain::stop(self.process);
    }

    fn died(&self) -> Trouble {
        let trouble = Trouble::environment("The project's Python died.");
        let words = &self.waiting.lock().last_words;
        match words.lines().last() {
            Some(line) => trouble.because(text::display_line(line.trim_start_matches("pytead-tui: "))),
            None => trouble,
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if self.is_running() {
            self.end();
        }
    }
}

/// Builds the contained command of the process.
fn command(spec: &WorkerSpec, scratch: &std::path::Path) -> Result<std::process::Command, Trouble> {
    let interpreter = &spec.interpreter;
    let mut confinement = Confinement::new(&spec.root, scratch);
    confinement.cwd = scratch.to_owned();
    confinement.limits = spec.limits.clone();
    confinement.read_only.clone_from(&interpreter.prefixes);
    confinement.read_only.push(spec.package.folder.clone());
    confinement.read_only.extend(spec.paths.iter().filter(|path| !path.starts_with(&spec.root)).cloned());
    let own = [
        ("PYTHONPATH", spec.package.folder.to_string_lossy().into_owned()),
        ("PYTHONHASHSEED", spec.hash_seed.to_string()),
        ("PYTHONDONTWRITEBYTECODE", "1".into()),
        ("PYTHONSAFEPATH", "1".into()),
        ("PYTEAD_LEVEL", spec.level.word().into()),
        ("PYTEAD_SCRATCH", scratch.to_string_lossy().into_owned()),
    ];
    confinement.env.clone_from(&spec.env);
    confinement.env.extend(own.map(|(name, value)| (name.to_owned(), value)));
    if let Some(base) = &interpreter.user_base {
        confinement.env.insert("PYTHONUSERBASE".into(), base.to_string_lossy().into_owned());
    }
    // Numeric libraries start a thread per core at import, and a process with threads must not fork.
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        confinement.env.entry(name.into()).or_insert_with(|| "1".into());
    }
    contain::command(spec.level, &confinement, &interpreter.path, ["-m", "pytead_tui.worker"])
}
