"""What accepted tests of applications are worth: each application is recorded by its own suite, and all that `gen` may accept
is accepted.

An application is used from outside, so every function counts that its suite ran, and not only those that a driver calls
itself, as drafts.py counts them for libraries.
"""

import re
import subprocess

from bench import Bench, table
from projects import Project
from small_edits import faults
from tried import in_a_copy, lengths, passed

TITLE = "Accepted tests of applications"
# Name, version, folder below the sources, the suite, what it needs beside pytest.
APPLICATIONS = (
    ("yamllint", "1.37.1", ".", "tests", ("PyYAML", "pathspec")),
    ("flask", "3.1.3", "examples/tutorial", "tests", ("flask==3.1.3",)),
)
FAULTS = 20  # tried in each application; those that its suite does not catch say nothing
RERUNS = (
    {"PYTHONHASHSEED": "1"},
    {"PYTHONHASHSEED": "2", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "3", "TZ": "America/St_Johns"},
)
NOTES = """\
- *Functions*: those of the application that its suite runs; *tested*: an accepted test was drafted for it.
- *Stable*: it passes at first and in three more runs under other hash seeds and time zones. *In a copy*: at another
  path, with `PATH` and a new `HOME` as the whole environment. *Left behind*: files that are there afterwards.
- *Faults*: small ones in the recorded functions, of which the application's own suite catches each."""


def measure(bench: Bench) -> str:
    """Gives the section: a row for each application, and why functions have no test."""
    rows, why = [], []
    for name, version, folder, tests, needs in APPLICATIONS:
        with bench.empty_folder() as place:
            bench.say("%s %s" % (name, version))
            project = Project(bench, place, name, version, tests, needs, below=folder)
            row, reasons = accepted(project)
            rows.append(["%s %s" % (name, version), *row])
            why += ["- %s: %s" % (name, "; ".join("%d %s" % (n, code) for code, n in reasons))]
    head = ["application", "functions", "tested", "tests", "pass", "stable", "pass in a copy", "left behind", "lines a test",
            "faults caught"]  # fmt: skip
    return table(head, rows) + "\n\n" + NOTES + "\n\nWhy functions have no test, by reason:\n\n" + "\n".join(why)


def accepted(project: Project) -> tuple:
    """Records, drafts, accepts and tries: the row of figures, and (reason, functions) for those without a test."""
    project.product("run", "--", str(project.python), *project.suite())
    project.product("gen", "--accept")
    rows = [f for f in project.results(project.product("index"), "functions") if f["calls"] and not is_test(f["path"])]
    folder = project.root / "tests" / "pytead"
    manifest = folder / "manifest.yaml"
    listed = manifest.read_text() if manifest.exists() else ""
    tested = [f for f in rows if '"function":"%s"' % f["id"] in listed]
    good, bad = passed(pytest(project).stdout)
    stable = set(good)
    for environment in RERUNS:
        stable &= passed(pytest(project, **environment).stdout)[0]
    in_copy, behind = in_a_copy(project.python, project.root, folder, ("-o", "addopts=")) if good else (set(), [])
    sizes, _ = lengths(folder) if folder.exists() else ([], 0)
    caught = noticed = 0
    for path, new, _ in project.chosen(rows, faults, FAULTS):
        with project.edited({path: new}):
            if project.run([project.python, *project.suite("-x", "--ignore=%s" % folder)], project.root).returncode:
                caught += 1
                noticed += passed(pytest(project).stdout)[0] < stable
    reasons: dict = {}
    for row in rows:
        if row not in tested:
            code = (row.get("why") or {}).get("code", "-")
            reasons[code] = reasons.get(code, 0) + 1
    of = "%d of %d"
    figures = [len(rows), len(tested), len(good) + len(bad), len(good), len(stable), len(good & in_copy), len(behind),
               sorted(sizes)[len(sizes) // 2] if sizes else "-", of % (noticed, caught)]  # fmt: skip
    return figures, sorted(reasons.items(), key=lambda one: -one[1])


def is_test(path: str) -> bool:
    """Tells whether a file belongs to the suite."""
    return bool(re.search(r"(^|/)(tests?|conftest\.py|test_[^/]*)(/|$)", path))


def pytest(project: Project, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Runs the accepted tests alone."""
    flags = ["-q", "-rA", "--tb=no", "-p", "no:cacheprovider", "-o", "addopts="]
    command = ["env", *("%s=%s" % one for one in environment.items()), project.python, "-m", "pytest", *flags, "tests/pytead"]
    return project.run(command, project.root)
