"""Finds arguments that make an object, in what it says of itself: `repr` as a call, `str` as the only argument, attributes
with the names of parameters, its fields where a class takes any name, as models of Django and SQLAlchemy do; and without arguments.

Runs code of the project, in a process that ends with it. Whether what was made is the same is decided by who asked.
"""

import ast
import inspect
import types

from pytead_tui.worker.capture import tree_of

LONGEST = 500  # characters that a person reads as an argument
POSITIONAL_MAX = 3  # arguments beyond are written with their names
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def of(value: object) -> list:
    """Lists ways to make an object again, in trees: (positional arguments, arguments by name, what they made)."""
    cls = type(value)
    found: list = []
    tried: list = []
    for args, named in _told(value, cls) + _asked(value, cls) + _held(value, cls) + [((), {})]:
        trees = tree_of((args, named))  # in one: two objects are two numbers, one object is one
        if type(trees[0]) is not tuple or type(trees[1]) is not dict or trees in tried:
            continue
        tried.append(trees)
        try:
            made = cls(*args, **named)
        except Exception:
            continue
        if type(made) is cls:
            found.append((*trees, tree_of(made)))
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


def _asked(value: object, cls: type) -> list:
    """Lists the arguments that an object's attributes tell: as few as there may be, then all that are not the default."""
    try:
        params = [param for param in inspect.signature(cls).parameters.values() if param.kind not in VARIADIC]
    except Exception:  # a class may say what it takes by code of its own
        return []
    held = {}
    for param in params:
        for attribute in _attribute(value, param.name):
            held[param.name] = attribute
        if param.default is param.empty and param.name not in held:
            return []
    others = {param.name for param in params if param.name in held and not _is_default(held[param.name], param.default)}
    # A default of None often stands for what the object then holds.
    fewest = {param.name for param in params if param.name in others and param.default is not None}
    return [_spelled(params, held, given) for given in (fewest, others) if given]


def _held(value: object, cls: type) -> list:
    """Lists the public fields of an object whose class takes arguments by any name, and no others; None is left out."""
    try:
        kinds = {param.kind for param in inspect.signature(cls).parameters.values()}
        fields = object.__getattribute__(value, "__dict__")
    except Exception:
        return []
    if inspect.Parameter.VAR_KEYWORD not in kinds or not kinds.issubset(VARIADIC):
        return []
    named = {name: held for name, held in fields.items() if not name.startswith("_") and held is not None}
    return [((), named)] if named else []


def _is_default(held: object, default: object) -> bool:
    return type(held) is type(default) and tree_of(held) == tree_of(default)


def _spelled(params: list, held: dict, given: set) -> tuple:
    """Orders arguments as calls are written: the first few by position, flags and what follows a gap by name."""
    args: list = []
    named: dict = {}
    for param in params:
        if param.name not in given:
            continue
        by_position = param.kind != param.KEYWORD_ONLY and params[len(args)] is param and not named
        flag = param.default is not param.empty and type(held[param.name]) is bool
        if param.kind == param.POSITIONAL_ONLY or by_position and len(args) < POSITIONAL_MAX and not flag:
            args.append(held[param.name])
        else:
            named[param.name] = held[param.name]
    return tuple(args), named


def _attribute(value: object, name: str) -> list:
    """Gives what an attribute holds, or nothing where there is none; methods hold nothing."""
    try:
        held = getattr(value, name)
    except Exception:
        return []
    return [] if isinstance(held, (types.MethodType, types.BuiltinMethodType)) else [held]


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
