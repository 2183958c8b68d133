"""What keeps tests from being collected is named: the exception, its line, and what to set."""

import pytest


def broken(project, *tests, status=3, **changed):
    project.rerun(*tests, **changed)
    assert project.status == status, project.lines
    return [line for line in project.lines if line["kind"] == "broken"]


def test_a_missing_variable_of_the_environment(project):
    settings = project.write("settings.py", "import os\n\nKEY = os.environ['SHOP_KEY']\n")
    project.write("conftest.py", "import settings\n")
    project.write("test_it.py", "def test_a(): pass\ndef test_b(): pass\n")
    (line,) = broken(project, "test_it.py::test_a", "test_it.py::test_b")
    assert line["why"] == "KeyError: 'SHOP_KEY' (set the environment variable SHOP_KEY)"
    assert (line["path"], line["line"]) == (str(settings), 3)
    assert line["tests"] == ["test_it.py::test_a", "test_it.py::test_b"]
    assert project.outcomes("test_it.py::test_a", env={"SHOP_KEY": "x"}) == ["passed"]


def test_a_missing_variable_in_a_test(project):
    project.write("test_it.py", "import os\ndef test_a(): os.environ['SHOP_KEY']\n")
    found = project.rerun("test_it.py::test_a")["test_it.py::test_a"]
    assert found["outcome"] == "failed"
    assert found["said"] == "KeyError: 'SHOP_KEY' (set the environment variable SHOP_KEY)"
    assert found["line"] == 2


def test_a_key_that_is_no_variable(project):
    project.write("conftest.py", "{}['SHOP_KEY']\n")
    project.write("test_it.py", "def test_a(): pass\n")
    (line,) = broken(project, "test_it.py::test_a")
    assert (line["why"], line["line"]) == ("KeyError: 'SHOP_KEY'", 1)


@pytest.mark.parametrize("name", ["conftest.py", "shop.py", "test_it.py", "sub/conftest.py", "sub/__init__.py"])
def test_a_syntax_error(project, name):
    project.write("sub/test_it.py", "import shop\ndef test_a(): pass\n")
    project.write("test_it.py", "import shop\ndef test_a(): pass\n")
    project.write("shop.py", "")
    path = project.write(name, "x = 1\ndef broken(:\n")
    test = "sub/test_it.py::test_a" if name.startswith("sub") else "test_it.py::test_a"
    (line,) = broken(project, test, path=[str(project.root)])
    assert line["why"].startswith("SyntaxError: ")
    assert (line["path"], line["line"]) == (str(path), 2)


def test_a_module_that_is_not_there(project):
    path = project.write("test_it.py", "\nimport nothing_of_this_name\ndef test_a(): pass\n")
    (line,) = broken(project, "test_it.py::test_a")
    assert line["why"] == "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    assert (line["path"], line["line"]) == (str(path), 2)


def test_one_file_that_breaks_leaves_the_others(project):
    project.write("test_bad.py", "1 / 0\ndef test_a(): pass\n")
    project.write("test_good.py", "def test_a(): pass\n")
    project.write(
        "test_skipped.py", "import pytest\npytest.skip('not here', allow_module_level=True)\ndef test_a(): pass\n"
    )
    (line,) = broken(project, "test_bad.py::test_a", "test_good.py::test_a", "test_skipped.py::test_a")
    assert line["tests"] == ["test_bad.py::test_a"]
    outcomes = {found["test"]: (found["outcome"], found["said"]) for found in project.lines if found["kind"] == "test"}
    assert outcomes == {"test_good.py::test_a": ("passed", None), "test_skipped.py::test_a": ("skipped", "not here")}


@pytest.mark.parametrize(
    "hook", ["pytest_configure(config)", "pytest_sessionstart(session)", "pytest_collection_modifyitems(items)"]
)
def test_a_hook_that_raises(project, hook):
    path = project.write("conftest.py", f"def {hook}:\n    raise ValueError('no hook')\n")
    project.write("test_it.py", "def test_a(): pass\n")
    (line,) = broken(project, "test_it.py::test_a")
    assert line["why"] == "ValueError: no hook"
    assert (line["path"], line["line"]) == (str(path), 2)


def test_a_plugin_that_is_not_installed(project):
    project.write("test_it.py", "def test_a(): pass\n")
    (line,) = broken(project, "test_it.py::test_a", options=["-p", "of_nobody"])
    assert "of_nobody" in line["why"], line


def test_a_session_that_its_conftest_ends(project):
    project.write("test_it.py", "def test_a(): pass\n")
    project.write("conftest.py", "import os\nos._exit(4)\n")
    (line,) = broken(project, "test_it.py::test_a")
    assert line["why"] == "pytest ended before the tests: exit 4"
    project.write("conftest.py", "import pytest\ndef pytest_sessionstart(): pytest.exit('no database')\n")
    (line,) = broken(project, "test_it.py::test_a")
    assert line["why"] == "Exit: no database"


def test_a_folder_that_is_gone(project):
    project.write("test_it.py", "def test_a(): pass\n")
    (line,) = broken(project, "test_it.py::test_a", cwd=str(project.root / "gone"))
    assert line["why"].startswith("FileNotFoundError")


def test_files_that_are_gone_are_no_reason_to_collect_others(project):
    project.write("test_it.py", "open('log', 'a').write('imported\\n')\ndef test_a(): pass\n")
    found = project.rerun("gone.py::test_a", "sub/gone.py::test_b")
    assert (project.status, {line["kind"] for line in found.values()}) == (0, {"missing"})
    assert project.log() == []
