"""Code that the server compiles ahead, while it has nothing else to do: a layer that is made anew after an edit compiles only
what was edited. Texts are compared byte for byte; nothing of what is compiled is run here.
"""

import os
import stat
import warnings
from importlib.machinery import SourceFileLoader

from pytead_tui.worker.modules import is_of

MOST = 16 << 20  # bytes of text, all files together
LONGEST = 4 << 20  # bytes of text of one file
MOST_FILES = 5_000


class Codes:
    """Code of files of a project, by path and text."""

    def __init__(self) -> None:
        self.kept: dict = {}  # text and code, by path
        self.size = 0
        self.wanted: list = []

    def want(self, root: str, paths: object) -> None:
        """Has files compiled when there is time for it, where they are files of this project."""
        if type(paths) is list and all(type(path) is str for path in paths):
            room = max(0, MOST_FILES - len(self.wanted))
            self.wanted += [path for path in paths[:room] if is_of(root, path)]

    def compile_next(self) -> None:
        """Compiles the next file that is wanted; one that cannot be says so where it is imported."""
        path = self.wanted.pop()
        try:
            # What was a file may be a pipe by now, which would be waited for.
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return
                text = file.read(LONGEST + 1)
            if len(text) > LONGEST or self.get(path, text) is not None:
                return
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = SourceFileLoader("", path).source_to_code(text, path)
        except Exception:
            return
        before, _ = self.kept.pop(path, (b"", None))
        self.size += len(text) - len(before)
        self.kept[path] = text, code
        while self.size > MOST:
            oldest = next(iter(self.kept))
            self.size -= len(self.kept.pop(oldest)[0])

    def get(self, path: str, text: bytes) -> object:
        """Gives the code of a text; None where it was not compiled."""
        known = self.kept.get(path)
        return known[1] if known is not None and known[0] == text else None
