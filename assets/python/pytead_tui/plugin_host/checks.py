"""Python expressions over results, each evaluated in a process of its own with little time and memory.

That process is forked from one that was forked before any plugin was imported, so an expression sees plain values and
nothing of the plugins, and cannot change what a later one sees.
"""

from __future__ import annotations

import ast
import datetime
import json
import math
import os
import re
import resource
import signal
import socket
import time
import traceback
from typing import Any

from pytead_tui.worker import frames
from pytead_tui.worker.frames import Gone, Reader

_MEMORY = 1 << 30  # bytes of address space
_SHOWN = 300  # characters of a value
_SHOWN_PARTS = 6
_GRACE = 2.0


class Row(dict):
    """A mapping whose fields can be named with a dot: `result.user.id`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(
                "there is no field %r; there are %s" % (name, ", ".join(map(str, self)) or "none")
            ) from None


class Checker:
    """The process that expressions are evaluated in, made before anything of the project is imported."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            try:
                _serve(theirs.fileno())
            finally:
                os._exit(0)
        theirs.close()
        self.socket = ours
        self.root = "/"  # where expressions are evaluated
        self.reader = Reader(ours.fileno())

    def check(self, source: str, names: dict, seconds: float) -> dict:
        """Evaluates an expression: `value` and why it is not true, or `error`."""
        try:
            frames.send(self.socket.fileno(), {"source": source, "names": names, "seconds": seconds, "root": self.root})
            answer = self.reader.next(time.monotonic() + seconds + 2 * _GRACE)
        except Gone:
            answer = None
        return answer or {"error": "the process that evaluates checks is gone"}

    def end(self) -> None:
        """Ends the process."""
        self.socket.close()
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except OSError:
            pass


def _serve(descriptor: int) -> None:
    keep_only({2, descriptor})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    reader = Reader(descriptor)
    try:
        while True:
            for message in reader.messages():
                frames.send(descriptor, _in_a_fork(message))
            reader.fill()
    except Gone:
        pass


def keep_only(kept: set) -> None:
    """Closes every descriptor but these."""
    kept = sorted({*kept, 0, 1, 2})
    for low, high in zip([-1, *kept], [*kept, 4096]):
        if high - low > 1:
            os.closerange(low + 1, high)


def _in_a_fork(message: dict) -> dict:
    seconds = message["seconds"]
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            os.chdir(message["root"])
            _limit(seconds)
            frames.send(writing, evaluate(message["source"], message["names"]))
        finally:
            os._exit(0)
    os.close(writing)
    try:
        answer = Reader(reading).next(time.monotonic() + seconds + _GRACE)
        late = answer is None
    except Gone:
        answer, late = None, False
    os.close(reading)
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass
    _, status = os.waitpid(pid, 0)
    if answer is not None:
        return answer
    late = late or os.waitstatus_to_exitcode(status) == -signal.SIGXCPU
    return {"error": "it took more than %g s" % seconds if late else "evaluating it ended the process"}


def _limit(seconds: float) -> None:
    whole = max(1, math.ceil(seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def evaluate(source: str, names: dict) -> dict:
    """Evaluates an expression here."""
    scope = {name: _row(value) for name, value in names.items()}
    scope.update({"re": re, "math": math, "json": json, "datetime": datetime})
    try:
        tree = ast.parse(source.strip(), "<check>", "eval")
        if eval(compile(tree, "<check>", "eval"), scope):
            return {"value": True, "shown": ""}
        return {"value": False, "shown": "; ".join(_parts(tree.body, scope))}
    except SyntaxError as error:
        return {"error": "it is no Python expression: %s" % error.msg}
    except MemoryError:
        return {"error": "it took too much memory"}
    except BaseException as error:
        return {"error": "".join(traceback.format_exception_only(type(error), error)).strip()[:_SHOWN]}


def _row(value: Any) -> Any:
    if isinstance(value, dict):
        return Row({key: _row(held) for key, held in value.items()})
    if isinstance(value, list):
        return [_row(held) for held in value]
    return value


def _parts(tree: ast.expr, scope: dict) -> "list[str]":
    """Shows the values that an expression compares."""
    compared: list = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            compared += [node.left, *node.comparators]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            compared.append(node.operand)
    shown = []
    for node in compared:
        if isinstance(node, ast.Constant) or len(shown) >= _SHOWN_PARTS:
            continue
        try:
            value = eval(compile(ast.Expression(node), "<check>", "eval"), scope)
            text = repr(value)
        except Exception:
            continue
        line = "%s is %s" % (ast.unparse(node), text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
        if line not in shown:
            shown.append(line)
    return shown
