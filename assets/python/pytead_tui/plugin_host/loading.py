"""Imports plugin files and makes their plugins; one that is broken is named, and the others are loaded."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from typing import Any

from pytead_tui.plugin_host import tools

_FRAMES = 3  # of a traceback, the last ones


class Loaded:
    """What came of the plugin files."""

    def __init__(self) -> None:
        self.plugins: "dict[str, Any]" = {}
        self.tools: "dict[str, tools.Tool]" = {}
        self.owners: "dict[str, str]" = {}  # of each tool, the name of its plugin
        self.described: "list[dict]" = []
        self.broken: "list[dict]" = []

    def add(self, path: str) -> None:
        """Imports one file and makes the plugins that its classes are."""
        try:
            module = _import(path)
        except BaseException as error:  # whatever a plugin raises, exits included, is that plugin's affair
            self._broken(path, "importing it raises " + said(error, path))
            return
        for value in list(vars(module).values()):
            if tools.is_plugin(value) and value.__module__ == module.__name__:
                try:
                    self._make(path, value)
                except BaseException as error:
                    self._broken(path, "%s() raises %s" % (value.__name__, said(error, path)))

    def _make(self, path: str, cls: type) -> None:
        plugin = cls()
        name = plugin.name
        if not isinstance(name, str) or not name.replace("-", "_").isidentifier():
            self._broken(path, "the name of %s is %r: it has to be letters, digits and _" % (cls.__name__, name))
            return
        if name in self.plugins:
            self._broken(path, "%s has the name %r, which another plugin has" % (cls.__name__, name))
            return
        found = tools.of(plugin)
        described = [tool.described() for tool in found]
        described.append({
            "name": name + "_cleanup", "description": "Runs the cleanup of the plugin now.",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
        })  # fmt: skip
        self.plugins[name] = plugin
        for tool in found:
            self.tools[tool.name] = tool
            self.owners[tool.name] = name
        others = [name + "_" + method for method in tools.not_async(plugin)]
        self.described.append({"name": name, "file": path, "tools": described, "not_async": others})

    def _broken(self, path: str, why: str) -> None:
        self.broken.append({"file": path, "why": why})


def _import(path: str) -> Any:
    # Never a name that a module of the library has: `json.py` is a plugin like any other.
    name = "pytead_plugin_" + os.path.splitext(os.path.basename(path))[0]
    while name in sys.modules:
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("it cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def said(error: BaseException, path: str = "") -> str:
    """Writes an exception in a line, with the line of the file where it came from when it is that one."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if path and frame.filename == path]
    return "%s (line %s)" % (text, frames[-1].lineno) if frames else text


def trace(error: BaseException) -> "list[str]":
    """Gives the last places of a traceback, without our own."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(here)]
    return ["%s:%s in %s" % (frame.filename, frame.lineno, frame.name) for frame in frames[-_FRAMES:]]
