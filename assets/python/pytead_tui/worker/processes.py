"""Forks: once there is room for one; for work that answers on a pipe; and their end."""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable

from pytead_tui.worker import frames
from pytead_tui.worker.frames import Reader
from pytead_tui.worker.modules import Modules

ROOM = 15.0  # seconds to wait for room for one more process: more than a call gets that takes it
GRACE = 0.5  # seconds for a process to end after it hung up
SPARE = 2  # seconds of processor time beyond its time: the clock on the wall is to end it, not the processor's


def threads() -> int:
    """Counts the threads of this process; those that Python does not know of too, where that can be seen."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def fork_patiently() -> int:
    """Forks, once there is room: a call may take every process there may be, and those that were killed go in a moment."""
    until = time.monotonic() + ROOM
    while True:
        try:
            return os.fork()
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
        time.sleep(0.005)


def ended(status: int) -> str:
    """Says how a process ended: `signal 9` or `exit 1`."""
    code = os.waitstatus_to_exitcode(status)
    return f"signal {-code}" if code < 0 else f"exit {code}"


def fork(modules: Modules, writing: int, work: Callable, seconds: float) -> "tuple[int, Reader]":
    """Forks for work that may take so long and answers on a pipe: (process, reader)."""
    reading, answering = os.pipe()
    with modules.unguarded():
        pid = fork_patiently()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            os.close(reading)
            os.close(writing)
            _limit_cpu(int(seconds) + SPARE)
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


def prepare(modules: Modules) -> None:
    """Undoes what importing the project did to signals and hooks, and guards the call that comes."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)
    sys.settrace(None)
    sys.setprofile(None)
    if modules.guard is not None:
        modules.guard.calling()


def end(modules: Modules, pid: int, fd: int, died: bool) -> str:
    """Ends a process and all of its group; says how it had ended when it died by itself."""
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
