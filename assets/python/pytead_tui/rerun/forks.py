"""Forks that answer with JSON lines on a pipe, and their end."""

import contextlib
import json
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable

from pytead_tui.worker import client_answers, side_effects
from pytead_tui.worker.processes import ended, fork_patiently

LOOK = 0.05  # seconds between two looks at whether a process still lives: what it left running may hold its pipe


class Gone(Exception):
    """The process hung up or ended."""


class Writer:
    """The end of a pipe on which a process answers."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.pid = os.getpid()

    def send(self, **line: object) -> None:
        """Sends a line. A process that a test forked sends nothing: it is not the one that was asked."""
        if os.getpid() != self.pid:
            os._exit(0)
        data = memoryview(json.dumps(line).encode("ascii") + b"\n")
        while data:
            data = data[os.write(self.file, data) :]


class Fork:
    """A process of its own for some work, in a process group of its own."""

    def __init__(
        self, work: "Callable[[Writer], None]", closing: "tuple[int, ...]" = (), session: bool = False
    ) -> None:
        """Forks, and has the child do its work; the child closes these descriptors first."""
        self.reading, answering = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fork beside other threads: start.py decides about them
            self.pid = fork_patiently()
        if self.pid == 0:
            try:
                if session:
                    os.setsid()
                else:
                    os.setpgid(0, 0)
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                for file in (self.reading, *closing):
                    os.close(file)
                work(Writer(answering))
                flush()
                os._exit(0)
            finally:
                os._exit(70)
        os.close(answering)
        if not session:  # a leader of a group could not begin a session
            try:
                os.setpgid(self.pid, self.pid)
            except OSError:
                pass  # the child did so itself, or is gone
        self.rest = b""
        self.how = ""  # it ended

    def next(self, seconds: "float | None") -> dict:
        """Gives its next line. Raises Gone if it ended and TimeoutError if the line did not come in time."""
        until = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self.rest:
            if not self._has_more(until):
                raise Gone
        line, _, self.rest = self.rest.partition(b"\n")
        try:
            found = json.loads(line)
        except ValueError as error:
            raise Gone from error
        if type(found) is not dict:
            raise Gone
        return found

    def _has_more(self, until: "float | None") -> bool:
        while True:
            ready = select.select([self.reading], [], [], LOOK)[0]
            if ready:
                data = os.read(self.reading, 65536)
                self.rest += data
                return bool(data)
            if self.has_ended():
                return False
            if until is not None and time.monotonic() >= until:
                raise TimeoutError

    def has_ended(self) -> bool:
        """Tells whether the process ended, and leaves it uncollected: its number stays its own."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None

    def end(self, grace: float = 0.0) -> str:
        """Ends it and all of its group, after it had some seconds to end by itself; gives how: `exit 1` or `signal 9`."""
        until = time.monotonic() + grace
        while not self.has_ended() and time.monotonic() < until:
            time.sleep(0.001)
        for kill in (os.killpg, os.kill):
            try:
                kill(self.pid, signal.SIGKILL)
            except OSError:
                pass
        os.close(self.reading)
        self.how = ended(os.waitpid(self.pid, 0)[1])
        return self.how


def flush() -> None:
    """Has the recorder of this process write what it still holds, if one runs here, and let go of its file."""
    start = sys.modules.get("pytead_tui.recorder.start")
    recorder = getattr(start, "active", None)
    if recorder is not None and recorder.on:
        start.finish(recorder)
        recorder.spools.close()


def end_session(leader: int) -> None:
    """Kills all processes of a session, those that left their process group too."""
    until = time.monotonic() + 2
    while time.monotonic() < until:
        pids = _of_session(leader)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if not pids:
            return
        time.sleep(0.005)


def _of_session(leader: int) -> "list[int]":
    found = []
    try:
        names = os.listdir("/proc")
    except OSError:
        names = [str(leader)]
    for name in names:
        if not name.isdecimal():
            continue
        try:
            if os.getsid(int(name)) == leader and not _is_zombie(name):
                found.append(int(name))
        except OSError:
            pass
    return found


def _is_zombie(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            return stream.read().rpartition(b")")[2].split()[0] in (b"Z", b"X")
    except (OSError, IndexError):
        return False


def listen(root: str) -> None:
    """Has a recorder that keeps every call tell what calls do besides ending."""
    start = sys.modules.get("pytead_tui.recorder.start")
    if start is not None and start.active is not None:
        with contextlib.suppress(ImportError):
            import sqlite3  # noqa: F401, so that connections that the project makes while it is imported are heard
        start.active.listener = side_effects.listen(root)


def hear_answers() -> None:
    """Has such a recorder note what clients of frameworks are answered, and what mocks are called with: of those that are imported by now."""
    start = sys.modules.get("pytead_tui.recorder.start")
    recorder = getattr(start, "active", None)
    if recorder is not None and recorder.listener is not None:

        def write(call: object, kind: str, detail: str) -> None:
            spool, number = (recorder.spools.current(), None) if call is None else (call.spool, call.cid)
            spool.write(("E", number, kind, detail))

        client_answers.listen(write, side_effects.shorten)
        side_effects.hear_mocks()


def narrow(functions: "list[str] | None") -> None:
    """Limits a recorder that keeps every call to these functions. With None it records all of its targets."""
    start = sys.modules.get("pytead_tui.recorder.start")
    if functions is not None and start is not None and start.active is not None:
        start.active.only = frozenset(functions)
