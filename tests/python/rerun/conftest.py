"""Projects whose tests run again by `python -m pytead_tui.rerun`, in real subprocesses."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[3] / "assets" / "python"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "recorder"))  # the reader of spools, and what is apart

from apart import folder_of  # noqa: E402


class Project:
    """A project, and the ways to run its tests again."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.root = base / "project"
        self.root.mkdir()
        self.report = base / "report.jsonl"
        self.spool = base / "spool"
        self.spool.mkdir(mode=0o700)
        self.path = [str(PACKAGES)]
        self.lines: list = []
        self.status = 0

    def write(self, name: str, source: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return path

    def command(self, *tests: str, **changed: object) -> "list[str]":
        ini = next((self.root / name for name in ("pytest.ini", "pyproject.toml") if (self.root / name).exists()), None)
        request = {
            "root": str(self.root), "ini": ini and str(ini), "options": [], "cwd": str(self.root), "path": [],
            "tests": list(tests), "test_seconds": 20.0, "shift_seconds": None, "report": str(self.report), **changed,
        }  # fmt: skip
        path = self.base / "request.json"
        path.write_text(json.dumps(request), encoding="utf-8")
        return [sys.executable, "-m", "pytead_tui.rerun", str(path)]

    def environment(self, recorded: bool = False, **extra: str) -> dict:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEAD", "PYTEST", "COV", "PYTHON"))}
        path = [str(PACKAGES / "pytead_tui" / "boot"), *self.path[1:]] if recorded else self.path
        env.update(PYTHONPATH=os.pathsep.join(path), PYTHONDONTWRITEBYTECODE="1")
        if recorded:
            env.update(PYTEAD_SPOOL=str(self.spool), PYTEAD_RECORDING="r1", PYTEAD_ROOT=str(self.root.resolve()))
        return {**env, **extra}

    def needs(self, package: str) -> None:
        """Lets the project import a package that is apart. Skips the test where it cannot."""
        self.path.append(folder_of(package))

    def rerun(self, *tests: str, recorded: bool = False, env: "dict | None" = None, **changed: object) -> dict:
        """Runs tests again; gives the lines of the report by test."""
        self.report.unlink(missing_ok=True)
        command = self.command(*tests, **changed)
        environment = self.environment(recorded, **(env or {}))
        done = subprocess.run(command, cwd=self.base, env=environment, timeout=120, capture_output=True, text=True)
        self.lines = [json.loads(line) for line in self.report.read_text().splitlines()]
        self.status = done.returncode
        assert done.stderr == ""
        return {line["test"]: line for line in self.lines if "test" in line}

    def outcomes(self, *tests: str, **changed: object) -> "list[str]":
        """Gives the outcomes of tests that run again, in their order."""
        found = self.rerun(*tests, **changed)
        assert self.status == 0, self.lines
        return [found[test]["outcome"] for test in tests]

    def log(self) -> "list[str]":
        """Gives the words that the project's code wrote into its file `log`, one a line."""
        path = self.root / "log"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
