"""The `weak` level: an audit hook that refuses what a replayed call has no business doing.

It stops careless code, not hostile code, which can go around any hook in its own process; that is why it is called
weak wherever it is shown. Files are written in private folders alone; no sockets, processes or foreign libraries.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = {
    "os.remove": (0,), "os.rename": (0, 1), "os.mkdir": (0,), "os.rmdir": (0,), "os.link": (1,), "os.symlink": (1,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "os.setxattr": (0,),
    "os.removexattr": (0,), "sqlite3.connect": (0,), "shutil.rmtree": (0,), "shutil.move": (0, 1),
}  # fmt: skip
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
    if event == "open":
        path, mode, flags = args
        if isinstance(mode, str):
            writes = any(letter in mode for letter in "wax+")
        else:
            writes = isinstance(flags, int) and bool(flags & _WRITES)
        if writes and not _private(path):
            raise PermissionError(f"pytead-tui: a replayed call may not write {path!r}")
    elif event in _CHANGES:
        for at in _CHANGES[event]:
            if at < len(args) and not _private(args[at]):
                raise PermissionError(f"pytead-tui: a replayed call may not change {args[at]!r}")
    elif event == "socket.__new__":
        # Pairs of sockets inside the process, as every asyncio loop has; connecting one elsewhere is refused below.
        if args[1] not in (_UNIX, -1):
            raise PermissionError("pytead-tui: a replayed call may not use the network")
    elif event.startswith(_REFUSED) and event not in _HARMLESS or _calling and event.startswith(_REFUSED_TO_CALLS):
        raise PermissionError(f"pytead-tui: a replayed call may not use {event}")


def _private(path: object) -> bool:
    if isinstance(path, int):
        return True  # it was opened before, and judged then
    try:
        text = os.fsdecode(path)
    except TypeError:
        return False
    if text in (os.devnull, ":memory:"):
        return True
    real = os.path.realpath(text)
    return any(real == folder or real.startswith(folder + os.sep) for folder in _folders)
