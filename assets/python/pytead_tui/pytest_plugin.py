"""pytest's plugin: tests with an intent are recorded and judged while they run, so that the test itself can fail.

Loaded by the wheel, by `pytead-tui check`, or with `-p pytead_tui.pytest_plugin`. Of a suite without intents each test is
looked at once, after it was collected, and nothing else is in place: what records and judges is pytest_intents.py. YAML tests
are llm_pytest.py, which is only loaded where they are wanted.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

from pytead_tui import intents
from pytead_tui.compat import finder

_NAME = "pytead-tui-intents"
YAML = (".yaml", ".yml")
SHOWN = ("journey", "lines", "outgoing", "proposals", "suggestions")


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Adds our options, but for those that a predecessor's own plugin has: two of one name end every run."""
    if not _takes_part("llm_pytest", pluginmanager):
        _add_llm_options(parser)
    group = parser.getgroup("semantic", "intents of tests (pytead-tui)")
    if not _takes_part("pytest_semantic", pluginmanager):
        _add_semantic_options(group)
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
        help="print what each test did, the lines it reached, clauses that it may have, also of tests without an intent; "
        "clauses that a model proposes for the intent; or what would be sent to a model, byte for byte, and send nothing",
    )  # fmt: skip
    group.addoption("--semantic-journeys", metavar="FILE", help="write what each test did to FILE as a line of JSON")
    group.addoption(
        "--semantic-try", metavar="CLAUSE", action="append", default=[],
        help="decide this clause on each test besides; it is no part of the verdict",
    )  # fmt: skip
    group.addoption("--semantic-refresh", action="store_true", help="ask the model anew, whatever it said before")


def _takes_part(package: str, manager: pytest.PytestPluginManager) -> bool:
    """Tells whether the real package is here and its plugin, named like it, has been or will be loaded by pytest."""
    if manager.has_plugin(package):
        return True
    if manager.is_blocked(package) or os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        return False
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return False
    if spec is None or finder.is_ours(spec):
        return False
    from importlib.metadata import entry_points

    # Another package may have that name, without a plugin like it.
    return bool(entry_points(group="pytest11", name=package))


def _add_semantic_options(group: pytest.OptionGroup) -> None:
    """Adds the options that pytest-semantic has, too."""
    group.addoption(
        "--semantic-dry-run", action="store_true",
        help="record, judge by rules, and only say what would come of it and what a model would be asked",
    )  # fmt: skip
    group.addoption(
        "--semantic-model",
        metavar="NAME",
        help="the model that judges what rules leave open, in place of the chosen one's name",
    )


def _add_llm_options(parser: pytest.Parser) -> None:
    """Adds the options of YAML tests."""
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

            llm_pytest.install(config, YAML)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says that YAML tests were left out, and how they are run."""
    if hasattr(config.option, "pytead_llm") and not config.pluginmanager.has_plugin("pytead-tui-specs"):
        folders = [os.path.join(str(config.rootpath), path) for path in config.getini("llm_paths")]
        if any(os.path.isdir(folder) for folder in folders):
            from pytead_tui import llm_pytest

            line = llm_pytest.left_out(config, YAML)
            if line:
                terminalreporter.write_line(line)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list) -> None:
    """Puts the working part in place when a test has an intent, or may call what has one."""
    judged = [item for item in items if intents.of_item(item) is not None]
    if intents.used:
        _work(config)
    if judged:
        from pytead_tui import test_names

        test_names.conceal(judged, config.pluginmanager.get_plugin(_NAME).judge)


def _work(config: pytest.Config) -> None:
    if not config.pluginmanager.has_plugin(_NAME):
        from pytead_tui import pytest_intents

        config.pluginmanager.register(pytest_intents.Intents(config), _NAME)
