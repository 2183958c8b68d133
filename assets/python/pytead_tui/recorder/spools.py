"""The spool files of a process: one for each thread that records, each in the fastest way that works here."""

from pytead_tui.recorder import forked, modules
from pytead_tui.recorder.mapped import Mapped
from pytead_tui.recorder.own import __builtins__, _thread, os, sys, time
from pytead_tui.recorder.spool import Appended, Full, Spool, Unmappable

VERSION = 1

# What stands in `.pytead/.gitignore`, as the binary writes it.
_IGNORED = "*\n!config.yaml\n!config.yml\n!config.toml\n"

_getpid = os.getpid


class Spools:
    """The files of this process: one for each thread that records."""

    def __init__(self, folder: str, recording: str, mode: str, root: str) -> None:
        self.folder = folder
        self.recording = recording
        self.mode = mode
        self.root = root
        self.pid = _getpid()
        self.own = forked.mark()
        self.next = 0
        self.lock = _thread.RLock()  # a finalizer may come back in here
        self.local = _thread._local()
        self.when_forked: "object | None" = None  # called in a child that Python was not told of

    def current(self) -> Spool:
        """Gives this thread's file, made at its first use."""
        if not self.own[0] and self.when_forked is not None:
            self.when_forked()
        try:
            return self.local.spool
        except AttributeError:
            spool = self._open()
            self.local.spool = spool
            return spool

    def _open(self) -> Spool:
        with self.lock:
            while True:
                ordinal = self.next
                self.next += 1
                path = os.path.join(self.folder, "%d-%d.spool" % (self.pid, ordinal))
                try:
                    spool = _made(path, ordinal, self.own)
                    break
                except FileExistsError:
                    continue  # the program replaced itself by exec under the same process id
                except OSError as error:
                    raise Full from error
        version = "%d.%d.%d" % sys.version_info[:3]
        spool.write(
            ("H", VERSION, self.recording, self.pid, os.getppid(), spool.ordinal, time.time_ns(),
             time.perf_counter_ns(), version, self.mode, self.root)
        )  # fmt: skip
        return spool

    def close(self) -> None:
        """Gives back the room that this thread's file does not use; nothing is written to it any more."""
        spool = getattr(self.local, "spool", None)
        if spool is not None:
            spool.close()

    def after_fork(self) -> None:
        """Gives the child its own files, in place: callbacks hold this very object."""
        self.pid = _getpid()
        self.own = forked.mark()
        self.next = 0
        self.lock = _thread.RLock()  # a finalizer may come back in here
        # Dropping the locals lets go of what the child inherited.
        self.local = _thread._local()


class Traced(Spools):
    """The files of a process that nobody records, for its decorated functions: in a folder of their own, made with the
    first of them, and locked while the process lives."""

    def __init__(self, home: str, root: str) -> None:
        super().__init__(home, "", "calls", root)
        self.made = False
        self.held = -1

    def _open(self) -> Spool:
        with self.lock:
            if not self.made:
                try:
                    self._make()
                except OSError as error:
                    raise Full from error
            return super()._open()

    def _make(self) -> None:
        home = self.folder
        above = os.path.dirname(home)
        if os.path.islink(above) or os.path.islink(home):
            raise NotADirectoryError(home)  # a repository may bring one: what it leads to is not ours
        if not os.path.isdir(above):
            os.mkdir(above, 0o700)
            with open(os.path.join(above, ".gitignore"), "x") as stream:
                stream.write(_IGNORED)
        if not os.path.isdir(home):
            os.mkdir(home, 0o700)
        name = "traced-%d-%d" % (time.time_ns() // 1_000_000, self.pid)
        folder = os.path.join(home, name)
        os.mkdir(folder, 0o700)
        self.held = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        flock = modules.own("fcntl")
        if flock is not None:
            try:
                flock.flock(self.held, flock.LOCK_EX | flock.LOCK_NB)
            except OSError:
                pass  # where the file system knows no locks, it may be read before its time
        self.recording = name
        self.folder = folder
        self.made = True


def _made(path: str, ordinal: int, own: object) -> Spool:
    try:
        return Mapped(path, ordinal, own)
    except Unmappable:
        return Appended(path, ordinal, own)
