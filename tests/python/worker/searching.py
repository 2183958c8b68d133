"""Searches beside calls of a small project, as the engine asks for it: through a worker of its own."""

import base64
import inspect
import marshal
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from pytead_tui.recorder import known  # noqa: F401
from pytead_tui.worker.capture import tree_of
from pytead_tui.worker.frames import Reader, framed
from pytead_tui.worker.rebuild import Builder

PACKAGE = Path(__file__).resolve().parents[3] / "assets" / "python"
ORDINARY = 1


class Near:
    """What a search came to."""

    def __init__(self, reply):
        self.broken = reply.get("broken")
        self.tried = reply.get("tried", 0)
        self.unmade = reply.get("unmade")
        self.found = [self._read(one) for one in reply.get("near", [])]
        self.raw = reply.get("near", [])

    def _read(self, one):
        told = [argument for argument in marshal.loads(base64.b64decode(one["args"])) if type(argument) is tuple]
        builder = Builder()
        args = tuple(builder.value(tree) for _, _, tree, *_ in told)
        return args, self._end(one["old"]), self._end(one["new"]), (one["place"], one["how"], one["by"]), one["call"]

    def _end(self, text):
        kind, tree, *_ = marshal.loads(base64.b64decode(text))
        return (tree[5] if kind == "X" else Builder().value(tree)) if kind in "RX" else tree

    def inputs(self):
        """Gives the arguments of what was found."""
        return [args for args, *_ in self.found]


def searched(folder, old, new, calls, name="f", seconds=1.0, level="none", classes="", again=(), faults=False):
    """Searches beside calls of a function of which both texts are given; `calls` has the arguments of each, or texts that give them, and
    `again` those of inputs that an earlier search found beside the first call. With `faults`, the new text is told from itself with faults."""
    old, new, classes = (textwrap.dedent(text) for text in (old, new, classes))
    (folder / "lib.py").write_text(classes + new)
    (folder / "held.py").write_text(classes)
    item = {"key": 0, "module": "lib", "path": "lib.py", "qualname": name, "wait_ms": int(seconds * 1000)}
    names = _names(old, name)
    item["calls"] = [{**item, "key": at, "args": _written(names, args)} for at, args in enumerate(calls)]
    item["again"] = [{"call": 0, "args": _written(names, args)} for args in again]
    item["faults"] = faults
    message = {"id": 1, "op": "near", "root": str(folder), "paths": [str(folder)], "items": [item], "current": []}
    message["former"] = [] if faults else [{"module": "lib", "path": "lib.py", "text": classes + old}]
    return Near(ask(folder, message, level))


def ask(folder, message, level="none"):
    """Asks a worker and gives its first reply."""
    env = {**os.environ, "PYTHONPATH": str(PACKAGE), "PYTEAD_LEVEL": level, "PYTEAD_SCRATCH": str(folder), "PYTHONHASHSEED": "0"}
    with subprocess.Popen(
        [sys.executable, "-m", "pytead_tui.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=env
    ) as worker:
        worker.stdin.write(framed(message))
        worker.stdin.flush()
        reply = Reader(worker.stdout.fileno()).next(time.monotonic() + 60)
        worker.stdin.close()
        worker.wait()
    return reply


def _names(text, name):
    space = {}
    exec(text, space)
    held = space[name]
    return list(inspect.signature(held).parameters)


def _written(names, args):
    told = (*((name, ORDINARY, tree_of(value), "p") for name, value in zip(names, args)), "N")
    return base64.b64encode(marshal.dumps(told, 2)).decode()
