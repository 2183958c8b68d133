"""Tests that are proved in a folder of their own find the project by pytest's configuration, as they do once they are accepted."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from pytead_tui import pytest_rooted
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


def test_a_package_that_is_installed_from_the_projects_folder_has_its_modules_there(tmp_path, monkeypatch):
    project, bench = tmp_path / "project", tmp_path / "bench"
    for folder in (project / "pkg", bench, project / ".venv/lib/site-packages"):
        folder.mkdir(parents=True)
    for file in ("pkg/__init__.py", "pkg/paths.py", "tools.py", ".venv/lib/site-packages/other.py"):
        (project / file).write_text("")
    (bench / "tools.py").symlink_to(project / "tools.py")

    def imported(name, file):
        module = ModuleType(name)
        module.__file__ = str(file)
        monkeypatch.setitem(sys.modules, name, module)

    imported("pytead_tools", bench / "tools.py")
    imported("pytead_other", project / ".venv/lib/site-packages/other.py")
    assert pytest_rooted._is_imported_from(str(bench), str(project))
    imported("pytead_pkg", project / "pkg/__init__.py")
    imported("pytead_paths", project / "pkg/paths.py")
    assert not pytest_rooted._is_imported_from(str(bench), str(project))
