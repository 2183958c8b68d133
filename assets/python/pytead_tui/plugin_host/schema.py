"""JSON schemas from annotations: one builder for tools in YAML tests, in prompts and over MCP."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import json
import pathlib
import re
import types
import typing
import uuid
from typing import Any

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", bytes: "string"}
_TEXTS = {
    datetime.datetime: "date-time", datetime.date: "date", datetime.time: "time", uuid.UUID: "uuid",
    pathlib.Path: "path", pathlib.PurePath: "path", decimal.Decimal: "decimal",
}  # fmt: skip
_LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Set,
          collections.abc.Collection, collections.abc.MutableSequence)  # fmt: skip
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_DEPTH = 8


def of_signature(function: Any, signature: inspect.Signature) -> dict:
    """Gives the schema of what a function takes by name."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:  # a name that is not there, or not any more
        hints = {}
    said = described(inspect.getdoc(function) or "")
    properties: dict = {}
    required = []
    more = False
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            more = True
            continue
        annotation = hints.get(name, parameter.annotation)
        schema = of(annotation)
        if parameter.kind is parameter.VAR_POSITIONAL:
            schema = {"type": "array", "items": schema}
        elif parameter.default is parameter.empty:
            required.append(name)
        elif _is_json(parameter.default):
            schema["default"] = parameter.default
        if name in said:
            schema.setdefault("description", said[name])
        properties[name] = schema
    schema = {"type": "object", "properties": properties, "additionalProperties": more}
    if required:
        schema["required"] = required
    return schema


def of(annotation: Any, depth: int = 0) -> dict:
    """Gives the schema of one annotation; what has none is anything."""
    if annotation in (Any, object, inspect.Parameter.empty) or isinstance(annotation, str) or depth > _DEPTH:
        return {}
    if annotation is None:
        return {"type": "null"}
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _annotated(args, depth)
    if origin is typing.Literal:
        return _enum(list(args))
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [of(arg, depth + 1) for arg in args]}
    if isinstance(annotation, typing.TypeVar):
        return of(annotation.__bound__, depth + 1) if annotation.__bound__ else {}
    supertype = getattr(annotation, "__supertype__", None)
    if supertype is not None:
        return of(supertype, depth + 1)
    if origin in _LISTS or annotation in _LISTS:
        return _list(origin or annotation, args, depth)
    if origin in _MAPPINGS or annotation in _MAPPINGS:
        values = of(args[1], depth + 1) if len(args) == 2 else {}
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    return _of_class(annotation, depth) if isinstance(annotation, type) else {}


def _of_class(cls: type, depth: int) -> dict:
    if issubclass(cls, enum.Enum):
        return _enum([member.value for member in cls])
    if cls in _PLAIN:
        return {"type": _PLAIN[cls]}
    if cls in _TEXTS:
        return {"type": "string", "format": _TEXTS[cls]}
    model = getattr(cls, "model_json_schema", None)
    if callable(model):
        try:
            return dict(model())
        except Exception:
            return {"type": "object"}
    if dataclasses.is_dataclass(cls):
        fields = dataclasses.fields(cls)
        missing = dataclasses.MISSING
        needed = [f.name for f in fields if f.default is missing and f.default_factory is missing and f.init]
        return _object(cls, [f.name for f in fields if f.init], needed, depth)
    if hasattr(cls, "__required_keys__"):  # a TypedDict
        return _object(
            cls, list(cls.__annotations__), [n for n in cls.__annotations__ if n in cls.__required_keys__], depth
        )
    for plain, name in _PLAIN.items():
        if issubclass(cls, plain):
            return {"type": name}
    return {}


def _object(cls: type, names: list, required: list, depth: int) -> dict:
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception:
        hints = dict(getattr(cls, "__annotations__", {}))
    schema = {
        "type": "object",
        "properties": {name: of(_bare(hints.get(name, Any)), depth + 1) for name in names},
        "additionalProperties": False,
    }
    if required:
        schema["required"] = required
    return schema


def _bare(annotation: Any) -> Any:
    """Takes `Required[...]` and `NotRequired[...]` off."""
    name = getattr(typing.get_origin(annotation), "_name", "")
    return typing.get_args(annotation)[0] if name in ("Required", "NotRequired", "ReadOnly") else annotation


def _annotated(args: tuple, depth: int) -> dict:
    schema = of(args[0], depth + 1)
    for note in args[1:]:
        text = (
            note
            if isinstance(note, str)
            else getattr(note, "description", None) or getattr(note, "documentation", None)
        )
        if isinstance(text, str):
            schema["description"] = text
    return schema


def _list(kind: Any, args: tuple, depth: int) -> dict:
    schema: dict = {"type": "array"}
    if kind is tuple and args and args[-1] is not Ellipsis:
        schema["prefixItems"] = [of(arg, depth + 1) for arg in args if arg != ()]
        schema["minItems"] = schema["maxItems"] = len(schema["prefixItems"])
    elif args and of(args[0], depth + 1):
        schema["items"] = of(args[0], depth + 1)
    if kind in (set, frozenset, collections.abc.Set):
        schema["uniqueItems"] = True
    return schema


def _enum(values: list) -> dict:
    values = [value.value if isinstance(value, enum.Enum) else value for value in values]
    values = [value if _is_json(value) else str(value) for value in values]
    kinds = {_PLAIN.get(type(value), "") for value in values}
    return {**({"type": kinds.pop()} if len(kinds) == 1 and "" not in kinds else {}), "enum": values}


def _is_json(value: Any) -> bool:
    try:
        return json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError, RecursionError):
        return False


_GOOGLE = re.compile(r"^ +\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.+)$")
_SPHINX = re.compile(r"^\s*:param(?:\s+[^:]+?)?\s+\*{0,2}(\w+)\s*:\s*(.+)$")


def described(doc: str) -> "dict[str, str]":
    """Finds what a docstring says of each parameter, in Google's or Sphinx's form."""
    found: dict = {}
    inside = False
    for line in doc.splitlines():
        if re.match(r"^(Args|Arguments|Parameters)\s*:\s*$", line.strip()):
            inside = True
        elif inside and line.strip() and not line.startswith(" "):
            inside = False
        match = _SPHINX.match(line) or (_GOOGLE.match(line) if inside else None)
        if match:
            found.setdefault(match[1], match[2].strip())
    return found


def summary(doc: str, name: str) -> str:
    """Gives the first line of a docstring, or the name."""
    return next((line.strip() for line in doc.splitlines() if line.strip()), name)
