"""Tries faults: puts them into the functions that tests are about, one by one, and runs the tests that should notice.

A process costs more than most tests, so where tests leave nothing behind the faults of several functions share one. What
was heard of a function's faults counts only if its tests pass there without one at the end; else each has a process of its
own. That a fault does not come to an end, or that a test notices none, is believed only of the function whose faults come
first in a process: what the others left, a full cache or a lock, may be why. Tests also run with an equal copy of the function in
its place, under the same conditions: one that fails then notices that it is tried, and no fault.
"""

import signal
import time
import types
from collections.abc import Iterator
from itertools import islice, takewhile

import pytest

from pytead_tui.worker import mutants, surroundings
from pytead_tui.worker.frames import Gone
from pytead_tui.worker.processes import end
from pytead_tui.worker.steps import TooLong

TOGETHER = 16  # functions
MANY = 5.0  # seconds for all faults of one function that do not come to an end
IDLE = 1.0  # seconds that a fault may add by the clock
OVERDUE = f"signal {int(signal.SIGVTALRM)}"  # how a process ends that is stuck
CHECK = -1  # the run that says whether a process is still sound


class Trial:
    """The faults of one function that are still to be tried, and the tests that should notice them."""

    def __init__(self, run: dict, items: "list[pytest.Item]", owned: "list[mutants.Own]", took: float) -> None:
        limit = min(run["limit_ms"], int((IDLE + 5 * took) * 1000))
        self.run = {**run, "limit_ms": limit}
        self.items = items
        self.owned = owned
        self.own = owned[0].code
        self.faults = dict(enumerate(mutants.of(owned[0].function, run.get("most", 8))))
        self.seconds = len(items) * limit / 1000  # for one fault
        self.until: "float | None" = None  # since one did not come to an end
        self.leads = False  # no others come before it in its process
        self.is_done = False

    def put(self, code: types.CodeType, default: "mutants.Edit | None" = None) -> None:
        """Has the function run this code, with this default."""
        for own in self.owned:
            own.put(code, default)

    def put_copy(self) -> None:
        """Has the function run a copy of its own code, which no test can tell from a fault but by what it does."""
        self.put(self.own.replace())

    def has_time(self) -> bool:
        """Tells whether there is time for more faults, after one that did not come to an end."""
        self.until = self.until or time.monotonic() + MANY
        return time.monotonic() < self.until


def try_all(bench: object, trials: "Iterator[Trial]") -> None:
    """Runs the tests for each fault and has the bench say what comes of it."""
    most = TOGETHER if bench.leaves_nothing() else 1
    waiting: list = []
    while waiting := [*waiting, *islice(trials, most - len(waiting))]:
        group = [waiting[0], *takewhile(lambda trial: not trial.leads, waiting[1:])]
        reached, endless = _together(bench, group)
        if reached < len(group):
            trial = group[reached]
            if endless is not None and reached > 0:
                trial.leads = True
            elif endless is not None and trial.has_time():
                _say(bench, trial, endless, trial.faults.pop(endless))
                bench.say(trial.run["key"], endless, {"kind": "over", "how": "time"})
                trial.is_done = not trial.faults
            else:
                _apart(bench, trial)
        waiting = [trial for trial in waiting if not trial.is_done]


def _together(bench: object, trials: "list[Trial]") -> "tuple[int, int | None]":
    """Tries the faults of several functions in one process: (at which of them it was of no use any more, the fault there that
    did not come to an end)."""

    def work() -> None:
        caches = surroundings.caches(bench.project or {})
        for trial in trials:
            for cache in caches if trial is not trials[0] else ():
                cache.cache_clear()
            for turn, mutant in trial.faults.items():
                bench.run = (trial.run["key"], turn)
                _say(bench, trial, turn, mutant)
                _with(bench, trial, mutant)
                bench.send()
            _check(bench, trial)
            trial.put(trial.own)
            bench.send()

    # What is endless ends by itself there, or the process with it, where it is not Python's to end.
    pid, reader = bench.start(trials[0].run, 0, work, sum(trial.seconds * (len(trial.faults) + 1) for trial in trials))
    over = died = False
    reached = 0
    heard: list = []
    try:
        while reached < len(trials):
            trial = trials[reached]
            lines = bench.next(reader, time.monotonic() + trial.seconds)
            bench.is_alive()
            heard += [one for one in lines if one[0] == trial.run["key"] and one[1] in trial.faults]
            checked = [line for key, turn, line in lines if (key, turn) == (CHECK, trial.run["key"])]
            if not checked:
                continue
            if not _is_sound(trial, checked):
                break
            _settle(bench, trial, heard, is_first=reached == 0)
            heard = []
            reached += 1
    except TimeoutError:
        over = True
    except Gone:
        died = True
    over = end(bench.modules, pid, reader.fd, died) == OVERDUE or over
    if reached == len(trials) or not over:
        return reached, None
    tried = {turn for _, turn, _ in heard}
    return reached, next((turn for turn in trials[reached].faults if turn not in tried), None)


def _is_sound(trial: Trial, checked: list) -> bool:
    """Tells whether all tests passed without a fault."""
    phases = [line for line in checked if line.get("kind") == "phase"]
    passed = {line.get("nodeid") for line in phases if line.get("outcome") == "passed"}
    return len(phases) == 3 * len(trial.items) and all(item.nodeid in passed for item in trial.items) and _failed(phases) == set()


def _failed(lines: list) -> set:
    return {line.get("nodeid") for line in lines if line.get("outcome") not in (None, "passed", "skipped")}


def _settle(bench: object, trial: Trial, heard: list, is_first: bool) -> None:
    """Passes on what was heard of the faults of a function, unless it has to be tried where none were before."""
    noticed = _failed([line for _, _, line in heard])
    if not is_first and not all(item.nodeid in noticed for item in trial.items):
        trial.leads = True
        return
    trial.is_done = True
    bench.said += heard
    bench.send()


def _apart(bench: object, trial: Trial) -> None:
    """Tries each fault in a process of its own."""
    trial.is_done = True
    if not _passes_as_it_is(bench, trial):
        bench.say(trial.run["key"], None, {"kind": "faultless", "why": "its tests fail with an equal copy of the function, too"})
        return
    for turn, mutant in trial.faults.items():
        if turn < 2 or trial.has_time():
            bench.say(trial.run["key"], turn, {"kind": "fault", "label": mutant.label, "place": mutant.line})
            bench.fork(trial.run, turn, trial.items, lambda mutant=mutant: _with(bench, trial, mutant))


def _passes_as_it_is(bench: object, trial: Trial) -> bool:
    """Tells whether the tests pass in a process like those of the faults, without one."""
    pid, reader = bench.start({**trial.run, "key": CHECK}, 0, lambda: _check(bench, trial), trial.seconds)
    lines: list = []
    died = False
    try:
        until = time.monotonic() + trial.seconds
        while not any(line.get("kind") == "end" for line in lines):
            lines += [line for _, _, line in bench.next(reader, until)]
    except TimeoutError:
        pass
    except Gone:
        died = True
    end(bench.modules, pid, reader.fd, died)
    return _is_sound(trial, lines)


def _check(bench: object, trial: Trial) -> None:
    """Runs the tests with a copy of the function."""
    bench.run = (CHECK, trial.run["key"])
    _under_watch(bench)
    trial.put_copy()
    bench.go(trial.run, trial.items)


def _say(bench: object, trial: Trial, turn: int, mutant: mutants.Mutant) -> None:
    bench.say(trial.run["key"], turn, {"kind": "fault", "label": mutant.label, "place": mutant.line})
    bench.say(trial.run["key"], turn, {"kind": "collected", "tests": [item.nodeid for item in trial.items]})


def _with(bench: object, trial: Trial, mutant: mutants.Mutant) -> None:
    _under_watch(bench)
    trial.put(mutant.code, mutant.default)
    bench.go(trial.run, trial.items)


def _under_watch(bench: object) -> None:
    """Has tests that take much longer than before ended."""
    bench.brief = True
    signal.signal(signal.SIGPROF, _end_endless)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


def _end_endless(number: int, frame: object) -> None:
    raise TooLong
