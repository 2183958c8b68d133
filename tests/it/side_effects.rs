//! What calls do besides ending is compared, too: what they print, log, write, start, and ask a database.

use crate::harness::Place;

/// Each function gives nothing, and does one thing.
const APP: &str = r#"import logging
import sqlite3
import subprocess
import sys
import threading

log = logging.getLogger(__name__)


class Store:
    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()

    def write(self, name, rows):
        (self.folder / name).write_text("\n".join(str(row) for row in rows))

    def note(self, text):
        log.error("noted %s", text)

    def say(self, text):
        print("saying " + text)

    def keep(self, name):
        db = sqlite3.connect(self.folder / "x.db")
        db.execute("create table if not exists t (name)")
        db.execute("insert into t values (?)", (name,))
        db.commit()
        db.close()

    def start(self):
        subprocess.run([sys.executable, "-c", "pass", "fast"], check=True)

    async def send(self, text):
        print("sent", text)


def greet(name):
    print("hello", name)


def warn(count):
    log.warning("%d left", count)


def send_two(number):
    send_one(number)
    send_one(number + 1)


def send_one(number):
    pass
"#;

const TESTS: &str = r#"import asyncio

import pytest

import app


@pytest.fixture
def store(tmp_path):
    return app.Store(tmp_path)


def test_all(store):
    store.write("a.txt", [1, 2])
    store.note("x")
    store.say("x")
    store.keep("tea")
    store.start()
    asyncio.run(store.send("x"))
    app.greet("ada")
    app.warn(3)
    app.send_two(1)
"#;

fn recorded() -> Place {
    let place = Place::empty();
    place.save("app.py", APP);
    place.save("test_app.py", TESTS);
    let (code, _, errors) = place.run(&["--trust", "run", "--check", "--", "python", "-m", "pytest", "-q"]);
    assert_eq!(code, 0, "{errors}");
    let (code, said, errors) = place.run(&["--trust", "replay"]);
    assert_eq!(code, 0, "nothing was edited: {said}{errors}");
    place
}

#[test]
fn an_edit_that_changes_only_a_side_effect_is_told() {
    let place = recorded();
    let edits = [
        ("\"\\n\".join", "\"; \".join", "write", "files['tmp_path/a.txt']"),
        ("noted %s", "NOTED %s", "note", "error output"),
        ("saying ", "SAYING ", "say", "output"),
        ("(name,))", "(name.upper(),))", "keep", "statements["),
        ("        db.commit()\n", "", "keep", "statements"),
        ("\"fast\"", "\"slow\"", "start", "programs[0]"),
        ("\"sent\"", "\"SENT\"", "send", "output"),
        ("\"hello\"", "\"bye\"", "greet", "output"),
        ("send_one(number + 1)", "send_one(number + 2)", "send_two", "calls of send_one[1].number"),
        ("%d left", "%d are left", "warn", "error output"),
        ("log.warning", "log.critical", "warn", "log[0]"),
        ("        log.error(\"noted %s\", text)\n", "        pass\n", "note", "error output"),
    ];
    for (old, new, function, where_) in edits {
        place.edit("app.py", old, new);
        let (code, said, errors) = place.run(&["--trust", "replay"]);
        assert_eq!(code, 1, "{old} → {new}: {said}{errors}");
        let named = said.lines().any(|line| line.contains("change") && line.contains(function));
        let told = said.lines().any(|line| line.trim_start().starts_with("at ") && line.contains(where_));
        assert!(named && told, "{old} → {new} is not told at {function} by {where_}: {said}");
        place.save("app.py", APP);
    }
}

#[test]
fn a_refactoring_that_does_the_same_is_as_before() {
    let place = recorded();
    let edits = [
        ("print(\"saying \" + text)", "message = \"saying \" + text\n        print(message)"),
        ("log.error(\"noted %s\", text)", "log.error(f\"noted {text}\")"),
        ("\"\\n\".join(str(row) for row in rows)", "\"\\n\".join(map(str, rows))"),
        ("    send_one(number)\n    send_one(number + 1)\n", "    for more in (0, 1):\n        send_one(number + more)\n"),
        ("    send_one(number)\n    send_one(number + 1)\n", "    send_one(number + 1)\n    send_one(number)\n"),
        ("print(\"hello\", name)", "sys.stdout.write(\"hello \" + name + \"\\n\")"),
    ];
    for (old, new) in edits {
        place.edit("app.py", old, new);
        let (code, said, errors) = place.run(&["--trust", "replay"]);
        assert_eq!(code, 0, "{old} → {new}: {said}{errors}");
        place.save("app.py", APP);
    }
}
