"""Details of a recorded outcome that assertions do not see."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

import pytest

from pytead_tui.worker import leaves
from pytead_tui.worker.capture import tree_of


@dataclass
class Order:
    number: int
    note: str = field(default="", compare=False)


class Model:
    def __init__(self, key, name):
        self.key, self.name, self._seen = key, name, 0

    def __eq__(self, other):
        return self.key == other.key

    __hash__ = None


class Point(NamedTuple):
    x: int
    y: int


class Failed(Exception):
    def __init__(self, status, why):
        super().__init__(why)
        self.status = status


SPACE = {"Order": Order, "Model": Model, "Point": Point, "Decimal": Decimal, "Failed": Failed, "pytest": pytest}


def unseen(source, value, ordered=False):
    found = leaves.look(source, SPACE, ["result"], (tree_of(value),), ordered)
    return found and sorted(set(found[1]))


@pytest.mark.parametrize(
    ("source", "value", "expected"),
    [
        ("assert result == Order(1)", Order(1, "x"), ["result.note"]),
        ("assert result == Order(1)\nassert result.note == 'x'", Order(1, "x"), []),
        ("assert result == Model(1, '')", Model(1, "a"), ["result.name"]),
        ("assert result == [Model(1, '')]", [Model(1, "a")], ["result[0].name"]),
        ("assert result == [Decimal('1.5'), Decimal('2')]", [Decimal("1.50"), Decimal("2")], ["result[0]"]),
        ("assert [str(d) for d in result] == ['1.50', '2']", [Decimal("1.50"), Decimal("2")], []),
        ("assert result == [True, 1, 1.0]", [True, 1, 1.0], ["result"]),
        ("assert repr(result) == '[True, 1, 1.0]'", [True, 1, 1.0], []),
        ("assert result == [1.0, 2.0]", [1.0, 2.0], ["result"]),
        ("assert result == [1.0, 2.5]", [1.0, 2.5], []),
        ("assert result == [1, 2, 3]", [1, 2, 3], []),
        ("assert result == {'a': True, 'b': 2}", {"a": True, "b": 2}, []),
        ("assert result == {'a': True, 'b': 1}", {"a": True, "b": 1}, ["result['a']", "result['b']"]),
        ("assert result == {'a': 1.0}", {"a": 1.0}, ["result['a']"]),
        ("assert result == [(1, 2)]", [Point(1, 2)], ["result[0]"]),
        ("assert result == [0.0]", [-0.0], ["result[0]"]),
        ("assert len(result) == 2", [1, 2], ["result", "result[0]", "result[1]"]),
        ("assert result == pytest.approx([0.1, 0.25])", [0.1, 0.25], []),
        ("assert set(result) == {1, 2}", [1, 2], ["result"]),
        ("assert result == 5", 5, []),
    ],
)
def test_details_that_assertions_do_not_see(source, value, expected):
    assert unseen(source, value) == expected


def test_the_order_of_a_dict_counts_where_it_matters():
    source = "assert result == {'b': 1, 'a': 2}"
    assert unseen(source, {"b": 1, "a": 2}) == []
    assert unseen(source, {"b": 1, "a": 2}, ordered=True) == ["result"]
    assert unseen(source + "\nassert list(result) == ['b', 'a']", {"b": 1, "a": 2}, ordered=True) == []


def test_what_an_exception_carries_has_to_be_seen():
    raises = "with pytest.raises(Failed{}) as caught:\n    raise result\n"
    error = Failed(404, "no")
    assert unseen(raises.format(""), error) == ["result.args[0]", "result.status"]
    assert unseen(raises.format(", match='no'"), error) == ["result.args[0]", "result.status"], "a search"
    assert unseen(raises.format(", match='^no$'") + "assert caught.value.status == 404", error) == []


def test_assertions_that_do_not_hold_say_nothing():
    assert unseen("assert result == 6", 5) is None
    assert unseen("assert result == unknown", 5) is None


def test_of_a_long_list_the_first_and_the_last_are_tried():
    tried, _ = leaves.look("assert len(result) == 500", SPACE, ["result"], (list(range(500)),), False)
    assert {"result[0]", "result[499]"} <= set(tried) and len(set(tried)) == 21


def test_what_was_recorded_is_there_to_compare_with():
    tried, seen = leaves.look("assert result == __recorded__", SPACE, ["result"], (tree_of(Order(1, "x")),), False)
    assert (set(tried), set(seen)) == ({"result.note", "result.number"}, {"result.note"})
