"""A module that needs what pytest, its configuration or a `conftest.py` sets is imported as in the project's tests."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import pytead_tui

PACKAGE = str(Path(pytead_tui.__file__).parent.parent)
NEEDY = "import settings_of\nRATE = settings_of.VALUES['rate']\n"
HOLDER = "VALUES = {}\n"
CONFIGURE = "def pytest_configure(config):\n    import settings_of\n    settings_of.VALUES['rate'] = 3\n"
ASK = """
import sys
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.modules import Modules

modules = Modules({root!r}, [{root!r}], frozenset(sys.modules), [])
modules.prepare()
for name in {names!r}:
    try:
        print(name, modules.get(name, name + ".py").RATE)
    except Broken as error:
        print(name, error)
print("pytest" in sys.modules, sys.argv)
"""


def imported(root: Path, files: dict, *names: str) -> "list[str]":
    """Imports modules in a process of its own, and gives what is said of each."""
    for name, text in {"shop.py": NEEDY, "settings_of.py": HOLDER, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(textwrap.dedent(text))
    code = ASK.format(root=str(root), names=names or ("shop",))
    run = [sys.executable, "-B", "-c", code]
    done = subprocess.run(run, env={"PYTHONPATH": PACKAGE, "PATH": "/usr/bin"}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("place", ["conftest.py", "tests/conftest.py", "test/conftest.py"])
def test_what_a_conftest_configures_is_there_for_an_import_that_needs_it(tmp_path, place):
    assert imported(tmp_path, {place: CONFIGURE}) == ["shop 3", "True ['-c']"]


def test_the_options_of_the_configuration_hold_but_for_those_that_change_the_run(tmp_path):
    options = "import pytest\n\ndef pytest_addoption(parser):\n    parser.addoption('--rate', type=int)\n\n"
    uses = CONFIGURE.replace("= 3", "= config.getoption('--rate')")
    ini = "[pytest]\naddopts = --rate=5 -n 4 --cov=shop --junitxml=out.xml\n"
    assert imported(tmp_path, {"conftest.py": options + uses, "pytest.ini": ini})[0] == "shop 5"
    assert not (tmp_path / "out.xml").exists() and not (tmp_path / ".pytest_cache").exists()


@pytest.mark.parametrize("text", ["raise SystemExit(3)\n", "import missing\n", "def pytest_configure(config):\n    1 / 0\n", "("])
def test_a_conftest_that_breaks_leaves_the_import_as_it_was(tmp_path, text):
    said = imported(tmp_path, {"conftest.py": text})
    assert said == ["shop shop cannot be imported: KeyError: 'rate'", "True ['-c']"]


def test_a_project_whose_modules_import_or_that_has_no_conftest_never_sees_pytest(tmp_path):
    fine = {"fine.py": "RATE = 1\n", "conftest.py": CONFIGURE}
    assert imported(tmp_path / "one", fine, "fine") == ["fine 1", "False ['-c']"]
    assert imported(tmp_path / "two", {}) == ["shop shop cannot be imported: KeyError: 'rate'", "False ['-c']"]


def test_pytest_configures_once_for_all_modules(tmp_path):
    counted = CONFIGURE + "    settings_of.VALUES['times'] = settings_of.VALUES.get('times', 0) + 1\n"
    files = {"conftest.py": counted, "late.py": NEEDY.replace("'rate'", "'times'"), "never.py": NEEDY.replace("'rate'", "'no'")}
    assert imported(tmp_path, files, "never", "shop", "late")[:3] == [
        "never never cannot be imported: KeyError: 'no'",
        "shop 3",
        "late 1",
    ]
