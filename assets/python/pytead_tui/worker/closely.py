"""Looks closer at what a call gave: reads iterators, and listens to what is printed and warned.

What a recording cannot do without disturbing the program is done here, in a process that ends with the call.
"""

import functools
import inspect
import io
import os
import sys
import threading
import types
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from pytead_tui.recorder import redact
from pytead_tui.recorder.values import TAG

MOST = 50  # items of an iterator
MOST_ARCS = 20_000
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


class Arcs:
    """The ways from line to line that a call took through the project, and those that it took more than once: of two calls of
    a loop, the one that runs it again shows more."""

    def __init__(self, root: str) -> None:
        self.inside = root + os.sep
        self.seen: set = set()
        self.again: set = set()
        self.lines = 0
        self.is_blind = False  # something ran that was not seen

    def start(self) -> None:
        """Begins to watch what this thread does; of others it sees only that there are any."""
        threading.settrace(self._miss)
        sys.settrace(self.enter)

    def stop(self) -> None:
        """Watches no longer."""
        self.is_blind |= sys.gettrace() != self.enter
        sys.settrace(None)
        threading.settrace(None)

    def _miss(self, frame: object, event: str, argument: object) -> None:
        self.is_blind = True

    def enter(self, frame: object, event: str, argument: object) -> object:
        """Traces a function of the project."""
        code = frame.f_code  # looked at once: it is an audit event
        file = code.co_filename
        if not file.startswith(self.inside) or "site-packages" in file or len(self.seen) > MOST_ARCS:
            return None
        name = file[len(self.inside) :]
        before = -code.co_firstlineno

        def step(frame: object, event: str, argument: object) -> object:
            nonlocal before
            if event == "line":
                self.lines += 1
                way = name, before, frame.f_lineno
                (self.again if way in self.seen else self.seen).add(way)
                before = frame.f_lineno
            return step

        return step

    def reply(self) -> dict:
        """Gives a number for each."""
        once = {zlib.crc32(b"%s:%d:%d" % (n.encode(), a, b)) for n, a, b in self.seen}
        again = {zlib.crc32(b"again %s:%d:%d" % (n.encode(), a, b)) for n, a, b in self.again}
        return {"arcs": sorted(once | again)}

    def ran(self, file: str) -> "set[int] | None":
        """Gives the lines of a file that the call ran through; None where some may have been missed."""
        if self.is_blind or len(self.seen) > MOST_ARCS or not file.startswith(self.inside) or "site-packages" in file:
            return None
        name = file[len(self.inside) :]
        return {line for at, _, line in self.seen if at == name}


class TooLong(BaseException):
    """A fault keeps a call or a test from coming to an end."""


class Fuse:
    """Ends what runs through more lines of the project than it may. Lines are counted, for time is never the same twice.
    Those of one file that it runs through are noted among others."""

    def __init__(self, root: str, most: int, file: str, ran: "set[int] | None") -> None:
        self.inside = root + os.sep
        self.left = most
        self.file = file
        self.ran = ran

    def enter(self, frame: object, event: str, argument: object) -> object:
        """Traces a function of the project."""
        file = frame.f_code.co_filename  # once for a call, and not for a line: it is an audit event
        if not file.startswith(self.inside):
            return None
        return self._step if self.ran is None or file != self.file else self._noting

    def _step(self, frame: object, event: str, argument: object) -> object:
        self.left -= 1
        if self.left < 0:
            raise TooLong
        return self._step

    def _noting(self, frame: object, event: str, argument: object) -> object:
        self._step(frame, event, argument)
        self.ran.add(frame.f_lineno)
        return self._noting


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
