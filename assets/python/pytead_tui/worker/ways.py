"""Finds arguments that make an object, in what it says of itself: `repr` as a call, and `str` as the only argument.

Runs code of the project, in a process that ends with it. Whether what was made is the same is decided by who asked.
"""

import ast

from pytead_tui.worker.capture import tree_of

LONGEST = 500  # characters that a person reads as an argument


def of(value: object) -> list:
    """Lists ways to make an object again: (positional arguments, arguments by name, the tree of what they made)."""
    cls = type(value)
    found: list = []
    for args, named in _told(value, cls):
        if any(args == other and named == others for other, others, _ in found):
            continue
        try:
            made = cls(*args, **named)
        except Exception:
            continue
        if type(made) is cls:
            found.append((args, named, tree_of(made)))
    return found


def _told(value: object, cls: type) -> list:
    """Lists the arguments that an object's texts tell."""
    told = []
    if cls.__repr__ is not object.__repr__:
        told += _called(_text(repr, value).strip("<>"), cls.__name__)
    if cls.__str__ is not object.__str__:
        text = _text(str, value)
        told += [((text,), {})] if text else []
    return told


def _text(says: object, value: object) -> str:
    try:
        text = says(value)
    except Exception:
        return ""
    return text if type(text) is str and len(text) <= LONGEST else ""


def _called(text: str, name: str) -> list:
    """Reads a call of a class with literals; nothing where the text is no such call."""
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or ast.unparse(call.func).rpartition(".")[2] != name:
            return []
        args = tuple(ast.literal_eval(arg) for arg in call.args)
        return [(args, {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg})]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
