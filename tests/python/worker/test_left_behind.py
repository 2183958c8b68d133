"""What a call leaves behind in modules, classes, the environment and the process is told, and nothing that stays as it was."""

import importlib
import os
import sys

import pytest

from pytead_tui.worker.left_behind import Before

MODULE = """
import collections.abc, contextvars, threading

STATE = {"n": 0}
SEEN = set()
LOG = []
BIG = list(range(500))
N = 0
OWN = object()
ALIAS = list[int]
HOOK = collections.abc.Callable[[int], str]
local = threading.local()
current = contextvars.ContextVar("current", default=0)


class Config:
    made = 0

    def __init__(self):
        self.values = {}


config = Config()
"""


@pytest.fixture
def left(tmp_path, monkeypatch):
    """Gives what some work leaves behind, of a project with a module `kept` and one that names it."""
    (tmp_path / "kept.py").write_text(MODULE)
    (tmp_path / "names_it.py").write_text("import kept\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(os, "environ", os.environ.copy())
    importlib.invalidate_caches()
    modules = [importlib.import_module(name) for name in ("kept", "names_it")]
    before = Before(os.path.realpath(tmp_path))
    before.look()

    def tell(work, ran="kept.py", named=None):
        mark = before.mark()
        work(modules[0])
        return before.left(mark, {ran: set(vars(modules[0])) | {"kept", "NEW", "N"} if named is None else named})

    yield tell
    for name in ("kept", "names_it", "later"):
        sys.modules.pop(name, None)


def test_nothing_is_told_of_what_stays_as_it_was(left):
    assert left(lambda kept: None) == {}
    assert left(lambda kept: kept.STATE.update(n=0)) == {}


def test_other_content_of_what_a_module_holds_is_told(left):
    def work(kept):
        kept.STATE["n"] += 2
        kept.SEEN.add("a")
        kept.LOG.append((1, "b"))
        kept.N = 7

    assert left(work) == {
        "state of kept.STATE": {"n": 2}, "state of kept.SEEN": ["a"], "state of kept.LOG": [[1, "b"]], "state of kept.N": 7,
    }  # fmt: skip


def test_attributes_of_classes_and_of_single_objects_are_told(left):
    def work(kept):
        kept.Config.made += 1
        kept.config.values["debug"] = True
        kept.local.user = "ada"
        kept.current.set(3)

    assert left(work) == {
        "state of kept.Config": {"made": 1}, "state of kept.config": {"": "Config", "values": {"debug": True}},
        "state of kept.local": {"": "_local", "user": "ada"}, "state of kept.current": 3,
    }  # fmt: skip


def test_a_module_that_the_running_code_names_is_looked_at_and_no_other(left):
    assert left(lambda kept: kept.LOG.append(1), ran="names_it.py") == {"state of kept.LOG": [1]}
    assert left(lambda kept: kept.LOG.append(2), ran="elsewhere.py") == {}
    assert left(lambda kept: kept.LOG.append(3), named={"STATE"}) == {}


def test_what_is_long_is_told_by_its_length(left):
    assert left(lambda kept: kept.BIG.__setitem__(0, 9)) == {}
    assert left(lambda kept: kept.BIG.append(1)) == {"state of kept.BIG": "list of 501"}


def test_keys_that_may_be_addresses_are_not_told(left):
    assert left(lambda kept: kept.STATE.update({id(kept): 1})) == {"state of kept.STATE": "dict of 2"}


def test_a_name_that_is_gone_or_new_is_told(left):
    def work(kept):
        del kept.N
        kept.NEW = [1]

    assert left(work) == {"state of kept.N": "gone", "state of kept.NEW": [1]}


def test_what_is_around_the_program_is_told(left, tmp_path):
    (tmp_path / "inner").mkdir()

    def work(kept):
        os.environ["APP_MODE"] = "test"
        sys.path.insert(0, "/more")
        os.chdir("inner")

    found = left(work)
    assert found["environment"] == {"APP_MODE": "test"}
    assert found["state of sys.path"][0] == "/more"
    assert found["working folder"].endswith("inner")


def test_no_code_of_the_project_runs_while_it_is_looked_at(left):
    class Loud(dict):
        def __repr__(self):
            raise AssertionError("asked")

        __iter__ = __eq__ = __len__ = items = __repr__
        __hash__ = None

    found = left(lambda kept: kept.STATE.update(n=Loud()))
    assert found["state of kept.STATE"]["n"].endswith("<locals>.Loud")


def test_modules_that_were_imported_meanwhile_are_named(tmp_path, left):
    (tmp_path / "later.py").write_text("A = 1\n")
    before = Before(os.path.realpath(tmp_path))
    before.look()
    assert before.imported() == []
    importlib.invalidate_caches()
    importlib.import_module("later")
    assert before.imported() == ["later.py"]


def test_what_an_import_changes_is_no_change_of_a_call(tmp_path, left):
    (tmp_path / "later.py").write_text("import kept\nkept.LOG.append('imported')\n")
    before = Before(os.path.realpath(tmp_path))
    before.look()
    importlib.invalidate_caches()
    importlib.import_module("later")
    before.look()
    assert before.left(before.mark(), {"kept.py": {"LOG"}}) == {}
