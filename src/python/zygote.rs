//! The warm, contained Python of a project: started when first needed, started again when it dies, ended with its owner.
//!
//! It never loads project code itself; each request is answered by a fork of it. Values stay marshalled here
//! (`value.rs` reads them).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::base::error::Trouble;
use crate::base::text;
use crate::contain::{Level, Limits};
use crate::domain::observation::Warned;
use crate::domain::reason::Reason;
use crate::domain::value::TypeName;
use crate::python::interpreter::Interpreter;
use crate::python::line_values::{Followed, GivenLines};
use crate::python::lines_run::LinesRun;
use crate::python::near::{Again, Item, Outcome, Searched};
use crate::python::package::Package;
use crate::python::process::Live;
use crate::python::protocol::{
    Dispatch, Expression, Former, Hello, Lines, Op, Prove, Raised, Refusal, Reply, Spot, Surroundings, WireCall,
};

/// What the process may take besides the time of the calls: starting, importing the project, forking.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// So many calls of a function may take all of their time before its others are left alone.
pub const LATE_MAX: u32 = 2;

/// What a search may take besides its time: importing two versions, looking again at what it found.
const SEARCH_PATIENCE: Duration = Duration::from_secs(15);

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
    /// A folder whose files stand in for those at the root; needs [`Level::Namespaces`].
    pub stand_in: Option<PathBuf>,
    /// More to read, absolute.
    pub read_only: Vec<PathBuf>,
    /// The folders the project's modules are imported from, absolute.
    pub paths: Vec<PathBuf>,
    /// Modules from outside the project to import once.
    pub preload: Vec<String>,
    /// These modules were imported by another worker and left no threads.
    pub tried: bool,
    /// Load pytest and its plugins too: this worker proves tests.
    pub tests: bool,
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
            stand_in: None,
            read_only: Vec::new(),
            preload: Vec::new(),
            tried: false,
            tests: false,
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
    /// What the name leads to is called, with what decorators made of it: else the function that is defined there.
    pub as_kept: bool,
    /// The arguments: a marshalled tuple of `(name, kind, value)`.
    pub args: Vec<u8>,
    /// What it is made in.
    pub surroundings: Surroundings,
    /// How long it may take.
    pub wait: Duration,
    /// The function that it is registered with, and that calls it.
    pub dispatch: Option<Dispatch>,
    /// How many arguments its caller gives by place today, and which by name, at each place where it calls a function of this
    /// name; `None` where the function takes what it took.
    pub sites: Option<Vec<(usize, Vec<String>)>>,
    /// Other functions whose faults it is tried with, when it is looked at.
    pub also: Vec<Spot>,
}

/// A function to search beside its recorded calls.
#[derive(Debug)]
pub struct NearSearch {
    /// The recorded calls.
    pub calls: Vec<ReplayCall>,
    /// Inputs that earlier searches found: the key of the recorded call that each was near to, and its arguments, marshalled.
    pub again: Vec<(u64, Vec<u8>)>,
    /// How long it may take.
    pub wait: Duration,
    /// The function is told from itself with faults, in place of another version.
    pub faults: bool,
}

impl NearSearch {
    fn item(&self, key: u64) -> Option<Item<'_>> {
        let place = self.calls.first()?;
        Some(Item {
            key,
            module: &place.module,
            path: &place.path,
            qualname: &place.qualname,
            wait_ms: u64::try_from(self.wait.as_millis()).unwrap_or(u64::MAX),
            calls: self.calls.iter().map(ReplayCall::wire).collect(),
            faults: self.faults,
            again: self.again.iter().map(|(call, args)| Again::new(*call, args)).collect(),
        })
    }
}

impl ReplayCall {
    fn wire(&self) -> WireCall<'_> {
        let wait_ms = u64::try_from(self.wait.as_millis()).unwrap_or(u64::MAX);
        WireCall::new(self.key, &self.module, &self.path, &self.qualname, &self.args, wait_ms)
            .as_kept(self.as_kept)
            .dispatched(self.dispatch.as_ref())
            .sites(self.sites.as_deref())
            .within(&self.surroundings)
    }
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// The key of the call.
    pub key: u64,
    /// How it ended, or why it could not be built or called.
    pub result: Result<Ending, NotMade>,
}

/// Why a call was not made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotMade {
    /// The reason.
    pub why: Reason,
    /// What broke the import of its module, where that is the reason.
    pub import: Option<Raised>,
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

/// What a test run says as it goes on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ProveLine(
    /// The run; absent for the collection.
    pub Option<u64>,
    /// The process of that run.
    pub Option<u64>,
    /// What is said.
    pub serde_json::Value,
);

/// A call that was made again and looked at closely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// The key of the call.
    pub key: u64,
    /// How it ended, marshalled; `None` where it could not be made.
    pub outcome: Option<Vec<u8>>,
    /// What it printed to the output, and to the error stream.
    pub printed: [String; 2],
    /// What it warned.
    pub warned: Vec<Warned>,
    /// A number for each way from line to line of the project that it took, and for each fault that it noticed.
    pub arcs: Vec<u32>,
    /// The numbers of the faults that it was tried with and did not notice, where it was tried with any.
    pub silent: Option<Vec<u32>>,
    /// The numbers of the faults that it noticed, for each function that it was tried with; none where no fault could be tried.
    pub noticed: Vec<Option<Vec<u32>>>,
    /// What a result without a form says of itself: a dict, marshalled.
    pub says: Option<Vec<u8>>,
}

/// Which statements a call ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesOfCall {
    /// The key of the call.
    pub key: u64,
    /// The statements; `None` where the call could not be made.
    pub lines: Option<LinesRun>,
}

/// A call that was made again and followed line by line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesGiven {
    /// What its lines gave; none where it came to no end, or was not seen.
    pub lines: Option<GivenLines>,
    /// The outcome, marshalled, or why there is none.
    pub result: Result<Vec<u8>, NotMade>,
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
    turn: tokio::sync::Mutex<()>,
}

impl Worker {
    /// Starts the process and waits until it says who it is.
    ///
    /// # Errors
    /// When it cannot be started or contained.
    pub async fn start(spec: WorkerSpec) -> Result<Self, Trouble> {
        let worker = Self(Arc::new(Shared { spec, next: AtomicU64::new(1), live: Default::default(), turn: Default::default() }));
        worker.live().await?;
        Ok(worker)
    }

    /// Waits until nobody else has tests run there: those of two sessions could meet in the files that they write.
    pub async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.0.turn.lock().await
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

    /// Imports the modules of functions, so that calls that are made next find them imported; says nothing of what went wrong,
    /// for that is said once more where they are needed.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn import(&self, places: &[Spot]) -> Result<(), Trouble> {
        let (root, paths) = self.places()?;
        let op = Op::Import { root: &root, paths: &paths, places };
        self.ask(op, Duration::ZERO, |_| None::<()>).await?.all().await.map(drop)
    }

    /// Makes calls; each in a process of its own, from the files as they are now. With `track`, replies say which
    /// functions of the project were entered. Of a function of which `late_max` calls took all of their time the others are not
    /// made. Modules with a `former` text are imported from that.
    ///
    /// # Errors
    /// When the process cannot be started again or the request is too large.
    pub async fn replay(
        &self,
        calls: &[ReplayCall],
        track: bool,
        late_max: Option<u32>,
        former: &[Former],
    ) -> Result<Running<Replayed>, Trouble> {
        let wait = calls.iter().map(|call| call.wait).sum::<Duration>();
        let calls = calls.iter().map(ReplayCall::wire).collect();
        let (root, paths) = self.places()?;
        self.ask(Op::Replay { root: &root, paths: &paths, calls, track, late_max, former }, wait, |reply| {
            let result = match (reply.outcome, reply.broken) {
                (Some(outcome), _) => Ok(Ending { outcome, ns: reply.ns?, entered: reply.entered }),
                (None, why) => Err(NotMade { why: Refusal::reason(reply.reason, &why?), import: reply.import_failure }),
            };
            Some(Replayed { key: reply.key?, result })
        })
        .await
    }

    /// Makes calls again and looks at each closely: iterators are read, what is printed and warned is heard. Of those
    /// that `faulty` picks it is also found out which faults in their function they notice.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn look(&self, calls: &[ReplayCall], faulty: impl Fn(&ReplayCall) -> bool) -> Result<Running<Looked>, Trouble> {
        let wait = calls.iter().map(|call| call.wait).sum::<Duration>();
        let calls = calls
            .iter()
            .map(|call| {
                let wire = call.wire().also(&call.also);
                if faulty(call) { wire.with_faults() } else { wire.closely() }
            })
            .collect();
        let (root, paths) = self.places()?;
        let op = Op::Replay { root: &root, paths: &paths, calls, track: false, late_max: Some(LATE_MAX), former: &[] };
        self.ask(op, wait, |reply| {
            let printed = reply.printed.unwrap_or_default();
            let warning = |[module, name, message]: [String; 3]| Warned { category: TypeName::new(module, name), message };
            let warned = reply.warned.into_iter().map(warning).collect();
            let (arcs, silent, noticed, says) = (reply.arcs, reply.silent, reply.noticed, reply.says);
            Some(Looked { key: reply.key?, outcome: reply.outcome, printed, warned, arcs, silent, noticed, says })
        })
        .await
    }

    /// Imports modules, given by a function of each, and says of each, by its number, what broke its import.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn import_failures(&self, places: &[Spot], former: &[Former]) -> Result<Running<(u64, Option<Raised>)>, Trouble> {
        let calls = (0..)
            .zip(places)
            .map(|(key, place)| WireCall::new(key, &place.module, &place.path, &place.qualname, &[], 0).only_import());
        let calls = calls.collect();
        let (root, paths) = self.places()?;
        let op = Op::Replay { root: &root, paths: &paths, calls, track: false, late_max: None, former };
        self.ask(op, Duration::ZERO, |reply| Some((reply.key?, reply.import_failure))).await
    }

    /// Makes calls and says which statements on these lines each of them runs.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn lines_run(&self, calls: &[ReplayCall], lines: &Lines) -> Result<Running<LinesOfCall>, Trouble> {
        let wait = calls.iter().map(|call| call.wait).sum::<Duration>();
        let calls = calls.iter().map(|call| call.wire().following(lines)).collect();
        let (root, paths) = self.places()?;
        let op = Op::Replay { root: &root, paths: &paths, calls, track: false, late_max: Some(LATE_MAX), former: &[] };
        self.ask(op, wait, |reply| Some(LinesOfCall { key: reply.key?, lines: reply.lines_run.map(LinesRun::from_wire) })).await
    }

    /// Makes a call and says what each line of a function gave in it.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn line_values(&self, call: &ReplayCall, followed: &Followed) -> Result<Running<LinesGiven>, Trouble> {
        let (root, paths) = self.places()?;
        let calls = vec![call.wire().with_values(followed)];
        let op = Op::Replay { root: &root, paths: &paths, calls, track: false, late_max: None, former: &[] };
        self.ask(op, call.wait, |reply| {
            let result = match (reply.outcome, reply.broken) {
                (Some(outcome), _) => Ok(outcome),
                (None, why) => Err(NotMade { why: Refusal::reason(reply.reason, &why?), import: reply.import_failure }),
            };
            Some(LinesGiven { lines: reply.line_values, result })
        })
        .await
    }

    /// Searches beside the recorded calls of functions: for inputs that the `former` texts and the `current` ones tell apart. A module without a text is as it lies on the disk.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn near(
        &self,
        functions: &[NearSearch],
        former: &[Former],
        current: &[Former],
    ) -> Result<Running<Searched>, Trouble> {
        let wait = functions.iter().map(|one| one.wait + SEARCH_PATIENCE).sum();
        let items = (0..).zip(functions).filter_map(|(key, one)| one.item(key));
        let (root, paths) = self.places()?;
        let op = Op::Near { root: &root, paths: &paths, items: items.collect(), former, current };
        self.ask(op, wait, |reply| {
            let result = match reply.broken {
                Some(why) => Err(why),
                None => Ok(Outcome::read(&reply.rest)?),
            };
            Some(Searched { key: reply.key?, result })
        })
        .await
    }

    /// Evaluates expressions, all in one process, which has the name of a program.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn evaluate(&self, items: &[Expression], program: Option<&str>) -> Result<Running<Evaluated>, Trouble> {
        let (root, paths) = self.places()?;
        self.ask(Op::Evaluate { root: &root, paths: &paths, items, program }, Duration::ZERO, |reply| {
            let result = match (reply.value, reply.broken) {
                (Some(value), _) => Ok(value),
                (None, why) => Err(why?),
            };
            Some(Evaluated { key: reply.key?, result })
        })
        .await
    }

    /// Runs tests; what happens comes as it happens, some lines at a time.
    ///
    /// # Errors
    /// As [`Worker::replay`].
    pub async fn prove(&self, what: &Prove) -> Result<Running<Vec<ProveLine>>, Trouble> {
        let wait = Duration::from_millis(what.limit_ms);
        // What is no line is passed over: code of the project may have said it.
        let read = |reply: Reply| Some(reply.said.into_iter().filter_map(|said| serde_json::from_value(said).ok()).collect());
        self.ask(Op::Prove(what), wait, read).await
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
        let patience = PATIENCE + wait;
        Ok(Running { id, live, replies, read, patience, deadline: Instant::now() + patience, over: false })
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
    /// How long the next reply may take.
    patience: Duration,
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
        self.deadline = Instant::now() + self.patience;
        if let Some(error) = reply.error {
            self.over = true;
            return Some(Err(Trouble::environment(text::display(&error))));
        }
        if reply.done && reply.key.is_none() && reply.said.is_empty() {
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
