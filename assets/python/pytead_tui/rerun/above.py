"""The processes above the tests: each holds session fixtures, and forks for each test that needs these and no others. What a test finds
set up depends on the test alone, and not on which others run."""

import contextlib
import gc
import os
import shutil
import time

import pytest

from pytead_tui.rerun import alone, one_test
from pytead_tui.rerun.alone import unfinished
from pytead_tui.rerun.forks import Fork, Gone, Writer
from pytead_tui.rerun.one_test import Watch
from pytead_tui.rerun.request import Request
from pytead_tui.rerun.session_fixtures import SessionFixtures, learnable, needed_by

MOST_SPOILED = 64  # fixtures found to be unsafe above the tests before none is tried any more
GRACE = 5.0  # seconds beyond a test's own for the process above it to say so


class Tests:
    """Runs tests one after the other, each in a fork of a process that holds their session fixtures."""

    def __init__(self, session: pytest.Session, watch: Watch, writer: Writer, request: Request) -> None:
        self.session = session
        self.watch = watch
        self.writer = writer
        self.seconds = request.test_seconds
        self.functions = request.functions  # by test: those whose calls are recorded
        self.first = request.first
        self.left = {key for key, name in request.fixtures.items() if not name}  # that each test sets up for itself
        self.learned = {key: name for key, name in request.fixtures.items() if name}
        self.queue: list = []

    def run(self, items: "list[pytest.Item]") -> None:
        """Runs them all; makes another process above them where one was spoiled, or holds what the next test does not need."""
        self.queue = [*self._by_fixtures(items[: self.first]), *self._by_fixtures(items[self.first :])]
        while self.queue:
            self._run_below_one()

    def _by_fixtures(self, items: "list[pytest.Item]") -> "list[pytest.Item]":
        """Puts tests that need the same fixtures behind one another, at the place of the first: it still sets them up."""
        together: dict = {}
        for item in items:
            together.setdefault(tuple(needed_by(item, self.left, self.learned)), []).append(item)
        return [item for one in together.values() for item in one]

    def _run_below_one(self) -> None:
        above = Fork(lambda writer: self._be_above(writer), closing=(self.writer.file,))
        test, fixture, began = "", "", time.monotonic()
        over, unsafe = "", False
        try:
            while True:
                line = above.next(self.seconds + GRACE)
                kind = line["kind"]
                if kind == "setting-up":
                    fixture = line["fixture"]
                elif kind == "learned":
                    self.learned.update(line["fixtures"])
                    self.writer.send(**line)
                elif kind == "begun":
                    test, fixture, began = line["test"], "", time.monotonic()
                elif kind == "test":
                    self.writer.send(**line)
                    self.queue.pop(0)
                    test = ""
                else:  # "spoiled" or "end"
                    unsafe = line.get("unsafe", False)
                    break
        except TimeoutError:
            over = "timed-out"
        except Gone:
            over = "died"
        how = above.end(grace=0.0 if over == "timed-out" else self.seconds)
        if test:
            said = how if over == "died" else f"still running after {self.seconds:g} s"
            self.writer.send(**unfinished(test, over or "died", said, above.pid, time.monotonic() - began))
            self.queue.pop(0)
        elif fixture:
            self.left.add(fixture)
            if unsafe:  # one that failed may be mended
                self.learned.pop(fixture, None)
                self.writer.send(kind="learned", fixtures={fixture: ""})
        elif over and self.queue:
            why, tests = f"the process above the tests ended before one: {how}", [item.nodeid for item in self.queue]
            self.writer.send(kind="broken", why=why, path=None, line=None, tests=tests)
            self.queue.clear()

    # In the process above.

    def _be_above(self, writer: Writer) -> None:
        self.writer = writer
        fixtures = SessionFixtures(self.session, self.left, dict(self.learned))
        for item in self.queue:
            if fixtures.has_others(item):
                break
            if len(self.left) < MOST_SPOILED:
                for key, name in fixtures.wanted(item):
                    writer.send(kind="setting-up", fixture=key)
                    if not fixtures.set_up(item, key, name):
                        writer.send(kind="spoiled", unsafe=not fixtures.failed)
                        fixtures.tear_down()
                        return
            gc.freeze()  # a collection in a test would copy all that it looks at
            writer.send(kind="begun", test=item.nodeid)
            line = self._run_below(item, fixtures)
            learned = fixtures.learn(line.pop("fixtures", {}))
            if learned:
                writer.send(kind="learned", fixtures=learned)
            writer.send(**line)
        writer.send(kind="end")  # a teardown that ends this process takes no test along
        fixtures.tear_down()

    def _run_below(self, item: pytest.Item, fixtures: SessionFixtures) -> dict:
        """Runs a test in a process of its own; gives the line that says how it went."""

        def work(writer: Writer) -> None:
            self._be_below(writer, item, fixtures)

        folder = _temporary(item)
        before = _names(folder)
        try:
            return alone.fork(item.nodeid, self.seconds, work, closing=(self.writer.file,))
        finally:
            # The next test gets the same numbered folders, whichever tests ran before it.
            for name in _names(folder) - before:
                _remove(os.path.join(folder, name))

    def _be_below(self, writer: Writer, item: pytest.Item, fixtures: SessionFixtures) -> None:
        fixtures.hand_on()
        line = one_test.run(item, self.watch, self.functions.get(item.nodeid))
        writer.send(**line, fixtures=learnable(self.watch.fixtures))


def _temporary(item: pytest.Item) -> str:
    """Names the folder in which pytest makes temporary ones for tests; gives an empty text where there is none."""
    factory = getattr(item.config, "_tmp_path_factory", None)
    return "" if factory is None else str(factory.getbasetemp())


def _names(folder: str) -> "set[str]":
    with contextlib.suppress(OSError):
        return set(os.listdir(folder or "/nonexistent"))
    return set()


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
