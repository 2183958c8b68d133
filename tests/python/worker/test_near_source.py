"""What an edit says of inputs that are worth a try, and how far two values are apart."""

from pytead_tui.recorder.values import TAG
from pytead_tui.worker.near_distance import apart, between, distance
from pytead_tui.worker.near_endings import plain
from pytead_tui.worker.near_source import constants, edited_lines, expected

OLD = '''
LIMITS = {"small": 7, "large": 70}


def helper(n):
    return n * 13


def other(n):
    return n * 99


def f(n, mode="fast", deep=None):
    """Says 5."""
    if n > 11:
        return helper(n) + LIMITS["small"]
    if mode in ("slow", "fast") or n == -2:
        return 3
    return 0
'''


def test_constants_of_the_edited_lines_come_first_then_those_of_the_function_and_of_what_it_names():
    new = OLD.replace("n > 11", "n > 12")
    before, after = edited_lines(OLD, new)
    assert before == after == {15}
    found = constants([(new, after), (OLD, before)], "f")
    assert found[:2] == [12, 11]
    assert set(found) == {12, 11, "small", "slow", "fast", 3, 0, 13, 7, "large", 70, -2, 2}
    assert found.index(3) < found.index(13), "what it names comes after its own"
    assert 99 not in found and "Says 5." not in found


def test_lines_that_are_gone_are_told_by_those_beside_them():
    assert edited_lines("a\nb\nc\n", "a\nc\n") == ({2}, {1, 2})


def test_the_text_of_a_function_names_values_that_its_parameters_may_have():
    assert expected([OLD], "f") == {"mode": ["fast", "slow"], "deep": [None], "n": [11]}
    assert expected(["def f(:"], "f") == {} and constants([("def f(:", set())], "f") == []


def test_values_between_are_nearer_and_come_to_a_recorded_one_step_by_step():
    one, far = 40, 365
    for value in between(one, far):
        assert apart(one, value) < apart(one, far)
    assert 41 in between(one, far)
    span = (TAG, "new", "datetime", "timedelta", (3, 0, 0), {})
    days = [value[4][0] for value in between(span, (TAG, "new", "datetime", "timedelta", (100, 0, 0), {}))]
    assert 4 in days and all(3 < day < 100 for day in days if day != 3)


def test_a_distance_is_said_in_the_unit_of_the_value():
    def span(*args):
        return (TAG, "new", "datetime", "timedelta", args, {})

    def number(text):
        return (TAG, "new", "decimal", "Decimal", (text,), {})

    assert distance(3, 5) == ("number", "2") and distance(1.5, 1.25) == ("number", "0.25")
    assert distance(span(365, 0, 0), span(366, 3600, 0)) == ("time", "1 day 1 hour")
    assert distance(number("1.10"), number("1.11")) == ("number", "0.01")
    assert distance([1, 2], [1]) == ("shorter", "1") and distance("a", "abc") == ("longer", "2") and distance({1}, set()) == ("empty", "")
    assert distance("abc", "abd") == ("other", "") and distance(True, False) == ("other", "")


def test_equal_outcomes_read_alike_whatever_their_objects_are_numbered():
    def made(ordinal):
        return ("R", [(TAG, "obj", ordinal, "m", "Box", "plain", {"n": 1}), (TAG, "ref", ordinal)], {})

    assert plain(made(3)) == plain(made(8)) != plain(("R", [], {}))
    assert plain(("R", {"b", "a"}, {})) == plain(("R", {"a", "b"}, {}))
    assert plain(("R", "<Box at 0x7f00aa11bb22>", {})) == plain(("R", "<Box at 0x7f00aa11cc33>", {}))
    assert plain(("R", 1, {})) != plain(("R", True, {})) and plain(("R", 1, {})) != plain(("R", 1.0, {}))
