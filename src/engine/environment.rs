//! What running the project's code takes, found once and kept: interpreter, our package, the contained worker.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use tokio::sync::OnceCell;

use crate::base::error::Trouble;
use crate::contain::{self, Class, Level};
use crate::domain::call::{Call, CallId, Effect};
use crate::domain::function::FunctionId;
use crate::domain::snapshot::Trust;
use crate::domain::value::Value;
use crate::engine::core::Core;
use crate::engine::jobs::Job;
use crate::engine::{blocking, require_trust};
use crate::python::interpreter::{self, Interpreter};
use crate::python::package::{self, Package};
use crate::python::protocol::Expression;
use crate::python::value;
use crate::python::zygote::{ReplayCall, Worker, WorkerSpec};
use crate::source::index::Index;
use crate::store::StoredOutcome;

/// Calls asked for at once: few enough to stop soon, enough to import the project seldom.
const BATCH: usize = 250;
/// Outside modules that are imported once, ahead of all runs.
const PRELOAD_MAX: usize = 60;

/// Interpreter, package and worker of a trusted project.
pub struct Environment {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// Our Python package on disk.
    pub package: Package,
    /// How replays are contained.
    pub level: Level,
    worker: OnceCell<Worker>,
}

/// The interpreter for people and for `doctor`.
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// `3.12.1 .venv`
    pub label: String,
    /// Its path.
    pub path: String,
    /// pytest's version, when it is there.
    pub pytest: Option<String>,
}

/// What a call came to when it was run again.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The outcome, or why there is none.
    pub effect: Result<Effect, String>,
    /// The outcome as bytes.
    pub bytes: Vec<u8>,
    /// How long it took.
    pub duration_ns: i64,
    /// The project's functions it ran through.
    pub entered: Vec<FunctionId>,
}

impl Observed {
    /// Gives the form the store keeps.
    pub fn stored(&self, call: CallId, code: crate::base::hash::Digest) -> StoredOutcome {
        StoredOutcome { call, code, outcome: self.bytes.clone(), duration_ns: self.duration_ns, entered: self.entered.clone() }
    }
}

/// Gives the environment, found when first needed.
///
/// # Errors
/// Fails in a folder that is not trusted, and where there is no usable Python.
pub async fn get(core: &Arc<Core>) -> Result<Arc<Environment>, Trouble> {
    require_trust(&core.root, core.trust())?;
    let mut slot = core.environment.lock().await;
    if let Some(found) = slot.as_ref() {
        return Ok(found.clone());
    }
    let (root, setting) = (core.root.clone(), core.settings.python.clone());
    let found = blocking(move || {
        let interpreter = interpreter::find(&root, setting.as_deref())?;
        let package = package::install()?;
        Ok::<_, Trouble>((interpreter, package))
    })
    .await?;
    let (interpreter, package) = match found {
        Ok(found) => found,
        Err(trouble) => {
            core.state.lock().python_trouble = Some(trouble.clone());
            core.touch();
            return Err(trouble);
        }
    };
    {
        let mut state = core.state.lock();
        state.python = Some(interpreter.label.clone());
        state.python_trouble = interpreter.pytest.is_none().then(|| interpreter.without_pytest());
    }
    core.touch();
    let level = contain::level_for(Class::Replay { weak_allowed: true });
    let environment = Arc::new(Environment { interpreter, package, level, worker: OnceCell::new() });
    *slot = Some(environment.clone());
    Ok(environment)
}

/// Finds the interpreter and starts the worker ahead of the first need, where the project may be run.
pub async fn prepare(core: &Arc<Core>) {
    if core.trust() != Trust::Trusted {
        return;
    }
    let warm = async { get(core).await?.worker(core).await.map(|_| ()) };
    if let Err(trouble) = warm.await {
        core.complain("python", &trouble);
    }
}

/// Ends the worker.
pub async fn close(core: &Core) {
    core.environment.lock().await.take();
}

/// Lists the folders the project's modules are imported from, absolute.
pub fn import_roots(core: &Core) -> Vec<PathBuf> {
    let index = core.index();
    let roots: BTreeSet<&str> =
        index.modules().filter(|module| !module.is_test()).map(|module| module.import_root.as_str()).collect();
    let mut paths: Vec<PathBuf> = roots.into_iter().map(|root| core.root.join(root)).collect();
    if paths.is_empty() {
        paths.push(core.root.clone());
    }
    paths
}

/// Lists modules from outside the project that it imports, for loading once.
fn preload(index: &Index) -> Vec<String> {
    let own: BTreeSet<&str> = index.modules().filter_map(|module| module.name.split('.').next()).collect();
    let mut counted: HashMap<&str, usize> = HashMap::new();
    for module in index.modules().filter(|module| !module.is_test()) {
        for import in &module.imports {
            let top = import.module.split('.').next().unwrap_or("");
            if !import.module.starts_with('.') && !top.is_empty() && !own.contains(top) {
                *counted.entry(import.module.as_str()).or_default() += 1;
            }
        }
    }
    let mut names: Vec<(&str, usize)> = counted.into_iter().collect();
    names.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    names.into_iter().take(PRELOAD_MAX).map(|(name, _)| name.to_owned()).collect()
}

impl Environment {
    /// Describes it for people.
    pub fn found(&self) -> Found {
        Found {
            label: self.interpreter.label.clone(),
            path: self.interpreter.path.display().to_string(),
            pytest: self.interpreter.pytest.clone(),
        }
    }

    async fn worker(&self, core: &Core) -> Result<&Worker, Trouble> {
        self.worker
            .get_or_try_init(|| async {
                let mut spec = WorkerSpec::new(self.interpreter.clone(), self.package.clone(), self.level, &core.root);
                spec.paths = import_roots(core);
                spec.preload = preload(&core.index());
                Worker::start(spec).await
            })
            .await
    }

    /// Runs calls against the code on disk; what is cancelled is missing from the answer.
    pub async fn replay(&self, core: &Core, calls: &[Call], job: &Job<'_>) -> Result<HashMap<CallId, Observed>, Trouble> {
        let mut all = HashMap::with_capacity(calls.len());
        if calls.is_empty() {
            return Ok(all);
        }
        let index = core.index();
        let wait = Duration::from_secs_f64(core.settings.generation.call_seconds.clamp(0.05, 600.0));
        let worker = self.worker(core).await?;
        for batch in calls.chunks(BATCH) {
            let mut requests = Vec::with_capacity(batch.len());
            for (key, call) in batch.iter().enumerate() {
                let Some(function) = index.function(&call.function) else {
                    all.insert(call.id, gone("the function is gone"));
                    continue;
                };
                let qualname = function.id.qualname();
                requests.push(ReplayCall {
                    key: key as u64,
                    module: function.id.module().to_owned(),
                    path: function.path.as_str().to_owned(),
                    qualname: qualname.split('#').next().unwrap_or(qualname).to_owned(),
                    args: value::encode_arguments(&call.args),
                    wait,
                });
            }
            let mut running = worker.replay(&requests, true).await?;
            loop {
                let reply = tokio::select! {
                    () = job.cancel.cancelled() => return Ok(all),
                    reply = running.next() => reply,
                };
                let Some(reply) = reply else { break };
                let reply = reply?;
                let Some(call) = usize::try_from(reply.key).ok().and_then(|key| batch.get(key)) else { continue };
                all.insert(call.id, observed(&index, reply.result));
                job.progress(all.len() as u64, calls.len() as u64);
            }
            core.touch();
        }
        Ok(all)
    }

    /// Evaluates expressions in a clean namespace; gives each one's value or why there is none.
    pub async fn evaluate(&self, core: &Core, items: &[Expression]) -> Result<HashMap<u64, Result<Value, String>>, Trouble> {
        if items.is_empty() {
            return Ok(HashMap::new());
        }
        let replies = self.worker(core).await?.evaluate(items).await?.all().await?;
        Ok(replies
            .into_iter()
            .map(|reply| {
                let value = reply.result.and_then(|bytes| value::value(&bytes).map_err(|error| error.to_string()));
                (reply.key, value)
            })
            .collect())
    }
}

fn gone(why: &str) -> Observed {
    Observed { effect: Err(why.to_owned()), bytes: Vec::new(), duration_ns: 0, entered: Vec::new() }
}

fn observed(index: &Index, result: Result<crate::python::zygote::Ending, String>) -> Observed {
    let ending = match result {
        Ok(ending) => ending,
        Err(why) => return gone(&why),
    };
    let effect = value::outcome(&ending.outcome).map_err(|error| error.to_string());
    let entered = ending
        .entered
        .iter()
        .filter_map(|(path, qualname)| {
            let path = crate::base::paths::RelPath::new(path)?;
            index.by_code(&path, qualname, 0).map(|function| function.id.clone())
        })
        .collect();
    Observed { effect, bytes: ending.outcome, duration_ns: i64::try_from(ending.ns).unwrap_or(i64::MAX), entered }
}
