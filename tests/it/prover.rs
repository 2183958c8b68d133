//! Tests run in forks of a warm Python: that they see what a fresh process would, and that none disturbs another.

mod reaching;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::forgeries::FORGERIES;
use crate::harness::{self, python_with_pytest};
use pytead_tui::base::paths::RelPath;
use pytead_tui::base::scratch::Scratch;
use pytead_tui::contain::{self, Level};
use pytead_tui::pytest::bench::Bench;
use pytead_tui::pytest::report::{Outcome, Reach};
use pytead_tui::pytest::warm::{self, Heard, Session, TraceKind};
use pytead_tui::python::interpreter;
use pytead_tui::python::protocol::{Place, ProveRun};
use pytead_tui::python::zygote::{Worker, WorkerSpec};

struct Project {
    folder: tempfile::TempDir,
    benches: Scratch,
    worker: Worker,
}

const FILE: &str = "tests/pytead/test_draft.py";

impl Project {
    async fn new(files: &[(&str, &str)]) -> Self {
        Self::with_python(&python_with_pytest(), files).await
    }

    async fn with_python(python: &Path, files: &[(&str, &str)]) -> Self {
        contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
        let (folder, benches) = (tempfile::tempdir().unwrap(), Scratch::new().unwrap());
        let root = folder.path().canonicalize().unwrap();
        let package = harness::package::compiled_by(python);
        let interpreter = interpreter::find(&root, python.to_str()).unwrap();
        let level = contain::available();
        assert_ne!(level, Level::None, "these tests need a sandbox");
        let mut spec = WorkerSpec::new(interpreter, package, level, root);
        spec.tests = true;
        spec.read_only = vec![benches.path().to_owned()];
        let project = Self { folder, benches, worker: Worker::start(spec).await.unwrap() };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    async fn run(&self, test: &str, runs: Vec<ProveRun>) -> Heard {
        self.run_in(test, runs, |_| {}).await
    }

    async fn run_in(&self, test: &str, runs: Vec<ProveRun>, change: impl FnOnce(&mut Session<'_>)) -> Heard {
        let folder = contain::private_folder(self.benches.path(), "bench-").unwrap();
        let root = self.root();
        let bench = Bench::lay_out(&root, folder.path(), [(&RelPath::new(FILE).unwrap(), test)]).unwrap();
        let (paths, tests) = ([root.clone()], [FILE.to_owned()]);
        let mut session = Session {
            root: &root,
            paths: &paths,
            on_path: true,
            bench: &bench,
            tests: &tests,
            env: BTreeMap::new(),
            cwd: None,
            other_machine: false,
            plain: false,
            runs,
            limit: Duration::from_secs(20),
        };
        change(&mut session);
        warm::run(&self.worker, &session).await.unwrap()
    }
}

fn each(key: u64) -> ProveRun {
    ProveRun { key, each: true, limit_ms: 20_000, ..ProveRun::default() }
}

fn look(key: u64) -> ProveRun {
    ProveRun { look: true, again: Some(key + 100), ..each(key) }
}

fn company(key: u64, order: Option<&'static str>) -> ProveRun {
    ProveRun { key, order, limit_ms: 20_000, ..ProveRun::default() }
}

/// All in one process, to see what they leave behind together.
fn survey(key: u64) -> ProveRun {
    ProveRun { look: true, ..company(key, None) }
}

fn faults(key: u64, qualname: &str) -> ProveRun {
    let place =
        Place { tests: FILE.into(), module: "shop".into(), path: "shop.py".into(), qualname: qualname.into(), line: None };
    ProveRun { key, fault: Some(place), most: 8, limit_ms: 20_000, ..ProveRun::default() }
}

/// Names the tests that noticed a fault.
fn noticed<'a>(heard: &'a Heard, key: u64, label: &str) -> Vec<&'a str> {
    let place = heard.faults.iter().find(|((run, _), fault)| *run == key && fault.label == label);
    let (place, _) = place.unwrap_or_else(|| panic!("{label}: {:?}", heard.faults));
    let failed = heard.reports[place].results.iter().filter(|result| result.outcome != Outcome::Passed);
    failed.map(|result| result.name.as_str()).collect()
}

/// Gives the names of the tests of a run with how they ended.
fn ends(heard: &Heard, key: u64) -> Vec<(String, Outcome)> {
    let results = heard.reports.range((key, 0)..=(key, u64::MAX)).flat_map(|(_, report)| &report.results);
    results.map(|result| (result.name.clone(), result.outcome)).collect()
}

fn all_passed(heard: &Heard, key: u64) -> bool {
    let ends = ends(heard, key);
    !ends.is_empty() && ends.iter().all(|(_, outcome)| *outcome == Outcome::Passed)
}

fn left<'a>(heard: &'a Heard, test: &str) -> Vec<(&'a str, TraceKind)> {
    let look = &heard.looks[&format!("{FILE}::{test}")];
    look.left.iter().map(|trace| (trace.what.as_str(), trace.kind)).collect()
}

/// An edit of the same size in the same second leaves a `.pyc` that Python believes.
#[tokio::test(flavor = "multi_thread")]
async fn old_bytecode_is_never_believed() {
    let project = Project::new(&[("shop.py", "def price():\n    return 1\n")]).await;
    let test = "import shop\n\ndef test_price():\n    assert shop.price() == 1\n";
    let source = project.root().join("shop.py");
    let same = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let set_time = || std::fs::File::options().write(true).open(&source).unwrap().set_modified(same).unwrap();
    set_time();
    let compiled = Command::new(python_with_pytest()).args(["-m", "py_compile", source.to_str().unwrap()]).status().unwrap();
    assert!(compiled.success() && project.root().join("__pycache__").is_dir());
    assert!(all_passed(&project.run(test, vec![each(1)]).await, 1));
    project.write("shop.py", "def price():\n    return 2\n");
    set_time();
    let stale =
        Command::new(python_with_pytest()).args(["-c", "import shop; print(shop.price())"]).current_dir(project.root()).output();
    assert_eq!(String::from_utf8_lossy(&stale.unwrap().stdout).trim(), "1", "the trap is set");
    for turn in 0..3 {
        let heard = project.run(test, vec![each(1)]).await;
        assert_eq!(ends(&heard, 1), [("test_price".to_owned(), Outcome::Failed)], "run {turn}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conftest_is_as_it_is_now() {
    let project =
        Project::new(&[("shop.py", ""), ("conftest.py", "import pytest\n\n@pytest.fixture\ndef n():\n    return 1\n")]).await;
    let test = "def test_n(n):\n    assert n == 1\n";
    assert!(all_passed(&project.run(test, vec![each(1)]).await, 1));
    project.write("conftest.py", "import pytest\n\n@pytest.fixture\ndef n():\n    return 2\n");
    assert!(!all_passed(&project.run(test, vec![each(1)]).await, 1));
}

/// A thread is not there in a fork, and what it holds locked stays so.
#[tokio::test(flavor = "multi_thread")]
async fn what_starts_threads_is_not_forked() {
    let threads = "import threading, time\n\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n";
    let project = Project::new(&[("shop.py", threads)]).await;
    let heard = project.run("import shop\n\ndef test_a():\n    assert shop\n", vec![each(1)]).await;
    assert_eq!(heard.cold.as_deref(), Some("importing the tests starts threads"));
    assert!(heard.reports.is_empty(), "nothing is said of tests that did not run");
}

/// Forks share what their parent drew: without new seeds, what is random would look as if it were not.
#[tokio::test(flavor = "multi_thread")]
async fn each_run_has_random_numbers_of_its_own() {
    let project = Project::new(&[("shop.py", "import random, uuid\n")]).await;
    let test = "import shop\n\ndef test_a():\n    assert 0, (shop.random.random(), shop.uuid.uuid4())\n";
    let heard = project.run(test, vec![each(1), each(2), each(3)]).await;
    let messages: BTreeSet<&str> = heard.reports.values().map(|report| report.results[0].message.as_str()).collect();
    assert_eq!(messages.len(), 3, "{messages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_do_not_see_each_other_and_company_does() {
    let project = Project::new(&[("shop.py", "seen = []\n")]).await;
    let test = "import shop\n\ndef test_a():\n    shop.seen.append(1)\n    assert shop.seen == [1]\n\n\
                def test_b():\n    shop.seen.append(2)\n    assert shop.seen == [2]\n";
    let heard = project.run(test, vec![each(1), company(2, None), company(3, Some("reverse"))]).await;
    assert!(all_passed(&heard, 1));
    let outcome = |name: &str, outcome| (name.to_owned(), outcome);
    assert_eq!(ends(&heard, 2), [outcome("test_a", Outcome::Passed), outcome("test_b", Outcome::Failed)]);
    assert_eq!(ends(&heard, 3), [outcome("test_b", Outcome::Passed), outcome("test_a", Outcome::Failed)]);
}

/// What a test prints, closes or writes to descriptors reaches nobody but itself.
#[tokio::test(flavor = "multi_thread")]
async fn output_and_descriptors_are_the_tests_own() {
    let project = Project::new(&[("shop.py", "")]).await;
    let test = "import os, sys\n\ndef test_prints(capsys, capfd):\n    pass\n\n\
                def test_capsys(capsys):\n    print('seen')\n    assert capsys.readouterr().out == 'seen\\n'\n\n\
                def test_capfd(capfd):\n    os.write(1, b'raw')\n    assert capfd.readouterr().out == 'raw'\n\n\
                def test_noise():\n    os.write(1, b'\\x04\\x00\\x00\\x00null')\n\n\
                def test_last():\n    print('still here')\n";
    let heard = project.run(test, vec![each(1), company(2, None)]).await;
    let passed: Vec<String> =
        ends(&heard, 1).into_iter().filter(|(_, end)| *end == Outcome::Passed).map(|(name, _)| name).collect();
    assert_eq!(passed, ["test_capsys", "test_capfd", "test_noise", "test_last"], "{heard:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_hangs_or_dies_takes_nobody_along() {
    let project = Project::new(&[("shop.py", "")]).await;
    let test = "import os, signal, time\n\ndef test_hangs():\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    time.sleep(600)\n\n\
                def test_dies():\n    os.kill(os.getpid(), signal.SIGSEGV)\n\ndef test_leaves():\n    os._exit(0)\n\n\
                def test_fine():\n    assert True\n";
    let heard = project.run(test, vec![ProveRun { limit_ms: 1_500, ..each(1) }]).await;
    let messages: Vec<(&str, &str)> =
        heard.reports.values().map(|report| (report.results[0].name.as_str(), report.results[0].message.as_str())).collect();
    let expected = [
        ("test_hangs", "no end in 1.5 s"),
        ("test_dies", "the process died by signal 11"),
        ("test_leaves", "the process ended with code 0"),
        ("test_fine", ""),
    ];
    assert_eq!(messages, expected);
}

/// R19: what a test leaves behind is seen, by its kind; also where only that is looked at which all of them touch.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_test_leaves_behind_is_seen() {
    let shop = "import contextvars, itertools, threading\n_lang = 'en'\n_cache = {}\n_ids = itertools.count(1)\n\
                _local = threading.local()\n_user = contextvars.ContextVar('user', default=None)\n\nclass Shop:\n    opened = 0\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "import atexit, decimal, locale, logging, os, signal, sys, shop\n\n\
                def test_context():\n    shop._user.set('ada')\n\n\
                def test_signal():\n    signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n\n\
                def test_exit():\n    atexit.register(print)\n\n\
                def test_nothing():\n    assert shop._lang == 'en'\n\n\
                def test_setting():\n    shop._lang = 'fr'\n\n\
                def test_cache():\n    shop._cache[1] = 2\n\n\
                def test_counter():\n    assert next(shop._ids) == 1\n\n\
                def test_local():\n    shop._local.user = 'ada'\n\n\
                def test_class():\n    shop.Shop.opened += 1\n\n\
                def test_environment():\n    os.environ['SHOP'] = '1'\n\n\
                def test_folder():\n    os.chdir('/')\n\n\
                def test_locale():\n    locale.setlocale(locale.LC_ALL, 'C.UTF-8' if locale.setlocale(locale.LC_ALL) == 'C' else 'C')\n\n\
                def test_path():\n    sys.path.append('/nowhere')\n\n\
                def test_logging():\n    logging.getLogger().addHandler(logging.NullHandler())\n\n\
                def test_decimal():\n    decimal.getcontext().prec = 3\n\n\
                def test_put_back(monkeypatch):\n    monkeypatch.setenv('SHOP', '1')\n    monkeypatch.setattr(shop, '_lang', 'fr')\n";
    for runs in [vec![look(1)], vec![survey(9), look(1)]] {
        let heard = project.run(test, runs).await;
        says_what_tests_left(&heard);
    }
}

/// Fixtures of the project that every test has leave what they leave, whatever a draft does.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_projects_own_fixtures_leave_behind_is_no_drafts_fault() {
    const CONFTEST: &str = "
import logging.config, os
import pytest, shop

@pytest.fixture(autouse=True)
def configured():
    logging.config.dictConfig({'version': 1})
    shop.seen += 1

@pytest.fixture
def named():
    os.environ['NAMED'] = 'by the project'
";
    let project = Project::new(&[("shop.py", "seen = 0\nown = 0\n"), ("tests/conftest.py", CONFTEST)]).await;
    let test = "
import os, pytest, shop

@pytest.fixture
def of_the_draft():
    os.environ['DRAFT'] = 'x'

def test_idle(): pass
def test_with_a_fixture(named): pass
def test_of_its_own():
    shop.own = 1
def test_by_a_fixture_of_its_own(of_the_draft): pass
def test_as_the_project_does():
    os.environ['NAMED'] = 'by the draft'
";
    let heard = project.run(test, vec![look(1)]).await;
    assert!(all_passed(&heard, 1), "{:?}", heard.reports);
    assert_eq!(left(&heard, "test_idle"), []);
    assert_eq!(left(&heard, "test_with_a_fixture"), []);
    assert_eq!(left(&heard, "test_of_its_own"), [("shop.own", TraceKind::Setting)]);
    assert_eq!(left(&heard, "test_by_a_fixture_of_its_own"), [("os.environ['DRAFT']", TraceKind::Process)]);
    assert_eq!(left(&heard, "test_as_the_project_does"), [("os.environ['NAMED']", TraceKind::Process)]);
}

fn says_what_tests_left(heard: &Heard) {
    for (name, expected) in [
        ("nothing", vec![]),
        ("context", vec![("shop._user", TraceKind::Content)]),
        ("signal", vec![("signal handlers", TraceKind::Process)]),
        ("exit", vec![("exit handlers", TraceKind::Exit)]),
        ("setting", vec![("shop._lang", TraceKind::Setting)]),
        ("cache", vec![("shop._cache", TraceKind::Content)]),
        ("counter", vec![("shop._ids", TraceKind::Content)]),
        ("local", vec![("shop._local", TraceKind::Content)]),
        ("class", vec![("shop.Shop", TraceKind::Content)]),
        ("environment", vec![("os.environ['SHOP']", TraceKind::Process)]),
        ("folder", vec![("the working folder", TraceKind::Process)]),
        ("locale", vec![("the locale", TraceKind::Setting)]),
        ("path", vec![("sys.path", TraceKind::Process)]),
        ("logging", vec![("logging", TraceKind::Process)]),
        ("decimal", vec![("the decimal context", TraceKind::Process)]),
        ("put_back", vec![]),
    ] {
        assert_eq!(left(heard, &format!("test_{name}")), expected, "{name}");
    }
    let setting = &heard.looks[&format!("{FILE}::test_setting")].left[0];
    assert_eq!(
        (setting.module.as_deref(), setting.name.as_deref(), setting.old.as_deref()),
        (Some("shop"), Some("_lang"), Some("'en'"))
    );
    let again = ends(heard, 101);
    assert!(again.contains(&("test_counter".to_owned(), Outcome::Failed)), "it meets itself: {again:?}");
    assert!(again.contains(&("test_cache".to_owned(), Outcome::Passed)), "{again:?}");
}

/// G5: the faults are in memory alone, and each of different kinds is noticed by the test that can.
#[tokio::test(flavor = "multi_thread")]
async fn faults_are_noticed_by_tests_that_can_fail() {
    let shop = "class Base:\n    def ship(self, total):\n        return 5\n\n\nclass Shop(Base):\n    \"\"\"A shop.\"\"\"\n\n    \
                def ship(self, total, *, free=100):\n        \"\"\"Says what sending costs.\"\"\"\n        if total >= free:\n            \
                return 0\n        return super().ship(total)\n\n\ndef count(n):\n    while n > 0:\n        yield n\n        n -= 1\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "from shop import Shop, count\n\n\
                def test_free():\n    assert Shop().ship(100) == 0\n\n\
                def test_paid():\n    assert Shop().ship(99) == 5\n\n\
                def test_nothing():\n    Shop().ship(99)\n\n\
                def test_count():\n    assert list(count(2)) == [2, 1]\n";
    let heard = project.run(test, vec![look(1), faults(2, "Shop.ship"), faults(3, "count"), faults(4, "gone")]).await;
    assert!(all_passed(&heard, 1));
    assert_eq!(noticed(&heard, 2, "returns nothing"), ["test_free", "test_paid"]);
    assert_eq!(noticed(&heard, 2, "returns something else"), ["test_free", "test_paid"]);
    assert_eq!(noticed(&heard, 2, ">= → <"), ["test_free", "test_paid"]);
    assert_eq!(noticed(&heard, 2, ">= → >"), ["test_free"]);
    assert_eq!(noticed(&heard, 3, "returns nothing"), ["test_count"]);
    assert_eq!(noticed(&heard, 3, "> → >="), ["test_count"]);
    assert_eq!(noticed(&heard, 3, "line 19 is left out"), ["test_count"], "one that never ends is noticed too");
    assert!(heard.faultless[&4].contains("there is no gone"), "{:?}", heard.faultless);
    assert_eq!(std::fs::read_to_string(project.root().join("shop.py")).unwrap(), shop, "the file is never touched");
}

/// Whether Python can end it or the process has to be killed: the other faults are tried as if it were not there.
#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_never_ends_is_noticed_and_changes_nothing_for_the_others() {
    let shop = "from itertools import count\n\n\ndef add(n, forever=False):\n    step = 1\n    if forever:\n        sum(count(step))\n    \
                return n + step\n\n\ndef down(n):\n    while n > 0:\n        try:\n            n -= 1\n        except BaseException:\n            \
                pass\n    return n\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "from shop import add, down\n\ndef test_add():\n    assert add(1) == 2\n\ndef test_more():\n    assert add(1) > 1\n\n\
                def test_down():\n    assert down(3) == 0\n";
    let heard = project.run(test, vec![look(1), faults(2, "add"), faults(3, "down")]).await;
    assert!(noticed(&heard, 2, "a condition is the other way round").contains(&"test_add"));
    assert_eq!(noticed(&heard, 2, "1 → 2"), ["test_add"]);
    assert_eq!(noticed(&heard, 2, "+ → -"), ["test_add", "test_more"]);
    assert_eq!(noticed(&heard, 3, "line 14 is left out"), ["test_down"]);
    assert_eq!(noticed(&heard, 3, "> → >="), ["test_down"]);
}

/// Faults of several functions share a process; what one of them cached is not to hide the faults of the next.
#[tokio::test(flavor = "multi_thread")]
async fn faults_are_noticed_whatever_was_cached_before() {
    let shop = "from functools import lru_cache\n\n\n@lru_cache\ndef rates():\n    return {'FR': 20}\n\n\n\
                def kept(function):\n    held = {}\n    def call(n):\n        if n not in held:\n            held[n] = function(n)\n        \
                return held[n]\n    return call\n\n\n@kept\ndef double(n):\n    return n * 2\n\n\n\
                def price(n):\n    return double(n) + rates()['FR']\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "from shop import double, price, rates\n\ndef test_price():\n    assert price(2) == 24\n\n\
                def test_rates():\n    assert rates() == {'FR': 20}\n\ndef test_double():\n    assert double(2) == 4\n";
    let of = |key, name: &str| ProveRun { tests: Some(vec![format!("{FILE}::test_{name}")]), ..faults(key, name) };
    let runs = vec![survey(9), look(1), of(2, "price"), of(3, "rates"), of(4, "double")];
    let heard = project.run(test, runs).await;
    assert_eq!(noticed(&heard, 2, "+ → -"), ["test_price"]);
    assert_eq!(noticed(&heard, 3, "20 → 21"), ["test_rates"]);
    assert_eq!(noticed(&heard, 4, "2 → 3"), ["test_double"]);
    assert_eq!(heard.reports.range((4, 0)..(5, 0)).count(), heard.faults.range((4, 0)..(5, 0)).count(), "each is told once");
}

/// A fault may spoil the process for the tests after it: then each runs in a process of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_leaves_something_behind_is_not_counted_for_the_next() {
    let shop = "_open = set()\n\n\ndef use(name):\n    _open.add(name)\n    size = len(_open)\n    _open.discard(name)\n    return size > 5\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "from shop import _open, use\n\ndef test_use():\n    assert use('a') is False\n    assert not _open\n";
    let heard = project.run(test, vec![look(1), faults(2, "use")]).await;
    let fault = heard.faults.iter().find(|(_, fault)| fault.label == "5 → 6").unwrap();
    assert_eq!(heard.reports[fault.0].results[0].outcome, Outcome::Passed, "{:?}", heard.faults);
}

#[tokio::test(flavor = "multi_thread")]
async fn time_zone_folder_and_clock_can_be_others() {
    let shop = "import datetime, os, time\nfrom datetime import date\n\nSTART = time.time()\n\n\ndef year():\n    return datetime.datetime.now().year\n\n\n\
                def today():\n    assert isinstance(date.today(), date)\n    return date.today()\n\n\ndef zone():\n    return time.strftime('%z')\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "import os, time\nfrom datetime import datetime\n\nimport shop\n\n\
                def test_show():\n    assert 0, (shop.year() - shop.today().year, shop.zone(), os.getcwd(), round((time.time() - shop.START) / 86400), \
                type(datetime.now()).__name__, isinstance(datetime(2020, 1, 1), datetime))\n";
    let late = ProveRun { clock: Some(400 * 86400), ..each(1) };
    let heard = project
        .run_in(test, vec![late], |session| {
            session.env.insert("TZ".into(), "PYT-05:45".into());
            session.cwd = Some(Path::new("/"));
        })
        .await;
    let message = &heard.reports[&(1, 0)].results[0].message;
    assert_eq!(message, "AssertionError: (0, '+0545', '/', 400, 'datetime', True)", "{heard:?}");
}

/// G4: what only this machine has makes no test pass as if on another one.
#[tokio::test(flavor = "multi_thread")]
async fn another_machine_has_other_names_versions_and_options() {
    let shop = "import os, platform, socket, sys\nfrom importlib.metadata import version\n\n\ndef all():\n    \
                return sys.argv, version('pytest').rpartition('.')[2], os.cpu_count(), platform.node(), socket.gethostname()\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "import shop\n\n\ndef test_show():\n    assert 0, shop.all()\n";
    let heard = project.run_in(test, vec![each(1)], |session| session.other_machine = true).await;
    let message = &heard.reports[&(1, 0)].results[0].message;
    assert_eq!(message, "AssertionError: (['elsewhere'], '99', 61, 'elsewhere', 'elsewhere')", "{heard:?}");
}

/// R17: what the project's code asks the environment for is told, what pytest asks for is not.
#[tokio::test(flavor = "multi_thread")]
async fn variables_that_are_asked_for_are_told() {
    let shop = "import os\n\n\ndef mode():\n    return os.environ.get('SHOP_MODE', 'live') + os.getenv('SHOP_USER', '') + os.environ['HOME']\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let heard = project.run("import shop\n\ndef test_mode():\n    assert shop.mode()\n", vec![look(1)]).await;
    assert_eq!(heard.looks[&format!("{FILE}::test_mode")].asked, ["SHOP_MODE", "SHOP_USER"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_locale_that_a_test_sets_can_be_held() {
    let shop = "import locale\n\n\ndef start():\n    locale.setlocale(locale.LC_ALL, 'C.UTF-8' if locale.setlocale(locale.LC_ALL) == 'C' else 'C')\n";
    let project = Project::new(&[("shop.py", shop)]).await;
    let test = "import shop\n\n\ndef test_sets():\n    shop.start()\n\n\n\
                def test_holds(monkeypatch):\n    monkeypatch.setattr(\"locale.setlocale\", lambda *_: \"C\")\n    shop.start()\n";
    let heard = project.run(test, vec![look(1)]).await;
    assert_eq!(left(&heard, "test_sets"), [("the locale", TraceKind::Setting)]);
    assert_eq!(left(&heard, "test_holds"), []);
}

/// The way through the function that a test is about, told apart by lines that follow each other.
#[tokio::test(flavor = "multi_thread")]
async fn the_way_through_a_function_is_seen() {
    let project = Project::new(&[("shop.py", "def sign(n):\n    if n < 0:\n        return -1\n    return 1\n")]).await;
    let test = "from shop import sign\n\ndef test_a():\n    assert sign(1) == 1\n\ndef test_b():\n    assert sign(-1) == -1\n";
    let mut run = look(1);
    run.targets =
        vec![Place { tests: FILE.into(), module: "shop".into(), path: "shop.py".into(), qualname: "sign".into(), line: None }];
    let heard = project.run(test, vec![run]).await;
    assert_eq!(heard.looks[&format!("{FILE}::test_a")].steps, [(0, 2), (2, 4)]);
    assert_eq!(heard.looks[&format!("{FILE}::test_b")].steps, [(0, 2), (2, 3)]);
}

#[tokio::test]
async fn tests_that_import_another_copy_of_the_project_do_not_count_as_having_found_it() {
    let project = Project::new(&[
        ("lib.py", "def one():\n    return 1\n"),
        ("installed/lib.py", "def one():\n    return 1\n"),
        ("tests/conftest.py", "import os, sys\nsys.path.insert(0, os.path.join(os.getcwd(), 'installed'))\n"),
    ])
    .await;
    let place = || Place { tests: FILE.into(), module: "lib".into(), path: "lib.py".into(), qualname: "one".into(), line: None };
    let test = "from lib import one\n\n\ndef test_one():\n    assert one() == 1\n";
    let heard = project.run(test, vec![ProveRun { targets: vec![place()], ..look(1) }]).await;
    let said: Vec<&str> = heard.uncollected.iter().map(|result| result.message.as_str()).collect();
    assert!(!heard.reports.is_empty(), "with its folders on the path, what was found is only told");
    assert!(
        matches!(said.as_slice(), [one] if one.starts_with("ModuleNotFoundError: No module named 'lib' in the project")),
        "{said:?}"
    );
    // Without them nothing of the other copy is run.
    project.write("installed/lib.py", "raise SystemExit('it was imported')\n");
    let alone = [ProveRun { targets: vec![place()], ..look(1) }];
    let heard = project.run_in(test, alone.to_vec(), |session| session.on_path = false).await;
    let said: Vec<&str> = heard.uncollected.iter().map(|result| result.message.as_str()).collect();
    assert!(matches!(said.as_slice(), [one] if one.contains("No module named 'lib' in the project")), "{said:?}");
    assert!(heard.reports.is_empty(), "{:?}", heard.reports);
    std::fs::remove_dir_all(project.root().join("installed")).unwrap();
    let heard = project.run(test, vec![ProveRun { targets: vec![place()], ..look(1) }]).await;
    assert!(heard.uncollected.is_empty(), "{:?}", heard.uncollected);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_test_has_a_result_reported_that_it_did_not_have() {
    let project = Project::new(&[("shop.py", "def f(x):\n    return x + 1\n")]).await;
    for (what, text) in FORGERIES {
        let test = format!("from shop import f\n{text}");
        let heard = project.run(&test, vec![survey(9), look(1), faults(2, "f")]).await;
        let seen: Vec<_> = [9, 1].iter().flat_map(|key| ends(&heard, *key)).collect();
        let passed = seen.iter().filter(|(_, outcome)| *outcome == Outcome::Passed).count();
        assert!(passed == 0 && (!seen.is_empty() || !heard.uncollected.is_empty()), "{what}: {seen:?}");
    }
    let honest = project.run("from shop import f\n\ndef test_f():\n    assert f(1) == 2\n", vec![survey(9), look(1)]).await;
    assert!(all_passed(&honest, 1) && all_passed(&honest, 9), "{honest:?}");
}

/// One that only notices that it is tried notices no fault.
#[tokio::test(flavor = "multi_thread")]
async fn a_test_that_sees_that_it_is_tried_notices_no_fault() {
    let project = Project::new(&[("shop.py", "def f(x):\n    return x + 1\n")]).await;
    for (what, text) in [
        ("the timer", "import signal\n\ndef test_f():\n    f(1)\n    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0\n"),
        ("the code", "C = f.__code__\n\ndef test_f():\n    f(1)\n    assert f.__code__ is C\n"),
        (
            "the frames",
            "import sys\n\ndef test_f():\n    f(1)\n    frame = sys._getframe()\n    while frame is not None:\n        \
             assert frame.f_code.co_name not in ('_with', '_check')\n        frame = frame.f_back\n",
        ),
    ] {
        let test = format!("from shop import f\n{text}");
        let heard = project.run(&test, vec![survey(9), look(1), faults(2, "f")]).await;
        assert!(all_passed(&heard, 1), "{what}");
        assert!(heard.faultless.contains_key(&2) && heard.faults.is_empty(), "{what}: {heard:?}");
    }
}

/// Whichever way a test is written, its function is seen to be called.
#[tokio::test(flavor = "multi_thread")]
async fn tests_of_all_kinds_are_seen_to_end() {
    let python = harness::environment_with(&["plugins"]);
    let project = Project::with_python(Path::new(&python), &[("shop.py", "def f(x):\n    return x + 1\n")]).await;
    let test = "import unittest\nimport pytest\nfrom shop import f\n\n\
                class TestA:\n    @pytest.mark.parametrize('n', [1, 2])\n    def test_b(self, n, tmp_path):\n        assert f(n) == n + 1\n\n\
                class Old(unittest.TestCase):\n    def setUp(self):\n        self.n = 1\n    def test_c(self):\n        \
                self.assertEqual(f(self.n), 2)\n\n\
                class Awaited(unittest.IsolatedAsyncioTestCase):\n    async def test_d(self):\n        self.assertEqual(f(1), 2)\n\n\
                @pytest.mark.asyncio\nasync def test_e():\n    assert f(1) == 2\n\n\
                @pytest.mark.xfail\ndef test_x():\n    assert f(1) == 3\n\n\
                def test_s():\n    pytest.skip('not here')\n";
    let heard = project.run(test, vec![survey(9), look(1), faults(2, "f")]).await;
    let ends = ends(&heard, 1);
    let of = |outcome| ends.iter().filter(|(_, end)| *end == outcome).map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    assert_eq!(of(Outcome::Passed), ["TestA::test_b", "TestA::test_b", "Old::test_c", "Awaited::test_d", "test_e"], "{ends:?}");
    assert_eq!(of(Outcome::Skipped), ["test_x", "test_s"], "{ends:?}");
    let noticed: BTreeSet<_> = heard
        .faults
        .keys()
        .flat_map(|place| &heard.reports[place].results)
        .collect::<Vec<_>>()
        .into_iter()
        .filter(|result| !matches!(result.outcome, Outcome::Passed | Outcome::Skipped))
        .map(|result| result.name.as_str())
        .collect();
    assert_eq!(noticed.into_iter().collect::<Vec<_>>(), ["Awaited::test_d", "Old::test_c", "TestA::test_b", "test_e"]);
}
