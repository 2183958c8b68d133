"""What the modules of arguments rest on is imported once, ahead of the calls, where that does no harm."""

import base64
import marshal
import sys
from pathlib import Path

import pytest

from pytead_tui.worker import ahead
from pytead_tui.worker.codes import Codes
from pytead_tui.worker.modules import Modules

TAG = StopIteration


def call(*args):
    return {"args": base64.b64encode(marshal.dumps(tuple((f"a{at}", "p", tree) for at, tree in enumerate(args)), 2)).decode()}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project beside installed packages, whose modules are forgotten afterwards."""
    for folder in ("project", "site-packages"):
        (tmp_path / folder).mkdir()
        monkeypatch.syspath_prepend(str(tmp_path / folder))
    before = set(sys.modules)

    def write(place, **texts):
        for name, text in texts.items():
            (tmp_path / place / f"{name}.py").write_text(text)

    made = Modules(str(tmp_path / "project"), [], frozenset(), [])
    made.codes = Codes()
    made.write = write
    yield made
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_packages_are_imported_and_the_projects_own_modules_only_compiled(project):
    project.write("site-packages", ahead_package="", ahead_other="")
    project.write("project", ahead_tests="import ahead_package, ahead_helper", ahead_helper="", ahead_text="")
    deep = [{"key": (TAG, "name", "ahead_other", "f")}, (TAG, "exc", 2, "ahead_helper", "Error", (), {})]
    value = (TAG, "obj", 1, "ahead_tests", "A", "plain", {"parts": deep})
    ahead.for_arguments([call(value), call("ahead_text")], project)
    assert {name for name in sys.modules if name.startswith("ahead_")} == {"ahead_package", "ahead_other"}
    assert {Path(path).name for path in project.codes.kept} == {"ahead_tests.py", "ahead_helper.py"}
    assert project.named == {"ahead_tests", "ahead_other", "ahead_helper"}


def test_what_raises_ends_the_process_or_leaves_a_thread_is_left_to_the_call_that_needs_it(project):
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    texts = {"ahead_good": "", "ahead_raises": "1 / 0", "ahead_exits": "import os\nos._exit(3)", "ahead_thread": thread}
    project.write("site-packages", **texts)
    for name in ("ahead_raises", "ahead_thread", "ahead_exits", "ahead_good"):
        ahead.for_arguments([call((TAG, "new", name, "A", (), {}))], project)
    assert {name for name in sys.modules if name.startswith("ahead_")} == {"ahead_good"}


def test_a_module_is_tried_once(project):
    project.write("site-packages", ahead_late="1 / 0")
    for text in ("1 / 0", ""):
        project.write("site-packages", ahead_late=text)
        ahead.for_arguments([call((TAG, "nt", "ahead_late", "A", (), ()))], project)
    assert "ahead_late" not in sys.modules
