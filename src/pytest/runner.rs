//! How pytest is run on a bench of tests: arguments, environment, limits. Who starts it, and how contained, is the caller.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::base::error::Trouble;
use crate::base::paths::read_regular;
use crate::pytest::bench::Bench;
use crate::pytest::report::{Report, read};
use crate::python::package::Package;

/// A report may have this many bytes; what a run writes beyond is not read.
const REPORT_MAX: u64 = 16 << 20;

/// A run of tests that lie on a bench.
#[derive(Debug, Clone)]
pub struct Suite<'a> {
    /// The project's interpreter, with pytest.
    pub interpreter: &'a Path,
    /// Our Python package on disk.
    pub package: &'a Package,
    /// The project's root: where the tests run.
    pub root: &'a Path,
    /// Where the tests lie.
    pub bench: &'a Bench,
    /// What to run: files below the bench, or single tests as `file::test`.
    pub tests: &'a [String],
    /// Folders to import the project's modules from, absolute.
    pub import_roots: &'a [PathBuf],
    /// The seed of Python's hashes.
    pub hash_seed: u32,
    /// `reverse` or `shuffle`; as they are collected when absent.
    pub order: Option<&'static str>,
    /// The working folder of the tests, once they are imported in the project's root; that root when absent.
    pub cwd: Option<&'a Path>,
    /// As if on another machine.
    pub other_machine: bool,
    /// More variables, such as `TZ`.
    pub env: BTreeMap<String, String>,
    /// How long it may take.
    pub limit: Duration,
}

/// A command for the caller to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The interpreter.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// How long it may take.
    pub limit: Duration,
}

/// How a started command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it, by its name.
    Killed(String),
    /// It was ended because its time was up.
    TimedOut,
}

/// What a started command left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// What it wrote to stdout and stderr, or the last part of it.
    pub text: String,
}

/// Runs a suite: `start` runs the command and waits for its end or its time.
///
/// # Errors
/// When a path is not UTF-8, the report cannot be read, or `start` fails.
pub fn run(suite: &Suite<'_>, start: &mut dyn FnMut(&Invocation) -> Result<Output, Trouble>) -> Result<Report, Trouble> {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = suite.bench.folder.join(format!("report-{}.jsonl", RUNS.fetch_add(1, Ordering::Relaxed)));
    let output = start(&invocation(suite, &report)?)?;
    let lines = match read_regular(&report, REPORT_MAX) {
        Ok(lines) => lines,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(Trouble::environment("What pytest found cannot be read.").because(error)),
    };
    let _ = std::fs::remove_file(&report);
    Ok(read(&String::from_utf8_lossy(&lines), &output, suite.limit))
}

/// Gives the arguments that every run of tests on a bench has, wherever pytest is started.
pub(super) fn arguments(bench: &Bench, tests: &[String]) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        ["-q", "--tb=short", "--color=no", "--continue-on-collection-errors"].map(OsString::from).into();
    // The cache would be written into the project; another order or other processes would make runs differ; options
    // the project adds are for its own runs: coverage, reports, parallel workers.
    args.extend(["-p", "no:cacheprovider", "-p", "no:randomly", "-o", "addopts="].map(OsString::from));
    // A warm Python has imported plugins before pytest does, which projects that take warnings for errors would not survive.
    args.extend(["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning", "--rootdir"].map(OsString::from));
    args.push(bench.folder.clone().into());
    args.push("-c".into());
    args.push(bench.config.clone().into());
    args.extend(bench.collected(tests));
    args
}

fn invocation(suite: &Suite<'_>, report: &Path) -> Result<Invocation, Trouble> {
    let mut args: Vec<OsString> = ["-m", "pytest", "-p", "pytead_tui.pytest_report"].map(OsString::from).into();
    args.extend(arguments(suite.bench, suite.tests));
    let search = std::iter::once(&suite.package.folder).chain(suite.import_roots);
    let search = std::env::join_paths(search)
        .map_err(|error| Trouble::environment("pytest cannot be run with this folder.").because(format!("{error}.")))?;
    let mut env = suite.env.clone();
    env.insert("PYTHONPATH".into(), utf8(search)?);
    env.insert("PYTHONHASHSEED".into(), suite.hash_seed.to_string());
    env.insert("PYTHONDONTWRITEBYTECODE".into(), "1".into());
    env.insert("PYTEAD_REPORT".into(), utf8(report.into())?);
    env.insert("PYTEAD_PROJECT".into(), utf8(suite.root.into())?);
    if suite.other_machine {
        let given: Vec<&str> = suite.env.keys().map(String::as_str).collect();
        env.insert("PYTEAD_ELSEWHERE".into(), given.join(" "));
    }
    if let Some(order) = suite.order {
        env.insert("PYTEAD_ORDER".into(), order.into());
    }
    if let Some(cwd) = suite.cwd {
        env.insert("PYTEAD_FOLDER".into(), utf8(cwd.into())?);
    }
    let cwd = suite.root.to_owned();
    Ok(Invocation { program: suite.interpreter.to_owned(), args, env, cwd, limit: suite.limit })
}

fn utf8(path: OsString) -> Result<String, Trouble> {
    path.into_string().map_err(|path| {
        let path = path.to_string_lossy().into_owned();
        Trouble::environment("pytest cannot be run with a path that is not UTF-8.").because(format!("{path}."))
    })
}
