"""Writes a spool file, whole records or nothing, in the way that works everywhere: by appending.

The faster way is mapped.py's; which file belongs to whom is spools.py's affair. Knows nothing of calls and values.
"""

from pytead_tui.recorder import forked
from pytead_tui.recorder.own import __builtins__, marshal, os

# A record past this is a fault of the capture's budgets; it is dropped and counted.
LARGEST = 1 << 20


class Full(Exception):
    """The spool cannot be written any more."""


class Unmappable(Exception):
    """A new spool file is there, but it cannot be written through memory."""


class Spool:
    """One spool file, whichever way it is written."""

    __slots__ = ("path", "ordinal", "own", "functions", "modules", "test", "sessions")

    def __init__(self, path: str, ordinal: int, own: "object | None" = None) -> None:
        self.path = path
        self.ordinal = ordinal
        self.own = forked.mark() if own is None else own  # whether this is still the process that made it
        self.functions: set = set()
        self.modules: set = set()
        self.test: "tuple | None" = None  # that the calls written last belong to
        self.sessions: set = set()  # of tests that are in it

    def write(self, record: tuple) -> None:
        """Appends one record. Raises `Full` when the disk or the folder refuses it."""
        raise NotImplementedError

    def close(self) -> None:
        """Lets go of the file."""
        raise NotImplementedError

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass


class Appended(Spool):
    """One spool file, written by a system call a record: where files cannot be mapped or their room not be reserved."""

    __slots__ = ("fd", "mark")

    def __init__(self, path: str, ordinal: int, own: "object | None" = None) -> None:
        super().__init__(path, ordinal, own)
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self.mark = self._identity()

    def _identity(self) -> tuple:
        stat = os.fstat(self.fd)
        return stat.st_dev, stat.st_ino

    def write(self, record: tuple) -> None:
        data = marshal.dumps(record, 2)
        if len(data) > LARGEST:
            raise ValueError("record too large")
        if not self.own[0]:
            return  # a fork that Python was not told of: the file is the parent's
        data = len(data).to_bytes(4, "little") + data
        try:
            # A program may close every descriptor and open its own file under our number.
            if self._identity() != self.mark:
                self._reopen()
        except OSError:
            self._reopen()
        try:
            written = os.write(self.fd, data)
        except OSError as error:
            raise Full from error
        if written != len(data):
            self._cut(written)
            raise Full

    def _reopen(self) -> None:
        try:
            self.fd = os.open(self.path, os.O_WRONLY | os.O_APPEND)
            self.mark = self._identity()
        except OSError as error:
            raise Full from error

    def _cut(self, written: int) -> None:
        try:
            os.ftruncate(self.fd, os.fstat(self.fd).st_size - written)
        except OSError:
            pass

    def close(self) -> None:
        try:
            if self.fd >= 0 and self._identity() == self.mark:
                os.close(self.fd)
        except (OSError, AttributeError):
            pass
        self.fd = -1
