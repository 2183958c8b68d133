"""JSON schemas from annotations."""

import collections.abc
import dataclasses
import datetime
import enum
import pathlib
import typing
from typing import Annotated, Any, Literal, NewType, Optional, TypedDict, Union

import pytest

from pytead_tui.plugin_host import schema


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.0


class User(TypedDict):
    id: int
    tags: "list[str]"


T = typing.TypeVar("T", bound=int)
UserId = NewType("UserId", int)


class Tree:
    children: "list[Tree]"


@pytest.mark.parametrize(
    "annotation, wanted",
    [
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (str, {"type": "string"}),
        (None, {"type": "null"}),
        (Any, {}),
        ("Unknown", {}),
        (list, {"type": "array"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (collections.abc.Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (set[int], {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
        (tuple[int, str], {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (dict, {"type": "object"}),
        (dict[str, Any], {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, "a"], {"enum": [1, "a"]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (datetime.datetime, {"type": "string", "format": "date-time"}),
        (pathlib.Path, {"type": "string", "format": "path"}),
        (UserId, {"type": "integer"}),
        (T, {"type": "integer"}),
        (Point, {
            "type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "number"}},
            "additionalProperties": False, "required": ["x"],
        }),
        (User, {
            "type": "object", "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
            "additionalProperties": False, "required": ["id", "tags"],
        }),
        (collections.abc.Callable, {}),
        (Tree, {}),
    ],
)  # fmt: skip
def test_an_annotation_becomes_a_schema(annotation, wanted):
    assert schema.of(annotation) == wanted


@pytest.mark.skipif(not hasattr(int, "__or__"), reason="needs X | Y")
def test_unions_with_a_bar():
    assert schema.of(int | None) == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert schema.of(list[str] | None) == {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}


def test_a_docstring_describes_parameters():
    doc = "Does it.\n\nArgs:\n    a: the first\n    b (int): the second\n\nReturns:\n    c: no parameter\n:param d: the fourth\n"
    assert schema.described(doc) == {"a": "the first", "b": "the second", "d": "the fourth"}
    assert schema.summary("", "name") == "name" and schema.summary("\n  First.\nSecond.", "name") == "First."
