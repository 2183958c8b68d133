"""Which edited statements calls run: of the others, a comparison of their outcomes says nothing."""

import os
import sys
import threading
import tokenize
import types

# Where it is there, following costs next to nothing, and no debugger or recorder is in the way.
BY_EVENTS = sys.version_info >= (3, 12)


class EditedLines:
    """Follows what this process runs through edited lines; `wanted` has line numbers by the files' paths relative to the root."""

    def __init__(self, root: str, wanted: dict) -> None:
        self.root = root
        self.left: dict = {}  # by the file
        self.files: dict = {}  # by the name of a file in code objects: the file, if it has such lines
        self.tool: "int | None" = None
        for path, lines in wanted.items():
            file = os.path.join(root, path)
            self.left[file] = _statements(file, lines)
            self.files[file] = self.files[os.path.realpath(file)] = file
        self.all = {file: frozenset(lines) for file, lines in self.left.items()}

    def begin(self) -> None:
        """Follows all threads from here on."""
        if not BY_EVENTS:
            threading.settrace(self._enter)
            sys.settrace(self._enter)
            return
        monitoring = sys.monitoring
        for candidate in (5, 4, 3, 2) if self.tool is None else ():
            try:
                monitoring.use_tool_id(candidate, "pytead-tui lines")
            except ValueError:
                continue
            self.tool = candidate
            monitoring.register_callback(candidate, monitoring.events.PY_START, self._started)
            monitoring.register_callback(candidate, monitoring.events.LINE, self._line)
            monitoring.set_events(candidate, monitoring.events.PY_START)
            break

    def end(self) -> None:
        """Follows nothing any more."""
        if not BY_EVENTS:
            threading.settrace(None)
            sys.settrace(None)
        elif self.tool is not None:
            sys.monitoring.set_events(self.tool, 0)
            sys.monitoring.free_tool_id(self.tool)
            self.tool = None

    def _file(self, code: types.CodeType) -> "str | None":
        """Gives the file of code, also where the program's path names it as `tests/../shop.py`."""
        name = code.co_filename
        if name not in self.files:
            self.files[name] = self.files.get(os.path.normpath(name))
        return self.files[name]

    def _started(self, code: types.CodeType, offset: int) -> object:
        if self._file(code) is not None:
            sys.monitoring.set_local_events(self.tool, code, sys.monitoring.events.LINE)
        return sys.monitoring.DISABLE

    def _line(self, code: types.CodeType, line: int) -> object:
        self.left[self._file(code)].discard(line)
        return sys.monitoring.DISABLE

    def _enter(self, frame: object, event: str, argument: object) -> object:
        return self._step if self._file(frame.f_code) is not None else None

    def _step(self, frame: object, event: str, argument: object) -> object:
        if event == "line":
            self.left[self._file(frame.f_code)].discard(frame.f_lineno)
        return self._step

    def reply(self) -> list:
        """Gives the statements, each as path, line and whether it ran."""
        names = {file: os.path.relpath(file, self.root).replace(os.sep, "/") for file in self.all}
        return sorted([names[file], line, line not in self.left[file]] for file, lines in self.all.items() for line in lines)


def _statements(file: str, lines: list) -> set:
    """Gives the lines at which the statements begin to which these lines belong; what runs on import is left out."""
    try:
        with tokenize.open(file) as stream:
            code = compile(stream.read(), file, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError):
        return set()
    found = set()
    for line in lines:
        inner = _innermost(code, line)
        begun = [one for _, _, one in inner.co_lines() if one is not None and inner.co_firstlineno < one <= line]
        if inner is not code and begun:
            found.add(max(begun))
    return found


def _innermost(code: types.CodeType, line: int) -> types.CodeType:
    """Finds the function that a line belongs to."""
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            lines = [one for _, _, one in inner.co_lines() if one]
            if lines and min(lines) <= line <= _last(inner):
                return _innermost(inner, line)
    return code


def _last(code: types.CodeType) -> int:
    lines = [one for _, _, one in code.co_lines() if one]
    inner = [_last(one) for one in code.co_consts if isinstance(one, types.CodeType)]
    return max([*lines, *inner], default=0)
