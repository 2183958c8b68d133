//! What happens around a decision: a database that others keep busy, a clock that goes back, a spool that is torn.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::drafts::{MANIFEST, TESTS, project, state};
use super::steps::{strace_works, waiting, well, with_fault};
use crate::harness::{Place, python_with_pytest};

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
    let place = project(&["double"]);
    {
        let _keeper = Keeper::start(&place);
        let (code, out, err) = place.run(&["review", "--accept", "1"]);
        assert_eq!(code, 3, "{out}{err}");
        assert!(err.contains("Another process keeps the database busy"), "{out}{err}");
    }
    assert_eq!(state(&place, "after a refusal"), (0, 1));
    well(&place, &["review", "--accept", "1"]);
    assert_eq!(state(&place, "once it is free"), (1, 0));
    well(&place, &["review", "--undo"]);
    assert_eq!(state(&place, "taken back"), (0, 1));
}

#[test]
fn a_decision_waits_for_a_database_that_is_busy_for_a_moment() {
    if !strace_works() {
        return;
    }
    let place = project(&["double"]);
    let keeper = Keeper::start(&place);
    let seen = place.home().join("seen");
    let plain = place.command(&["review", "--accept", "1"]);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=fcntl", "-o"]).arg(&seen).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(place.root()).env_clear().envs(place.environment()).stdin(Stdio::null());
    let running = std::thread::spawn(move || command.output().unwrap());
    // It has met the other's lock, and goes on trying.
    let refused = || std::fs::read_to_string(&seen).is_ok_and(|calls| calls.matches("EAGAIN").count() >= 3);
    soon("it meets the lock", refused);
    drop(keeper);
    let output = running.join().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(state(&place, "once it is free"), (1, 0));
}

#[test]
fn a_database_that_gets_busy_when_the_files_are_written_gets_the_decision_later() {
    if !strace_works() {
        return;
    }
    let place = project(&["double"]);
    let (code, err) = std::thread::scope(|scope| {
        // The last file is in its place for three seconds before the program hears of it.
        let running = scope.spawn(|| with_fault(&place, "renameat2", "delay_exit=3000000:when=3", &["review", "--accept", "1"]));
        soon("the files are written", || [MANIFEST, TESTS].iter().all(|file| place.root().join(file).exists()));
        let _keeper = Keeper::start(&place);
        let output = running.join().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    });
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("the files are written. But that is not noted yet.") && err.contains("Nothing is lost"), "{err}");
    let (_, _, err) = place.run(&["review", "--list"]);
    assert!(err.contains("A decision was cut off and is finished now: double."), "{err}");
    assert_eq!(state(&place, "after the next start"), (1, 0));
    well(&place, &["review", "--undo"]);
    assert_eq!(state(&place, "taken back"), (0, 1));
}

/// Waits for a condition; the deadline only ends a test that has failed.
fn soon(what: &str, good: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !good() {
        assert!(Instant::now() < end, "waited for: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn decisions_are_taken_back_in_their_order_when_the_clock_goes_back_between_them() {
    let place = project(&["double", "triple"]);
    for id in ["1", "2"] {
        well(&place, &["review", "--accept", id]);
        // The clock goes back by a day after each.
        let script = "import sqlite3\nbase = sqlite3.connect('.pytead/pytead.db', timeout=60)\n\
            base.execute('UPDATE decisions SET at = at + 86400000')\nbase.commit()\n";
        let shifted = Command::new(python_with_pytest()).args(["-c", script]).current_dir(place.root()).status().unwrap();
        assert!(shifted.success());
    }
    assert!(waiting(&place).is_empty());
    for left in [2, 1] {
        well(&place, &["review", "--undo"]);
        let ids: Vec<_> = waiting(&place).iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!(ids.iter().min(), Some(&left), "the newest first, one at a time");
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
