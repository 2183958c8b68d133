"""Follows what a call runs through in the project, line by line: the ways that it takes, and how far a fault may run.

Where Python has them, its events of chosen code tell it: what packages run costs nothing then. Else a tracer does, which sees
each function that anything calls. Both see and count the same.
"""

import _thread
import os
import sys
import threading
import zlib
from collections.abc import Callable
from threading import get_ident
from types import CodeType

BY_EVENTS = sys.version_info >= (3, 12)
MOST_ARCS = 20_000


class TooLong(BaseException):
    """A fault keeps a call or a test from coming to an end."""


class _Watch:
    """What follows the project's code in this thread: by events where there are any, else by a tracer."""

    def __init__(self, root: str) -> None:
        self.inside = root + os.sep
        self.events = _Events.begin(root)

    def start(self) -> None:
        """Begins to watch what this thread does."""
        if self.events is None:
            sys.settrace(self._enter)
        else:
            self.events.follow(self._callbacks())

    def stop(self) -> None:
        """Watches no longer."""
        if self.events is None:
            sys.settrace(None)
        else:
            self.events.rest()


class Ways(_Watch):
    """The ways from line to line that a call took through the project, and those that it took more than once: of two calls of
    a loop, the one that runs it again shows more."""

    def __init__(self, root: str) -> None:
        super().__init__(root)
        self.seen: set = set()
        self.again: set = set()
        self.lines = 0
        self.is_blind = False  # something ran that was not seen

    def start(self) -> None:
        """Begins to watch what this thread does; of others it sees only that there are any."""
        threading.settrace(self._miss)
        super().start()

    def stop(self) -> None:
        """Watches no longer."""
        if self.events is None:
            self.is_blind |= sys.gettrace() != self._enter
        super().stop()
        if self.events is not None:
            self._count()
        threading.settrace(None)

    def _miss(self, frame: object, event: str, argument: object) -> None:
        self.is_blind = True

    def _is_left_out(self, file: str) -> bool:
        return "site-packages" in file or len(self.seen) > MOST_ARCS

    def _callbacks(self) -> dict:
        """Gives what to do at each event. It does not tell the frame, so the functions that run are kept here, each with its
        code, its file's name and the line it came from."""
        seen, again, cut = self.seen, self.again, len(self.inside)
        none: list = [None, None, 0]
        now, lines = none, 0
        running = [none]

        def enter(code: CodeType, *_: object) -> None:
            nonlocal now
            file = code.co_filename
            now = [code, None if self._is_left_out(file) else file[cut:], -code.co_firstlineno]
            running.append(now)

        def latest(code: CodeType) -> "int | None":
            # Not the last one where it goes on in another way than by a call or a return, as greenlets do.
            return next((at for at in range(len(running) - 1, 0, -1) if running[at][0] is code), None)

        def leave(code: CodeType, *_: object) -> None:
            nonlocal now
            at = len(running) - 1 if now[0] is code else latest(code)
            if at is not None:
                del running[at]
                now = running[-1]

        def line(code: CodeType, number: int) -> None:
            nonlocal lines, now
            if now[0] is not code:
                at = latest(code)
                if at is None:
                    enter(code)
                else:
                    now = running[at]
                    running.append(running.pop(at))
            name = now[1]
            if name is not None:
                lines += 1
                way = name, now[2], number
                now[2] = number
                if way in seen:
                    again.add(way)
                else:
                    seen.add(way)

        def count() -> None:
            self.lines = lines

        def miss() -> None:
            self.is_blind = True

        self._count = count
        return {"enter": enter, "leave": leave, "line": line, "other_thread": miss}

    def _enter(self, frame: object, event: str, argument: object) -> object:
        """Traces a function of the project."""
        code = frame.f_code  # looked at once: it is an audit event
        file = code.co_filename
        if not file.startswith(self.inside) or self._is_left_out(file):
            return None
        name = file[len(self.inside) :]
        before = -code.co_firstlineno

        def step(frame: object, event: str, argument: object) -> object:
            nonlocal before
            if event == "line":
                self.lines += 1
                way = name, before, frame.f_lineno
                (self.again if way in self.seen else self.seen).add(way)
                before = frame.f_lineno
            return step

        return step

    def reply(self) -> dict:
        """Gives a number for each."""
        once = {zlib.crc32(b"%s:%d:%d" % (n.encode(), a, b)) for n, a, b in self.seen}
        again = {zlib.crc32(b"again %s:%d:%d" % (n.encode(), a, b)) for n, a, b in self.again}
        return {"arcs": sorted(once | again)}

    def ran(self, file: str) -> "set[int] | None":
        """Gives the lines of a file that the call ran through; None where some may have been missed."""
        if self.is_blind or len(self.seen) > MOST_ARCS or not file.startswith(self.inside) or "site-packages" in file:
            return None
        name = file[len(self.inside) :]
        return {line for at, _, line in self.seen if at == name}


class Fuse(_Watch):
    """Ends what runs through more lines of the project than it may. Lines are counted, for time is never the same twice.
    Those of one file that it runs through are noted among others."""

    def __init__(self, root: str, most: int, file: str, ran: "set[int] | None") -> None:
        super().__init__(root)
        self.left = most
        self.file = file
        self.ran = ran

    def _callbacks(self) -> dict:
        left, file, ran, rest = self.left, self.file, self.ran, self.events.rest

        def count(code: CodeType, at: int, about: object = None) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                rest()  # as a tracer that raises is not asked again
                raise TooLong

        def note(code: CodeType, number: int) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                rest()
                raise TooLong
            if code.co_filename == file:
                ran.add(number)

        return {"leave": count, "raised": count, "line": count if ran is None else note}

    def _enter(self, frame: object, event: str, argument: object) -> object:
        """Traces a function of the project."""
        file = frame.f_code.co_filename  # once for a call, and not for a line: it is an audit event
        if not file.startswith(self.inside):
            return None
        return self._step if self.ran is None or file != self.file else self._noting

    def _step(self, frame: object, event: str, argument: object) -> object:
        self.left -= 1
        if self.left < 0:
            raise TooLong
        return self._step

    def _noting(self, frame: object, event: str, argument: object) -> object:
        self._step(frame, event, argument)
        self.ran.add(frame.f_lineno)
        return self._noting


class _Events:
    """Python's own events in the code of a project. They stay on between two who listen, for to turn them on and off has
    Python prepare all code anew."""

    now: "_Events | None" = None

    @classmethod
    def begin(cls, root: str) -> "_Events | None":
        """Gives those of this process; None where there are none, and where all tools of Python are taken."""
        if not BY_EVENTS:
            return None
        if cls.now is not None and cls.now.root == root:
            return cls.now
        tool = None if cls.now is None else cls.now.end()
        for candidate in (5, 4, 3, 2) if tool is None else ():
            try:
                sys.monitoring.use_tool_id(candidate, "pytead-tui steps")
            except ValueError:
                continue
            tool = candidate
            break
        cls.now = None if tool is None else cls(root, tool)
        return cls.now

    def __init__(self, root: str, tool: int) -> None:
        self.root = root
        self.inside = root + os.sep
        self.tool = tool
        self.known: dict = {}  # the project's code, by its number: to hash code takes long
        self.listening: dict = {}
        self.thread = 0  # that is listened to
        self.lock = threading.RLock()
        self.loops: dict = {}  # the line that a jump stays on, by where it is
        events = self.events = sys.monitoring.events
        self.local = events.LINE | events.JUMP | events.PY_START | events.PY_RESUME
        self.local |= events.PY_RETURN | events.PY_YIELD | events.STOP_ITERATION
        for event in (events.PY_START, events.PY_RESUME):
            self._register(event, self._started)
        sys.monitoring.set_events(
            tool, events.PY_START | events.PY_RESUME | events.PY_THROW | events.PY_UNWIND | events.RAISE
        )

    def end(self) -> int:
        """Turns them off; gives the tool."""
        self.rest()
        sys.monitoring.set_events(self.tool, 0)
        for code in self.known.values():
            sys.monitoring.set_local_events(self.tool, code, 0)
        sys.monitoring.restart_events()
        return self.tool

    def _register(self, event: int, callback: "Callable | None") -> None:
        sys.monitoring.register_callback(self.tool, event, callback)

    def follow(self, callbacks: dict) -> None:
        """Calls these when this thread enters or leaves a function of the project, and at a line; and `other_thread` once
        another thread does."""
        with self.lock:
            self.thread = get_ident()
            self._listen(callbacks)
            if _thread._count() > 0:  # one that goes on since before
                self._listen_to_one(callbacks)

    def _listen(self, callbacks: dict) -> None:
        events = self.events
        self.listening = callbacks
        enter, leave, line, raised = (callbacks.get(name) for name in ("enter", "leave", "line", "raised"))
        for event in (events.PY_RETURN, events.PY_YIELD):
            self._register(event, leave)
        self._register(events.PY_UNWIND, self._in_project(leave))
        self._register(events.PY_THROW, None if enter is None else self._in_project(enter))
        self._register(events.STOP_ITERATION, raised)
        self._register(events.RAISE, None if raised is None else self._in_project(raised))
        self._register(events.JUMP, self._jumped)
        self._register(events.LINE, line)

    def _listen_to_one(self, listening: dict) -> None:
        """Has what other threads do left out: to ask at each line which one it is takes as long as all the rest, and each
        begins with a function."""
        with self.lock:
            if self.listening is not listening or "one" in listening:
                return  # nobody listens any more, or somebody else does
            kept = {name: one if name == "other_thread" else self._of_thread(one) for name, one in listening.items()}
            self._listen({"one": True, **kept})

    def _of_thread(self, callback: Callable) -> Callable:
        mine = self.thread

        def of_one(*about: object) -> None:
            if get_ident() == mine:
                callback(*about)

        return of_one

    def rest(self) -> None:
        """Calls nothing any more."""
        events = self.events
        with self.lock:
            self.listening = {}
            for event in (
                events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND, events.PY_THROW, events.STOP_ITERATION,
                events.RAISE, events.JUMP, events.LINE,
            ):  # fmt: skip
                self._register(event, None)

    def _started(self, code: CodeType, offset: int) -> object:
        """Turns on what is wanted of a function when it is first seen."""
        if id(code) not in self.known:
            if not code.co_filename.startswith(self.inside):
                return sys.monitoring.DISABLE
            self.known[id(code)] = code
            sys.monitoring.set_local_events(self.tool, code, self.local)
        listening = self.listening
        if listening and get_ident() != self.thread:
            self._listen_to_one(listening)
            if "other_thread" in listening:
                listening["other_thread"]()
        elif "enter" in listening:
            listening["enter"](code)
        return None  # for it stays on: without it Python leaves out the first line of a function on one line

    def _in_project(self, callback: Callable) -> Callable:
        def of_any(code: CodeType, *about: object) -> None:
            if id(code) in self.known:
                callback(code, *about)

        return of_any

    def _jumped(self, code: CodeType, offset: int, to: int) -> object:
        """Takes a loop that stays on one line as that line once more."""
        at = id(code), offset
        line = self.loops.get(at)
        if line is None:
            line = self.loops[at] = 0 if to > offset or _line(code, to) != _line(code, offset) else _line(code, to)
        if line == 0:
            return sys.monitoring.DISABLE
        take = self.listening.get("line")
        if take is not None:
            take(code, line)
        return None


def _line(code: CodeType, offset: int) -> "int | None":
    """Gives the line that an instruction belongs to."""
    return next((line for start, end, line in code.co_lines() if start <= offset < end), None)
