"""What `replay --near` finds of small faults that recorded calls do not notice, and what it says of refactorings that change nothing.

Each project is unpacked from its source distribution, recorded by its own suite, and edited: one small fault at a time in a function that
was recorded. `near.py --binary PATH --only semver --faults 8` measures a part.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench import Bench, table
from projects import Project, Replayed, is_compared
from small_edits import faults

TITLE = "Beside the recorded inputs"
PROJECTS = (
    ("humanize", "4.11.0", "tests", ("freezegun",)),
    ("sqlparse", "0.5.3", "tests", ()),
    ("semver", "3.0.4", "tests", ("python-dateutil",)),
    ("webcolors", "24.11.1", "tests", ()),
    ("tabulate", "0.9.0", "test", ("wcwidth",)),
    ("parse", "1.20.2", "tests", ()),
)  # fmt: skip
FAULTS = 50  # of each project
REFACTORINGS = 17
NOTES = """\
- Faults: a comparison, a boolean or an arithmetic operator replaced, a constant changed, a condition turned round, a result dropped;
  chosen at random over all recorded functions. *Noticed*: recorded calls tell it. *Missed*: all compared calls end as before.
- *Searched*: missed faults in functions whose recorded calls were all compared alone and touched nothing outside. *Near finds*: those of
  them with an input beside the recorded ones, as a share of the searched and of all missed ones. Faults that change nothing for any input
  count as missed.
- *Alarms*: inputs that are shown after one of the refactorings, which change nothing. *Seconds*: what `--near` adds to `replay`, the
  median over the searched faults."""


class Beside(Project):
    """One project, recorded and edited."""

    def measure(self, most: int, refactorings: int) -> list:
        """Records, edits, and counts."""
        self.product("run", "--check", "--", str(self.python), *self.suite())
        base = self.replayed()
        if base.code != 0:
            raise RuntimeError("nothing is edited, and replay ends with %d\n%s" % (base.code, base.output[-2000:]))
        functions = self.functions()
        counts: Counter = Counter()
        seconds: list = []
        for path, new, function in self.chosen(functions, faults, most):
            with self.edited({path: new}):
                self.count(function, counts, seconds)
        alarms = 0
        tried = 0
        for path, function, diff in self.refactored(functions, refactorings):
            tried += 1
            for one in self.near()[1].get("differences", []):
                alarms += 1
                self.bench.say("alarm in %s %s: %s%s\n%s" % (path, function, one["function"], one["arguments"], diff))
        middle = sorted(seconds)[len(seconds) // 2] if seconds else 0.0
        of_searched = "%d of %d" % (counts["found"], counts["searched"])
        of_missed = "%d of %d" % (counts["found"], counts["missed"])
        return [len(functions), counts["faults"], counts["noticed"], counts["missed"], counts["searched"], of_searched, of_missed,
                "%.1f" % middle, tried, alarms]  # fmt: skip

    def near(self) -> "tuple[Replayed, dict]":
        """Runs `replay --near`: (what it says, what it found beside recorded calls)."""
        done = Replayed(self.product("replay", "--near"), 0.0)
        return done, done.summary.get("near") or {}

    def count(self, function: str, counts: Counter, seconds: list) -> None:
        """Counts what is said of the fault that is there now."""
        now = self.replayed()
        counts["faults"] += 1
        if now.code == 1:
            counts["noticed"] += 1
            return
        if not any(map(is_compared, now.of(function))):
            counts["not compared"] += 1
            return
        counts["missed"] += 1
        again = self.replayed()  # outcomes are known by now, as they are for the search
        _, found = self.near()
        if not found.get("searched"):
            self.bench.say("not searched: %s %s" % (function, found.get("not_searched")))
            return
        counts["searched"] += 1
        seconds.append(max(0.0, self.took - again.seconds))
        shown = self.lines(found)
        counts["found"] += bool(shown)
        self.bench.say("%s %s\n%s\n%s" % ("found" if shown else "missed", function, self.diff(), "\n".join(shown)))

    def product(self, *words: str) -> object:
        """Runs a verb of the product, and notes how long it took."""
        began = time.monotonic()
        done = super().product(*words)
        self.took = time.monotonic() - began
        return done

    def lines(self, found: dict) -> list:
        """Says each difference in a line."""
        return ["near: %s%s (%s)" % (one["function"], one["arguments"], one["distance"]) for one in found["differences"]]


def measure(bench: Bench, only: str = "", most: int = FAULTS, refactorings: int = REFACTORINGS) -> str:
    """Gives the section: a row for each project."""
    if bench.binary is None:
        return "Needs a release build."
    rows = []
    for name, version, tests, needs in PROJECTS:
        if only and name != only:
            continue
        with bench.empty_folder() as folder:
            bench.say("%s %s" % (name, version))
            rows.append(["%s %s" % (name, version), *Beside(bench, folder, name, version, tests, needs).measure(most, refactorings)])
    head = ["project", "functions recorded", "faults", "noticed", "missed", "searched", "near finds of searched", "near finds of missed",
            "seconds", "refactorings", "alarms"]  # fmt: skip
    return table(head, rows) + "\n\n" + NOTES


def main() -> int:
    """Measures a part, and prints it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--only", default="")
    parser.add_argument("--faults", type=int, default=FAULTS)
    parser.add_argument("--refactorings", type=int, default=REFACTORINGS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(1, [("", given.python)], given.binary.resolve(), None, Path(folder).resolve())
        print(measure(bench, given.only, given.faults, given.refactorings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
