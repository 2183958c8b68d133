//! Faults in the middle of a decision: the process is killed, the disk is full, the database is kept busy, the clock goes back.
//! After each, a decision is there as a whole or not at all: counted, step by step, on the real binary.
//!
//! strace puts the faults into system calls; where there is none, or it may not trace, those tests say so and end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod harness;

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};

use harness::{Place, python_with_pytest};

const TESTS: &str = "tests/pytead/test_pytead_app.py";
const MANIFEST: &str = "tests/pytead/manifest.yaml";

/// What leaves something on the disk, and every how manieth of it gets the fault. The database is written in many small
/// pieces; what makes them count are the others, and SQLite answers for the rest.
const STEPS: [(&str, usize); 7] =
    [("fsync", 1), ("fdatasync", 1), ("renameat2", 1), ("mkdirat", 1), ("ftruncate", 1), ("unlink", 1), ("pwrite64", 4)];

/// Where the draft of `double` stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stands {
    Waits,
    Written,
    Rejected,
}

/// A recorded project with a proved draft.
struct Project {
    place: Place,
    draft: String,
}

impl Project {
    fn new() -> Self {
        let place = Place::empty();
        place.save("app.py", "def double(x):\n    return x * 2\n");
        place.save("main.py", "import app\n\nfor x in (1, 2, 30):\n    app.double(x)\n");
        for words in [&["trust"][..], &["run", "main.py"], &["gen"]] {
            let (code, out, err) = place.run(words);
            assert_eq!(code, 0, "{words:?}\n{out}{err}");
        }
        let mut project = Self { place, draft: String::new() };
        let [draft] = project.waiting()[..] else { panic!("one draft waits") };
        project.draft = draft.to_string();
        project
    }

    /// The numbers of what waits, as a process sees it that starts now.
    fn waiting(&self) -> Vec<i64> {
        let (code, out, err) = self.place.run(&["--format", "json", "review", "--list"]);
        assert_eq!(code, 0, "{out}{err}");
        assert!(!err.contains("panicked"), "{err}");
        let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let queue = lines.into_iter().find(|line| line["result"] == "queue").unwrap_or_else(|| panic!("{out}"));
        queue["value"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
    }

    /// Says where the draft stands after the next start; queue, test file and manifest have to agree.
    fn stands(&self, context: &str) -> Stands {
        let waits = self.waiting().iter().any(|id| id.to_string() == self.draft);
        let text = |path: &str| std::fs::read_to_string(self.place.root().join(path)).unwrap_or_default();
        let (tests, manifest) = (text(TESTS), text(MANIFEST));
        let written = tests.contains("def test_double(");
        assert_eq!(written, manifest.contains("state: accepted"), "{context}: file and manifest\n{tests}\n{manifest}");
        assert!(!(waits && written), "{context}: it waits and is written");
        let folder = self.place.root().join("tests/pytead");
        let halves = folder.read_dir().into_iter().flatten().flatten().map(|file| file.file_name());
        let halves: Vec<_> = halves.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect();
        assert!(halves.is_empty(), "{context}: {halves:?} was left behind");
        match (waits, written) {
            (true, _) => Stands::Waits,
            (_, true) => Stands::Written,
            (_, false) => Stands::Rejected,
        }
    }

    fn words(&self, from: Stands, to: Stands) -> Vec<&str> {
        match (from, to) {
            (Stands::Waits, Stands::Written) => vec!["review", "--accept", &self.draft],
            (Stands::Waits, Stands::Rejected) => vec!["review", "--reject", &self.draft],
            _ => vec!["review", "--undo"],
        }
    }

    /// Brings the draft there, without faults. What was decided can be taken back, or this fails.
    fn bring(&self, mut now: Stands, to: Stands, context: &str) {
        while now != to {
            let next = if now == Stands::Waits { to } else { Stands::Waits };
            let (code, out, err) = self.place.run(&self.words(now, next));
            assert_eq!(code, 0, "{context}: {now:?} to {next:?}\n{out}{err}");
            now = self.stands(context);
            assert_eq!(now, next, "{context}\n{out}{err}");
        }
    }

    /// Runs the binary under strace with a fault in the system calls of one name; what it said, and how it ended.
    fn with_fault(&self, call: &str, fault: &str, words: &[&str]) -> Output {
        let plain = self.place.command(words);
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e"]).arg(format!("trace={call}"));
        command.arg("-e").arg(format!("inject={call}:{fault}")).arg(plain.get_program()).args(plain.get_args());
        command.current_dir(self.place.root()).env_clear().envs(self.place.environment()).stdin(Stdio::null());
        command.output().unwrap()
    }
}

/// Tells whether strace can trace and kill here; else says so.
fn strace_works() -> bool {
    let killed = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=getcwd", "-e", "inject=getcwd:signal=KILL:when=1", "pwd", "-P"])
        .output();
    let works = killed.is_ok_and(|output| output.status.signal() == Some(9) || output.status.code() == Some(137));
    if !works {
        eprintln!("skipped: there is no strace here that may put faults into a program");
    }
    works
}

/// Puts a fault into every step of one decision, one at a time; gives how often it was done in the end, and how often not.
fn at_every_step(from: Stands, to: Stands, fault: impl Fn(usize) -> String) -> (usize, usize) {
    let project = Project::new();
    project.bring(Stands::Waits, from, "at first");
    let (mut done, mut not_done) = (0, 0);
    for (call, every) in STEPS {
        for step in (1..).step_by(every) {
            let words = project.words(from, to);
            let output = project.with_fault(call, &fault(step), &words);
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            let context = format!("{from:?} to {to:?}, fault in {call} number {step}: {said}");
            assert!(!said.contains("panicked"), "{context}");
            let now = project.stands(&context);
            assert!(now == from || now == to, "{context}: {now:?}");
            if output.status.success() {
                // No fault came any more, or it was none: what was told is so.
                assert_eq!(now, to, "{context}");
            } else {
                *(if now == to { &mut done } else { &mut not_done }) += 1;
            }
            project.bring(now, from, &context);
            if output.status.success() {
                break;
            }
        }
    }
    (done, not_done)
}

fn killed(from: Stands, to: Stands) {
    if !strace_works() {
        return;
    }
    let (done, not_done) = at_every_step(from, to, |step| format!("signal=KILL:when={step}"));
    eprintln!("killed {} times: {done} decisions finished, {not_done} not begun", done + not_done);
    assert!(done >= 5 && not_done >= 5, "{done} finished, {not_done} not begun: the faults came elsewhere");
}

#[test]
fn an_acceptance_killed_at_any_step_is_whole_or_not_begun() {
    killed(Stands::Waits, Stands::Written);
}

#[test]
fn a_rejection_killed_at_any_step_is_whole_or_not_begun() {
    killed(Stands::Waits, Stands::Rejected);
}

#[test]
fn an_undo_killed_at_any_step_is_whole_or_not_begun() {
    killed(Stands::Written, Stands::Waits);
}

#[test]
fn an_acceptance_on_a_disk_that_fills_at_any_step_is_whole_or_not_begun() {
    if !strace_works() {
        return;
    }
    let (done, not_done) = at_every_step(Stands::Waits, Stands::Written, |step| format!("error=ENOSPC:when={step}+"));
    eprintln!("full {} times: {done} decisions finished, {not_done} not begun", done + not_done);
    assert!(not_done >= 5, "{done} finished, {not_done} not begun: the faults came elsewhere");
}

/// Another process that keeps the right to write the database until it is dropped.
struct Keeper(Child);

impl Keeper {
    fn start(place: &Place) -> Self {
        let script = "import sqlite3, sys\n\
            base = sqlite3.connect('.pytead/pytead.db', timeout=60, isolation_level=None)\n\
            base.execute('BEGIN IMMEDIATE')\nprint('held', flush=True)\nsys.stdin.read()\n";
        let mut child = Command::new(python_with_pytest())
            .args(["-c", script])
            .current_dir(place.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "held\n");
        Self(child)
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn a_database_that_is_kept_busy_refuses_the_decision_and_loses_nothing() {
    let project = Project::new();
    {
        let _keeper = Keeper::start(&project.place);
        let (code, out, err) = project.place.run(&["review", "--accept", &project.draft]);
        assert_eq!(code, 3, "{out}{err}");
        assert!(err.contains("Another process keeps the database busy"), "{out}{err}");
    }
    assert_eq!(project.stands("after a refusal"), Stands::Waits);
    project.bring(Stands::Waits, Stands::Written, "once it is free");
    project.bring(Stands::Written, Stands::Waits, "taken back");
}

#[test]
fn a_database_that_gets_busy_when_the_files_are_written_gets_the_decision_later() {
    if !strace_works() {
        return;
    }
    let project = Project::new();
    let words = project.words(Stands::Waits, Stands::Written);
    let (code, err) = std::thread::scope(|scope| {
        // The last file is in its place for three seconds before the program hears of it.
        let running = scope.spawn(|| project.with_fault("renameat2", "delay_exit=3000000:when=3", &words));
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !project.place.root().join(MANIFEST).exists() || !project.place.root().join(TESTS).exists() {
            assert!(std::time::Instant::now() < end, "nothing is written");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let _keeper = Keeper::start(&project.place);
        let output = running.join().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    });
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("the files are written. But that is not noted yet.") && err.contains("Nothing is lost"), "{err}");
    let (_, _, err) = project.place.run(&["review", "--list"]);
    assert!(err.contains("A decision was cut off and is finished now: double."), "{err}");
    assert_eq!(project.stands("after the next start"), Stands::Written);
    project.bring(Stands::Written, Stands::Waits, "taken back");
}

#[test]
fn decisions_are_taken_back_in_their_order_when_the_clock_goes_back_between_them() {
    let project = Project::new();
    let place = &project.place;
    place.save("main.py", "import app\n\nfor x in (1, 2, 30):\n    app.double(x)\n    app.half(x)\n");
    place.save("app.py", "def double(x):\n    return x * 2\n\n\ndef half(x):\n    return x / 2\n");
    assert_eq!(place.run(&["run", "main.py"]).0, 0);
    assert_eq!(place.run(&["gen"]).0, 0);
    let all = project.waiting();
    assert_eq!(all.len(), 2);
    for id in &all {
        assert_eq!(place.run(&["review", "--accept", &id.to_string()]).0, 0);
        // The clock goes back by a day after each.
        let script = "import sqlite3\nbase = sqlite3.connect('.pytead/pytead.db', timeout=60)\n\
            base.execute('UPDATE decisions SET at = at + 86400000')\nbase.commit()\n";
        let shifted = Command::new(python_with_pytest()).args(["-c", script]).current_dir(place.root()).status().unwrap();
        assert!(shifted.success());
    }
    assert!(project.waiting().is_empty());
    for left in all.iter().rev() {
        assert_eq!(place.run(&["review", "--undo"]).0, 0);
        assert_eq!(project.waiting().iter().min(), Some(left), "the newest first, one at a time");
    }
}

#[test]
fn a_spool_torn_anywhere_gives_every_call_before_the_tear() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    let names: String = (0..8).map(|number| format!("f({number}, 'text {number}')\n")).collect();
    place.save("app.py", "from pytead_tui import trace\n\n\n@trace\ndef f(x, text):\n    return [x, text]\n");
    place.save("main.py", &format!("from app import f\n\n{names}"));
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/python");
    let spool = place.root().join(".pytead/spool");
    let record = || {
        let mut command = Command::new(python_with_pytest());
        command.arg("main.py").current_dir(place.root()).env_clear().env("PYTHONPATH", assets);
        assert!(command.env("PYTHONDONTWRITEBYTECODE", "1").status().unwrap().success());
        let folder = spool.read_dir().unwrap().flatten().next().unwrap().path();
        let files = folder.read_dir().unwrap().flatten().map(|file| file.path());
        files
            .filter(|file| file.file_name().is_some_and(|name| name != "lock"))
            .max_by_key(|file| file.metadata().unwrap().len())
            .unwrap()
    };
    assert_eq!(place.run(&["trust"]).0, 0);
    let (mut last, mut recording) = (0, 0);
    for part in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] {
        let file = record();
        let length = file.metadata().unwrap().len();
        std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(length * part / 10).unwrap();
        let (code, out, err) = place.run(&["export"]);
        assert_eq!(code, 0, "{out}{err}");
        assert!(!err.contains("panicked"), "{err}");
        assert_eq!(spool.read_dir().unwrap().count(), 0, "it is taken in once");
        recording += 1;
        let (_, out, _) = place.run(&["export", &recording.to_string()]);
        let calls: Vec<&str> = out.lines().filter(|line| line.starts_with("app:f(")).collect();
        for (number, call) in calls.iter().enumerate() {
            assert_eq!(
                *call,
                format!("app:f({number}, 'text {number}') → [{number}, 'text {number}']"),
                "none is missing between"
            );
        }
        assert!(calls.len() >= last, "{part} tenths: {} after {last} calls", calls.len());
        last = calls.len();
    }
    assert_eq!(last, 8, "all of a spool that is whole");
}
