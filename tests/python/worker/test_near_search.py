"""A search beside recorded calls finds what an edit does one step away, says nothing of refactorings, and believes nothing that is not
there each time."""

import datetime
import decimal

import pytest
from searching import searched

DELTA = """
def f(delta):
    years, days = divmod(delta.days, 365)
    if not years:
        return "%d days" % days
    if years == 1:
        if days == 1:
            return "1 year, 1 day"
        return "1 year, %d days" % days
    return "%d years" % years
"""
DELTAS = [(datetime.timedelta(days=days),) for days in (3, 10, 365, 400, 1000)]

CASES = {
    "a number": (
        "def f(n):\n    return 'many' if n > 100 else 'few'\n", ("> 100", ">= 100"), [(3,), (7,), (250,)], {100},
    ),
    "a length": (
        "def f(items, limit):\n    return 'cut' if len(items) > limit else 'whole'\n", (">", ">="), [([1, 2, 3], 2), ([4], 5)], None,
    ),
    "a text": (
        "def f(text):\n    return text.split('-')\n", ("split('-')", "split('-', 1)"), [("a-b",), ("ab",)], None,
    ),
    "a table": (
        "NAMES = {'de': 'Germany', 'fr': 'France'}\n\ndef f(code):\n    return NAMES.get(code, '?')\n",
        ("'fr': 'France'", "'fr': 'Frankreich'"), [("de",), ("xx",)], {"fr"},
    ),
    "a date": (
        "import datetime\n\ndef f(day):\n    return day.month == 2 and day.day == 29\n", ("== 29", "== 28"),
        [(datetime.date(2024, 2, 27),), (datetime.date(2024, 5, 1),)], None,
    ),
    "an exact number": (
        "from decimal import Decimal\n\ndef f(price):\n    return 0 if price >= Decimal('50') else 5\n", (">=", ">"),
        [(decimal.Decimal("20.00"),), (decimal.Decimal("80.00"),)], None,
    ),
    "a part of a dict": (
        "def f(row):\n    return 'minor' if row['age'] < 18 else 'adult'\n", ("<", "<="), [({"age": 12},), ({"age": 40},)],
        {"{'age': 18}"},
    ),
    "a flag that was left": (
        "def f(text, loud):\n    return text.upper() if loud else text\n", ("upper()", "title()"), [("a b", False), ("c", False)], None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_an_edit_does_one_step_beside_the_recorded_calls_is_found(tmp_path, name):
    old, (before, after), calls, inputs = CASES[name]
    near = searched(tmp_path, old, old.replace(before, after), calls, seconds=30.0)
    assert near.found, (near.broken, near.tried)
    if inputs is not None:
        assert {args[0] if type(args[0]) in (int, str) else str(args[0]) for args in near.inputs()} == inputs


def test_a_difference_is_shown_at_the_input_nearest_to_a_recorded_one_with_how_far_that_is(tmp_path):
    near = searched(tmp_path, DELTA, DELTA.replace('"1 year, 1 day"', '"1 year, %d day"'), DELTAS, seconds=30.0)
    (found,) = near.found
    assert found == ((datetime.timedelta(days=366),), "1 year, 1 day", "1 year, %d day", ("delta", "time", "1 day"), 2)


def test_the_same_search_finds_the_same_in_the_same_order(tmp_path):
    old = "def f(a, b):\n    return (a > 10, b < 5, a == b)\n"
    new = "def f(a, b):\n    return (a >= 10, b <= 5, a == b)\n"
    found = []
    for turn in range(2):
        folder = tmp_path / str(turn)
        folder.mkdir()
        found.append(searched(folder, old, new, [(3, 4), (20, 9), (7, 1)], seconds=20.0).raw)
    assert found[0] and found[0] == found[1]
    assert len(found[0]) <= 3


REFACTORINGS = [
    ("def f(n):\n    if n > 3 and n < 9:\n        return 1\n    return 0\n", "def f(n):\n    return 1 if 3 < n < 9 else 0\n"),
    (
        "def f(words):\n    out = []\n    for word in words:\n        out.append(word.upper())\n    return out\n",
        "def f(words):\n    return [word.upper() for word in words]\n",
    ),
    (
        "class Box:\n    pass\n\ndef f(n):\n    made = Box()\n    made.n = n\n    return [made, made]\n",
        "class Box:\n    pass\n\ndef f(n):\n    box = Box()\n    box.n = n\n    return [box] + [box]\n",
    ),
    ("def f(names):\n    return set(names)\n", "def f(names):\n    return {one for one in reversed(names)}\n"),
    ("def f(n):\n    return object() if n > 5 else n\n", "def f(n):\n    if n > 5:\n        return object()\n    return n\n"),
]


@pytest.mark.parametrize("old, new", REFACTORINGS)
def test_of_a_refactoring_nothing_is_said(tmp_path, old, new):
    calls = [(["b", "a"],), (["c"],), (["x", "y", "z"],)] if "s)" in old.partition(":")[0] else [(3,), (5,), (11,)]
    near = searched(tmp_path, old, new, calls)
    assert near.broken is None and near.tried > 5
    assert near.found == []


def test_what_is_not_the_same_each_time_is_no_difference(tmp_path):
    old = "import random, time\n\ndef f(n):\n    return n\n"
    for unsteady in ("random.random()", "time.time()", "id(object()) + random.getrandbits(60)"):
        near = searched(tmp_path, old, old.replace("return n", f"return n if n < 50 else {unsteady}"), [(3,), (20,), (40,)])
        assert near.found == [], unsteady


def test_an_old_version_that_ends_in_a_way_never_recorded_says_nothing(tmp_path):
    old = "def f(n):\n    if n > 100:\n        raise ValueError('too large')\n    return n\n"
    new = old.replace("raise ValueError('too large')", "return -1")
    calls = [(3,), (40,), (99,)]
    assert searched(tmp_path, old, new, calls).found == []
    old = old.replace("return n", "return 10 // n")
    near = searched(tmp_path, old, old.replace("too large", "too big"), [(3,), (200,), (99,)], seconds=30.0)
    assert near.broken == "its recorded calls differ already"


def test_an_exception_that_recorded_calls_raise_is_compared(tmp_path):
    old = "def f(n):\n    if n < 0:\n        raise ValueError('negative')\n    return n\n"
    near = searched(tmp_path, old, old.replace("n < 0", "n <= 0"), [(-4,), (3,), (9,)], seconds=30.0)
    assert [(args, str(new)) for args, _, new, *_ in near.found] == [((0,), "('negative',)")]


def test_calls_that_reach_their_limits_are_no_difference_and_the_others_go_on(tmp_path):
    old = "def f(n):\n    return 'big' if n > 9 else 'small'\n"
    endless = "def f(n):\n    while n == 10:\n        pass\n    return 'big' if n >= 9 else 'small'\n"
    assert [args for args, *_ in searched(tmp_path, old, endless, [(3,), (40,)], seconds=3.0).found] == [(9,)]
    hungry = "def f(n):\n    return 'big' if n > 9 or n == 4 and bytearray(1 << 40) else 'small'\n"
    assert searched(tmp_path, old, hungry, [(3,), (40,)]).found == []


def test_a_version_that_cannot_be_imported_is_named(tmp_path):
    near = searched(tmp_path, "def f(n):\n    return n\n", "import nothing_of_that_name\n\ndef f(n):\n    return n\n", [(3,)])
    assert "cannot be imported" in near.broken


def test_what_an_earlier_search_found_is_looked_at_first_and_its_kind_is_shown_nowhere_else(tmp_path):
    old = "def f(n):\n    return 'many' if n > 100 else 'few'\n"
    new = old.replace("'many'", "'lots'")
    calls = [(3,), (7,)]
    assert searched(tmp_path, old, new, calls).inputs() != [(5_000,)]
    near = searched(tmp_path, old, new, calls, again=[(5_000,), (60,)])
    # One still differs, and is shown as it was found; of the other both versions say the same.
    assert [(args, before, after) for args, before, after, *_ in near.found] == [((5_000,), "many", "lots")]


def test_recorded_calls_that_do_not_end_alone_are_counted_and_the_others_are_searched(tmp_path):
    old = "def f(n):\n    while n == 3:\n        pass\n    return 'many' if n > 100 else 'few'\n"
    near = searched(tmp_path, old, old.replace("> 100", ">= 100"), [(3,), (7,), (250,)], seconds=30.0)
    assert (near.inputs(), near.unmade) == ([(100,)], 1)


def test_inputs_that_tell_faults_which_no_recorded_call_tells_are_found_and_at_most_two(tmp_path):
    text = "def f(n):\n    if n > 100:\n        return 'many'\n    return 'few' if n > 10 else 'none'\n"
    near = searched(tmp_path, text, text, [(3,), (50,), (250,)], seconds=5.0, faults=True)
    # Each comparison has a fault at its border, and the function itself says what is right there.
    assert {(args[0], before) for args, before, *_ in near.found} == {(100, "few"), (101, "many")}
    assert all(before != after for _, before, after, *_ in near.found)


def test_where_recorded_calls_tell_each_fault_nothing_is_found(tmp_path):
    text = "def f(n):\n    return n > 100\n"
    near = searched(tmp_path, text, text, [(100,), (101,), (3,)], seconds=3.0, faults=True)
    assert (near.broken, near.found) == (None, [])
