"""What a call is made in: the files, variables and command line that it read when it was recorded, and, where it follows them, a fixed clock and fixed bytes of chance.

Runs in the process of the call, which ends with it; only files outlast it, so they are removed.
"""

import builtins
import io
import os
import shutil
import sys
import tempfile
import time

from pytead_tui.worker.clock import Fixed, Recorded


class Around:
    """The recorded surroundings of one call."""

    def __init__(self, call: dict, root: str) -> None:
        self.root = root
        self.clock = call.get("clock")
        self.recorded_clock = call.get("recorded_clock")
        self.chance = call.get("chance", False)
        self.files = call.get("files") or {}
        self.variables = call.get("variables") or {}
        self.argv = call.get("argv")
        self.as_recorded = call.get("files_as_recorded", False)
        self.made: list = []  # files and folders that were not there

    def lay(self) -> None:
        """Sets the variables and lays out the files that are not there: in a folder of their own, where they are named
        from the working folder."""
        os.environ.update(self.variables)
        if self.argv:
            sys.argv = list(self.argv)
        if "TZ" in self.variables:
            time.tzset()
        if self.chance:
            os.urandom = bytes
        if self.clock is not None:
            os.environ["TZ"] = "UTC"
            time.tzset()
            Fixed(self.clock, self._modules()).start()
        elif self.recorded_clock is not None:
            Recorded(*self.recorded_clock, self._modules()).start()
        if not all(os.path.isabs(path) or os.path.exists(path) for path in self.files):
            folder = tempfile.mkdtemp()
            self.made.append(folder)
            os.chdir(folder)
        if self.as_recorded:
            self._open_as_recorded()
        for path, text in self.files.items():
            # What lies in the project is there; the rest of the disk is not this process's to change, nor to see.
            if not os.path.exists(path):
                self._write(path, text)

    def _open_as_recorded(self) -> None:
        """Has files that are others now opened as they were recorded, from copies beside them."""
        copies: dict = {}
        for path, text in self.files.items():
            try:
                with open(path, encoding="utf-8", newline="") as file:
                    now = file.read()
            except (OSError, ValueError):
                continue  # it is gone, and laid out
            if now != text:
                if not copies:
                    self.made.append(tempfile.mkdtemp())
                copy = os.path.join(self.made[-1], str(len(copies)))
                with open(copy, "w", encoding="utf-8", newline="") as file:
                    file.write(text)
                copies[os.path.realpath(path)] = copy
        if not copies:
            return
        real = open

        def as_recorded(file: object, *args: object, **named: object) -> object:
            place = file if type(file) is int else os.path.realpath(os.fspath(file))
            return real(copies.get(place, file), *args, **named)

        builtins.open = io.open = as_recorded

    def _modules(self) -> list:
        """Gives the project's modules that are imported: they hold what reads the clock under names of their own."""
        inside = self.root + os.sep
        files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
        return [sys.modules[name] for name, file in files.items() if type(file) is str and file.startswith(inside)]

    def _write(self, path: str, text: str) -> None:
        folder = os.path.dirname(path)
        missing = folder
        while missing and not os.path.exists(os.path.dirname(missing) or "."):
            missing = os.path.dirname(missing)
        try:
            if folder and not os.path.exists(folder):
                os.makedirs(folder)
                self.made.append(os.path.abspath(missing))
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            self.made.append(os.path.abspath(path))
        except OSError:
            pass  # the call will say what it misses

    def remove(self) -> None:
        """Removes what was laid out."""
        take_away(self.made)


def take_away(made: list) -> None:
    """Removes files and folders that were laid out: where a call ended its process, the process around it does."""
    for path in reversed(made):
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.exists(path):
            os.remove(path)
