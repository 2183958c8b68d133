"""How good drafts are: eight libraries from PyPI, each used by a driver in drafts/, recorded, drafted, and tried; and what
other tools write for the same libraries, tried in the same way.

    drafts.py --binary PATH [--python PATH] [--peers PATH] [--only NAME]... [--mutants N] [--keep DIR]

Owns what is measured of our own drafts, and the page; tried.py tries a folder of tests, peers.py has others write one.
The interpreter needs what requirements.txt names, that of the peers what requirements-peers.txt names.
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
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bench import table
from peers import CALLS, PEERS, SECONDS
from tried import Driven, Place, cpu_spent, tried

TITLE = "Drafts"
LIBRARIES = ("boltons", "inflect", "more_itertools", "cattrs", "aiocache", "ijson", "humanize", "marshmallow")
MUTANTS = 10  # of a library
FEW = 3  # notes on a peer that the page has room for
OWN_NOTES = """\
- *Called*: a stable test calls the function itself, in the test or in a fixture beside it. *Of their own*: the test was drafted
  for this function; one that calls it to make an object for another does not count.
- *Stable*: it passes at first and in ten more runs: random order, other hash seeds, time zones and folders, 400 days later,
  ten years earlier. Branches and mutants are those of the stable tests.
- *In a copy*: of the project at another path, with `PATH` and a new `HOME` as the whole environment.
- *Mutants*: changes of one place in the library that change what the driver sees.
- *Details* are parts of recorded outcomes, each changed once while the assertions look on. A draft with one that no assertion sees
  says so, and is left to a person.
- The two times after the program's end are by the clock: with a load above the number of processors they say little. *CPU* may
  be 20 runs of the driver, 60 ms a test and three starts of pytest."""
PEER_NOTES = f"""\
- The same driver, the same measures, the same mutants. Which function a test is for is asked of no tool: it is for those that
  it calls itself, as *called* says above.
- *pytead* is told the name of every function that the driver calls itself, and keeps {CALLS} calls of each (its own default is
  2); its format is its default. Where a name says nothing to it, it is asked again without that one.
- *Pynguin* does not see the driver: it looks for tests of each module of which the driver calls a function, by trying. It has
  {SECONDS} s for that and {SECONDS} s to find asserts, by the clock; more of it finds more. Exceptions are expected by
  `pytest.raises`, not by marks. What it finds beyond the driver is not counted here.
- *CPU* is that of the tool from its start to its end: with the recorded program, and for ours with the proof."""


def draft(place: Place, binary: Path) -> dict:
    """Records the driver and accepts what was drafted and proved."""
    adopt_orphans()
    events = place.folder / "events"
    command = [binary, "--trust", "--python", place.python, "tead", "--accept", "--format", "json",
               "--events", events, "--", place.python, "driver.py"]  # fmt: skip
    environment = {"HOME": str(place.home), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    seen: dict = {}
    before = cpu_spent()
    with open(place.folder / "output", "w") as output:
        process = subprocess.Popen(
            list(map(str, command)), cwd=place.root, env=environment, stdout=output, stderr=output
        )
        events.touch()
        warm = Contained(process.pid)
        with open(events) as growing:
            while process.poll() is None:
                time.sleep(0.02)
                warm.look()
                if "started" not in seen or "ended" not in seen:
                    runs = program_runs(f"{place.python}\0driver.py\0", place.root)
                    if runs or "started" in seen:
                        seen.setdefault("started" if runs else "ended", time.monotonic())
                if '"ready"' in growing.read():
                    seen.setdefault("first", time.monotonic())
    end = time.monotonic()
    collect_orphans()
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    proposals = [line["value"]["proposal"] for line in lines if line.get("result") == "proposal"]
    left = [line["value"] for line in lines if line.get("result") == "left_out"]
    ended = seen.get("ended", end)
    return {
        "first draft": seen.get("first", end) - ended,
        "all drafts": end - ended,
        "load": os.getloadavg()[0],
        "cpu": cpu_spent() - before + sum(warm.cpu.values()),
        "proposals": proposals,
        "left out": left[0] if left else [],
    }


def program_runs(command: str, root: Path) -> bool:
    """Tells whether a process with this command line is there, in this folder."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_text() == command and (folder / "cwd").readlink() == root:
                return True
    return False


class Contained:
    """The warm Pythons below a process. They are ended with their namespace, and Linux adds their CPU time to nobody's then."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.others: set = set()  # processes that are none of them
        self.cpu: dict = {}  # seconds with those of all below them, by process

    def look(self) -> None:
        """Notes what each has spent by now: what ended below it was added to its own time, what lives is added here."""
        alive = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError):
                    alive[name] = stat(name)
        for name in alive:
            if name not in self.others and name not in self.cpu:
                self._meet(name)
        spent = dict.fromkeys(self.cpu, 0.0)
        for name, fields in alive.items():
            home = name
            while home in alive and home not in spent:
                home = alive[home][1]
            if home in spent:
                spent[home] += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        for name, seconds in spent.items():
            self.cpu[name] = max(self.cpu[name], seconds)

    def _meet(self, name: str) -> None:
        with contextlib.suppress(OSError):
            command = Path("/proc", name, "cmdline").read_bytes()
            if b"__contain" in command or not command:
                return  # it becomes another program in a moment
            parents = [name]
            while int(parents[-1]) > 1 and parents[-1] != str(self.pid):
                parents.append(stat(parents[-1])[1])
            is_first = len(parents) > 1 and b"__contain" in Path("/proc", parents[1], "cmdline").read_bytes()
            if b"pytead_tui.worker" in command and is_first and parents[-1] == str(self.pid):
                self.cpu[name] = 0.0
                return
        self.others.add(name)


def stat(name: str) -> list:
    """Gives the fields of a process's `stat`, from its state on."""
    return Path("/proc", name, "stat").read_text().rpartition(")")[2].split()


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
        before = cpu_spent()
        place.run(command)
        spent.append(cpu_spent() - before)
    return min(spent)


def edits_stay(place: Place, binary: Path) -> bool:
    """Changes a test by hand, deletes another, drafts again, and tells whether the file is still that to the byte."""
    path = max(place.tests.glob("test_*.py"), key=lambda path: path.stat().st_size, default=None)
    if path is None:
        return False
    text = path.read_text()
    last = ast.parse(text).body[-1]
    start = min([last.lineno, *(decorator.lineno for decorator in last.decorator_list)]) - 1
    kept = "".join(text.splitlines(keepends=True)[:start]).rstrip("\n") + "\n"
    edited = re.sub(r"^( +)(assert .*)$", r"\1# Looked at by hand.\n\1\2", kept, count=1, flags=re.M)
    path.write_text(edited)
    place.run([binary, "--trust", "--python", place.python, "gen", "--accept"])
    return path.read_text() == edited


def of_their_own(found: dict, driven: Driven) -> dict:
    """Tells which functions got a stable test that is there for them, and why the others did not."""
    with_test = {}
    reasons: dict = {}
    for function, left in found["left out"]:
        reasons.setdefault(function.split("#")[0], []).append(left["reason"])
    for proposal in found["proposals"]:
        body = proposal["body"]
        if proposal["state"] == "refused":
            reasons.setdefault(proposal["function"], []).append(f"refused: {proposal['evidence'][0]['detail']}")
        elif proposal["state"] in ("ready", "written"):
            said = [f"{line['what']} {line['detail']}" for line in proposal["evidence"] if line["what"] in ("holds", "overlooks")]
            if proposal["state"] == "ready" and said:
                reasons.setdefault(proposal["function"], []).append(f"drafted, and left to a person: it {said[0]}")
            module, name = proposal["function"].split(":")
            file = body["target"].rsplit("/", 1)[-1]
            names = tuple(f"{file}::{test}" for test in body.get("tests", []))
            with_test[module, name.split("#")[0]] = any(
                one in names or one.startswith(tuple(test + "[" for test in names)) for one in found["names"]
            )
    missing = sorted(one for one in driven.direct if not with_test.get(one))
    details = [one["body"]["details"] for one in found["proposals"] if one["state"] in ("ready", "written")]
    return {
        "details changed": sum(one["changed"] for one in details),
        "details unseen": sum(one["unseen"] for one in details),
        "tested": len(driven.direct) - len(missing),
        "missing": {":".join(one): reasons.get(":".join(one), ["?"])[:2] for one in missing},
    }


class Given:
    """What the libraries are measured with."""

    def __init__(self, python: Path, binary: Path, peers: "Path | None", mutants: int) -> None:
        self.python, self.binary, self.peers, self.mutants = python, binary, peers, mutants


def examine(folder: Path, libraries: tuple, given: Given, say: Callable) -> list:
    """Measures libraries: one after the other while it is drafted, for a person waits for that; then as many at once as
    there are processors."""
    drafted = []
    for library in libraries:
        say(f"{library}: drafts")
        place = Place(folder / library, library, given.python, "pytead")
        with ProcessPoolExecutor(1) as alone:
            drafted.append((place, {"library": library, **alone.submit(draft, place, given.binary).result()}))
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(valued, place, found, given) for place, found in drafted]
        for done, library in zip(waiting, libraries):
            done.result()
            say(f"{library}: measured")
        return [done.result() for done in waiting]


def valued(place: Place, found: dict, given: Given) -> dict:
    """Measures what was drafted for a library, and what other tools write for it."""
    adopt_orphans()
    driven = Driven(place, given.mutants)
    found |= tried(place, driven)
    found |= of_their_own(found, driven)
    check = place.run([given.binary, "--trust", "--python", given.python, "gen", "--check"])
    found["identical"] = check.returncode == 0
    if not found["identical"]:
        found["check"] = (check.stdout + check.stderr)[-600:]
    ready = [one["body"]["tests"] for one in found["proposals"] if one["state"] in ("ready", "written")]
    found["of a function"] = [len(tests) for tests in ready]
    # What all of it may cost: 20 runs of the program, 60 ms a test and three starts of pytest.
    of_program = cpu_of(place, [given.python, "driver.py"])
    of_pytest = cpu_of(place, [given.python, "-m", "pytest", "--version"])
    found["allowed cpu"] = 20 * of_program + 0.06 * found["shown"] + 3 * of_pytest
    found["edits stay"] = edits_stay(place, given.binary)
    found["peers"] = {}
    for name, write in PEERS.items() if given.peers else ():
        there = Place(place.folder / name, place.library, given.peers, "peer")
        before = cpu_spent()
        notes = write(there, driven)
        collect_orphans()
        cpu = cpu_spent() - before
        found["peers"][name] = {"library": place.library, "cpu": cpu, "notes": notes, **tried(there, driven)}
    return found


def share(part: int, whole: int) -> str:
    """Gives `12/15 (80.0 %)`."""
    return f"{part}/{whole} ({100 * part / whole:.1f} %)" if whole else "-"


def spread(values: list) -> str:
    """Gives the median and the 90th percentile."""
    values = sorted(values)
    return f"{statistics.median(values):g} / {values[int(len(values) * 0.9)]}" if values else "-"


# What is measured of every tool's tests: the line's head, and how the figure of a library, or of all, is written.
SHARED = (
    ("functions called by a stable test", lambda found: share(found["called"], found["direct"])),
    ("tests that pass at first run", lambda found: share(found["passing"], found["shown"])),
    ("tests stable over ten reruns", lambda found: share(found["stable"], found["shown"])),
    ("tests that pass in a copy, with an empty environment", lambda found: share(found["in a copy"], found["passing"])),
    ("files left behind there", lambda found: str(len(found["left behind"]))),
    ("branches of the driver reached", lambda found: share(found["reached"], found["branches"])),
    (
        "mutants the driver notices killed",
        lambda found: share(found["mutants"] - len(found["alive"]), found["mutants"]),
    ),
    ("lines a test, median / 90th percentile", lambda found: spread(found["sizes"])),
    ("findings of ruff", lambda found: str(len(found["ruff"]))),
)
CPU = ("CPU", lambda found: f"{found['cpu']:.0f} s")
# What is asked of ours alone.
OWN = (
    ("functions with a stable test of their own", lambda found: share(found["tested"], found["direct"])),
    *SHARED,
    ("details changed, and not seen by an assertion", lambda found: f"{found['details changed']}, {found['details unseen']}"),
    ("tests a function, median / 90th percentile", lambda found: spread(found["of a function"])),
    ("drafted again byte for byte", lambda found: "yes" if found["identical"] else "no"),
    ("edits by hand stay", lambda found: "yes" if found["edits stay"] else "no"),
    ("first draft after the program's end", lambda found: f"{found['first draft']:.1f} s"),
    ("all drafts after the program's end", lambda found: f"{found['all drafts']:.1f} s"),
    ("load of the machine then", lambda found: f"{found['load']:.1f}"),
    ("CPU, of it allowed", lambda found: f"{found['cpu']:.0f} s of {found['allowed cpu']:.0f} s"),
)
# Figures of which the worst is everybody's.
WORST = {"identical": min, "edits stay": min, "first draft": max, "all drafts": max, "load": max}


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


def figures(named: dict, rows: tuple) -> str:
    """Gives a table: a column for each name."""
    return table(["", *named], [[head, *(figure(found) for found in named.values())] for head, figure in rows])


def page(all_found: list) -> str:
    """Writes the section: the tables, what they mean, and each function without a test."""
    everything = summed(all_found)
    lines = [figures({found["library"]: found for found in [*all_found, everything]}, OWN), "", OWN_NOTES]
    if all_found[0]["peers"]:
        lines += ["", "### Other tools, on the same libraries", ""]
        beside = {name: summed([found["peers"][name] for found in all_found]) for name in PEERS}
        lines += ["All libraries together:", ""]
        lines += [figures({"pytead-tui": everything, **beside}, (*SHARED, CPU)), ""]
        for found in all_found:
            lines += [f"{found['library']}:", ""]
            lines += [figures({"pytead-tui": found, **found["peers"]}, (*SHARED, CPU)), ""]
        lines += [PEER_NOTES]
        for name in PEERS:
            for found in all_found:
                notes = found["peers"][name]["notes"]
                lines += [f"- {name}, {found['library']}: {short(notes)}."] if notes else []
    lines += ["", "### Functions that a driver calls and that got no test of ours, and why", ""]
    for found in all_found:
        lines += [f"- `{name}`: {'; '.join(why)}" for name, why in found["missing"].items()]
    return "\n".join(lines) + "\n"


def short(notes: list) -> str:
    """Gives the first notes, and how many more there are."""
    more = f"; and {len(notes) - FEW} more" if len(notes) > FEW else ""
    return "; ".join(notes[:FEW]) + more


def measure(bench) -> str:
    """A part of the bench."""
    if bench.binary is None:
        return "Not measured: there is no release build.\n"
    given = Given(Path(bench.pythons[-1][1]), bench.binary, bench.peers, MUTANTS)
    with bench.empty_folder() as folder:
        return page(examine(folder, LIBRARIES, given, bench.say))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--peers", type=Path, help="the interpreter of the other tools; without it they are left out")
    parser.add_argument("--only", action="append", choices=LIBRARIES)
    parser.add_argument("--mutants", type=int, default=MUTANTS)
    parser.add_argument("--keep", type=Path, help="where projects and findings are left")
    args = parser.parse_args()
    given = Given(args.python.absolute(), args.binary.resolve(), args.peers and args.peers.absolute(), args.mutants)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary).resolve()
        libraries = tuple(args.only or LIBRARIES)
        for library in libraries:
            shutil.rmtree(folder / library, ignore_errors=True)
        all_found = examine(folder, libraries, given, lambda text: print(text, file=sys.stderr, flush=True))
        for found in all_found:
            kept = {key: value for key, value in found.items() if key != "proposals"}
            (folder / found["library"] / "found.json").write_text(json.dumps(kept, indent=1))
    print(page(all_found))


if __name__ == "__main__":
    main()
