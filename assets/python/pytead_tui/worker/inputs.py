"""What importing modules rested on: the texts they were compiled from, the other files that were opened meanwhile, and the
folders that were listed. What was imported holds only as long as all of that stands.

Texts are compared byte for byte: a file may be written twice within one tick of the clock that its times come from.
"""

import os
import sys
import time

TICK = 100_000_000  # nanoseconds; a time in the file system that is not older may be that of two writes


class Inputs:
    """What the imports of this process rest on, below a folder. There can be one in a process, for hooks stay."""

    def __init__(self, root: str) -> None:
        self.inside = root + os.sep
        self.texts: dict = {}  # by path
        self.names: list = []  # of the files with these texts that nobody was told of, as Python has them
        self.marks: dict = {}  # of other files and of folders, by path
        self.noting = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple) -> None:
        if not self.noting or event not in ("open", "os.listdir", "os.scandir", "import"):
            return
        path = args[1 if event == "import" else 0]  # of an extension
        if type(path) is bytes:
            path = os.fsdecode(path)
        if type(path) is str:
            path = os.path.realpath(path)
            if (path + os.sep).startswith(self.inside) and path not in self.marks:
                self.marks[path] = ()  # looking at it is heard, too
                self.marks[path] = mark(path)

    def compiled(self, path: str, name: str, text: bytes) -> None:
        """Notes the text that a module is compiled from."""
        if self.noting:
            self.texts[path] = text
            self.names.append(name)
            self.marks.pop(path, None)

    def told(self) -> list:
        """Gives the names of the files that were compiled since it was asked last."""
        names, self.names = self.names, []
        return names

    def stand(self) -> bool:
        """Tells whether all is as it was."""
        return all(map(_holds, self.texts, self.texts.values())) and all(map(_stands, self.marks, self.marks.values()))


def mark(path: str) -> "tuple | None":
    """Gives what changes with a file, or with the names in a folder: empty where there is none. What changed just now may do so
    once more without a trace: of a folder its names are given, too, and of a file None.
    """
    found = _stamp(path)
    if not found or time.time_ns() - found[0] >= TICK:
        return found
    return (*found, _names(path)) if os.path.isdir(path) else None


def _stands(path: str, was: "tuple | None") -> bool:
    return was is not None and _stamp(path) == was[:4] and (len(was) < 5 or _names(path) == was[4])


def _stamp(path: str) -> tuple:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return max(found.st_mtime_ns, found.st_ctime_ns), found.st_size, found.st_ino, found.st_dev


def _names(folder: str) -> "frozenset | None":
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return None


def _holds(path: str, text: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read() == text
    except OSError:
        return False
