"""What is said of a test or of a file of tests, as lines that `src/pytest/report.rs` reads."""

import os
import re

import pytest

_LINES = 40  # kept of a failure
_WIDTH = 500  # kept of a line


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
