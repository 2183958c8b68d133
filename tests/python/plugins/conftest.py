"""The host of plugins as pytead-tui starts it: a process, and frames."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "assets" / "python"
sys.path.insert(0, str(PACKAGE))

from pytead_tui.worker import frames  # noqa: E402


class Host:
    """One host, asked one thing after the other."""

    def __init__(self, root: Path, files: list, servers: list) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytead_tui.plugin_host"], cwd=PACKAGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        self.reader = frames.Reader(self.process.stdout.fileno())
        self.number = 0
        self.loading = []
        self.loaded = self.ask(
            "load", root=str(root), paths=[str(root)], files=[str(file) for file in files], servers=servers
        )

    def send(self, op: str, **fields: object) -> int:
        self.number += 1
        frames.send(self.process.stdin.fileno(), {"id": self.number, "op": op, **fields})
        return self.number

    def answer(self, number: int, seconds: float = 30) -> dict:
        until = time.monotonic() + seconds
        while True:
            message = self.reader.next(until)
            assert message is not None, "no answer"
            if "loading" in message:
                self.loading.append(message["loading"])
            elif message["id"] == number:
                return message

    def ask(self, op: str, **fields: object) -> dict:
        return self.answer(self.send(op, **fields))

    def call(self, tool: str, wait: float = 20, **args: object) -> dict:
        answer = self.ask("call", tool=tool, args=args, seconds=wait)
        return {key: value for key, value in answer.items() if key != "id"}

    def check(self, source: str, seconds: float = 5, **names: object) -> dict:
        return self.ask("check", source=source, names=names, seconds=seconds)

    def end(self) -> "list[dict]":
        cleanup = self.ask("end")["cleanup"]
        self.process.wait(10)
        return cleanup

    def printed(self) -> str:
        self.process.wait(10)
        return self.process.stderr.read().decode()


@pytest.fixture
def start(tmp_path: Path):
    """Starts a host with plugin files, each a name and its text."""
    hosts = []

    def start(servers: "list | None" = None, **files: str) -> Host:
        folder = tmp_path / "tests" / "llm" / "plugins"
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, text in files.items():
            paths.append(folder / (name + ".py"))
            paths[-1].write_text("from llm_pytest import LLMPlugin\n" + text)
        hosts.append(Host(tmp_path, sorted(paths), servers or []))
        return hosts[-1]

    yield start
    for host in hosts:
        if host.process.poll() is None:
            host.process.send_signal(signal.SIGKILL)
        host.process.wait(10)
        for stream in (host.process.stdin, host.process.stdout, host.process.stderr):
            stream.close()
