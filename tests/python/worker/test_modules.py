"""Where the modules of a project are found."""

import sys
from pathlib import Path

import pytest

from pytead_tui.worker.modules import Modules


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Modules:
    for place in ("project", "project/.venv/site-packages", "elsewhere"):
        folder = tmp_path / place / "sold"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise SystemExit('nobody imports this')\n")
    (tmp_path / "project/spread/deep").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "path_importer_cache", {})
    return Modules(str(tmp_path / "project"), [], frozenset(), [])


@pytest.mark.parametrize(
    ("place", "is_ours"),
    [("project", True), ("project/.venv/site-packages", False), ("elsewhere", False), (None, False)],
)
def test_a_package_is_the_projects_where_python_finds_it_there(project, tmp_path, place, is_ours):
    if place is not None:
        sys.path.insert(0, str(tmp_path / place))
    assert project.finds_package("sold") is is_ours
    assert project.finds_package("sold.price") is is_ours
    assert "sold" not in sys.modules


def test_a_folder_without_an_init_is_a_package_too(project, tmp_path):
    sys.path.insert(0, str(tmp_path / "project"))
    assert project.finds_package("spread.deep")
    assert not project.finds_package("math")
