"""Modules that arguments name are imported once, ahead of the calls, where that does no harm."""

import base64
import marshal
import sys

import pytest

from pytead_tui.worker import ahead

TAG = StopIteration


def call(*args):
    return {"args": base64.b64encode(marshal.dumps(tuple((f"a{at}", "p", tree) for at, tree in enumerate(args)), 2)).decode()}


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Writes modules with these texts; they are forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)

    yield write
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_modules_of_objects_classes_and_exceptions_are_imported_however_deep_they_stand(modules):
    modules(ahead_one="", ahead_two="", ahead_three="", ahead_four="")
    deep = [{"key": (TAG, "name", "ahead_two", "f")}, (TAG, "exc", 2, "ahead_three", "Error", (), {})]
    known: set = set()
    ahead.for_arguments([call((TAG, "obj", 1, "ahead_one", "A", "plain", {"parts": deep})), call("ahead_four")], known)
    assert {"ahead_one", "ahead_two", "ahead_three"} <= set(sys.modules)
    assert "ahead_four" not in sys.modules, "a text names no module"
    assert known == {"ahead_one", "ahead_two", "ahead_three"}


def test_what_raises_ends_the_process_or_leaves_a_thread_is_left_to_the_call_that_needs_it(modules):
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    modules(ahead_good="", ahead_raises="1 / 0", ahead_exits="import os\nos._exit(3)", ahead_thread=thread)
    for name in ("ahead_raises", "ahead_thread", "ahead_exits", "ahead_good"):
        ahead.for_arguments([call((TAG, "new", name, "A", (), {}))], set())
    found = {name for name in sys.modules if name.startswith("ahead_")}
    assert found == {"ahead_good"}


def test_a_module_is_tried_once(modules):
    modules(ahead_late="1 / 0")
    known: set = set()
    ahead.for_arguments([call((TAG, "nt", "ahead_late", "A", (), ()))], known)
    modules(ahead_late="")
    ahead.for_arguments([call((TAG, "nt", "ahead_late", "A", (), ()))], known)
    assert "ahead_late" not in sys.modules
