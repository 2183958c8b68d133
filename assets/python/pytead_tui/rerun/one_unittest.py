"""Runs one test of unittest with what its suite sets up for it, and says how it went, in pytest's words."""

import unittest
from collections.abc import Iterator

from pytead_tui.rerun import alone
from pytead_tui.rerun.breakage import place, why
from pytead_tui.worker.modules import LONGEST

_Failure = tuple  # what `sys.exc_info` gives


class Result(unittest.TestResult):
    """Notes how a test went: a test of subtests fails with the first of them."""

    def __init__(self, root: str) -> None:
        super().__init__()
        self.root = root
        self.outcome = ""
        self.error: "BaseException | None" = None
        self.reason: "str | None" = None

    def addError(self, test: object, err: _Failure) -> None:  # noqa: N802
        """Notes an exception: of the test, or of what sets up its module or class."""
        super().addError(test, err)
        self._note("failed" if isinstance(test, unittest.TestCase) else "error", err[1])

    def addFailure(self, test: object, err: _Failure) -> None:  # noqa: N802
        """Notes a failed assertion."""
        super().addFailure(test, err)
        self._note("failed", err[1])

    def addSubTest(self, test: object, subtest: object, err: "_Failure | None") -> None:  # noqa: N802
        """Notes how a part of the test went."""
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._note("failed", err[1])

    def addSkip(self, test: object, reason: str) -> None:  # noqa: N802
        """Notes that the test is skipped, and not just a part of it."""
        super().addSkip(test, reason)
        if not isinstance(test, unittest.case._SubTest):
            self._note("skipped", None, str(reason))

    def addExpectedFailure(self, test: object, err: _Failure) -> None:  # noqa: N802
        """Notes a failure that is expected."""
        super().addExpectedFailure(test, err)
        self._note("xfailed", err[1])

    def addUnexpectedSuccess(self, test: object) -> None:  # noqa: N802
        """Notes that an expected failure did not come: to unittest, the test failed."""
        super().addUnexpectedSuccess(test)
        self._note("failed", None, "it passes, and is expected to fail")

    def _note(self, outcome: str, error: "BaseException | None", reason: "str | None" = None) -> None:
        if self.outcome in ("", "skipped", "xfailed"):
            self.outcome, self.error, self.reason = outcome, error, reason

    def said(self) -> dict:
        """Says how the test went."""
        if not self.outcome and not self.testsRun:
            return {"outcome": "error", "said": "unittest did not run it", "path": None, "line": None}
        found = {"outcome": self.outcome or "passed", "said": None, "path": None, "line": None}
        if self.error is not None:
            return {**found, "said": why(self.error), **place(self.error, self.root)}
        return {**found, "said": None if self.reason is None else " ".join(self.reason.split())[:LONGEST]}


def run(name: str, test: unittest.TestCase, root: str, functions: "list[str] | None") -> dict:
    """Runs a test, in the process that is its own; `functions` are those whose calls are recorded."""

    def work() -> dict:
        result = Result(root)
        unittest.TestSuite([test]).run(result)
        return result.said()

    return alone.run(name, root, functions, work)


def tests_in(suite: object) -> "Iterator[unittest.TestCase]":
    """Gives the tests of a suite, of those in it too."""
    if isinstance(suite, unittest.TestCase):
        yield suite
        return
    try:
        parts = iter(suite)
    except TypeError:
        return
    for part in parts:
        yield from tests_in(part)
