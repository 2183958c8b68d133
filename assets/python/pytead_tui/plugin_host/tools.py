"""The tools of a plugin: its public `async` methods, with what each takes, and how they are called."""

from __future__ import annotations

import inspect
from typing import Any

from pytead_tui.plugin_host import schema

_OURS = {"get_tools", "call_tool", "cleanup"}
_PACKAGES = ("pytead_tui", "llm_pytest")  # that have an `LLMPlugin`


class Tool:
    """One method that can be called by its name."""

    def __init__(self, plugin: Any, method: str) -> None:
        self.method = method
        self.name = "%s_%s" % (plugin.name, method)
        self.function = getattr(plugin, method)
        self.signature = inspect.signature(self.function)

    def described(self) -> dict:
        """Describes it as MCP does."""
        doc = inspect.getdoc(self.function) or ""
        takes = schema.of_signature(self.function, self.signature)
        return {"name": self.name, "description": schema.summary(doc, self.method), "inputSchema": takes}

    async def call(self, arguments: dict) -> Any:
        """Calls it; arguments that it does not take, or lacks, are said in words."""
        positional, named = self._bound(arguments)
        return await self.function(*positional, **named)

    def _bound(self, arguments: dict) -> "tuple[list, dict]":
        rest = dict(arguments)
        positional: list = []
        named: dict = {}
        missing = []
        more = False
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                more = True
            elif parameter.kind is parameter.VAR_POSITIONAL:
                positional += rest.pop(name, [])
            elif name in rest:
                value = rest.pop(name)
                if parameter.kind is parameter.POSITIONAL_ONLY:
                    positional.append(value)
                else:
                    named[name] = value
            elif parameter.default is parameter.empty:
                missing.append(name)
        takes = ", ".join(name for name, p in self.signature.parameters.items() if p.kind is not p.VAR_KEYWORD)
        if missing:
            raise TypeError("%s needs %s; it takes %s" % (self.name, ", ".join(missing), takes))
        if rest and not more:
            raise TypeError("%s takes no %s; it takes %s" % (self.name, ", ".join(rest), takes or "nothing"))
        return positional, {**named, **(rest if more else {})}


def of(plugin: Any) -> "list[Tool]":
    """Gives the tools of a plugin, those of its base classes first, each class's in the order of its file."""
    return [Tool(plugin, name) for name in _public(plugin) if inspect.iscoroutinefunction(getattr(type(plugin), name, None))]


def not_async(plugin: Any) -> "list[str]":
    """Lists the public methods that would be tools if they were `async`."""
    return [name for name in _public(plugin) if inspect.isfunction(getattr(type(plugin), name, None))
            and not inspect.iscoroutinefunction(getattr(type(plugin), name))]  # fmt: skip


def _public(plugin: Any) -> "list[str]":
    names: dict = {}
    for cls in reversed(type(plugin).__mro__):
        if cls is not object and not is_base(cls):
            names.update(dict.fromkeys(name for name in vars(cls) if not name.startswith("_") and name not in _OURS))
    return list(names)


def is_base(cls: type) -> bool:
    """Tells whether a class is `LLMPlugin`, ours or llm-pytest's."""
    return cls.__name__ == "LLMPlugin" and cls.__module__.partition(".")[0] in _PACKAGES


def is_plugin(value: Any) -> bool:
    """Tells whether something is a class of plugins that can be made."""
    if not isinstance(value, type) or is_base(value) or inspect.isabstract(value) or value.__name__.startswith("_"):
        return False
    return any(is_base(cls) for cls in value.__mro__)
