"""Both pytest plugins take part in a run where a predecessor's package is installed beside ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[3] / "assets/python"

# The options that the real packages add, as they add them.
THEIRS = {
    "pytest_semantic": """
def pytest_addoption(parser):
    parser.addoption("--semantic-model", action="store", default=None)
    parser.addoption("--semantic-dry-run", action="store_true", default=False)
""",
    "llm_pytest": """
def pytest_addoption(parser):
    parser.addoption("--llm", action="store_true", default=False)
    parser.addoption("--llm-verbose", action="store_true", default=False)
    parser.addoption("--llm-timeout", type=int, default=None)
    parser.addini("llm_paths", "folders", type="args", default=[])
""",
}


def installed(folder: Path, name: str, plugin: str, entry: str) -> Path:
    """Writes what makes pytest load a plugin."""
    info = folder / ("%s-1.0.dist-info" % name)
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: %s\nVersion: 1.0\n" % name)
    (info / "entry_points.txt").write_text("[pytest11]\n%s = %s\n" % (entry, plugin))
    return folder


@pytest.mark.parametrize("predecessor", THEIRS)
@pytest.mark.parametrize("ours_first", [True, False])
def test_both_plugins_load_in_any_order(tmp_path: Path, predecessor: str, ours_first: bool) -> None:
    package = tmp_path / "theirs" / predecessor
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "plugin.py").write_text(THEIRS[predecessor])
    theirs = installed(tmp_path / "theirs", predecessor, predecessor + ".plugin", predecessor)
    ours = installed(tmp_path / "ours", "pytead_tui", "pytead_tui.pytest_plugin", "pytead_tui.pytest_plugin")
    (tmp_path / "test_a.py").write_text(
        "def test_a(pytestconfig):\n    assert pytestconfig.getoption('semantic_strict') is None\n"
    )
    folders = [ours, theirs] if ours_first else [theirs, ours]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST") and name != "CI"}
    env["PYTHONPATH"] = os.pathsep.join(map(str, [*folders, PYTHON]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "test_a.py"]
    for words in ([], ["-p", "pytead_tui.pytest_plugin"], ["-p", "no:" + predecessor]):
        done = subprocess.run([*command, *words], cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_a_stranger_of_a_predecessors_name_takes_no_option_away(tmp_path: Path) -> None:
    package = tmp_path / "theirs/pytest_semantic"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "plugin.py").write_text("")
    installed(tmp_path / "theirs", "pytest_semantic", "pytest_semantic.plugin", "semantic")
    (tmp_path / "test_a.py").write_text("def test_a():\n    pass\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "theirs"), str(PYTHON)])}
    words = ["-q", "-p", "no:cacheprovider", "-p", "pytead_tui.pytest_plugin", "--semantic-dry-run", "test_a.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
