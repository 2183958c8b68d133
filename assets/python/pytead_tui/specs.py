"""Asks `pytead-tui __spec`, a process of this process's own, to read and run YAML tests: JSON lines there and back."""

from __future__ import annotations

import sys
from typing import Any, Callable

from pytead_tui import judge
from pytead_tui.judge import Broken

_FOREVER = 7 * 24 * 3600.0  # steps have limits of their own


class Runner(judge.Judge):
    """Runs YAML tests; what it says while one runs is passed on as it comes."""

    PATIENCE = 60.0  # to clean up after a test that was stopped

    def _words(self) -> "list[str]":
        return ["--python", sys.executable, "__spec"]

    def read(self, file: str) -> dict:
        """Reads a file: its name and tags, or what is wrong with it."""
        return self._asked({"read": {"file": file}}, "read", judge.SECONDS, lambda _: None)

    def run(self, file: str, timeout: "float | None", refresh: bool, take: Callable) -> dict:
        """Runs a file; `take` gets lines for people while it runs. With `refresh` a model is asked anew."""
        return self._asked({"run": {"file": file, "timeout": timeout, "refresh": refresh}}, "report", _FOREVER, take)

    def _asked(self, request: dict, wanted: str, seconds: float, take: Callable) -> Any:
        self.start()
        self._write(request)
        while True:
            answer = self._answer(seconds)
            if "told" in answer:
                take(answer["told"])
            elif isinstance(answer.get(wanted), dict):
                return answer[wanted]
            else:
                raise Broken(str(answer.get("error", "pytead-tui gave no report.")))
