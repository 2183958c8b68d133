"""The process above the tests: it holds session fixtures, and forks for each test."""

import gc
import time

import pytest

from pytead_tui.rerun import alone, one_test
from pytead_tui.rerun.alone import unfinished
from pytead_tui.rerun.forks import Fork, Gone, Writer
from pytead_tui.rerun.one_test import Watch
from pytead_tui.rerun.request import Request
from pytead_tui.rerun.session_fixtures import SessionFixtures, learnable

MOST_SPOILED = 8  # fixtures found to be unsafe above the tests, one after the other, before none is tried any more
GRACE = 5.0  # seconds beyond a test's own for the process above it to say so


class Tests:
    """Runs tests one after the other, each in a fork of a process that holds their session fixtures."""

    def __init__(self, session: pytest.Session, watch: Watch, writer: Writer, request: Request) -> None:
        self.session = session
        self.watch = watch
        self.writer = writer
        self.seconds = request.test_seconds
        self.functions = request.functions  # by test: those whose calls are recorded
        self.left: set = set()  # fixtures that each test sets up for itself
        self.learned = dict(request.fixtures)
        self.queue: list = []

    def run(self, items: "list[pytest.Item]") -> None:
        """Runs them all; makes another process above them where one was spoiled."""
        self.queue = list(items)
        while self.queue:
            self._run_below_one()

    def _run_below_one(self) -> None:
        above = Fork(lambda writer: self._be_above(writer), closing=(self.writer.file,))
        test, fixture, began = "", "", time.monotonic()
        over = ""
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
                    break
        except TimeoutError:
            over = "timed-out"
        except Gone:
            over = "died"
        how = above.end(grace=0.0 if over == "timed-out" else GRACE)
        if test:
            said = how if over == "died" else f"still running after {self.seconds:g} s"
            self.writer.send(**unfinished(test, over or "died", said, above.pid, time.monotonic() - began))
            self.queue.pop(0)
        elif fixture:
            self.left.add(fixture)
        elif over and self.queue:
            why, tests = f"the process above the tests ended before one: {how}", [item.nodeid for item in self.queue]
            self.writer.send(kind="broken", why=why, path=None, line=None, tests=tests)
            self.queue.clear()

    # In the process above.

    def _be_above(self, writer: Writer) -> None:
        self.writer = writer
        fixtures = SessionFixtures(self.session, self.left, dict(self.learned))
        for item in self.queue:
            if len(self.left) < MOST_SPOILED:
                for key, name in fixtures.wanted(item):
                    writer.send(kind="setting-up", fixture=key)
                    if not fixtures.set_up(item, name):
                        fixtures.tear_down()
                        writer.send(kind="spoiled")
                        return
            gc.freeze()  # a collection in a test would copy all that it looks at
            writer.send(kind="begun", test=item.nodeid)
            line = self._run_below(item, fixtures)
            learned = fixtures.learn(line.pop("fixtures", {}))
            if learned:
                writer.send(kind="learned", fixtures=learned)
            writer.send(**line)
        fixtures.tear_down()
        writer.send(kind="end")

    def _run_below(self, item: pytest.Item, fixtures: SessionFixtures) -> dict:
        """Runs a test in a process of its own; gives the line that says how it went."""

        def work(writer: Writer) -> None:
            self._be_below(writer, item, fixtures)

        return alone.fork(item.nodeid, self.seconds, work, closing=(self.writer.file,))

    def _be_below(self, writer: Writer, item: pytest.Item, fixtures: SessionFixtures) -> None:
        fixtures.hand_on()
        line = one_test.run(item, self.watch, self.functions.get(item.nodeid))
        writer.send(**line, fixtures=learnable(self.watch.fixtures))
