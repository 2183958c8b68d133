//! What running the project's code takes, found once and kept: interpreter, our package, the contained worker.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::try_join_all;
use parking_lot::RwLock;
use serde::Serialize;
use tokio::sync::OnceCell;

use crate::base::error::Trouble;
use crate::contain::{self, Class, Level};
use crate::domain::call::{Call, CallId};
use crate::domain::function::FunctionId;
use crate::domain::question::About;
use crate::domain::snapshot::Trust;
use crate::domain::value::Value;
use crate::engine::python::program;
use crate::engine::python::replay_calls::{self, BATCH, Observed, On, Whole, requests, roomy, spot};
use crate::engine::python::worker_pool::Provers;
use crate::engine::state::background::blocking;
use crate::engine::state::core::Core;
use crate::engine::state::jobs::Job;
use crate::engine::state::questions;
use crate::engine::state::trust::require_trust;
use crate::generate::closer::{self, Look};
use crate::generate::learned::{self, Said};
use crate::python::interpreter::{self, Interpreter};
use crate::python::line_values::Followed;
use crate::python::lines_run::LinesRun;
use crate::python::near::Searched;
use crate::python::package::{self, Package};
use crate::python::protocol::{Expression, Former, LARGEST_FRAME, Lines, Raised, Spot};
use crate::python::value;
use crate::python::zygote::{LATE_MAX, LinesGiven, NearSearch, ReplayCall, Running, Worker, WorkerSpec};
use crate::source::index::Index;
use crate::source::installed::Installed;

/// Outside modules that are imported once, ahead of all runs.
const PRELOAD_MAX: usize = 60;

/// So many objects are asked at once how they are made: a large one takes a megabyte.
const ASKED_AT_ONCE: usize = 200;

/// Bytes of expressions in one request; JSON may need several for one of them.
const REQUEST_MAX: usize = LARGEST_FRAME as usize / 8;

/// What a call showed of functions.
#[derive(Debug, Clone, Default)]
pub struct Noticed {
    /// A number for each way that it took, and for each fault that it noticed.
    pub shows: BTreeSet<u32>,
    /// The faults that it noticed, by their function; `None` where no fault could be tried.
    pub faults: HashMap<FunctionId, Option<BTreeSet<u32>>>,
}

/// Interpreter, package and worker of a trusted project.
pub struct Environment {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// Our Python package on disk.
    pub package: Package,
    /// How replays are contained.
    pub level: Level,
    /// The Pythons that prove drafts.
    pub provers: Provers,
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
    /// The versions of all installed packages by their names, in small letters with underscores.
    pub packages: BTreeMap<String, String>,
}

/// The environment once it was found.
#[derive(Default)]
struct Current(tokio::sync::Mutex<Option<Arc<Environment>>>);

/// What is known of the packages in the environment.
#[derive(Default)]
pub struct Packages(pub RwLock<Arc<Installed>>);

/// Gives the environment, found when first needed: without a chosen interpreter, that of the newest recording.
///
/// # Errors
/// Fails in a folder that is not trusted, and where there is no usable Python.
pub async fn get(core: &Arc<Core>) -> Result<Arc<Environment>, Trouble> {
    find(core, recorded(core)).await
}

/// Gives the environment in which a program is recorded, whatever earlier ones ran in.
///
/// # Errors
/// As [`get`].
pub async fn to_record(core: &Arc<Core>) -> Result<Arc<Environment>, Trouble> {
    find(core, None).await
}

/// Gives the interpreter of the newest recording and when that began, where the interpreter is still there.
fn recorded(core: &Core) -> Option<(PathBuf, SystemTime)> {
    let recordings = core.store().recordings().ok()?;
    let newest =
        recordings.into_iter().filter(|recording| recording.interpreter.is_some()).max_by_key(|recording| recording.id)?;
    let path = PathBuf::from(newest.interpreter?);
    let began = UNIX_EPOCH + Duration::from_millis(u64::try_from(newest.started.0).ok()?);
    path.is_file().then_some((path, began))
}

/// Finds the interpreter that a person chose, or else the one of a recording; an environment of the project that was made
/// after it comes before that.
fn interpreter_of(root: &Path, setting: Option<&str>, recorded: Option<(PathBuf, SystemTime)>) -> Result<Interpreter, Trouble> {
    let found = interpreter::find(root, setting);
    let Some((path, began)) = recorded.filter(|_| setting.is_none()) else { return found };
    if let Ok(found) = &found {
        let made = found
            .path
            .parent()
            .and_then(Path::parent)
            .and_then(|folder| folder.join("pyvenv.cfg").metadata().ok()?.modified().ok());
        if found.path == path || made.is_some_and(|made| made > began) {
            return Ok(found.clone());
        }
    }
    let then = interpreter::find(root, Some(&path.to_string_lossy()));
    // What cannot run tests is not followed where there is one that can.
    let can_test = |one: &Result<Interpreter, Trouble>| one.as_ref().is_ok_and(|one| one.pytest.is_some());
    if can_test(&found) && !can_test(&then) { found } else { then.or(found) }
}

async fn find(core: &Arc<Core>, recorded: Option<(PathBuf, SystemTime)>) -> Result<Arc<Environment>, Trouble> {
    require_trust(&core.root, core.trust())?;
    let current = core.part::<Current>();
    let mut slot = current.0.lock().await;
    if let Some(found) = slot.as_ref() {
        return Ok(found.clone());
    }
    let (root, setting) = (core.root.clone(), core.settings().python.clone());
    let found = blocking(move || {
        let interpreter = interpreter_of(&root, setting.as_deref(), recorded)?;
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
    let weak_allowed = core.state.lock().consent.weak == Some(true);
    let level = blocking(move || contain::level_for(Class::Replay { weak_allowed })).await?;
    let environment = Arc::new(Environment { interpreter, package, level, provers: Provers::default(), worker: OnceCell::new() });
    *core.part::<Packages>().0.write() = Arc::default();
    *slot = Some(environment.clone());
    Ok(environment)
}

/// Gives the environment where recorded calls may run in it; waits for a person's word where the sandbox is weak.
///
/// # Errors
/// As [`get`], and where there is no sandbox, or a weak one that is not allowed.
pub async fn contained(core: &Arc<Core>) -> Result<Arc<Environment>, Trouble> {
    let environment = get(core).await?;
    if environment.level != Level::None {
        return Ok(environment);
    }
    let probe = blocking(contain::probe).await?;
    let why: Vec<String> = probe.refused.iter().map(|(_, why)| why.clone()).collect();
    if probe.level != Level::Weak {
        let trouble = Trouble::environment("Recorded calls are not run: there is no sandbox here.");
        return Err(trouble.because(why.join(" ")).so("pytead-tui doctor says what is missing."));
    }
    let about = About::WeakContainment { why };
    if !questions::ask(core, about.clone(), None).await? {
        return Err(about.declined());
    }
    let current = core.part::<Current>();
    let mut slot = current.0.lock().await;
    if slot.as_ref().is_some_and(|found| found.level == Level::None) {
        slot.take();
    }
    drop(slot);
    get(core).await
}

/// Tells whether what needs a sandbox waits for a person's word now.
pub fn waits_for_answer(core: &Core) -> bool {
    core.attended && core.state.lock().consent.weak.is_none() && contain::available() == Level::Weak
}

/// Tells whether a person said that recorded calls may not run here: nothing that runs by itself says so again.
pub fn is_declined(core: &Core) -> bool {
    core.state.lock().consent.weak == Some(false) && contain::available() == Level::Weak
}

/// Finds the interpreter and starts the worker ahead of the first need, where the project may be run.
pub async fn prepare(core: &Arc<Core>) {
    if core.trust() != Trust::Trusted {
        return;
    }
    let warm = async { contained(core).await?.worker(core).await.map(|_| ()) };
    if let Err(trouble) = warm.await {
        core.complain("python", &trouble);
    }
}

/// Has the worker import the modules of these functions, ahead of the first call that is made there.
pub async fn import_ahead(core: &Arc<Core>, functions: BTreeSet<FunctionId>) -> Result<(), Trouble> {
    let environment = get(core).await?;
    if environment.level == Level::None {
        return Ok(());
    }
    let index = core.index();
    let spots: Vec<Spot> = functions.iter().filter_map(|id| spot(&index, id)).collect();
    environment.worker(core).await?.import(&spots).await
}

/// Ends the worker.
pub async fn close(core: &Core) {
    core.part::<Current>().0.lock().await.take();
}

/// Gives the variables that the project's modules need to be imported, as they were recorded.
pub fn import_variables(core: &Core) -> BTreeMap<String, String> {
    core.store().import_variables().unwrap_or_else(|error| {
        core.log.trouble("python", &error.into());
        BTreeMap::new()
    })
}

/// Lists the folders the project's modules are imported from, absolute. Those of tests come last: pytest puts them on the path,
/// and recorded values may be of classes that a test file defines.
pub fn import_roots(index: &Index, root: &Path) -> Vec<PathBuf> {
    let of = |is_test: bool| {
        let modules = index.modules().filter(move |module| module.is_test() == is_test);
        modules.map(|module| module.import_root.as_str()).collect::<BTreeSet<&str>>()
    };
    let (mut sources, tests) = (of(false), of(true));
    if sources.is_empty() {
        sources.insert("");
    }
    sources.iter().chain(tests.difference(&sources)).map(|below| root.join(below)).collect()
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
            packages: self.interpreter.packages.clone(),
        }
    }

    async fn worker(&self, core: &Core) -> Result<&Worker, Trouble> {
        self.worker.get_or_try_init(|| Worker::start(roomy(self.worker_spec(core)))).await
    }

    /// Lists the outside modules that were imported ahead and left no threads.
    pub async fn preloaded(&self, core: &Core) -> Result<Vec<String>, Trouble> {
        Ok(self.worker(core).await?.hello().await?.preloaded)
    }

    /// Names what changes the time of day in the project's Python.
    pub async fn clock(&self, core: &Core) -> Result<Option<String>, Trouble> {
        Ok(self.worker(core).await?.hello().await?.clock)
    }

    /// Lists the top-level modules of the plugins that pytest has in the project's Python.
    pub async fn plugins(&self, core: &Core) -> Result<Vec<String>, Trouble> {
        Ok(self.worker(core).await?.hello().await?.plugins)
    }

    /// Runs calls against the code on disk; what is cancelled is missing from the answer. Of a function that does not end any
    /// more a few are tried.
    pub async fn replay(&self, core: &Core, calls: &[Call], job: &Job<'_>) -> Result<HashMap<CallId, Observed>, Trouble> {
        if calls.is_empty() {
            return Ok(HashMap::new());
        }
        replay_calls::run(
            core,
            self.worker(core).await?,
            On { index: &core.index(), former: &[], files_as_recorded: false },
            calls,
            job,
            Some(LATE_MAX),
        )
        .await
    }

    /// As [`Environment::replay`], for calls that are run for the first time, on the code they were recorded with: each is
    /// tried, however long others took.
    pub async fn try_all(
        &self,
        core: &Core,
        on: On<'_>,
        calls: &[Call],
        job: &Job<'_>,
    ) -> Result<HashMap<CallId, Observed>, Trouble> {
        replay_calls::run(core, self.worker(core).await?, on, calls, job, None).await
    }

    /// Searches beside the recorded calls of functions, with the texts that modules had and, where others are given, have.
    pub async fn near(
        &self,
        core: &Core,
        functions: &[NearSearch],
        former: &[Former],
        current: &[Former],
    ) -> Result<Running<Searched>, Trouble> {
        self.worker(core).await?.near(functions, former, current).await
    }

    /// Describes a worker of this project.
    pub fn worker_spec(&self, core: &Core) -> WorkerSpec {
        let mut spec = WorkerSpec::new(self.interpreter.clone(), self.package.clone(), self.level, &core.root);
        let index = core.index();
        spec.paths = import_roots(&index, &core.root);
        spec.preload = preload(&index);
        spec.env = import_variables(core);
        spec
    }

    /// Looks at calls closely, those of a function together; those that cannot be made again are missing from the answer.
    /// With more than `few` calls of a function, faults in it tell them apart; those that come first are tried with most.
    /// After each, `looked` gets the number of calls that were looked at, and of all.
    pub async fn look(
        &self,
        core: &Core,
        calls: &[Call],
        few: usize,
        looked: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<HashMap<CallId, Look>, Trouble> {
        if calls.is_empty() {
            return Ok(HashMap::new());
        }
        let mut of_function: HashMap<&FunctionId, usize> = HashMap::new();
        for call in calls {
            *of_function.entry(&call.function).or_default() += 1;
        }
        let index = core.index();
        let lanes = replay_calls::lanes(self.worker(core).await?, &index, calls, Whole::Functions).await?;
        let is_of_many = |call: &Call| of_function.get(&call.function).is_some_and(|count| *count > few);
        let made = AtomicU64::new(0);
        let count = || looked(made.fetch_add(1, Ordering::Relaxed) + 1, calls.len() as u64);
        let looks = try_join_all(lanes.iter().map(|lane| self.look_at(core, &index, lane, &is_of_many, &count))).await?;
        Ok(looks.into_iter().flatten().collect())
    }

    /// Looks at calls closely, one after another.
    async fn look_at(
        &self,
        core: &Core,
        index: &Index,
        calls: &[&Call],
        is_of_many: &(impl Fn(&Call) -> bool + Sync),
        count: &(impl Fn() + Sync),
    ) -> Result<HashMap<CallId, Look>, Trouble> {
        let mut all = HashMap::new();
        let wait = Duration::from_secs_f64(core.settings().generation.call_seconds.clamp(0.05, 600.0));
        let worker = self.worker(core).await?;
        for batch in batches(calls.chunk_by(|one, next| one.function == next.function).map(<[_]>::len)) {
            let batch = &calls[batch];
            let call_of = |key: u64| usize::try_from(key).ok().and_then(|key| batch.get(key));
            let many = |request: &ReplayCall| call_of(request.key).is_some_and(|call| is_of_many(call));
            let mut running = worker.look(&requests(core, index, batch.iter().copied(), wait)?, many).await?;
            while let Some(reply) = running.next().await {
                let reply = reply?;
                count();
                let effect = reply.outcome.and_then(|bytes| value::outcome(&bytes).ok());
                if let (Some(call), Some(effect)) = (call_of(reply.key), effect) {
                    let says = reply.says.and_then(|bytes| value::value(&bytes).ok()).map_or_else(Vec::new, closer::said);
                    let (printed, warned) = (reply.printed, reply.warned);
                    let look = Look { effect, printed, warned, arcs: reply.arcs, silent: reply.silent, says };
                    all.insert(call.id, look);
                }
            }
        }
        Ok(all)
    }

    /// Says which ways calls take, and which faults in these functions of the index they notice; what cannot be made again is
    /// missing from the answer.
    pub async fn notice(&self, core: &Core, wanted: &[(Call, Vec<FunctionId>)]) -> Result<HashMap<CallId, Noticed>, Trouble> {
        let index = core.index();
        let wait = Duration::from_secs_f64(core.settings().generation.call_seconds.clamp(0.05, 600.0));
        let mut all = HashMap::new();
        for batch in wanted.chunks(BATCH) {
            let mut asked = requests(core, &index, batch.iter().map(|(call, _)| call), wait)?;
            for request in &mut asked {
                let wanted = usize::try_from(request.key).ok().and_then(|key| batch.get(key));
                request.also =
                    wanted.into_iter().flat_map(|(_, functions)| functions).filter_map(|id| spot(&index, id)).collect();
            }
            let mut running = self.worker(core).await?.look(&asked, |_| false).await?;
            while let Some(reply) = running.next().await {
                let reply = reply?;
                if let Some((call, functions)) = usize::try_from(reply.key).ok().and_then(|key| batch.get(key)) {
                    let faults = reply.noticed.into_iter().map(|marks| marks.map(|marks| marks.into_iter().collect()));
                    let known = functions.iter().filter(|id| spot(&index, id).is_some()).cloned();
                    all.insert(call.id, Noticed { shows: reply.arcs.into_iter().collect(), faults: known.zip(faults).collect() });
                }
            }
        }
        Ok(all)
    }

    /// Imports the modules of these functions, and gives what broke the import of those that cannot be.
    pub async fn import_failures(
        &self,
        core: &Core,
        places: &[Spot],
        former: &[Former],
    ) -> Result<Vec<(String, Raised)>, Trouble> {
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let replies = self.worker(core).await?.import_failures(places, former).await?.all().await?;
        let module = |key: u64| usize::try_from(key).ok().and_then(|key| places.get(key)).map(|place| place.module.clone());
        Ok(replies.into_iter().filter_map(|(key, raised)| Some((module(key)?, raised?))).collect())
    }

    /// Says which statements on these lines any of these calls runs; `None` where no call tells.
    pub async fn lines_run(&self, core: &Core, calls: &[Call], lines: &Lines) -> Result<Option<LinesRun>, Trouble> {
        let wait = Duration::from_secs_f64(core.settings().generation.call_seconds.clamp(0.05, 600.0));
        let mut asked = requests(core, &core.index(), calls.iter(), wait)?;
        replay_calls::as_recorded(core, &mut asked, &calls.iter().collect::<Vec<_>>())?;
        let mut running = self.worker(core).await?.lines_run(&asked, lines).await?;
        let mut all: Option<LinesRun> = None;
        while let Some(reply) = running.next().await {
            let own = reply?.lines;
            all = LinesRun::joined(all, own);
        }
        Ok(all)
    }

    /// Makes a call again and says what each line of a function gave in it; `None` where it has no place in the code of today.
    pub async fn line_values(&self, core: &Core, call: &Call, followed: &Followed) -> Result<Option<LinesGiven>, Trouble> {
        let wait = Duration::from_secs_f64(core.settings().generation.call_seconds.clamp(0.05, 600.0));
        let mut asked = requests(core, &core.index(), std::iter::once(call), wait)?;
        replay_calls::as_recorded(core, &mut asked, &[call])?;
        let Some(request) = asked.first() else { return Ok(None) };
        self.worker(core).await?.line_values(request, followed).await?.next().await.transpose()
    }

    /// Tries to make objects from what they say of themselves; gives each with the arguments that made one, and what they made.
    pub async fn ways(&self, core: &Core, objects: Vec<&Value>) -> Result<Vec<(Value, Said)>, Trouble> {
        let mut found = Vec::new();
        for some in objects.chunks(ASKED_AT_ONCE) {
            let items: Vec<Expression> =
                (0..).zip(some).map(|(key, object)| Expression::ways(key, &value::encode(object))).collect();
            let mut replies = self.evaluate(core, &items).await?;
            let said = |(key, object): (u64, &&Value)| Some(((*object).clone(), learned::said(replies.remove(&key)?.ok()?)));
            found.extend((0..).zip(some).filter_map(said));
        }
        Ok(found)
    }

    /// Evaluates expressions in a clean namespace; gives each one's value or why there is none.
    pub async fn evaluate(&self, core: &Core, items: &[Expression]) -> Result<HashMap<u64, Result<Value, String>>, Trouble> {
        let (mut values, program) = (HashMap::new(), if items.is_empty() { None } else { program::latest(core) });
        for some in requests_of(items) {
            let replies = self.worker(core).await?.evaluate(some, program.as_deref()).await?.all().await?;
            values.extend(replies.into_iter().map(|reply| {
                let value = reply.result.and_then(|bytes| value::value(&bytes).map_err(|error| error.to_string()));
                (reply.key, value)
            }));
        }
        Ok(values)
    }
}

/// Parts expressions so that each request stays far below the largest one.
fn requests_of(items: &[Expression]) -> impl Iterator<Item = &[Expression]> {
    let mut size = 0;
    items.chunk_by(move |one, next| {
        size += one.size();
        let fits = size + next.size() <= REQUEST_MAX;
        if !fits {
            size = 0;
        }
        fits
    })
}

/// Parts calls, of which these many stand side by side for each function: those of one stay together up to [`BATCH`], so that
/// what is found out of them does not follow from what else is asked.
fn batches(of_functions: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut open = 0..0;
    for count in of_functions {
        if open.len() + count > BATCH && !open.is_empty() {
            all.push(open.clone());
            open = open.end..open.end;
        }
        open.end += count;
        while open.len() > BATCH {
            all.push(open.start..open.start + BATCH);
            open.start += BATCH;
        }
    }
    all.extend(Some(open).filter(|open| !open.is_empty()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_of_a_function_are_parted_alike_whatever_else_is_asked() {
        let of = |sizes: &[usize]| batches(sizes.iter().copied());
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[100, 150, 1]), [0..250, 250..251]);
        assert_eq!(of(&[100, 151]), [0..100, 100..251]);
        assert_eq!(of(&[10, 600, 20]), [0..10, 10..260, 260..510, 510..630], "a long one begins a batch of its own");
        assert_eq!(of(&[600]), [0..250, 250..500, 500..600]);
    }

    #[test]
    fn expressions_of_any_number_and_size_fit_into_requests() {
        let of = |sizes: &[usize]| {
            let items: Vec<Expression> =
                (0..).zip(sizes).map(|(key, size)| Expression::new(key, "x".repeat(*size), Vec::new())).collect();
            requests_of(&items).map(<[_]>::len).collect::<Vec<_>>()
        };
        let third = REQUEST_MAX / 3;
        assert!(of(&[]).is_empty());
        assert_eq!(of(&[1, 1, 1]), [3]);
        assert_eq!(of(&[third; 7]), [3, 3, 1]);
        assert_eq!(of(&[1, 4 * third, 1, 1]), [1, 1, 2], "one that is too large has one of its own");
    }
}
