"""Other tools that write tests for the libraries of drafts.py: each fills the folder of tests of a place, as its own
documents say, with what helps it most among what they say.

Owns how the tools are started and why they did not get to the end; what their tests are worth is tried.py's to say.
"""

import re
from collections.abc import Callable

from tried import Driven, Place

CALLS = 10  # that pytead keeps of a function; its own default is 2
SECONDS = 10  # in which Pynguin may look for tests of a module, and again in which it may change the module to find asserts
IMPORTING = 60  # seconds in which a module has to be imported: one that its decorators read again takes more than its 5
BROKEN = re.compile(r"Script terminated: (.*)")
UNRESOLVED = re.compile(r"(?:Cannot resolve target|Failed to instrument) '([^']+)'")


def pytead(place: Place, driven: Driven) -> list:
    """Records the driver and writes tests: every function has to be named that is to be recorded."""
    program = place.python.parent / "pytead"
    if not program.exists():
        return ["it could not be installed"]
    limits = ["--limit", CALLS, "--storage-dir", place.folder / "calls", "--output-dir", place.tests]

    def record(targets: list) -> "tuple[int, str]":
        done = place.run([program, "tead", *limits, "--targets", *targets, "--", "driver.py"])
        return done.returncode, done.stdout + done.stderr

    names = [".".join(one) for one in sorted(driven.direct)]
    targets = [name for name in names if "<locals>" not in name]
    notes = [f"{name} cannot be named" for name in names if name not in targets]
    while targets:
        code, said = record(targets)
        refused = [name for name in targets if name in UNRESOLVED.findall(said)]
        if code == 0 or not refused:
            break
        # It does nothing at all while one of the names says nothing to it.
        targets = [name for name in targets if name not in refused]
        notes += [f"{name} cannot be recorded" for name in refused]
    broken = BROKEN.search(said) if targets else None
    if broken:
        notes.append(f"the program breaks off under it ({broken[1]}), so each function was recorded in a run of its own")
        for target in targets:
            code, said = record([target])
            broken = BROKEN.search(said)
            notes += [f"{target}: {broken[1] if broken else last_line(said)}"] if broken or code else []
    elif targets and code:
        notes.append(f"it ended with {code}: {last_line(said)}")
    return notes


def pynguin(place: Place, driven: Driven) -> list:
    """Looks for tests of each module that the driver calls."""
    notes = []
    place.tests.mkdir(parents=True, exist_ok=True)
    for module in sorted({module for module, _ in driven.direct}):
        limits = ["--maximum-search-time", SECONDS, "--maximum-mutation-time", SECONDS, "--seed", 1]
        limits += ["--maximum-module-execution-timeout", IMPORTING]
        what = ["--project-path", place.root, "--module-name", module, "--output-path", place.tests]
        # It changes the working folder as the tests it tries do: what they leave is thrown away with the place.
        done = place.run(
            [place.python, "-m", "pynguin", *what, *limits, "--no-xfail", "True", "--no-rich"],
            PYNGUIN_DANGER_AWARE="1",
            PYTHONHASHSEED="0",
        )
        if done.returncode:
            notes.append(f"{module}: {last_line(done.stdout + done.stderr)}")
    return notes


def last_line(text: str) -> str:
    """Gives the last line that says something, short enough for a page."""
    lines = [re.sub(r"^(\[[^]]*\] ?)+(\(\S+\): )?", "", line.strip()) for line in text.splitlines() if line.strip()]
    return lines[-1][:120] if lines else "it said nothing"


# By name: what fills a place with tests.
PEERS: "dict[str, Callable]" = {"pytead": pytead, "Pynguin": pynguin}
