"""Mocks of `unittest.mock`, by their configuration and their calls.

A mock has a class of its own, and its state contains all of it: no method of a mock is called. Children and return values that nobody
configured are left out, because a mock creates them on access.
"""

from pytead_tui.recorder.objects import mro_of, names_of
from pytead_tui.recorder.objects import state as held_by
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.values import TAG, Capture

CLASSES = ("Mock", "MagicMock", "AsyncMock", "NonCallableMock", "NonCallableMagicMock")
CALLS = "mock_calls"  # what a mock was called with
KEPT = "_mock_mock_calls"  # where it keeps that
CONFIGURED = 20  # names that one mock is configured with
DEEP = 4  # `client.get.return_value.json.return_value` is four deep
# What a mock of a coroutine says of its code.
_OF_COROUTINE = ("_is_coroutine", "__code__", "__name__", "__defaults__", "__kwdefaults__", "__annotations__")
_OWN = ("method_calls", "_spec_class", "_spec_set", "_spec_signature", "_spec_asyncs")


class _Unreadable(Exception):
    """The configuration of a mock is not all of its behaviour."""


def handler(mro: tuple) -> "object | None":
    """Makes the handler of a mock's class; None for a class that somebody derived from one."""
    if len(mro) < 2:
        return None
    base, own = names_of(mro[1]), names_of(mro[0])
    return _write if base[0] == "unittest.mock" and base[1] in CLASSES and base[1] == own[1] else None


def _write(walk: Capture, v: object, depth: int) -> object:
    held = held_by(v)
    try:
        if walk.brief or walk.names_only or held.get("_mock_new_parent") is not None:
            return walk.opaque(v)
        pairs = _of_itself(held)
        _configured(v, "", pairs, 0)
        calls = [_call(call) for call in list.__iter__(held[KEPT])]
    except (_Unreadable, KeyError, TypeError, ValueError):
        return walk.opaque(v)
    ordinal = walk.entry(v, "sub")
    if ordinal is None:
        return walk.again(v)
    walk.mutable = True
    name = names_of(mro_of(type(v))[1])[1]
    made = (TAG, "new", "unittest.mock", name, (), walk.fields(pairs, depth))
    fields = {CALLS: [_told(walk, call, depth + 2) for call in calls]} if calls else {}
    return (TAG, "sub", ordinal, "unittest.mock", name, made, fields)


def _of_itself(held: dict) -> list:
    """Gives what only a mock itself is configured with: its name and its spec."""
    pairs = []
    if held["_mock_name"] is not None:
        pairs.append(("name", held["_mock_name"]))
    if held["_spec_class"] is not None:
        pairs.append(("spec", held["_spec_class"]))
    elif held["_mock_methods"] is not None:
        pairs.append(("spec", list(held["_mock_methods"])))
    return pairs


def _configured(mock: object, prefix: str, pairs: list, steps: int) -> None:
    """Adds the configuration of a mock or of a child: `return_value`, `get.return_value`."""
    held = held_by(mock)
    is_child = bool(prefix)
    more = (
        held["_mock_wraps"] is not None
        or held["_mock_delegate"] is not None
        or held["_mock_sealed"]
        or held["_spec_set"]
    )
    if steps > DEEP or more or is_child and held["_spec_class"] is not None:
        raise _Unreadable
    given = held.get("_mock_return_value")
    if not _is_a(mock, "CallableMixin"):
        pass  # it has no result
    elif _is_a(given, "NonCallableMock"):
        _configured(given, prefix + "return_value.", pairs, steps + 1)
    elif given is not sys.modules["unittest.mock"].__dict__["DEFAULT"]:
        pairs.append((prefix + "return_value", given))
    if held.get("_mock_side_effect") is not None:
        pairs.append((prefix + "side_effect", held["_mock_side_effect"]))
    for name, child in list(held["_mock_children"].items()):
        before = len(pairs)
        if not _is_a(child, "NonCallableMock"):
            raise _Unreadable
        _configured(child, prefix + name + ".", pairs, steps + 1)
        if name.startswith("__") and len(pairs) > before:
            raise _Unreadable
    for name, value in list(held.items()):
        is_own = name.startswith("_mock_") or name in _OWN or name in _OF_COROUTINE and "_is_coroutine" in held
        if not is_own:
            pairs.append((prefix + name, value))
    if len(pairs) > CONFIGURED:
        raise _Unreadable


def _is_a(v: object, name: str) -> bool:
    return any(names_of(base) == ("unittest.mock", name) for base in mro_of(type(v)))


def _call(call: tuple) -> tuple:
    """Gives the name of what was called, its arguments, and those by name."""
    name, args, named = tuple.__iter__(call)
    if type(name) is not str or type(args) is not tuple or type(named) is not dict:
        raise _Unreadable
    return name, args, named


def _told(walk: Capture, call: tuple, depth: int) -> tuple:
    """Gives a call as tests write it: `call.get("/")`."""
    name, args, named = call
    way = "call." + name if name else "call"
    made = tuple(walk.items(list(args), depth)), walk.fields(list(named.items()), depth)
    return (TAG, "new", "unittest.mock", way, *made)
