"""What plugins of YAML tests are written with: a class whose public `async` methods are the tools of a test."""

from __future__ import annotations

from typing import Any

from pytead_tui.plugin_host import tools

__all__ = ["LLMPlugin"]


class LLMPlugin:
    """A group of tools. Each public `async` method is the tool `<name>_<method>`; `cleanup` is run when a test is over."""

    name = "plugin"
    _state: "dict[str, Any]"

    def __new__(cls, *args: Any, **kwargs: Any) -> "LLMPlugin":
        self = super().__new__(cls)
        self._state = {}  # of this object, also where a subclass forgets to call super().__init__()
        return self

    def get_tools(self) -> "list[dict]":
        """Describes the tools as MCP does: name, description, and the JSON schema of what each takes."""
        return [tool.described() for tool in tools.of(self)]

    async def call_tool(self, name: str, arguments: "dict | None" = None) -> Any:
        """Calls a tool by its whole name or by its method's."""
        found = {key: tool for tool in tools.of(self) for key in (tool.name, tool.method)}.get(name)
        if found is None:
            raise ValueError(
                "%s has no tool %r; it has %s" % (self.name, name, ", ".join(t.name for t in tools.of(self)))
            )
        return await found.call(arguments or {})

    async def cleanup(self) -> None:
        """Gives back what the tools have opened. Run once when a test is over, whatever happened."""
