"""A long day of edits: a thousand random saves, renames, deletions and branch switches while `watch` looks on.

    edits.py --binary PATH [--python PATH] [--library NAME] [--edits N] [--every N] [--seed N]

After every few edits, what `watch` says has changed is compared with a full run of all recorded calls by a program that saw
none of the edits before. Owns the edits and the comparison; the project is a library from PyPI with its driver in drafts/, and
a module that reads files which are no code: edited, too.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench import table
from tried import Place

TITLE = "A day of edits"
NOTES = """

- `boltons` and a driver of it, with files of data beside them, %d recorded calls; `pytead-tui watch` looks on. Every fifth time,
  the changes that wait for a person are compared with those of every call run again on the same files.
- *Missed*: a function whose calls end otherwise, and that nothing waits for. *Too many*: one that waits from before, and whose
  calls cannot be made any more because a module does not load: nobody can tell whether it still holds, so it is still asked.
- *Calls not run again*: of all calls times all edits.
- Edits: %s. *Back* takes one back, a *switch* all at once; a *remark* changes no code, *broken* does not parse.
"""
# What reads data: in a call, in a call of a call, by listing a folder, and while it is imported.
TABLES = """\
import json
from pathlib import Path

HERE = Path(__file__).parent / "data"
RATES = dict(line.split(",") for line in (HERE / "rates.csv").read_text().split() if "," in line)


def price(name):
    try:
        return json.loads((HERE / "prices.json").read_text())[name]
    except FileNotFoundError:
        return None


def total(names):
    return [price(name) for name in names]


def rate(name):
    return RATES.get(name)


def lists():
    return sorted(path.name for path in (HERE / "lists").iterdir())


def notes():
    with open("data/lists/notes.txt") as file:
        return file.read().split()


def apart(number):
    return number + 1
"""
USES = """
import tables

tables.total(["lamp", "desk"]), tables.total(["pen"]), tables.rate("eur"), tables.lists(), tables.notes(), tables.apart(1)
"""
DATA = {
    "prices.json": '{"lamp": 19, "desk": 120, "pen": 2}\n',
    "rates.csv": "eur,11\nusd,12\n",
    "lists/notes.txt": "3 lamps\n",
    "lists/extra.txt": None,
    "nobody.json": "[1, 2]\n",
}
PATIENCE = 30  # seconds until a difference between the two is believed
CHANGES = (
    (r"\b([2-9]|\d\d+)\b", lambda found: str(int(found) + 1)),
    (r"==", lambda _: "!="),
    (r" < ", lambda _: " <= "),
    (r" > ", lambda _: " >= "),
    (r" \+ ", lambda _: " - "),
    (r"\bTrue\b", lambda _: "False"),
    (r"\bnot in\b", lambda _: "in"),
    (r" and ", lambda _: " or "),
    (r"\breturn (\w+)\n", lambda found: found.replace("return ", "return None or ")),
)


class Project(Place):
    """A library's project, and the binary that looks on."""

    def __init__(self, folder: Path, library: str, python: Path, binary: Path) -> None:
        super().__init__(folder, library, python, "pytead")
        self.binary = binary


class Watch:
    """`pytead-tui watch` on the project, and what it announced."""

    def __init__(self, place: Project) -> None:
        self.events: list = []
        self.process = subprocess.Popen(
            [place.binary, "--trust", "--python", place.python, "watch", "--format", "json"],
            cwd=place.root, env=environment(place), stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()
        self.wait(lambda: any(event.get("event") == "indexed" for event in self.events))

    def _read(self) -> None:
        for line in self.process.stdout:  # type: ignore[union-attr]
            self.events.append(json.loads(line))

    def wait(self, good: "Callable[[], bool]") -> None:
        until = time.monotonic() + PATIENCE
        while not good():
            if time.monotonic() > until:
                raise SystemExit("watch does not answer; its last words: %s" % self.events[-3:])
            time.sleep(0.01)

    def replayed(self) -> int:
        return sum(event["calls"] for event in list(self.events) if event.get("event") == "replayed")


def environment(place: Project) -> dict:
    home = place.folder / "home"
    home.mkdir(exist_ok=True)
    # An edit may make a loop endless: hundreds of calls that run out of their time.
    short = {"PYTEAD_GENERATION_CALL_SECONDS": "0.3"}
    return {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **short}


def ask(place: Project, root: Path, *words: str) -> str:
    """Runs the binary in a project; 1 means that it found something."""
    done = subprocess.run(
        [place.binary, "--trust", "--python", place.python, *words],
        cwd=root, env=environment(place), capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit("%s ended with %d: %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


def queue(place: Project, root: Path) -> set:
    """Gives the changes that wait for a person: function, and of how many calls."""
    for line in ask(place, root, "review", "--list", "--format", "json").splitlines():
        said = json.loads(line)
        if said.get("result") == "queue":
            return {(one["function"], one["title"]) for one in said["value"] if one["kind"] == "change"}
    return set()


class Editor:
    """Somebody who edits at random; every second edit takes an earlier one back, so that the project stays alive."""

    def __init__(self, place: Project, seed: int) -> None:
        self.root, self.dice = place.root, random.Random(seed)
        self.files = sorted((place.root / place.library).rglob("*.py"))
        self.original = {file: file.read_text() for file in self.files}
        self.data = {place.root / "data" / name: text for name, text in DATA.items()}
        self.original |= self.data
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "as it is")

    def git(self, *words: str) -> None:
        subprocess.run(["git", "-c", "init.defaultBranch=main", *words], cwd=self.root, check=True)

    def step(self) -> str:
        """Makes one edit and tells which kind it was."""
        changed = [file for file, text in self.original.items() if (file.read_text() if file.exists() else None) != text]
        if len(changed) > 3 or (changed and self.dice.random() < 0.4):
            if self.dice.random() < 0.25:  # a branch switch: all at once
                self.git("checkout", "-q", "--", ".")
                for beside in [*self.root.rglob("*_renamed.py"), *self.root.rglob("extra.txt")]:
                    beside.unlink()
                return "switch"
            self.write(self.dice.choice(changed), None)
            return "back"
        if self.dice.random() < 0.2:
            return self.data_edit()
        kind = self.dice.choice(["change"] * 8 + ["remark"] * 2 + ["delete", "rename", "broken"])
        file = self.dice.choice(self.files)
        text = file.read_text() if file.exists() else self.original[file]
        if kind == "delete":
            file.unlink(missing_ok=True)
        elif kind == "rename":
            if file.exists():
                file.rename(file.with_name(file.stem + "_renamed.py"))
        elif kind == "broken":
            self.write(file, text + "\ndef (\n")
        elif kind == "remark":
            at = self.dice.choice([m.start() for m in re.finditer(r"^def |^class ", text, re.MULTILINE)] or [len(text)])
            self.write(file, text[:at] + "# A remark.\n" + text[at:])
        else:
            pattern, change = self.dice.choice(CHANGES)
            places = list(re.finditer(pattern, text))
            if places:
                found = self.dice.choice(places)
                self.write(file, text[: found.start()] + change(found.group()) + text[found.end() :])
        return kind

    def data_edit(self) -> str:
        """Edits, removes or makes a file that is no code."""
        file = self.dice.choice(list(self.data))
        if not file.exists():
            self.write(file, self.data[file] or "7\n")
            return "data made"
        if self.dice.random() < 0.2:
            file.unlink()
            return "data deleted"
        numbers = list(re.finditer(r"\d+", file.read_text())) or [None]
        found, text = self.dice.choice(numbers), file.read_text()
        whole = text[: found.start()] + str(int(found.group()) + 1) + text[found.end() :] if found else text + "1"
        self.write(file, whole)
        return "data"

    def write(self, file: Path, text: "str | None") -> None:
        """Saves as editors do: beside the file, then in its place; None is the text of the beginning."""
        text = self.original[file] if text is None else text
        if text is None:
            file.unlink(missing_ok=True)
            return
        beside = file.with_suffix(".tmp~")
        beside.write_text(text)
        beside.replace(file)
        file.with_name(file.stem + "_renamed.py").unlink(missing_ok=True)


def day(binary: Path, python: Path, library: str, edits: int, every: int, seed: int) -> dict:
    """Edits for a day, and counts what watch missed and what it left alone."""
    with tempfile.TemporaryDirectory() as folder:
        place = Project(Path(folder), library, python, binary)
        place.root.joinpath("tables.py").write_text(TABLES)
        for name, text in DATA.items():
            file = place.root / "data" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                file.write_text(text)
        with place.root.joinpath("driver.py").open("a") as driver:
            driver.write(USES)
        ask(place, place.root, "run", "--", str(python), "driver.py")
        whole = json.loads(ask(place, place.root, "replay", "--format", "json").splitlines()[-1])["value"]["calls"]
        base = Path(folder) / "base"
        shutil.copytree(place.root, base)
        editor, watch = Editor(place, seed), Watch(place)
        missed, extra, kinds, checks = [], [], {}, 0
        for number in range(1, edits + 1):
            kind = editor.step()
            kinds[kind] = kinds.get(kind, 0) + 1
            time.sleep(0.05)
            if number % every:
                continue
            checks += 1
            wanted = full(place, base)
            until = time.monotonic() + PATIENCE
            while (seen := queue(place, place.root)) != wanted and time.monotonic() < until:
                time.sleep(0.2)
            missed += [(number, one) for one in wanted - seen]
            extra += [(number, one) for one in seen - wanted]
            if number % (every * 10) == 0:
                print("%d edits, %d checks, %d missed" % (number, checks, len(missed)), file=sys.stderr, flush=True)
        watch.process.terminate()
        watch.process.wait()
        return {
            "edits": edits, "kinds": kinds, "checks": checks, "missed": missed, "extra": extra, "calls": whole,
            "replayed": watch.replayed(), "saved": 1 - watch.replayed() / (whole * edits),
        }  # fmt: skip


def full(place: Project, base: Path) -> set:
    """Runs every recorded call on today's files, with the database as it was before the first edit, at the same path."""
    fresh, aside = place.root.with_name("fresh"), place.root
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(aside, fresh, ignore=shutil.ignore_patterns(".pytead", ".git"), symlinks=True)
    shutil.copytree(base / ".pytead", fresh / ".pytead")
    ask(place, fresh, "replay")
    return queue(place, fresh)


def measure(bench: object) -> str:
    """The section's text."""
    if bench.binary is None:  # type: ignore[attr-defined]
        return "No release build was found.\n"
    python = bench.pythons[-1][1]  # type: ignore[attr-defined]
    return page(day(Path(bench.binary), Path(python), "boltons", 1000, 5, 7))  # type: ignore[attr-defined]


def page(found: dict) -> str:
    """Writes what a day came to."""
    row = [found["edits"], found["checks"], len(found["missed"]), len(found["extra"]), "%.1f %%" % (100 * found["saved"])]
    kinds = ", ".join("%s %d" % (kind, count) for kind, count in sorted(found["kinds"].items()))
    return table(["edits", "compared", "missed", "too many", "calls not run again"], [row]) + NOTES % (found["calls"], kinds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--library", default="boltons")
    parser.add_argument("--edits", type=int, default=1000)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    json.dump(day(given.binary, given.python, given.library, given.edits, given.every, given.seed), sys.stdout, indent=1)
