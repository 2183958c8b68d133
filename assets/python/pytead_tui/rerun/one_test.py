"""Runs one test by pytest's own protocol, and says how it went."""

from collections.abc import Iterator

import pytest

from pytead_tui.rerun import alone
from pytead_tui.rerun.breakage import place, why
from pytead_tui.worker.modules import LONGEST


class Watch:
    """A plugin that notes how the phases of the test of this process went, and which session fixtures it set up."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.errors: dict = {}  # by phase
        self.reports: list = []
        self.fixtures: list = []

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo) -> "Iterator[None]":
        """Keeps what a phase raised; of unittest's tests it is known once pytest made the report."""
        yield
        if call.excinfo is not None:
            self.errors[call.when] = call.excinfo.value

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps how a phase went."""
        self.reports.append(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef", request: pytest.FixtureRequest) -> None:
        """Notes which session fixtures are set up here."""
        if fixturedef.scope == "session" and not hasattr(request, "param"):
            self.fixtures.append(fixturedef)

    def result(self) -> dict:
        """Says how the test went."""
        failed = next((report for report in self.reports if report.failed), None)
        skipped = next((report for report in self.reports if report.skipped), None)
        if failed is not None:
            outcome = "failed" if failed.when == "call" else "error"
            return {"outcome": outcome, **self._said(failed)}
        if skipped is not None:
            if hasattr(skipped, "wasxfail"):
                return {"outcome": "xfailed", **self._said(skipped)}
            return {"outcome": "skipped", **skip_reason(skipped.longrepr)}
        if any(hasattr(report, "wasxfail") for report in self.reports):
            return {"outcome": "xpassed", "said": None, "path": None, "line": None}
        if not any(report.when == "call" for report in self.reports):
            return {"outcome": "error", "said": "pytest did not call it", "path": None, "line": None}
        return {"outcome": "passed", "said": None, "path": None, "line": None}

    def _said(self, report: pytest.TestReport) -> dict:
        error = self.errors.get(report.when)
        if error is None:
            lines = str(report.longrepr).splitlines()
            return {"said": lines[0][:LONGEST] if lines else None, "path": None, "line": None}
        return {"said": why(error), **place(error, self.root)}


def skip_reason(longrepr: object) -> dict:
    """Says why something was skipped, and where."""
    if type(longrepr) is tuple and len(longrepr) == 3:
        path, line, reason = longrepr
        said = " ".join(str(reason).removeprefix("Skipped: ").split())
        return {"said": said[:LONGEST], "path": str(path), "line": line}
    return {"said": " ".join(str(longrepr).split())[:LONGEST], "path": None, "line": None}


def run(item: pytest.Item, watch: Watch, functions: "list[str] | None") -> dict:
    """Runs a test, in the process that is its own; `functions` are those whose calls are recorded."""
    watch.errors, watch.reports, watch.fixtures = {}, [], []

    def work() -> dict:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return watch.result()

    return alone.run(item.nodeid, watch.root, functions, work)
