"""The two versions of the code that calls are made under: each is imported in a process of its own, which forks for some calls at a
time. Nothing that a call does outside of its process is done: what tries says so, and counts for nothing.
"""

import _thread
import base64
import gc
import importlib
import marshal
import os
import resource
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator

from pytead_tui.recorder.values import TAG
from pytead_tui.worker import ahead, chance, mutants, side_effects
from pytead_tui.worker import call as calls
from pytead_tui.worker.clock import Recorded
from pytead_tui.worker.frames import Gone, Reader, send
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.modules import Modules, describe
from pytead_tui.worker.processes import fork_patiently, prepare

ROOM = 512 << 20  # bytes that calls may take besides what the project takes
IMPORTS = 30.0  # seconds
FAULTS = 8  # of a function, as many as its tests are tried with
LINES = 100_000  # of one call that are noted
SHIFT = 1000 * 86_400 * 10**9  # nanoseconds between the clocks of two runs of one call
BY_EVENTS = sys.version_info >= (3, 12)

# Audit events of what leaves a process, or looks outside of it.
_OUTSIDE = ("os.", "shutil.", "subprocess.", "socket.", "sqlite3.", "urllib.", "ftplib.", "smtplib.", "http.", "tempfile.", "glob.",
            "pathlib.", "_thread.start", "_posixsubprocess.", "ctypes.dl", "builtins.input", "builtins.breakpoint", "time.sleep",
            "signal.", "pty.", "fcntl.", "mmap.", "syslog.", "resource.")  # fmt: skip
_READERS = ("<frozen importlib", "linecache.py", "tokenize.py")  # of the interpreter, for itself
_FRAMES = 8


class Outside(BaseException):
    """Raised into a call that would look outside of its process, or change something there."""


class Version:
    """The process of one version, seen from the search."""

    def __init__(self, message: dict, former: list, startup: frozenset, writing: int) -> None:
        reading, answering = os.pipe()
        listening, asking = os.pipe()
        self.pid = fork_patiently()
        if self.pid == 0:
            try:
                for fd in (reading, asking, writing):
                    os.close(fd)
                _Side(Modules(message["root"], message["paths"], startup, former), listening, answering).serve()
            finally:
                os._exit(70)
        os.close(answering)
        os.close(listening)
        self.reader = Reader(reading)
        self.asking = asking

    def begin(self, function: dict, enums: list) -> "dict | None":
        """Imports what a function and its calls need. Gives the members of enums, or why it cannot be called; None without an answer."""
        send(self.asking, {"op": "begin", "function": function, "enums": enums})
        return self.reader.next(time.monotonic() + IMPORTS)

    def ask(self, some: list, limit: float, second: bool) -> None:
        """Has calls made; `second` with another clock and other chance."""
        send(self.asking, {"op": "run", "calls": some, "limit": limit, "second": second})

    def hear(self, count: int, limit: float) -> list:
        """Gives what came of the calls that were asked for, in order: None for one without an end."""
        found: list = [None] * count
        while True:
            reply = self.reader.next(time.monotonic() + limit * (count + 1) + IMPORTS)
            if reply is None:
                raise Gone
            if "over" in reply:
                return found
            if type(reply.get("n")) is int and 0 <= reply["n"] < count:
                found[reply["n"]] = reply

    def end(self) -> None:
        """Ends it."""
        os.close(self.asking)
        os.close(self.reader.fd)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except OSError:
            pass
        os.waitpid(self.pid, 0)


def both(versions: "tuple[Version, Version]", some: list, limit: float, second: bool = False) -> "Iterator[tuple]":
    """Makes calls under both versions at the same time; gives the two ends of each. `some` has a pair for each: the call as the one
    version takes it, and as the other does."""
    for version, one in zip(versions, zip(*some)):
        version.ask(list(one), limit, second)
    return zip(*[version.hear(len(some), limit) for version in versions])


def outcome(reply: "dict | None") -> "tuple | None":
    """Reads the outcome of a call; None where it could not be made, did not end, or looked outside."""
    if reply is None or "outcome" not in reply or reply.get("outside"):
        return None
    return marshal.loads(base64.b64decode(reply["outcome"]))


class _Side:
    """The process of one version."""

    def __init__(self, modules: Modules, listening: int, answering: int) -> None:
        self.modules = modules
        self.reader = Reader(listening)
        self.answering = answering
        self.own: "mutants.Own | None" = None  # what faults are put into, and the faults
        self.faults: list = []
        self.named: tuple = ()
        modules.prepare()

    def serve(self) -> None:
        """Serves until the search hangs up."""
        try:
            while True:
                for message in self.reader.messages():
                    if message["op"] == "begin":
                        self._begin(message["function"], message["enums"])
                    else:
                        self._run(message)
                self.reader.fill()
        except Gone:
            os._exit(0)

    def _begin(self, function: dict, enums: list) -> None:
        try:
            self.modules.get(function["module"], function["path"])
            if (function["module"], function["path"]) in self.modules.reached:
                raise Broken("importing it does more than to compute")
            ahead.for_arguments(function["calls"], self.modules)
            fault = self._put(function)
            # What lives now lives on: the collector of a fork would copy it.
            gc.collect()
            gc.freeze()
            send(self.answering, {"members": [[*one, _members(*one)] for one in enums], "fault": fault})
        except Broken as error:
            send(self.answering, error.reply())
        except Exception as error:
            send(self.answering, {"broken": describe(error)})

    def _put(self, function: dict) -> "list | None":
        """Puts the fault of this number into the function, for all calls that follow. Gives its lines; None where there is no such
        fault. Without a number the function is as it is written."""
        number, named = function.get("fault"), (function["path"], function["qualname"])
        if self.own is not None and (number is None or self.named != named):
            self.own.put(self.own.code)
            self.own = None
        if number is None:
            return None
        if self.own is None:
            self.own, self.named = calls.faulty(self.modules, function), named
            self.faults = mutants.of(self.own.function, FAULTS)
        if number >= len(self.faults):
            return None
        fault = self.faults[number]
        self.own.put(fault.code, fault.default)
        return sorted(fault.within or (fault.line,))

    def _run(self, message: dict) -> None:
        """Makes calls, each once: those behind one that ends its process in another process."""
        waiting = list(enumerate(message["calls"]))
        while waiting:
            reading, writing = os.pipe()
            pid = fork_patiently()
            if pid == 0:
                try:
                    os.close(reading)
                    _make_all(self.modules, waiting, message["limit"], message["second"], writing)
                    os._exit(0)
                finally:
                    os._exit(70)
            os.close(writing)
            made = self._pass_on(pid, reading, message["limit"])
            # The call that it was at has no end.
            waiting = waiting[made + 1 :] if made < len(waiting) else []
        send(self.answering, {"over": True})

    def _pass_on(self, pid: int, fd: int, limit: float) -> int:
        """Passes on what calls came to, until their process ends or one takes too long; gives how many there were."""
        reader, made = Reader(fd), 0
        try:
            while select.select([fd], [], [], 2 * limit + 1)[0]:
                reader.fill()
                for reply in reader.messages():
                    send(self.answering, reply)
                    made += 1
        except Gone:
            pass
        os.close(fd)
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
        os.waitpid(pid, 0)
        return made


def _members(module: str, qualname: str) -> list:
    """Names the members of an enum."""
    held = sys.modules.get(module) or importlib.import_module(module)
    for part in qualname.split("."):
        held = getattr(held, part, None)
    members = getattr(held, "__members__", {})
    return [name for name in members if type(name) is str]


def _make_all(modules: Modules, waiting: list, limit: float, second: bool, fd: int) -> None:
    """Makes calls one after another; what one left behind, the next ones find, so a difference is looked at again alone."""
    prepare(modules)
    _limit_memory()
    if second:
        inside = modules.root + os.sep
        held = [m for m in list(sys.modules.values()) if (getattr(m, "__file__", None) or "").startswith(inside)]
        Recorded(time.time_ns() + SHIFT, False, held).start()
    listener = side_effects.listen(modules.root)
    watch = _Outside()
    lines = Lines(waiting[0][1], modules)
    for number, call in waiting:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            reply = _make(modules, call, listener, watch, lines, second)
        except Broken as error:
            reply = {"broken": str(error)}
        except BaseException as error:
            reply = {"broken": describe(error)}
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(fd, {"n": number, **reply})


def _make(
    modules: Modules, call: dict, listener: side_effects.Listener, watch: "_Outside", lines: "Lines", second: bool
) -> dict:
    chance.seed(1 if second else 0)
    watch.begin()
    try:
        callee, args, kwargs, eyes = calls.ready(modules, call)
        with listener.hearing():
            mark = listener.begin()
            lines.begin()
            try:
                *ended, changed = calls.run(callee, args, kwargs, eyes, watched=True)
            finally:
                seen = lines.end()
            found = (*ended, {**changed, **listener.end(mark)})
    finally:
        is_outside = watch.end()
    return {"outcome": base64.b64encode(marshal.dumps(found, 2)).decode(), "lines": seen, "outside": is_outside}


def _limit_memory() -> None:
    """Limits what calls may take besides what is there."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = now + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    except (OSError, ValueError):
        pass  # the sandbox has a limit of its own


class _Outside:
    """Stops what looks outside of this process while a call runs."""

    def __init__(self) -> None:
        self.listens = self.noted = False
        sys.addaudithook(self._hear)
        if sys.version_info < (3, 12):  # where nothing tells of threads
            _thread.start_new_thread = threading._start_new_thread = self._stopping(_thread.start_new_thread)

    def _stopping(self, start: Callable) -> Callable:
        def stopping(*args: object, **named: object) -> object:
            self._hear("_thread.start_new_thread", ())
            return start(*args, **named)

        return stopping

    def begin(self) -> None:
        """Stops it from now on."""
        self.listens, self.noted = True, False

    def end(self) -> bool:
        """Stops nothing any more; tells whether there was anything."""
        self.listens = False
        return self.noted

    def _hear(self, event: str, args: tuple) -> None:
        if not self.listens or event != "open" and not event.startswith(_OUTSIDE):
            return
        if event == "open" and type(args[0]) is int:
            return  # it is open already
        frame = sys._getframe(1)
        for _ in range(_FRAMES):
            if frame is None:
                break
            if frame.f_code.co_filename.startswith(_READERS[0]) or frame.f_code.co_filename.endswith(_READERS[1:]):
                return
            frame = frame.f_back
        self.noted = True
        raise Outside(event)


class Lines:
    """Notes the lines of the function's file that a call runs through."""

    def __init__(self, call: dict, modules: Modules) -> None:
        module = modules.get(call["module"], call["path"])
        self.file = getattr(module, "__file__", None)
        self.seen: set = set()
        self.tool: "int | None" = None
        if BY_EVENTS:
            self._take_tool()

    def _take_tool(self) -> None:
        monitoring = sys.monitoring
        for candidate in (5, 4, 3, 2):
            try:
                monitoring.use_tool_id(candidate, "pytead-tui near")
            except ValueError:
                continue
            self.tool = candidate
            monitoring.register_callback(candidate, monitoring.events.PY_START, self._started)
            monitoring.register_callback(candidate, monitoring.events.LINE, self._line)
            monitoring.set_events(candidate, monitoring.events.PY_START)
            return

    def _started(self, code: object, offset: int) -> object:
        if code.co_filename == self.file:
            sys.monitoring.set_local_events(self.tool, code, sys.monitoring.events.LINE)
        return sys.monitoring.DISABLE

    def _line(self, code: object, line: int) -> None:
        self.seen.add(line)

    def begin(self) -> None:
        """Begins to note."""
        self.seen.clear()
        if not BY_EVENTS:
            sys.settrace(self._enter)

    def end(self) -> list:
        """Notes no more; gives the lines."""
        if not BY_EVENTS:
            sys.settrace(None)
        return sorted(self.seen)[:LINES]

    def _enter(self, frame: object, event: str, argument: object) -> object:
        return self._step if frame.f_code.co_filename == self.file else None

    def _step(self, frame: object, event: str, argument: object) -> object:
        if event == "line":
            self.seen.add(frame.f_lineno)
        return self._step


def named_enums(tree: object) -> "Iterator[tuple]":
    """Gives the enums of which a value has members, each as (module, name)."""
    kind = type(tree)
    if kind is tuple and tree[:2] == (TAG, "enum"):
        yield tree[2:4]
    if kind is dict:
        for pair in tree.items():
            yield from named_enums(pair)
    elif kind in (tuple, list, set, frozenset):
        for item in tree:
            yield from named_enums(item)
