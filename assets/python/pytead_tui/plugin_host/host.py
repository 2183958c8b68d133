"""Serves one test: loads its plugins, calls their tools one after the other, and always cleans up.

A call that takes too long is cancelled; one that does not let itself be cancelled makes the host say so, and whoever
started it ends it. Everything runs in one event loop, as what plugins open often belongs to one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import Any

from pytead_tui.plugin_host import loading, plain, remote
from pytead_tui.plugin_host.checks import Checker
from pytead_tui.plugin_host.used import Used
from pytead_tui.worker import frames
from pytead_tui.worker.frames import Gone, Reader

CLEANUP_SECONDS = 5.0  # of one plugin
_CANCEL_SECONDS = 1.0  # for a call to end when it is cancelled
_BLOCKED_SECONDS = 0.5  # after its time, until a call that blocks the loop is interrupted
_LARGEST = 8 << 20  # bytes of a result


class Late(BaseException):
    """A call had its time."""


class Host:
    """The plugins of one test, and what is asked of them."""

    def __init__(self, incoming: int, outgoing: int, checker: Checker) -> None:
        self.reader = Reader(incoming)
        self.outgoing = outgoing
        self.checker = checker
        self.loaded = loading.Loaded()
        self.servers: "list[remote.Server]" = []
        self.dirty: set = set()  # plugins used since their cleanup, or never cleaned
        self.loop = asyncio.new_event_loop()
        self.task: Any = None  # the call that runs
        self.waiting: "list[dict]" = []
        self.stopped: set = set()  # the numbers of calls that nobody waits for any more
        self.arrived = asyncio.Event()
        self.gone = False
        self.used: "Used | None" = None

    def serve(self) -> int:
        """Serves until the other side hangs up, says that the test is over, or this process is asked to end."""
        asyncio.set_event_loop(self.loop)
        signal.signal(signal.SIGALRM, self._alarm)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        main = self.loop.create_task(self._serve())
        self.loop.add_signal_handler(signal.SIGTERM, main.cancel)
        try:
            self.loop.run_until_complete(main)
        except (asyncio.CancelledError, Gone):
            pass
        self.loop.remove_signal_handler(signal.SIGTERM)
        self.loop.run_until_complete(self._cleanup_all())
        self.checker.end()
        sys.stdout.flush()
        sys.stderr.flush()
        # Not by way of atexit handlers and threads that plugins have left.
        os._exit(0)

    async def _serve(self) -> None:
        self.loop.add_reader(self.reader.fd, self._arrive)
        while True:
            while self.waiting:
                message = self.waiting.pop(0)
                if message["op"] == "end":
                    failed = await self._cleanup_all()
                    self._reply(message, cleanup=failed, used=self.used.told() if self.used else None)
                    return
                await self._take(message)
            if self.gone:
                return
            self.arrived.clear()
            await self.arrived.wait()

    def _arrive(self) -> None:
        """Takes in what was asked; what a person stopped is cancelled at once, and so is everything when nobody waits."""
        try:
            self.reader.fill()
            messages = list(self.reader.messages())
        except Gone:
            self.gone = True
            self.loop.remove_reader(self.reader.fd)
            messages = [{"op": "cancel"}]
        for message in messages:
            if message["op"] != "cancel":
                self.waiting.append(message)
            else:
                self.stopped.add(message.get("id"))
                if self.task is not None:
                    self.task.cancel()
        self.arrived.set()

    async def _take(self, message: dict) -> None:
        op = message["op"]
        if op == "load":
            await self._load(message)
        elif op == "call":
            await self._call(message)
        elif op == "check":
            self._reply(message, **self.checker.check(message["source"], message["names"], message["seconds"]))

    def _reply(self, message: dict, **answer: Any) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        frames.send(self.outgoing, {"id": message["id"], **answer})

    # Loading.

    async def _load(self, message: dict) -> None:
        os.chdir(message["root"])
        self.checker.root = message["root"]
        sys.path[:0] = [path for path in message["paths"] if path not in sys.path]
        # Last: a plugin `json.py` is not what the library imports as json.
        for path in message["files"]:
            folder = os.path.dirname(path)
            if folder not in sys.path:
                sys.path.append(folder)
        self.used = Used(message["root"])
        for path in message["files"]:
            # Said before: whoever reads it knows which one has ended or held up this process.
            frames.send(self.outgoing, {"id": message["id"], "loading": path})
            self.loaded.add(path)
        self.used.ours += 1
        for server in message["servers"]:
            await self._connect(server)
        self.used.ours -= 1
        self.dirty = set(self.loaded.plugins)
        self._reply(message, plugins=self.loaded.described, broken=self.loaded.broken)

    async def _connect(self, asked: dict) -> None:
        server = remote.Server(asked["name"], asked["command"])
        try:
            described = await server.start()
        except Exception as error:
            self.loaded.broken.append({"file": "mcp_servers." + server.name, "why": str(error) or type(error).__name__})
            await server.stop()
            return
        self.servers.append(server)
        self.loaded.described.append({"name": server.name, "file": "mcp_servers." + server.name, "tools": described})

    # Calling.

    async def _call(self, message: dict) -> None:
        name = message["tool"]
        call = self._found(name)
        if call is None:
            self._reply(message, error="there is no tool %s" % name)
            return
        before = _children()
        answer = {"late": True, "stubborn": False}
        if message["id"] not in self.stopped:
            answer = await self._timed(call(message["args"]), message["seconds"])
        if "late" in answer:
            for pid in _children() - before:
                _kill(pid)
        self._reply(message, **answer)

    def _found(self, name: str) -> Any:
        tool = self.loaded.tools.get(name)
        if tool is not None:
            self.dirty.add(self.loaded.owners[name])
            return tool.call
        for plugin in self.loaded.plugins:
            if name == plugin + "_cleanup":
                return lambda _: self._cleanup(plugin)
        for server in self.servers:
            if name in server.tools:
                return lambda args: server.call(name, args)
        return None

    async def _timed(self, work: Any, seconds: float) -> dict:
        task = self.task = self.loop.create_task(_result(work))
        signal.setitimer(signal.ITIMER_REAL, seconds + _BLOCKED_SECONDS)
        try:
            await asyncio.wait({task}, timeout=seconds)
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=_CANCEL_SECONDS)
                return {"late": True, "stubborn": not task.done()}
        except asyncio.CancelledError:  # this process is asked to end
            task.cancel()
            await asyncio.wait({task}, timeout=_CANCEL_SECONDS)
            raise
        finally:
            self.task = None
            signal.setitimer(signal.ITIMER_REAL, 0)
        return {"late": True, "stubborn": False} if task.cancelled() else task.result()

    def _alarm(self, _number: int, frame: Any) -> None:
        """Interrupts a call that blocks the loop: one that sleeps or computes without awaiting."""
        while self.task is not None and frame is not None:
            name = frame.f_code.co_name
            if name == "_result" and frame.f_code.co_filename == __file__:
                raise Late
            frame = frame.f_back

    # Cleaning up.

    async def _cleanup_all(self) -> "list[dict]":
        failed = []
        for name in reversed(list(self.loaded.plugins)):
            answer = await self._timed(self._cleanup(name), CLEANUP_SECONDS)
            why = answer.get("error") or ("it took more than %g s" % CLEANUP_SECONDS if "late" in answer else "")
            if why:
                failed.append({"plugin": name, "error": why})
        for server in self.servers:
            await server.stop()
        return failed

    async def _cleanup(self, name: str) -> dict:
        """Cleans up after a plugin, unless it was not used since the last time."""
        if name not in self.dirty:
            return {"cleaned": False}
        self.dirty.discard(name)
        done = self.loaded.plugins[name].cleanup()
        if asyncio.iscoroutine(done):
            await done
        return {"cleaned": True}


async def _result(work: Any) -> dict:
    """Waits for a call and gives what came of it, as it goes over the wire."""
    try:
        result = plain.plain(await work)
        size = len(json.dumps(result))
        if size > _LARGEST:
            return {"error": "the result has %d bytes, and may have %d" % (size, _LARGEST)}
        return {"result": result}
    except (asyncio.CancelledError, Late):
        return {"late": True, "stubborn": False}
    except remote.Refused as error:
        return {"error": str(error)}
    except BaseException as error:  # an exit is the tool's, not ours
        return {"error": loading.said(error), "trace": loading.trace(error)}


def _children() -> set:
    """Gives the processes below this one, where the system tells."""
    parents: dict = {}
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return set()
    for pid in pids:
        try:
            with open("/proc/%d/stat" % pid) as stat:
                parents[pid] = int(stat.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            pass
    found: set = set()
    below = {os.getpid()}
    while below:
        below = {pid for pid, parent in parents.items() if parent in below} - found
        found |= below
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
