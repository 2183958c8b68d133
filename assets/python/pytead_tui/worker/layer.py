"""A layer: a server that has imported modules of the project, and forks in the place of the one that it was forked from.

What it imported is what lies on the disk now, or else it takes no request. Whose requests it gets is `layers.py`.
"""

import gc
import sys

from pytead_tui.worker import ahead, clock, request
from pytead_tui.worker.inputs import Inputs
from pytead_tui.worker.modules import Modules
from pytead_tui.worker.processes import threads
from pytead_tui.worker.server import Server


class Layer(Server):
    """Serves requests of one kind; says of each first what it will do with it: `taken`, `stale` or `unfit`."""

    def __init__(self, incoming: int, outgoing: int, server: Server, message: dict) -> None:
        super().__init__(incoming, outgoing, server.startup, server.level, server.scratch)
        self.modules = Modules(message["root"], message["paths"], server.startup, [])
        self.modules.inputs = Inputs(self.modules.root)
        self.modules.codes = server.codes
        request.settle(message, self.modules)

    def _ask(self, number: int, message: dict) -> None:
        if not self.modules.inputs.stand():
            self._reply(number, {"layer": "stale"})
        elif not self._import(message):
            self._reply(number, {"layer": "unfit"})
        else:
            self._reply(number, {"layer": "taken", "compiled": self.modules.inputs.told()})
            if message["op"] == "import":
                self._reply(number, {"done": True})
            else:
                self._start(number, message)

    def _import(self, message: dict) -> bool:
        """Imports what a request is about; tells whether all of that went well and left nothing that does not survive a fork."""
        before = len(sys.modules)
        self.modules.inputs.noting = True
        try:
            for name, path in _places(message):
                if message["op"] == "prove":
                    # A test finds a module by its name alone; another copy of the project's is not run to see that.
                    if not message["on_path"] and not self.modules.finds_package(name):
                        return False
                    if not self.modules.leads_to(name, path):
                        continue
                self.modules.get(name, path)
            if message["op"] == "evaluate":
                self.modules.set_up()
            ahead.for_arguments(message.get("calls", []), self.modules)
            if any(call.get("clock") is not None for call in message.get("calls", [])):
                clock.load()
            if message.get("track"):
                self.modules.before.look()
        except Exception:
            return False
        finally:
            self.modules.inputs.noting = False
        if len(sys.modules) > before:
            gc.collect()
            gc.freeze()
        return threads() == 1

    def _sweep(self) -> None:
        """Leaves that to the server, whose the other processes are."""


def _places(message: dict) -> list:
    """Lists the modules that a request names, with their files."""
    if message["op"] == "prove":
        named = [place for run in message["runs"] for place in [*(run.get("targets") or []), run.get("fault")] if place]
    else:
        named = [place for call in message.get("calls", []) for place in [call, *call.get("also", [])]]
        named += message.get("places", [])
    return list(dict.fromkeys((place["module"], place["path"]) for place in named))
