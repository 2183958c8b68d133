"""Records and judges the tests of a pytest run, and says what came of them: the working part of pytest_plugin.py.

What a verdict looks like is verdicts.py; who decides is judge.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import inspect
import json
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pytead_tui import intents, judge, shown, verdicts
from pytead_tui.intents import SemanticAssertionError

_MARKS = (".pytead", "pyproject.toml", "setup.py", "setup.cfg", ".git")  # of a project's root
_NOT_FAILURES = (pytest.skip.Exception, pytest.fail.Exception, pytest.exit.Exception)
_UNJUDGED = "The intent of a function that this test calls was not judged, since %s: %s"
_LATE = re.compile(r"\bin\s+teardown\b", re.IGNORECASE)  # what is decided only after the fixtures are gone


def _private_folder() -> "tuple[str, int]":
    """Makes a folder that is locked as long as this process lives: the next start of pytead-tui removes one without a lock."""
    while True:
        folder = tempfile.mkdtemp(prefix="pytead-scratch-test-")
        try:
            lock = os.open(folder, os.O_RDONLY)
        except FileNotFoundError:
            continue  # one that starts at this moment took it for left behind
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), os.lstat(folder)):
                return folder, lock
        except (BlockingIOError, FileNotFoundError):
            pass
        except OSError:
            return folder, lock  # a file system without locks
        os.close(lock)


def root_of(config: pytest.Config) -> str:
    """Gives the project's root: the nearest folder with a mark of one, from pytest's own root upward."""
    given = os.environ.get("PYTEAD_ROOT")
    start = os.path.realpath(str(config.rootpath))
    if given and (start + os.sep).startswith(os.path.realpath(given) + os.sep):
        return os.path.realpath(given)
    folder = start
    while not any(os.path.exists(os.path.join(folder, mark)) for mark in _MARKS):
        above = os.path.dirname(folder)
        if above == folder:
            here = os.path.realpath(str(config.invocation_params.dir))
            return here if (start + os.sep).startswith(here + os.sep) else start
        folder = above
    return folder


def is_strict(config: pytest.Config) -> bool:
    """Tells whether what is left open ends the run with 1."""
    strict = config.getoption("semantic_strict")
    return bool(os.environ.get("CI")) if strict is None else bool(strict)


class Intents:
    """Records and judges the tests of this process, and says what came of them."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.worker = hasattr(config, "workerinput")
        self.strict = is_strict(config)
        self.dry = bool(config.getoption("semantic_dry_run", False))
        self.show = list(config.getoption("semantic_show"))
        self.unsent = self.dry or "outgoing" in self.show
        self.refresh = bool(config.getoption("semantic_refresh"))
        self.tried = list(config.getoption("semantic_try"))
        self.journeys = self._file("semantic_journeys")
        self.wanted = sorted({*self.show, "journey"} if config.getoption("semantic_journeys") else self.show)
        self.root = root_of(config)
        run = getattr(config, "workerinput", {})
        model, processes = config.getoption("semantic_model", None), run.get("workercount", 1)
        self.judge = judge.Judge(self.root, model, processes, run.get("testrunuid"))
        self.tests: Any = None  # the recorder of this process's tests
        self.folder = ""  # the journey of the test that runs
        self.lock = -1
        self.pid = os.getpid()
        self.impossible = ""  # why the test that runs is not recorded
        self.late: Any = None  # the intent of the test that runs, where it speaks of its teardown; what the test raised
        self.called = False  # the test that runs called a decorated function, which was judged
        self.judging: "intents.Intent | None" = None  # the intent of the one that is called
        self.verdicts: dict = {}  # by node id: of the test that runs
        self.more: dict = {}  # by node id: further ones, of functions that it called
        self.asked: dict = {}  # by node id: what else was asked for
        self.spent: list = []  # further verdicts of all processes
        self.said: list = []  # what every process of the run found: the lines of the report
        self.shown: list = []  # what was asked for beside the verdicts
        self.report = self._file("semantic_report")

    def _file(self, option: str) -> Any:
        path = self.config.getoption(option)
        if not path or self.worker:
            return None
        try:
            return open(os.path.join(str(self.config.invocation_params.dir), path), "w", encoding="utf-8")
        except OSError as error:
            why = shown.display("--%s cannot be written: %s." % (option.replace("_", "-"), error))
            raise pytest.UsageError(why) from None

    def _intent(self, item: pytest.Item) -> "intents.Intent | None":
        """Gives the intent of a test; an empty one where it has none and is to be shown."""
        found = intents.of_item(item)
        if found is None and self.wanted and isinstance(item, pytest.Function):
            return intents.Intent("", [])
        return found

    # Recording and judging, in the process that runs the test.

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Begins the journey before the fixtures of a test."""
        self.impossible = ""
        self.called, self.judging = False, None
        self.verdicts.pop(item.nodeid, None)
        self.more.pop(item.nodeid, None)
        if self._intent(item) is not None:
            self._begin()
        with self._watching(item, "a fixture calls it"):
            yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Judges what the test did, when it did not fail by itself."""
        intent = self._intent(item)
        if intent is not None and self.folder:
            self.tests.phase("call")
        with self._watching(item, ""):
            outcome = yield
        if intent is None:
            return
        raised = _raised(item, outcome)
        failed = isinstance(raised, (AssertionError, *_NOT_FAILURES)) or raised and not isinstance(raised, Exception)
        self.late = None
        if self.folder and not failed and any(_LATE.search(text) for text in (intent.text, *intent.checks)):
            self.tests.phase("teardown")
            self.late = (intent, raised)
            return
        if self.folder:
            self.tests.end()
        if failed and not self.wanted and not _asserted(item, raised):
            self._forget()
            return  # skipped, or ended: it says nothing
        if not self.called:
            self._judged(item, intent, raised, outcome, bool(failed))

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        """Judges what speaks of the teardown, and ends what a failing fixture left open."""
        with self._watching(item, "a fixture calls it"):
            outcome = yield
        late, self.late = self.late, None
        if not self.folder:
            return
        self.tests.end()
        if late is None or outcome.excinfo is not None:
            self._forget()
            return
        intent, raised = late
        self._judged(item, intent, raised, outcome, False)

    @contextlib.contextmanager
    def _watching(self, item: pytest.Item, why: str) -> Iterator[None]:
        """Hears of decorated functions that are called in the time; `why` says what keeps all of them from being judged."""
        thread = threading.get_ident()

        def unjudged(intent: intents.Intent, why: str) -> None:
            own = intents.of_item(item)
            if own is None or not own.holds(intent):
                with contextlib.suppress(Warning):  # where warnings are errors
                    item.warn(pytest.PytestWarning(_UNJUDGED % (why, shown.display_line(intent.text))))

        @contextlib.contextmanager
        def called(intent: intents.Intent) -> Iterator[None]:
            __tracebackhide__ = True
            own = intents.of_item(item)
            if own is not None and own.holds(intent) or intent is self.judging:
                yield
            elif why or threading.get_ident() != thread:
                unjudged(intent, why or "it runs in another thread")
                yield
            elif self.judging is not None:
                unjudged(intent, "another one is judged at the same time")
                yield
            elif own is not None:
                unjudged(intent, "the test is recorded for its own")
                yield
            else:
                with self._alone(item, intent):
                    yield

        before = intents.watch, intents.unjudged
        intents.watch, intents.unjudged = called, unjudged
        try:
            yield
        finally:
            intents.watch, intents.unjudged = before

    @contextlib.contextmanager
    def _alone(self, item: pytest.Item, intent: intents.Intent) -> Iterator[None]:
        """Records and judges a decorated function that a test without an intent calls."""
        __tracebackhide__ = True
        self.called, self.judging = True, intent
        self._begin()
        if self.folder:
            self.tests.phase("call")
        raised: "BaseException | None" = None
        try:
            yield
        except BaseException as error:
            raised = error
        finally:
            self.judging = None
            if self.folder:
                self.tests.end()
        if isinstance(raised, (AssertionError, *_NOT_FAILURES)) or raised and not isinstance(raised, Exception):
            self._forget()
            raise raised
        verdict = self._verdict(item, intent, None)
        told = verdict.pop("shown", {})
        before = self.verdicts.get(item.nodeid)
        if before is None or before["verdict"] == "PASS":
            self._noted(item, verdict)
            self.asked[item.nodeid] = {"intent": intent.text, "shown": told, "verdict": verdict}
        if before is not None:  # what was asked for each of them is spent
            self.more.setdefault(item.nodeid, []).append(verdict if before is self.verdicts[item.nodeid] else before)
        if verdict["verdict"] == "FAIL" and not verdict["overridden"] and not self.dry:
            raise SemanticAssertionError(verdicts.message(intent.text, verdict, raised)) from raised
        if raised is not None:
            raise raised

    def _judged(self, item: pytest.Item, intent: intents.Intent, raised: Any, outcome: Any, failed: bool) -> None:
        verdict = self._verdict(item, intent, _asserted(item, raised) if failed else None)
        told = verdict.pop("shown", {})
        self.asked[item.nodeid] = {"intent": intent.text, "shown": told, "verdict": verdict}
        if failed or not intent.text:
            return  # the test says so itself: only the workbench hears of it
        self._noted(item, verdict)
        if verdict["verdict"] == "FAIL" and not verdict["overridden"] and not self.dry:
            error = SemanticAssertionError(verdicts.message(intent.text, verdict, raised))
            error.__cause__ = raised
            _force(outcome, error)

    def _noted(self, item: pytest.Item, verdict: dict) -> None:
        """Keeps a verdict for the report of its test."""
        self.verdicts[item.nodeid] = verdict
        own = {"semantic.verdict": verdict["verdict"], "semantic_eval_reason": shown.display(verdict["reason"])}
        if verdict["overridden"]:
            own["semantic.overridden"] = "true"
        item.user_properties[:] = [one for one in item.user_properties if one[0] not in own] + list(own.items())

    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> "bool | None":
        """Runs an `async` test with an intent where no plugin for such tests does: theirs come first, or make it plain."""
        if intents.of_item(pyfuncitem) is None or not inspect.iscoroutinefunction(pyfuncitem.obj):
            return None
        wanted = inspect.signature(pyfuncitem.obj).parameters.values()
        # One with a default is no fixture, and what a patch gives is not pytest's.
        names = [one.name for one in wanted if one.default is one.empty and one.name in pyfuncitem.funcargs]
        asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
        return True

    def _begin(self) -> None:
        try:
            self.judge.start()
            if self.tests is None:
                from pytead_tui.recorder import judged

                environ = os.environ.get
                self.tests = judged.Tests(self.root, environ("PYTEAD_EXCLUDE", ""), environ("PYTEAD_REDACT", ""))
            self._forget()
            self.folder, self.lock = _private_folder()
            self.pid = os.getpid()
            self.tests.begin(self.folder)
            self.tests.phase("setup")
        except judge.Broken as error:
            self.impossible = str(error)
        except Exception as error:  # whatever it is, it is not the test's fault
            self._forget()
            self.impossible = "The test could not be recorded: %s." % (str(error) or type(error).__name__)

    def _forget(self) -> None:
        folder, self.folder = self.folder, ""
        if folder and self.pid == os.getpid():
            shutil.rmtree(folder, ignore_errors=True)
            os.close(self.lock)

    def _verdict(self, item: pytest.Item, intent: intents.Intent, failed: "str | None") -> dict:
        if not self.folder:
            return verdicts.error(self.impossible or "The test was not recorded.")
        file = os.path.relpath(os.path.realpath(str(item.path)), self.root).replace(os.sep, "/")
        request = {
            "test": item.nodeid, "file": file, "intent": intent.text, "checks": intent.checks, "journey": self.folder,
            "show": self.wanted, "dry": self.unsent, "refresh": self.refresh, "failed": failed,
            "tried": self.tried,
        }  # fmt: skip
        try:
            return self.judge.ask(request)
        except judge.Broken as error:
            return verdicts.error(str(error))
        except Exception as error:
            return verdicts.error("The judge could not be asked: %s." % (str(error) or type(error).__name__))
        finally:
            self._forget()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Ends the judge; under strict, what was left open ends the run with 1."""
        self.judge.stop()
        self._forget()
        for file in (self.report, self.journeys):
            if file is not None:
                file.close()
        open_ones = [verdict for _, verdict in self.said if verdicts.is_open(verdict)]
        if self.strict and open_ones and not self.dry and not self.worker and session.exitstatus == 0:
            session.exitstatus = 1

    # Reporting.

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
        """Gives the verdict to the report of the test, so that every process of the run sees it."""
        outcome = yield
        if call.when == "setup":
            return
        report = outcome.get_result()
        report.semantic_shown = self.asked.pop(item.nodeid, None)
        verdict = self.verdicts.pop(item.nodeid, None)
        if verdict is None:
            return
        report.semantic = verdict
        report.semantic_more = self.more.pop(item.nodeid, [])
        raised = None if call.excinfo is None else call.excinfo.value
        if type(raised) is SemanticAssertionError:
            failure = report.longrepr = call.excinfo.getrepr(style="value", chain=False)
            if failure.reprcrash is not None:  # where the test is, not where we are
                failure.reprcrash.path, failure.reprcrash.lineno = str(item.path), (item.location[1] or 0) + 1
            if raised.__cause__ is not None:
                cause = pytest.ExceptionInfo.from_exception(raised.__cause__)
                own = shown.display(str(item.repr_failure(cause)))
                report.sections.append(("What the test itself raised", own))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps the verdict for the summary, and writes it to the report."""
        asked = getattr(report, "semantic_shown", None)
        if asked is not None and asked["shown"] and not self.worker:
            self.shown.append((report.nodeid, asked["shown"]))
            if self.journeys is not None:
                told = {
                    "test": report.nodeid, "intent": asked["intent"], "journey": asked["shown"]["journey"],
                    "verdict": asked["verdict"], "outgoing": asked["shown"].get("outgoing", []),
                    "skipped": report.skipped,
                }  # fmt: skip
                self.journeys.write(json.dumps(told) + "\n")
                self.journeys.flush()
        verdict = getattr(report, "semantic", None)
        if verdict is None or self.worker:
            return
        self.said.append((report.nodeid, verdict))
        self.spent += getattr(report, "semantic_more", [])
        if self.report is not None:
            self.report.write(json.dumps(verdicts.line(report.nodeid, verdict)) + "\n")
            self.report.flush()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> "tuple | None":
        """Gives what is unclear a letter of its own."""
        verdict = getattr(report, "semantic", None)
        if verdict is None or not report.passed or self.dry:
            return None
        return verdicts.status(verdict)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says why what is open is open; in a dry run, what would come of each intent; and what else was asked for."""
        for kind in self.show:
            for nodeid, told in self.shown:
                terminalreporter.section(verdicts.SHOWN[kind] + shown.display_line(nodeid), sep="-")
                for line in told.get(kind) or ["nothing of the project was called"]:
                    terminalreporter.write_line(shown.display(line))
        spent = verdicts.spent([*[verdict for _, verdict in self.said], *self.spent], self.unsent)
        if spent:
            terminalreporter.write_line("intents: " + spent)
        told = self.said if self.dry else [one for one in self.said if verdicts.is_told(one[1])]
        if not told:
            return
        heading = verdicts.heading([verdict for _, verdict in told])
        terminalreporter.section("intents, dry run" if self.dry else heading, sep="=")
        for nodeid, verdict in told:
            terminalreporter.write_line("%s %s" % (verdicts.word(verdict), shown.display_line(nodeid)))
            for line in verdicts.lines(verdict):
                terminalreporter.write_line("    " + line)
        if not self.dry and not self.strict and any(verdicts.is_open(verdict) for _, verdict in told):
            terminalreporter.write_line(
                "This does not fail the run; with --semantic-strict, or where CI is set, it does."
            )

    def pytest_report_collectionfinish(self, items: list) -> "str | None":
        """Says what a model may be asked, and how much, before anything is sent."""
        if self.worker or self.unsent or self.config.getoption("collectonly") or not any(map(intents.of_item, items)):
            return None
        try:
            self.judge.start()
        except judge.Broken:
            return None  # said with the verdicts
        return "intents: " + shown.display_line(self.judge.model) if self.judge.model else None


def _raised(item: pytest.Item, outcome: Any) -> "BaseException | None":
    """Gives what a test ended by; of a `unittest` test, what it was told to keep."""
    if outcome.excinfo is not None:
        return outcome.excinfo[1]
    kept = getattr(item, "_excinfo", None)
    return kept[0].value if kept else None


def _asserted(item: pytest.Item, raised: Any) -> "str | None":
    """Gives what a test says that fails by its own assertion; nothing for one that was skipped, or is expected to fail."""
    if not isinstance(raised, (AssertionError, pytest.fail.Exception)) or item.get_closest_marker("xfail") is not None:
        return None
    return str(raised) or type(raised).__name__


def _force(outcome: Any, error: BaseException) -> None:
    force = getattr(outcome, "force_exception", None)
    if force is None:  # pluggy before 1.1
        raise error
    force(error)
