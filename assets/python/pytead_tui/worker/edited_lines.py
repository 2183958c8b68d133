"""Which edited statements a call does not run: what a comparison of its outcome says nothing of."""

import os
import tokenize
import types


class EditedLines:
    """Follows one call through edited lines; `wanted` has line numbers by the files' paths relative to the root."""

    def __init__(self, root: str, wanted: dict) -> None:
        self.root = root
        self.left: dict = {}  # by the file as code objects name it
        for path, lines in wanted.items():
            file = os.path.join(root, path)
            self.left[file] = _statements(file, lines)

    def enter(self, frame: object, event: str, argument: object) -> object:
        """Traces code of an edited file."""
        return self._step if frame.f_code.co_filename in self.left else None

    def _step(self, frame: object, event: str, argument: object) -> object:
        if event == "line":
            self.left[frame.f_code.co_filename].discard(frame.f_lineno)
        return self._step

    def reply(self) -> list:
        """Gives the statements that were not run, each as path and line."""
        names = {file: os.path.relpath(file, self.root).replace(os.sep, "/") for file in self.left}
        return sorted([names[file], line] for file, lines in self.left.items() for line in lines)


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
