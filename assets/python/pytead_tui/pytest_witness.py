"""Sees for itself how tests end, so that no test can have another result reported than it had.

A test may change the pytest that runs it, or this package. So how a test function ends is seen by a wrapper around its call. Where
it raised, what was changed until then is put back before anybody reports, since a test can put it back itself when it is over. And
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
        self.changed: dict = {}  # by test: what was changed when its function raised
        self.reaching: "Reaching | None" = None  # of the test that runs
        self.in_phase = False
        self.temporary = [tempfile.gettempdir(), "/dev/shm"]
        self.of_fixtures: set = set()  # what fixtures of the project made there
        self.file = ""  # of the test that runs

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
        self.file = str(getattr(item, "path", ""))
        factory = getattr(item.config, "_tmp_path_factory", None)
        own = [] if factory is None else [str(factory.getbasetemp())]
        self.reaching = Reaching([self.root, str(item.config.rootpath)], own, self.temporary, self.of_fixtures)
        yield from self._noting()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef") -> "Iterator[None]":
        """Notes what fixtures do that the test did not bring along."""
        reaching = self.reaching
        if reaching is None:
            yield
            return
        code = getattr(inspect.unwrap(fixturedef.func), "__code__", None)
        before, reaching.in_fixture = reaching.in_fixture, code is not None and code.co_filename != self.file
        yield
        reaching.in_fixture = before

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
        seen = _around(self.ends, item.nodeid, function, self._putting_back(item))
        # pytest leaves coroutines to unittest, which looks them up itself.
        case = getattr(function, "__self__", None) if _is_async(function) else None
        if isinstance(case, unittest.IsolatedAsyncioTestCase):
            vars(case)[function.__name__] = seen
        else:
            item.obj = seen
        yield from self._noting()
        item.obj = function

    def _putting_back(self, item: pytest.Function) -> Callable:
        """Makes what puts back all that a test changed to report otherwise, and notes that it did."""
        before, changed, ends, nodeid = self.before or (), self.changed, self.ends, item.nodeid
        ours = [plugin for plugin in item.config.pluginmanager.get_plugins() if _is_ours(plugin)]
        objects = [(one, frozenset(vars(one))) for one in (self, item, *ours)]
        hooks = item.ihook

        def put_back() -> None:
            why = ""
            for owner, holder, name, value, code, where in before:
                if code is not None and value.__code__ is not code:
                    value.__code__ = code
                    why = why or f"it changes {where}.{name}"
                if holder.get(name) is not value:
                    setattr(owner, name, value)
                    why = why or f"it changes {where}.{name}"
            for one, had in objects:
                for name in _hidden_functions(one, had):
                    vars(one).pop(name)
                    why = why or f"it changes {type(one).__name__}.{name}"
            for name in [name for name, hook in vars(hooks).items() if name.startswith("pytest_") and not _is_hook(hook)]:
                vars(hooks).pop(name)
                why = why or f"it changes the hook {name}"
            if self.ends is not ends or self.changed is not changed:
                self.ends, self.changed = ends, changed
                why = why or "it changes what is noted of it"
            if why:
                changed[nodeid] = why

        return put_back

    def line(self, report: pytest.TestReport, with_fault: bool = False) -> dict:
        """Gives the line that says how a phase of a test went, as it was seen. A fault counts as noticed by a call only where the
        function raised."""
        said = phase(report)
        if report.when == "teardown" and self.reaching is not None:
            said["reached"] = [list(one) for one in self.reaching.all()]
        if report.when == "call" and report.nodeid in self.changed:
            return _failed(said, self.changed[report.nodeid])
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
        for _, holder, name, value, code, where in self.before or ():
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
        {name: [id(hook), *(id(impl.function) for impl in hook.get_hookimpls())] for name, hook in hooks},
    )


def _is_ours(plugin: object) -> bool:
    return type(plugin).__module__.startswith("pytead_tui.") and hasattr(plugin, "__dict__")


def _hidden_functions(one: object, had: frozenset) -> list:
    """Lists the functions of an object's class that the object hides by now."""
    kind, names = type(one), vars(one).keys() - had
    return [name for name in names if type(inspect.getattr_static(kind, name, None)) is types.FunctionType]


def _is_hook(hook: object) -> bool:
    """Whether pytest made a hook; in pytest 7 and 8 some are functions."""
    made_by = hook.__module__ if type(hook) is types.FunctionType else type(hook).__module__
    return str(made_by).partition(".")[0] in ("pluggy", "_pytest")


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


def _around(ends: dict, nodeid: str, function: Callable, put_back: Callable) -> Callable:
    """Wraps a test function: notes how each call of it ends. Only one that raised can be reported as something better."""
    if _is_async(function):

        @functools.wraps(function)
        async def seen(*args: object, **kwargs: object) -> object:
            ends[nodeid] = "did not end"
            try:
                result = await function(*args, **kwargs)
            except BaseException as error:
                put_back()
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
            put_back()
            ends[nodeid] = f"raised {type(error).__name__}"
            raise
        ends[nodeid] = None
        return result

    return seen


def _code() -> list:
    """Lists the functions and classes of pytest and of this package: (whose it is, what holds it, its name there, it, its code,
    where)."""
    found = []
    for name in _EXCEPTIONS:
        found.append((builtins, vars(builtins), name, vars(builtins)[name], None, "builtins"))
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] not in _WATCHED or type(module) is not types.ModuleType:
            continue
        for name, value in list(vars(module).items()):
            if type(value).__module__.startswith("pytead_tui."):
                found.append((module, vars(module), name, value, None, module_name))
            elif type(value) is types.FunctionType:
                found.append((module, vars(module), name, value, value.__code__, module_name))
            elif isinstance(value, type) and value.__module__ == module_name:
                found.append((module, vars(module), name, value, None, module_name))
                found += _of_class(value, f"{module_name}.{name}")
    return found


def _of_class(kind: type, where: str) -> list:
    found = []
    for name, value in list(vars(kind).items()):
        if type(value) is types.FunctionType:
            found.append((kind, vars(kind), name, value, value.__code__, where))
        elif type(value) in (classmethod, staticmethod, property):
            found.append((kind, vars(kind), name, value, None, where))
            inner = value.fget if type(value) is property else value.__func__
            if type(inner) is types.FunctionType:
                found.append((None, {name: inner}, name, inner, inner.__code__, where))
    return found
