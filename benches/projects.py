"""Projects from PyPI with their own suites, each in a folder and an environment of its own.

Owns the set-up, the commands, and edits that are taken back; what is counted is the business of the parts that use it.
"""

import json
import os
import random
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import Bench, finished
from small_edits import MOVED, moved, parses, refactorings

PATIENCE = 600  # seconds for a command
MOVES = 3  # of the refactorings, where there are so many functions that can move by themselves


class Replayed:
    """What a run of `replay` says."""

    def __init__(self, done: "subprocess.CompletedProcess[str]", seconds: float) -> None:
        self.code, self.seconds = done.returncode, seconds
        self.output = done.stdout + done.stderr
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.events = [line for line in lines if "event" in line]
        self.changes = [line["value"]["proposal"] for line in lines if line.get("result") == "change"]
        self.summary = next((line["value"] for line in lines if line.get("result") == "replay"), {})
        self.edits = self.summary.get("edits", {})
        self.edited = self.edits.get("edited", [])

    def of(self, function: str) -> list:
        """Gives the edited code that is a function, or lies in it: a fault may be in one that it defines."""
        return [e for e in self.edited if e["subject"] == function or e["subject"].startswith(function + ".<locals>.")]


class Project:
    """One project in a folder of its own, with an environment of its own."""

    def __init__(self, bench: Bench, folder: Path, name: str, version: str, tests: str, needs: tuple, below: str = ".",
                 without: tuple = (), files: "dict | None" = None) -> None:
        self.bench, self.tests, self.chance = bench, tests.split(), random.Random(name)
        self.failing: list = []  # tests that fail with nothing edited
        self.python = folder / "venv" / "bin" / "python"
        self.run([bench.pythons[-1][1], "-m", "venv", folder / "venv"], folder)
        pip = [self.python, "-m", "pip", "-q", "--disable-pip-version-check"]
        self.must([*pip, "install", "pytest==8.4.2", *needs], folder)
        sources = folder / "sources"
        download = ["download", "--no-deps", "--no-binary", ":all:", "--dest", sources]
        self.must([*pip, *download, "%s==%s" % (name, version)], folder)
        (archive,) = sources.iterdir()
        with tarfile.open(archive) as stream:
            stream.extractall(sources, filter="data")
        archive.unlink()
        (self.root,) = sources.iterdir()
        self.root = self.root / below
        for path in without:
            shutil.rmtree(self.root / path)
        for path, text in (files or {}).items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "as it was"]):
            self.must(["git", *command], self.root)

    def must(self, command: list, cwd: Path) -> None:
        """Runs a command of the set-up."""
        done = self.run(command, cwd)
        if done.returncode:
            raise RuntimeError("%s ended with %d:\n%s" % (command, done.returncode, done.stderr[-2000:]))

    def run(self, command: list, cwd: Path, seconds: float = PATIENCE) -> "subprocess.CompletedProcess[str]":
        """Runs a command to its end, whatever that is."""
        home = self.bench.folder / "home"
        home.mkdir(exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR", "PIP_CACHE_DIR", "PIP_INDEX_URL")}
        # Many keep their package below `src`.
        path = os.pathsep.join(str(place) for place in (cwd, cwd / "src") if place.is_dir())
        environment = {**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": path}
        return finished(command, cwd, environment, seconds)

    def suite(self, *flags: str) -> list:
        """Gives the command that runs the suite."""
        return ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", *flags, *self.tests]

    def passes(self, seconds: float = PATIENCE) -> bool:
        """Tells whether the suite passes, without the tests that fail anyway."""
        known = [word for test in self.failing for word in ("--deselect", test)]
        return self.run([self.python, *self.suite("-x", *known)], self.root, seconds).returncode == 0

    def product(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Runs a verb of the product."""
        return self.run([self.bench.binary, "--trust", "--python", self.python, "--format", "json", *words], self.root)

    def replayed(self) -> Replayed:
        """Runs `replay`."""
        began = time.monotonic()
        done = self.product("replay")
        return Replayed(done, time.monotonic() - began)

    def functions(self) -> list:
        """Gives the functions of the project that were recorded, without those of its tests."""
        rows = self.results(self.product("index"), "functions")
        return [f for f in rows if f["calls"] and "test" not in f["path"]]

    def results(self, done: "subprocess.CompletedProcess[str]", name: str) -> "list | dict":
        """Gives the value of a result among JSON lines."""
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return next((line["value"] for line in lines if line.get("result") == name), [])

    def chosen(self, functions: list, edits: Callable, most: int) -> list:
        """Chooses edits over all functions at random: (path, new text, function)."""
        found, texts = [], {}
        for function in functions:
            path = function["path"]
            if path not in texts:
                texts[path] = (self.root / path).read_text(encoding="utf-8")
            found += [(path, new, function["id"]) for new in edits(texts[path], *function["lines"])]
        self.chance.shuffle(found)
        good: list = []
        for one in found:
            if len(good) == most:
                break
            if all(map(parses, one[1] if isinstance(one[1], tuple) else one[1:2])):
                good.append(one)
        return good

    @contextmanager
    def edited(self, texts: dict) -> Iterator[None]:
        """Gives files other texts for a while; files that were not there are taken away again."""
        before = {path: (self.root / path).read_text(encoding="utf-8") for path in texts if (self.root / path).exists()}
        for path, text in texts.items():
            (self.root / path).write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            for path in texts:
                if path in before:
                    (self.root / path).write_text(before[path], encoding="utf-8")
                else:
                    (self.root / path).unlink()

    def caught(self, edits: list, seconds: float = PATIENCE) -> Iterator[tuple]:
        """Puts edits in, one at a time, and gives those that the suite catches: (path, function, diff)."""
        for path, new, function in edits:
            with self.edited({path: new}):
                # One that never ends is caught, too.
                if not self.passes(seconds):
                    yield path, function, self.diff()

    def refactored(self, functions: list, most: int) -> Iterator[tuple]:
        """Puts refactorings in, one at a time: (path, function, diff)."""
        moves = self.chosen(functions, moved, MOVES)
        for path, new, function in moves + self.chosen(functions, refactorings, most - len(moves)):
            texts = {path: new}
            if isinstance(new, tuple):
                texts = {path: new[0], str(Path(path).with_name(MOVED + ".py")): new[1]}
            with self.edited(texts):
                if isinstance(new, tuple) and not self.passes():
                    continue  # it cannot be imported from there
                yield path, function, self.diff()

    def diff(self) -> str:
        """Gives the lines that differ from what the project was."""
        text = self.run(["git", "diff", "-U0", "--no-ext-diff"], self.root).stdout
        return "\n".join(line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---"))


def is_compared(edit: dict) -> bool:
    """Tells whether calls tell what an edit does, as `replay` takes it for its exit code."""
    return not edit["unrun"] and bool(edit["compared"] or edit["through"] and not edit["outside"])
