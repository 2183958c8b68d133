"""What tests that pytead generated call at run time, so that they go on running without pytead.

A *graph* is a value as pytead wrote it down: containers and objects carry an `$id`, `{"$ref": n}` stands for one that was
met before, and `$list`, `$tuple`, `$set`, `$map` say what JSON cannot. An object is a dict of its public attributes: which class
it had is not in the graph. New tests use none of this.
"""

import collections.abc
import importlib
import keyword
import os
import re
import sys
import types
import typing
from typing import Any, Iterable, Optional, Sequence

from pytead_tui.compat.normalize import sanitize_for_py_literals

__all__ = [
    "setup", "run_case", "param_ids", "assert_match_graph_snapshot", "is_literal_like", "graph_to_data",
    "sanitize_for_py_literals", "rehydrate_from_graph",
]  # fmt: skip

_ROOT_MARKS = (".pytead", ".git", ".hg", ".svn", "pyproject.toml", "setup.cfg", "setup.py")
_ADDRESS = re.compile(r"<[\w.]+ object at 0x[0-9A-Fa-f]+>")
_SCALARS = (type(None), bool, int, float, str, bytes)


# --- tests with cases (the pickle format)


def setup(here_file: "str | os.PathLike", import_roots: "Iterable[str | os.PathLike]") -> None:
    """Makes the project importable: the given folders, relative ones below its root; the root where one is gone."""
    root = _project_root(os.path.dirname(os.path.abspath(here_file)))
    folders = [os.path.realpath(os.path.join(root, folder)) for folder in import_roots]
    present = [folder if os.path.isdir(folder) else root for folder in folders]
    for folder in reversed(present):
        if folder not in sys.path:
            sys.path.insert(0, folder)


def _project_root(start: str) -> str:
    folder = start
    while not any(os.path.exists(os.path.join(folder, mark)) for mark in _ROOT_MARKS):
        above = os.path.dirname(folder)
        if above == folder:
            return start
        folder = above
    return folder


def param_ids(cases: Sequence[tuple], maxlen: int = 80) -> "list[str]":
    """Gives each case its name in pytest's report: its arguments, cut to a length."""
    names = [repr(args) + (" %r" % kwargs if kwargs else "") for args, kwargs, *_ in cases]
    return [name if len(name) <= maxlen else name[: maxlen - 3] + "..." for name in names]


def run_case(func_fq: str, case: tuple) -> None:
    """Calls a function as it was recorded and compares: its result, or the type and state of the object it gave.

    A case is (args, kwargs, expected, type of self, state of self, arguments that are objects, result that is an object).
    """
    args, kwargs, expected, self_type, self_state, objects, result = case
    args, kwargs = list(args), dict(kwargs)
    if self_type:
        function = getattr(_object_of(self_type, self_state), func_fq.rpartition(".")[2])
        named = self_type.rpartition(".")[2]
        stands_for_self = bool(args) and isinstance(args[0], str) and args[0].startswith("<") and named in args[0]
        if stands_for_self:
            del args[0]
    else:
        function, stands_for_self = _named(func_fq), False
    for place, spec in ((objects or {}).get("pos") or {}).items():
        place = int(place) - 1 if stands_for_self else int(place)
        if 0 <= place < len(args):
            args[place] = _object_of(spec["type"], spec.get("state"))
    for name, spec in ((objects or {}).get("kw") or {}).items():
        if name in kwargs:
            kwargs[name] = _object_of(spec["type"], spec.get("state"))
    got = function(*args, **kwargs)
    if not result:
        assert got == expected
        return
    assert isinstance(got, _named(result["type"])), "expected an instance of %s" % result["type"]
    for name, held in (result.get("state") or {}).items():
        assert getattr(got, name) == held, "attribute %r: got %r, expected %r" % (name, getattr(got, name), held)


def _named(dotted: str) -> Any:
    """Gives what a dotted name stands for, by the longest part of it that can be imported."""
    names = dotted.split(".")
    for count in range(len(names), 0, -1):
        try:
            found = importlib.import_module(".".join(names[:count]))
        except ImportError:
            continue
        for name in names[count:]:
            found = getattr(found, name)
        return found
    raise ImportError("nothing of %r can be imported" % dotted)


def _object_of(type_name: str, state: "Optional[dict]") -> Any:
    return _with_attributes(_named(type_name), state or {})


def _with_attributes(cls: type, attributes: dict) -> Any:
    """Makes an object without its constructor; an attribute that cannot be set is left out."""
    made = object.__new__(cls)
    for name, held in attributes.items():
        try:
            object.__setattr__(made, name, held)
        except (AttributeError, TypeError):
            pass  # a property without a setter, or no such slot
    return made


# --- tests with graphs


def is_literal_like(x: Any) -> bool:
    """Whether a value is made of None, numbers, strings, lists, tuples, and dicts with string keys alone."""
    if isinstance(x, (list, tuple)):
        return all(map(is_literal_like, x))
    if isinstance(x, dict):
        return all(isinstance(key, str) and is_literal_like(held) for key, held in x.items())
    return isinstance(x, _SCALARS) and not isinstance(x, bytes)


def graph_to_data(node: Any) -> Any:
    """Gives the value that a graph describes; what it refers to is the same object again."""
    return _Reader().value(node)


class _Reader:
    """Reads one graph, or data that was read before."""

    def __init__(self) -> None:
        self.by_id: dict = {}  # by `$id`: what was made of it
        self.made: dict = {}  # by identity of the node: the same, for data that is shared or holds itself

    def value(self, node: Any) -> Any:
        if not isinstance(node, (dict, list, tuple)):
            return node
        if id(node) in self.made:
            return self.made[id(node)]
        if isinstance(node, tuple):
            return tuple(map(self.value, node))
        if isinstance(node, list):
            return self.filled(node, node, [])
        if set(node) == {"$ref"}:
            return self.by_id.get(node["$ref"], node)
        if "$list" in node:
            return self.filled(node, node["$list"], [])
        if "$tuple" in node:
            return self.kept(node, tuple(map(self.value, node["$tuple"])))
        if "$set" in node:
            items = map(_hashable, map(self.value, node["$set"]))
            return self.kept(node, frozenset(items) if node.get("$frozen") else set(items))
        made = self.kept(node, {})
        if "$map" in node:
            made.update((_hashable(self.value(key)), self.value(held)) for key, held in node["$map"])
        else:
            made.update((key, self.value(held)) for key, held in node.items() if key != "$id")
        return made

    def filled(self, node: Any, items: list, made: list) -> list:
        self.kept(node, made)
        made.extend(map(self.value, items))
        return made

    def kept(self, node: Any, made: Any) -> Any:
        self.made[id(node)] = made
        if isinstance(node, dict) and "$id" in node:
            self.by_id[node["$id"]] = made
        return made


def _hashable(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return tuple(sorted(((key, _hashable(held)) for key, held in value.items()), key=repr))
    return frozenset(map(_hashable, value)) if isinstance(value, (set, frozenset)) else value


def rehydrate_from_graph(graph_data: Any, target_class: type, *, prefer_shell_for_nested: bool = True) -> Any:
    """Makes an object of the class with the graph's attributes, without calling its constructor.

    Objects inside it become attribute bags; with `prefer_shell_for_nested=False` those whose class the annotations name
    become objects of that class.
    """
    data = graph_to_data(graph_data)
    if not isinstance(data, dict) or not isinstance(target_class, type):
        return data
    try:
        hints = typing.get_type_hints(target_class)
    except Exception:  # an annotation that does not resolve is the project's own affair
        hints = {}
    nested = None if prefer_shell_for_nested else hints
    bags: dict = {}
    return _with_attributes(
        target_class, {name: _inside(held, hints.get(name), nested, bags) for name, held in data.items()}
    )


def _inside(value: Any, hint: Any, nested: "Optional[dict]", bags: dict) -> Any:
    """Gives an attribute's value: dicts stay where the annotation says so, and else stand for objects."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        return _inside(value, inner[0], nested, bags)
    if origin in (typing.Union, getattr(types, "UnionType", None)):
        return _inside(value, next((kind for kind in inner if kind is not type(None)), None), nested, bags)
    if isinstance(value, dict):
        if hint is dict or origin in (dict, collections.abc.Mapping):
            return (
                {key: _inside(held, inner[1], nested, bags) for key, held in value.items()}
                if len(inner) == 2
                else value
            )
        if nested is not None and isinstance(hint, type) and hint.__module__ != "builtins":
            return rehydrate_from_graph(value, hint, prefer_shell_for_nested=False)
        return _bag(value, bags)
    if isinstance(value, (list, tuple, set, frozenset)) and origin is not None and inner:
        return type(value)(_inside(item, inner[0], nested, bags) for item in value)
    return value if hint is not None and origin is None else _bag(value, bags)


def _bag(value: Any, bags: dict) -> Any:
    """Gives attribute bags for dicts whose keys can be attributes, at any depth."""
    if id(value) in bags:
        return bags[id(value)]
    if isinstance(value, dict):
        if not all(isinstance(key, str) and key.isidentifier() and not keyword.iskeyword(key) for key in value):
            return {key: _bag(held, bags) for key, held in value.items()}
        bag = bags[id(value)] = types.SimpleNamespace()
        vars(bag).update((key, _bag(held, bags)) for key, held in value.items())
        return bag
    if isinstance(value, (list, tuple)):
        return type(value)([_bag(item, bags) for item in value])
    return value


def assert_match_graph_snapshot(real_result: Any, expected_graph: Any, max_depth: int = 5) -> None:
    """Compares a result with a graph: public attributes and items, whatever the classes are.

    As pytead did, it takes tuples for lists and None for NaN and infinity, looks `max_depth` levels deep, and ends where an
    object holds itself.
    """
    lost = sorted(_refs(expected_graph, "$ref") - _refs(expected_graph, "$id"))
    assert not lost, "the expected graph refers to what it does not hold: %s" % lost
    real = _Picture().of(real_result, max_depth)
    expected = _level(graph_to_data(expected_graph))
    where = _difference(real, expected, "result", ())
    assert where is None, "the result is not as in the graph: %s" % where


def _refs(node: Any, word: str) -> set:
    """Gives the numbers under `$id`, or those that `$ref` asks for."""
    if isinstance(node, dict):
        found = {node[word]} if isinstance(node.get(word), int) else set()
        return found.union(*(_refs(held, word) for held in node.values()))
    return set().union(*(_refs(held, word) for held in node)) if isinstance(node, (list, tuple)) else set()


class _Picture:
    """What a graph would show of a live value. What is met twice looks as it did the first time."""

    def __init__(self) -> None:
        self.seen: dict = {}
        self.alive: list = []  # so that no identity is used again

    def of(self, value: Any, depth: int) -> Any:
        if isinstance(value, _SCALARS):
            return sanitize_for_py_literals(value)
        if depth <= 0:
            return _text(value)
        if id(value) in self.seen:
            return self.seen[id(value)]
        self.alive.append(value)
        if isinstance(value, (list, tuple, set, frozenset)):
            items = self.seen[id(value)] = []
            items.extend(self.of(item, depth - 1) for item in value)
            if isinstance(value, (set, frozenset)):
                items.sort(key=repr)
            return items
        fields = self.seen[id(value)] = {}
        if isinstance(value, dict):
            fields.update((_hashable(self.of(key, depth - 1)), self.of(held, depth - 1)) for key, held in value.items())
        else:
            for name, held in _attributes(value).items():
                if not name.startswith("_") and not callable(held):
                    fields[name] = self.of(held, depth - 1)
        return fields


def _attributes(value: Any) -> dict:
    found = dict(getattr(value, "__dict__", {}))
    slots = getattr(value, "__slots__", ())
    for name in (slots,) if isinstance(slots, str) else slots:
        if hasattr(value, name):
            found.setdefault(name, getattr(value, name))
    return found


def _text(value: Any) -> str:
    """Gives what stands for a value below the last level."""
    try:
        text = repr(value)
    except Exception:
        text = ""
    if text and not _ADDRESS.fullmatch(text):
        return text
    return "<%s.%s>" % (type(value).__module__, type(value).__qualname__)


def _level(data: Any) -> Any:
    """Gives a graph's data in the form of a picture."""
    if isinstance(data, (set, frozenset)):
        return sorted(map(_level, data), key=repr)
    if isinstance(data, (list, tuple)):
        return list(map(_level, data))
    if isinstance(data, dict):
        return {key: _level(held) for key, held in data.items()}
    return sanitize_for_py_literals(data)


def _difference(real: Any, expected: Any, path: str, inside: tuple) -> "Optional[str]":
    """Gives the first place where the two differ; None when they do not."""
    if isinstance(real, (list, dict)):
        if id(real) in inside and expected in ({}, []):
            return None  # where an object holds itself, the graph ends with an empty one
        inside += (id(real),)
    if isinstance(real, list) and isinstance(expected, list):
        if len(real) != len(expected):
            return "%s has %d items, expected %d" % (path, len(real), len(expected))
        pairs = [(r, e, "%s[%d]" % (path, i)) for i, (r, e) in enumerate(zip(real, expected))]
    elif isinstance(real, dict) and isinstance(expected, dict):
        for name in [*(k for k in expected if k not in real), *(k for k in real if k not in expected)]:
            return "%s %s %r" % (path, "lacks" if name in expected else "has besides", name)
        pairs = [(real[k], held, "%s[%r]" % (path, k)) for k, held in expected.items()]
    else:
        return None if real == expected else "%s is %r, expected %r" % (path, real, expected)
    return next((found for pair in pairs if (found := _difference(*pair, inside)) is not None), None)
