"""Memory over a long time: twenty thousand saves while `watch` looks on.

    soak.py --binary PATH [--python PATH] [--edits N] [--seed N]

Each round saves every file of examples/shop: one of its functions gets code that was never there before, or the file is taken
back to what it was; the next round waits until `watch` has announced all of this one, and every fifth until the recorded calls
were run again, which newer saves put off. Owns the saves and the measuring of its memory and its database.
"""

import argparse
import json
import os
import queue
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench import ROOT, table

TITLE = "A long time"
EDITS = 20_000
LOOKS = 20  # times that memory is read
PATIENCE = 300  # seconds until a save that was not announced, or calls that were not run again, end this
REST = 5  # rounds until all is run again


class Watch:
    """`pytead-tui watch` on a recorded shop: what it announces, and what it holds."""

    def __init__(self, binary: Path, python: Path, folder: Path) -> None:
        self.root = folder / "shop"
        shutil.copytree(ROOT / "examples/shop", self.root, ignore=shutil.ignore_patterns("__pycache__", ".p*"))
        (folder / "home").mkdir()
        environment = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        words = [binary, "--trust", "--python", python]
        given: dict = {"cwd": self.root, "env": environment, "stdout": subprocess.PIPE, "text": True}
        subprocess.run(
            [*words, "run", "--", python, "-m", "pytest", "-q"], check=True, stderr=subprocess.DEVNULL, **given
        )
        self.process = subprocess.Popen([*words, "watch", "--format", "json"], **given)
        self.saved: queue.SimpleQueue = queue.SimpleQueue()
        self.indexed, self.rested = threading.Event(), threading.Event()
        self.replayed = 0
        threading.Thread(target=self._read, daemon=True).start()
        if not self.indexed.wait(PATIENCE):
            raise SystemExit("watch does not begin.")

    def _read(self) -> None:
        for line in self.process.stdout:  # type: ignore[union-attr]
            said = json.loads(line)
            if said.get("event") == "saved":
                self.saved.put(said["paths"])
            elif said.get("event") == "replayed":
                self.replayed += said["calls"]
                self.rested.set()
            elif said.get("event") == "indexed":
                self.indexed.set()

    def save(self, texts: "dict[Path, str]") -> None:
        """Saves files as editors do, and waits until that was seen."""
        self.rested.clear()
        for file, text in texts.items():
            beside = file.with_suffix(".tmp~")
            beside.write_text(text)
            beside.replace(file)
        waiting = {str(file.relative_to(self.root)) for file in texts}
        while waiting:
            waiting.difference_update(self.saved.get(timeout=PATIENCE))

    def rest(self) -> None:
        """Waits until the calls that the last saves concern were run again."""
        if not self.rested.wait(PATIENCE):
            raise SystemExit("watch does not run the calls again.")

    def memory(self) -> int:
        """Gives the bytes in memory, of the program alone."""
        status = Path("/proc/%d/status" % self.process.pid).read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024  # type: ignore[union-attr]

    def handles(self) -> int:
        """Gives the number of open files."""
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def database(self) -> int:
        """Gives the bytes of the database, its log included."""
        return sum(file.stat().st_size for file in (self.root / ".pytead").glob("pytead.db*"))


def soak(binary: Path, python: Path, edits: int, seed: int) -> list:
    """Gives what was seen on the way: edits, seconds, memory, open files, database, calls run again."""
    dice, seen = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder:
        watch = Watch(binary, python, Path(folder))
        files = sorted((watch.root / "shop").glob("*.py"))
        original = {file: file.read_text() for file in files if "\n    return " in file.read_text()}
        changed: set = set()
        start, number, look, rounds = time.monotonic(), 0, 0, 0
        while True:
            if number >= look:
                row = (
                    number,
                    time.monotonic() - start,
                    watch.memory(),
                    watch.handles(),
                    watch.database(),
                    watch.replayed,
                )
                seen.append(row)
                print(
                    "%6d edits %6.0f s %7.1f MB %4d files %7.1f MB database %8d calls" % shown(row),
                    file=sys.stderr,
                    flush=True,
                )
                look += max(1, edits // LOOKS)
            if number >= edits:
                break
            rounds += 1
            rests = rounds % REST == 0  # all is new then: known code is not run again
            texts = {}
            for file, text in original.items():
                number += 1
                if file in changed and not rests and dice.random() < 0.5:
                    changed.discard(file)
                else:
                    at = dice.choice([found.start() for found in re.finditer(r"\n    return ", text)])
                    text = text[:at] + "\n    seen_%d = %d" % (number, number) + text[at:]
                    changed.add(file)
                texts[file] = text
            watch.save(texts)
            if rests:
                watch.rest()
        watch.process.terminate()
        watch.process.wait()
    return seen


def shown(row: tuple) -> tuple:
    """Gives a row in the units that people read."""
    number, seconds, memory, handles, database, calls = row
    return number, seconds, memory / 1e6, handles, database / 1e6, calls


def grown(seen: list) -> float:
    """Gives the bytes that each edit of the second half added to the memory: the slope of the straight line through them."""
    points = [(row[0], row[2]) for row in seen[len(seen) // 2 :]]
    middle = [sum(values) / len(points) for values in zip(*points)]
    over = sum((x - middle[0]) ** 2 for x, _ in points)
    return sum((x - middle[0]) * (y - middle[1]) for x, y in points) / over if over else 0.0


def measure(bench: object) -> str:
    """The section's text."""
    if bench.binary is None:  # type: ignore[attr-defined]
        return "No release build was found.\n"
    python = bench.pythons[-1][1]  # type: ignore[attr-defined]
    seen = soak(Path(bench.binary), Path(python), EDITS, 1)  # type: ignore[attr-defined]
    rows = [
        ["{:,}".format(row[0]), *("%.0f" % value for value in shown(row)[1:])] for row in seen[:: len(seen) // 5 or 1]
    ]
    head = ["edits", "seconds", "memory, MB", "open files", "database, MB", "calls run again"]
    return table(head, rows) + "\n\nIn the second half, an edit added %.0f bytes of memory.\n" % grown(seen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--edits", type=int, default=EDITS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("%.0f bytes an edit" % grown(soak(given.binary, given.python, given.edits, given.seed)))
