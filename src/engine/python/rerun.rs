//! Recorded tests run again, contained and with the recorder on: what became of each, and every call that it made of some
//! functions. Each starts on a private copy of the project's files and has a network of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use crate::base::clock;
use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::base::paths::{RelPath, read_regular};
use crate::base::scratch::Scratch;
use crate::contain::{self, Confinement, Level, Profile};
use crate::domain::batch::{Batch, SpoolCall};
use crate::domain::call::{Argument, Effect};
use crate::domain::function::FunctionId;
use crate::domain::recorded_test::{self, RecordedTest, Runner, TestId, TestSession};
use crate::domain::settings::{Record, Redact};
use crate::engine::checks::secrets;
use crate::engine::python::environment::Environment;
use crate::python::protocol::Lines;
use crate::python::value;
use crate::record::ingest::Ingest;
use crate::record::launch::{self, Mode};
use crate::source::index::Index;

/// Seconds that one test may take.
const TEST_SECONDS: f64 = 60.0;
/// What starting a session and collecting its tests may take.
const START: Duration = Duration::from_secs(120);
/// Bytes of what the program reports.
const REPORT_MAX: u64 = 16 << 20;
/// Bytes of functions' names in a variable; with more, all functions are recorded.
const TARGETS_MAX: usize = 100 << 10;
/// How often a run is looked at, and how often its report.
const LOOK: Duration = Duration::from_millis(5);
const LOOK_AT_REPORT: Duration = Duration::from_millis(250);
/// Bytes that the tests may write in all.
const LAYER_MAX: u64 = 1 << 30;
/// Session fixtures that are learned of a session.
const FIXTURES_MAX: usize = 64;

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
}

/// Session fixtures that tests asked for while they ran, by their sessions: the next run sets them up once for all of its tests, the
/// first one included. They come from contained code, and go back to such code alone.
#[derive(Debug, Default)]
pub struct Learned(Mutex<BTreeMap<TestSession, BTreeMap<String, String>>>);

impl Learned {
    fn of(&self, session: &TestSession) -> BTreeMap<String, String> {
        self.0.lock().get(session).cloned().unwrap_or_default()
    }

    fn add(&self, session: &TestSession, fixtures: BTreeMap<String, String>) {
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
}

/// What the run of a test showed.
#[derive(Debug, Clone, Default)]
pub struct Rerun {
    /// It passed, or is expected to fail and did.
    pub passed: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What was wrong, where it did not pass.
    pub said: Option<String>,
    /// Of the lines that were followed, those that it did not run; `None` where it did not get to its end, or where Python cannot
    /// follow lines beside the recorder.
    pub lines_left: Option<BTreeSet<(String, u32)>>,
    /// The calls of each function, in the order in which they began.
    pub calls: BTreeMap<FunctionId, Vec<RerunCall>>,
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

#[derive(Serialize)]
struct Request<'a> {
    root: &'a str,
    ini: Option<&'a str>,
    options: &'a [String],
    program: Option<Program<'a>>,
    cwd: &'a str,
    path: &'a [String],
    tests: Vec<&'a str>,
    collect: Vec<&'a str>,
    test_seconds: f64,
    shift_seconds: Option<i64>,
    report: PathBuf,
    functions: BTreeMap<&'a str, Vec<String>>,
    project: &'a Path,
    lines: &'a Lines,
    fixtures: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Program<'a> {
    runner: &'static str,
    #[serde(flatten)]
    program: &'a recorded_test::Program,
}

/// A line of the report.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Line {
    Test {
        test: String,
        outcome: String,
        ms: u64,
        pid: Option<i64>,
        said: Option<String>,
        lines_left: Option<BTreeSet<(String, u32)>>,
    },
    Broken {
        why: String,
        path: Option<String>,
        line: Option<u32>,
        tests: Vec<String>,
    },
    Missing {
        test: String,
    },
    Learned {
        fixtures: BTreeMap<String, String>,
    },
    #[serde(other)]
    Other,
}

impl Place<'_> {
    /// Runs tests, those of each session in a process of their own. To be called off the async threads. What is cancelled is missing from the answer.
    ///
    /// # Errors
    /// Fails when the sandbox or Python cannot be started.
    pub fn run(&self, wanted: &Wanted<'_>, cancel: &CancellationToken) -> Result<Reruns, Trouble> {
        let mut all = Reruns::default();
        for (session, tests) in grouped(wanted) {
            if !Path::new(&session.root).starts_with(self.root) {
                continue;
            }
            let found = self.session(session, &tests, wanted, cancel)?;
            all.tests.extend(found.tests);
            all.not_run.extend(found.not_run);
        }
        Ok(all)
    }

    fn session(
        &self,
        session: &TestSession,
        tests: &BTreeMap<&str, TestId>,
        wanted: &Wanted<'_>,
        cancel: &CancellationToken,
    ) -> Result<Reruns, Trouble> {
        let scratch = Scratch::new()?;
        let (spool, report) = (scratch.path().join("spool"), scratch.path().join("report.jsonl"));
        let failed = |error: std::io::Error| Trouble::environment("Recorded tests cannot be laid out.").because(error);
        std::fs::create_dir(&spool).map_err(failed)?;
        let cwd = if Path::new(&session.cwd).starts_with(self.root) { &session.cwd } else { &session.root };
        let mut names: Vec<(&str, TestId)> = tests.iter().map(|(name, id)| (*name, *id)).collect();
        names.sort_by_key(|(_, id)| *id);
        let (ini, options, program) = match &session.runner {
            Runner::Pytest { config, options } => (config.as_deref(), options.as_slice(), None),
            Runner::Unittest(program) => (None, &[][..], Some(Program { runner: "unittest", program })),
            Runner::Django(program) => (None, &[][..], Some(Program { runner: "django", program })),
        };
        let request = Request {
            root: &session.root,
            ini,
            options,
            program,
            cwd,
            path: &session.path,
            tests: names.iter().map(|(name, _)| *name).collect(),
            collect: names.iter().filter_map(|(_, id)| wanted.collected.get(id)).flatten().map(String::as_str).collect(),
            test_seconds: TEST_SECONDS,
            shift_seconds: wanted.shift,
            report: report.clone(),
            functions: names
                .iter()
                .map(|(name, id)| (*name, wanted.functions.get(id).into_iter().flatten().map(target).collect()))
                .collect(),
            project: self.root,
            lines: wanted.lines,
            fixtures: wanted.learned.of(session),
        };
        let asked = scratch.path().join("request.json");
        let text = serde_json::to_string(&request)
            .map_err(|error| Trouble::internal("A request to run tests cannot be written.").because(error))?;
        std::fs::write(&asked, text).map_err(failed)?;
        let confinement = self.confinement(session, Path::new(cwd), wanted, scratch.path(), &spool).map_err(failed)?;
        let started = clock::now();
        let args = ["-m".into(), "pytead_tui.rerun".into(), asked.into_os_string()];
        let mut child = contain::command(Level::Namespaces, &confinement, &self.environment.interpreter.path, args)?
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .map_err(failed)?;
        let count = u32::try_from(tests.len()).unwrap_or(u32::MAX);
        let until = Instant::now() + START + Duration::from_secs_f64(TEST_SECONDS).saturating_mul(count);
        let (mut told, mut looked) = (0, Instant::now());
        let mut tell = |ended: u64| {
            let ended = ended.clamp(told, u64::from(count));
            wanted.ended.fetch_add(ended - told, Ordering::Relaxed);
            told = ended;
        };
        while child.try_wait().map_err(failed)?.is_none() {
            if looked.elapsed() > LOOK_AT_REPORT {
                looked = Instant::now();
                let lines = read_regular(&report, REPORT_MAX).unwrap_or_default();
                tell(lines.iter().filter(|byte| **byte == b'\n').count() as u64);
            }
            if cancel.is_cancelled() || Instant::now() > until {
                contain::stop(child.id());
                child.wait().map_err(failed)?;
                break;
            }
            std::thread::sleep(LOOK);
        }
        tell(u64::from(count));
        let lines = read_regular(&report, REPORT_MAX).unwrap_or_default();
        let Report { mut found, start, fixtures } = reported(&String::from_utf8_lossy(&lines), tests, self.root);
        wanted.learned.add(session, fixtures);
        let index = self.index.clone();
        let ingest = Ingest::new(
            spool,
            started,
            secrets::of_project(self.root),
            Box::new(move |path, qualname, line| {
                let path = RelPath::new(path)?;
                index.by_code(&path, qualname, line).map(|function| function.id.clone())
            }),
        );
        read_calls(ingest, tests, start, &mut found.tests);
        Ok(found)
    }

    fn confinement(
        &self,
        session: &TestSession,
        cwd: &Path,
        wanted: &Wanted<'_>,
        scratch: &Path,
        spool: &Path,
    ) -> std::io::Result<Confinement> {
        let package = &self.environment.package;
        let interpreter = &self.environment.interpreter;
        let mut confinement = Confinement::new(self.root, scratch);
        confinement.profile = Profile::RecordedTest;
        confinement.cwd = cwd.to_owned();
        confinement.limits.tmp = LAYER_MAX;
        confinement.stand_in.clone_from(&self.files.stand_in);
        confinement.read_only.clone_from(&interpreter.prefixes);
        confinement.read_only.push(package.folder.clone());
        confinement.read_only.extend(self.files.read_only.iter().cloned());
        let elsewhere = session.path.iter().map(PathBuf::from);
        let elsewhere = elsewhere.filter(|path| path.is_dir() && !path.starts_with(self.root) && !contain::exposes_home(path));
        confinement.read_only.extend(elsewhere);
        if !self.files.texts.is_empty() {
            let put = scratch.join("put");
            for (path, text) in &self.files.texts {
                let place = path.under(&put);
                std::fs::create_dir_all(place.parent().unwrap_or(&put))?;
                std::fs::write(&place, text)?;
            }
            confinement.put = Some(put);
        }
        confinement.gone = self.files.gone.iter().map(|path| PathBuf::from(path.as_str())).collect();
        let mut record = self.record.clone();
        let targets: BTreeSet<String> = wanted.functions.values().flatten().map(target).collect();
        record.targets = if targets.iter().map(|name| name.len() + 1).sum::<usize>() > TARGETS_MAX {
            Vec::new()
        } else {
            targets.into_iter().collect()
        };
        let variables = launch::recorder_variables(&launch::Request {
            typed: &[],
            root: self.root,
            cwd,
            interpreter: Some(&interpreter.path),
            chosen: true,
            package,
            record: &record,
            redact: self.redact,
            mode: Mode::Every,
        });
        let variables = variables.map_err(|trouble| std::io::Error::other(trouble.to_string()))?;
        let given = variables.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into_string().ok()?)));
        confinement.env.extend(wanted.variables.clone());
        confinement.env.extend(given);
        let path = std::env::join_paths([&package.boot, &package.folder]).map_err(std::io::Error::other)?;
        let text = |path: &std::ffi::OsStr| path.to_string_lossy().into_owned();
        confinement.env.extend([
            ("PYTHONPATH".to_owned(), text(&path)),
            ("PYTEAD_RECORDING".to_owned(), "rerun".to_owned()),
            ("PYTHONHASHSEED".to_owned(), "0".to_owned()),
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ]);
        if !wanted.only_lines {
            confinement.env.insert("PYTEAD_SPOOL".to_owned(), text(spool.as_os_str()));
        }
        if let Some(base) = &interpreter.user_base {
            confinement.env.insert("PYTHONUSERBASE".to_owned(), base.display().to_string());
        }
        Ok(confinement)
    }
}

/// Parts tests by their sessions, and by their files.
fn grouped<'a>(wanted: &Wanted<'a>) -> Vec<(&'a TestSession, BTreeMap<&'a str, TestId>)> {
    let mut of_file: BTreeMap<(&TestSession, &str), BTreeMap<&str, TestId>> = BTreeMap::new();
    for (id, test) in wanted.tests {
        of_file.entry((&test.session, test.file())).or_default().insert(&test.name, *id);
    }
    let mut groups: Vec<(&TestSession, BTreeMap<&str, TestId>)> = Vec::new();
    let most = of_file.len().div_ceil(wanted.groups.max(1));
    let mut files = 0;
    for ((session, _), tests) in of_file {
        match groups.last_mut().filter(|(last, _)| *last == session && files < most) {
            Some((_, group)) => group.extend(tests),
            None => {
                groups.push((session, tests));
                files = 0;
            }
        }
        files += 1;
    }
    groups
}

/// Names a function as the recorder's targets do.
fn target(function: &FunctionId) -> String {
    function.0.split('#').next().unwrap_or_default().to_owned()
}

/// What the program's report says.
struct Report {
    found: Reruns,
    /// The start of the session, if it was asked for, and its process.
    start: Option<(i64, TestId)>,
    /// Session fixtures that tests asked for while they ran.
    fixtures: BTreeMap<String, String>,
}

/// Reads the program's report.
fn reported(report: &str, tests: &BTreeMap<&str, TestId>, root: &Path) -> Report {
    let mut found = Reruns::default();
    let mut start = None;
    let mut fixtures = BTreeMap::new();
    for line in report.lines() {
        match serde_json::from_str(line) {
            Ok(Line::Test { test, outcome, ms, pid, said, lines_left }) => {
                if let Some(id) = tests.get(test.as_str()) {
                    start = start.or(pid.filter(|_| test.is_empty()).map(|pid| (pid, *id)));
                    let passed = matches!(outcome.as_str(), "passed" | "xfailed" | "skipped");
                    let said = said.or_else(|| (!passed).then_some(outcome));
                    found.tests.insert(*id, Rerun { passed, ms, said, lines_left, calls: BTreeMap::new() });
                }
            }
            Ok(Line::Broken { why, path, line, tests: broken }) => {
                let why = match path.as_deref().and_then(|path| RelPath::below(root, Path::new(path))).zip(line) {
                    Some((path, line)) => format!("{path}:{line}: {why}"),
                    None => why,
                };
                let ids = broken.iter().filter_map(|test| tests.get(test.as_str()));
                found.not_run.extend(ids.map(|id| (*id, why.clone())));
            }
            Ok(Line::Missing { test }) => {
                found.not_run.extend(tests.get(test.as_str()).map(|id| (*id, "it is not there".to_owned())));
            }
            Ok(Line::Learned { fixtures: more }) => fixtures.extend(more),
            Ok(Line::Other) | Err(_) => {}
        }
    }
    Report { found, start, fixtures }
}

/// Reads the calls of tests from the spool of a run. Outside of all tests, those of the session's process belong to its start.
fn read_calls(
    mut ingest: Ingest,
    tests: &BTreeMap<&str, TestId>,
    start: Option<(i64, TestId)>,
    found: &mut BTreeMap<TestId, Rerun>,
) {
    struct Begun {
        test: TestId,
        spool: SpoolCall,
        parent: Option<i64>,
        start_ns: i64,
        function: FunctionId,
        call: RerunCall,
    }
    let mut begun: Vec<Begun> = Vec::new();
    let mut ends: HashMap<SpoolCall, (Option<Effect>, i64)> = HashMap::new();
    ingest.finish(&mut |batch: Batch, _| {
        let of: HashMap<SpoolCall, TestId> =
            batch.in_tests.iter().filter_map(|(spool, test)| Some((*spool, *tests.get(test.name.as_str())?))).collect();
        for call in batch.calls {
            let at_start = start.as_ref().filter(|(pid, _)| *pid == call.spool.process).map(|(_, id)| id);
            let Some(test) = of.get(&call.spool).or(at_start) else { continue };
            let args = value::arguments(&call.args).map(|(args, _)| args).unwrap_or_default();
            let (input, caller_line) = (call.input, call.caller_line);
            let made = RerunCall { args, input, caller_line, effect: None, duration_ns: 0, entered: Vec::new() };
            let (test, spool, parent, start_ns) = (*test, call.spool, call.parent, call.start_ns);
            begun.push(Begun { test, spool, parent, start_ns, function: call.function, call: made });
        }
        ends.extend(batch.ends.into_iter().map(|end| (end.spool, (value::outcome(&end.outcome).ok(), end.duration_ns))));
    });
    begun.sort_by_key(|one| (one.test, one.start_ns, one.spool.number));
    // A call begins after the one that makes it: from the last to the first, what is below a call is known when it is met.
    let mut below: HashMap<SpoolCall, BTreeSet<FunctionId>> = HashMap::new();
    for Begun { spool, parent, function, call, .. } in begun.iter_mut().rev() {
        let mut entered = below.remove(spool).unwrap_or_default();
        entered.insert(function.clone());
        if let Some(number) = parent {
            below.entry(SpoolCall { number: *number, ..*spool }).or_default().extend(entered.iter().cloned());
        }
        call.entered = entered.into_iter().collect();
    }
    for Begun { test, spool, function, mut call, .. } in begun {
        let Some(rerun) = found.get_mut(&test) else { continue };
        if let Some((effect, duration_ns)) = ends.remove(&spool) {
            (call.effect, call.duration_ns) = (effect, duration_ns);
        }
        rerun.calls.entry(function).or_default().push(call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_parted_into_as_many_groups_as_asked_for() {
        let session = |root: &str| {
            let runner = Runner::Pytest { config: None, options: vec![] };
            Arc::new(TestSession { root: root.into(), cwd: root.into(), path: vec![], runner })
        };
        let (one, other) = (session("/a"), session("/b"));
        let names = ["t1.py::a", "t1.py::b", "t2.py::a", "t3.py::a"];
        let mut tests: BTreeMap<TestId, RecordedTest> =
            (0..).zip(names).map(|(id, name)| (TestId(id), RecordedTest { name: name.into(), session: one.clone() })).collect();
        tests.insert(TestId(9), RecordedTest { name: "t1.py::a".into(), session: other });
        let sizes = |groups: usize| {
            let (functions, collected) = (&BTreeMap::new(), &BTreeMap::new());
            let (variables, ended, lines, learned) = (BTreeMap::new(), &AtomicU64::new(0), &Lines::new(), &Learned::default());
            let wanted = Wanted {
                tests: &tests,
                functions,
                collected,
                variables,
                shift: None,
                groups,
                ended,
                lines,
                only_lines: false,
                learned,
            };
            grouped(&wanted).iter().map(|(_, tests)| tests.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(1), [4, 1], "a session has its own process");
        assert_eq!(sizes(2), [3, 1, 1]);
        assert_eq!(sizes(9), [2, 1, 1, 1]);
    }

    #[test]
    fn what_is_said_of_tests_counts_for_those_that_were_asked_for() {
        let names = ["t.py::a", "t.py::b", "t.py::d", "u.py::a", "u.py::b"];
        let tests: BTreeMap<&str, TestId> = names.into_iter().zip((1..).map(TestId)).collect();
        let report = "{\"kind\": \"test\", \"test\": \"t.py::a\", \"outcome\": \"passed\", \"ms\": 4, \"said\": null, \"pid\": 3, \"lines_left\": []}\n\
                      {\"kind\": \"test\", \"test\": \"t.py::b\", \"outcome\": \"died\", \"ms\": 4, \"said\": null}\n\
                      {\"kind\": \"test\", \"test\": \"t.py::c\", \"outcome\": \"passed\", \"ms\": 4, \"said\": null}\n\
                      {\"kind\": \"missing\", \"test\": \"t.py::d\"}\nnonsense\n\
                      {\"kind\": \"broken\", \"why\": \"KeyError: 'KEY'\", \"path\": \"/p/u.py\", \"line\": 3, \"tests\": [\"u.py::a\"]}\n\
                      {\"kind\": \"broken\", \"why\": \"exit 1\", \"path\": null, \"line\": null, \"tests\": [\"u.py::b\"]}\n";
        let found = reported(report, &tests, Path::new("/p")).found;
        let passed: Vec<(i64, bool, Option<&str>)> =
            found.tests.iter().map(|(id, test)| (id.0, test.passed, test.said.as_deref())).collect();
        assert_eq!(passed, [(1, true, None), (2, false, Some("died"))]);
        let lines: Vec<Option<usize>> = found.tests.values().map(|test| test.lines_left.as_ref().map(BTreeSet::len)).collect();
        assert_eq!(lines, [Some(0), None], "nobody knows which lines a test ran that died");
        let not_run: Vec<&str> = found.not_run.values().map(String::as_str).collect();
        assert_eq!(not_run, ["it is not there", "u.py:3: KeyError: 'KEY'", "exit 1"]);
    }
}
