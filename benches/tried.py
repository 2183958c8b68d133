"""What a folder of tests of a library is worth, whoever wrote them: whether they pass and go on passing, which functions
they call, which branches they reach and which changes they notice. The measures are the same for every tool.

Owns the project in which a library is used by its driver, and the measures; who writes the tests is drafts.py's and
peers.py's business. watch.py in drafts/ looks at a run of a driver, mutate.py makes the changes.
"""

import ast
import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from bench import finished

HERE = Path(__file__).resolve().parent / "drafts"
PATIENCE = 300  # seconds: a changed library may never end
# Ten runs, each with another hash seed: (environment, in random order by this seed, in another folder).
RERUNS = (
    ({}, None, True),
    ({}, 1, False),
    ({}, 2, False),
    ({"TZ": "Pacific/Kiritimati"}, None, False),
    ({"TZ": "America/St_Johns"}, 3, True),
    ({"BENCH_DAYS": "400"}, None, False),
    ({"BENCH_DAYS": "400", "TZ": "Pacific/Kiritimati"}, 4, False),
    ({"BENCH_DAYS": "-3650"}, None, False),
    ({}, 5, True),
    ({"BENCH_DAYS": "400", "TZ": "Asia/Kathmandu"}, 6, True),
)


class Place:
    """A project of its own: a library's package, its driver, and a folder for tests."""

    def __init__(self, folder: Path, library: str, python: Path, tests: str) -> None:
        self.folder, self.library, self.python = folder, library, python
        self.root = folder / "project"
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        found = subprocess.check_output(
            [python, "-c", f"import {library}; print({library}.__path__[0])"], text=True, cwd=folder
        )
        shutil.copytree(found.strip(), self.root / library, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(HERE / "drivers" / f"{library}.py", self.root / "driver.py")
        self.tests = self.root / "tests" / tests

    def run(self, command: list, cwd: "Path | None" = None, **more: str) -> subprocess.CompletedProcess:
        """Runs a process in the project."""
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
        kept |= {"HOME": str(self.home), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(HERE)}
        return finished(command, cwd or self.root, kept | more, PATIENCE)

    def watch(self, how: str, **more: str) -> list:
        """Runs the driver under watch.py: `direct` functions or the `outcomes` of their calls."""
        done = self.run([self.python, HERE / "watch.py", how, self.root / self.library, "driver.py"], **more)
        return json.loads(done.stdout) if done.returncode == 0 else [done.stderr.strip().splitlines()[-1:]]

    def pytest_of(self, only: "set | None") -> "tuple[list, dict]":
        """Gives the arguments of pytest for all tests or these, and the environment that it needs for them."""
        if only is None:
            return [f"--rootdir={self.root}", self.tests], {}
        chosen = self.folder / "chosen"
        chosen.write_text(json.dumps(sorted(only)))
        files = sorted(path for path in self.tests.rglob("test_*.py") if any(n.startswith(f"{path.name}::") for n in only))
        return ["-p", "chosen", f"--rootdir={self.root}", *files], {"BENCH_CHOSEN": str(chosen)}

    def pytest(self, *args: object, only: "set | None" = None, cwd: "Path | None" = None, **more: str):
        """Runs the tests, or only these."""
        which, needs = self.pytest_of(only)
        own = [] if any(str(one).startswith("--randomly") for one in args) else ["-p", "no:randomly"]
        base = [self.python, "-m", "pytest", "-q", "-rA", "--tb=no", "--continue-on-collection-errors", *own]
        return self.run([*base, "-p", "later", *args, *which], cwd, **needs, **more)


class Driven:
    """What a driver does with its library, by which tests are measured."""

    def __init__(self, place: Place, wanted: int) -> None:
        self.direct = {tuple(one) for one in place.watch("direct")}
        self.branches = branches(place, ["driver.py"])
        self.changes = noticed(place, wanted) if wanted else []


def cpu_spent() -> float:
    """Gives the CPU seconds of all processes that this one has waited for, and of those they waited for."""
    times = os.times()
    return times.children_user + times.children_system


def passed(output: str) -> "tuple[set, set]":
    """Reads pytest's summary: (tests that ended as they should, tests that did not); a file that could not be read is one."""
    results = re.findall(r"^(PASSED|XFAIL|FAILED|ERROR) (?:\S*/)?(test_\S+\.py(?:::.*)?)$", output, re.M)
    good = {name for word, name in results if word == "PASSED"}
    # What did not just pass has its reason behind it.
    others = {(word, name.split(" - ")[0]) for word, name in results if word != "PASSED"}
    good |= {name for word, name in others if word == "XFAIL"}
    return good, {name for word, name in others if word != "XFAIL"}


def lengths(folder: Path) -> "tuple[list, int]":
    """Gives the lines of each test function without the table of its rows, and the number of tests, a row each."""
    sizes, tests = [], 0
    for path in sorted(folder.rglob("test_*.py")):
        try:
            body = ast.parse(path.read_text()).body
        except SyntaxError:
            continue
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                sizes.append(node.end_lineno - node.lineno + 1)
                rows = [
                    len(d.args[1].elts)
                    for d in node.decorator_list
                    if isinstance(d, ast.Call) and len(d.args) > 1 and isinstance(d.args[1], ast.List | ast.Tuple)
                ]
                tests += max(rows, default=1)
    return sizes, tests


def branches(place: Place, command: list, **more: str) -> set:
    """Gives the branches of the library that a command takes."""
    data = place.folder / "coverage"
    rc = place.folder / "coveragerc"
    rc.write_text(f"[run]\nbranch = True\nsource = {place.library}\ndata_file = {data}\n")
    done = place.run([place.python, "-m", "coverage", "run", f"--rcfile={rc}", *command], **more)
    report = place.folder / "coverage.json"
    report.unlink(missing_ok=True)
    place.run([place.python, "-m", "coverage", "json", f"--rcfile={rc}", "-q", "-o", report])
    if not report.exists():
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    files = json.loads(report.read_text())["files"]
    return {(name, *branch) for name, found in files.items() for branch in found["executed_branches"]}


def outcomes_by_name(outcomes: list) -> dict:
    """Gives what the calls of each function gave, in order; how the driver ended is under no name."""
    found: dict = {"": []}
    for one in outcomes:
        name, text = one if len(one) == 2 and isinstance(one, list) else ("", one)
        found.setdefault(name, []).append(text)
    return found


def noticed(place: Place, wanted: int) -> list:
    """Gives changes of the library that the driver's outcomes show: path, text of the file, and what it is."""
    # What differs from run to run says nothing of a change: a second later, with other hashes.
    by_name = []
    for seed in "012":
        by_name.append(outcomes_by_name(place.watch("outcomes", PYTHONHASHSEED=seed)))
        time.sleep(1.1)
    steady = {name for name in by_name[0] if all(run.get(name) == by_name[0][name] for run in by_name)}
    base = {name: by_name[0][name] for name in steady}
    lines = place.watch("lines")
    made = json.loads(
        place.run([place.python, HERE / "mutate.py", place.root, json.dumps(lines), str(wanted * 4)]).stdout
    )
    found = []
    for change in made:
        if len(found) >= wanted:
            break
        with changed(place, change):
            seen = outcomes_by_name(place.watch("outcomes", PYTHONHASHSEED="0"))
        if {name: seen.get(name) for name in steady} != base:
            found.append(change)
    return found


@contextlib.contextmanager
def changed(place: Place, change: dict) -> "Iterator[None]":
    """Makes the library another one in one place for a while."""
    path = place.root / change["path"]
    kept = path.read_text()
    path.write_text(change["text"])
    try:
        yield
    finally:
        path.write_text(kept)


def survivors(place: Place, stable: set, changes: list) -> list:
    """Gives the changes of the library that no test notices."""
    alive = []
    for change in changes:
        with changed(place, change):
            if not stable or place.pytest("-x", only=stable).returncode == 0:
                alive.append(change["what"])
    return alive


def tried(place: Place, driven: Driven) -> dict:
    """Measures the tests of a place."""
    good, bad = passed(place.pytest().stdout)
    stable = set(good)
    elsewhere = place.folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    for nth, (more, order, away) in enumerate(RERUNS if good else ()):
        args = ["-p", "no:cacheprovider", f"--randomly-seed={order}"] if order else []
        more = {"PYTHONHASHSEED": str(nth * 11), **more}
        again, _ = passed(place.pytest(*args, cwd=elsewhere if away else None, **more).stdout)
        stable &= again
    copy = (place.python, place.root, place.tests, ("-p", "no:randomly"))
    passing_there, left_behind = in_a_copy(*copy) if good else (set(), [])
    sizes, tests = lengths(place.tests)
    lint = place.run([place.python, "-m", "ruff", "check", "--isolated", "--output-format=concise", place.tests])
    called, reached = set(), set()
    if stable:
        called = calls_of(place, stable)
        which, needs = place.pytest_of(stable)
        reached = branches(place, ["-m", "pytest", "-q", "-p", "no:randomly", *which], **needs)
    return {
        "shown": len(good) + len(bad),
        "passing": len(good),
        "failing": sorted(bad),
        "stable": len(stable),
        "names": sorted(stable),
        "unstable": sorted(good - stable),
        "in a copy": len(good & passing_there),
        "not in a copy": sorted(good - passing_there),
        "left behind": left_behind,
        "direct": len(driven.direct),
        "called": len(driven.direct & called),
        "not called": sorted(":".join(one) for one in driven.direct - called),
        "branches": len(driven.branches),
        "reached": len(driven.branches & reached),
        "branches missing": sorted(driven.branches - reached),
        "sizes": sizes,
        "tests": tests,
        "ruff": [line for line in lint.stdout.splitlines() if re.match(r"\S+:\d+:", line)],
        "mutants": len(driven.changes),
        "alive": survivors(place, stable, driven.changes),
    }


def in_a_copy(python: Path, root: Path, tests: Path, flags: tuple = ()) -> "tuple[set, list]":
    """Runs tests in a copy of their project at another path with an empty environment: gives those that pass, and the files
    that are there afterwards and were not before."""
    copy, home = root.parent / "a copy" / "of it", root.parent / "a new home"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("__pycache__", ".git", ".pytest_cache", ".pytead"))
    home.mkdir()
    before = files_of(copy) | files_of(home)
    command = [python, "-m", "pytest", "-q", "-rA", "--tb=no", "--continue-on-collection-errors", "-p", "no:cacheprovider"]
    command += [*flags, f"--rootdir={copy}", copy / tests.relative_to(root)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    done = subprocess.run(
        list(map(str, command)), cwd=copy, env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    good, _ = passed(done.stdout)
    return good, sorted((files_of(copy) | files_of(home)) - before)


def files_of(folder: Path) -> set:
    """Gives the files below a folder without those that Python keeps for itself."""
    return {str(path) for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"}


def calls_of(place: Place, stable: set) -> set:
    """Gives the functions of the library that tests call themselves: (module, name)."""
    report = place.folder / "called.json"
    report.unlink(missing_ok=True)
    more = {
        "BENCH_CALLED": str(report),
        "BENCH_PACKAGE": str(place.root / place.library),
        "BENCH_TESTS": str(place.tests),
    }
    place.pytest("-p", "called", only=stable, **more)
    return {tuple(one) for one in json.loads(report.read_text())} if report.exists() else set()
