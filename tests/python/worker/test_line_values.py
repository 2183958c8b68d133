"""Follows one call line by line: what each line gave, how often it ran, and where an exception went."""

import base64
import importlib.util
import marshal
import sys

import pytest

from pytead_tui.worker import line_plan, line_values

SOURCE = '''\
import contextlib


def total(prices, rate):
    """Adds up."""
    total = 0
    for price in prices:
        if price < 0:
            raise ValueError("negative")
        total += price
    taxed = round(
        total * rate,
    )
    if taxed > 1000:
        taxed = 1000
    return taxed


def inner_fails(n):
    return 1 // n


def passes(n):
    found = []
    try:
        found = [inner_fails(n)]
    except ZeroDivisionError as error:
        kept = error
        raise
    finally:
        over = True
    return found


def own(n):
    count = n
    below = own(n - 1) if n else 0
    return count + below


def parts():
    squares = [item * item
               for item in range(4)]

    def twice(of):
        doubled = of * 2
        return doubled

    last = twice(squares[-1])
    (one, *others), named = squares, (seen := 5)
    return last


def yields(n):
    for at in range(n):
        yield at
    return "over"


async def waits():
    got = await none()
    return got


async def none():
    return 7


class Loud:
    def __init__(self, size):
        self.size = size
        self.__dict__["area"] = size * size

    def __repr__(self):
        raise AssertionError("__repr__ ran")

    def __getattr__(self, name):
        raise AssertionError("__getattr__ ran")

    def grow(self, by, token="hunter2-hunter2"):
        self.size += by
        kept = {"a": self}
        kept["b"] = by
        password = "opensesame"
        self.gone = 1
        del self.gone
        return self


@contextlib.contextmanager
def opened():
    yield 3


def in_with():
    with opened() as held:
        return held


def long(n):
    last = 0
    for at in range(n):
        last = at
    return last


def chooses(kind):
    match kind:
        case [first, *rest]:
            return first
        case {"size": size}:
            return size
        case _:
            other = kind
    return other
'''


@pytest.fixture
def follow(tmp_path):
    """Makes a call, follows it, and gives the reply with each line's description read."""
    file = tmp_path / "followed.py"
    lines = SOURCE.splitlines()
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("followed", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def call(name, make):
        first = next(
            at for at, line in enumerate(lines, 1) if line.strip().startswith((f"def {name}(", f"async def {name}("))
        )
        indent = len(lines[first - 1]) - len(lines[first - 1].lstrip())
        after = (
            at
            for at, line in enumerate(lines[first:], first)
            if line.strip() and len(line) - len(line.lstrip()) <= indent
        )
        last = next(after, len(lines))
        follower = line_values.Follower(
            str(tmp_path), {"path": "followed.py", "name": name, "first": first - 1, "last": last}
        )
        follower.begin()
        try:
            make(module)
        except Exception:
            pass
        finally:
            follower.end()
        reply = follower.reply()
        given = {}
        for one in reply["given"]:
            kind, value, names = marshal.loads(base64.b64decode(one["seen"])) if "seen" in one else (None, None, {})
            given[lines[one["line"] - 1].strip()] = (one["how"], one["times"], value if kind == "R" else kind, names)
        text_of = {
            "ran": [lines[at - 1].strip() for at in reply["ran"]],
            "missed": [lines[at - 1].strip() for at in reply["missed"]],
        }
        return given, text_of, reply

    return call


def test_each_line_says_what_it_assigned_and_how_often_it_ran(follow):
    given, lines, reply = follow("total", lambda m: m.total([1, 2, 3], 2))
    assert given == {
        "total = 0": ("goes_on", 1, None, {"total": 0}),
        "for price in prices:": ("goes_on", 3, None, {"price": 3}),
        "if price < 0:": ("goes_on", 3, None, {}),
        "total += price": ("goes_on", 3, None, {"total": 6}),
        "taxed = round(": ("goes_on", 1, None, {"taxed": 12}),
        "return taxed": ("returned", 1, 12, {}),
    }
    assert lines["missed"] == ['raise ValueError("negative")', "taxed = 1000"]
    assert '"""Adds up."""' not in lines["ran"] + lines["missed"]
    assert lines["ran"].count(")") == 1, "all lines of a statement ran"
    assert reply["cut"] is False


def test_the_line_that_raises_is_told_and_what_did_not_run(follow):
    given, lines, _ = follow("total", lambda m: m.total([1, -1], 2))
    assert given['raise ValueError("negative")'][0] == "raised"
    assert given['raise ValueError("negative")'][2] == "X"
    assert "return taxed" in lines["missed"] and "return taxed" not in given
    assert given["total += price"] == ("goes_on", 1, None, {"total": 1})


def test_an_exception_from_below_passes_a_line_and_assigns_nothing(follow):
    given, lines, _ = follow("passes", lambda m: m.passes(0))
    assert given["found = [inner_fails(n)]"][0] == "passed"
    assert given["found = [inner_fails(n)]"][3] == {}
    assert given["raise"][0] == "passed"
    assert given["over = True"][3] == {"over": True}
    assert lines["missed"] == ["return found"]
    given, lines, _ = follow("passes", lambda m: m.passes(1))
    assert given["return found"] == ("returned", 1, [1], {})
    assert "raise" in lines["missed"]


def test_a_call_of_the_same_function_below_is_another_call(follow):
    given, _, _ = follow("own", lambda m: m.own(3))
    assert given["count = n"] == ("goes_on", 1, None, {"count": 3})
    assert given["return count + below"] == ("returned", 1, 6, {})
    given, _, _ = follow("total", lambda m: [m.total([1], 1), m.total([5], 1)])
    assert given["return taxed"] == ("returned", 1, 1, {}), "the first call is the one"


def test_functions_inside_are_followed_and_parts_of_a_statement_are_one_line(follow):
    given, lines, _ = follow("parts", lambda m: m.parts())
    assert given["squares = [item * item"] == ("goes_on", 1, None, {"squares": [0, 1, 4, 9]})
    assert given["doubled = of * 2"] == ("goes_on", 1, None, {"doubled": 18})
    assert given["return doubled"][2] == 18
    assert given["(one, *others), named = squares, (seen := 5)"][3] == {
        "one": 0,
        "others": [1, 4, 9],
        "named": 5,
        "seen": 5,
    }
    assert lines["missed"] == []


def test_generators_and_coroutines(follow):
    given, _, _ = follow("yields", lambda m: list(m.yields(3)))
    assert given["yield at"] == ("yielded", 3, 2, {})
    assert given['return "over"'] == ("returned", 1, "over", {})
    import asyncio

    given, _, _ = follow("waits", lambda m: asyncio.run(m.waits()))
    assert given["got = await none()"] == ("goes_on", 1, None, {"got": 7})
    assert given["return got"] == ("returned", 1, 7, {})


def test_no_code_of_a_value_runs_and_secrets_stay_out(follow):
    made = []
    given, _, reply = follow("grow", lambda m: made.append(m.Loud(2).grow(3)))
    assert made, "the call came to its end"
    assert given["self.size += by"][3] == {"self.size": 5}
    assert given['kept["b"] = by'][3]["kept"]["b"] == 3
    assert given["return self"][0] == "returned"
    assert "opensesame" not in str(given['password = "opensesame"'][3]["password"])


def test_what_a_with_statement_returns_stands_beside_the_return(follow):
    given, _, _ = follow("in_with", lambda m: m.in_with())
    assert given["with opened() as held:"][3] == {"held": 3}
    assert given["return held"] == ("returned", 1, 3, {})


def test_a_match_names_what_it_caught(follow):
    given, lines, _ = follow("chooses", lambda m: m.chooses([1, 2]))
    assert given["case [first, *rest]:"][3] == {"first": 1, "rest": [2]}
    assert 'case {"size": size}:' in lines["missed"]
    given, _, _ = follow("chooses", lambda m: m.chooses(5))
    assert given["other = kind"][3] == {"other": 5}


def test_a_call_that_runs_long_is_followed_up_to_a_limit(follow):
    made = []
    given, _, reply = follow("long", lambda m: made.append(m.long(line_values.MOST_LINES)))
    assert made == [line_values.MOST_LINES - 1] and reply["cut"] is True
    assert 1 < given["last = at"][1] <= line_values.MOST_LINES


def test_following_ends_with_the_call(follow):
    follow("total", lambda m: m.total([1], 1))
    assert sys.gettrace() is None
    if line_values.BY_EVENTS:
        assert all(sys.monitoring.get_tool(tool) != "pytead-tui values" for tool in range(6))


def test_a_file_that_cannot_be_read_has_no_plan(tmp_path):
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert line_plan.of(str(tmp_path / "broken.py"), "f", 1, 1).statement == {}
    assert line_plan.of(str(tmp_path / "gone.py"), "f", 1, 1).statement == {}
