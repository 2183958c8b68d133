"""pytest's plugin: tests with an intent are recorded and judged while they run, so that the test itself can fail.

Loaded by the wheel, by `pytead-tui check`, or with `-p pytead_tui.pytest_plugin`. Of a suite without intents each test is
looked at once, after it was collected, and nothing else is in place: what records and judges is pytest_intents.py. YAML tests
are llm_pytest.py, which is only loaded where they are wanted.
"""

from __future__ import annotations

import pytest

from pytead_tui import intents
from pytead_tui.compat import finder

_NAME = "pytead-tui-intents"
YAML = (".yaml", ".yml")
SHOWN = ("journey", "lines", "outgoing", "suggestions")


@pytest.hookimpl(trylast=True)
def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds our options."""
    _add_llm_options(parser)
    group = parser.getgroup("semantic", "intents of tests (pytead-tui)")
    group.addoption(
        "--semantic-strict", action="store_true", dest="semantic_strict", default=None,
        help="end with 1 also when an intent is unclear or its judge is broken; by itself where CI is set",
    )  # fmt: skip
    group.addoption(
        "--no-semantic-strict",
        action="store_false",
        dest="semantic_strict",
        help="never do that, not even where CI is set",
    )
    group.addoption("--semantic-report", metavar="FILE", help="write each verdict to FILE as a line of JSON")
    group.addoption(
        "--semantic-show", action="append", choices=SHOWN, default=[],
        help="print what each test did, the lines it reached, clauses that it may have, also of tests without an intent; or "
        "what would be sent to a model, byte for byte, and send nothing",
    )  # fmt: skip
    group.addoption("--semantic-journeys", metavar="FILE", help="write what each test did to FILE as a line of JSON")
    group.addoption(
        "--semantic-dry-run", action="store_true",
        help="record, judge by rules, and only say what would come of it and what a model would be asked",
    )  # fmt: skip
    group.addoption(
        "--semantic-model",
        metavar="NAME",
        help="the model that judges what rules leave open, in place of the chosen one's name",
    )
    group.addoption("--semantic-refresh", action="store_true", help="ask the model anew, whatever it said before")


def _add_llm_options(parser: pytest.Parser) -> None:
    """Adds the options of YAML tests, unless the real llm-pytest is installed and has its own."""
    groups = [parser._anonymous, *parser._groups]
    if any("--llm-timeout" in option.names() for group in groups for option in group.options):
        return
    group = parser.getgroup("llm", "YAML tests (pytead-tui)")
    group.addoption("--llm", action="store_true", dest="pytead_llm", help="collect YAML tests")
    group.addoption(
        "--llm-verbose",
        action="store_true",
        dest="pytead_llm_verbose",
        help="print each call of a tool and what it gave",
    )
    group.addoption(
        "--llm-timeout", type=_seconds, metavar="SECONDS", dest="pytead_llm_timeout",
        help="seconds that a step may take that does not say so itself, in place of each test's own default",
    )  # fmt: skip
    parser.addini("llm", "collect YAML tests without --llm", type="bool", default=False)
    parser.addini(
        "llm_paths", "folders, below the root, in which YAML files are tests", type="args", default=["tests/llm"]
    )


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 86400:
        raise ValueError("expected more than 0 seconds, and at most 86400")
    return seconds


def pytest_configure(config: pytest.Config) -> None:
    """Makes the predecessor's names known, and puts the working part in place where tests without an intent need it too."""
    finder.install()
    asked = [config.getoption(option) for option in ("semantic_report", "semantic_journeys", "semantic_show")]
    # The process that hands tests out to others collects none, and reports all.
    spreads = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if any(asked) or spreads:
        _work(config)
    if hasattr(config.option, "pytead_llm"):
        named = any(str(arg).split("::")[0].endswith(YAML) for arg in config.args)
        if named or config.option.pytead_llm or config.getini("llm"):
            from pytead_tui import llm_pytest

            llm_pytest.install(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list) -> None:
    """Puts the working part in place when a test has an intent."""
    judged = [item for item in items if intents.of_item(item) is not None]
    if judged:
        _work(config)
        from pytead_tui import test_names

        test_names.conceal(judged, config.pluginmanager.get_plugin(_NAME).judge)


def _work(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin(_NAME):
        from pytead_tui import pytest_intents

        config.pluginmanager.register(pytest_intents.Intents(config), _NAME)
