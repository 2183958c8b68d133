"""Tells what installed modules define, by the headers of their classes, methods and functions. Run contained.

`python -m pytead_tui.outlines REQUEST REPLY`, both files of JSON: names of modules, and for each one found an outline,
which is Python source. Source is read, else a stub; neither is run. Only a module that has neither, being written in C,
is imported, and only where the request allows it.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import json
import os
import sys
from importlib.machinery import PathFinder
from typing import Any

SOURCE_MAX = 4 << 20
OUTLINE_MAX = 1 << 20
KINDS = ("staticmethod", "classmethod", "property")


def main(request: dict) -> dict:
    found = {}
    for name in request["modules"]:
        with contextlib.suppress(Exception):
            outline = _outline(name, request["may_import"])
            if outline is not None and len(outline["text"]) <= OUTLINE_MAX:
                found[name] = outline
    return found


def _outline(name: str, may_import: bool) -> dict | None:
    spec = _spec(name)
    if spec is None:
        return None
    text = next((text for text in map(_read, _sources(name, spec)) if text is not None), None)
    if text is None:
        if not may_import:
            return None
        text = _imported(name)
    package = spec.submodule_search_locations is not None
    standard = name.partition(".")[0] in sys.stdlib_module_names
    return {"text": text, "package": package, "standard": standard}


def _spec(name: str) -> Any:
    """Finds a module below its packages, of which none is imported."""
    path, spec, full = None, None, ""
    for part in name.split("."):
        full = f"{full}.{part}" if full else part
        finders = [PathFinder, *(finder for finder in sys.meta_path if finder is not PathFinder)]
        found = (_asked(finder, full, path) for finder in finders)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is None:
            return None
        path = spec.submodule_search_locations
        path = [] if path is None else list(path)
    return spec


def _asked(finder: Any, name: str, path: Any) -> Any:
    with contextlib.suppress(Exception):
        return finder.find_spec(name, path)
    return None


def _sources(name: str, spec: Any) -> list:
    """Lists files that may hold a module's source: its own, the stub beside it, the stub of a package of stubs."""
    places = []
    origin = spec.origin if spec.has_location else None
    if origin is not None:
        if origin.endswith(".py"):
            places.append(origin)
        stem = os.path.basename(origin).partition(".")[0]
        places.append(os.path.join(os.path.dirname(origin), stem + ".pyi"))
    top, _, rest = name.partition(".")
    below = os.path.join(top + "-stubs", *rest.split(".")) if rest else top + "-stubs"
    for entry in sys.path:
        places.append(os.path.join(entry, below, "__init__.pyi"))
        places.append(os.path.join(entry, below + ".pyi"))
    return places


def _read(path: str) -> str | None:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > SOURCE_MAX:
            return None
        with open(path, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines: list = []
    _headers(tree.body, "", lines)
    return "\n".join(lines) + "\n"


def _headers(body: list, indent: str, lines: list) -> None:
    """Writes the headers of a body; what stands under a condition is taken for there."""
    functions: dict = {}
    for node in _flat(body):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not indent:
            lines.append(ast.unparse(node))
        elif isinstance(node, ast.ClassDef) and not indent:
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            lines.append(f"class {node.name}({bases}):")
            lines.append("    pass")
            _headers(node.body, "    ", lines)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            decorators = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
            if node.name not in functions or "overload" not in decorators:
                functions[node.name] = (node, decorators)
    for node, decorators in functions.values():
        lines.extend(f"{indent}@{kind}" for kind in KINDS if kind in decorators)
        lines.append(f"{indent}def {node.name}({_params(node.args)}): ...")


def _flat(body: list) -> Any:
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            yield from _flat(node.body)
            for handler in getattr(node, "handlers", ()):
                yield from _flat(handler.body)
            yield from _flat(node.orelse)
            yield from _flat(getattr(node, "finalbody", ()))
        else:
            yield node


def _params(args: ast.arguments) -> str:
    params = [param.arg for param in args.posonlyargs]
    if params:
        params.append("/")
    params.extend(param.arg for param in args.args)
    if args.vararg is not None:
        params.append("*" + args.vararg.arg)
    elif args.kwonlyargs:
        params.append("*")
    params.extend(param.arg for param in args.kwonlyargs)
    if args.kwarg is not None:
        params.append("**" + args.kwarg.arg)
    return ", ".join(params)


def _imported(name: str) -> str:
    """Writes the headers of a module that has no source, by importing it."""
    module = importlib.import_module(name)
    lines: list = []
    for called, value in sorted(vars(module).items()):
        if isinstance(value, type):
            bases = [base.__name__ for base in value.__bases__ if base.__module__ == value.__module__]
            lines.append(f"class {called}({', '.join(bases)}):")
            lines.append("    pass")
            for method, raw in vars(value).items():
                static = isinstance(raw, (staticmethod, classmethod)) or type(raw).__name__ == "classmethod_descriptor"
                if not method.startswith("_") and (static or inspect.isroutine(raw)):
                    if static:
                        lines.append("    @staticmethod")
                    lines.append(f"    def {method}({_signed(getattr(value, method), not static)}): ...")
        elif inspect.isroutine(value) and not called.startswith("_"):
            lines.append(f"def {called}({_signed(value, False)}): ...")
    return "\n".join(lines) + "\n"


def _signed(value: Any, of_object: bool) -> str:
    """Writes the parameters that something written in C tells of, if it does."""
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "self" if of_object else ""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    params, named = [], False
    for param in found:
        if param.kind is param.KEYWORD_ONLY and not named:
            params.append("*")
        named = named or param.kind in (param.KEYWORD_ONLY, param.VAR_POSITIONAL)
        params.append(stars.get(param.kind, "") + param.name)
    return ", ".join(params)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        wanted = json.load(stream)
    answer = main(wanted)
    with open(sys.argv[2], "w", encoding="utf-8") as stream:
        json.dump(answer, stream)
