"""Asks `pytead-tui __judge`, a process of this process's own: a JSON line there, a JSON line back.

Whatever goes wrong on the way is a `Broken` with a sentence for people: it says nothing about the test.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from typing import Any

from pytead_tui import __version__
from pytead_tui.binary import INSTALL, Missing, find

PROTOCOL = 4
SECONDS = 120  # for one answer,
MODEL_SECONDS = 900  # and for one by a model

# As they are now: a test may put something else in their places.
_getpid, _read, _write, _monotonic, _select = os.getpid, os.read, os.write, time.monotonic, select.select


class Broken(Exception):
    """There is no judge, or it does not answer."""


class Judge:
    """The judge of this process, started when it is first needed, and anew in a forked child."""

    PATIENCE = 2.0  # seconds to end by itself

    def __init__(self, root: str, model: "str | None" = None, processes: int = 1, session: "str | None" = None) -> None:
        self.root = root
        self.words = ["--processes", str(processes)]
        self.words += ["--session=" + session] if session else []
        self.words += ["--model=" + model] if model else []
        self.model = ""  # what may be asked of a model, in words
        self.pid = 0
        self.process: Any = None
        self.rest = b""
        self.refused: "str | None" = None  # why no judge can be had, for good

    def start(self) -> None:
        """Starts the process, so that it reads the project's sources while the test runs."""
        if self.process is not None and self.pid == _getpid():
            return
        if self.refused is not None:
            raise Broken(self.refused)
        try:
            program = find()
            self.process = subprocess.Popen(
                [program, "--root", self.root, *self._words()],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, close_fds=True,
                start_new_session=True,
            )  # fmt: skip
        except Missing as error:
            self.refused = "The judge was not found. %s" % error
            raise Broken(self.refused) from None
        except OSError as error:
            self.refused = "The judge could not be started: %s." % error
            raise Broken(self.refused) from None
        self.pid = _getpid()
        self.rest = b""
        try:
            ready = self._answer().get("ready")
        except Broken:
            self.refused = "%s is no judge of this version. %s" % (program, INSTALL)
            raise Broken(self.refused) from None
        if not isinstance(ready, dict) or ready.get("version") != __version__ or ready.get("protocol") != PROTOCOL:
            self.stop()
            theirs = ready.get("version") if isinstance(ready, dict) else "?"
            self.refused = "pytead-tui is %s and its plugin is %s: the same version of both is needed. %s" % (
                theirs, __version__, INSTALL,
            )  # fmt: skip
            raise Broken(self.refused)
        self.model = ready.get("model") or ""

    def ask(self, request: dict) -> dict:
        """Gives the verdict on one test."""
        self.start()
        self._write({"judge": request})
        answer = self._answer()
        while "asking" in answer:  # a model, which takes its time
            answer = self._answer(MODEL_SECONDS)
        verdict = answer.get("verdict")
        if not isinstance(verdict, dict):
            raise Broken(str(answer.get("error", "The judge gave no verdict.")))
        return verdict

    def conceal(self, names: "list[str]") -> "list[str]":
        """Gives names of tests without the secrets in them."""
        self.start()
        self._write({"conceal": names})
        answer = self._answer().get("concealed")
        if not isinstance(answer, list) or len(answer) != len(names):
            raise Broken("The judge did not look through the names of tests.")
        return answer

    def _words(self) -> "list[str]":
        """Gives the verb, with words of its own."""
        return ["__judge", *self.words]

    def _write(self, request: dict) -> None:
        try:
            line = json.dumps(request).encode() + b"\n"
            descriptor = self.process.stdin.fileno()
            while line:
                line = line[_write(descriptor, line) :]
        except OSError as error:
            self.stop()
            raise Broken("The judge has ended.") from error

    def _answer(self, seconds: float = SECONDS) -> dict:
        descriptor = self.process.stdout.fileno()
        until = _monotonic() + seconds
        while b"\n" not in self.rest:
            ready, _, _ = _select([descriptor], [], [], max(0.0, until - _monotonic()))
            if not ready:
                self.stop()
                raise Broken("The judge gave no answer in %d seconds." % seconds)
            data = _read(descriptor, 1 << 16)
            if not data:
                self.stop()
                raise Broken("The judge has ended without an answer.")
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self.stop()
            raise Broken("The judge's answer cannot be read.")
        return answer

    def stop(self) -> None:
        """Ends the process; a later question starts another one."""
        process, self.process = self.process, None
        if process is None or self.pid != _getpid():
            return
        for stream in (process.stdin, process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        try:
            process.wait(self.PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
