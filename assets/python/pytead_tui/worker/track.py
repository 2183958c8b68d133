"""Notes which functions of the project are entered."""

import os
import sys
from collections.abc import Callable

from pytead_tui.worker.modules import qualnames

_tool: "int | None" = None
_codes: set = set()  # of the functions that were entered


def start(root: str, hear: "Callable[[object, str], bool] | None" = None) -> set:
    """Begins to note: gives the set that fills with (path relative to the root, qualname). `hear` gets the frame of each call and the
    qualname, as long as it answers that it wants more of this function.
    """
    global _tool
    entered: set = set()
    inside = root + os.sep

    def note(code: object, frame: object) -> bool:
        file, name = code.co_filename, code.co_name
        if file.startswith(inside) and not name.startswith("<") and "site-packages" not in file:
            if sys.version_info >= (3, 11):
                name = code.co_qualname
            else:
                name = qualnames.get((file, code.co_firstlineno, name), name)
            entered.add((file[len(inside) :].replace(os.sep, "/"), name))
            _codes.add(code)
            return hear is not None and hear(frame, name)
        return False

    if sys.version_info < (3, 12):
        import threading

        def profile(frame: object, event: str, argument: object) -> None:
            if event == "call":
                note(frame.f_code, frame)

        threading.setprofile(profile)
        sys.setprofile(profile)
        return entered

    monitoring = sys.monitoring

    def started(code: object, offset: int) -> object:
        return None if note(code, sys._getframe(1)) else monitoring.DISABLE

    for candidate in (3, 4, 5, 2):
        try:
            monitoring.use_tool_id(candidate, "pytead-tui")
        except ValueError:
            continue
        _tool = candidate
        monitoring.register_callback(candidate, monitoring.events.PY_START, started)
        monitoring.set_events(candidate, monitoring.events.PY_START)
        break
    return entered


def stop() -> None:
    """Ends noting."""
    if sys.version_info < (3, 12):
        sys.setprofile(None)
    elif _tool is not None:
        sys.monitoring.set_events(_tool, 0)


def named(root: str) -> dict:
    """Gives the names that the entered functions use, and those of the classes that they stand in, by their files, relative to the root."""
    found: dict = {}
    for code in _codes:
        file = code.co_filename[len(root) + 1 :].replace(os.sep, "/")
        own = code.co_qualname if sys.version_info >= (3, 11) else qualnames.get(_place(code), "")
        _add_names(code, found.setdefault(file, set(own.split("."))))
    return found


def _place(code: object) -> tuple:
    return code.co_filename, code.co_firstlineno, code.co_name


def _add_names(code: object, names: set) -> None:
    names.update(code.co_names)
    for inner in code.co_consts:
        if type(inner) is type(code):
            _add_names(inner, names)
