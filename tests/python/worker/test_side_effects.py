"""What a call does besides ending: told by kind, in words that are the same in every run."""

import functools
import logging
import os
import sqlite3
import subprocess
import sys
import tempfile
import warnings

import pytest

from pytead_tui.worker import side_effects, track


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Gives what a function does, by kind, as if its project were `tmp_path`."""
    monkeypatch.chdir(tmp_path)

    def tell(work):
        listener = side_effects.listen(str(tmp_path))
        with listener.hearing():
            mark = listener.begin()
            work()
            return dict(listener.end(mark)[side_effects.KEY])

    return tell


def test_what_is_printed_is_told_by_its_stream(told):
    def work():
        print("hello")
        sys.stderr.write("no\n")

    assert told(work) == {"output": "hello\n", "error output": "no\n"}


def test_the_streams_have_file_numbers(told):
    def work():
        os.write(sys.stdout.fileno(), b"by number\n")
        sys.stdout.buffer.write(b"bytes\n")

    assert told(work) == {"output": "by number\nbytes\n"}


def test_warnings_are_told_without_their_place_whatever_is_ignored(told):
    def work():
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        warnings.warn(UserWarning("mind"), stacklevel=1)

    assert told(work) == {"warnings": ["DeprecationWarning: old", "UserWarning: mind"]}
    assert warnings._showwarnmsg.__module__ == "warnings" or "_py_warnings" in warnings._showwarnmsg.__module__


def test_a_program_that_keeps_its_warnings_gets_them(told):
    kept = []

    def work():
        with warnings.catch_warnings(record=True) as found:
            warnings.warn("seen", stacklevel=1)
        kept.extend(str(one.message) for one in found)

    assert told(work) == {"warnings": ["UserWarning: seen"]}
    assert kept == ["seen"]


def test_a_call_that_does_nothing_has_an_empty_dict(told):
    assert told(lambda: None) == {}


def test_only_what_happens_between_start_and_end_is_told(told, tmp_path):
    print("before")
    assert told(lambda: print("within")) == {"output": "within\n"}


def test_log_records_are_told_without_asking_objects_for_their_text(told):
    class Loud:
        def __str__(self):
            raise AssertionError("it was asked")

    def work():
        logging.getLogger("shop").warning("sold %s to %d", "tea", 3)
        logging.getLogger("shop").error("of %s", Loud())
        logging.getLogger("shop").debug("not enabled")

    logging.getLogger("shop").addHandler(logging.NullHandler())
    logging.getLogger("shop").propagate = False
    assert told(work) == {"log": ["WARNING shop: sold tea to 3", "ERROR shop: of " + Loud.__qualname__]}


def test_files_are_told_with_their_content_by_names_from_the_root(told, tmp_path):
    def work():
        (tmp_path / "b.txt").write_text("two")
        (tmp_path / "a.bin").write_bytes(b"\xff\x00")
        os.mkdir("new")
        (tmp_path / "c.txt").write_text("x")
        os.remove("c.txt")

    files = told(work)["files"]
    assert list(files) == ["a.bin", "b.txt", "c.txt", "new"]
    assert (files["b.txt"], files["c.txt"], files["new"]) == ("two", "gone", "a folder")
    assert files["a.bin"].startswith("2 bytes, ")


def test_a_file_that_is_only_read_is_no_side_effect(told, tmp_path):
    (tmp_path / "in.txt").write_text("x")
    assert told(lambda: (tmp_path / "in.txt").read_text()) == {}


def test_folders_that_are_others_in_each_run_have_one_name(told):
    def work():
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "x.txt"), "w") as stream:
            stream.write("1")

    first, again = told(work), told(work)
    assert first == again and list(first["files"]) == ["tmp/tmp…", "tmp/tmp…/x.txt"]


def test_programs_are_told_with_their_arguments_and_without_secrets(told):
    def work():
        subprocess.run([sys.executable, "-c", "pass", "--password", "correct-horse", "--api-key=abc", "end"], check=True)

    assert told(work)["programs"] == ["python -c pass --password [REDACTED] --api-key=[REDACTED] end"]


def test_statements_that_sqlite_is_asked_are_told_with_their_values(told):
    def work():
        database = sqlite3.connect(":memory:")
        database.execute("create table t (a)")
        database.execute("insert into t\n  values (?)", (3,))
        database.commit()
        database.close()

    assert told(work)["statements"] == ["create table t (a)", "BEGIN", "insert into t values (3)", "COMMIT"]


def test_many_of_a_kind_are_counted(told):
    def work():
        for number in range(side_effects.MOST + 5):
            logging.getLogger("many").error("%d", number)

    logging.getLogger("many").propagate = False
    log = told(work)["log"]
    assert len(log) == side_effects.MOST + 1 and log[-1].startswith("and 5 more, ")


def test_a_stream_that_was_closed_or_replaced_disturbs_nothing(told):
    def work():
        print("x")
        sys.stdout.close()

    assert told(work) == {}


def test_the_arguments_of_calls_by_a_function_that_is_called_alone_are_told(tmp_path):
    source = """
def top(n):
    below(n + 1, note="x")
    Thing().method([n])

def below(n, *, note, token="correct-horse-7"):
    deeper(n)

def deeper(n):
    pass

class Thing:
    def method(self, items):
        pass
"""
    space: dict = {}
    exec(compile(source, str(tmp_path / "m.py"), "exec"), space)
    listener = side_effects.listen(str(tmp_path))
    track.start(str(tmp_path), functools.partial(listener.entered, lambda code: code is space["top"].__code__))
    mark = listener.begin()
    space["top"](1)
    track.stop()
    method = "Thing.method" if sys.version_info >= (3, 11) else "method"
    told = listener.end(mark)[side_effects.KEY]
    below = told.pop("calls of below")[0]
    assert below.pop("token")[1] == "secret"
    assert (below, told) == ({"n": 2, "note": "x"}, {"calls of " + method: [{"items": [1]}]})


def test_what_is_not_told_of_many_differs_by_its_hash(told):
    def printing(last):
        def work():
            print("\n".join(map(str, range(1000))) + last)

        return work

    assert told(printing("a"))["output"] == told(printing("a"))["output"] != told(printing("b"))["output"]


def calling(tmp_path):
    """A function that calls another one with each of some numbers, and a listener to it."""
    space: dict = {}
    source = "def top(numbers):\n    for n in numbers:\n        below(n)\n\ndef below(n):\n    pass\n"
    exec(compile(source, str(tmp_path / "m.py"), "exec"), space)
    listener = side_effects.listen(str(tmp_path))
    track.start(str(tmp_path), functools.partial(listener.entered, lambda code: code is space["top"].__code__))
    return space["top"], listener


def test_of_a_function_that_is_called_very_often_only_the_first_calls_are_noted(tmp_path):
    top, listener = calling(tmp_path)
    mark = listener.begin()
    before = len(side_effects._journal)
    top(range(2000))
    track.stop()
    assert len(side_effects._journal) - before == side_effects.HEARD
    told = listener.end(mark)[side_effects.KEY]["calls of below"]
    assert told[-1].startswith("and %d more, " % (side_effects.HEARD - side_effects.MOST))


def test_of_many_calls_in_another_order_the_same_are_told(tmp_path):
    top, listener = calling(tmp_path)

    def told(numbers):
        mark = listener.begin()
        top(numbers)
        return listener.end(mark)[side_effects.KEY]["calls of below"]

    many = list(range(side_effects.MOST + 20))
    found = [told(numbers) for numbers in (many, many[::-1], [-1, *many[1:]])]
    track.stop()
    assert found[0] == found[1] != found[2]
