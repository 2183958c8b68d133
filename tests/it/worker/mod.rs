//! The worker under every interpreter of this machine: what it answers, and that calls cannot disturb each other.

#![allow(clippy::print_stderr)]

mod imports;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::harness::package::compiled_by;
use pytead_tui::contain::{self, Level};
use pytead_tui::domain::call::{Argument, Effect, GeneratorEnd, ITS_SIDE_EFFECTS, Outcome};
use pytead_tui::domain::function::ParamKind;
use pytead_tui::domain::reason::{Reason, ReasonCode};
use pytead_tui::domain::value::{ObjectKind, TypeName, Value};
use pytead_tui::domain::way::Way;
use pytead_tui::python::protocol::{Expression, Surroundings};
use pytead_tui::python::zygote::{Ending, ReplayCall, Worker, WorkerSpec};
use pytead_tui::python::{interpreter, value};

/// The interpreters to try: those of pyenv, 3.10 and newer, and otherwise the one on the path.
fn pythons() -> Vec<String> {
    let versions = std::env::var_os("HOME").map(|home| Path::new(&home).join(".pyenv/versions"));
    let mut found: Vec<String> = versions
        .and_then(|folder| std::fs::read_dir(folder).ok())
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.split('.').nth(1).and_then(|minor| minor.parse().ok()).is_some_and(|minor: u32| minor >= 10)
        })
        .map(|entry| entry.path().join("bin/python").display().to_string())
        .collect();
    found.sort();
    if found.is_empty() {
        found.push("python3".into());
    }
    found
}

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
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

    async fn worker(&self, python: &str, level: Level) -> Worker {
        contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
        let package = compiled_by(Path::new(python));
        let interpreter = interpreter::find(&self.root(), Some(python)).unwrap();
        Worker::start(WorkerSpec::new(interpreter, package, level, self.root())).await.unwrap()
    }
}

fn best_level() -> Level {
    contain::use_executable(env!("CARGO_BIN_EXE_pytead-tui"));
    contain::available()
}

/// The kernel's levels that work here.
fn kernel_levels() -> Vec<Level> {
    let landlock = contain::probe().landlock_abi.is_some_and(|abi| abi >= 3).then_some(Level::Landlock);
    Some(best_level()).filter(|level| *level == Level::Namespaces).into_iter().chain(landlock).collect()
}

fn arg(name: &str, value: Value) -> Argument {
    Argument::new(name, ParamKind::PositionalOrKeyword, value)
}

fn call(key: u64, place: &str, args: &[Argument]) -> ReplayCall {
    let (module, qualname) = place.split_once(':').unwrap();
    ReplayCall {
        key,
        module: module.into(),
        path: format!("{}.py", module.replace('.', "/")),
        qualname: qualname.into(),
        as_kept: false,
        args: value::encode_arguments(args, Way::default()),
        surroundings: Surroundings::default(),
        wait: Duration::from_secs(5),
        sites: None,
        dispatch: None,
        also: Vec::new(),
    }
}

async fn endings(worker: &Worker, calls: &[ReplayCall]) -> Vec<Result<Ending, Reason>> {
    let replies = worker.replay(calls, true, None, &[]).await.unwrap().all().await.unwrap();
    assert_eq!(replies.iter().map(|reply| reply.key).collect::<Vec<_>>(), calls.iter().map(|call| call.key).collect::<Vec<_>>());
    replies.into_iter().map(|reply| reply.result.map_err(|not_made| not_made.why)).collect()
}

async fn effects(worker: &Worker, calls: &[ReplayCall]) -> Vec<Effect> {
    let endings = endings(worker, calls).await;
    endings.into_iter().map(|ending| ended(&ending.unwrap())).collect()
}

async fn effect(worker: &Worker, call: ReplayCall) -> Effect {
    effects(worker, &[call]).await.remove(0)
}

fn returned(value: Value) -> Effect {
    Effect { outcome: Outcome::Returned(value), changed: Vec::new() }
}

/// How a call ended, whatever else it did: that is `side_effects`.
fn ended(ending: &Ending) -> Effect {
    let mut effect = value::outcome(&ending.outcome).unwrap();
    effect.changed.retain(|(name, _)| name != ITS_SIDE_EFFECTS);
    effect
}

fn object(ordinal: u64, module: &str, qualname: &str, fields: &[(&str, Value)]) -> Value {
    let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Value::Object { ordinal, ty: TypeName::new(module, qualname), kind: ObjectKind::Plain, fields }
}

const SHOP: &str = r#"
import asyncio, functools, os, random
from dataclasses import dataclass

def loud(f):
    def inner(*args, **kwargs):
        raise AssertionError("a decorator is not the function", f)
    return inner

class Cart:
    rate = 2
    def __init__(self, items):
        self.items = items
    def add(self, item, *more, twice=False, **rest):
        self.items.append(item)
        self.items.extend(more)
        return len(self.items) * (2 if twice else 1) + len(rest)
    @property
    def total(self):
        return sum(self.items) * self.rate
    @total.setter
    def total(self, value):
        self.items = [value]
    @classmethod
    def empty(cls):
        return cls([])
    @staticmethod
    def double(x):
        return 2 * x
    @loud
    def hidden(self):
        return "seen"
    def _Cart__odd(self):
        pass
    def __secret(self):
        return "mangled"

class Slotted:
    __slots__ = ("a", "__b")
    def __init__(self):
        raise AssertionError("state is set without __init__")
    def both(self):
        return (self.a, self.__b)

@functools.lru_cache
def cached(n):
    return n + 1

def inner(n):
    return n * 10

def outer(n):
    return inner(n) + 1

async def fetch(n):
    await asyncio.sleep(0)
    return [n]

def count(n):
    for i in range(n):
        yield i
    return "end"

async def acount(n):
    for i in range(n):
        yield i

def fail(text):
    raise ValueError(text, 7)

def crash():
    os.abort()

def spin():
    while True:
        pass

def hungry():
    return bytearray(1 << 40)

def deep(n):
    return deep(n)

def dice():
    return random.random()

state = []
def remember(n):
    state.append(n)
    return len(state)

def same(a, b):
    return a is b
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kind_of_function_is_called_again() {
    for python in pythons() {
        let project = Project::new(&[("shop.py", SHOP)]);
        let worker = project.worker(&python, best_level()).await;
        let hello = worker.hello().await.unwrap();
        assert!(hello.python.starts_with("3."), "{hello:?}");
        assert_eq!(hello.hashseed, Some(0));
        let cart = || object(1, "shop", "Cart", &[("items", Value::List(vec![Value::Int(1), Value::Int(2)]))]);
        let three = Value::List(vec![Value::Int(1), Value::Int(2), Value::Int(3)]);

        let mut add = call(1, "shop:Cart.add", &[arg("self", cart()), arg("item", Value::Int(3))]);
        let effect_of_add = effect(&worker, add.clone()).await;
        assert_eq!(effect_of_add.outcome, Outcome::Returned(Value::Int(3)));
        let (name, after) = &effect_of_add.changed[0];
        assert_eq!(name, "self");
        assert_eq!(after.first_difference(&object(9, "shop", "Cart", &[("items", three)])), None, "{after:?}");

        let kinds = [
            arg("self", cart()),
            arg("item", Value::Int(3)),
            Argument::new("more", ParamKind::VarPositional, Value::Tuple(vec![Value::Int(4)])),
            Argument::new("twice", ParamKind::KeywordOnly, Value::Bool(true)),
            Argument::new("rest", ParamKind::VarKeyword, Value::Dict(vec![(Value::Str("x".into()), Value::Int(1))])),
        ];
        add.args = value::encode_arguments(&kinds, Way::default());
        assert_eq!(effect(&worker, add).await.outcome, Outcome::Returned(Value::Int(9)), "{python}");

        let simple = [
            (call(1, "shop:Cart.total", &[arg("self", cart())]), Value::Int(6)),
            (call(2, "shop:Cart.double", &[arg("x", Value::Int(4))]), Value::Int(8)),
            (call(3, "shop:Cart.hidden", &[arg("self", cart())]), Value::Str("seen".into())),
            (call(4, "shop:Cart.__secret", &[arg("self", cart())]), Value::Str("mangled".into())),
            (call(5, "shop:cached", &[arg("n", Value::Int(1))]), Value::Int(2)),
            (call(6, "shop:fetch", &[arg("n", Value::Int(1))]), Value::List(vec![Value::Int(1)])),
        ];
        for (call, expected) in simple {
            assert_eq!(effect(&worker, call.clone()).await, returned(expected), "{python} {}", call.qualname);
        }

        let class = Value::Name(TypeName::new("shop", "Cart"));
        let Outcome::Returned(made) = effect(&worker, call(7, "shop:Cart.empty", &[arg("cls", class)])).await.outcome else {
            panic!()
        };
        assert_eq!(made.first_difference(&object(1, "shop", "Cart", &[("items", Value::List(vec![]))])), None);

        let set = effect(&worker, call(8, "shop:Cart.total", &[arg("self", cart()), arg("value", Value::Int(5))])).await;
        assert_eq!(set.changed.len(), 1, "a setter is told from its getter: {set:?}");

        let slotted = object(3, "shop", "Slotted", &[("a", Value::Int(1)), ("_Slotted__b", Value::Int(2))]);
        let both = effect(&worker, call(9, "shop:Slotted.both", &[arg("self", slotted)])).await;
        assert_eq!(both, returned(Value::Tuple(vec![Value::Int(1), Value::Int(2)])), "{python}");

        let new = effect(
            &worker,
            call(10, "shop:Cart.__init__", &[arg("self", object(1, "shop", "Cart", &[])), arg("items", Value::List(vec![]))]),
        )
        .await;
        assert_eq!((new.outcome, new.changed.len()), (Outcome::Returned(Value::None), 1));

        let failed = effect(&worker, call(11, "shop:fail", &[arg("text", Value::Str("no".into()))])).await;
        let Outcome::Raised { exception: Value::Exception { ty, args, .. }, .. } = failed.outcome else { panic!("{failed:?}") };
        assert_eq!((ty, args), (TypeName::new("builtins", "ValueError"), vec![Value::Str("no".into()), Value::Int(7)]));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn generators_are_run_to_their_end_or_to_a_thousand() {
    for python in pythons() {
        let project = Project::new(&[("shop.py", SHOP)]);
        let worker = project.worker(&python, best_level()).await;
        for (place, last) in [("shop:count", Value::Str("end".into())), ("shop:acount", Value::None)] {
            let short = effect(&worker, call(1, place, &[arg("n", Value::Int(3))])).await.outcome;
            let items = vec![Value::Int(0), Value::Int(1), Value::Int(2)];
            assert_eq!(short, Outcome::Yielded { items, end: GeneratorEnd::Returned(last) }, "{python} {place}");
            let Outcome::Yielded { items, end } = effect(&worker, call(1, place, &[arg("n", Value::Int(1100))])).await.outcome
            else {
                panic!()
            };
            // Fewer where the machine is too slow for a thousand in a tenth of a second.
            assert!((50..=1000).contains(&items.len()), "{python} {place}: {}", items.len());
            assert_eq!(items, (0..).take(items.len()).map(Value::Int).collect::<Vec<_>>());
            assert_eq!(end, GeneratorEnd::Open);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_do_not_see_each_other_and_randomness_is_the_same() {
    for python in pythons() {
        let project = Project::new(&[("shop.py", SHOP)]);
        let worker = project.worker(&python, best_level()).await;
        let calls: Vec<_> = (0..3).map(|key| call(key, "shop:remember", &[arg("n", Value::Int(1))])).collect();
        assert_eq!(effects(&worker, &calls).await, vec![returned(Value::Int(1)); 3], "{python}");
        let dice: Vec<_> = (0..2).map(|key| call(key, "shop:dice", &[])).collect();
        let thrown = effects(&worker, &dice).await;
        assert_eq!(thrown[0], thrown[1]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_and_an_endless_call_end_alone() {
    for python in pythons() {
        let project = Project::new(&[("shop.py", SHOP)]);
        let worker = project.worker(&python, best_level()).await;
        let mut spin = call(2, "shop:spin", &[]);
        spin.wait = Duration::from_millis(300);
        let outcomes: Vec<_> =
            effects(&worker, &[call(1, "shop:crash", &[]), spin, call(3, "shop:cached", &[arg("n", Value::Int(1))])])
                .await
                .into_iter()
                .map(|effect| effect.outcome)
                .collect();
        let expected = [Outcome::Died("signal 6".into()), Outcome::TimedOut(0.3), Outcome::Returned(Value::Int(2))];
        assert_eq!(outcomes, expected, "{python}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_module_that_ends_the_process_breaks_its_own_calls_alone() {
    let project = Project::new(&[("shop.py", SHOP), ("bad.py", "import os\nos._exit(7)\n")]);
    let worker = project.worker(&pythons()[0], best_level()).await;
    let one = [arg("n", Value::Int(1))];
    let calls = [call(1, "shop:cached", &one), call(2, "bad:f", &[]), call(3, "shop:cached", &one), call(4, "bad:g", &[])];
    let answers = endings(&worker, &calls).await;
    assert!(answers[0].is_ok() && answers[2].is_ok(), "{answers:?}");
    for broken in [&answers[1], &answers[3]] {
        assert_eq!(*broken.as_ref().unwrap_err(), ReasonCode::Crashed.with("exit 7"));
    }
    for (function, exception) in [("shop:hungry", "MemoryError"), ("shop:deep", "RecursionError")] {
        let args = if function == "shop:deep" { &one[..] } else { &[] };
        let outcome = effect(&worker, call(1, function, args)).await.outcome;
        let Outcome::Raised { exception: Value::Exception { ty, .. }, .. } = outcome else { panic!("{outcome:?}") };
        assert_eq!(ty.qualname, exception);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_entered_is_said_with_its_file() {
    for python in pythons() {
        let project = Project::new(&[
            ("shop.py", SHOP),
            ("deep/__init__.py", ""),
            ("deep/use.py", "import shop\nclass A:\n    def go(self):\n        return shop.outer(2)\n"),
        ]);
        let worker = project.worker(&python, best_level()).await;
        let go = call(1, "deep.use:A.go", &[arg("self", object(1, "deep.use", "A", &[]))]);
        let ending = endings(&worker, &[go]).await.remove(0).unwrap();
        let expected = [("deep/use.py", "A.go"), ("shop.py", "inner"), ("shop.py", "outer")];
        assert_eq!(ending.entered, expected.map(|(path, name)| (path.to_owned(), name.to_owned())), "{python}");
        assert!(ending.ns > 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_made_again_says_why() {
    let project = Project::new(&[
        ("shop.py", SHOP),
        ("bad.py", "import no_such_module\n"),
        ("run-it.py", "import sys\nif __name__ == '__main__':\n    sys.exit(3)\ndef go(c):\n    return c.n\nclass C: pass\n"),
    ]);
    let python = pythons().pop().unwrap();
    let worker = project.worker(&python, best_level()).await;
    let renamed = [Argument::new("old", ParamKind::PositionalOrKeyword, Value::Int(1))];
    let too_many = [arg("n", Value::Int(1)), arg("m", Value::Int(1))];
    for (call, why) in [
        (call(1, "shop:gone", &[]), "gone no longer exists in shop"),
        (call(2, "bad:f", &[]), "its module cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        (call(4, "shop:cached", &too_many), "its parameters changed"),
        (
            call(5, "shop:same", &[arg("a", object(1, "shop", "Gone", &[])), arg("b", Value::None)]),
            "Gone no longer exists in shop",
        ),
    ] {
        let answer = endings(&worker, &[call]).await.remove(0).unwrap_err();
        assert!(answer.message().starts_with(why), "{answer}");
    }
    assert_eq!(
        effect(&worker, call(1, "shop:cached", &renamed)).await,
        returned(Value::Int(2)),
        "a renamed parameter is no change"
    );

    let shared = Value::Shared(4, Box::new(Value::List(vec![Value::Ref(4)])));
    let same = effect(&worker, call(1, "shop:same", &[arg("a", shared), arg("b", Value::Ref(4))])).await;
    assert_eq!(same, returned(Value::Bool(true)), "aliases and cycles are one object again");

    // A script is imported by its file, does not run as a program, and its `__main__` classes are found.
    let script = call(1, "run-it:go", &[arg("c", object(1, "__main__", "C", &[("n", Value::Int(7))]))]);
    assert_eq!(effect(&worker, script).await, returned(Value::Int(7)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_project_may_have_modules_named_like_ours_or_like_the_librarys() {
    for python in pythons() {
        let project = Project::new(&[
            ("json.py", "def where():\n    return 'project'\n"),
            ("random.py", "import json\ndef where():\n    return json.where()\ndef seed(n):\n    pass\n"),
            ("select.py", "raise SystemExit(9)\n"),
        ]);
        let worker = project.worker(&python, best_level()).await;
        let there = effect(&worker, call(1, "random:where", &[])).await;
        assert_eq!(there, returned(Value::Str("project".into())), "{python}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expressions_are_evaluated_one_by_one() {
    let project = Project::new(&[("shop.py", SHOP)]);
    let worker = project.worker(&pythons()[0], best_level()).await;
    let item = |key, source: &str, imports: &[&str]| {
        Expression::new(key, source.into(), imports.iter().map(ToString::to_string).collect())
    };
    let items = [
        item(1, "shop.cached(2)", &["import shop"]),
        item(2, "nothing", &[]),
        item(3, "Decimal('1.50')", &["from decimal import Decimal"]),
    ];
    let answers = worker.evaluate(&items, None).await.unwrap().all().await.unwrap();
    assert_eq!(value::value(answers[0].result.as_ref().unwrap()).unwrap(), Value::Int(3));
    assert_eq!(answers[1].result.as_ref().unwrap_err(), "NameError: name 'nothing' is not defined");
    let decimal = Value::New { ty: TypeName::new("decimal", "Decimal"), args: vec![Value::Str("1.50".into())], kwargs: vec![] };
    assert_eq!(value::value(answers[2].result.as_ref().unwrap()).unwrap(), decimal);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_can_be_cancelled_and_a_dead_worker_starts_again() {
    let project = Project::new(&[("shop.py", SHOP)]);
    let worker = project.worker(&pythons()[0], best_level()).await;
    let cached = |key| call(key, "shop:cached", &[arg("n", Value::Int(1))]);
    let mut spin = call(2, "shop:spin", &[]);
    spin.wait = Duration::from_secs(24 * 60 * 60);
    let mut running = worker.replay(&[cached(1), spin], false, None, &[]).await.unwrap();
    // Once the first call has answered, the endless one has its turn.
    assert!(running.next().await.unwrap().unwrap().result.is_ok());
    running.cancel();
    // Not cancelled, it would keep the worker for a day; the limit only ends a test that has failed.
    let free = tokio::time::timeout(Duration::from_secs(120), effect(&worker, cached(3)));
    assert_eq!(free.await.expect("the worker is still busy"), returned(Value::Int(2)));

    // A call that kills every process it can reach ends the server; the next request has a new one.
    project.write(
        "evil.py",
        "import os, signal\ndef kill():\n    os.kill(os.getppid(), signal.SIGKILL)\n    os.kill(-1, signal.SIGKILL)\n",
    );
    let killed = worker.replay(&[call(3, "evil:kill", &[])], false, None, &[]).await.unwrap().all().await;
    assert!(killed.is_err() || killed.as_ref().is_ok_and(|all| all[0].result.is_err() || all.len() == 1), "{killed:?}");
    assert_eq!(effect(&worker, call(4, "shop:cached", &[arg("n", Value::Int(1))])).await, returned(Value::Int(2)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_level_replays_and_keeps_the_project_as_it_is() {
    let writes = "import os, socket, subprocess\nfrom pathlib import Path\ndef write():\n    Path(__file__).with_name('new.txt').write_text('x')\ndef home():\n    (Path('/root') / 'pytead-was-here').write_text('x')\ndef connect():\n    socket.create_connection(('127.0.0.1', 9))\ndef start():\n    return subprocess.run(['/bin/true']).returncode\ndef swallows():\n    try:\n        return start()\n    except BaseException:\n        return 0\ndef hides():\n    try:\n        write()\n    except Exception:\n        return False\ndef fine():\n    import tempfile, asyncio\n    with tempfile.TemporaryFile() as f:\n        f.write(b'x')\n    return asyncio.run(asyncio.sleep(0, 5))\n";
    for python in pythons() {
        for level in kernel_levels().into_iter().chain([Level::Weak]) {
            let project = Project::new(&[("acts.py", writes)]);
            let worker = project.worker(&python, level).await;
            // What the sandbox refuses is no outcome, whatever the function makes of it.
            for place in ["acts:write", "acts:home", "acts:hides"] {
                let why = endings(&worker, &[call(1, place, &[])]).await.remove(0).unwrap_err();
                assert_eq!(why.code, ReasonCode::BlockedSideEffect, "{level:?} {python} {place}: {why}");
            }
            assert!(!project.root().join("new.txt").exists() && !Path::new("/root/pytead-was-here").exists());
            assert_eq!(effect(&worker, call(1, "acts:fine", &[])).await, returned(Value::Int(5)), "{level:?} {python}");
            // What would leave its process is stopped before the sandbox has to; where that is a hook, it comes first.
            for place in ["acts:connect", "acts:start", "acts:swallows"] {
                match endings(&worker, &[call(1, place, &[])]).await.remove(0) {
                    Err(why) => assert_eq!(why.code, ReasonCode::BlockedSideEffect, "{level:?} {place}: {why}"),
                    Ok(_) => assert_eq!(level, Level::Weak, "{place}"),
                }
            }
        }
    }
}
