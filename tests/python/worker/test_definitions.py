"""Functions and classes that an evaluation defines from their lines are what was recorded of the ones that a test had."""

import functools

import pytest

from pytead_tui.worker.capture import tree_of
from pytead_tui.worker.definitions import define

LINES = "def is_small(x, most=9):\n    if x > most:\n        return None\n\n    return limit(x) < lowest\n"


def test_lines_see_what_the_function_closed_over_and_what_the_expression_names():
    space = {"limit": abs}
    small = functools.partial(define, space)(LINES, "tests.test_x", "test_a.<locals>.is_small", {"lowest": 3})
    assert (small(-2), small(4), small(10)) == (True, False, None)
    assert "around" not in space, "it leaves nothing behind"


def test_it_is_recorded_as_the_one_that_it_repeats():
    made = define({"limit": abs}, LINES, "tests.test_x", "test_a.<locals>.is_small", {"lowest": 3})
    assert tree_of(made)[1:] == ("new", "types", "FunctionType", ("tests.test_x", "test_a.<locals>.is_small", {"lowest": 3}, (9,)), {})


def test_a_coroutine_and_a_variable_that_it_sets():
    lines = "async def counted():\n    nonlocal count\n    count += 1\n    return count\n"
    made = define({}, lines, "m", "f.<locals>.counted", {"count": 4})
    with pytest.raises(StopIteration) as ended:
        made().send(None)
    assert ended.value.value == 5


def test_a_class_has_the_module_and_the_name_that_were_recorded():
    space = {"Base": dict}
    lines = "class Page(Base):\n    size = 5\n    def half(self):\n        return self.size // 2\n"
    made = define(space, lines, "tests.test_x", "test_a.<locals>.Page", {})
    assert (made.__module__, made.__qualname__, made().half()) == ("tests.test_x", "test_a.<locals>.Page", 2)
    assert space.keys() == {"Base", "__builtins__"}, "it leaves nothing behind"
