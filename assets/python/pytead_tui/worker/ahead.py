"""Imports packages ahead of the calls that need them, so that not each call's own process does it: of what leaves no thread, for threads
do not survive a fork. That is found out in another fork.
"""

import base64
import importlib
import marshal
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator

from pytead_tui.worker import frames
from pytead_tui.worker.frames import Gone, Reader
from pytead_tui.worker.modules import Modules, is_of
from pytead_tui.worker.processes import fork_patiently, threads
from pytead_tui.worker.rebuild import TAG

PATIENCE = 10.0  # seconds for a module that arguments name
# Where the module stands in the tree of a value, by its kind (docs/spool.md, Values).
_PLACES = {"obj": 3, "sub": 3, "exc": 3, "name": 2, "enum": 2, "nt": 2, "new": 2, "gen": 2}


def for_arguments(calls: list, modules: Modules) -> None:
    """Imports the packages that the modules of arguments rest on, such as pytest, on which a test's own class rests, and compiles the
    project's files among these modules. The project's own modules are left to the calls: one that registers something must not be
    there for a call that did not need it.
    """
    names = dict.fromkeys(name for call in calls for name in _named(marshal.loads(base64.b64decode(call["args"]))))
    new = [name for name in names if name not in modules.named and name not in sys.modules]
    modules.named.update(new)
    for loaded, file in _rest_on(new, modules.root):
        if file is None:
            try:
                importlib.import_module(loaded)
            except Exception:
                pass  # the call that needs it says so
        elif modules.codes is not None:
            modules.codes.want(modules.root, [file])
            modules.codes.compile_next()


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


def _rest_on(names: list, root: str) -> list:
    """Lists what importing modules loads, in its order: each by its name, with its file if that is one of the project."""
    before = set(sys.modules)

    def about() -> dict:
        files = {name: getattr(sys.modules[name], "__file__", None) for name in list(sys.modules) if name not in before}
        return {"loaded": [(name, file if type(file) is str and is_of(root, file) else None) for name, file in files.items()]}

    tried = _try(names, PATIENCE, about)
    return tried[-1]["loaded"] if tried else []


def harmless(names: list, patience: float) -> list:
    """Imports modules in a fork and gives those that left no thread there. One may take so many seconds."""
    return [said["name"] for said in _try(names, patience, dict)]


def _try(names: list, patience: float, about: "Callable[[], dict]") -> "list[dict]":
    """Imports modules in a fork. Gives what is to be said about each that left no thread there."""
    if not names:
        return []
    reading, writing = os.pipe()
    pid = fork_patiently()
    if pid == 0:
        os.close(reading)
        _import(names, writing, about)
    os.close(writing)
    reader = Reader(reading)
    good: list = []
    try:
        while said := reader.next(time.monotonic() + patience):
            good.append(said)
    except Gone:
        pass
    os.close(reading)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return good


def _import(names: list, writing: int, about: "Callable[[], dict]") -> None:
    """Imports modules and names those that left no thread; never returns."""
    try:
        for name in names:
            try:
                importlib.import_module(name)
            except Exception:
                continue
            if threads() > 1:
                break
            frames.send(writing, {"name": name, **about()})
    finally:
        os._exit(0)
