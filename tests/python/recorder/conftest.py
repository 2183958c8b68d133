"""Runs programs under the recorder in real subprocesses and reads their spools back."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from spools import Spool, read_folder

BOOT = Path(__file__).resolve().parents[3] / "assets" / "python" / "pytead_tui" / "boot"


class Program:
    """A project in a folder of its own, and the ways to run it."""

    boot = BOOT

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.root.mkdir()
        self.spool = base / "spool"
        self.spool.mkdir(mode=0o700)

    def write(self, name: str, source: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return path

    def environment(self, recorded: bool = True, **extra: str) -> dict:
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEAD", "PYTEST", "COV", "PYTHON"))}
        if recorded:
            env.update(PYTEAD_SPOOL=str(self.spool), PYTEAD_RECORDING="r1", PYTEAD_ROOT=str(self.root.resolve()))
            env["PYTHONPATH"] = str(BOOT)
        env.update(extra)
        return env

    def run(self, *args: str, recorded: bool = True, timeout: float = 60, input: "str | None" = None,
            **extra: str) -> subprocess.CompletedProcess:  # fmt: skip
        return subprocess.run(
            [sys.executable, *args], cwd=self.root, env=self.environment(recorded, **extra), timeout=timeout,
            capture_output=True, text=True, input=input,
        )  # fmt: skip

    def record(self, *args: str, **extra: str) -> Spool:
        done = self.run(*args, **extra)
        assert done.returncode == 0, done.stderr
        return self.read(done)

    def read(self, done: "subprocess.CompletedProcess | None" = None) -> Spool:
        spool = read_folder(self.spool)
        spool.process = done
        assert not [g for g in spool.of("G") if "error" in g[1]], spool.of("G")
        for end in spool.of("Z"):
            assert end[2]["errors"] == 0, end
        return spool

    def main(self, source: str, **extra: str) -> Spool:
        """Records `app.py`, imported by a bare main.py that calls its main()."""
        self.write("app.py", source)
        self.write("main.py", "import app\napp.main()\n")
        return self.record("main.py", **extra)

    def same(self, *args: str) -> subprocess.CompletedProcess:
        """Asserts that a recorded run cannot be told from an unrecorded one; gives the recorded one."""
        plain = self.run(*args, recorded=False)
        recorded = self.run(*args)
        assert recorded.stdout == plain.stdout
        assert recorded.stderr == plain.stderr
        assert recorded.returncode == plain.returncode
        return recorded


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)
