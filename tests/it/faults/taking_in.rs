//! What was recorded on its way into the database: the process that reads it is killed at each step and started again. No call
//! that a spool holds is lost, and none is there twice.

use std::path::Path;
use std::process::Command;

use super::steps::{Work, killed_and_begun_again, no_halves, well};
use crate::harness::{Place, python_with_pytest};

/// Calls of the program, those with inputs of their own, and what counts them in the database.
const CALLS: (i64, i64) = (12, 8);
const COUNTS: &str = "import sqlite3, json\n\
    base = sqlite3.connect('.pytead/pytead.db', timeout=60)\n\
    one = lambda sql: base.execute(sql).fetchone()[0] or 0\n\
    print(json.dumps([one('SELECT sum(calls) FROM counts'), one('SELECT sum(times) FROM calls'),\n\
    one('SELECT count(*) FROM calls'), one('SELECT count(*) FROM (SELECT DISTINCT function, input FROM calls)'),\n\
    one('SELECT sum(seen) FROM recordings'), one('SELECT sum(kept) FROM recordings'),\n\
    one('SELECT count(*) FROM calls WHERE outcome IS NULL'), one('SELECT count(*) FROM recordings WHERE running')]))\n";

/// What is tried once more is nothing that is looked at here, and takes its time.
const NO_REPLAY: &[(&str, &str)] = &[("PYTEAD_SANDBOX", "weak")];

/// A project whose program makes those calls; with `decorated` functions it needs no command of ours.
fn project(decorated: bool, last: &str) -> Place {
    let place = Place::empty();
    let decorator = if decorated { "from pytead_tui import trace\n\n\n@trace\n" } else { "" };
    place.save("pyproject.toml", "");
    place.save("app.py", &format!("{decorator}def f(x, text):\n    return [x, text]\n"));
    let main =
        format!("import os\nimport app\n\nfor x in (0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3):\n    app.f(x, f'text {{x}}')\n{last}");
    place.save("main.py", &main);
    well(&place, &["trust"]);
    place
}

/// Runs the program by itself.
fn by_itself(place: &Place, first: &str) {
    let mut command = Command::new(python_with_pytest());
    command.args(["-c", &format!("{first}\nimport runpy\nrunpy.run_path('main.py')\n")]).current_dir(place.root()).env_clear();
    let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/python");
    assert!(command.env("PYTHONPATH", assets).env("PYTHONDONTWRITEBYTECODE", "1").status().unwrap().success());
}

/// Counts what is in the database.
fn counts(place: &Place) -> Vec<i64> {
    let output = Command::new(python_with_pytest()).args(["-c", COUNTS]).current_dir(place.root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fails unless each call is there once, `times` over, and was counted so.
fn all_once(place: &Place, times: i64, context: &str) {
    let (calls, inputs) = CALLS;
    let wanted = [calls * times, calls * times, inputs * times, inputs, calls * times, inputs * times, 0, 0];
    assert_eq!(counts(place), wanted, "{context}");
}

/// Keeps the folder of what is ours, and gives what puts it back.
fn kept(place: &Place) -> impl Fn(&Place) + Sync + use<> {
    let kept = place.home().join("as-it-was");
    copy(&place.root().join(".pytead"), &kept);
    let _ = std::fs::remove_file(place.root().join("ran"));
    |place: &Place| {
        let ours = place.root().join(".pytead");
        std::fs::remove_dir_all(&ours).unwrap();
        let _ = std::fs::remove_file(place.root().join("ran"));
        copy(&place.home().join("as-it-was"), &ours);
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}

fn left(place: &Place) -> usize {
    place.root().join(".pytead/spool").read_dir().map_or(0, Iterator::count)
}

/// Starts as the next one would, and fails where a call is lost or there twice.
fn next_start(place: &Place, context: &str) {
    let (code, out, err) = place.run_with(&["export"], NO_REPLAY);
    assert!(code == 0 && !err.contains("panicked"), "{context}\n{out}{err}");
    all_once(place, 1, context);
    assert_eq!(left(place), 0, "{context}: what is stored is not kept twice");
}

#[test]
fn calls_of_decorated_functions_are_there_once_whichever_step_of_taking_them_in_is_killed() {
    let place = project(true, "");
    well(&place, &["export"]);
    by_itself(&place, "");
    assert_eq!(left(&place), 1);
    let prepare = kept(&place);
    killed_and_begun_again(&place, &Work { words: &["export"], env: NO_REPLAY, prepare: &prepare, finish: &next_start }, 10);
}

#[test]
fn calls_that_a_killed_run_left_are_there_once_whichever_step_of_taking_them_in_is_killed() {
    let place = project(false, "os.kill(os.getppid(), 9)\n");
    let killed = place.command(&["run", "main.py"]).status().unwrap();
    assert!(!killed.success() && left(&place) == 1, "{killed}");
    let prepare = kept(&place);
    killed_and_begun_again(&place, &Work { words: &["export"], env: NO_REPLAY, prepare: &prepare, finish: &next_start }, 10);
}

#[test]
fn calls_of_a_run_that_is_killed_at_any_step_are_there_once() {
    let place = project(false, "open('ran', 'w').close()\n");
    well(&place, &["export"]);
    let prepare = kept(&place);
    let finish = |place: &Place, context: &str| {
        // The program goes on where the process that reads along is killed, and strace waits for it.
        if place.root().join("ran").exists() {
            next_start(place, context);
            return;
        }
        let (code, out, err) = place.run_with(&["export"], NO_REPLAY);
        assert!(code == 0 && !err.contains("panicked"), "{context}\n{out}{err}");
        let found = counts(place);
        assert!(found[2] == found[3] && found[1] <= CALLS.0 && found[6..] == [0, 0], "{context}: {found:?}");
    };
    killed_and_begun_again(&place, &Work { words: &["run", "main.py"], env: NO_REPLAY, prepare: &prepare, finish: &finish }, 10);
}

/// Folders of two machines with processes of one number, as containers have them.
fn from_elsewhere() -> Place {
    let place = project(true, "");
    for machine in ["one", "two"] {
        by_itself(&place, "import os\nos.getpid = lambda: 7");
        std::fs::create_dir_all(place.root().join("theirs")).unwrap();
        std::fs::rename(place.root().join(".pytead/spool"), place.root().join("theirs").join(machine)).unwrap();
    }
    well(&place, &["export"]);
    place
}

#[test]
fn calls_of_processes_with_one_number_on_two_machines_are_all_imported_and_counted() {
    let place = from_elsewhere();
    let (code, out, err) = place.run_with(&["import", "theirs"], NO_REPLAY);
    assert_eq!(code, 0, "{out}{err}");
    all_once(&place, 2, "imported");
    assert!(out.contains("16 calls of 1 function imported"), "{out}");
}

#[test]
fn an_import_killed_at_any_step_and_begun_again_has_each_call_once() {
    let place = from_elsewhere();
    let prepare = kept(&place);
    let finish = |place: &Place, context: &str| {
        let (_, out, _) = place.run_with(&["--format", "json", "export"], NO_REPLAY);
        let done = out.lines().any(|line| line.contains("\"exited\""));
        if !done {
            let (code, out, err) = place.run_with(&["import", "theirs"], NO_REPLAY);
            assert!(code == 0 && !err.contains("panicked"), "{context}\n{out}{err}");
        }
        all_once(place, 2, context);
        no_halves(place, "theirs/one", context);
    };
    killed_and_begun_again(&place, &Work { words: &["import", "theirs"], env: NO_REPLAY, prepare: &prepare, finish: &finish }, 5);
}
