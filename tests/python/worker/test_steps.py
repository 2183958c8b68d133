"""Follows functions line by line: Python's events and a tracer see and count the same."""

import marshal
import sys

import pytest

from pytead_tui.worker import steps

SOURCE = '''\
import _thread
import asyncio
import functools
import threading
from contextlib import contextmanager


def loop(n):
    total = 0
    for item in range(n):
        if item % 2:
            total += item
        else:
            continue
    return total


def on_one_line(n=5):
    while n: n -= 1
    for item in range(3): n += item
    return n


def nested(n=3):
    found = []
    for one in range(n):
        for two in range(one):
            found.append((one, two))
            if two > 1:
                break
    else:
        found.append(None)
    return found


def fails(n):
    if n == 0:
        raise ValueError(n)
    return fails(n - 1)


def catches():
    found = []
    for n in range(3):
        try:
            fails(n)
        except ValueError as error:
            found.append(error.args)
        finally:
            found.append(n)
    return found


def lets_through():
    try:
        fails(2)
    finally:
        print("over")


def raises_again():
    try:
        try:
            fails(1)
        except ValueError as error:
            raise KeyError("other") from error
    except KeyError:
        return 1


def counts(n):
    at = 0
    while at < n:
        got = yield at
        at += got or 1
    return at


def with_generator():
    found = list(counts(3))
    one = counts(9)
    found += [next(one), one.send(4)]
    one.close()
    return found


def thrown():
    one = counts(9)
    next(one)
    try:
        one.throw(LookupError)
    except LookupError:
        return "out"


def delegates():
    got = yield from counts(3)
    yield got


def with_delegation():
    return list(delegates())


def comprehensions(n=4):
    squares = [item * item
               for item in range(n)
               if item]
    by = {item: item + 1 for item in squares}
    return sum(item for item in by), {item for item in by}


def factorial(n=5):
    return 1 if n < 2 else n * factorial(n - 1)


def even(n=4):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def keyed():
    return sorted([3, 1, 2], key=lambda item:
                  -item)


@functools.lru_cache(maxsize=None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)


def with_cache():
    cached.cache_clear()
    return cached(6)


@contextmanager
def within(found):
    found.append("in")
    try:
        yield
    finally:
        found.append("out")


def managed():
    found = []
    with within(found):
        found.append("body")
    try:
        with within(found):
            raise ValueError
    except ValueError:
        found.append("caught")
    return found


class Box:
    size = property(lambda self: self._size)

    def __init__(self, size):
        self._size = size

    def __eq__(self, other):
        return self.size == other.size

    def __iter__(self):
        yield from range(self.size)


def of_objects():
    return Box(2) == Box(2), list(Box(3)), Box(1) in [Box(3), Box(1)]


def defines():
    class Inner(Box):
        twice = [item * 2
                 for item in range(2)]

        def both(self):
            def inner():
                return self.size
            return inner() + inner()

    return Inner(4).both()


def matches(value=(1, 2)):
    match value:
        case (1, other):
            return other
        case _:
            return None


async def waits(n):
    for item in range(n):
        await asyncio.sleep(0)
    return n


async def several():
    return await asyncio.gather(waits(2), waits(3))


def runs_coroutines():
    return asyncio.run(several())


async def gives(n):
    for item in range(n):
        yield item
        await asyncio.sleep(0)


async def collects():
    return [item async for item in gives(3)]


def runs_asynchronous_generators():
    return asyncio.run(collects())


def evaluates():
    space = {}
    exec("def inner(n):\\n    n += 1\\n    return n", space)
    return space["inner"](1) + eval("1 + 1")


def endless():
    n = 0
    while True:
        n += 1


def endless_on_one_line():
    while True: pass


def endless_by_calls():
    n = 0
    while factorial(3):
        n += 1


def stubborn():
    found = []
    for n in range(6):
        try:
            found.append(n)
        except BaseException:
            found.append("not that easily")
    return found


def in_thread():
    found = []

    def work():
        for n in range(5):
            found.append(n)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found


def raw_threads():
    found, over = [], threading.Lock()
    over.acquire()

    def work():
        for n in range(5):
            found.append(n)
        over.release()

    _thread.start_new_thread(work, ())
    over.acquire()
    for n in range(3):
        found.append(n)
    return found
'''
NAMES = [
    "on_one_line", "nested", "catches", "lets_through", "raises_again", "with_generator", "thrown", "with_delegation",
    "comprehensions", "factorial", "even", "keyed", "with_cache", "managed", "of_objects", "defines", "matches",
    "runs_coroutines", "runs_asynchronous_generators", "evaluates", "stubborn",
]  # fmt: skip
ENDLESS = ["endless", "endless_on_one_line", "endless_by_calls"]
# Before 3.12 no tracer is told of `while True: pass` on one line: the time of its call ends it.
SEEN_TO_BE_ENDLESS = ["endless", "endless_by_calls"]
both = pytest.mark.skipif(not steps.BY_EVENTS, reason="before 3.12 there is a tracer alone")


@pytest.fixture
def project(tmp_path):
    """Gives the functions of a project and its folder."""
    file = tmp_path / "m.py"
    file.write_text(SOURCE)

    def fresh() -> dict:
        space: dict = {"__name__": "m"}
        exec(marshal.loads(made), space)  # code that nobody has run yet
        return space

    made = marshal.dumps(compile(SOURCE, str(file), "exec", dont_inherit=True))

    fresh.root, fresh.file = str(tmp_path), str(file)
    yield fresh
    if steps._Events.now is not None:
        sys.monitoring.free_tool_id(steps._Events.now.end())
        steps._Events.now = None


def end_of(function):
    """Runs a function; tells how it ended."""
    try:
        return function()
    except BaseException as error:
        return type(error).__name__, str(error)


def ways(project, name: str, by_events: bool) -> tuple:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(steps, "BY_EVENTS", by_events)
        function = project()[name]
        followed = steps.Ways(project.root)
        followed.start()
        ended = end_of(function)
        followed.stop()
    return ended, followed.lines, sorted(followed.seen), sorted(followed.again), followed.is_blind


def burnt(project, name: str, most: int, by_events: bool, notes: bool = True) -> tuple:
    """Runs a function through so many lines at most."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(steps, "BY_EVENTS", by_events)
        function = project()[name]
        ran: "set | None" = set() if notes else None
        fuse = steps.Fuse(project.root, most, project.file, ran)
        fuse.start()
        ended = end_of(function)
        fuse.stop()
    return ended, ran


HOW = [pytest.param(True, marks=both, id="by events"), pytest.param(False, id="by a tracer")]


def line_of(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


@pytest.mark.parametrize("by_events", HOW)
def test_each_line_that_runs_is_seen_with_the_one_before_it(project, by_events):
    ended, lines, seen, again, is_blind = ways(project, "even", by_events)
    even, odd = line_of("return True if n"), line_of("return False if n")
    assert (ended, lines, is_blind) == (True, 5, False)
    assert seen == [("m.py", 1 - odd, odd), ("m.py", 1 - even, even)] == again
    _, _, seen, _, _ = ways(project, "catches", by_events)
    assert {line for _, _, line in seen} >= {line_of(text) for text in ("raise ValueError(n)", "found.append(error.args)")}


@pytest.mark.parametrize("by_events", HOW)
def test_who_starts_a_thread_may_have_run_through_more(project, by_events):
    assert ways(project, "in_thread", by_events)[4]


@pytest.mark.parametrize("by_events", HOW)
def test_packages_are_not_followed(project, by_events):
    _, lines, seen, _, _ = ways(project, "evaluates", by_events)
    assert lines == 3 and {name for name, _, _ in seen} == {"m.py"}


@pytest.mark.parametrize("by_events", HOW)
@pytest.mark.parametrize("name", ENDLESS if steps.BY_EVENTS else SEEN_TO_BE_ENDLESS)
def test_what_has_no_end_is_ended_and_the_next_begins_anew(project, name, by_events):
    for _ in range(2):
        ended, ran = burnt(project, name, 2000, by_events)
        assert ended == ("TooLong", "") and ran
    ended, ran = burnt(project, "nested", 2000, by_events, notes=False)
    assert ended == [(1, 0), (2, 0), (2, 1), None] and ran is None


@both
def test_a_thread_that_nobody_is_told_of_is_seen_by_its_events(project):
    *by_events, is_blind = ways(project, "raw_threads", True)
    *by_tracer, _ = ways(project, "raw_threads", False)
    assert by_events == by_tracer and is_blind


@both
@pytest.mark.parametrize("name", [*NAMES, "in_thread"])
def test_events_and_a_tracer_see_the_same_ways(project, name):
    assert ways(project, name, True) == ways(project, name, False)


@both
@pytest.mark.parametrize("name", [*NAMES, "in_thread", "raw_threads"])
def test_events_and_a_tracer_end_a_function_at_the_same_line(project, name):
    total = 0
    while True:
        by_events, by_tracer = (burnt(project, name, total, how) for how in (True, False))
        assert by_events == by_tracer, f"after {total}"
        if by_events[0] != ("TooLong", "") and name != "stubborn":
            break
        if total > 400:
            break
        total += 1
    assert total > 1


@both
@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("most", [0, 1, 100, 5000])
def test_events_and_a_tracer_end_what_has_no_end(project, name, most):
    assert burnt(project, name, most, True) == burnt(project, name, most, False)
