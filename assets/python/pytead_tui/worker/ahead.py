"""Imports ahead of the calls that need them, so that not each call's own process does it: of what leaves no thread, for threads do not
survive a fork. That is found out in another fork.
"""

import base64
import importlib
import marshal
import os
import signal
import sys
import time
from collections.abc import Iterator

from pytead_tui.worker import frames
from pytead_tui.worker.frames import Gone, Reader
from pytead_tui.worker.processes import fork_patiently, threads
from pytead_tui.worker.rebuild import TAG

PATIENCE = 10.0  # seconds for a module that arguments name
# Where the module stands in the tree of a value, by its kind (docs/spool.md, Values).
_PLACES = {"obj": 3, "sub": 3, "exc": 3, "name": 2, "enum": 2, "nt": 2, "new": 2, "gen": 2}


def for_arguments(calls: list, known: set) -> None:
    """Imports the modules of what the arguments of calls are made of, but for `known` ones, which gets the others."""
    names = dict.fromkeys(name for call in calls for name in _named(marshal.loads(base64.b64decode(call["args"]))))
    new = [name for name in names if name not in known and name not in sys.modules]
    known.update(new)
    for name in harmless(new, PATIENCE):
        try:
            importlib.import_module(name)
        except Exception:
            pass  # the call that needs it says so


def _named(tree: object) -> Iterator[str]:
    kind = type(tree)
    if kind is tuple and len(tree) > 1 and tree[0] is TAG:
        at = _PLACES.get(tree[1], len(tree))
        if at < len(tree) and type(tree[at]) is str and tree[at] != "__main__":
            yield tree[at]
    if kind is dict:
        for key, value in tree.items():
            yield from _named(key)
            yield from _named(value)
    elif kind in (tuple, list, set, frozenset):
        for item in tree:
            yield from _named(item)


def harmless(names: list, patience: float) -> list:
    """Imports modules in a fork and gives those that left no thread there. One may take so many seconds."""
    if not names:
        return []
    reading, writing = os.pipe()
    pid = fork_patiently()
    if pid == 0:
        os.close(reading)
        _import(names, writing)
    os.close(writing)
    reader = Reader(reading)
    good: list = []
    try:
        while message := reader.next(time.monotonic() + patience):
            good.append(message["name"])
    except Gone:
        pass
    os.close(reading)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return good


def _import(names: list, writing: int) -> None:
    """Imports modules and names those that left no thread; never returns."""
    try:
        for name in names:
            try:
                importlib.import_module(name)
            except Exception:
                continue
            if threads() > 1:
                break
            frames.send(writing, {"name": name})
    finally:
        os._exit(0)
