"""A session that waits for its request, with all imported that is not the project's."""

import json
import subprocess
from pathlib import Path

import pytest

APP = """
    import colorsys

    def value():
        return 1
"""
TESTS = """
    import sys
    import app

    def test_value():
        with open("log", "w") as stream:
            stream.write(f"{app.value()} {getattr(app, 'colorsys', None) and hasattr(app.colorsys, 'OURS')}")
"""


def files_of(*names: str) -> dict:
    """Gives the files of modules, by name."""
    return {name: __import__(name).__file__ for name in names}


class Waiting:
    """A session that waits."""

    def __init__(self, project: object, modules: dict) -> None:
        self.project = project
        list_of_modules = project.base / "modules.json"
        list_of_modules.write_text(json.dumps(modules))
        (project.base / "request.json").unlink(missing_ok=True)
        command = [*project.command("test_it.py::test_value"), str(list_of_modules)]
        (project.base / "request.json").unlink()
        self.process = subprocess.Popen(
            command, cwd=project.base, env=project.environment(), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, **changed: object) -> "list[dict]":
        """Has it run; gives the report."""
        self.project.command("test_it.py::test_value", **changed)
        assert self.process.communicate("\n", timeout=60) == (None, "")
        return [json.loads(line) for line in self.project.report.read_text().splitlines()]


@pytest.fixture
def waiting(project: object) -> Waiting:
    project.write("app.py", APP)
    project.write("test_it.py", TESTS)
    return Waiting(project, files_of("pytest", "colorsys"))


def test_it_runs_what_is_asked_for_later(project: object, waiting: Waiting) -> None:
    project.write("app.py", APP.replace("1", "2"))
    line = waiting.run()[-1]
    assert (line["test"], line["outcome"]) == ("test_it.py::test_value", "passed")
    assert project.log() == ["2 False"]
    assert waiting.process.returncode == 0


def test_files_are_put_and_taken_away_before_the_project_is_imported(project: object, waiting: Waiting) -> None:
    put = project.base / "put"
    (put / "deep").mkdir(parents=True)
    (put / "app.py").write_text("from deep.er import value\n")
    (put / "deep" / "er.py").write_text("def value():\n    return 3\n")
    project.write("old.py", "")
    waiting.run(put=str(put), gone=["old.py", "never.py"], project=str(project.root))
    assert project.log() == ["3 None"]
    assert not (project.root / "old.py").exists()


def test_a_file_of_the_project_that_hides_an_imported_module_is_the_one_that_is_imported(
    project: object, waiting: Waiting
) -> None:
    project.write("colorsys.py", "OURS = True\n")
    line = waiting.run(path=[str(project.root)], project=str(project.root))[-1]
    assert line["outcome"] == "passed"
    assert project.log() == ["1 True"]


def test_a_module_that_starts_a_thread_does_not_keep_tests_from_running(project: object, tmp_path: Path) -> None:
    project.write("app.py", APP)
    project.write("test_it.py", TESTS)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "threaded.py").write_text("import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n")
    environment = project.environment
    project.environment = lambda: {**environment(), "PYTHONPATH": f"{environment()['PYTHONPATH']}:{elsewhere}"}
    line = Waiting(project, {"threaded": str(elsewhere / "threaded.py")}).run()[-1]
    assert line["outcome"] == "passed"


def test_modules_that_are_imported_first_have_the_clock_of_the_run(project: object, tmp_path: Path) -> None:
    project.write("test_it.py", "import time\n\nimport stamp\n\ndef test_value():\n    assert abs(stamp.time() - time.time()) < 1000\n")
    (tmp_path / "stamp.py").write_text("from time import time\n")
    environment = {"PYTHONPATH": f"{project.environment()['PYTHONPATH']}:{tmp_path}"}
    modules = {"stamp": str(tmp_path / "stamp.py")}
    found = project.rerun("test_it.py::test_value", env=environment, modules=modules, shift_seconds=10_000_000)
    assert found["test_it.py::test_value"]["outcome"] == "passed", found


def test_a_module_that_wants_a_setting_first_is_named_and_imported_later(project: object, tmp_path: Path) -> None:
    project.write("test_it.py", "import os\nos.environ['WANTED'] = '1'\nimport wants\n\ndef test_value():\n    pass\n")
    (tmp_path / "wants.py").write_text("import os\nos.environ['WANTED']\n")
    environment = {"PYTHONPATH": f"{project.environment()['PYTHONPATH']}:{tmp_path}"}
    modules = {"wants": str(tmp_path / "wants.py"), **files_of("colorsys")}
    found = project.rerun("test_it.py::test_value", env=environment, modules=modules, tell_loaded=True)
    assert found["test_it.py::test_value"]["outcome"] == "passed", found
    assert next(line["failed"] for line in project.lines if line["kind"] == "loaded") == ["wants"]


def test_it_ends_when_nobody_wants_it(waiting: Waiting) -> None:
    assert waiting.process.communicate("", timeout=60) == (None, "")
    assert waiting.process.returncode == 0


def test_what_the_session_imports_is_told_without_the_project_and_what_pytest_rewrites(project: object) -> None:
    project.write("app.py", APP)
    project.write("test_it.py", TESTS)
    project.rerun("test_it.py::test_value", tell_loaded=True)
    modules = next(line["modules"] for line in project.lines if line["kind"] == "loaded")
    assert modules["colorsys"] == files_of("colorsys")["colorsys"]
    assert {"_pytest.main", "pytest"} <= set(modules)
    assert not {"app", "test_it", "pytead_tui.rerun.session"} & set(modules)
    # pytest rewrites the plugins that are installed, such as this one.
    assert "pytest_asyncio.plugin" not in modules


def test_private_modules_come_after_those_that_import_them(project: object) -> None:
    """`_asyncio` imported before `asyncio` leaves `asyncio.current_task()` without tasks."""
    project.write("test_it.py", """
        import asyncio

        def test_value():
            async def work():
                return asyncio.current_task()

            assert asyncio.run(work()) is not None
    """)  # fmt: skip
    modules = files_of("_asyncio", "asyncio", "colorsys")
    found = project.rerun("test_it.py::test_value", modules=modules)
    assert found["test_it.py::test_value"]["outcome"] == "passed", found
