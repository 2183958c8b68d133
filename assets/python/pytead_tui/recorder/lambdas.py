"""Finds the source of a lambda: the text on its line that compiles to the very same code.

Only a lambda without free variables and defaults can be made again from its text, with the modules, classes and
functions that it names.
"""

from pytead_tui.recorder import kinds, project, rewrite
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__

LINES = 6  # of a lambda at most
CHARACTERS = 300
FILE = 2 << 20
# Flags that change nothing of what a lambda does: being inside a function, `from __future__ import annotations`.
_HARMLESS = 16 | 0x1000000

# Texts of code that has no file: where the worker evaluates expressions.
texts: dict = {}
_files: dict = {}
_found: dict = {}


def source(function: object) -> "tuple | None":
    """Gives (text, names it uses that may be globals), or None."""
    code = function.__code__
    if code.co_freevars or function.__defaults__ or function.__kwdefaults__:
        return None
    key = oid(code)
    known = _found.get(key)
    if known is None or known[0] is not code:
        with rewrite.Quiet():
            known = _found[key] = (code, _search(code))
        if len(_found) > 10_000:
            _found.clear()
    return known[1]


def _search(code: object) -> "tuple | None":
    start = code.co_firstlineno - 1
    rows = _lines(code.co_filename)[start : start + LINES]
    found = None
    for at in _places(rows[0]) if rows else ():
        text = "".join([rows[0][at:], *rows[1:]])[:CHARACTERS]
        same = _cut(text, code)
        if same is not None and found not in (None, same):
            return None
        found = found or same
    if found is None:
        return None
    return found, tuple(sorted(_names(code)))


def _cut(text: str, code: object) -> "str | None":
    """Gives the beginning of a text that is this code's lambda, on one line."""
    for end in range(len("lambda:0"), len(text) + 1):
        if end < len(text) and text[end] not in ",)]}:\n #;":
            continue
        if _is(text[:end], code):
            flat = " ".join(text[:end].split())
            whole = text[:end].strip()
            return flat if _is(flat, code) else whole if "\n" not in whole else None
    return None


def _is(text: str, code: object) -> bool:
    """Whether a text is one expression that makes this code."""
    try:
        compiled = compile("(" + text + "\n)", "?", "eval")
        compile("f(x=" + text + "\n, **y)", "?", "eval")  # several with commas between them are none
    except (SyntaxError, ValueError):
        return False
    return any(type(held) is kinds.Code and same(held, code) for held in compiled.co_consts)


def same(one: object, other: object) -> bool:
    """Whether two code objects do the same."""
    if one.co_code != other.co_code or one.co_names != other.co_names or one.co_varnames != other.co_varnames:
        return False
    if len(one.co_consts) != len(other.co_consts) or (one.co_flags ^ other.co_flags) & ~_HARMLESS:
        return False
    return all(
        same(a, b) if type(a) is kinds.Code and type(b) is kinds.Code else type(a) is type(b) and repr(a) == repr(b)
        for a, b in zip(one.co_consts, other.co_consts)
    )


def _names(code: object) -> set:
    """Gives the names a code object uses that are no variables of its own: globals and attributes alike."""
    names = set(code.co_names)
    for held in code.co_consts:
        if type(held) is kinds.Code:
            names |= _names(held)
    return names


def _lines(path: str) -> list:
    if path in texts:
        return texts[path]
    if path not in _files:
        try:
            _files[path] = project.read(path, FILE).decode("utf-8").splitlines(keepends=True)
        except (OSError, ValueError):
            _files[path] = []
    return _files[path]


def _places(row: str) -> list:
    """Gives where the word `lambda` stands in a line."""
    found, at = [], row.find("lambda")
    while at >= 0:
        around = row[max(at - 1, 0) : at] + row[at + 6 : at + 7]
        if not any(c.isalnum() or c == "_" for c in around):
            found.append(at)
        at = row.find("lambda", at + 1)
    return found
