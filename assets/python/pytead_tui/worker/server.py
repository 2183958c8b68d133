"""The server: takes requests, forks for each, passes replies on, and ends what takes too long.

It never imports code of the project, and its forks never hold the protocol's descriptors: what they say comes through
a pipe of their own and can only answer their own request.
"""

import gc
import importlib
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from pytead_tui.worker import ahead, frames
from pytead_tui.worker.clock import library
from pytead_tui.worker.codes import Codes
from pytead_tui.worker.frames import Gone, Reader, broken
from pytead_tui.worker.layers import Layers
from pytead_tui.worker.processes import ended, fork_patiently

# Seconds a fork may say nothing, besides the time of a call: importing the project.
PATIENCE = 40.0


class Fork:
    """The process that answers a request."""

    def __init__(self, number: int, pid: int, fd: int, message: dict) -> None:
        self.number = number
        self.pid = pid
        self.reader = Reader(fd)
        self.message = message
        items = message.get("calls") or message.get("items") or []
        self.waiting = [item["key"] for item in items]
        longest = max((item.get("wait_ms", 0) for item in items), default=message.get("limit_ms", 0))
        self.patience = PATIENCE + longest / 1000
        self.child: int | None = None
        self.deadline = time.monotonic() + self.patience

    def end(self) -> str:
        """Kills the process and the call it is at; says how it had ended."""
        for group in (self.child, self.pid):
            if group:
                try:
                    os.killpg(group, signal.SIGKILL)
                except OSError:
                    pass
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.close(self.reader.fd)
        _, status = os.waitpid(self.pid, 0)
        return ended(status)


class Server:
    """Serves one connection; `layer` makes the server of a layer, where there can be any."""

    def __init__(
        self, incoming: int, outgoing: int, startup: frozenset, level: str, scratch: str, layer: "Callable | None" = None
    ) -> None:
        self.reader = Reader(incoming)
        self.outgoing = outgoing
        self.startup = startup
        self.level = level
        self.scratch = scratch
        self.forks: dict = {}  # by the descriptor they answer on
        self.modules: object = None  # the project's, of a layer
        self.layer = layer
        ways = self._fork_layer, self._reply, self._start
        self.codes = Codes()
        # The guard of the weak level would have to tell a layer's own forks from those of a call.
        has_layers = layer is not None and level != "weak"
        self.layers = Layers(*ways, self.codes.want) if has_layers else None

    def serve(self) -> int:
        """Serves until the other side hangs up."""
        try:
            while True:
                for message in self.reader.messages():
                    self._take(message)
                self._listen()
        except Gone:
            return 0
        finally:
            for fork in list(self.forks.values()):
                fork.end()
            if self.layers is not None:
                self.layers.end()

    def _listen(self) -> None:
        layers = [] if self.layers is None else self.layers.all
        soonest = min((one.deadline for one in (*self.forks.values(), *layers)), default=math.inf)
        left = None if soonest == math.inf else max(0.0, soonest - time.monotonic())
        compiles = self.codes.wanted and not self.forks and not any(layer.open for layer in layers)
        if compiles:
            left = 0.0
        reading = [self.reader.fd, *self.forks, *(layer.reader.fd for layer in layers)]
        ready, room, _ = select.select(reading, [layer.asking for layer in layers if layer.unsent], [], left)
        for fd in ready:
            if fd == self.reader.fd:
                self.reader.fill()
            elif fd in self.forks:
                self._hear(self.forks[fd])
        if compiles and not ready:
            self.codes.compile_next()
        now = time.monotonic()
        for fork in list(self.forks.values()):
            if fork.deadline <= now:
                took = f"{fork.patience:.0f}"
                self._over(fork, broken(f"importing it took over {took} s", "timeout", None, took))
        if layers:
            self.layers.hear(ready, room, now)
            self._sweep()

    def _reply(self, number: int, fields: dict) -> None:
        frames.send(self.outgoing, {**fields, "id": number})

    # Requests.

    def _take(self, message: dict) -> None:
        number, op = message.get("id"), message.get("op")
        if op == "hello":
            self._hello(number, message)
        elif op == "cancel":
            target = message.get("target")
            for fork in [f for f in self.forks.values() if f.number == target]:
                self._forget(fork)
                fork.end()
            if self.layers is not None:
                self.layers.cancel(target)
            self._sweep()
            self._reply(number, {"cancelled": True, "done": True})
        elif op in ("import", "replay", "evaluate", "prove", "near"):
            self._ask(number, message)
        else:
            self._reply(number, {"error": f"There is no request {op!r}.", "done": True})

    def _hello(self, number: int, message: dict) -> None:
        names = message.get("preload") or []
        if message.get("tests"):
            names = [*_of_pytest(), *names]
        loaded = self._preload(names, tried=message.get("tried", False))
        from importlib.metadata import PackageNotFoundError, version

        try:
            pytest = version("pytest")
        except PackageNotFoundError:
            pytest = None
        seed = os.environ.get("PYTHONHASHSEED", "")
        about = {
            "python": ".".join(map(str, sys.version_info[:3])),
            "executable": sys.executable,
            "pytest": pytest,
            "hashseed": int(seed) if seed.isdigit() else None,
            "preloaded": loaded,
            "stdlib": sorted(sys.stdlib_module_names),
            "plugins": sorted({point.module.partition(".")[0] for point in _plugins()}),
            "clock": library(),
        }
        self._reply(number, {**about, "done": True})
        # What every fork uses is imported before it is asked for, and what lives now lives on: not to be looked at by
        # the collector of each fork, which would copy it.
        for name in ("layer", "prove") if message.get("tests") else ("layer", "call"):
            importlib.import_module("pytead_tui.worker." + name)
        importlib.import_module("pytead_tui.recorder.known")
        gc.collect()
        gc.freeze()

    def _preload(self, names: list, tried: bool) -> list:
        """Imports what leaves no threads, which do not survive a fork: found out in a fork, unless it was before."""
        loaded = []
        for name in names if tried else ahead.harmless(names, PATIENCE):
            try:
                importlib.import_module(name)
                loaded.append(name)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
        return loaded

    def _ask(self, number: int, message: dict) -> None:
        """Has a request answered: by a layer, where there can be one for it."""
        if self.layers is None or not self.layers.take(number, message):
            self._start(number, message)

    def _fork_layer(self, message: dict, incoming: int, outgoing: int, others: tuple) -> int:
        """Makes the process of a layer; gives its number."""
        pid = fork_patiently()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                self._let_go(others)
                self.layer(incoming, outgoing, self, message).serve()
                os._exit(0)
            finally:
                os._exit(70)
        return pid

    def _let_go(self, others: tuple) -> None:
        """Closes, in a fork, what is this process's alone."""
        layers = [] if self.layers is None else self.layers.all
        for fd in (self.reader.fd, self.outgoing, *self.forks, *others):
            os.close(fd)
        for layer in layers:
            os.close(layer.asking)
            os.close(layer.reader.fd)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 2)
        os.close(nothing)

    def _start(self, number: int, message: dict) -> None:
        reading, writing = os.pipe()
        pid = fork_patiently()
        if pid == 0:
            self._become_fork(message, writing)
        os.close(writing)
        try:
            os.setpgid(pid, pid)
        except OSError:
            pass  # it did so itself, or is gone
        self.forks[reading] = Fork(number, pid, reading, message)

    def _become_fork(self, message: dict, writing: int) -> None:
        """Goes on as the process of a request; never returns."""
        try:
            os.setpgid(0, 0)
            self._let_go(())
            from pytead_tui.worker import request

            guarded = self.scratch if self.level == "weak" else None
            request.answer(message, writing, self.startup, guarded, self.modules)
        finally:
            os._exit(70)

    # Replies.

    def _hear(self, fork: Fork) -> None:
        try:
            fork.reader.fill()
            for message in fork.reader.messages():
                fork.deadline = time.monotonic() + fork.patience
                if type(message.get("said")) is list:
                    self._reply(fork.number, {"said": message["said"]})
                    continue
                if "child" in message:
                    fork.child = message["child"] if type(message["child"]) is int and message["child"] > 1 else None
                    continue
                if message.get("done"):
                    self._over(fork, None, message)
                    return
                if message.get("key") in fork.waiting:
                    fork.waiting.remove(message["key"])
                    self._reply(fork.number, message)
        except Gone:
            self._over(fork, None)

    def _over(self, fork: Fork, why: dict | None, last: dict | None = None) -> None:
        """Ends a request's process. What it was at is broken; another process answers the rest."""
        self._forget(fork)
        if last is not None:
            fork.child = None  # collected before this was said; its number may be another's by now
        how = fork.end()
        self._sweep()
        if last is None and fork.waiting:
            key, *rest = fork.waiting
            why = why or broken(f"importing it ended the process: {how}", "crashed", None, how)
            self._reply(fork.number, {"key": key, **why})
            if rest:
                name = "calls" if fork.message["op"] == "replay" else "items"
                items = [item for item in fork.message[name] if item["key"] in rest]
                self._start(fork.number, {**fork.message, name: items})
                return
        self._reply(fork.number, {**(last or {}), "done": True})

    def _forget(self, fork: Fork) -> None:
        del self.forks[fork.reader.fd]

    def _sweep(self) -> None:
        """Kills what calls left behind outside their process groups, where all processes here are ours."""
        if self.level != "namespaces" or self.forks or (self.layers is not None and self.layers.is_busy()):
            return
        ours = [1, os.getpid()] + [layer.pid for layer in (self.layers.all if self.layers is not None else [])]
        try:
            pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        except OSError:
            return
        for pid in pids:
            if pid not in ours:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass


def _plugins() -> list:
    """Lists the pytest plugins that are installed."""
    from importlib.metadata import entry_points

    return list(entry_points(group="pytest11"))


def _of_pytest() -> list:
    """Lists the modules of pytest and of its plugins."""
    try:
        from _pytest.config import default_plugins
    except ImportError:
        return []
    return ["pytest", *("_pytest." + name for name in default_plugins), *(point.module for point in _plugins())]
