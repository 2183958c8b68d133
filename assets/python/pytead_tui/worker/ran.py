"""What a test run alone asks the environment for, and which lines of the function under test it goes through."""

import os
import sys
from collections.abc import Callable

from pytead_tui.recorder import effects

_RUNNERS = ("pytest", "_pytest", "pluggy", "pytead_tui")


class Asked:
    """Notes which variables of the environment the project's code asks for, itself or by what it calls."""

    def __init__(self, modules: dict) -> None:
        self.names: set = set()
        self.kind = type(os.environ)
        self.own = {name: vars(self.kind)[name] for name in ("__getitem__", "__contains__") if name in vars(self.kind)}
        spaces = {id(vars(module)) for module in modules.values()}
        for name, function in self.own.items():
            setattr(self.kind, name, self._noting(function, spaces))

    def _noting(self, function: Callable, spaces: set) -> Callable:
        def noting(environ: object, key: object) -> object:
            frame = sys._getframe(1)
            if function.__name__ == "__getitem__" and not effects.is_for_one(frame):
                return function(environ, key)
            asking = False
            while frame is not None and id(frame.f_globals) not in spaces:
                name = frame.f_globals.get("__name__")
                frame = None if type(name) is str and name.partition(".")[0] in _RUNNERS else frame.f_back
            while frame is not None and os.path.basename(frame.f_code.co_filename) != "conftest.py":
                asking, frame = True, frame.f_back
            if asking and frame is None and type(key) is str:  # what a fixture of the project asks for is its own affair
                self.names.add(key)
            return function(environ, key)

        return noting

    def stop(self) -> list:
        """Ends noting; gives the names, without those that every process has."""
        for name, function in self.own.items():
            setattr(self.kind, name, function)
        return sorted(name for name in self.names if effects.is_kept(name) and name != "HOME")


class Trace:
    """Notes which line follows which in one function."""

    def __init__(self, function: object) -> None:
        self.steps: set = set()
        self.tool: "int | None" = None
        self.code = getattr(function, "__code__", None)
        if self.code is None:
            return
        if sys.version_info >= (3, 12):
            self._monitor()
        else:
            sys.settrace(self._enter)

    def _monitor(self) -> None:
        monitoring = sys.monitoring
        last = 0

        def line(code: object, number: int) -> None:
            nonlocal last
            self.steps.add((last, number))
            last = number

        def start(code: object, offset: int) -> None:
            nonlocal last
            last = 0

        for tool in (4, 3, 5, 2):
            try:
                monitoring.use_tool_id(tool, "pytead-tui")
            except ValueError:
                continue
            monitoring.register_callback(tool, monitoring.events.LINE, line)
            monitoring.register_callback(tool, monitoring.events.PY_START, start)
            monitoring.set_local_events(tool, self.code, monitoring.events.LINE | monitoring.events.PY_START)
            self.tool = tool
            return

    def _enter(self, frame: object, event: str, argument: object) -> object:
        if frame.f_code is not self.code:
            return None
        last = 0

        def line(frame: object, event: str, argument: object) -> object:
            nonlocal last
            if event == "line":
                self.steps.add((last, frame.f_lineno))
                last = frame.f_lineno
            return line

        return line

    def stop(self) -> "list[list[int]]":
        """Ends noting; gives the steps."""
        if self.tool is not None:
            sys.monitoring.set_local_events(self.tool, self.code, 0)
            sys.monitoring.free_tool_id(self.tool)
        elif self.code is not None:
            sys.settrace(None)
        return sorted([one, two] for one, two in self.steps)[:2000]
