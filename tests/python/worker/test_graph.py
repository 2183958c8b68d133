"""The module that stands beside tests with graphs: what it draws, and what its comparison sees."""

import collections
import datetime
import decimal
import enum
import functools
import importlib.util
import math
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[3] / "assets" / "tests" / "_graph.py"
spec = importlib.util.spec_from_file_location("_graph", PATH)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
graph = module.graph
HERE = __name__

Pair = collections.namedtuple("Pair", "left right")


class Node:
    def __init__(self, name: str, *nodes: object) -> None:
        self.name = name
        self._nodes = list(nodes)


class Slotted:
    __slots__ = ("a", "__b", "c")

    def __init__(self) -> None:
        self.a, self.__b = 1, [2]


class Loud(list):
    def __iter__(self):
        raise RuntimeError


class Lazy:
    @functools.cached_property
    def late(self) -> int:
        return 3


class cachedproperty:
    def __init__(self, func: object) -> None:
        self.func = func

    def __get__(self, held: object, kind: object = None) -> object:
        held.__dict__["early"] = self.func(held)
        return held.__dict__["early"]


class Other:
    @cachedproperty
    def early(self) -> int:
        return 3


class Colour(enum.Enum):
    RED = 1


def node(name: str, *nodes: object, **more: int) -> dict:
    return {
        "$type": f"{HERE}.Node",
        **{f"${key}": value for key, value in more.items()},
        "name": name,
        "_nodes": [*nodes],
    }


def test_what_is_met_again_has_a_number_and_a_cycle_ends():
    leaf = Node("leaf")
    assert graph(Node("top", leaf, leaf)) == node("top", node("leaf", id=1), {"$ref": 1})
    assert graph(Node("top", Node("leaf"), Node("leaf"))) == node("top", node("leaf"), node("leaf"))
    leaf._nodes.append(leaf)
    assert graph(leaf) == node("leaf", {"$ref": 1}, id=1)
    ring: list = [1]
    ring.append(ring)
    assert graph({"$ref": ring}) == {"$$ref": {"$id": 1, "$value": [1, {"$ref": 1}]}}


def test_every_kind_of_object_shows_what_it_holds():
    lazy, loud = Lazy(), Loud([1])
    assert lazy.late == 3
    loud.extra = Pair(1, Node("x"))
    assert graph(lazy) == {"$type": f"{HERE}.Lazy"}
    other = Other()
    assert other.early == 3 and "early" in other.__dict__
    assert graph(other) == {"$type": f"{HERE}.Other"}
    pair = {"$type": f"{HERE}.Pair", "left": 1, "right": node("x")}
    assert graph(loud) == {"$type": f"{HERE}.Loud", "$value": [1], "extra": pair}
    assert graph(Slotted()) == {"$type": f"{HERE}.Slotted", "a": 1, "_Slotted__b": [2]}
    assert graph(ValueError("x", 2)) == {"$type": "builtins.ValueError", "$value": ("x", 2)}
    assert graph(collections.Counter("aa")) == {"$type": "collections.Counter", "$value": {"a": 2}}
    assert graph({(1, 2): Colour.RED}) == {"$map": [[(1, 2), Colour.RED]]}
    assert graph({1, 2}) == {1, 2}


@pytest.mark.parametrize(
    ("real", "other"),
    [
        (1, True), (1, 1.0), (True, 1), ((1,), [1]), ([1], (1,)), (0.0, -0.0), (math.nan, None), (math.inf, -math.inf),
        ({1: 2}, {True: 2}), ({1}, {True}), (decimal.Decimal("1.10"), decimal.Decimal("1.1")), ({"a": 1}, {}), ({}, {"a": 1}),
        ([1], [1, 2]), (datetime.date(2024, 2, 29), datetime.date(1999, 2, 28)), (1.0, 1.0001), (b"", bytearray()),
    ],
)  # fmt: skip
def test_the_comparison_is_strict(real, other):
    assert graph(real) == real
    found = graph(Node("x", real))
    assert not (found == node("x", other))
    assert repr(found).startswith("<value['_nodes'][0]"), "it says where"


def test_the_last_digits_of_a_float_do_not_count():
    assert graph([0.1 + 0.2, math.nan]) == [0.3, math.nan]
