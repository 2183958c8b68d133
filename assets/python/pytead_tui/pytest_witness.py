"""Sees for itself how tests end, so that no test can have another result reported than it had.

A test may change the pytest that runs it, or this package. So how a test function ends is seen by a wrapper around its call; and
when the tests of a process are over, pytest is given a failure that it has to report as one, and its code and ours are compared
with what they were before any test was imported. All that is used for it was looked up by then.
"""

import builtins
import functools
import inspect
import os
import sys
import sysconfig
import tempfile
import types
import unittest
import warnings
from collections.abc import Callable, Iterator

import pytest

from pytead_tui import reaching
from pytead_tui.pytest_lines import phase
from pytead_tui.reaching import Reaching

_WATCHED = frozenset(["_pytest", "pluggy", "pytest", "pytead_tui"])
_EXCEPTIONS = ("AssertionError", "BaseException", "Exception")
_LONGEST = 200  # of a warning
# Folders of installed packages and of Python's own library.
_LIBRARIES = tuple({
    home + os.sep for home in map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")) if home
})  # fmt: skip
_UNSEEN = "was not called"
_is_async = inspect.iscoroutinefunction
_from_call = pytest.CallInfo.from_call


class Witness:
    """A plugin that sees each test function end, says what was changed to report otherwise, and what tests do outside of their
    process."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.ends: dict = {}  # by test: how its function ended last; None where it returned
        self.before: "list | None" = None
        self.plugins: "tuple | None" = None
        self.reaching: "Reaching | None" = None  # of the test that runs
        self.in_phase = False
        self.temporary = [tempfile.gettempdir(), "/dev/shm"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Notes what pytest and this package are, before the first test is imported."""
        self.before = _code()
        reaching.listen(self._hear)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Notes which plugins there are, before the first test runs."""
        self.plugins = _plugins(session.config)

    def _hear(self, event: str, args: tuple) -> None:
        if self.in_phase and self.reaching is not None:
            try:
                self.reaching.hear(event, args)
            except Exception:
                pass  # a test is not to fail for it

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> "Iterator[None]":
        """Begins to note what a test does outside of its process."""
        factory = getattr(item.config, "_tmp_path_factory", None)
        own = [] if factory is None else [str(factory.getbasetemp())]
        self.reaching = Reaching([self.root, str(item.config.rootpath)], own, self.temporary)
        yield from self._noting()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> "Iterator[None]":
        """Notes the same of what its fixtures do at its end."""
        yield from self._noting()

    def _noting(self) -> "Iterator[None]":
        self.in_phase = True
        yield
        self.in_phase = False

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> "Iterator[None]":
        """Puts the wrapper around the function of a test while it runs."""
        function = getattr(item, "obj", None)
        if not isinstance(item, pytest.Function) or not callable(function):
            yield from self._noting()
            return
        self.ends[item.nodeid] = _UNSEEN
        seen = _around(self.ends, item.nodeid, function)
        # pytest leaves coroutines to unittest, which looks them up itself.
        case = getattr(function, "__self__", None) if _is_async(function) else None
        if isinstance(case, unittest.IsolatedAsyncioTestCase):
            vars(case)[function.__name__] = seen
        else:
            item.obj = seen
        yield from self._noting()
        item.obj = function

    def line(self, report: pytest.TestReport, with_fault: bool = False) -> dict:
        """Gives the line that says how a phase of a test went, as it was seen. A fault counts as noticed by a call only where the
        function raised."""
        said = phase(report)
        if report.when == "teardown" and self.reaching is not None:
            said["reached"] = [list(one) for one in self.reaching.all()]
        end = self.ends.get(report.nodeid)
        if report.when != "call" or report.nodeid not in self.ends:
            return said
        if said["outcome"] == "passed" and end is not None:
            return _failed(said, f"it is reported as passed, and its function {end}")
        if with_fault and said["outcome"] == "failed" and end is None:
            return {**said, "outcome": "passed"}
        return said

    def warned(self, message: "warnings.WarningMessage", when: str, nodeid: str) -> "dict | None":
        """Gives the line that says what a test warned of, and nobody expected."""
        if when != "runtest" or _is_of_a_library(message):
            return None
        said = f"{message.category.__name__}: {' '.join(str(message.message).split())}"
        return {"kind": "reached", "nodeid": nodeid, "reached": [["warning", said[:_LONGEST]]]}

    def tampered(self, session: pytest.Session) -> str:
        """Says what is not any more as it was before the tests; empty where results can be believed."""
        for holder, name, value, code, where in self.before or ():
            if holder.get(name) is not value or (code is not None and value.__code__ is not code):
                return f"it changes {where}.{name}"
        if self.plugins is not None and _plugins(session.config) != self.plugins:
            return "it changes the plugins of pytest"
        failure = _from_call(_fail, when="call")
        item = _MustFail.from_parent(session, name="a test that has to fail")
        report = session.config.hook.pytest_runtest_makereport(item=item, call=failure)
        return "" if report.outcome == "failed" and failure.excinfo is not None else "it changes what pytest reports"

    def accuse(self, session: pytest.Session, nodeids: "list[str]") -> "list[dict]":
        """Gives lines by which all tests of a process failed, where one of them changed what is reported."""
        try:
            why = self.tampered(session)
        except Exception as error:
            why = f"after it pytest cannot report a failure: {type(error).__name__}"
        return [_failed({"kind": "phase", "nodeid": nodeid, "when": "teardown", "seconds": 0.0}, why) for nodeid in nodeids if why]


def _plugins(config: pytest.Config) -> tuple:
    """Gives the plugins that are registered, and the functions behind each hook in their order, by identity."""
    manager = config.pluginmanager
    # Not `config.hook`: in pytest 7 and 8 that is a stand-in which makes functions of them.
    hooks = [(name, hook) for name, hook in vars(manager.hook).items() if name.startswith("pytest_")]
    return (
        {id(plugin) for plugin in manager.get_plugins()},
        {name: [id(impl.function) for impl in hook.get_hookimpls()] for name, hook in hooks},
    )


def _is_of_a_library(message: "warnings.WarningMessage") -> bool:
    """Whether an installed package, or Python's own library, is told that something of another one goes away: no test can mend
    that, and the project's tests are warned of it, too.
    """
    if not issubclass(message.category, (DeprecationWarning, PendingDeprecationWarning, FutureWarning)):
        return False
    return message.filename.startswith(_LIBRARIES)


class _MustFail(pytest.Item):
    """A failing test that pytest reports and never runs."""

    def runtest(self) -> None:
        _fail()

    def repr_failure(self, excinfo: object, style: object = None) -> str:
        """Spares pytest the traceback, which takes twenty times as long as all the rest."""
        return "failed"


def _fail() -> None:
    raise AssertionError("a test that has to fail")


def _failed(line: dict, why: str) -> dict:
    return {**line, "outcome": "failed", "message": why, "lines": [why]}


def _around(ends: dict, nodeid: str, function: Callable) -> Callable:
    """Wraps a test function: notes how each call of it ends."""
    if _is_async(function):

        @functools.wraps(function)
        async def seen(*args: object, **kwargs: object) -> object:
            ends[nodeid] = "did not end"
            try:
                result = await function(*args, **kwargs)
            except BaseException as error:
                ends[nodeid] = f"raised {type(error).__name__}"
                raise
            ends[nodeid] = None
            return result

        return seen

    @functools.wraps(function)
    def seen(*args: object, **kwargs: object) -> object:
        ends[nodeid] = "did not end"
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            ends[nodeid] = f"raised {type(error).__name__}"
            raise
        ends[nodeid] = None
        return result

    return seen


def _code() -> list:
    """Lists the functions and classes of pytest and of this package: (what holds it, its name there, it, its code, where)."""
    found = []
    for name in _EXCEPTIONS:
        found.append((vars(builtins), name, vars(builtins)[name], None, "builtins"))
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] not in _WATCHED or type(module) is not types.ModuleType:
            continue
        for name, value in list(vars(module).items()):
            if type(value) is types.FunctionType:
                found.append((vars(module), name, value, value.__code__, module_name))
            elif isinstance(value, type) and value.__module__ == module_name:
                found.append((vars(module), name, value, None, module_name))
                found += _of_class(value, f"{module_name}.{name}")
    return found


def _of_class(kind: type, where: str) -> list:
    found = []
    for name, value in list(vars(kind).items()):
        if type(value) is types.FunctionType:
            found.append((vars(kind), name, value, value.__code__, where))
        elif type(value) in (classmethod, staticmethod, property):
            found.append((vars(kind), name, value, None, where))
            inner = value.fget if type(value) is property else value.__func__
            if type(inner) is types.FunctionType:
                found.append(({name: inner}, name, inner, inner.__code__, where))
    return found
