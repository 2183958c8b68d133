"""How calls of two versions end: whether that differs, and whether a person can believe it."""

import re

from pytead_tui.recorder.values import TAG

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
# Where the number of an object stands in its tree, by the kind.
_NUMBERED = {"obj": 2, "sub": 2, "exc": 2, "ref": 2, "mut": 2, "opaque": 2}
_LIMITS = (("builtins", "MemoryError"),)
# What a call meets in a search and nowhere else.
_OURS = (("pytead_tui.worker.near_sides", "Outside"),)


def plain(tree: object) -> str:
    """Writes an outcome so that two that are equal read alike: objects are numbered anew, sets are in order, and addresses are gone."""
    return _plain(tree, {})


def _plain(tree: object, numbers: dict) -> str:
    kind = type(tree)
    if kind is str:
        return repr(_ADDRESS.sub("0x", tree))
    if kind is dict:
        return "{%s}" % ", ".join(f"{_plain(key, numbers)}: {_plain(held, numbers)}" for key, held in tree.items())
    if kind in (set, frozenset):
        return f"{kind.__name__}({sorted(_plain(item, numbers) for item in tree)})"
    if kind is tuple and tree[:1] == (TAG,):
        at = _NUMBERED.get(tree[1])
        parts = list(tree[1:])
        if at is not None and len(tree) > at:
            parts[at - 1] = numbers.setdefault(tree[at], len(numbers))
        if tree[1:4] == ("new", "builtins", "set"):
            return f"set({sorted(_plain(item, numbers) for item in tree[4][0])})"
        return "<%s>" % " ".join(_plain(part, numbers) for part in parts)
    if kind in (tuple, list):
        return f"{kind.__name__}({', '.join(_plain(item, numbers) for item in tree)})"
    return f"{kind.__name__} {tree!r}"


def raised(outcome: tuple) -> "tuple | None":
    """Gives the type of the exception that a call ended with, as (module, name); None where it ended otherwise."""
    if outcome[0] == "X":
        tree = outcome[1]
    elif outcome[0] == "Y" and outcome[2] == "raised":
        tree = outcome[3]
    else:
        return None
    return tree[3:5] if type(tree) is tuple and tree[:2] == (TAG, "exc") else ("", "unknown")


def is_usual(outcome: tuple, recorded: set) -> bool:
    """Tells whether a call ended as recorded calls do: it gave something, or raised what one of them raised."""
    kind = raised(outcome)
    return outcome[0] in ("R", "Y") and kind is None or kind in recorded


def is_limit(outcome: tuple) -> bool:
    """Tells whether a call met a limit of the search: that is no way to end."""
    return outcome[0] in ("T", "D") or raised(outcome) in (*_LIMITS, *_OURS)


def rank(old: tuple, new: tuple) -> int:
    """Tells how telling a difference is, the most telling first: another way to end, another type, another value, another message."""
    before, after = raised(old), raised(new)
    if (before is None) != (after is None):
        return 0
    if before is not None:
        return 1 if before != after else 3
    return 2 if type(old[1]) is type(new[1]) else 1
