"""Whether other people's test-suites give the same results recorded and unrecorded: every test's outcome, and the exit code.

Source distributions from PyPI, of pure Python, with their tests; each is unpacked and its suite run where it lies, its
folder being the project.
"""

import os
import re
import tarfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from bench import ROOT, Bench, table

TITLE = "Test-suites of others"
SUITES = (
    ("cachetools", "5.5.0", "tests"),
    ("sqlparse", "0.5.3", "tests"),
    ("toolz", "1.0.0", "toolz"),
)
NOTES = """\
- *The same*: every test ends as it does unrecorded (passed, failed, skipped), and so does pytest. Compared are recordings
  of both modes; from Python 3.12 on by `sys.monitoring` and by rewritten source, below by rewritten source.
- *Errors* are the recorder's own, which it counts and swallows.
- *CPU* is that of the whole process, in calls mode and in journey mode, times the unrecorded one's."""


class Outcome:
    """How a suite ended: the outcome of each test, pytest's exit code, what it cost."""

    def __init__(self, tests: dict, code: int, cpu: float) -> None:
        self.tests = tests
        self.code = code
        self.cpu = cpu


def measure(bench: Bench) -> str:
    """Gives the section: a row for each suite and interpreter."""
    rows = []
    with bench.empty_folder() as folder:
        for name, version, tests in SUITES:
            root = _unpacked(bench, folder, name, version)
            for python_version, python in bench.pythons:
                bench.say("%s under Python %s" % (name, python_version))
                rows.append(["%s %s" % (name, version), python_version, *_compared(bench, root, python, tests)])
    head = ["suite", "Python", "tests", "recorded", "calls", "errors", "CPU"]
    return table(head, rows) + "\n\n" + NOTES


def _unpacked(bench: Bench, folder: Path, name: str, version: str) -> Path:
    """Gives the folder of a project's sources."""
    place = folder / name
    place.mkdir()
    pip = [bench.pythons[-1][1], "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    bench.run([*pip, "--no-deps", "--no-binary", ":all:", "--dest", place, "%s==%s" % (name, version)])
    (archive,) = place.iterdir()
    with tarfile.open(archive) as stream:
        stream.extractall(place, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    archive.unlink()
    (root,) = place.iterdir()
    return root


def _compared(bench: Bench, root: Path, python: Path, tests: str) -> list:
    plain = _run(bench, root, python, tests, {})
    mechanisms = ("monitor", "rewrite") if "sys.monitoring" in _features(bench, python) else ("rewrite",)
    different, calls, errors, ratios = [], 0, 0, []
    for mode in ("calls", "journey"):
        for mechanism in mechanisms:
            with bench.empty_folder() as spool:
                spool.chmod(0o700)
                environment = {"PYTEAD_SPOOL": str(spool), "PYTEAD_RECORDING": "r", "PYTEAD_ROOT": str(root),
                               "PYTEAD_MODE": mode, "PYTEAD_EVENTS": mechanism}  # fmt: skip
                recorded = _run(bench, root, python, tests, environment)
                counted = _counted(bench, python, spool)
            if mechanism == mechanisms[0]:
                ratios.append("%.1f" % (recorded.cpu / plain.cpu))
                calls += counted[0] if mode == "calls" else 0
            errors += counted[1]
            names = set(plain.tests) | set(recorded.tests)
            changed = sorted(n for n in names if plain.tests.get(n) != recorded.tests.get(n))
            if changed or plain.code != recorded.code:
                different.append("%s, %s: %s" % (mode, mechanism, ", ".join(changed[:3]) or recorded.code))
    same = "the same" if not different else "; ".join(different)
    return [len(plain.tests), same, "{:,}".format(calls), errors, " and ".join(ratios)]


def _features(bench: Bench, python: Path) -> str:
    return bench.run([python, "-c", "import sys; print('sys.monitoring' * hasattr(sys, 'monitoring'))"]).output


def _run(bench: Bench, root: Path, python: Path, tests: str, environment: dict) -> Outcome:
    """Runs a suite; what fails in it is a result like any other."""
    report = bench.folder / "report.xml"
    report.unlink(missing_ok=True)
    boot = [str(ROOT / "assets" / "python" / "pytead_tui" / "boot")] if environment else []
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=",
               "-o", "filterwarnings=", "--rootdir", root, "--junitxml", report, root / tests]  # fmt: skip
    # The exit code is an outcome, too; `sh` hands it on as text.
    shell = ["sh", "-c", '"$@" >/dev/null 2>&1; echo code $?', "sh", *command]
    source = root / "src" if (root / "src").is_dir() else root
    path = os.pathsep.join([*boot, str(source)])
    done = bench.run(shell, PYTHONPATH=path, PYTHONHASHSEED="0", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", **environment)
    code = int(re.findall(r"code (\d+)", done.output)[-1])
    if not report.exists():
        raise RuntimeError("the tests of %s do not start (exit code %d)" % (root.name, code))
    outcomes: dict = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
        name = "%s.%s" % (case.get("classname"), case.get("name"))
        outcomes.setdefault(name, []).append(" ".join(kinds) or "passed")
    return Outcome(outcomes, code, done.cpu)


# Reads the spools where no recorder runs: (calls, errors of the recorder).
COUNT = """
import marshal, pathlib, sys
calls = errors = 0
for path in pathlib.Path(sys.argv[1]).glob("*.spool"):
    data, at = path.read_bytes(), 0
    while size := int.from_bytes(data[at:at + 4], "little"):
        record = marshal.loads(data[at + 4:at + 4 + size])
        at += 4 + size
        calls += record[0] == "C"
        errors += record[2]["errors"] if record[0] == "Z" else 0
print(calls, errors)
"""


def _counted(bench: Bench, python: Path, spool: Path) -> tuple:
    return tuple(map(int, bench.run([python, "-c", COUNT, spool]).output.split()))
