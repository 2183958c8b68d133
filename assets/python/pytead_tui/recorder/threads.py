"""How what belongs to threads is written: locks, and what is local to one."""

from pytead_tui.recorder.arrays import new
from pytead_tui.recorder.own import __builtins__
from pytead_tui.recorder.values import TAG, Capture


def lock(walk: Capture, v: object, depth: int) -> tuple:
    """A free lock is like any other free one."""
    return walk.opaque(v) if v.locked() else new("threading", "Lock", ())


def local(walk: Capture, v: object, depth: int) -> tuple:
    """Gives what it holds for this thread."""
    if walk.names_only or walk.brief:
        return walk.opaque(v)
    walk.mutable = True
    ordinal = walk.entry(v, "obj")
    if ordinal is None:
        return walk.again(v)
    held = type(v).__getattribute__(v, "__dict__")  # no class of the program: making the dict calls nothing
    pairs = [(name, value) for name, value in list(dict.items(held)) if type(name) is str]
    return (TAG, "obj", ordinal, "threading", "local", "plain", walk.fields(pairs, depth))
