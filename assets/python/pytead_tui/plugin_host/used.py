"""Notes what of the project a test's plugins use: its files, its functions, and whether they start processes."""

from __future__ import annotations

import os
import sys
from typing import Any

from pytead_tui.worker import track

_STARTS = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system")


class Used:
    """What was used since it was made."""

    def __init__(self, root: str) -> None:
        self.root = root
        # Before 3.12 only a profiler sees calls, and that would slow down what is tested: files have to do.
        self.entered: "set | None" = track.start(root) if sys.version_info >= (3, 12) else None
        self.spawned = False
        self.ours = 0  # processes are being started that the plugins have nothing to do with
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _args: Any) -> None:
        if event in _STARTS and not self.ours:
            self.spawned = True

    def told(self) -> dict:
        """Tells it, paths relative to the root."""
        inside = self.root + os.sep
        files = set()
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and file.startswith(inside) and "site-packages" not in file:
                files.add(file[len(inside) :].replace(os.sep, "/"))
        entered = None if self.entered is None else sorted(self.entered)
        return {"files": sorted(files), "entered": entered, "spawned": self.spawned}
