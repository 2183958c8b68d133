"""What `diff` costs after an edit of one function, against running the project's own test-suite on both versions.

The project is `examples/shop` with more of the same: its functions again under other names, so that the suite and the
recording are those of a project of some size. The edit is one character in one function.
"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench import ROOT, Bench, middle, table

TITLE = "Diff"
COPIES = (1, 5, 20)
EDITED = "shop/pricing.py"
OLD, NEW = "if total > FREE_FROM", "if total >= FREE_FROM"
NOTES = """\
- Clock time, since a person or a coding agent waits: the median of the rounds, on a machine that does nothing else.
- *The suite twice* is `pytest -q` on the commit and on the working tree, which says whether a test is red; *diff* replays
  recorded calls of the functions that may run other code, under both versions, and finds the edit behind each difference.
- *Again* is the same comparison a second time: outcomes are kept by the code they belong to."""


def measure(bench: Bench) -> str:
    """Gives the section; a sentence where there is no release build."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    version, python = bench.pythons[-1]
    rows = []
    for copies in COPIES:
        bench.say("diff: %d times the shop" % copies)
        rounds = [_round(bench, python, copies) for _ in range(bench.rounds)]
        calls, differ = rounds[0][3:]
        suite, first, again = (middle([one[at] for one in rounds]) for at in range(3))
        cells = [calls, differ, "%.1f s" % suite, "%.1f s" % first, "%.1f s" % again, "%.2f" % (first / suite)]
        rows.append(["%d × shop" % copies, *cells])
    head = ["project", "calls compared", "differ", "the suite twice", "diff", "again", "diff / suite twice"]
    return "Python %s.\n\n" % version + table(head, rows) + "\n\n" + NOTES


def _round(bench: Bench, python: Path, copies: int) -> tuple:
    """Gives the seconds of two runs of the suite, of a first and a second comparison, and what was compared."""
    with bench.empty_folder() as project:
        _write(project, copies)
        _git(project, "init", "-q")
        _git(project, "add", "-A")
        _git(project, "commit", "-q", "-m", "as it was")
        environment = {"PATH": "%s:/usr/local/bin:/usr/bin:/bin" % python.parent}
        product = [bench.binary, "--trust", "--root", project]
        bench.run([*product, "run", "--", python, "-m", "pytest", "-q", project], **environment)
        suite = _seconds(bench, [python, "-m", "pytest", "-q", project], (0,), environment)
        text = (project / EDITED).read_text(encoding="utf-8")
        (project / EDITED).write_text(text.replace(OLD, NEW), encoding="utf-8")
        suite += _seconds(bench, [python, "-m", "pytest", "-q", project], (0, 1), environment)
        first = _seconds(bench, [*product, "diff"], (1,), environment)
        again, output = _timed(bench, [*product, "diff"], (1,), environment)
        found = re.search(r"([\d ,]+) calls compared, (\d+) differ", output.replace("\u202f", " "))
        if found is None:
            raise RuntimeError("diff said nothing of calls:\n%s" % output[-2000:])
        return suite, first, again, found.group(1).strip(), found.group(2)


def _write(project: Path, copies: int) -> None:
    shop = ROOT / "examples" / "shop"
    shutil.copytree(shop, project, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    more_of_the_shop(project, copies)


def more_of_the_shop(project: Path, copies: int) -> None:
    """Gives the shop its functions and tests so many times, each time under other names."""
    for number in range(2, copies + 1):
        for folder, name in (("shop", "shop%d" % number), ("tests", "tests%d" % number)):
            shutil.copytree(project / folder, project / name, ignore=shutil.ignore_patterns("__pycache__"))
            for path in (project / name).rglob("*.py"):
                text = path.read_text(encoding="utf-8")
                path.write_text(re.sub(r"\bshop\b(?=[. ])", "shop%d" % number, text), encoding="utf-8")
            (project / name / "__init__.py").touch()


def _git(project: Path, *command: str) -> None:
    who = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *command], cwd=project, check=True, stdout=subprocess.DEVNULL)


def _seconds(bench: Bench, command: list, good: tuple, environment: dict) -> float:
    return _timed(bench, command, good, environment)[0]


def _timed(bench: Bench, command: list, good: tuple, environment: dict) -> tuple:
    """Gives the seconds by the clock and the output of a command that may end with one of these codes."""
    ends = "import subprocess, sys; sys.exit(0 if subprocess.call(sys.argv[2:]) in eval(sys.argv[1]) else 1)"
    began = time.perf_counter()
    done = bench.run([sys.executable, "-S", "-c", ends, repr(good), *command], **environment)
    return time.perf_counter() - began, done.output
