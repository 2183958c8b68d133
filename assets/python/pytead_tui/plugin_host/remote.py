"""Tools of MCP servers from the configuration: JSON-RPC lines with a process of their own, for one test."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import Any

from pytead_tui import __version__

_PROTOCOL = "2025-06-18"
_SECONDS = 20.0  # to say hello and list the tools
_LINE = 8 << 20  # bytes of one message


class Refused(Exception):
    """The server says no, or is no MCP server."""


class Server:
    """One server: its process and its tools, which are named `<server>_<tool>`."""

    def __init__(self, name: str, command: "list[str]") -> None:
        self.name = name
        self.command = command
        self.tools: "dict[str, str]" = {}  # our name and the server's own
        self.process: Any = None
        self.number = 0

    async def start(self) -> "list[dict]":
        """Starts it and describes its tools."""
        try:
            self.process = await asyncio.create_subprocess_exec(
                *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_LINE,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise Refused("it cannot be started: %s" % error) from None
        try:
            return await asyncio.wait_for(self._hello(), _SECONDS)
        except asyncio.TimeoutError:
            raise Refused("it gave no answer in %g s" % _SECONDS) from None

    async def _hello(self) -> "list[dict]":
        await self._ask("initialize", {
            "protocolVersion": _PROTOCOL, "capabilities": {},
            "clientInfo": {"name": "pytead-tui", "version": __version__},
        })  # fmt: skip
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        described = []
        cursor = None
        while True:
            page = await self._ask("tools/list", {"cursor": cursor} if cursor else {})
            for tool in page.get("tools", []):
                ours = "%s_%s" % (self.name, tool["name"])
                self.tools[ours] = tool["name"]
                described.append({
                    "name": ours, "description": str(tool.get("description", "")),
                    "inputSchema": tool.get("inputSchema", {"type": "object"}),
                })  # fmt: skip
            cursor = page.get("nextCursor")
            if not cursor:
                return described

    async def call(self, name: str, arguments: dict) -> Any:
        """Calls a tool: its structured result where there is one, else its text, read as JSON where it is some."""
        answer = await self._ask("tools/call", {"name": self.tools[name], "arguments": arguments})
        texts = [part.get("text", "") for part in answer.get("content", []) if part.get("type") == "text"]
        text = "\n".join(texts)
        if answer.get("isError"):
            raise Refused(text or "the tool failed and did not say why")
        if answer.get("structuredContent") is not None:
            return answer["structuredContent"]
        if len(texts) == 1:
            try:
                return json.loads(text)
            except ValueError:
                return text
        return text if texts else answer.get("content", [])

    async def _ask(self, method: str, params: dict) -> dict:
        self.number += 1
        number = self.number
        await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            try:
                line = await self.process.stdout.readline()
            except ValueError:
                raise Refused("one of its messages is too long") from None
            if not line:
                raise Refused("it has ended")
            try:
                message = json.loads(line)
            except ValueError:
                raise Refused("it does not speak MCP: %s" % line[:80].decode("utf-8", "replace").strip()) from None
            if not isinstance(message, dict) or message.get("id") != number:
                await self._other(message)
                continue
            if "error" in message:
                raise Refused(str(message["error"].get("message", message["error"])))
            return message.get("result") or {}

    async def _other(self, message: Any) -> None:
        """Answers what the server asks of us: nothing is offered. Notices and late answers are passed over."""
        if isinstance(message, dict) and "method" in message and "id" in message:
            result = {"result": {}} if message["method"] == "ping" else {
                "error": {"code": -32601, "message": "not offered"}
            }  # fmt: skip
            await self._send({"jsonrpc": "2.0", "id": message["id"], **result})

    async def _send(self, message: dict) -> None:
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            await self.process.stdin.drain()
        except (OSError, RuntimeError) as error:
            raise Refused("it has ended") from error

    async def stop(self) -> None:
        """Ends it and what it started."""
        if self.process is None or self.process.returncode is not None:
            return
        self.process.stdin.close()
        try:
            await asyncio.wait_for(self.process.wait(), 1)
        except asyncio.TimeoutError:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except OSError:
                pass
            await self.process.wait()
