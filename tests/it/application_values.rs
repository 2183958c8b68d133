//! What programs give their functions besides plain values: callbacks that are kept, classes that a test defines, functions behind
//! decorators, exceptions, futures and what a function does not read; and files of the project that a test names from its folder.

use crate::applications::{passes, project};

const DESK: &str = r#"import functools
import os
from concurrent import futures


class Rule:
    def __init__(self, check, weight=1):
        self.check = check
        self.weight = weight


class Job:
    def __init__(self, function, args, kwargs):
        self.function = function
        self.args = args
        self.kwargs = kwargs

    def describe(self):
        return f"{self.function.__name__} with {len(self.args)} and {sorted(self.kwargs)}"


class Refused(Exception):
    def __init__(self, reason, rows):
        self.reason = reason
        self.rows = rows

    def __str__(self):
        return f"{self.reason}: rows {self.rows}"


class Attempt(futures.Future):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def verdict(self):
        return "failed" if self.exception() else f"gave {self.result()} at {self.number}"


class Codes:
    def __init__(self, kind):
        self.kind = kind

    def name(self):
        return self.kind.__name__.lower()


def counted(function):
    @functools.wraps(function)
    def counting(*args):
        counting.calls += 1
        return function(*args)

    counting.calls = 0
    return counting


def shapes(function, amounts):
    return [function(amount) + 1 for amount in amounts]


def pair(first, second):
    return (second, first)


class Gate:
    def allows(self, amount, window):
        """Says nothing of the window."""
        return amount > 0


def menus(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".menu"))
"#;

const TESTS: &str = r#"import pytest

import desk


@desk.counted
def doubled(amount):
    return amount * 2


def test_rule():
    assert desk.Rule(lambda amount: amount > 3).check(4)
    assert desk.Rule(lambda amount: amount > 5, weight=2).weight == 2


def test_job():
    assert desk.Job(len, ("a", "b"), {"key": 1}).describe() == "len with 2 and ['key']"


def test_refused():
    assert str(desk.Refused("full", [1, 2])) == "full: rows [1, 2]"


def test_attempt():
    attempt = desk.Attempt(3)
    attempt.set_result(8)
    assert attempt.verdict() == "gave 8 at 3"
    broken = desk.Attempt(4)
    broken.set_exception(KeyError("row"))
    assert broken.verdict() == "failed"


def test_codes():
    class Sold:
        pass

    assert desk.Codes(Sold).name() == "sold"


def test_codes_again():
    class Sold:
        pass

    assert desk.Codes(Sold).name() == "sold"


def test_shapes():
    assert desk.shapes(doubled.__wrapped__, [1, 2]) == [3, 5]


def test_pair():
    one, two = desk.Rule(None), desk.Rule(None)
    assert desk.pair(one, two) == (two, one)


class Window:
    def __init__(self, folder):
        self.places = {"here": folder, "count": len(folder)}


def test_gate():
    assert desk.Gate().allows(3, object()) is True


def test_gate_again(tmp_path):
    assert desk.Gate().allows(3, Window(str(tmp_path))) is True


def test_menus():
    assert desk.menus("kitchen/cards") == ["a.menu", "b.menu"]
"#;

/// R3, R8, R16.
#[test]
fn what_programs_give_their_functions_is_written_as_people_write_it() {
    let files = [
        ("desk.py", DESK),
        ("tests/__init__.py", ""),
        ("tests/test_desk.py", TESTS),
        ("kitchen/cards/a.menu", "tea"),
        ("kitchen/cards/b.menu", "cake"),
        ("kitchen/cards/c.txt", ""),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_desk.py");
    for lines in [
        // A callback that is kept is the one that was given.
        "    def check(amount):\n        return amount > 3\n\n    rule = Rule(check)\n    assert rule.check is check\n",
        // `args` and `kwargs` are two arguments of this constructor.
        "    job = Job(function=len, args=(\"a\", \"b\"), kwargs={\"key\": 1})\n",
        "    refused = Refused(\"full\", [1, 2])\n    assert str(refused) == \"full: rows [1, 2]\"\n",
        "    attempt = Attempt(3)\n    attempt.set_result(8)\n    assert attempt.verdict() == \"gave 8 at 3\"\n",
        "    attempt.set_exception(KeyError(\"row\"))\n",
        "    class Sold:\n        pass\n\n    codes = Codes(kind=Sold)\n    assert codes.name() == \"sold\"\n",
        "shapes(doubled.__wrapped__, [1, 2]) == [3, 5]\n",
        "from tests.test_desk import doubled\n",
        // A baseline of another process has other numbers for objects, which are yet the ones that were given.
        "    assert pair(rule, rule_2) == (rule_2, rule)\n",
        // What the function does not read, and nobody can write, is nothing.
        "    assert gate.allows(3, None) is True\n",
        "def test_menus(monkeypatch, pytestconfig):\n",
        "    monkeypatch.chdir(pytestconfig.rootpath)\n    assert menus(\"kitchen/cards\") == [\"a.menu\", \"b.menu\"]\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}\n{out}");
    }
    assert_eq!(text.matches("gate.allows(3, None)").count(), 1, "{text}");
    assert!(text.contains("def test_gate_allows():"), "nothing is laid out for what is not read:\n{text}");
    // Two recorded tests that define the same class are one case.
    assert_eq!(text.matches("codes = Codes(kind=Sold)").count(), 1, "{text}");
    passes(&place, &python, &[]);
    passes(&place, &python, &["tests/pytead"]);
    let (code, again, err) = place.run(&["--trust", "--python", &python, "gen", "--check"]);
    assert_eq!(code, 0, "{again}{err}");
}

const COUNTER: &str = r#"def code(error):
    return error.code


def filename(upload):
    return upload.filename


def size(upload):
    return upload.size


def last(query, key):
    return query.get(key)


def items(response):
    return response.json()["items"]


def text(response):
    return response.text.upper()


def asked(request):
    return f"{request.method} {request.path}"


def doubled(page):
    return [item * 2 for item in page.object_list]


def level(error):
    return f"{error}, {error.level}"


class Spilt(str):
    def __new__(cls, text, level=1):
        made = super().__new__(cls, text)
        made.level = level
        return made
"#;

const COUNTER_TESTS: &str = r#"import io

import httpx
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.paginator import Paginator
from django.http import HttpRequest, QueryDict
from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import NotFound

import counter


def test_counter():
    assert counter.code(NotFound("gone")) == 404
    assert counter.filename(FileStorage(io.BytesIO(b"tea"), "a.txt")) == "a.txt"
    assert counter.size(SimpleUploadedFile("a.txt", b"tea")) == 3
    assert counter.last(QueryDict("q=tea&q=cake"), "q") == "cake"
    assert counter.last(QueryDict("q=jam", mutable=True), "q") == "jam"
    assert counter.items(httpx.Response(200, json={"items": [1]})) == [1]
    assert counter.text(httpx.Response(404, text="none")) == "NONE"
    request = HttpRequest()
    request.method = "POST"
    request.path = "/tea/"
    assert counter.asked(request) == "POST /tea/"
    assert counter.doubled(Paginator([1, 2, 3], 2).page(2)) == [6]
    assert counter.level(counter.Spilt("milk", 3)) == "milk, 3"
"#;

/// R11: the constructor of a framework's class is tried with what an object says of itself, and what a person reads best is given.
#[test]
fn values_of_frameworks_are_made_as_people_make_them() {
    let files = [
        ("counter.py", COUNTER),
        ("tests/test_counter.py", COUNTER_TESTS),
        ("settings.py", "SECRET_KEY = \"for tests\"\n"),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\nDJANGO_SETTINGS_MODULE = settings\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_counter.py");
    for line in [
        "assert code(NotFound(\"gone\")) == 404\n",
        "assert filename(FileStorage(io.BytesIO(b\"tea\"), \"a.txt\")) == \"a.txt\"\n",
        "assert size(SimpleUploadedFile(\"a.txt\", b\"tea\")) == 3\n",
        "assert last(QueryDict(\"q=tea&q=cake\"), \"q\") == \"cake\"\n",
        "assert last(QueryDict(\"q=jam\", mutable=True), \"q\") == \"jam\"\n",
        "assert items(Response(200, json={\"items\": [1]})) == [1]\n",
        "assert text(Response(404, text=\"none\")) == \"NONE\"\n",
        "    http_request = HttpRequest()\n    http_request.path = \"/tea/\"\n    http_request.method = \"POST\"\n",
        "assert doubled(Page([3], 2, Paginator([1, 2, 3], 2))) == [6]\n",
        "assert level(Spilt(\"milk\", 3)) == \"milk, 3\"\n",
        "    result = Spilt(\"milk\", 3)\n    assert type(result) is Spilt\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}\n{out}");
    }
    passes(&place, &python, &[]);
}
