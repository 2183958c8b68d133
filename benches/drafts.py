"""How good drafts are: four libraries from PyPI, each used by a driver in drafts/, recorded, drafted, and tried.

    drafts.py --binary PATH [--python PATH] [--only NAME]... [--mutants N] [--keep DIR]

Owns what is measured and how; watch.py in drafts/ looks at a run of a driver, mutate.py makes the mutants. The
interpreter needs what requirements.txt names: pytest, coverage, ruff, time-machine and the libraries.
"""

import argparse
import ast
import contextlib
import ctypes
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench import table

HERE = Path(__file__).resolve().parent / "drafts"
TITLE = "Drafts"
LIBRARIES = ("boltons", "inflect", "more_itertools", "cattrs")
PATIENCE = 300  # seconds: a mutant may never end
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
    """A project of its own: a library's package and its driver."""

    def __init__(self, folder: Path, library: str, python: Path, binary: Path) -> None:
        self.folder, self.library, self.python, self.binary = folder, library, python, binary
        self.root = folder / "project"
        found = subprocess.check_output(
            [python, "-c", f"import {library}; print({library}.__path__[0])"], text=True, cwd=folder
        )
        shutil.copytree(found.strip(), self.root / library, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(HERE / "drivers" / f"{library}.py", self.root / "driver.py")
        self.tests = self.root / "tests" / "pytead"

    def run(self, command: list, cwd: "Path | None" = None, **more: str) -> subprocess.CompletedProcess:
        """Runs a process in the project."""
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        kept |= {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(HERE)}
        command = [str(c) for c in command]
        try:
            return subprocess.run(
                command, cwd=cwd or self.root, env=kept | more, capture_output=True, text=True, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", "it did not end\n")

    def watch(self, how: str, **more: str) -> list:
        """Runs the driver under watch.py: `direct` functions or the `outcomes` of their calls."""
        done = self.run([self.python, HERE / "watch.py", how, self.root / self.library, "driver.py"], **more)
        return json.loads(done.stdout) if done.returncode == 0 else [done.stderr.strip().splitlines()[-1:]]

    def pytest(self, *args: object, cwd: "Path | None" = None, **more: str) -> subprocess.CompletedProcess:
        """Runs the drafted tests."""
        own = [] if any(str(one).startswith("--randomly") for one in args) else ["-p", "no:randomly"]
        base = [self.python, "-m", "pytest", "-q", "-rA", "--tb=no", *own, "-p", "later", f"--rootdir={self.root}"]
        return self.run([*base, *args, self.tests], cwd, **more)


def draft(place: Place) -> dict:
    """Records the driver and accepts what was drafted and proved."""
    (place.folder / "home").mkdir(exist_ok=True)
    events = place.folder / "events"
    command = [place.binary, "--trust", "--python", place.python, "tead", "--accept", "--format", "json",
               "--events", events, "--", place.python, "driver.py"]  # fmt: skip
    environment = {"HOME": str(place.folder / "home"), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    seen: dict = {}
    before = os.times()
    with open(place.folder / "output", "w") as output:
        process = subprocess.Popen(
            list(map(str, command)), cwd=place.root, env=environment, stdout=output, stderr=output
        )
        events.touch()
        with open(events) as growing:
            while process.poll() is None:
                time.sleep(0.02)
                if "started" not in seen or "ended" not in seen:
                    runs = program_runs(f"{place.python}\0driver.py\0")
                    if runs or "started" in seen:
                        seen.setdefault("started" if runs else "ended", time.monotonic())
                if '"ready"' in growing.read():
                    seen.setdefault("first", time.monotonic())
    end = time.monotonic()
    collect_orphans()
    after = os.times()
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    proposals = [line["value"]["proposal"] for line in lines if line.get("result") == "proposal"]
    left = [line["value"] for line in lines if line.get("result") == "left_out"]
    ended = seen.get("ended", end)
    return {
        "first draft": seen.get("first", end) - ended,
        "all drafts": end - ended,
        "cpu": after.children_user + after.children_system - before.children_user - before.children_system,
        "proposals": proposals,
        "left out": left[0] if left else [],
    }


def program_runs(command: str) -> bool:
    """Tells whether a process with this command line is there."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_text() == command:
                return True
    return False


def adopt_orphans() -> None:
    """Makes this process the parent of what its children leave behind, so that its CPU time counts here (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def collect_orphans() -> None:
    """Waits for what the measured process left behind."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.01)
        except ChildProcessError:
            return


def cpu_of(place: Place, command: list) -> float:
    """Gives the CPU seconds of the quickest of three runs."""
    spent = []
    for _ in range(3):
        before = os.times()
        place.run(command)
        after = os.times()
        spent.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(spent)


def edits_stay(place: Place) -> bool:
    """Changes a test by hand, deletes another, drafts again, and tells whether the file is still that to the byte."""
    path = max(place.tests.glob("test_*.py"), key=lambda path: path.stat().st_size)
    text = path.read_text()
    last = ast.parse(text).body[-1]
    start = min([last.lineno, *(decorator.lineno for decorator in last.decorator_list)]) - 1
    kept = "".join(text.splitlines(keepends=True)[:start]).rstrip("\n") + "\n"
    edited = re.sub(r"^( +)(assert .*)$", r"\1# Looked at by hand.\n\1\2", kept, count=1, flags=re.M)
    path.write_text(edited)
    home = str(place.folder / "home")
    place.run([place.binary, "--trust", "--python", place.python, "gen", "--accept"], HOME=home)
    return path.read_text() == edited


def passed(output: str) -> "tuple[set, set]":
    """Reads pytest's summary: (tests that passed, tests that did not)."""
    results = re.findall(r"^(PASSED|FAILED|ERROR) (?:\S*/)?(test_\S+\.py(?:::.*?)?)(?: - .*)?$", output, re.M)
    return {name for word, name in results if word == "PASSED"}, {name for word, name in results if word != "PASSED"}


def lengths(folder: Path) -> "tuple[list, int]":
    """Gives the lines of each test function without the table of its rows, and the number of tests, a row each."""
    sizes, tests = [], 0
    for path in sorted(folder.glob("test_*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
                sizes.append(node.end_lineno - node.lineno + 1)
                rows = [len(d.args[1].elts) for d in node.decorator_list if isinstance(d, ast.Call) and len(d.args) > 1]
                tests += max(rows, default=1)
    return sizes, tests


def branches(place: Place, command: list) -> set:
    """Gives the branches of the library that a command takes."""
    data = place.folder / "coverage"
    rc = place.folder / "coveragerc"
    rc.write_text(f"[run]\nbranch = True\nsource = {place.library}\ndata_file = {data}\n")
    done = place.run([place.python, "-m", "coverage", "run", f"--rcfile={rc}", *command])
    report = place.folder / "coverage.json"
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


def mutants(place: Place, wanted: int) -> "tuple[int, list]":
    """Changes the library: (changes that the driver's outcomes show, those of them that the tests do not)."""
    # What differs from run to run says nothing of a change: a second later, with other hashes.
    by_name = []
    for seed in "012":
        by_name.append(outcomes_by_name(place.watch("outcomes", PYTHONHASHSEED=seed)))
        time.sleep(1.1)
    steady = {name for name in by_name[0] if all(run.get(name) == by_name[0][name] for run in by_name)}

    def seen() -> dict:
        found = outcomes_by_name(place.watch("outcomes", PYTHONHASHSEED="0"))
        return {name: found.get(name) for name in steady}

    base = {name: by_name[0][name] for name in steady}
    lines = place.watch("lines")
    made = json.loads(
        place.run([place.python, HERE / "mutate.py", place.root, json.dumps(lines), str(wanted * 4)]).stdout
    )
    noticed, alive = 0, []
    for mutant in made:
        if noticed >= wanted:
            break
        path = place.root / mutant["path"]
        kept = path.read_text()
        path.write_text(mutant["text"])
        try:
            if seen() == base:
                continue
            noticed += 1
            if place.pytest("-x").returncode == 0:
                alive.append(mutant["what"])
        finally:
            path.write_text(kept)
    return noticed, alive


def examine(folder: Path, library: str, python: Path, binary: Path, wanted: int) -> dict:
    """Measures one library."""
    adopt_orphans()
    place = Place(folder, library, python, binary)
    found = {"library": library, **draft(place)}
    direct = {tuple(one) for one in place.watch("direct")}
    first = place.pytest()
    good, bad = passed(first.stdout)
    found["shown"], found["passing"] = len(good) + len(bad), len(good)
    found["failing"] = sorted(bad)
    stable = set(good)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    for nth, (more, order, away) in enumerate(RERUNS):
        args = ["-p", "no:cacheprovider", f"--randomly-seed={order}"] if order else []
        more = {"PYTHONHASHSEED": str(nth * 11), **more}
        again, _ = passed(place.pytest(*args, cwd=elsewhere if away else None, **more).stdout)
        stable &= again
    found["stable"] = len(stable)
    found["unstable"] = sorted(good - stable)
    with_test = {}
    for proposal in found["proposals"]:
        module, name = proposal["function"].split(":")
        draft_of = proposal["body"]
        file = draft_of["target"].rsplit("/", 1)[-1]
        names = [f"{file}::{test}" for test in draft_of.get("tests", [])]
        if proposal["state"] in ("ready", "written"):
            with_test[module, name.split("#")[0]] = any(
                one == name_ or one.startswith(name_ + "[") for name_ in names for one in stable
            )
    found["direct"] = len(direct)
    missing = sorted(one for one in direct if not with_test.get(one))
    reasons = {}
    for function, left in found["left out"]:
        reasons.setdefault(function.split("#")[0], []).append(left["reason"])
    for proposal in found["proposals"]:
        if proposal["state"] == "refused":
            reasons.setdefault(proposal["function"], []).append(f"refused: {proposal['evidence'][0]['detail']}")
    found["tested"] = len(direct) - len(missing)
    found["missing"] = {":".join(one): reasons.get(":".join(one), ["?"])[:2] for one in missing}
    of_driver = branches(place, ["driver.py"])
    of_tests = branches(place, ["-m", "pytest", "-q", "-p", "no:randomly", place.tests])
    found["branches"], found["reached"] = len(of_driver), len(of_driver & of_tests)
    found["branches missing"] = sorted(of_driver - of_tests)
    sizes, found["tests"] = lengths(place.tests)
    found["sizes"] = sizes
    lint = place.run([python, "-m", "ruff", "check", "--isolated", "--output-format=concise", place.tests])
    found["ruff"] = [line for line in lint.stdout.splitlines() if re.match(r"\S+:\d+:", line)]
    check = place.run([binary, "--trust", "--python", python, "gen", "--check"], HOME=str(folder / "home"))
    found["identical"] = check.returncode == 0
    if not found["identical"]:
        found["check"] = (check.stdout + check.stderr)[-600:]
    found["mutants"], found["alive"] = mutants(place, wanted) if wanted else (0, [])
    ready = [one["body"]["tests"] for one in found["proposals"] if one["state"] in ("ready", "written")]
    found["of a function"] = [len(tests) for tests in ready]
    # What all of it may cost: 20 runs of the program, 60 ms a test and three starts of pytest.
    of_program = cpu_of(place, [python, "driver.py"])
    of_pytest = cpu_of(place, [python, "-m", "pytest", "--version"])
    found["allowed cpu"] = 20 * of_program + 0.06 * found["shown"] + 3 * of_pytest
    found["edits stay"] = edits_stay(place)
    return found


def share(part: int, whole: int) -> str:
    """Gives `12/15 (80.0 %)`."""
    return f"{part}/{whole} ({100 * part / whole:.1f} %)" if whole else "-"


def spread(values: list) -> str:
    """Gives the median and the 90th percentile."""
    values = sorted(values)
    return f"{statistics.median(values):g} / {values[int(len(values) * 0.9)]}" if values else "-"


# What is measured: the line's head, and how the figure of a library, or of all, is written.
FIGURES = (
    ("functions called directly with a stable test", lambda found: share(found["tested"], found["direct"])),
    ("tests that pass at first run", lambda found: share(found["passing"], found["shown"])),
    ("tests stable over ten reruns", lambda found: share(found["stable"], found["shown"])),
    ("branches of the driver reached", lambda found: share(found["reached"], found["branches"])),
    (
        "mutants the driver notices killed",
        lambda found: share(found["mutants"] - len(found["alive"]), found["mutants"]),
    ),
    ("lines a test, median / 90th percentile", lambda found: spread(found["sizes"])),
    ("tests a function, median / 90th percentile", lambda found: spread(found["of a function"])),
    ("findings of ruff", lambda found: str(len(found["ruff"]))),
    ("drafted again byte for byte", lambda found: "yes" if found["identical"] else "no"),
    ("edits by hand stay", lambda found: "yes" if found["edits stay"] else "no"),
    ("first draft after the program's end", lambda found: f"{found['first draft']:.1f} s"),
    ("all drafts after the program's end", lambda found: f"{found['all drafts']:.1f} s"),
    ("CPU, of it allowed", lambda found: f"{found['cpu']:.0f} s of {found['allowed cpu']:.0f} s"),
)
# Figures of which the worst is everybody's.
WORST = {"identical": min, "edits stay": min, "first draft": max, "all drafts": max}


def summed(all_found: list) -> dict:
    """Adds up the libraries."""
    total = {"library": "all"}
    for key, value in all_found[0].items():
        values = [found.get(key) for found in all_found]
        if key in WORST:
            total[key] = WORST[key](values)
        elif isinstance(value, int | float | list):
            total[key] = sum(values[1:], values[0])
    return total


def page(all_found: list) -> str:
    """Writes the section: the table, and each function without a test."""
    columns = [*all_found, summed(all_found)]
    head = ["", *(found["library"] for found in columns)]
    rows = [[name, *(figure(found) for found in columns)] for name, figure in FIGURES]
    lines = [table(head, rows), "", "Functions that a driver calls and that got no test, and why:", ""]
    for found in all_found:
        lines += [f"- `{name}`: {'; '.join(why)}" for name, why in found["missing"].items()]
    return "\n".join(lines) + "\n"


def measure(bench) -> str:
    """A part of the bench."""
    if bench.binary is None:
        return "Not measured: there is no release build.\n"
    all_found = []
    for library in LIBRARIES:
        bench.say(library)
        with bench.empty_folder() as folder:
            all_found.append(examine(folder, library, Path(bench.pythons[-1][1]), bench.binary, 60))
    return page(all_found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--only", action="append", choices=LIBRARIES)
    parser.add_argument("--mutants", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="where projects and findings are left")
    args = parser.parse_args()
    all_found = []
    for library in args.only or LIBRARIES:
        print(library, file=sys.stderr, flush=True)
        folder = args.keep / library if args.keep else Path(tempfile.mkdtemp())
        if args.keep and folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        found = examine(folder, library, args.python.absolute(), args.binary.resolve(), args.mutants)
        all_found.append(found)
        if args.keep:
            kept = {key: value for key, value in found.items() if key != "proposals"}
            (folder / "found.json").write_text(json.dumps(kept, indent=1))
        else:
            shutil.rmtree(folder)
    print(page(all_found))


if __name__ == "__main__":
    main()
