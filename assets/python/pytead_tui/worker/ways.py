"""Finds arguments that make an object, in what it says of itself: `repr` as a call, its text as the first argument, attributes
with the names of parameters, its fields where a class takes any name, as models of Django and SQLAlchemy do; and without arguments.

Runs code of the project, in a process that ends with it. Whether what was made is the same is decided by who asked.
"""

import ast
import inspect
import itertools
import marshal
import types

from pytead_tui.worker.capture import tree_of
from pytead_tui.worker.rebuild import Builder

LONGEST = 500  # characters that a person reads as an argument
POSITIONAL_MAX = 3  # arguments beyond are written with their names
FREE_MAX, CHOSEN_MAX = 10, 2  # optional arguments that attributes tell, and how many of them are tried together
LARGE = 20_000  # bytes of an object's tree; of a larger one only all of its arguments are tried
EASE = {str: 3, int: 3, bool: 3, float: 3, dict: 3, list: 3, bytes: 1}  # with which a person reads them
SPELLED = "urlencode", "geturl", "isoformat"  # methods that spell an object, as its class reads it
READ = "content", "data", "body"  # what a file is made of, and does not keep as an attribute
VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def of(value: object) -> list:
    """Lists ways to make an object again, in trees: (positional arguments, arguments by name, what they made)."""
    cls = type(value)
    found: list = []
    tried: list = []
    before = tree_of(value)  # to ask for an attribute may fill a cache

    is_large = len(marshal.dumps(before, 2)) > LARGE

    def is_same(args: tuple, named: dict) -> bool:
        if is_large:
            return False
        try:
            return tree_of(_made(cls, tree_of((args, named)))) == before
        except Exception:
            return False

    for args, named in _told(value, cls) + _asked(value, cls, is_same) + _held(value, cls) + [((), {})]:
        trees = tree_of((args, named))  # in one: two objects are two numbers, one object is one
        if type(trees[0]) is not tuple or type(trees[1]) is not dict or trees in tried:
            continue
        tried.append(trees)
        try:
            made = _made(cls, trees)
        except Exception:
            continue
        if type(made) is cls:
            found.append((*trees, tree_of(made)))
    return found


def cached(value: object) -> list:
    """Lists the attributes of an object that only keep what a cached property computed: of Python, Django or werkzeug."""
    made = {name: inspect.getattr_static(type(value), name, None) for name in _fields(value)}
    return [name for name, descriptor in made.items() if type(descriptor).__name__ == "cached_property"]


def _made(cls: type, trees: tuple) -> object:
    """Makes an object of arguments of its own: a constructor may change what it is given."""
    args, named = Builder().value(trees)
    return cls(*args, **named)


def _fields(value: object) -> dict:
    try:
        fields = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return fields if type(fields) is dict else {}


def _told(value: object, cls: type) -> list:
    """Lists the arguments that an object's texts tell."""
    told = []
    if cls.__repr__ is not object.__repr__:
        told += _called(_text(repr, value).strip("<>"), cls.__name__)
    told += [((text,), {}) for text in _texts(value, cls)]
    return told


def _texts(value: object, cls: type) -> list:
    """Lists the texts that may be all of an object."""
    says = [] if cls.__str__ is object.__str__ else [str]
    says += [getattr(cls, name) for name in SPELLED if callable(getattr(cls, name, None))]
    return [text for text in (_text(say, value) for say in says) if text]


def _asked(value: object, cls: type, is_same: object) -> list:
    """Lists the arguments that an object's attributes tell: as few as there may be, then all that are not the default."""
    try:
        params = [param for param in inspect.signature(cls).parameters.values() if param.kind not in VARIADIC]
    except Exception:  # a class may say what it takes by code of its own
        return []
    held: dict = {}
    for param in params:
        for attribute in _attribute(value, param.name):
            held[param.name] = attribute
    others = {param.name for param in params if param.name in held and not _is_default(held[param.name], param.default)}
    found = []
    if all(param.name in held for param in params if param.default is param.empty):
        # A default of None often stands for what the object then holds.
        fewest = {param.name for param in params if param.name in others and param.default is not None}
        is_enough = fewest and (fewest == others or is_same(*_spelled(params, held, fewest)))
        needed = set() if is_enough else _needed(params, held, others, is_same)
        found = [_spelled(params, held, given) for given in (fewest, needed, others) if given]
    if params and params[0].name not in held:
        for text in _texts(value, cls):
            told = {**held, params[0].name: text}
            needed = _needed(params, told, {*others, params[0].name}, is_same)
            found += [_spelled(params, told, needed)] if len(needed) > 1 else []
    return found


def _needed(params: list, held: dict, given: set, is_same: object) -> set:
    """Gives as few arguments as make the same: what one of them tells, others often tell again, or exclude."""
    must = {param.name for param in params if param.default is param.empty}
    free = [param.name for param in params if param.name in given and param.name not in must]
    if len(free) > FREE_MAX:
        return set()

    def ease(chosen: tuple) -> int:
        return sum(EASE.get(type(held[name]), 0) for name in chosen)

    for count in range(min(len(free), CHOSEN_MAX) + 1):
        for chosen in sorted(itertools.combinations(free, count), key=ease, reverse=True):
            if is_same(*_spelled(params, held, {*must, *chosen})):
                return {*must, *chosen}
    return set()


def _held(value: object, cls: type) -> list:
    """Lists the public fields of an object whose class takes arguments by any name, and no others; None is left out."""
    try:
        kinds = {param.kind for param in inspect.signature(cls).parameters.values()}
    except Exception:
        return []
    fields = _fields(value)
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
    """Gives what an attribute holds, be it a private one, or nothing where there is none; methods hold nothing."""
    for attribute in (name, "_" + name):
        try:
            held = getattr(value, attribute)
        except Exception:
            continue
        if not isinstance(held, (types.MethodType, types.BuiltinMethodType)):
            return [held]
    return _data(value) if name == "json" else _content(value) if name in READ else []


def _data(value: object) -> list:
    """Gives the data of an answer, such as those of httpx."""
    try:
        return [value.json()]
    except Exception:
        return []


def _content(value: object) -> list:
    """Gives what a file holds, and restores its position."""
    try:
        place = value.tell()
        value.seek(0)
        content = value.read()
        value.seek(place)
    except Exception:
        return []
    return [content] if type(content) in (str, bytes) else []


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
