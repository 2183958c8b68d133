"""Writes a spool file through shared memory: a record costs two copies, and outlives its process.

Owns one window of the file at a time, with all its disk space allocated beforehand, so that a full
disk is an error at the allocation and never a SIGBUS. What the kernel holds survives `kill -9`,
`os._exit` and a crash; a record's length is written last, so half a record is never read as a whole.
"""

from pytead_tui.recorder import modules
from pytead_tui.recorder.own import __builtins__, _thread, marshal, os, sys
from pytead_tui.recorder.spool import LARGEST, Full, Spool, Unmappable

FIRST = 1 << 16  # bytes of a file's first window: a process may have many threads
LARGER = 1 << 20  # and of the later ones
RESERVE = 512  # bytes of a window for the record that says what is missing after it

# The lengths of nearly all records, as they are written.
_HEADS = tuple([size.to_bytes(4, "little") for size in range(512)])


def _possible() -> bool:
    """Whether this interpreter can map files, and its lock keeps two threads from writing at one place."""
    locked = getattr(sys, "_is_gil_enabled", lambda: True)()
    return _mmap is not None and hasattr(os, "posix_fallocate") and locked


_mmap = modules.mmap
# Before 3.13 a mapping keeps a descriptor, which a program that closes every descriptor may put to its own use.
_TRACKS = sys.version_info < (3, 13)
_GRAIN = 1 if _mmap is None else _mmap.ALLOCATIONGRANULARITY


class Mapped(Spool):
    """One spool file, written through a window of memory."""

    __slots__ = ("window", "number", "mark", "base", "at", "end", "allocated", "lock")

    def __init__(self, path: str, ordinal: int, own: "object | None" = None) -> None:
        super().__init__(path, ordinal, own)
        self.lock = _thread.RLock()
        self.window = self.number = self.mark = None
        self.base = self.at = self.end = self.allocated = 0
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if not _possible():
                raise Unmappable
            stat = os.fstat(fd)
            self.mark = stat.st_dev, stat.st_ino
            self._map(fd, 0, FIRST)
        except (OSError, ValueError) as error:
            os.ftruncate(fd, 0)
            raise Unmappable from error
        finally:
            os.close(fd)

    def write(self, record: tuple) -> None:
        """Appends one record. Raises `Full` when no more can be allocated."""
        data = marshal.dumps(record, 2)
        size = len(data)
        if not self.own[0]:
            return  # a fork that Python was not told of: the file is the parent's
        if size < 512:
            head = _HEADS[size]
        elif size > LARGEST:
            raise ValueError("record too large")
        else:
            head = size.to_bytes(4, "little")
        while True:
            # From here to the end nothing is called: a signal handler, a finalizer or another thread, which may write
            # here too, comes before all of this or after it.
            window = self.window
            at = self.at
            body = at + 4
            after = body + size
            if after <= self.end:
                break
            try:
                self._extend(size)
            except Full:
                if record[0] == "G" and after <= len(window):
                    break
                raise
        self.at = after
        window[body:after] = data
        window[at:body] = head

    def _extend(self, size: int) -> None:
        """Goes on to a window that has room for a record of this size."""
        with self.lock:
            at = self.base + self.at
            if self.at + 4 + size <= self.end:
                return  # another thread was here before
            base = at - at % _GRAIN
            try:
                fd = os.open(self.path, os.O_RDWR)
            except OSError as error:
                raise Full from error
            try:
                self._map(fd, base, max(LARGER, _GRAIN + 4 + size + RESERVE))
            except (OSError, ValueError) as error:
                raise Full from error
            finally:
                os.close(fd)

    def _map(self, fd: int, base: int, length: int) -> None:
        length += -length % _GRAIN
        if base + length > self.allocated:
            os.posix_fallocate(fd, self.allocated, base + length - self.allocated)
            self.allocated = base + length
        if _TRACKS:
            taken = {fd, self.number if self._is_ours() else fd}
            window = _mmap.mmap(fd, length, offset=base)
            number = self._find(taken)
        else:
            window = _mmap.mmap(fd, length, offset=base, trackfd=False)
            number = None
        old, was_ours = self.window, self._is_ours()
        # Nothing is called between these: a writer sees the old window or the new one.
        self.at += self.base - base
        self.window = window
        self.base = base
        self.end = length - RESERVE
        self.number = number
        if not was_ours:
            _keep(old)

    def _find(self, taken: set) -> int:
        """Gives the number of the descriptor that a new mapping made for itself."""
        for number in range(3, 4096):
            if number not in taken:
                try:
                    stat = os.fstat(number)
                except OSError:
                    continue
                if (stat.st_dev, stat.st_ino) == self.mark:
                    return number
        raise OSError("no descriptor of ours")

    def _is_ours(self) -> bool:
        """Whether the mapping's descriptor is still its own, so that it may close it."""
        if self.number is None:
            return True
        try:
            stat = os.fstat(self.number)
        except OSError:
            return False
        return (stat.st_dev, stat.st_ino) == self.mark

    def close(self) -> None:
        """Lets go of the window, and of the room after the last record."""
        window, self.window, self.end = self.window, None, 0
        if window is None:
            return
        if not self._is_ours():
            _keep(window)
        if self.own[0] and not sys.is_finalizing():
            try:
                os.truncate(self.path, self.base + self.at)
            except OSError:
                pass  # removed, or never ours to change: the reader stops at the zeros


def _keep(window: object) -> None:
    """Keeps a mapping until after the program's last file is closed: letting it go would close a descriptor of the
    program's by its number."""
    if window is not None:
        os.register_at_fork(after_in_parent=window.tell)
