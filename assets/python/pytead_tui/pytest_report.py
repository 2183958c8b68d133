"""A pytest plugin that writes what happens to the file named by PYTEAD_REPORT, one JSON object a line.

Loaded with `-p pytead_tui.pytest_report`. Nothing goes to stdout. The file is opened for each line, so that a
test that closes descriptors, forks or dies takes nothing along; `src/pytest/report.rs` reads it.
"""

import json
import os
import random

import pytest

from pytead_tui.compat import finder
from pytead_tui.pytest_lines import failure
from pytead_tui.pytest_rooted import rooted
from pytead_tui.pytest_without import Without
from pytead_tui.pytest_witness import Witness

# Taken out of the environment: a pytest that a test starts writes no report of its own.
_PATH = os.environ.pop("PYTEAD_REPORT", "")
_ORDER = os.environ.pop("PYTEAD_ORDER", "")
_PROJECT = os.environ.pop("PYTEAD_PROJECT", "")
_FOLDER = os.environ.pop("PYTEAD_FOLDER", "")
_ELSEWHERE = os.environ.pop("PYTEAD_ELSEWHERE", "")
_witness = Witness(_PROJECT)
_without = Without()
_ran: list = []  # the tests that were run here

finder.install()  # as under the plugin: the project may import a predecessor's name

if _PROJECT:
    from pytead_tui.worker.modules import read_fresh

    read_fresh(_PROJECT, {})

if _ELSEWHERE:
    from pytead_tui.worker import elsewhere

    elsewhere.begin(_ELSEWHERE.split())


def _write(**line: object) -> None:
    if not _PATH:
        return
    text = json.dumps(line) + "\n"
    descriptor = os.open(_PATH, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, text.encode("ascii"))
    finally:
        os.close(descriptor)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Runs the tests in the order asked for."""
    if _ORDER == "reverse":
        items.reverse()
    elif _ORDER == "shuffle":
        random.Random(len(items)).shuffle(items)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Has plugins left out that cannot start here."""
    _without.pytest_cmdline_main(config)


def pytest_configure(config: pytest.Config) -> None:
    """Has the tests looked at by the witness."""
    config.pluginmanager.register(_witness)
    if _PROJECT:
        config.pluginmanager.register(rooted(_PROJECT))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Says which tests there are, and goes to the folder that they run in: what they import is there by now."""
    if _FOLDER:
        os.chdir(_FOLDER)
    _write(kind="collected", pytest=pytest.__version__, tests=[item.nodeid for item in session.items])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Says what could not be collected."""
    if report.failed:
        _write(kind="uncollected", nodeid=report.nodeid, **failure(report))


def pytest_runtest_logstart(nodeid: str) -> None:
    """Says which test begins, so that a death has a name."""
    _write(kind="begun", nodeid=nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Says how a phase of a test went."""
    if report.when == "teardown":
        _ran.append(report.nodeid)
    _write(**_witness.line(report))


def pytest_warning_recorded(warning_message: object, when: str, nodeid: str) -> None:
    """Says what a test warned of."""
    line = _witness.warned(warning_message, when, nodeid)
    if line is not None:
        _write(**line)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Says that nothing more comes, and what the tests did to how they are reported."""
    for line in _witness.accuse(session, _ran):
        _write(**line)
    _write(kind="end", status=int(exitstatus))
