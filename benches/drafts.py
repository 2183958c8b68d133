"""How good drafts are: four libraries from PyPI, each used by a driver in drafts/, recorded, drafted, and tried.

    drafts.py --binary PATH [--python PATH] [--only NAME]... [--mutants N] [--keep DIR]

Owns what is measured and how; watch.py in drafts/ looks at a run of a driver, mutate.py makes the mutants. The
interpreter needs what requirements.txt names: pytest, coverage, ruff, time-machine and the libraries.
"""

import argparse
import ast
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

HERE = Path(__file__).resolve().parent / "drafts"
TITLE = "Drafts"
LIBRARIES = ("boltons", "inflect", "more_itertools", "cattrs")
RERUNS = (
    ("another folder", {}, [], "elsewhere"),
    ("hash seed 7, random order", {"PYTHONHASHSEED": "7"}, ["-p", "randomly", "-p", "no:cacheprovider"], None),
    ("hash seed 99, Kiritimati", {"PYTHONHASHSEED": "99", "TZ": "Pacific/Kiritimati"}, [], None),
    ("400 days later", {"BENCH_DAYS": "400"}, [], None),
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
        return subprocess.run(
            [str(c) for c in command], cwd=cwd or self.root, env=kept | more, capture_output=True, text=True
        )

    def watch(self, how: str) -> list:
        """Runs the driver under watch.py: `direct` functions or the `outcomes` of their calls."""
        done = self.run([self.python, HERE / "watch.py", how, self.root / self.library, "driver.py"])
        return json.loads(done.stdout) if done.returncode == 0 else [done.stderr.strip().splitlines()[-1:]]

    def pytest(self, *args: object, cwd: "Path | None" = None, **more: str) -> subprocess.CompletedProcess:
        """Runs the drafted tests."""
        own = ["-p", "no:randomly"] if "randomly" not in args else []
        base = [self.python, "-m", "pytest", "-q", "-rA", "--tb=no", *own, "-p", "later", f"--rootdir={self.root}"]
        return self.run([*base, *args, self.tests], cwd, **more)


def draft(place: Place) -> dict:
    """Records the driver and accepts what was drafted and proved."""
    before = os.times()
    began = time.monotonic()
    first = None
    command = [place.binary, "--trust", "--python", place.python, "tead", "--accept", "--format", "json",
               "--events", place.folder / "events", "--", place.python, "driver.py"]  # fmt: skip
    environment = {"HOME": str(place.folder / "home"), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    (place.folder / "home").mkdir(exist_ok=True)
    events = place.folder / "events"
    with open(place.folder / "output", "w") as output:
        process = subprocess.Popen(
            list(map(str, command)), cwd=place.root, env=environment, stdout=output, stderr=output
        )
        ended = None
        while process.poll() is None:
            time.sleep(0.02)
            if first is None and events.exists():
                text = events.read_text()
                if ended is None and "recording_ended" in text:
                    ended = time.monotonic()
                if '"state":"ready"' in text:
                    first = time.monotonic()
    after = os.times()
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    proposals = [line["value"]["proposal"] for line in lines if line.get("result") == "proposal"]
    left = [line["value"] for line in lines if line.get("result") == "left_out"]
    return {
        "seconds": time.monotonic() - began,
        "first draft": (first or time.monotonic()) - (ended or began),
        "cpu": after.children_user + after.children_system - before.children_user - before.children_system,
        "proposals": proposals,
        "left out": left[0] if left else [],
    }


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


def mutants(place: Place, wanted: int, good: "set | None" = None) -> "tuple[int, list]":
    """Changes the library: (changes that the driver's outcomes show, those of them that the tests do not)."""
    base = place.watch("outcomes")
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
            if place.watch("outcomes") == base:
                continue
            noticed += 1
            if place.pytest("-x").returncode == 0:
                alive.append(mutant["what"])
        finally:
            path.write_text(kept)
    return noticed, alive


def examine(folder: Path, library: str, python: Path, binary: Path, wanted: int) -> dict:
    """Measures one library."""
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
    for _name, more, args, cwd in RERUNS:
        again, _ = passed(place.pytest(*args, cwd=elsewhere if cwd else None, **more).stdout)
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
    found["functions"] = len(found["proposals"])
    return found


def share(part: int, whole: int) -> str:
    """Gives `12/15 (80.0 %)`."""
    return f"{part}/{whole} ({100 * part / whole:.1f} %)" if whole else "-"


def row(found: dict) -> list:
    """Gives the figures of one library, or of all."""
    sizes = sorted(found["sizes"])
    return [
        found["library"],
        share(found["tested"], found["direct"]),
        share(found["passing"], found["shown"]),
        share(found["stable"], found["shown"]),
        share(found["reached"], found["branches"]),
        share(found["mutants"] - len(found["alive"]), found["mutants"]),
        f"{statistics.median(sizes):g} / {sizes[int(len(sizes) * 0.9)]}" if sizes else "-",
        f"{found['tests'] / max(found['functions'], 1):.1f}",
        str(len(found["ruff"])),
        "yes" if found["identical"] else "no",
        f"{found['first draft']:.1f} s",
        f"{found['cpu']:.0f} s",
    ]


HEAD = ["library", "functions tested", "pass at first run", "stable", "branches", "mutants killed", "lines median / 90 %",
        "tests a function", "ruff", "same again", "first draft after", "CPU"]  # fmt: skip


def summed(all_found: list) -> dict:
    """Adds up the libraries."""
    total = {"library": "all", "identical": all(found["identical"] for found in all_found)}
    for key in all_found[0]:
        values = [found.get(key) for found in all_found]
        if key not in total and isinstance(values[0], int | float | list):
            total[key] = sum(values[1:], values[0])
    total["first draft"] = max(found["first draft"] for found in all_found)
    return total


def page(all_found: list) -> str:
    """Writes the section: the table, and each function without a test."""
    rows = [HEAD, *(row(found) for found in [*all_found, summed(all_found)])]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|---|" + "---:|" * (len(HEAD) - 1))
    lines += ["", "Functions that a driver calls and that got no test, and why:", ""]
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
