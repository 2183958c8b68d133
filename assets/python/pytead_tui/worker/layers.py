"""The layers of the server: which requests are alike enough for the same imports, and what comes of those that a layer has.

A layer is a convenience: where there can be none, or it is not what it should be, the server forks by itself. What a
layer says can only answer requests that it was given.
"""

import math
import os
import signal
import time
from collections.abc import Callable

from pytead_tui.worker import frames
from pytead_tui.worker.frames import Gone, Reader

IDLE = 60.0  # seconds that a layer is kept with nothing to do
TAKING = 40.0  # seconds for its imports
ENDING = 0.5  # seconds for its end
MOST = 4


class Below:
    """The process of a layer, as its server has it."""

    def __init__(self, kind: tuple, pid: int, asking: int, answering: int) -> None:
        self.kind = kind
        self.pid = pid
        self.asking = asking
        self.reader = Reader(answering)
        self.unsent = bytearray()
        self.open: dict = {}  # requests, by number
        self.untaken: set = set()
        self.wanted = True  # requests go on being given to it
        self.deadline = 0.0
        os.set_blocking(asking, False)

    def ask(self, message: dict) -> None:
        """Sends a message as far as there is room for it; the rest goes when there is more."""
        self.unsent += frames.framed(message)
        self.write()

    def write(self) -> None:
        """Sends what was not sent yet, as far as there is room."""
        try:
            del self.unsent[: os.write(self.asking, self.unsent)]
        except BlockingIOError:
            pass
        except OSError:
            self.unsent.clear()  # it is gone, as reading from it will say

    def rest(self) -> None:
        """Sets the time when it has to have done the imports, or is kept no longer; there is none while it is at requests."""
        seconds = TAKING if self.untaken else math.inf if self.open else IDLE
        self.deadline = time.monotonic() + seconds

    def end(self) -> None:
        """Has it end what it is at and itself."""
        os.close(self.asking)
        until = time.monotonic() + ENDING
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            time.sleep(0.002)
        os.close(self.reader.fd)


class Layers:
    """The layers of a server."""

    def __init__(self, fork: Callable, reply: Callable, start: Callable, compiled: Callable) -> None:
        self.fork = fork  # (message, fds to close): makes the process of a layer
        self.reply = reply
        self.start = start
        self.compiled = compiled  # (root, names of files): told what a layer that is made after an edit has compiled
        self.edited = False
        self.all: list = []
        self.never: set = set()  # kinds for which there can be none

    def take(self, number: int, message: dict) -> bool:
        """Gives a request to a layer, made when there is none; tells whether that can be."""
        kind = _kind(message)
        if kind is None or kind in self.never:
            return False
        layer = next((layer for layer in self.all if layer.wanted and layer.kind == kind), None)
        if layer is None:
            self._make_room()
            layer = self._make(kind, message)
        layer.open[number] = message
        layer.untaken.add(number)
        layer.rest()
        layer.ask(message)
        return True

    def _make(self, kind: tuple, message: dict) -> Below:
        incoming, asking = os.pipe()
        answering, outgoing = os.pipe()
        pid = self.fork(message, incoming, outgoing, (asking, answering))
        os.close(incoming)
        os.close(outgoing)
        layer = Below(kind, pid, asking, answering)
        self.all.append(layer)
        return layer

    def _make_room(self) -> None:
        idle = [layer for layer in self.all if not layer.open]
        for layer in idle[: max(0, len(self.all) - MOST + 1)]:
            self._end(layer)

    def is_busy(self) -> bool:
        """Tells whether a layer has something to answer."""
        return any(layer.open for layer in self.all)

    def hear(self, ready: list, room: list, now: float) -> None:
        """Reads what layers say, sends what they are asked, and ends those whose time is up."""
        for layer in list(self.all):
            if layer.asking in room:
                layer.write()
            if layer.reader.fd in ready:
                try:
                    layer.reader.fill()
                    for message in layer.reader.messages():
                        self._heard(layer, message)
                except Gone:
                    self._died(layer)
                    continue
            if layer.deadline <= now:
                if layer.untaken:
                    self._died(layer)
                else:
                    self._end(layer)
            elif not layer.wanted and not layer.open:
                self._end(layer)

    def _heard(self, layer: Below, message: dict) -> None:
        number = message.pop("id", None)
        asked = layer.open.get(number) if type(number) is int else None
        if asked is None:
            return
        said = message.get("layer")
        if said is not None:
            layer.untaken.discard(number)
            if said != "taken":
                layer.wanted = False
                del layer.open[number]
            layer.rest()
            if said == "stale":
                self.edited = True
            elif said == "taken" and self.edited:
                self.compiled(asked["root"], message.get("compiled"))
            if said != "taken":
                if said != "stale" or not self.take(number, asked):
                    self.start(number, asked)
            return
        name = "calls" if asked["op"] == "replay" else "items"
        if name in asked and "key" in message:
            layer.open[number] = {**asked, name: [one for one in asked[name] if one["key"] != message["key"]]}
        if message.get("done"):
            del layer.open[number]
            layer.rest()
        self.reply(number, message)

    def _died(self, layer: Below) -> None:
        """Has the server do what a layer did not come to."""
        self.never.add(layer.kind)
        self._end(layer)
        for number, asked in layer.open.items():
            if number in layer.untaken or asked.get("calls") or asked.get("items"):
                self.start(number, asked)
            else:
                self.reply(number, {"done": True})

    def cancel(self, target: int) -> None:
        """Has a request ended."""
        for layer in list(self.all):
            if target in layer.open:
                del layer.open[target]
                if target in layer.untaken and not layer.open:
                    self._end(layer)
                else:
                    layer.untaken.discard(target)
                    layer.rest()
                    layer.ask({"id": target, "op": "cancel", "target": target})

    def _end(self, layer: Below) -> None:
        self.all.remove(layer)
        layer.end()

    def end(self) -> None:
        """Ends all of them."""
        for layer in list(self.all):
            self._end(layer)


def _kind(message: dict) -> "tuple | None":
    """Gives what requests have in common that can rest on the same imports; None where they are to be made anew."""
    place = message["root"], tuple(message["paths"])
    if message["op"] != "prove":
        return None if message.get("former") or message["op"] == "near" else ("calls", *place)
    # What a `conftest.py` does comes before the project is imported.
    if any("conftest.py" in files for _, _, files in os.walk(message["bench"])):
        return None
    around = tuple(sorted((message.get("env") or {}).items())), message.get("other_machine")
    return ("prove", *place, message["on_path"], *around)
