"""A pytest plugin that writes what happens to the file named by PYTEAD_REPORT, one JSON object a line.

Loaded with `-p pytead_tui.pytest_report`. Nothing goes to stdout. The file is opened for each line, so that a
test that closes descriptors, forks or dies takes nothing along; `src/pytest/report.rs` reads it.
"""

import json
import os
import random
import re

import pytest

# Taken out of the environment: a pytest that a test starts writes no report of its own.
_PATH = os.environ.pop("PYTEAD_REPORT", "")
_ORDER = os.environ.pop("PYTEAD_ORDER", "")
_PROJECT = os.environ.pop("PYTEAD_PROJECT", "")
_LINES = 40  # kept of a failure
_WIDTH = 500  # kept of a line


if _PROJECT:
    from pytead_tui.worker.modules import read_fresh

    read_fresh(_PROJECT, {})


def _write(**line: object) -> None:
    if not _PATH:
        return
    text = json.dumps(line) + "\n"
    descriptor = os.open(_PATH, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, text.encode("ascii"))
    finally:
        os.close(descriptor)


def _shorten(lines: list[str]) -> list[str]:
    if len(lines) > _LINES:
        half = _LINES // 2
        lines = [*lines[:half], "...", *lines[-half:]]
    return [line if len(line) <= _WIDTH else line[:_WIDTH] + "..." for line in lines]


def failure(report: pytest.TestReport | pytest.CollectReport) -> dict[str, object]:
    """Gives the short form of a failure: where, the message, the lines pytest marks with E."""
    longrepr = report.longrepr
    if longrepr is None:
        return {}
    if isinstance(longrepr, tuple):  # skipped: (path, line, reason)
        path, line, reason = longrepr
        return {"path": str(path), "line": line, "message": str(reason), "lines": []}
    found: dict[str, object] = {"path": None, "line": None, "message": "", "lines": []}
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None:
        found.update(path=str(crash.path), line=crash.lineno, message="\n".join(_shorten(str(crash.message).splitlines())))
    entries = getattr(getattr(longrepr, "reprtraceback", None), "reprentries", [])
    if entries:
        lines = [line for line in getattr(entries[-1], "lines", []) if line.startswith("E")]
        found["lines"] = _shorten([line[1:].removeprefix("   ") for line in lines])
        file = report.nodeid.partition("::")[0]
        for entry in entries:
            place = getattr(entry, "reprfileloc", None)
            if place is not None and file and str(place.path).replace(os.sep, "/").endswith(file):
                found["test_line"] = place.lineno
    if not found["lines"]:  # only text: what could not be collected, a fixture that is not there
        lines = str(longrepr).splitlines()
        marked = [line[1:].removeprefix("   ") for line in lines if line.startswith("E")]
        found["lines"] = _shorten(marked or lines)
        place = re.compile(r"\S*" + re.escape(os.path.basename(report.nodeid.partition("::")[0])) + r":(\d+):")
        for line in lines:
            if match := place.match(line):
                found["test_line"] = int(match[1])
    if not found["message"] and found["lines"]:
        found["message"] = found["lines"][-1]
    return found


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the tests in the order asked for."""
    if _ORDER == "reverse":
        items.reverse()
    elif _ORDER == "shuffle":
        random.Random(len(items)).shuffle(items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Says which tests there are."""
    _write(kind="collected", pytest=pytest.__version__, tests=[item.nodeid for item in session.items])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Says what could not be collected."""
    if report.failed:
        _write(kind="uncollected", nodeid=report.nodeid, **failure(report))


def pytest_runtest_logstart(nodeid: str) -> None:
    """Says which test begins, so that a death has a name."""
    _write(kind="begun", nodeid=nodeid)


def phase(report: pytest.TestReport) -> dict[str, object]:
    """Gives the line that says how a phase of a test went."""
    fields = {} if report.passed else failure(report)
    expected = getattr(report, "wasxfail", None)
    if expected is not None:
        fields["expected"] = str(expected)
    return {
        "kind": "phase", "nodeid": report.nodeid, "when": report.when, "outcome": report.outcome,
        "seconds": report.duration, **fields,
    }  # fmt: skip


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Says how a phase of a test went."""
    _write(**phase(report))


def pytest_sessionfinish(exitstatus: int) -> None:
    """Says that nothing more comes."""
    _write(kind="end", status=int(exitstatus))
