"""Killed at any moment: `kill -9` while it accepts, takes back, records, drafts, watches, replays and cleans up.

    kills.py --binary PATH [--python PATH] [--kills N] [--seed N]

Each round starts one command on a small project, kills it after a random part of the time that it takes, and looks at what is
there: the database opens and is whole, the next start finds every accepted test, in its file and its manifest, no recording is
lost, the user's files are as the user left them, and no process and no half-written file stays behind. Owns the commands and
the looks; a loss ends it with exit code 1.
"""

import argparse
import collections
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import table

TITLE = "Killed at any moment"
KILLS = 200
VERBS = ("accept", "accept all", "undo", "run", "gen", "watch", "replay", "clean", "run a journey", "edit and undo")
PATIENCE = 60  # seconds until a process that was to end, or a command that was to work, counts as lost
FUNCTIONS = ("double", "triple", "half", "greet", "total", "last")

APP = """\
def double(x):
    return x * 2


def triple(x):
    return x * 3


def half(x):
    if x < 0:
        raise ValueError("below zero")
    return x / 2


def greet(name):
    return f"Hello, {name.title()}!"


def total(prices):
    return sum(prices)


def last(items):
    return items[-1] if items else None
"""
MAIN = """\
import app

for x in (1, 2, 30):
    app.double(x), app.triple(x), app.half(x)
for name in ("ada", "grace"):
    app.greet(name)
app.total([1, 2, 3]), app.total([]), app.last([1, 2]), app.last([])
"""
OWN = "from app import double\n\n\ndef test_double():\n    assert double(4) == 8\n"


class Lost(Exception):
    """What was lost."""


class Place:
    """A project, what of it is known to be there, and the binary to run on it."""

    def __init__(self, binary: Path, python: Path, folder: Path) -> None:
        self.binary = binary
        self.root, home, self.temporary = folder / "project", folder / "home", folder / "tmp"
        for made in (self.root / "tests", home, self.temporary):
            made.mkdir(parents=True)
        self.environment = {
            "HOME": str(home),
            "PATH": f"{python.parent}:{os.environ['PATH']}",
            "TMPDIR": str(self.temporary),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.files = {"app.py": APP, "main.py": MAIN, "tests/test_own.py": OWN, ".gitignore": "*.log\n"}
        for name, text in self.files.items():
            (self.root / name).write_text(text)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as it was"]):
            subprocess.run([*git, *words], cwd=self.root, check=True)
        self.took: dict = {}  # by verb: the seconds it takes when nobody kills it
        self.well("trust")
        self.well("run", "main.py")
        self.well("gen")
        self.edits = 0

    def start(self, *words: str) -> subprocess.Popen:
        # A session of its own, so that what it leaves is found.
        return subprocess.Popen(
            [self.binary, *words], cwd=self.root, env=self.environment, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip

    def well(self, *words: str) -> str:
        """Runs a command that has to work."""
        process = self.start(*words)
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Lost(f"{words} does not end") from None
        if process.returncode != 0 or "panicked" in said:
            raise Lost(f"{words} ended with {process.returncode}:\n{said}")
        return said

    def waiting(self) -> "dict[int, str]":
        """Gives what waits for a decision: names by ids."""
        lines = [json.loads(line) for line in self.well("--format", "json", "review", "--list").splitlines() if line[:1] == "{"]
        (rows,) = [line["value"] for line in lines if line.get("result") == "queue"]
        return {row["id"]: json.dumps(row) for row in rows}

    def accepted(self) -> set:
        """Gives the names of accepted tests; file and manifest have to agree."""
        folder = self.root / "tests/pytead"
        halves = [str(file) for file in self.root.rglob("*.tmp*")]
        if halves:
            raise Lost(f"half-written files: {halves}")
        texts = [file.read_text() for file in folder.glob("test_*.py")] if folder.is_dir() else []
        written = {line[4:].split("(")[0] for text in texts for line in text.splitlines() if line.startswith("def test_")}
        manifest = folder / "manifest.yaml"
        text = manifest.read_text() if manifest.exists() else ""
        listed = {name for name in written if f"::{name}" in text}
        count = text.count('"state":"accepted"') + text.count('"state":"edited"')
        if listed != written or count != len(written):
            raise Lost(f"{sorted(written)} are written, and the manifest says:\n{text}")
        return written

    def recordings(self) -> int:
        lines = [json.loads(line) for line in self.well("--format", "json", "export").splitlines() if line[:1] == "{"]
        return sum(line.get("result") == "recording" for line in lines)

    def edit(self) -> None:
        """Saves the user's file as an editor does."""
        self.edits += 1
        self.files["app.py"] = APP.replace("x * 3", f"x * 3 + 0 * {self.edits}")
        beside = self.root / "app.py~"
        beside.write_text(self.files["app.py"])
        beside.replace(self.root / "app.py")

    def words(self, verb: str, chance: random.Random) -> "list[str]":
        """Gives the command of a verb."""
        ids = sorted(self.waiting())
        if verb == "accept":
            return ["review", "--accept", str(chance.choice(ids))] if ids else ["review", "--undo"]
        return {
            "accept all": ["review", "--accept", "all"],
            "undo": ["review", "--undo"],
            "edit and undo": ["review", "--undo"],
            "run": ["run", "main.py"],
            "run a journey": ["run", "--journey", "main.py"],
            "gen": ["gen"],
            "watch": ["watch", "--format", "json"],
            "replay": ["replay"],
            "clean": ["clean", chance.choice(["--recordings", "--drafts", "--all"])],
        }[verb]

    def kill(self, verb: str, chance: random.Random) -> str:
        """Kills a command at a random moment; gives when, and how far it was."""
        words = self.words(verb, chance)
        if verb in ("replay", "watch", "edit and undo"):
            self.edit()
        long = self.took.get(verb, 0.6)
        began = time.monotonic()
        process = self.start(*words)
        until = began + chance.uniform(0, 1.05 * long)
        if verb == "watch" and chance.random() < 0.7:
            time.sleep(chance.uniform(0, 0.5 * long))
            self.edit()
        time.sleep(max(0.0, until - time.monotonic()))
        ended = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        said, _ = process.communicate(timeout=PATIENCE)
        if ended:
            self.took[verb] = 0.8 * long  # it takes less
        elif verb != "watch":
            self.took[verb] = min(1.1 * long, 8.0)
        if "panicked" in said:
            raise Lost(f"{words}:\n{said}")
        self.alone(process.pid, words)
        return "ended before" if ended else "killed"

    def alone(self, session: int, words: list) -> None:
        """Waits until nothing that the command started runs any more."""
        end = time.monotonic() + PATIENCE
        while True:
            left = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit() and _session(entry) == session]
            if not left:
                return
            if time.monotonic() > end:
                raise Lost(f"{words} left {[(entry.name, _command(entry)) for entry in left]} running")
            time.sleep(0.02)

    def look(self, verb: str, before: tuple) -> None:
        """Looks at what is there after a kill."""
        tests, recordings = before
        self.waiting()  # the next start: it finishes or gives up what was cut off
        after = self.accepted()
        gone, new = tests - after, after - tests
        may_go, may_come = verb in ("undo", "edit and undo", "accept"), verb in ("accept", "accept all")
        if (gone and not may_go) or (new and not may_come):
            raise Lost(f"{verb}: {sorted(gone)} are gone, {sorted(new)} came")
        count = self.recordings()
        if count < recordings and verb != "clean":
            raise Lost(f"{verb}: {recordings} recordings before, {count} after")
        for name, text in self.files.items():
            if (self.root / name).read_text() != text:
                raise Lost(f"{verb}: {name} is not as the user left it")
        with sqlite3.connect(f"file:{self.root / '.pytead/pytead.db'}?mode=ro", uri=True) as base:
            (found,) = base.execute("PRAGMA integrity_check").fetchone()
        base.close()
        if found != "ok":
            raise Lost(f"{verb}: the database says {found}")


def _session(entry: Path) -> int:
    try:
        text = (entry / "stat").read_text()
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()
    return 0 if fields[0] == "Z" else int(fields[3])


def _command(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120]
    except OSError:
        return "?"


def kills(binary: Path, python: Path, count: int, seed: int, folder: Path) -> collections.Counter:
    """Kills so many times; gives how often each verb was killed, and how often it had ended before."""
    chance = random.Random(seed)
    place = Place(binary, python, folder)
    counts: collections.Counter = collections.Counter()
    while sum(n for (_, how), n in counts.items() if how == "killed") < count:
        verb = VERBS[sum(counts.values()) % len(VERBS)]
        before = place.accepted(), place.recordings()
        how = place.kill(verb, chance)
        place.look(verb, before)
        counts[verb, how] += 1
        if not place.waiting() and not place.accepted():  # all was cleaned: again from the start
            place.well("run", "main.py")
            place.well("gen")
    # What is there can be used: everything is drafted, accepted, passes, and is taken back.
    place.well("run", "main.py")
    place.well("gen")
    place.well("review", "--accept", "all")
    tests = place.accepted()
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=place.root, env=place.environment | {"PYTHONPATH": str(place.root)}, capture_output=True, text=True,
    )  # fmt: skip
    if not tests or done.returncode != 0:
        raise Lost(f"accepted at the end: {sorted(tests)}\n{done.stdout}{done.stderr}")
    for _ in range(sum(counts.values())):
        if not place.accepted():
            break
        place.well("review", "--undo")
    left = [entry.name for entry in place.temporary.iterdir() if entry.name.startswith("pytead")]
    if place.accepted() or left:
        raise Lost(f"left at the end: {sorted(place.accepted())} {left}")
    return counts


def section(counts: collections.Counter) -> str:
    rows = [[verb, str(counts[verb, "killed"]), str(counts[verb, "ended before"])] for verb in VERBS]
    rows.append(["all", *(str(sum(n for (_, how), n in counts.items() if how == one)) for one in ("killed", "ended before"))])
    return "Lost: nothing.\n\n" + table(["command", "killed", "ended before the kill"], rows)


def measure(bench) -> str:  # type: ignore[no-untyped-def]
    """Kills the release build."""
    if bench.binary is None:
        return "Needs a release build."
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        return section(kills(bench.binary, bench.pythons[-1][1], KILLS, 1, Path(folder)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            print(section(kills(given.binary.resolve(), given.python, given.kills, given.seed, Path(folder).resolve())))
        except Lost as lost:
            print(f"Lost, with seed {given.seed}: {lost}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
