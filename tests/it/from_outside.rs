//! What reaches a call beside its arguments: the command line, places in the project, defaults of settings, and what the project's
//! own fixtures do around every test.

use std::process::Command;

use crate::applications::{passes, project};
use crate::harness::{Place, environment_with};

const CLI: &str = r#"import argparse
import sys


def main():
    parser = argparse.ArgumentParser(prog="shop")
    parser.add_argument("name")
    parser.add_argument("--amount", type=int, default=1)
    given = parser.parse_args()
    return f"{given.name} x{given.amount}"


def first():
    return sys.argv[1].upper()
"#;

const SETTINGS: &str = r#"import os

DEFAULTS = {
    "TEMPLATES": os.path.join(os.path.dirname(os.path.abspath(__file__)), "templates"),
    "SITE": "Shop",
    "SEPARATOR": " | ",
    "TIMES": 1,
    "LANGUAGES": ["en"],
    "A": 1,
    "B": 2,
    "C": 3,
    "D": 4,
    "E": 5,
    "F": 6,
    "G": 7,
    "H": {"deep": [1, 2, 3]},
}
"#;

const PAGES: &str = r#"import os


def title(settings, page):
    return settings["SITE"] + (settings["SEPARATOR"] + page) * settings["TIMES"]


def read(folder, name):
    with open(os.path.join(folder, name)) as file:
        return file.read().strip()


def place(name):
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
"#;

const CONFTEST: &str = r#"import logging.config
import os

import pytest


@pytest.fixture(autouse=True)
def configured():
    logging.getLogger("shop").setLevel("ERROR")
    logging.config.dictConfig({"version": 1})
    os.environ["SHOP_CONFIGURED"] = "yes"
"#;

const TESTS: &str = r#"import sys

from shop import cli, pages
from shop.settings import DEFAULTS


def test_main(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["shop", "tea", "--amount", "3"])
    assert cli.main() == "tea x3"
    assert cli.first() == "TEA"


def test_pages():
    assert pages.title({**DEFAULTS, "TIMES": 2, "OWN": True}, "tea") == "Shop | tea | tea"
    assert pages.read(DEFAULTS["TEMPLATES"], "a.txt") == "a template"
    assert pages.place("templates").endswith("templates")
"#;

/// Makes a project, records its tests and accepts all drafts; gives what `gen` printed, too.
pub fn accepted(files: &[(&str, &str)]) -> (Place, String, String) {
    let (place, python) = project(files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    (place, python, out)
}

/// Fails unless the accepted tests fail after an edit, which is taken back.
pub fn fails_after(place: &Place, python: &str, file: &str, old: &str, new: &str) {
    place.edit(file, old, new);
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/pytead"]).current_dir(place.root());
    let done = pytest.output().unwrap();
    assert!(!done.status.success(), "{file}: {old} to {new}: {}", String::from_utf8_lossy(&done.stdout));
    place.edit(file, new, old);
}

/// R17, R19, R26: what reaches a call beside its arguments stands in its test, and what the project's fixtures do is no fault of it.
#[test]
fn what_reaches_a_call_from_outside_stands_in_its_test() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/cli.py", CLI),
        ("shop/settings.py", SETTINGS),
        ("shop/pages.py", PAGES),
        ("shop/templates/a.txt", "a template\n"),
        ("tests/conftest.py", CONFTEST),
        ("tests/test_shop.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python, out) = accepted(&files);
    for function in ["cli:main", "cli:first", "pages:title", "pages:read", "pages:place"] {
        assert!(out.contains(&format!("shop.{function}  ready")), "{function}: {out}");
    }
    let cli = place.read("tests/pytead/test_pytead_shop__cli.py");
    assert!(cli.contains("monkeypatch.setattr(\"sys.argv\", [\"shop\", \"tea\", \"--amount\", \"3\"])"), "{cli}");
    let pages = place.read("tests/pytead/test_pytead_shop__pages.py");
    assert!(pages.contains("read(str(tmp_path), \"a.txt\") == \"a template\""), "{pages}");
    assert!(pages.contains("place(\"templates\") == str(pytestconfig.rootpath / \"shop/templates\")"), "{pages}");
    assert!(pages.contains("title({**DEFAULTS, \"TIMES\": 2, \"OWN\": True}, \"tea\")"), "{pages}");
    assert!(!pages.contains("\"SEPARATOR\"") && !pages.contains("SHOP_CONFIGURED"), "{pages}");
    passes(&place, &python, &[]);
    for (file, old, new) in [("shop/cli.py", "default=1", "default=1, nargs=2"), ("shop/pages.py", "settings[\"TIMES\"]", "1")] {
        fails_after(&place, &python, file, old, new);
    }
}

const TOOL: &str = r#"import argparse
import sys


class Tool:
    def __init__(self, args=None, output=None):
        parser = argparse.ArgumentParser(prog="tool")
        parser.add_argument("--times", type=int, default=1)
        parser.add_argument("--sign", default="-")
        self.args = parser.parse_args(args)
        self.output = sys.stdout if output is None else output

    def run(self, text):
        self.output.write(self.line(text) + "\n")

    def line(self, text):
        return f"{self.args.sign} {text}" * self.args.times


def width(options, text):
    return len(text) * options.times
"#;

const TOOL_TESTS: &str = r#"import argparse
import io

from tool import Tool, width


def output_of(args, text):
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)
    Tool(args, output).run(text)
    return output.buffer.getvalue().decode("utf-8")


def test_run():
    assert output_of(["--times", "2"], "tea") == "- tea- tea\n"
    assert output_of(["--sign", "é"], "milk") == "é milk\n"


def test_width():
    assert width(argparse.Namespace(times=3, sign="-"), "tea") == 9
"#;

/// R8, R9: options that were parsed are made by their names, and a text file in memory is asserted by what was written to it.
#[test]
fn parsed_options_and_text_files_in_memory_are_made_and_asserted() {
    let files =
        [("tool.py", TOOL), ("tests/test_tool.py", TOOL_TESTS), ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n")];
    let (place, python, out) = accepted(&files);
    let text = place.read("tests/pytead/test_pytead_tool.py");
    for line in [
        "width(Namespace(times=3, sign=\"-\"), \"tea\") == 9",
        "io.BytesIO(), encoding=\"utf-8\", newline=\"\", write_through=True",
        "tool_.output.buffer.getvalue().decode() == \"- tea- tea\\n\"",
    ] {
        assert!(text.contains(line), "{line}: {text}{out}");
    }
    passes(&place, &python, &[]);
    fails_after(&place, &python, "tool.py", "{text}\" * ", "{text}.\" * ");
}

const SERVICE: &str = r#"def notify(client, names):
    for name in names:
        client.post("/hello", json={"name": name})
    return client.get("/count").json()["count"]


def each(numbers, then):
    for number in numbers:
        then(number * 2)


def close(connection):
    connection.close()
    return connection
"#;

const SERVICE_TESTS: &str = r#"from unittest.mock import MagicMock, Mock

from service import close, each, notify


def test_notify():
    client = Mock()
    client.get.return_value.json.return_value = {"count": 2}
    assert notify(client, ["Ann", "Bob"]) == 2


def test_each():
    then = MagicMock(return_value=5)
    each([1, 2], then)
    then.assert_any_call(4)


def test_close():
    connection = Mock(spec=["close"])
    assert close(connection) is connection
"#;

/// R8, R10: a mock is made by what it was told, and asserted by what it was called with.
#[test]
fn mocks_are_made_as_they_were_told_and_asserted_by_their_calls() {
    let files = [
        ("service.py", SERVICE),
        ("tests/test_service.py", SERVICE_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python, out) = accepted(&files);
    let text = place.read("tests/pytead/test_pytead_service.py");
    for line in [
        "Mock(**{\"get.return_value.json.return_value\": {\"count\": 2}})",
        "call.post(\"/hello\", json={\"name\": \"Ann\"})",
        "call.get().json()",
        "MagicMock(return_value=5)",
        ".mock_calls == [call(2), call(4)]",
        "Mock(spec=[\"close\"])",
        ".mock_calls == [call.close()]",
    ] {
        assert!(text.contains(line), "{line}: {text}{out}");
    }
    passes(&place, &python, &[]);
    for (old, new) in [("\"/hello\"", "\"/hullo\""), ("number * 2", "number * 3"), ("connection.close()", "connection")] {
        fails_after(&place, &python, "service.py", old, new);
        place.edit("service.py", old, new);
        let (code, out, err) = place.run(&["--trust", "--python", &python, "replay"]);
        assert_eq!(code, 1, "{old} to {new}: {out}{err}");
        place.edit("service.py", new, old);
    }
}

/// A plugin of pytest that cannot start where nothing may be listened to, like one that hears from parallel workers.
const PORTS: &str = r#"import socket

listening = []


def pytest_configure(config):
    listening.append(socket.create_server(("127.0.0.1", 0)))


def pytest_runtest_setup(item):
    assert listening
"#;

/// R32: a project whose pytest has a plugin that cannot start in the sandbox has drafts, proved without it; they say so.
#[test]
fn a_plugin_that_cannot_start_in_the_sandbox_is_left_out_and_named() {
    let files = [
        ("ports.py", PORTS),
        ("conftest.py", "pytest_plugins = [\"ports\"]\n"),
        ("rates.py", "def double(amount):\n    return amount * 2\n"),
        ("tests/test_rates.py", "from rates import double\n\n\ndef test_double():\n    assert double(2) == 4\n"),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python, out) = accepted(&files);
    assert!(out.contains("rates:double  ready"), "{out}");
    assert!(out.contains("without  the plugin ports, which cannot start here (PermissionError"), "{out}");
    passes(&place, &python, &["tests/pytead"]);
}

const RUNTESTS: &str = r#"import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    execute_from_command_line([sys.argv[0], "test", *sys.argv[1:]])
"#;

const DJANGO_SETTINGS: &str = r#"SECRET_KEY = "x"
INSTALLED_APPS = ["rates", "tests"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
RATE = 3
"#;

const RATES: &str = r#"from django.conf import settings


def with_rate(amount):
    return amount * settings.RATE
"#;

const DJANGO_TESTS: &str = r#"from django.test import SimpleTestCase

from rates.amounts import with_rate


class RateTests(SimpleTestCase):
    def test_with_rate(self):
        self.assertEqual(with_rate(2), 6)
"#;

/// R32: an application for Django that has neither a `manage.py` nor settings for pytest is tested as its own script starts it.
#[test]
fn an_application_for_django_without_manage_py_is_found_by_its_tests() {
    let place = Place::empty();
    let python = environment_with(&["web"]);
    for (path, text) in [
        ("rates/__init__.py", ""),
        ("rates/amounts.py", RATES),
        ("tests/__init__.py", ""),
        ("tests/settings.py", DJANGO_SETTINGS),
        ("tests/test_rates.py", DJANGO_TESTS),
        ("runtests.py", RUNTESTS),
    ] {
        place.save(path, text);
    }
    let (code, out, err) = place.run(&["--trust", "--python", &python, "run", "--", &python, "runtests.py"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("rates.amounts:with_rate  ready"), "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--check"]);
    assert_eq!(code, 0, "{out}{err}");
    passes(&place, &python, &["tests/pytead"]);
}
