"""The `--llm` part of pytest's plugin: YAML tests are collected, one item a file, and run by `pytead-tui __spec`.

A YAML file is a test with `--llm`, with `llm = true` in pytest's ini, or when it is named itself; and it lies in `tests/llm`, a
folder of the ini's `llm_paths`, or one that the command line names. Who runs it, and what its verdict means, is pytead-tui's affair.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytead_tui import shown, verdicts
from pytead_tui.judge import Broken
from pytead_tui.pytest_intents import is_strict, root_of
from pytead_tui.specs import Runner

_MARK = "llm"
_SECTIONS = ("test", "steps", "verdict")
NAME = "pytead-tui-specs"


def install(config: pytest.Config, endings: "tuple[str, ...]") -> None:
    """Puts the collector in place, of files that end so."""
    config.addinivalue_line("markers", _MARK + ": a YAML test")
    config.pluginmanager.register(Specs(config, root_of(config), is_strict(config), endings), NAME)


class Specs:
    """Collects the YAML tests of a run; its runner is shared by the tests of this process, and by nothing else."""

    def __init__(self, config: pytest.Config, root: str, strict: bool, endings: "tuple[str, ...]") -> None:
        self.config = config
        self.strict = strict
        self.endings = endings
        self.wanted = config.option.pytead_llm or config.getini("llm")
        self.folders = [
            os.path.realpath(os.path.join(str(config.rootpath), path)) for path in config.getini("llm_paths")
        ]
        self.folders += _named_folders(config) if self.wanted else []
        self.named = {os.path.realpath(os.path.join(str(config.invocation_params.dir), arg)) for arg in config.args}
        self.runner = Runner(root)
        self.open: list = []  # of every process of the run: what is unclear
        self.worker = hasattr(config, "workerinput")

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> "SpecFile | None":
        """Takes a YAML file that is a test."""
        if file_path.suffix not in self.endings:
            return None
        real = os.path.realpath(file_path)
        if real not in self.named:
            inside = any((real + os.sep).startswith(folder + os.sep) for folder in self.folders)
            if not (self.wanted and inside and is_test(file_path)):
                return None
        file = SpecFile.from_parent(parent, path=file_path)
        file.specs = self
        return file

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> "tuple | None":
        """Gives what is unclear a letter of its own: it is not green; and what could not be run that of errors."""
        verdict = getattr(report, "spec", None)
        if verdict is None or report.when != "call":
            return None
        if verdict["verdict"] == "ERROR":
            return "error", "E", ("ERROR", {"red": True})
        return verdicts.STATUS.get(verdict["verdict"]) if report.passed else None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
        """Gives the verdict to the report of the test, so that every process of the run sees it."""
        outcome = yield
        if isinstance(item, SpecItem) and call.when == "call" and item.report is not None:
            outcome.get_result().spec = {"verdict": item.report["verdict"], "lines": item.lines}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keeps what is open for the summary."""
        verdict = getattr(report, "spec", None)
        if verdict is not None and verdict["verdict"] == "UNCLEAR" and not self.worker:
            self.open.append((report.nodeid, verdict))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Ends the runner; under strict, what was left open ends the run with 1."""
        self.runner.stop()
        if self.strict and self.open and not self.worker and session.exitstatus == 0:
            session.exitstatus = 1

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says why what is open is open."""
        if not self.open:
            return
        terminalreporter.section("unclear YAML tests", sep="=")
        for nodeid, verdict in self.open:
            terminalreporter.write_line("%s %s" % (verdict["verdict"], shown.display_line(nodeid)))
            for line in verdict["lines"]:
                terminalreporter.write_line(shown.display(line))
        if not self.strict:
            terminalreporter.write_line(
                "This does not fail the run; with --semantic-strict, or where CI is set, it does."
            )


def left_out(config: pytest.Config, endings: "tuple[str, ...]") -> "str | None":
    """Says how many YAML tests a run without `--llm` left out of the folders that it looked at, and how they are run."""
    here = str(config.invocation_params.dir)
    looked = [os.path.realpath(os.path.join(here, str(arg).split("::")[0])) + os.sep for arg in config.args]
    found = set()
    for path in config.getini("llm_paths"):
        for folder, names, files in os.walk(os.path.realpath(os.path.join(str(config.rootpath), path))):
            names[:] = [name for name in names if not name.startswith(".")]
            place = folder + os.sep
            if any(place.startswith(one) for one in looked):
                tests = (Path(folder, file) for file in files if file.endswith(endings))
                found.update(test for test in tests if is_test(test))
    if not found:
        return None
    number = "1 YAML test was" if len(found) == 1 else "%d YAML tests were" % len(found)
    return "%s left out. To run YAML tests: pytest --llm, or llm = true in pytest's ini file." % number


def is_test(path: Path) -> bool:
    """Tells whether a file may be a test: it names a section of one. pytead-tui, which parses it, knows whether it is."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return True
    sections = sum(_named(section, text) for section in _SECTIONS)
    return sections >= 2 or path.name.startswith("test_") and (sections == 1 or not text.strip())


def _named(section: str, text: str) -> bool:
    return re.search(r"""\b%s["']?\s*:""" % section, text, re.IGNORECASE) is not None


def _named_folders(config: pytest.Config) -> "list[str]":
    """Gives the folders that the command line names; none where pytest looks where it always does."""
    source = getattr(config, "args_source", None)
    if source is not None and source.name != "ARGS":
        return []
    here = str(config.invocation_params.dir)
    places = [os.path.realpath(os.path.join(here, str(arg).split("::")[0])) for arg in config.args]
    return [place for place in places if os.path.isdir(place)]


class SpecFile(pytest.File):
    """A YAML file."""

    specs: Specs

    def collect(self) -> "Iterator[SpecItem]":
        """Reads the file: one item, named as the test is; or all that is wrong with the file."""
        try:
            read = self.specs.runner.read(str(self.path))
        except Broken as error:
            raise self.CollectError(shown.display(str(error))) from None
        if not read["is_test"] and os.path.realpath(self.path) not in self.specs.named:
            return
        if read["mistakes"]:
            raise self.CollectError(shown.display("\n".join(read["mistakes"])))
        item = SpecItem.from_parent(self, name=shown.display_line(read["name"]))
        item.specs = self.specs
        item.add_marker(_MARK)
        for tag in read["tags"]:
            if not tag.startswith("_"):
                self.config.addinivalue_line("markers", shown.display_line(tag) + ": a tag of YAML tests")
                item.add_marker(tag)
        yield item


class SpecItem(pytest.Item):
    """A YAML test."""

    specs: Specs
    report: Any = None  # what came of it
    lines: "list[str]" = []

    def runtest(self) -> None:
        """Has the test run."""
        option = self.config.option
        self.report, self.lines = {"verdict": "ERROR"}, []
        take = (lambda lines: _print(self.config, lines)) if option.pytead_llm_verbose else (lambda lines: None)
        answer = self.specs.runner.run(str(self.path), option.pytead_llm_timeout, bool(option.semantic_refresh), take)
        self.report, self.lines = answer["report"], answer["lines"][1:]
        verdict = self.report["verdict"]
        self.user_properties += [
            ("semantic.verdict", verdict),
            ("semantic_eval_reason", shown.display(self.report["reason"])),
        ]
        if verdict == "FAIL":
            raise SpecFailed("\n".join(answer["lines"]))
        if verdict == "ERROR":
            raise SpecBroken("\n".join([*answer["lines"], *answer["mistakes"]]))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """Shows what failed, and nothing of how it was run."""
        if isinstance(excinfo.value, (SpecFailed, SpecBroken, Broken)):
            return shown.display(str(excinfo.value))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple:
        """Names the test in headings."""
        return self.path, 0, "%s: %s" % (_MARK, self.name)


class SpecFailed(AssertionError):
    """A YAML test failed."""


class SpecBroken(Exception):
    """A YAML test could not be run."""


def _print(config: pytest.Config, lines: "list[str]") -> None:
    """Prints past pytest's capture, as the test runs."""
    lines = [shown.display(line) for line in lines]
    capture = config.pluginmanager.getplugin("capturemanager")
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if reporter is None:  # a process of pytest-xdist
        print("\n".join(lines))
        return
    with capture.global_and_fixture_disabled():
        reporter.ensure_newline()
        for line in lines:
            reporter.write_line(line)
