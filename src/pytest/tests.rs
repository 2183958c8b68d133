//! Runs of a real pytest, by every Python of this machine that has one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::base::error::Trouble;
use crate::base::paths::RelPath;
use crate::pytest::bench::Bench;
use crate::pytest::report::{Outcome, Report, TestResult};
use crate::pytest::runner::{End, Invocation, Output, Suite, run};
use crate::python::package::install_in;
use crate::python::testing::{distinct, interpreters};

/// Finds the interpreters with pytest, each once: those of the machine, and the environments that `make test` makes.
fn pythons() -> Vec<PathBuf> {
    let clone = Path::new(env!("CARGO_MANIFEST_DIR"));
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home);
    let made = cache.and_then(|cache| std::fs::read_dir(cache.join("pytead-tui/venvs")).ok()).into_iter().flatten().flatten();
    let made = made.map(|entry| entry.path().join("bin/python"));
    let all = interpreters().iter().cloned().chain([clone.join(".venv/bin/python")]).chain(made);
    let mut found = distinct(all);
    found.retain(|python| {
        let look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)";
        Command::new(python).args(["-c", look]).status().is_ok_and(|status| status.success())
    });
    assert!(!found.is_empty(), "these tests need a Python with pytest: run `make test`, or install it into .venv");
    found
}

/// Starts a command as it is: these tests are our own.
fn start(invocation: &Invocation) -> Result<Output, Trouble> {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    let text = tempfile::NamedTempFile::new().unwrap();
    let mut child = Command::new(&invocation.program)
        .args(&invocation.args)
        .envs(&invocation.env)
        .current_dir(&invocation.cwd)
        .stdin(Stdio::null())
        .stdout(text.reopen().unwrap())
        .stderr(text.reopen().unwrap())
        .process_group(0)
        .spawn()
        .unwrap();
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if began.elapsed() > invocation.limit {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let end = match status.map(|status| (status.code(), status.signal())) {
        None => End::TimedOut,
        Some((Some(code), _)) => End::Exited(code),
        Some((None, signal)) => End::Killed(format!("signal {}", signal.unwrap_or(0))),
    };
    Ok(Output { end, text: std::fs::read_to_string(text.path()).unwrap() })
}

struct Project {
    root: tempfile::TempDir,
    bench: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self { root, bench: tempfile::tempdir().unwrap() }
    }

    fn run(&self, python: &Path, test: &str, change: impl FnOnce(&mut Suite<'_>)) -> Report {
        self.started(python, test, change, &mut |invocation| start(invocation)).unwrap()
    }

    fn started(
        &self,
        python: &Path,
        test: &str,
        change: impl FnOnce(&mut Suite<'_>),
        start: &mut dyn FnMut(&Invocation) -> Result<Output, Trouble>,
    ) -> Result<Report, Trouble> {
        let path = RelPath::new("tests/pytead/test_draft.py").unwrap();
        let bench = Bench::lay_out(self.root.path(), self.bench.path(), [(&path, test)]).unwrap();
        let package = install_in(&self.bench.path().join("cache")).unwrap();
        let roots = [self.root.path().join("src")];
        let tests = ["tests/pytead/test_draft.py".to_owned()];
        let mut suite = Suite {
            interpreter: python,
            package: &package,
            root: self.root.path(),
            bench: &bench,
            tests: &tests,
            import_roots: &roots,
            hash_seed: 7,
            order: None,
            cwd: None,
            other_machine: false,
            env: std::collections::BTreeMap::new(),
            limit: Duration::from_secs(60),
        };
        change(&mut suite);
        run(&suite, start)
    }
}

fn of<'a>(report: &'a Report, name: &str) -> &'a TestResult {
    report.results.iter().find(|result| result.name == name).unwrap_or_else(|| panic!("{name} in {report:?}"))
}

#[test]
fn what_a_test_left_in_the_place_of_its_report_is_neither_waited_for_nor_followed() {
    let project = Project::new(&[]);
    for link in [false, true] {
        let left = project.started(Path::new("/no/python"), "", |_| (), &mut |invocation| {
            let report = Path::new(&invocation.env["PYTEAD_REPORT"]);
            if link {
                std::os::unix::fs::symlink("/dev/zero", report).unwrap();
            } else {
                rustix::fs::mknodat(rustix::fs::CWD, report, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
            }
            Ok(Output { end: End::Exited(0), text: String::new() })
        });
        assert!(left.unwrap_err().to_string().contains("What pytest found cannot be read"));
    }
}

const TESTS: &str = r#"
import os, sys
import pytest
import shop

def test_passes():
    assert shop.double(2) == 4
    assert os.environ["PYTHONHASHSEED"] == "7"
    assert "PYTEAD_REPORT" not in os.environ

def test_fails(greeting):
    value = [1, 2]
    assert value == [1, 3], greeting

def test_raises_elsewhere():
    shop.fails("\x1b[31mred")

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_known():
    assert False

@pytest.fixture
def broken():
    raise RuntimeError("no fixture")

def test_broken(broken):
    pass

@pytest.fixture
def messy():
    yield
    raise RuntimeError("no teardown")

def test_messy(messy):
    pass

class TestGroup:
    @pytest.mark.parametrize("n", [1, 2])
    def test_inner(self, n):
        assert n == 1
"#;

const PROJECT: &[(&str, &str)] = &[
    ("src/shop.py", "def double(x):\n    return 2 * x\n\ndef fails(text):\n    raise ValueError(text)\n"),
    ("tests/conftest.py", "import pytest\n\n@pytest.fixture\ndef greeting():\n    return 'hello'\n"),
    ("setup.cfg", "[tool:pytest]\naddopts = --no-such-option\n"),
];

#[test]
fn every_outcome_is_told_with_its_reason() {
    for python in pythons() {
        let project = Project::new(PROJECT);
        let report = project.run(&python, TESTS, |_| {});
        let by = format!("{} pytest {:?}", python.display(), report.pytest);
        assert_eq!(report.problem, None, "{by}");
        let outcomes: Vec<_> = report.results.iter().map(|result| (result.name.as_str(), result.outcome)).collect();
        let expected = [
            ("test_passes", Outcome::Passed),
            ("test_fails", Outcome::Failed),
            ("test_raises_elsewhere", Outcome::Failed),
            ("test_skipped", Outcome::Skipped),
            ("test_known", Outcome::Skipped),
            ("test_broken", Outcome::Error),
            ("test_messy", Outcome::Error),
            ("TestGroup::test_inner", Outcome::Passed),
            ("TestGroup::test_inner", Outcome::Failed),
        ];
        assert_eq!(outcomes, expected, "{by}");
        let fails = of(&report, "test_fails");
        assert_eq!(fails.nodeid, "tests/pytead/test_draft.py::test_fails", "{by}");
        assert_eq!(fails.line, Some(13), "{by}");
        assert_eq!(fails.lines[..2], ["AssertionError: hello", "assert [1, 2] == [1, 3]"], "{by}");
        assert_eq!(fails.message, "AssertionError: hello", "{by}");
        let elsewhere = of(&report, "test_raises_elsewhere");
        assert_eq!(elsewhere.line, Some(16), "the line of the test, not of the shop, by {by}");
        assert_eq!(elsewhere.lines, ["ValueError: \\x1b[31mred"], "{by}");
        assert_eq!(of(&report, "test_skipped").message, "Skipped: not today", "{by}");
        assert_eq!(of(&report, "test_known").message, "fails as expected: known", "{by}");
        assert_eq!(of(&report, "test_broken").message, "RuntimeError: no fixture", "{by}");
        assert_eq!(of(&report, "test_messy").message, "RuntimeError: no teardown", "{by}");
        let left: Vec<_> = std::fs::read_dir(project.root.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left.len(), 3, "nothing was written into the project: {left:?} by {by}");
    }
}

#[test]
fn tests_run_in_reverse_when_asked() {
    for python in pythons() {
        let test = "import shop\n\ndef test_a():\n    shop.seen = True\n\ndef test_b():\n    assert shop.seen\n";
        let project = Project::new(PROJECT);
        assert!(project.run(&python, test, |_| {}).all_passed());
        let report = project.run(&python, test, |suite| suite.order = Some("reverse"));
        assert_eq!(of(&report, "test_b").outcome, Outcome::Failed);
        assert_eq!(of(&report, "test_b").message, "AttributeError: module 'shop' has no attribute 'seen'");
    }
}

#[test]
fn what_cannot_be_collected_says_why() {
    for python in pythons() {
        let project = Project::new(PROJECT);
        let report = project.run(&python, "import nothing_of_this_name\n", |_| {});
        assert_eq!(report.results.len(), 1, "{report:?}");
        let result = &report.results[0];
        assert_eq!((result.outcome, result.name.as_str()), (Outcome::Error, ""));
        assert_eq!(result.message, "ModuleNotFoundError: No module named 'nothing_of_this_name'", "{report:?}");
        assert_eq!(result.line, Some(1), "{report:?}");
        let report = project.run(&python, "def test_x(nowhere):\n    pass\n", |_| {});
        assert!(report.results[0].message.contains("fixture 'nowhere' not found"), "{report:?}");
        let report = project.run(&python, "def test_x(:\n", |_| {});
        assert!(report.results[0].lines.iter().any(|line| line.contains("SyntaxError")), "{report:?}");
        let report = project.run(&python, "x = 1\n", |_| {});
        assert!(report.problem.as_ref().is_some_and(|problem| problem.starts_with("pytest found no tests")), "{report:?}");
    }
}

#[test]
fn a_run_that_dies_is_an_error_of_the_test_it_died_in() {
    let test = |body: &str| {
        format!("import os, time, signal\n\ndef test_a():\n    pass\n\ndef test_b():\n    {body}\n\ndef test_c():\n    pass\n")
    };
    let python = pythons().remove(0);
    let project = Project::new(PROJECT);
    let cases = [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "the process died by signal 11"),
        ("os._exit(0)", "the process ended with code 0"),
        ("time.sleep(60)", "no end in 4 s"),
    ];
    for (body, reason) in cases {
        let report = project.run(&python, &test(body), |suite| suite.limit = Duration::from_secs(4));
        let outcomes: Vec<_> = report.results.iter().map(|result| result.outcome).collect();
        assert_eq!(outcomes, [Outcome::Passed, Outcome::Error, Outcome::Error], "{body}: {report:?}");
        assert!(report.results[1].message.starts_with(reason), "{body}: {report:?}");
        assert!(report.results[2].message.starts_with("not run:"), "{body}: {report:?}");
    }
}
