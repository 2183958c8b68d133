"""The `weak` level: an audit hook that refuses what a replayed call has no business doing.

It stops careless code, not hostile code, which can go around any hook in its own process; that is why it is called
weak wherever it is shown. Files are written in private folders alone; no sockets, processes or foreign libraries.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pytead_tui import reaching

_REFUSED = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.kill",
    "os.killpg", "pty.", "fcntl.ioctl", "signal.pthread_kill", "syslog.", "ftplib.", "smtplib.", "http.",
    "urllib.", "webbrowser.", "os.startfile", "winreg.",
)  # fmt: skip
_REFUSED_TO_CALLS = ("ctypes.",)  # importing a library may well load another
_HARMLESS = ("socket.gethostname",)
_UNIX = 1  # AF_UNIX

_ours = 0
_calling = False
_folders: tuple = ()
_installed = False


def install(folders: list) -> None:
    """Refuses from now on, in this process and its forks, what is not for the given folders."""
    global _folders, _installed
    _folders = tuple(os.path.realpath(folder) for folder in folders)
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)
        reaching.tells()


def calling() -> None:
    """Refuses from now on also what importing modules needs."""
    global _calling
    _calling = True


@contextmanager
def ours() -> Iterator[None]:
    """Lets our own code pass."""
    global _ours
    _ours += 1
    try:
        yield
    finally:
        _ours -= 1


def _hook(event: str, args: tuple) -> None:
    if _ours:
        return
    reaching.tell(event, args)
    for path, folder in reaching.changed(event, args):
        if not reaching.is_private(path, folder, _folders):
            raise PermissionError(f"pytead-tui: a replayed call may not change {path!r}")
    if event == "socket.__new__":
        # Pairs of sockets inside the process, as every asyncio loop has; connecting one elsewhere is refused below.
        if args[1] not in (_UNIX, -1):
            raise PermissionError("pytead-tui: a replayed call may not use the network")
    elif event.startswith(_REFUSED) and event not in _HARMLESS or _calling and event.startswith(_REFUSED_TO_CALLS):
        raise PermissionError(f"pytead-tui: a replayed call may not use {event}")
