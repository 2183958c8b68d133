"""Edits of defaults, of parameters and of class fields, made in memory: what a call gets that leaves a value out.

A default is no part of a function's code. Python evaluates it once, when it runs the definition. So an edit takes effect where the
value is kept: in the function, in the class, and in the `__init__` or `__new__` that is generated from the fields.
"""

import ast
import functools
import inspect
import types
from collections.abc import Callable, Iterator

LONGEST = 40  # characters of a text whose other value is shown
DEPTH = 3  # so far what a decorator keeps is looked through
MOST = 50  # things of a container that is looked through


class Parameter:
    """Another default of a parameter."""

    def __init__(self, name: str, value: object) -> None:
        self.name = name
        self.value = value

    def put(self, function: types.FunctionType) -> None:
        """Gives the function this default."""
        named = function.__kwdefaults__
        if named is not None and self.name in named:
            function.__kwdefaults__ = {**named, self.name: self.value}
            return
        at = (
            function.__code__.co_varnames[: function.__code__.co_argcount].index(self.name)
            - function.__code__.co_argcount
        )
        held = list(function.__defaults__ or ())
        held[at] = self.value
        function.__defaults__ = tuple(held)

    def take_back(self) -> None:
        """Does nothing: who puts it into a function knows what that had before."""


class Field:
    """Another default of a class's field."""

    def __init__(self, home: type, name: str, own: object, other: object) -> None:
        self.name = name
        self.own = own
        self.other = other
        self.homes = [home, *_heirs(home, name)]

    def put(self, function: types.FunctionType) -> None:
        """Gives the field this default."""
        self._hold(self.other)

    def take_back(self) -> None:
        """Gives the field its own default again."""
        self._hold(self.own)

    def _hold(self, value: object) -> None:
        for home in self.homes:
            if _is_same(vars(home).get(self.name), self.own) or _is_same(vars(home).get(self.name), self.other):
                type.__setattr__(home, self.name, value)
            for generated in _generated(home, self.name):
                Parameter(self.name, value).put(generated)


def of_parameters(node: ast.AST, function: types.FunctionType) -> "Iterator[tuple]":
    """Gives the edits of a function's defaults: (label, line, edit, whether it is a number or a flag)."""
    given = node.args.posonlyargs + node.args.args
    pairs = [*zip(reversed(given), reversed(node.args.defaults)), *zip(node.args.kwonlyargs, node.args.kw_defaults)]
    held = _held(function)
    found = [
        (arg.arg, default)
        for arg, default in pairs
        if arg.arg in held and _is_literal(default) and _is_same(ast.literal_eval(default), held[arg.arg])
    ]
    if found and _is_read_early(function):
        return
    for name, default in found:
        for other in _others(held[name]):
            is_common = type(other) in (int, bool) and isinstance(default, ast.Constant)
            yield _label(name, held[name], other), default.lineno, Parameter(name, other), is_common


def of_fields(node: ast.AST, function: types.FunctionType, classes: "list[str]", lines: Callable) -> "Iterator[tuple]":
    """Gives the edits of those class fields that a method reads: (label, line, edit)."""
    home = _home(function, classes)
    if home is None:
        return
    reads = {
        inner.attr
        for statement in node.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Load)
    }
    held: dict = {}
    for name in sorted(reads):
        values = [vars(home)[name]] if name in vars(home) else []
        values += [_held(generated)[name] for generated in _generated(home, name)]
        held.update((name, value) for value in values if _others(value))
    if not held:
        return
    body = _body(function.__code__.co_filename, tuple(classes), lines)
    for statement in body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        target = targets[0] if len(targets) == 1 else None
        default = getattr(statement, "value", None)
        name = target.id if isinstance(target, ast.Name) else None
        if name in held and _is_literal(default) and _is_same(ast.literal_eval(default), held[name]):
            for other in _others(held[name]):
                yield _label(name, held[name], other), statement.lineno, Field(home, name, held[name], other)


def _label(name: str, value: object, other: object) -> str:
    return f"{name}={value!r} → {other!r}"


def _others(value: object) -> list:
    """Gives what a default may be instead; nothing for what is no plain value."""
    kind = type(value)
    if kind is bool:
        return [not value]
    if kind is int or kind is float:
        return [value + 1] if value + 1 != value else []
    return [f"XX{value}XX"] if kind is str and len(value) <= LONGEST else []


def _is_literal(node: "ast.AST | None") -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
        return isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return isinstance(node, ast.Constant)


def _is_same(one: object, other: object) -> bool:
    return type(one) is type(other) and type(one) in (int, bool, float, str) and one == other


def _held(function: types.FunctionType) -> dict:
    """Gives the defaults that a function holds, by its parameters."""
    code = function.__code__
    defaults = function.__defaults__ or ()
    places = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return {**dict(zip(places, defaults)), **(function.__kwdefaults__ or {})}


def _generated(home: type, name: str) -> list:
    """Lists what makes objects of a class, written for its fields by others, with a default for this one."""
    makers = [inspect.unwrap(maker) for maker in map(vars(home).get, ("__init__", "__new__")) if maker is not None]
    makers = [getattr(maker, "__func__", maker) for maker in makers]
    return [
        maker
        for maker in makers
        if type(maker) is types.FunctionType and maker.__code__.co_filename.startswith("<") and name in _held(maker)
    ]


def _heirs(home: type, name: str) -> list:
    """Lists the classes below one that have this field from it."""
    found: list = []
    for heir in type.__subclasses__(home):
        if name not in vars(heir):
            found += [heir, *_heirs(heir, name)]
    return found


def _home(function: types.FunctionType, classes: "list[str]") -> "type | None":
    """Gives the class of a method."""
    held: object = None
    for name in classes:
        held = (function.__globals__ if held is None else vars(held)).get(name)
        if not isinstance(held, type):
            return None
    return held


@functools.lru_cache(maxsize=64)
def _body(file: str, classes: "tuple[str, ...]", lines: Callable) -> "list[ast.stmt]":
    """Parses the body of a class; an empty one when it is not there."""
    try:
        body = ast.parse("".join(lines(file))).body
    except (SyntaxError, ValueError):
        return []
    for name in classes:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == name), [])
    return body


def _is_read_early(function: types.FunctionType) -> bool:
    """Tells whether a decorator took the signature when the module was imported: it would not see another default."""
    name = function.__name__
    homes = [function.__globals__]
    parts = function.__qualname__.split(".")[:-1]
    if parts and "<locals>" not in parts:
        home = _home(function, parts)
        homes = [vars(home)] if home is not None else []
    waiting = [(home.get(name), 0) for home in homes]
    seen: set = set()
    while waiting:
        held, depth = waiting.pop()
        if held is None or held is function or id(held) in seen:
            continue
        seen.add(id(held))
        if isinstance(held, (inspect.Signature, inspect.Parameter, inspect.BoundArguments)):
            return True
        if depth < DEPTH:
            waiting += [(inner, depth + 1) for inner in _kept(held)]
    return False


def _kept(held: object) -> list:
    """Lists what a function, a method or a plain object keeps."""
    if isinstance(held, (staticmethod, classmethod)):
        return [held.__func__]
    if isinstance(held, property):
        return [held.fget, held.fset]
    if type(held) is functools.partial:
        return [held.func, *held.args, *held.keywords.values()]
    if type(held) is types.MethodType:
        return [held.__func__, held.__self__]
    if type(held) in (list, tuple, dict):
        return list(held.values() if type(held) is dict else held)[:MOST]
    if isinstance(held, (type, types.ModuleType)):
        return []
    found: list = []
    for cell in getattr(held, "__closure__", None) or () if type(held) is types.FunctionType else ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue  # nothing was put into it
    try:
        own = object.__getattribute__(held, "__dict__")
    except AttributeError:
        own = None
    if type(own) is dict:
        found += own.values()
    return found
