//! What is run of recorded tests, where, and what runs showed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;

use super::spare::Spares;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{ANSWERS, Argument, Effect};
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::{BySession, RecordedTest, TestId, TestSession};
use crate::domain::settings::{Record, Redact};
use crate::domain::value::Value;
use crate::engine::python::environment::Environment;
use crate::generate::timing;
use crate::python::lines_run::LinesRun;
use crate::python::protocol::Lines;
use crate::python::value;
use crate::source::index::Index;

/// Session fixtures that are learned of a session.
const FIXTURES_MAX: usize = 128;

/// The project's files that tests run on.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// A folder that is seen in the place of the project's.
    pub stand_in: Option<PathBuf>,
    /// Texts of files that are others there.
    pub texts: BTreeMap<RelPath, String>,
    /// Files that are not there.
    pub gone: BTreeSet<RelPath>,
    /// More to read, absolute.
    pub read_only: Vec<PathBuf>,
}

/// What is run.
pub struct Wanted<'a> {
    /// The tests, in the order in which they run.
    pub tests: &'a BTreeMap<TestId, RecordedTest>,
    /// The functions of each test whose calls are recorded.
    pub functions: &'a BTreeMap<TestId, BTreeSet<FunctionId>>,
    /// For each start of a session the files of tests that it collects.
    pub collected: &'a BTreeMap<TestId, BTreeSet<String>>,
    /// Variables of the environment, besides those of the recorder.
    pub variables: BTreeMap<String, String>,
    /// Seconds by which the clock is put forward.
    pub shift: Option<i64>,
    /// The files of tests are parted into so many groups at most, each with a process of its own: what a test finds of the others that
    /// were collected with it is noise.
    pub groups: usize,
    /// Counts the tests that ended.
    pub ended: &'a AtomicU64,
    /// Lines that are followed.
    pub lines: &'a Lines,
    /// Nothing is recorded: the lines are all that is wanted.
    pub only_lines: bool,
    /// What earlier runs learned.
    pub learned: &'a Learned,
    /// Tests that run before the others.
    pub first: &'a BTreeSet<TestId>,
    /// Gets what the first tests of a session showed as soon as they ended.
    pub early: Option<&'a Early>,
    /// Sandboxes that wait for a run; without it, none does.
    pub spares: Option<&'a Spares>,
    /// The modules that each session imports before everything else: their files, by name.
    pub modules: &'a BySession,
    /// Sessions say which modules could be imported before everything else.
    pub tell_loaded: bool,
}

/// Gets what tests showed while others still run.
pub type Early = dyn Fn(Reruns) + Send + Sync;

/// Session fixtures that tests asked for while they ran, by their sessions: the next run sets them up once for all of its tests, the
/// first one included. They come from contained code, and go back to such code alone.
#[derive(Debug, Default)]
pub struct Learned(Mutex<BTreeMap<TestSession, BTreeMap<String, String>>>);

impl Learned {
    /// Takes over what is stored of sessions that nothing was learned of yet.
    pub fn recall(&self, stored: BySession) {
        let mut all = self.0.lock();
        for (session, fixtures) in stored {
            all.entry(session).or_insert(fixtures);
        }
    }

    /// Lists what is known now and is not what is stored.
    pub fn news(&self, stored: &BySession) -> BySession {
        let is_new = |(session, fixtures): &(&TestSession, &BTreeMap<String, String>)| stored.get(session) != Some(fixtures);
        self.0.lock().iter().filter(is_new).map(|(session, fixtures)| (session.clone(), fixtures.clone())).collect()
    }

    pub(super) fn of(&self, session: &TestSession) -> BTreeMap<String, String> {
        self.0.lock().get(session).cloned().unwrap_or_default()
    }

    pub(super) fn add(&self, session: &TestSession, fixtures: BTreeMap<String, String>) {
        if fixtures.is_empty() {
            return;
        }
        let mut all = self.0.lock();
        let known = all.entry(session.clone()).or_default();
        known.extend(fixtures.into_iter().take(FIXTURES_MAX.saturating_sub(known.len())));
    }
}

/// Where it is run.
pub struct Place<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// Interpreter and package.
    pub environment: &'a Environment,
    /// Names the functions of the files that run.
    pub index: Arc<Index>,
    /// The files.
    pub files: &'a Files,
    /// What is recorded of the project.
    pub record: &'a Record,
    /// What is never recorded.
    pub redact: &'a Redact,
}

/// What runs of tests showed.
#[derive(Debug, Default)]
pub struct Reruns {
    /// Each test that was run.
    pub tests: BTreeMap<TestId, Rerun>,
    /// Why others were not run, in one line each.
    pub not_run: BTreeMap<TestId, String>,
    /// Of the last session, the modules that are not the project's, where that was asked for.
    pub loaded: Loaded,
}

/// Modules that a session imported and that are not the project's.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Their files, by name.
    pub modules: BTreeMap<String, String>,
    /// Those that could not be imported before everything else.
    pub failed: BTreeSet<String>,
}

/// What the run of a test showed. Its calls are kept as the recorder wrote them, and read test by test: read, they take ten times the
/// memory.
#[derive(Debug, Clone)]
pub struct Rerun<C = EncodedCall> {
    /// It passed, or is expected to fail and did.
    pub passed: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What was wrong, where it did not pass.
    pub said: Option<String>,
    /// Which of the lines that were followed it ran; `None` where it did not get to its end, or where Python cannot follow lines
    /// beside the recorder.
    pub lines_run: Option<LinesRun>,
    /// The calls of each function, in the order in which they began.
    pub calls: BTreeMap<FunctionId, Vec<C>>,
    /// What its clients were answered without any of these calls.
    pub answers: Vec<Value>,
    /// Its process.
    pub process: Option<i64>,
}

impl<C> Default for Rerun<C> {
    fn default() -> Self {
        let (calls, answers) = (BTreeMap::new(), Vec::new());
        Self { passed: false, ms: 0, said: None, lines_run: None, calls, answers, process: None }
    }
}

impl Rerun {
    /// Reads its calls.
    pub fn read(&self) -> Rerun<RerunCall> {
        let read = |(function, calls): (&FunctionId, &Vec<EncodedCall>)| {
            (function.clone(), calls.iter().map(EncodedCall::read).collect())
        };
        Rerun {
            passed: self.passed,
            ms: self.ms,
            said: self.said.clone(),
            lines_run: self.lines_run.clone(),
            calls: self.calls.iter().map(read).collect(),
            answers: self.answers.clone(),
            process: self.process,
        }
    }
}

/// A call in the run of a test, as the recorder wrote it.
#[derive(Debug, Clone)]
pub struct EncodedCall {
    /// Its arguments.
    pub(super) args: Vec<u8>,
    /// How it ended; `None` where it did not.
    pub(super) outcome: Option<Vec<u8>>,
    /// What clients were answered by way of it.
    pub(super) answers: Vec<Value>,
    pub(super) input: Digest,
    pub(super) caller_line: Option<u32>,
    pub(super) duration_ns: i64,
    pub(super) entered: Vec<FunctionId>,
}

impl EncodedCall {
    fn read(&self) -> RerunCall {
        let mut effect = self.outcome.as_deref().and_then(|bytes| value::outcome(bytes).ok());
        if let Some(effect) = &mut effect {
            timing::leave_out(effect);
            if !self.answers.is_empty() {
                effect.add_side_effects(ANSWERS, Value::List(self.answers.clone()));
            }
        }
        RerunCall {
            args: value::arguments(&self.args).map(|(args, _)| args).unwrap_or_default(),
            input: self.input,
            caller_line: self.caller_line,
            effect,
            duration_ns: self.duration_ns,
            entered: self.entered.clone(),
        }
    }
}

/// A call in the run of a test.
#[derive(Debug, Clone)]
pub struct RerunCall {
    /// Its arguments.
    pub args: Vec<Argument>,
    /// Hash of its function and arguments.
    pub input: Digest,
    /// The line it was made from.
    pub caller_line: Option<u32>,
    /// How it ended; `None` where it did not.
    pub effect: Option<Effect>,
    /// How long it took, in nanoseconds.
    pub duration_ns: i64,
    /// The functions that were called in it, its own included.
    pub entered: Vec<FunctionId>,
}

pub(super) fn failed(error: std::io::Error) -> Trouble {
    Trouble::environment("Recorded tests cannot be laid out.").because(error)
}

/// Names a function as the recorder's targets do: where it is defined in the code that runs.
pub(super) fn target(function: &FunctionId, index: &Index) -> String {
    let today = index.today(function).map_or(function, |today| &today.id);
    today.0.split('#').next().unwrap_or_default().to_owned()
}

impl Wanted<'_> {
    /// Lists the functions that moved since they were recorded, by the names of today.
    pub(super) fn moved(&self, index: &Index) -> HashMap<FunctionId, FunctionId> {
        let asked = self.functions.values().flatten().filter(|function| index.function(function).is_none());
        asked.filter_map(|function| Some((index.today(function)?.id.clone(), function.clone()))).collect()
    }
}
