"""The recorded program of unittest or Django, started again: where it would run its suite, the wanted tests run instead.

So whatever the program set up before holds: settings, databases, its own runner.
"""

import gc
import os
import runpy
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.loader
from collections.abc import Callable

from pytead_tui.recorder.current_unittest import name_of
from pytead_tui.rerun import alone, followed, one_unittest
from pytead_tui.rerun.breakage import place, why
from pytead_tui.rerun.forks import Writer
from pytead_tui.rerun.one_unittest import tests_in
from pytead_tui.rerun.request import START, Program, Request
from pytead_tui.worker.modules import LONGEST

# What runs a suite, or a test without one. The first comes before what a suite of another kind, such as Django's parallel
# one, does in its own way.
_RUNNERS = (
    (unittest.BaseTestSuite, "__call__"),
    (unittest.TestSuite, "run"),
    (unittest.TestCase, "__call__"),
    (unittest.TestCase, "run"),
)


class Done(SystemExit):
    """Ends the program: nothing is left to run."""


def run(request: Request, tests: "list[str]", in_place: bool, writer: Writer) -> None:
    """Runs these tests in the recorded program, and reports the outcome of each."""
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        session = _Session(request, tests, in_place, writer)
        session.take_over()
        ended: "BaseException | None" = None
        try:
            _start(request.program)
        except BaseException as error:
            ended = error
        session.give_back()
        if not isinstance(ended, Done):
            sys.stderr.flush()
            said.seek(0)
            session.say_rest(ended, said.read().decode("utf-8", "replace"))


def _start(program: Program) -> None:
    if program.settings is not None:
        os.environ["DJANGO_SETTINGS_MODULE"] = program.settings
    arguments = _in_one_process(program.arguments) if program.runner == "django" else program.arguments
    sys.argv = [program.what if program.how == "script" else "-" + program.how[0], *arguments]
    if program.how == "module":
        runpy.run_module(program.what, run_name="__main__", alter_sys=True)
    elif program.how == "script":
        runpy.run_path(program.what, run_name="__main__")
    else:
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(program.what, "<string>", "exec"), main.__dict__)


def _in_one_process(arguments: "list[str]") -> "list[str]":
    """Drops how many processes there are: each would have databases of its own."""
    found: list = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        if word == "--parallel":
            if left and (left[0].isdecimal() or left[0] == "auto"):
                left.pop(0)
        elif not word.startswith("--parallel="):
            found.append(word)
    return found


class _Session:
    """The program's process: it stands in for every outermost run of a suite or a test."""

    def __init__(self, request: Request, tests: "list[str]", in_place: bool, writer: Writer) -> None:
        self.request = request
        self.left = list(tests)
        self.in_place = in_place
        self.writer = writer
        self.own: dict = {}  # what is stood in for
        self.has_run = False
        self.began = time.monotonic()
        self.errors: list = []  # (name of what could not be loaded, exception)
        self.skipped: dict = {}  # by name of a module

    def take_over(self) -> None:
        """Stands in for what runs tests, and keeps what cannot be loaded."""
        self._replace(unittest.loader, "_make_failed_test", self._failed)
        self._replace(unittest.loader, "_make_skipped_test", self._skipped)
        for cls, name in _RUNNERS:
            self._replace(cls, name, self._in_place_of)

    def _replace(self, home: object, name: str, by: "Callable") -> None:
        held = self.own[home, name] = getattr(home, name)
        setattr(home, name, by(held))

    def give_back(self) -> None:
        """Leaves unittest as it was: a test may run tests."""
        for (home, name), held in self.own.items():
            setattr(home, name, held)

    def _in_place_of(self, held: "Callable") -> "Callable":
        def run(suite: object, result: "unittest.TestResult | None" = None, *rest: object, **named: object) -> object:
            self.run(suite)
            return unittest.TestResult() if result is None else result

        return run

    def _failed(self, held: "Callable") -> "Callable":
        def made(name: str, error: BaseException, *rest: object) -> object:
            self.errors.append((name, sys.exc_info()[1] or error))
            return held(name, error, *rest)

        return made

    def _skipped(self, held: "Callable") -> "Callable":
        def made(name: str, error: BaseException, *rest: object) -> object:
            self.skipped[name] = " ".join(str(error).split())[:LONGEST]
            return held(name, error, *rest)

        return made

    # In place of a suite.

    def run(self, suite: object) -> None:
        """Runs the wanted tests of a suite; ends the program when no test is left."""
        self.has_run = True
        if START in self.left:
            self._say_started()
        found = {name_of(test): test for test in tests_in(suite)}
        wanted = [name for name in self.left if name in found]
        if wanted and not self.in_place and threading.active_count() > 1:
            # They would not be there in a fork, and what they hold locked would stay so.
            self.writer.send(kind="cold")
            raise Done(0)
        for name in wanted:
            self.left.remove(name)
            self._run_one(name, found[name])
        if not self.left:
            raise Done(0)

    def _say_started(self) -> None:
        """Says that the program got to its first suite, and what could not be loaded by then, if there is such a file."""
        self.left.remove(START)
        line: dict = {"outcome": "passed", "said": None, "path": None, "line": None}
        if self.errors:
            error = self.errors[0][1]
            line.update(outcome="failed", said=why(error), **place(error, self.request.root))
        milliseconds = int((time.monotonic() - self.began) * 1000)
        self.writer.send(kind="test", test=START, ms=milliseconds, pid=os.getpid(), **line, **followed.report())

    def _run_one(self, name: str, test: unittest.TestCase) -> None:
        request = self.request

        def work(writer: Writer) -> None:
            self.give_back()
            os.dup2(1, 2)
            writer.send(**one_unittest.run(name, test, request.root, request.functions.get(name)))

        if self.in_place:
            self.writer.send(kind="begun", test=name)
            work(self.writer)
            self.take_over()
            return
        alone.let_go()
        gc.freeze()  # a collection in a test would copy all that it looks at
        self.writer.send(**alone.fork(name, request.test_seconds, work, closing=(self.writer.file,)))

    # What did not run.

    def say_rest(self, ended: "BaseException | None", said: str) -> None:
        """Says why tests are left: they could not be loaded, the program ended before them, or there are none of their names."""
        for name, error in self.errors:
            self._say_broken([test for test in self.left if _is_below(test, name)], error)
        for name, reason in self.skipped.items():
            for test in [test for test in self.left if _is_below(test, name)]:
                self.left.remove(test)
                line = {"outcome": "skipped", "ms": 0, "pid": os.getpid(), "said": reason, "path": None, "line": None}
                self.writer.send(kind="test", test=test, **line)
        cause = ended.__context__ if isinstance(ended, SystemExit) else ended
        if not self.has_run or not isinstance(ended, (SystemExit, type(None))):
            self._say_broken(list(self.left), cause or RuntimeError(_last(ended, said)))
        for test in self.left:
            self.writer.send(kind="missing", test=test)

    def _say_broken(self, tests: "list[str]", error: BaseException) -> None:
        if not tests:
            return
        self.left = [test for test in self.left if test not in tests]
        said = str(error) if type(error) is RuntimeError and error.__traceback__ is None else why(error)
        self.writer.send(kind="broken", why=said[: 2 * LONGEST], **place(error, self.request.root), tests=tests)


def _last(ended: "BaseException | None", said: str) -> str:
    """Gives the last words of a program that ended before its tests."""
    if isinstance(ended, SystemExit) and type(ended.code) is str:
        return ended.code
    lines = [line for line in said.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "the program ended before its tests"


def _is_below(test: str, name: str) -> bool:
    """Tells whether a test is of what could not be loaded, of which the last words of its name may be all that is known."""
    return f".{name}." in f".{test}."
