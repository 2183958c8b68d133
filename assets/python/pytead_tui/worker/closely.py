"""Looks closer at what a call gave: reads iterators, and listens to what is printed and warned.

What a recording cannot do without disturbing the program is done here, in a process that ends with the call.
"""

import functools
import inspect
import io
import sys
import types
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from pytead_tui.recorder import mocks, redact
from pytead_tui.recorder.values import TAG

MOST = 50  # items of an iterator
FAULTS = 30  # put into a function that was called
PATIENCE = 10  # times as many lines as without a fault, and a thousand
ENOUGH = 4  # calls that notice a fault
MOST_LINES = 200_000  # run for all faults of a call together
LONGEST = 2000  # characters of what is printed
SAID = 200  # characters of what a value says of itself
PROPERTIES = 6
ADDRESS = "0x"
PLAIN = (type(None), bool, int, float, str, bytes)
DESCRIPTORS = (property, functools.cached_property, types.GetSetDescriptorType, types.MemberDescriptorType)


def is_lazy(value: object) -> bool:
    """Whether a value gives its items one by one, once."""
    return isinstance(value, Iterator) and not isinstance(value, io.IOBase)


def holds_lazy(value: object) -> bool:
    """Whether a tuple or list, here or below, holds iterators."""
    return type(value) in (tuple, list) and any(is_lazy(item) or holds_lazy(item) for item in value)


def tree(value: object, eyes: object) -> object:
    """Gives the tree of a value whose iterators are read."""
    if is_lazy(value):
        items = []
        for item in value:
            if len(items) == MOST:
                return eyes.item(value)
            items.append(tree(item, eyes))
        return (TAG, "new", "builtins", "iter", (items,), {})
    if holds_lazy(value):
        return type(value)(tree(item, eyes) for item in value)
    return eyes.item(value)


def is_mute(tree: object) -> bool:
    """Whether what was seen of a value is nothing that a test could compare it with."""
    if isinstance(tree, float):
        return tree != tree
    if isinstance(tree, (list, dict)) or type(tree) is tuple and tree[:1] != (TAG,):
        return any(map(is_mute, tree.values() if type(tree) is dict else tree))
    if type(tree) is not tuple:
        return False
    if tree[1] == "mut":
        return is_mute(tree[3])
    if tree[1] == "obj":
        return not any(is_plain(held) for held in tree[6].values())
    return tree[1] in ("opaque", "partial", "method") or tree[1] == "new" and tree[2] in ("operator", "itertools")


def is_plain(value: object) -> bool:
    """Whether a value is a number, a text or the like, small enough for a test."""
    return type(value) in PLAIN and (type(value) not in (str, bytes) or len(value) <= SAID)


def says(value: object) -> dict:
    """Gives what a value says of itself when it is asked: its public properties that are plain, else its text; a class its
    name and, of a named tuple, the names of its fields.
    """
    if isinstance(value, type):
        fields = inspect.getattr_static(value, "_fields", None)
        named = type(fields) is tuple and all(map(is_plain, fields))
        return {"__name__": value.__name__, **({"_fields": fields} if named else {})}
    if mocks.handler(type(value).__mro__) is not None:
        return {}  # it answers whatever it is asked, and notes it
    said: dict = {}
    for name in dir(type(value)):
        if name.startswith("_") or len(said) == PROPERTIES or redact.secret_word(name):
            continue
        if not isinstance(inspect.getattr_static(type(value), name), DESCRIPTORS):
            continue
        try:
            held = getattr(value, name)
        except Exception:
            continue
        if is_plain(held) and is_the_same(held):
            said[name] = held
    if not said and type(value).__repr__ is not object.__repr__:
        try:
            text = repr(value)
        except Exception:
            text = ""
        # The order of a set is another one in each run.
        if text and is_plain(text) and is_the_same(text) and not isinstance(value, (set, frozenset)):
            said["repr()"] = text
    return said


def is_the_same(value: object) -> bool:
    """Whether a plain value neither tells where something lies nor looks like a secret."""
    return type(value) is not str or (ADDRESS not in value and not redact.word_of(value))


class Heard:
    """What a call printed and warned."""

    def __init__(self) -> None:
        # As pytest's capsys has them: bytes may be written to their buffers, too.
        self.out, self.err = (
            io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True) for _ in range(2)
        )
        self.warned: list = []

    def reply(self) -> dict:
        """Gives it for the reply; a long text is not worth a test."""
        texts = [_written(self.out), _written(self.err)]
        categories = [
            (type(w.message).__module__, type(w.message).__qualname__, str(w.message)[:LONGEST]) for w in self.warned
        ]
        return {"printed": [t if len(t) <= LONGEST else "" for t in texts], "warned": categories}


def _written(stream: io.TextIOWrapper) -> str:
    try:
        return stream.buffer.getvalue().decode()
    except ValueError:  # the program closed it, or wrote what is no text
        return ""


def tries(lines: int) -> int:
    """Gives how many faults are tried with a call that ran through so many lines."""
    return min(FAULTS, MOST_LINES // (lines + 100))


def mark(place: dict, number: int) -> int:
    """Gives the number of a fault that a call notices, beside those of the ways it takes."""
    return zlib.crc32(f"fault {place['path']}:{place['qualname']}:{number}".encode())


@contextmanager
def listening() -> object:
    """Listens while a call runs."""
    heard = Heard()
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = heard.out, heard.err
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            heard.warned = warned
            yield heard
    finally:
        sys.stdout, sys.stderr = kept
