"""Tests that are proved in a folder of their own find the project by pytest's configuration, as they do once they are accepted."""

from pathlib import Path

import pytest

from pytead_tui.pytest_rooted import rooted

TEST = """
from pathlib import Path

def test_root(pytestconfig, monkeypatch):
    monkeypatch.chdir(pytestconfig.rootpath)
    assert pytestconfig.rootpath.joinpath("here.txt").read_text() == Path("here.txt").read_text() == "tea"
    assert pytestconfig.getoption("tbstyle") == "short"
"""


def run(folder: Path, root: Path) -> int:
    file = folder / f"test_root_{folder.name}.py"
    file.write_text(TEST)
    options = ["-q", "-W", "error", "--tb=short", f"--rootdir={folder}", "-c", "/dev/null"]
    # What other tests of this process left to the collector is no error of these.
    left_out = [word for name in ("cacheprovider", "asyncio", "unraisableexception") for word in ("-p", f"no:{name}")]
    return int(pytest.main([*options, *left_out, str(file)], plugins=[rooted(str(root))]))


def test_the_projects_folder_is_the_root_of_tests_that_lie_in_another_one(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "here.txt").write_text("tea")
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert run(tmp_path / "one", project) == 0
    assert run(tmp_path / "two", tmp_path) == 1, "there is no such file"
