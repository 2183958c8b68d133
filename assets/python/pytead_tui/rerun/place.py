"""Makes a process look like one that runs in the recorded session's place: folder, import path, code, clock."""

import contextlib
import importlib.machinery
import os
import sys
import types
from collections.abc import Iterator

from pytead_tui.rerun.request import Request
from pytead_tui.worker.clock import Later
from pytead_tui.worker.modules import is_of

OWN = list(sys.path)  # the interpreter's, before anything of the project is on it
HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def enter(request: Request) -> None:
    """Enters the place, before pytest or any code of the project is imported."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    os.chdir(request.cwd)
    given = [path for path in request.path if path]
    # The interpreter's own follow, for a session whose path is not known; ours comes last, where it hides nothing.
    own = [path for path in sys.path if path and path not in given and os.path.abspath(path) != HOME]
    sys.path[:] = [*given, *own, *([] if HOME in given else [HOME])]
    sys.path_importer_cache.clear()
    sys.dont_write_bytecode = True
    sys.pycache_prefix = None
    _compile_anew(os.path.realpath(request.root))
    if request.shift_seconds:
        # Before all imports, so that names that modules import are of the clock that is put forward.
        modules = {name: held for name, held in sys.modules.items() if type(held) is types.ModuleType}
        ours = [name for name in modules if name.startswith("pytead_tui")]
        for name in ours:
            del modules[name]
        Later(request.shift_seconds, modules).__enter__()


@contextlib.contextmanager
def without_project() -> "Iterator[None]":
    """Has nothing of the project found for a while."""
    path = list(sys.path)
    sys.path[:] = OWN
    sys.path_importer_cache.clear()
    try:
        yield
    finally:
        sys.path[:] = path
        sys.path_importer_cache.clear()


def _compile_anew(root: str) -> None:
    """Has the project's modules compiled from their source: a `.pyc` of the same size and second as an edited file would be
    believed. The loader of the recorder, which rewrites them below 3.12, goes on to work."""
    loader = importlib.machinery.SourceFileLoader
    get_data = loader.get_data

    def fresh(self: object, path: str) -> bytes:
        if path.endswith(".pyc") and is_of(root, path):
            raise FileNotFoundError(path)
        return get_data(self, path)

    loader.get_data = fresh
