"""A test in a process of its own, whatever runs it: what goes before a fork, what is waited for, and how it went."""

import contextlib
import os
import sys
import time
from collections.abc import Callable

from pytead_tui.rerun import followed
from pytead_tui.rerun.breakage import place
from pytead_tui.rerun.forks import Fork, Gone, Writer, flush, hear_answers, narrow
from pytead_tui.worker import chance
from pytead_tui.worker.modules import describe


def fork(test: str, seconds: float, work: "Callable[[Writer], None]", closing: "tuple[int, ...]") -> dict:
    """Runs a test in a fork, which does this work and sends a line; gives the line, or says how the process ended."""
    began = time.monotonic()
    below = Fork(work, closing=closing)
    try:
        line = below.next(seconds)
        below.end()
        return line
    except TimeoutError:
        outcome, said = "timed-out", f"still running after {seconds:g} s"
        below.end()
    except Gone:
        outcome = "died"
        said = below.end(grace=0.5)
    return unfinished(test, outcome, said, below.pid, time.monotonic() - began)


def run(test: str, root: str, functions: "list[str] | None", work: "Callable[[], dict]") -> dict:
    """Runs a test by this work, in the process that is its own; `functions` are those whose calls are recorded."""
    narrow(functions)
    hear_answers()
    chance.seed(0)
    chance.hold()
    followed.begin()
    began = time.perf_counter_ns()
    try:
        found = work()
    except BaseException as error:  # `pytest.exit`, an interrupt, a broken plugin
        found = {"outcome": "died", "said": describe(error), **place(error, root)}
    milliseconds = (time.perf_counter_ns() - began) // 10**6
    flush()  # before the line: who gets it ends this process
    return {"kind": "test", "test": test, "ms": milliseconds, "pid": os.getpid(), **found, **followed.report()}


def unfinished(test: str, outcome: str, said: str, pid: int, seconds: float) -> dict:
    """Says how a test went whose process did not say it."""
    return {
        "kind": "test", "test": test, "outcome": outcome, "ms": int(seconds * 1000), "pid": pid, "said": said,
        "path": None, "line": None,
    }  # fmt: skip


def let_go() -> None:
    """Closes Django's connections to files: a fork must not take one along. Those to memory stay."""
    database = sys.modules.get("django.db")
    if database is not None:
        with contextlib.suppress(Exception):
            database.connections.close_all()
