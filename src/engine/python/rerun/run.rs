//! The run of tests: a sandbox for each session, and what is read while it goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::calls::Calls;
use super::report::{Report, reported};
use super::sandbox::Sandbox;
use super::spare::Taken;
use super::wanted::{Place, Reruns, Wanted, failed, target};
use crate::base::clock::Moment;
use crate::base::error::Trouble;
use crate::base::paths::{RelPath, read_regular};
use crate::base::scratch::Scratch;
use crate::contain;
use crate::domain::recorded_test::{self, Runner, TestId, TestSession};
use crate::engine::checks::secrets;
use crate::python::protocol::Lines;
use crate::record::ingest::Ingest;

/// Seconds that one test may take.
const TEST_SECONDS: f64 = 60.0;
/// What starting a session and collecting its tests may take.
const START: Duration = Duration::from_secs(120);
/// Bytes of what the program reports.
const REPORT_MAX: u64 = 16 << 20;
/// How often a run is looked at, how often its report, and how often that is while tests that run first are waited for.
const LOOK: Duration = Duration::from_millis(5);
const LOOK_AT_REPORT: Duration = Duration::from_millis(250);
const LOOK_FOR_FIRST: Duration = Duration::from_millis(20);

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
    modules: Option<&'a BTreeMap<String, String>>,
    tell_loaded: bool,
    first: usize,
    put: Option<PathBuf>,
    gone: Vec<String>,
}

#[derive(Serialize)]
struct Program<'a> {
    runner: &'static str,
    #[serde(flatten)]
    program: &'a recorded_test::Program,
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
            all.loaded = found.loaded;
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
        let mut sandbox = match wanted.spares.and_then(|spares| self.take(spares, session, wanted)) {
            Some(Taken { mut sandbox, put, gone }) => {
                self.ask(session, tests, wanted, &sandbox.scratch, (put, gone))?;
                sandbox.go().map_err(failed)?;
                sandbox
            }
            None => {
                let scratch = Scratch::new()?;
                self.ask(session, tests, wanted, &scratch, (None, Vec::new()))?;
                self.start(session, wanted, scratch, false)?
            }
        };
        let report = Sandbox::report(&sandbox.scratch);
        let count = u32::try_from(tests.len()).unwrap_or(u32::MAX);
        let until = Instant::now() + START + Duration::from_secs_f64(TEST_SECONDS).saturating_mul(count);
        let (mut told, mut looked) = (0, Instant::now());
        let mut tell = |ended: u64| {
            let ended = ended.clamp(told, u64::from(count));
            wanted.ended.fetch_add(ended - told, Ordering::Relaxed);
            told = ended;
        };
        let mut calls = self.calls(Sandbox::spool(&sandbox.scratch), sandbox.began, wanted);
        let read = || {
            let lines = read_regular(&report, REPORT_MAX).unwrap_or_default();
            reported(&String::from_utf8_lossy(&lines), tests, self.root)
        };
        let mut awaited: BTreeSet<TestId> = tests.values().filter(|test| wanted.first.contains(test)).copied().collect();
        while sandbox.child.try_wait().map_err(failed)?.is_none() {
            let early = wanted.early.filter(|_| !awaited.is_empty());
            if looked.elapsed() > if early.is_some() { LOOK_FOR_FIRST } else { LOOK_AT_REPORT } {
                looked = Instant::now();
                calls.catch_up();
                let Report { mut found, start, .. } = read();
                tell((found.tests.len() + found.not_run.len()) as u64);
                let has_ended = |test: &TestId| found.tests.contains_key(test) || found.not_run.contains_key(test);
                if let Some(early) = early.filter(|_| awaited.iter().all(has_ended)) {
                    found.tests.retain(|test, _| awaited.contains(test));
                    calls.catch_up();
                    calls.give(tests, start, &mut found.tests);
                    early(found);
                    awaited.clear();
                }
            }
            if cancel.is_cancelled() || Instant::now() > until {
                contain::stop(sandbox.child.id());
                sandbox.child.wait().map_err(failed)?;
                break;
            }
            std::thread::sleep(LOOK);
        }
        tell(u64::from(count));
        let Report { mut found, start, fixtures } = read();
        wanted.learned.add(session, fixtures);
        if let Some(spares) = wanted.spares {
            self.refill(spares, session, wanted);
        }
        calls.finish();
        calls.give(tests, start, &mut found.tests);
        Ok(found)
    }

    /// Writes the request of a run to where its sandbox reads it; with files that are to be put into the project there, or not to be.
    fn ask(
        &self,
        session: &TestSession,
        tests: &BTreeMap<&str, TestId>,
        wanted: &Wanted<'_>,
        scratch: &Scratch,
        (put, gone): (Option<PathBuf>, Vec<String>),
    ) -> Result<(), Trouble> {
        let mut names: Vec<(&str, TestId)> = tests.iter().map(|(name, id)| (*name, *id)).collect();
        names.sort_by_key(|(_, id)| (!wanted.first.contains(id), *id));
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
            cwd: self.cwd(session),
            path: &session.path,
            tests: names.iter().map(|(name, _)| *name).collect(),
            collect: names.iter().filter_map(|(_, id)| wanted.collected.get(id)).flatten().map(String::as_str).collect(),
            test_seconds: TEST_SECONDS,
            shift_seconds: wanted.shift,
            report: Sandbox::report(scratch),
            functions: names
                .iter()
                .map(|(name, id)| {
                    (
                        *name,
                        wanted.functions.get(id).into_iter().flatten().map(|function| target(function, &self.index)).collect(),
                    )
                })
                .collect(),
            project: self.root,
            lines: wanted.lines,
            fixtures: wanted.learned.of(session),
            modules: wanted.modules.get(session),
            tell_loaded: wanted.tell_loaded,
            first: names.iter().filter(|(_, id)| wanted.first.contains(id)).count(),
            put,
            gone,
        };
        let text = serde_json::to_string(&request)
            .map_err(|error| Trouble::internal("A request to run tests cannot be written.").because(error))?;
        std::fs::write(Sandbox::request(scratch), text).map_err(failed)
    }

    /// Reads the calls of a run that began then.
    fn calls(&self, spool: PathBuf, began: Moment, wanted: &Wanted<'_>) -> Calls {
        let index = self.index.clone();
        let moved = wanted.moved(&index);
        let names = moved.iter().map(|(today, recorded)| (recorded.clone(), today.clone())).collect();
        // A call of what moved is one of the function that was recorded, so that it is paired with that one's.
        let resolve = move |path: &str, qualname: &str, line| {
            let today = &index.by_code(&RelPath::new(path)?, qualname, line)?.id;
            Some(moved.get(today).unwrap_or(today).clone())
        };
        Calls::new(Ingest::new(spool, began, secrets::of_project(self.root), Box::new(resolve)), names)
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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::domain::recorded_test::RecordedTest;
    use crate::engine::python::rerun::wanted::Learned;

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
                first: &BTreeSet::new(),
                early: None,
                spares: None,
                modules: &HashMap::new(),
                tell_loaded: false,
            };
            grouped(&wanted).iter().map(|(_, tests)| tests.len()).collect::<Vec<_>>()
        };
        assert_eq!(sizes(1), [4, 1], "a session has its own process");
        assert_eq!(sizes(2), [3, 1, 1]);
        assert_eq!(sizes(9), [2, 1, 1, 1]);
    }
}
