"""The decorator `trace`: the calls of a function are recorded wherever it runs, with nothing started around it.

Under `pytead-tui run` it is no more than a target. Otherwise the first decorated function that is called
starts a recorder of this process for decorated functions alone; it writes to the project's own spool
folder, which the next start of pytead-tui takes in. A decorated function stays the very same object.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Callable, TypeVar, overload

T = TypeVar("T")

_MARKS = (".pytead", "pyproject.toml", "setup.py", "setup.cfg", ".git")  # of a project's root
_MOST_LEFT = 100  # folders of traced processes that nobody took in, before no more are made
# What the decorator of pytead knew; of these only the limit means anything here.
_FORMER = frozenset(
    ("storage_dir", "storage", "max_depth", "strict_graph", "capture_objects", "include_private_objects",
     "objects_stringify_depth")
)  # fmt: skip


@overload
def trace(function: T, /) -> T: ...
@overload
def trace(*, limit: int | None = None, **former: Any) -> Callable[[T], T]: ...


def trace(function: Any = None, /, *, limit: int | None = None, **former: Any) -> Any:
    """Marks a function, method, classmethod or staticmethod as one whose calls are recorded.

    `limit` is the number of its calls that are kept: the first ones with different arguments.
    The other arguments that pytead's decorator took are taken and do nothing.
    """
    unknown = sorted(set(former) - _FORMER)
    if unknown:
        raise TypeError("trace() got an unexpected keyword argument %r" % unknown[0])
    if function is None:
        return lambda decorated: _traced(decorated, limit)
    return _traced(function, limit)


trace2test = trace


def _traced(decorated: Any, limit: int | None) -> Any:
    try:
        plain = _plain(decorated)
        if plain is not None and sys.version_info >= (3, 10) and sys.implementation.name == "cpython":
            _mark(plain, limit)
    except Exception:
        pass  # the function works as it would without us
    return decorated


def _plain(decorated: Any) -> Any:
    """Gives the function inside what was decorated."""
    kind = type(_traced)
    for _ in range(20):
        if type(decorated) is kind:
            return decorated
        if isinstance(decorated, property):
            decorated = decorated.fget
        elif isinstance(decorated, (staticmethod, classmethod)):
            decorated = decorated.__func__
        else:
            decorated = getattr(decorated, "__wrapped__", None)
    return None


def _mark(plain: Any, limit: int | None) -> None:
    from pytead_tui.recorder import start

    recorder = start.active
    if recorder is None:
        recorder = _start(os.path.abspath(plain.__code__.co_filename))
    if recorder is None:
        return
    qualname = getattr(plain.__code__, "co_qualname", None) or plain.__qualname__
    name = (plain.__globals__.get("__name__"), qualname)
    recorder.project.marked.add(name)
    if limit:
        recorder.project.limits[name] = limit
    if start.traced:
        start.follow(plain)


def _start(filename: str) -> Any:
    """Starts a recorder for decorated functions alone, with a spool folder that is made when something is written."""
    from pytead_tui.recorder import start

    folder = os.path.realpath(os.path.dirname(filename))
    root = folder
    while not any(os.path.exists(os.path.join(root, mark)) for mark in _MARKS):
        above = os.path.dirname(root)
        if above == root:
            root = folder
            break
        root = above
    home = os.path.join(root, ".pytead", "spool")
    if os.path.islink(home) or os.path.islink(os.path.dirname(home)):
        return None
    try:
        if sum(name.startswith("traced-") for name in os.listdir(home)) >= _MOST_LEFT:
            return None
    except OSError:
        pass
    return start.trace(root, home)
