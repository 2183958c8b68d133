"""Any value as plain data: `assert graph(result) == {...}` where the classes in it do not compare by what they hold.

Written beside the tests that use it, and yours from then on. It needs Python and nothing else.

Numbers, texts, dates, paths, enum members, classes and the like stand for themselves, and so do the lists, tuples, sets
and dicts that hold them. An object is a dict of its attributes, with its class under "$type"; what it holds as a list, a
dict or another builtin is under "$value". What is met twice has a number under "$id" the first time and is
{"$ref": number} from then on, so that a cycle ends and two equal objects are not taken for one. A text that begins with
"$" gets another one as a key, and a dict with keys that are no plain values is {"$map": [[key, value], ...]}.
"""

import collections
import enum
import math
import types

_SCALARS = (type(None), type(...), bool, int, float, complex, str, bytes, bytearray, range)
_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, enum.Enum)
_VALUES = ("datetime", "decimal", "fractions", "ipaddress", "logging", "pathlib", "re", "uuid", "zoneinfo")
_CONTAINERS = (dict, list, tuple, set, frozenset)
_BUILTINS = {
    dict: lambda value: dict(dict.items(value)),
    **{kind: lambda value, kind=kind: kind(kind.__iter__(value)) for kind in _CONTAINERS[1:]},
    str: str.__str__,
    **{kind: kind for kind in (bytes, bytearray, int, float, complex)},
}


def graph(value):
    """Gives what compares with plain data, strictly: 1 is neither True nor 1.0, and a tuple is no list."""
    return Graph(value)


class Graph:
    """A value as plain data; its text tells where the last comparison found the first difference."""

    __hash__ = None

    def __init__(self, value):
        self.data = _Drawing(value).data
        self.difference = None

    def __eq__(self, expected):
        self.difference = _difference(self.data, expected, "value")
        return self.difference is None

    def __repr__(self):
        return f"<{self.difference}>" if self.difference else f"graph({self.data!r})"


class _Drawing:
    """Walks through a value twice: to see what is met again, and to write it down."""

    def __init__(self, value):
        self.met = set()
        self.again = set()
        self.look(value)
        self.numbers = {}
        self.data = self.draw(value)

    def look(self, value):
        if not stands_for_itself(value):
            if has_identity(value):
                if id(value) in self.met:
                    self.again.add(id(value))
                    return
                self.met.add(id(value))
            for part in _parts(value):
                self.look(part)

    def draw(self, value):
        if stands_for_itself(value):
            return value
        if id(value) in self.numbers:
            return {"$ref": self.numbers[id(value)]}
        number = {}
        if has_identity(value) and id(value) in self.again:
            self.numbers[id(value)] = len(self.numbers) + 1
            number = {"$id": self.numbers[id(value)]}
        kind = type(value)
        if kind in _CONTAINERS[1:]:
            drawn = self.content(value)
            return {**number, "$value": drawn} if number else drawn
        if kind is dict:
            return {**number, **self.pairs(value)}
        held, fields = _state(value)
        drawn = {"$type": f"{kind.__module__}.{kind.__qualname__}", **number}
        if held is not None:
            drawn["$value"] = self.content(held)
        return {**drawn, **{_key(name): self.draw(part) for name, part in fields.items()}}

    def content(self, held):
        if type(held) is dict:
            return self.pairs(held)
        if stands_for_itself(held):
            return held
        drawn = list(map(self.draw, held))
        if type(held) in (set, frozenset) and any(type(part) is dict for part in drawn):
            return {"$set": sorted(drawn, key=repr)}  # a dict is no member of a set
        return type(held)(drawn)

    def pairs(self, held):
        if all(map(stands_for_itself, held)):
            return {_key(key): self.draw(part) for key, part in held.items()}
        return {"$map": [[self.draw(key), self.draw(part)] for key, part in held.items()]}


def stands_for_itself(value):
    """Whether a value is shown as it is."""
    kind = type(value)
    return kind in _SCALARS or isinstance(value, _NAMED) or kind.__module__.partition(".")[0] in _VALUES


def has_identity(value):
    """Whether it matters that something is met twice; a tuple or a frozenset is what it holds, a named one too."""
    return type(value) not in (tuple, frozenset) and not (isinstance(value, tuple) and hasattr(value, "_fields"))


def _key(key):
    return f"${key}" if type(key) is str and key.startswith("$") else key


def _computes(held):
    """Whether this is a cached property: what it gives is kept in the object under its own name."""
    kind = type(held)
    computes = hasattr(kind, "__get__") and not hasattr(kind, "__set__")
    return computes and not isinstance(held, (types.FunctionType, types.BuiltinFunctionType, staticmethod, classmethod))


def _state(value):
    """Gives what an object holds as a builtin, or None, and its attributes."""
    fields = dict(getattr(value, "__dict__", {}))
    for base in [base for base in reversed(type(value).__mro__) if "__slots__" in vars(base)]:
        for name, held in reversed(vars(base).items()):
            if isinstance(held, types.MemberDescriptorType) and not name.startswith("__pydantic"):
                try:
                    fields[held.__name__] = held.__get__(value)
                except AttributeError:
                    pass  # a slot that was never set
    for name in [name for name in fields if _computes(_attribute(type(value), name))]:
        del fields[name]  # it comes back when it is asked for
    if isinstance(value, BaseException):
        return value.args, fields
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return None, dict(zip(value._fields, value))
    if isinstance(value, collections.deque):
        return list(value), fields
    held = next((read(value) for kind, read in _BUILTINS.items() if isinstance(value, kind)), None)
    return held, fields


def _attribute(cls, name):
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


def _parts(value):
    held, fields = (value, {}) if type(value) in _CONTAINERS else _state(value)
    if type(held) is dict:
        yield from held.keys()
        yield from held.values()
    elif held is not None and not stands_for_itself(held):
        yield from held
    yield from fields.values()


def _difference(real, expected, path):
    """Tells where two pieces of plain data differ first; None where they do not."""
    if type(real) is not type(expected):
        return f"{path} is {real!r}, not {expected!r}"
    if isinstance(real, dict):
        typed = {(type(key), key): key for key in expected}
        for key in real:
            if (type(key), key) not in typed:
                return f"{path} has {key!r} besides"
        for _, key in typed:
            if not any(type(own) is type(key) and own == key for own in real):
                return f"{path} lacks {key!r}"
        pairs = [(real[key], expected[key], f"{path}[{key!r}]") for key in expected]
    elif isinstance(real, (list, tuple)):
        if len(real) != len(expected):
            return f"{path} has {len(real)} items, not {len(expected)}"
        pairs = [(one, other, f"{path}[{at}]") for at, (one, other) in enumerate(zip(real, expected))]
    elif isinstance(real, (set, frozenset)):
        same = {(type(item), item) for item in real} == {(type(item), item) for item in expected}
        return None if same else f"{path} is {real!r}, not {expected!r}"
    else:
        return None if _is_same(real, expected) else f"{path} is {real!r}, not {expected!r}"
    return next((found for pair in pairs if (found := _difference(*pair)) is not None), None)


def _is_same(real, expected):
    """Compares what stands for itself: the digits of a decimal count, the last ones of a float do not."""
    if isinstance(real, float):
        if math.isnan(real) or real == 0:
            return str(real) == str(expected)
        return math.isclose(real, expected, rel_tol=1e-9, abs_tol=0.0)
    return real == expected and (type(real).__module__ != "decimal" or str(real) == str(expected))
