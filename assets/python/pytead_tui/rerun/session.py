"""The recorded pytest session, started again: it collects the files of the tests, and runs these in its own way."""

import io
import os
import shlex
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

import pytest
from _pytest.assertion import rewrite

from pytead_tui.pytest_options import kept
from pytead_tui.rerun import followed, one_test, warm
from pytead_tui.rerun.above import Tests
from pytead_tui.rerun.breakage import place, why
from pytead_tui.rerun.forks import Writer
from pytead_tui.rerun.one_test import Watch, skip_reason
from pytead_tui.rerun.request import START, Request
from pytead_tui.worker.modules import LONGEST, is_of

# They run a test in their own way once it is marked: again, or in a fork of theirs.
_RUNNERS = ("flaky", "pytest_forked")
# Disabled: they reorder tests and start threads by being there. What a strict configuration may name of them stays known.
_DISABLED = ("randomly", "rerunfailures")
_MARKERS = ("flaky(reruns=1, reruns_delay=0): not run again here",)
_SETTINGS = "reruns reruns_delay reruns_delay_backoff_factor only_rerun rerun_except rerun_exclude_path".split()

_getini = pytest.Config.getini


def run(request: Request, tests: "list[str]", in_place: bool, writer: Writer) -> None:
    """Runs pytest on the files of these tests, and reports the outcome of each."""
    session = _Session(request, tests, in_place, writer)
    if not session.files:  # pytest would collect everything
        for test in tests:
            writer.send(kind="missing", test=test)
        return
    _read_fresh(os.path.realpath(request.root))
    _filter_options()
    cache = tempfile.mkdtemp(prefix="pytead-cache-")
    args = session.arguments(cache)
    sys.argv = ["pytest", *args]
    said = sys.stderr = io.StringIO()
    try:
        pytest.main(args, plugins=[session, session.watch])
    except BaseException as error:
        session.errors.append(("", error))
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    if not session.errors:
        # A wrong setting, or a plugin that is not there: pytest has said it, and raised nothing that a hook sees.
        lines = [line for line in said.getvalue().splitlines() if line.strip()]
        words = [line for line in lines if line.startswith("ERROR: ")] or lines[-1:] or ["it ended before the tests"]
        session.errors.append(("", pytest.UsageError(words[0].removeprefix("ERROR: "))))
    session.say_broken(tests)


def _read_fresh(root: str) -> None:
    """Has pytest rewrite the project's tests anew: older ones believe a cache of the same size and second."""
    read = getattr(rewrite, "_read_pyc", None)
    if read is not None:
        rewrite._read_pyc = lambda source, *rest: None if is_of(root, str(source)) else read(source, *rest)


def _filter_options() -> None:
    """Filters the options that the configuration and the environment add, until this session has read them."""

    def filtered(self: pytest.Config, name: str) -> object:
        found = _getini(self, name)
        return kept(found) if name == "addopts" else found

    pytest.Config.getini = filtered
    if "PYTEST_ADDOPTS" in os.environ:
        os.environ["PYTEST_ADDOPTS"] = shlex.join(kept(shlex.split(os.environ["PYTEST_ADDOPTS"])))


class _Session:
    """The plugin that takes the place of pytest's own loop over the tests."""

    def __init__(self, request: Request, tests: "list[str]", in_place: bool, writer: Writer) -> None:
        self.request = request
        self.tests = tests
        self.in_place = in_place
        self.writer = writer
        self.watch = Watch(request.root)
        self.errors: list = []  # (node id of what could not be collected, exception)
        self.skipped: dict = {}  # by node id of a file
        self.is_said = False
        self.began = time.monotonic()
        names = dict.fromkeys(test.partition("::")[0] for test in tests if test != START)
        if START in tests:
            names.update(dict.fromkeys(request.collect))
        paths = [os.path.join(request.root, name) for name in names]
        self.files = [path for path in paths if os.path.exists(path)]

    def arguments(self, cache: str) -> "list[str]":
        """Gives pytest's command line."""
        root, ini = self.request.root, self.request.ini
        options = kept(self.request.options)
        if ini is None and not any(option.partition("=")[0] == "--confcutdir" for option in options):
            options.append("--confcutdir=" + root)
        options += ["--rootdir=" + root, "-c", os.devnull if ini is None else ini]
        # Its cache goes elsewhere: tests and plugins may use it, and nothing of former runs is to be found in it.
        options += [option for name in _DISABLED for option in ("-p", "no:" + name)]
        return [*options, "-o", "cache_dir=" + cache, *self.files]

    # How pytest starts.

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        """Keeps the settings of disabled plugins known."""
        for name in _SETTINGS:
            parser.addini(name, "of a plugin that is disabled here")

    def pytest_configure(self, config: pytest.Config) -> None:
        """Keeps the markers of disabled plugins known."""
        for marker in _MARKERS:
            config.addinivalue_line("markers", marker)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(
        self, early_config: pytest.Config, parser: pytest.Parser, args: "list[str]"
    ) -> "Iterator[None]":
        """Drops options that no installed plugin and no conftest.py knows, and the paths of `addopts`."""
        pytest.Config.getini = _getini  # a test may start a pytest of its own
        outcome = yield
        if outcome.excinfo is not None:
            self.errors.append(("", outcome.excinfo[1]))
            return
        known, unknown = parser.parse_known_and_unknown_args(args)
        strangers = {option for option in unknown if option.startswith("-")}
        # Older pytest leaves some of the paths among what it does not know.
        strangers.update(path for path in (*known.file_or_dir, *unknown) if path not in self.files)
        args[:] = [option for option in args if option not in strangers]

    def pytest_exception_interact(self, node: pytest.Collector, call: pytest.CallInfo, report: object) -> None:
        """Keeps why something could not be collected."""
        if isinstance(report, pytest.CollectReport):
            self.errors.append((node.nodeid, call.excinfo.value))

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo) -> None:
        """Keeps what pytest itself, a plugin or a hook of the project raised."""
        self.errors.append(("", excinfo.value))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo) -> None:
        """Keeps why a hook ended the session."""
        self.errors.append(("", excinfo.value))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keeps why a file is skipped as a whole."""
        if report.skipped:
            self.skipped[report.nodeid] = skip_reason(report.longrepr)

    # The loop.

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs the tests, after it said which of them there are not."""
        items = {item.nodeid: item for item in session.items}
        absent = [test for test in self.tests if test not in items and test != START]
        if START in self.tests:
            self._say_started()
        self.say_broken(absent)
        for test in absent:
            skipped = self.skipped.get(test.partition("::")[0])
            if skipped is not None:
                self._send(kind="test", test=test, outcome="skipped", ms=0, pid=os.getpid(), **skipped)
            elif not self._is_broken(test):
                self._send(kind="missing", test=test)
        if self.request.tell_loaded:
            self._send(kind="loaded", modules=warm.loaded(self.request.project), failed=warm.failed)
        wanted = [items[test] for test in self.tests if test in items]
        for name in _RUNNERS:
            if session.config.pluginmanager.has_plugin(name):
                session.config.pluginmanager.unregister(name=name)
        for item in wanted:
            _ = item.location  # found out once for all forks
        factory = getattr(session.config, "_tmp_path_factory", None)
        if factory is not None:
            factory.getbasetemp()  # one for all tests: its number is in the paths that they see
        if self.in_place:
            for item in wanted[:1]:
                self._send(kind="begun", test=item.nodeid)
                self._send(**one_test.run(item, self.watch, self.request.functions.get(item.nodeid)))
        elif wanted and threading.active_count() > 1:
            # They would not be there in a fork, and what they hold locked would stay so.
            self._send(kind="cold")
        else:
            Tests(session, self.watch, self.writer, self.request).run(wanted)
        return True

    def _say_started(self) -> None:
        """Says how the start of the session went: what could not be collected, if there is such a file."""
        line: dict = {"outcome": "passed", "said": None, "path": None, "line": None}
        if self.errors:
            error = self.errors[0][1]
            line.update(outcome="failed", said=why(error), **place(error, self.request.root))
        milliseconds = int((time.monotonic() - self.began) * 1000)
        self._send(kind="test", test=START, ms=milliseconds, pid=os.getpid(), **line, **followed.report())

    def _send(self, **line: object) -> None:
        self.writer.send(**line)

    # What is broken.

    def say_broken(self, tests: "list[str]") -> None:
        """Says, once, what keeps these tests from being collected."""
        if self.is_said:
            return
        self.is_said = True
        for nodeid, error in self.errors:
            hit = [test for test in tests if _is_below(test, nodeid)]
            if hit:
                place_of = place(error, self.request.root)
                self._send(kind="broken", why=why(error)[: 2 * LONGEST], **place_of, tests=hit)

    def _is_broken(self, test: str) -> bool:
        return any(_is_below(test, nodeid) for nodeid, _ in self.errors)


def _is_below(test: str, nodeid: str) -> bool:
    nodeid = nodeid.removesuffix("/__init__.py")
    return nodeid in ("", ".", test) or test.startswith((nodeid + "/", nodeid + "::"))
