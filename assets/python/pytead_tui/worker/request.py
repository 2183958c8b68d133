"""The process of one request: imports the project from the files as they are now and forks for each call."""

import base64
import marshal
import os
import resource
import signal
import sys
import time

from pytead_tui.worker import call as calls
from pytead_tui.worker import frames
from pytead_tui.worker.capture import tree_of
from pytead_tui.worker.frames import Gone, Reader
from pytead_tui.worker.modules import Modules, describe
from pytead_tui.worker.rebuild import Broken
from pytead_tui.worker.server import ended

EVALUATION = 10.0  # seconds for all expressions of a request
PREPARING = 10.0  # seconds to build the arguments of a call
GRACE = 0.5  # seconds for a process to end after it hung up


def answer(message: dict, writing: int, startup: frozenset, guarded: "str | None") -> None:
    """Answers a request; never returns."""
    last: dict = {}
    try:
        modules = Modules(message["root"], message["paths"], startup)
        if guarded is not None:
            from pytead_tui import guard

            guard.install([guarded])
            modules.guard = guard
        modules.prepare()
        if message["op"] == "replay":
            for call in message["calls"]:
                reply = _replay(modules, call, message.get("track", False), writing)
                frames.send(writing, {"key": call["key"], **reply})
        else:
            _evaluate(modules, message["items"], writing)
    except Gone:
        os._exit(0)
    except BaseException as error:
        last["error"] = f"The project could not be prepared: {describe(error)}"
    frames.send(writing, {**last, "done": True})
    os._exit(0)


def encode(tree: object) -> str:
    """Gives a tree as base64 of marshal version 2."""
    return base64.b64encode(marshal.dumps(tree, 2)).decode()


def _replay(modules: Modules, call: dict, track: bool, writing: int) -> dict:
    try:
        modules.get(call["module"], call["path"])
    except Broken as error:
        return {"broken": str(error)}
    seconds = call["wait_ms"] / 1000
    started = time.perf_counter_ns()
    pid, reader = _fork(modules, writing, lambda fd: _make(modules, call, track, fd), seconds)
    reply: dict | None = {}
    try:
        # Building the arguments is not the call's time, so the call says when it begins.
        reply = reader.next(time.monotonic() + PREPARING)
        if reply is not None and "begun" in reply:
            started = time.perf_counter_ns()
            reply = reader.next(time.monotonic() + seconds)
    except Gone:
        reply = {}
    spent = time.perf_counter_ns() - started
    how = _end(modules, pid, reader.fd, died=reply == {})
    if reply is None:
        return {"outcome": encode(("T", seconds)), "ns": spent}
    return reply or {"outcome": encode(("D", how)), "ns": spent}


def _make(modules: Modules, call: dict, track: bool, fd: int) -> None:
    try:
        reply = calls.make(modules, call, track, lambda: frames.send(fd, {"begun": True}))
    except Broken as error:
        reply = {"broken": str(error)}
    except BaseException as error:
        reply = {"broken": f"it could not be replayed: {describe(error)}"}
    frames.send(fd, reply)


def _evaluate(modules: Modules, items: list, writing: int) -> None:
    def work(fd: int) -> None:
        for item in items:
            try:
                space: dict = {"__builtins__": __builtins__}
                for line in item["imports"]:
                    exec(compile(line, "<import>", "exec"), space)
                value = eval(compile(item["source"], "<expression>", "eval"), space)
                frames.send(fd, {"key": item["key"], "value": encode(tree_of(value))})
            except BaseException as error:
                frames.send(fd, {"key": item["key"], "broken": describe(error)})

    pid, reader = _fork(modules, writing, work, EVALUATION)
    deadline = time.monotonic() + EVALUATION
    waiting = [item["key"] for item in items]
    why = None
    try:
        while waiting:
            reply = reader.next(deadline)
            if reply is None:
                why = f"it took over {EVALUATION:.0f} s"
                break
            if reply.get("key") in waiting:
                waiting.remove(reply["key"])
                frames.send(writing, reply)
    except Gone:
        pass
    how = _end(modules, pid, reader.fd, died=bool(waiting) and why is None)
    for key in waiting:
        frames.send(writing, {"key": key, "broken": why or f"the process died: {how}"})


def _fork(modules: Modules, writing: int, work: object, seconds: float) -> tuple:
    """Forks for work that answers on a pipe: (process, reader)."""
    reading, answering = os.pipe()
    with modules.unguarded():
        pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            os.close(reading)
            os.close(writing)
            _limit_cpu(int(seconds + PREPARING) + 2)
            _forget_handlers()
            if modules.guard is not None:
                modules.guard.calling()
            work(answering)
            os._exit(0)
        finally:
            os._exit(70)
    os.close(answering)
    try:
        os.setpgid(pid, pid)
    except OSError:
        pass  # it did so itself, or is gone
    frames.send(writing, {"child": pid})
    return pid, Reader(reading)


def _end(modules: Modules, pid: int, fd: int, died: bool) -> str:
    """Ends a call's process and all of its group; says how it had ended when it died by itself."""
    os.close(fd)
    with modules.unguarded():
        until = time.monotonic() + GRACE
        # Waited for without collecting it, so that its group cannot be another's when it is killed.
        while died and not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) and time.monotonic() < until:
            time.sleep(0.001)
        try:
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            pass
        _, status = os.waitpid(pid, 0)
    return ended(status)


def _limit_cpu(seconds: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    most = seconds if hard == resource.RLIM_INFINITY else min(seconds, hard)
    resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def _forget_handlers() -> None:
    """Undoes what importing the project did to signals and hooks."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    sys.settrace(None)
    sys.setprofile(None)
