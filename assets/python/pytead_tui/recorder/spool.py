"""Writes spool files: one a process and thread, append-only, whole records or nothing.

Owns the files and their descriptors. Knows nothing of calls and values.
"""

import _thread
import marshal
import os
import sys
import time

VERSION = 1
# A record past this is a fault of the capture's budgets; it is dropped and counted.
LARGEST = 1 << 20


class Full(Exception):
    """The spool cannot be written any more."""


class Spool:
    """One spool file."""

    __slots__ = ("path", "fd", "mark", "ordinal", "functions", "modules")

    def __init__(self, path: str, ordinal: int) -> None:
        self.path = path
        self.ordinal = ordinal
        self.functions: set = set()
        self.modules: set = set()
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self.mark = self._identity()

    def _identity(self) -> tuple:
        stat = os.fstat(self.fd)
        return stat.st_dev, stat.st_ino

    def write(self, record: tuple) -> None:
        """Appends one record. Raises `Full` when the disk or the folder refuses it."""
        data = marshal.dumps(record, 2)
        if len(data) > LARGEST:
            raise ValueError("record too large")
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
        """Closes the descriptor if it is still ours."""
        try:
            if self.fd >= 0 and self._identity() == self.mark:
                os.close(self.fd)
        except (OSError, AttributeError):
            pass
        self.fd = -1

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass


class Spools:
    """The files of this process: one for each thread that records, the first of them the main one."""

    def __init__(self, folder: str, recording: str, mode: str, root: str) -> None:
        self.folder = folder
        self.recording = recording
        self.mode = mode
        self.root = root
        self.pid = os.getpid()
        self.next = 0
        self.lock = _thread.RLock()  # a finalizer may come back in here
        self.local = _thread._local()
        self.first: "Spool | None" = None

    def current(self) -> Spool:
        """Gives this thread's file, made at its first use."""
        try:
            return self.local.spool
        except AttributeError:
            spool = self._open()
            self.local.spool = spool
            return spool

    def main(self) -> Spool:
        """Gives the file that holds what concerns the process as a whole."""
        return self.first or self.current()

    def _open(self) -> Spool:
        with self.lock:
            while True:
                ordinal = self.next
                self.next += 1
                path = os.path.join(self.folder, "%d-%d.spool" % (self.pid, ordinal))
                try:
                    spool = Spool(path, ordinal)
                    break
                except FileExistsError:
                    continue  # the program replaced itself by exec under the same process id
                except OSError as error:
                    raise Full from error
            if self.first is None:
                self.first = spool
        version = "%d.%d.%d" % sys.version_info[:3]
        spool.write(
            ("H", VERSION, self.recording, self.pid, os.getppid(), spool.ordinal, time.time_ns(),
             time.perf_counter_ns(), version, self.mode, self.root)
        )  # fmt: skip
        return spool

    def after_fork(self) -> None:
        """Gives the child its own files, in place: callbacks hold this very object."""
        inherited = self.first
        self.pid = os.getpid()
        self.next = 0
        self.lock = _thread.RLock()  # a finalizer may come back in here
        # Dropping the locals closes the descriptors that the child inherited.
        self.local = _thread._local()
        self.first = None
        if inherited is not None:
            inherited.close()
