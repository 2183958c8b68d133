"""What went wrong, in one line and with its place in the project."""

import os
import traceback
import types

from pytead_tui.worker.modules import describe, is_of


def why(error: BaseException) -> str:
    """Says what went wrong, and what to set where that is evident."""
    error = cause(error)
    name = _variable(error)
    return describe(error) + (f" (set the environment variable {name})" if name else "")


def cause(error: BaseException) -> BaseException:
    """Gives the exception that pytest wrapped, when a file could not be imported."""
    for _ in range(10):
        inner = None
        if type(error).__name__ == "ConftestImportFailure":
            inner = getattr(error, "cause", None) or getattr(error, "excinfo", (None, None))[1]
        elif type(error).__name__ == "CollectError":
            inner = error.__cause__
        if not isinstance(inner, BaseException):
            return error
        error = inner
    return error


def place(error: BaseException, root: str) -> dict:
    """Gives the innermost line below the root that an exception, or one that led to it, passed."""
    root = os.path.realpath(root)
    seen: "BaseException | None" = cause(error)
    for _ in range(10):
        if seen is None:
            break
        if isinstance(seen, SyntaxError) and seen.filename and _is_file_of(root, seen.filename):
            return {"path": seen.filename, "line": seen.lineno}
        found = [one for one in _frames(seen.__traceback__) if _is_file_of(root, one[0])]
        if found:
            return {"path": found[-1][0], "line": found[-1][1]}
        seen = seen.__cause__ or seen.__context__
    return {"path": None, "line": None}


def _is_file_of(root: str, name: str) -> bool:
    return not name.startswith("<") and is_of(root, name)  # `<frozen os>` and `<string>` are no files


def _frames(tb: "types.TracebackType | None") -> "list[tuple[str, int]]":
    return [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(tb)]


def _variable(error: BaseException) -> str:
    """Names the variable of the environment that is missing, if `os.environ[…]` raised this."""
    frames = list(traceback.walk_tb(error.__traceback__))
    if type(error) is KeyError and frames and frames[-1][0].f_globals.get("__name__") == "os":
        if error.args and type(error.args[0]) is str:
            return error.args[0]
    return ""
