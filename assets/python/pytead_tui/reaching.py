"""What reaches out of a process, by Python's audit events: files that it changes, the network, other programs.

A call or a test that ends as it should only because a sandbox refused one of these would end otherwise elsewhere.
"""

import os as live_os
from collections.abc import Callable

from pytead_tui.recorder import databases, effects
from pytead_tui.recorder.failures import PACKAGE
from pytead_tui.recorder.own import __builtins__, os, sys

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# For each event the places of its paths, each with the place of the folder's descriptor that the path is taken from.
_CHANGES = {
    "os.remove": ((0, 1),), "os.rename": ((0, 2), (1, 3)), "os.mkdir": ((0, 2),), "os.rmdir": ((0, 1),),
    "os.link": ((1, 3),), "os.symlink": ((1, 2),), "os.truncate": ((0, None),), "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),), "os.utime": ((0, 3),), "os.setxattr": ((0, None),), "os.removexattr": ((0, None),),
    "shutil.rmtree": ((0, 1),), "shutil.move": ((0, None), (1, None)),
}  # fmt: skip
_UNIX = 1  # AF_UNIX
# What libraries keep for their next start, wherever it is called from, and can do without.
_CACHES = frozenset(("__pycache__", ".cache"))
_ASKED = "os.access"  # whether a file may be changed: no audit event, and a sandbox answers for itself
_MOST = 5  # that are named
_RECORDER = (os.path.join(PACKAGE, "recorder"), os.path.join(PACKAGE, "tracing.py"))
_STANDARD = (os.path.dirname(live_os.__file__), "<frozen")
_BETWEEN = 5  # frames of the standard library: `os.makedirs` and the like

_listeners: list = []
_told = False  # by an audit hook
_questions = False  # are told, too


def listen(listener: Callable) -> Callable:
    """Has each audit event heard from now on, with its arguments; gives what ends that. What the listener raises stops what is
    about to happen."""
    if not _told:
        sys.addaudithook(tell)
        tells()
    _hear_questions()
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def tells() -> None:
    """Says that there is an audit hook that calls `tell`."""
    global _told
    _told = True


def _hear_questions() -> None:
    """Has listeners told of who asks whether a file may be changed."""
    global _questions
    if _questions:
        return
    _questions = True
    real = live_os.access

    def access(path: object, mode: int, *args: object, **named: object) -> bool:
        if type(mode) is int and mode & os.W_OK:
            tell(_ASKED, (path, named.get("dir_fd")))
        return real(path, mode, *args, **named)

    live_os.access = access


def tell(event: str, args: tuple) -> None:
    """Tells the listeners of an audit event, but for looks at attributes: a tracer looks at the code of each frame."""
    if event == "object.__getattr__":
        return
    for listener in tuple(_listeners):
        listener(event, args)


def changed(event: str, args: tuple) -> list:
    """Lists the paths that an event is about to change, as they were given, each with the descriptor of its folder."""
    if event == "open":
        path, mode, flags = args
        if isinstance(mode, str):
            writes = any(letter in mode for letter in "wax+")
        else:
            writes = isinstance(flags, int) and bool(flags & _WRITES)
        return [(path, None)] if writes else []
    if event == databases.CONNECT:
        file = databases.file_of(args[0]) if args else None
        return [] if file is None else [(file, None)]
    places = _CHANGES.get(event, ())
    return [(args[at], _argument(args, folder)) for at, folder in places if at < len(args)]


def _argument(args: tuple, at: "int | None") -> object:
    return args[at] if at is not None and at < len(args) else None


class Reaching:
    """Notes what reaches out of this process: `(kind, detail)`, where the kind is `file`, `net` or `process`, or `temporary` for what
    is left below `passing`.

    Files below the given folders may be changed, but for those of the project, which is below `roots`. So may be what is made
    below `passing`, if it is gone at the end, or if fixtures of the project made it: they do so for the project's tests, too.
    """

    def __init__(
        self, roots: "list[str]", folders: "list[str]", passing: "list[str]", of_fixtures: "set[str] | None" = None
    ) -> None:
        self.roots = [os.path.realpath(root) for root in roots]
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.passing = [os.path.realpath(folder) for folder in passing]
        self.made: dict = {}  # below `passing`, with the event
        self.of_fixtures = of_fixtures if of_fixtures is not None else set()  # below `passing`
        self.in_fixture = False  # of the project
        self.noted: list = []

    def hear(self, event: str, args: tuple) -> bool:
        """Hears an audit event; tells whether it reaches out."""
        kind = effects.leaves(event)
        if kind is None and event == "socket.__new__" and _leads_out(args):
            kind = "net"
        if kind is not None:
            if _is_recorders():
                return False
            self._note(kind, event)
            return True
        places = [args] if event == _ASKED else changed(event, args)
        if not places or _is_recorders():
            return False
        return any([self._changes(event, path, folder) for path, folder in places])

    def _changes(self, event: str, path: object, folder: object) -> bool:
        real = _place(path, folder)
        if real is None or self._is_in(real, self.folders) or _CACHES.intersection(real.split(os.sep)):
            return False
        if event == "os.mkdir" and live_os.path.isdir(real):
            return False  # `exist_ok=True`: it is there, and stays as it is
        if event == "open" and live_os.path.isdir(real):
            return False  # a file without a name, as `tempfile.TemporaryFile` makes it
        if self._is_in(real, self.passing):
            if _is_below(real, self.made) or _is_below(real, self.of_fixtures):
                return False
            if not os.path.lexists(real):
                if event != _ASKED and self.in_fixture:
                    self.of_fixtures.add(real)
                elif event != _ASKED:
                    self.made[real] = event
                return False
        self._note("file", self._words(event, real))
        return True

    def _is_in(self, real: str, folders: "list[str]") -> bool:
        own = [root for root in self.roots if _is_below(real, [root])]
        return any(
            _is_below(real, [folder]) and not any(_is_below(root, [folder]) for root in own) for folder in folders
        )

    def _words(self, event: str, real: str) -> str:
        path = next((os.path.relpath(real, root) for root in self.roots if _is_below(real, [root])), real)
        return f"{'write' if event == 'open' else event} {path}"

    def _note(self, kind: str, detail: str) -> None:
        if (kind, detail) not in self.noted and len(self.noted) < _MOST:
            self.noted.append((kind, detail))

    def said(self) -> str:
        """Says what was noted first."""
        return self.noted[0][1]

    def all(self) -> list:
        """Gives what was noted until now, with what was made and is still there."""
        for path, event in self.made.items():
            if os.path.lexists(path):
                self._note("temporary", self._words(event, path))
        return self.noted


def is_private(path: object, folder: object, folders: object) -> bool:
    """Whether what is changed lies below one of some real folders, or nowhere in the file system."""
    real = _place(path, folder)
    return real is None or _is_below(os.path.realpath(real), folders)


def _place(path: object, folder: object) -> "str | None":
    """Gives the real path of what is changed; `None` where nothing of the file system is, or nobody can tell."""
    if isinstance(path, int):
        return None  # it was opened before, and judged then
    try:
        text = os.fsdecode(path)
    except TypeError:
        return None
    if text == os.devnull or databases.is_in_memory(text):
        return None
    if isinstance(folder, int) and folder >= 0 and not os.path.isabs(text):
        try:
            text = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), text)
        except OSError:
            return None
    # The last part may be a link, which is what a removal is about.
    head, tail = os.path.split(os.path.abspath(text))
    return os.path.join(os.path.realpath(head), tail)


def _is_below(path: str, folders: object) -> bool:
    return any(path == folder or path.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)


def _is_recorders() -> bool:
    """Whether what was told last is the doing of the recorder that the decorator `trace` starts, and not of the program."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not tell.__code__:
        frame = frame.f_back
    for _ in range(_BETWEEN):
        frame = None if frame is None else frame.f_back
        name = "" if frame is None else frame.f_code.co_filename
        if name.startswith(_RECORDER):
            return True
        if not name.startswith(_STANDARD):
            return False
    return False


def _leads_out(args: tuple) -> bool:
    """Whether a socket is made that may lead out: not one of a pair inside of the process, which has its descriptor by then."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    if frame is None or frame.f_code.co_name != "__init__":
        return args[1] != _UNIX
    return frame.f_locals.get("fileno") is None
