"""Tells a process from one that was forked off it, also where Python was not told of the fork.

Asking the kernel for the process's number at each record would be felt. Linux empties a page of memory in every child,
if it is asked to; looking at that page costs a fifth.
"""

from pytead_tui.recorder import modules
from pytead_tui.recorder.own import __builtins__, os, sys

_WIPE = 18  # MADV_WIPEONFORK, Linux 4.14

_getpid = os.getpid
_mmap = modules.mmap


class _Number:
    """The same where the kernel cannot be asked to."""

    __slots__ = ("pid",)

    def __init__(self) -> None:
        self.pid = _getpid()

    def __getitem__(self, at: int) -> int:
        return _getpid() == self.pid


def mark() -> object:
    """Gives what holds 1 at 0 in this process, and 0 in every child of it."""
    if sys.platform == "linux" and _mmap is not None:
        try:
            page = _mmap.mmap(-1, _mmap.PAGESIZE, flags=_mmap.MAP_PRIVATE | _mmap.MAP_ANONYMOUS)
            page.madvise(_WIPE)
            page[0] = 1
            return page
        except (OSError, ValueError):
            pass
    return _Number()
