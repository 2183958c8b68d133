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
                self.marks[path] = mark(path)

    def compiled(self, path: str, text: bytes) -> None:
        """Notes the text that a module is compiled from."""
        if self.noting:
            self.texts[path] = text
            self.marks.pop(path, None)

    def stand(self) -> bool:
        """Tells whether all is as it was."""
        return all(map(_holds, self.texts, self.texts.values())) and all(
            was is not None and mark(path) == was for path, was in self.marks.items()
        )


def mark(path: str) -> "tuple | None":
    """Gives what changes with a file, or with the names in a folder: empty where there is none, None where it changed just
    now and may do so once more without a trace."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    changed = max(found.st_mtime_ns, found.st_ctime_ns)
    return None if time.time_ns() - changed < TICK else (changed, found.st_size, found.st_ino, found.st_dev)


def _holds(path: str, text: bytes) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read() == text
    except OSError:
        return False
