"""The session starts with its own options, without those that change which tests run, how often, in which order and where."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "assets" / "python"))

from pytead_tui.pytest_options import kept  # noqa: E402


@pytest.mark.parametrize(
    "given, left",
    [
        ("-n 2 --dist load --dist=load -n4 -nauto --numprocesses=3 --tx popen -p xdist -pxdist", ""),
        ("--cov --cov-report=xml --cov=src --cov src --cov-fail-under 90 --no-cov --cov-branch", ""),
        ("--cov -v", "-v"),
        ("-x --maxfail=1 --maxfail 2 --lf --ff --nf --sw --last-failed --stepwise-skip --cache-clear", ""),
        ("-k name -m slow -kname --deselect a::b --ignore=x --ignore-glob x", ""),
        ("--junitxml=r.xml --html r.html --self-contained-html --report-log=x --json-report --json-report-file r", ""),
        ("--pdb -s --capture=no --capture no --durations 5 --durations=0 --basetemp /tmp/x", ""),
        ("-p no:randomly --randomly-seed=1 --random-order --random-order-seed=4 --reverse", "-p no:randomly"),
        ("--reruns 3 --reruns-delay=1 --only-rerun Error", ""),
        ("--strict-markers -W error --import-mode=importlib --ds=shop.settings --asyncio-mode auto", None),
        ("-p project.plugin -o xfail_strict=true --timeout 5 -ra --tb=short --runslow --env test", None),
        ("-xvs -vx -svv -qxk name -xW error -vp xdist -vp mine", "-v -v -vv -q -W error -v -v -p mine"),
        ("-c other.ini --rootdir=/x --config-file x", ""),
        ("--capture=sys", "--capture=sys"),
        ("-E dev", "-E dev"),
    ],
)
def test_what_is_kept(given, left):
    assert " ".join(kept(given.split())) == (given if left is None else left)


TESTS = """
    import os, sys
    import pytest

    def test_a(): note()
    def test_b(): note()
    def test_fails(): note(); assert False
    def test_c(): note()

    def note():
        assert "PYTEST_XDIST_WORKER" not in os.environ
        open("log", "a").write(os.environ["PYTEST_CURRENT_TEST"].split("::")[1].split(" ")[0] + "\\n")
"""
NAMES = ["test_it.py::test_c", "test_it.py::test_fails", "test_it.py::test_b", "test_it.py::test_a"]
ORDERED = ["test_c", "test_fails", "test_b", "test_a"]
CHANGING = (
    "-n 2 --dist=load --cov=. --cov-fail-under=100 --maxfail=1 -x --randomly-seed=1 --reruns 2 --junitxml=r.xml -k a"
)


@pytest.mark.parametrize("place", ["ini", "toml", "line", "environment", "override"])
def test_options_that_change_the_run_are_left_out_wherever_they_are(project, place):
    project.write("test_it.py", TESTS)
    options, env = [], {}
    if place == "ini":
        project.write(
            "pytest.ini", f"[pytest]\naddopts = {CHANGING} -p no:cacheprovider --strict-config --strict-markers\n"
        )
    elif place == "toml":
        project.write(
            "pyproject.toml", f"[tool.pytest.ini_options]\naddopts = {CHANGING.split()!r}\n".replace("'", '"')
        )
    elif place == "line":
        options = CHANGING.split()
    elif place == "environment":
        env = {"PYTEST_ADDOPTS": CHANGING}
    else:
        options = ["-o", f"addopts={CHANGING}"]
    found = project.rerun(*NAMES, options=options, env=env)
    assert project.status == 0
    assert [found[name]["outcome"] for name in NAMES] == ["passed", "failed", "passed", "passed"]
    assert project.log() == ORDERED, "each once"
    assert {path.name for path in project.root.iterdir()} <= {"test_it.py", "log", "pytest.ini", "pyproject.toml"}


def test_options_that_nobody_knows_and_other_paths_are_left_out(project):
    project.write("pytest.ini", "[pytest]\naddopts = --nobody=1 tests -v\n")
    project.write("tests/test_other.py", "raise ValueError\n")
    project.write("test_it.py", "def test_a(): pass\n")
    assert project.outcomes("test_it.py::test_a", options=["--of-no-plugin", "3", "-Z"]) == ["passed"]


def test_options_of_the_project_stay(project):
    project.write("mine.py", "def pytest_configure(config): config.is_mine = True\n")
    project.write("tests/conftest.py", "def pytest_addoption(parser): parser.addoption('--speed')\n")
    project.write("pytest.ini", "[pytest]\naddopts = -p mine\npythonpath = .\nfilterwarnings = error::RuntimeWarning\n")
    project.write(
        "tests/test_it.py",
        """
        import pytest, warnings
        def test_a(pytestconfig):
            assert pytestconfig.is_mine and pytestconfig.getoption("speed") == "fast"
            assert pytestconfig.getini("xfail_strict") is True
            with pytest.raises(RuntimeWarning):
                warnings.warn("error", RuntimeWarning)
        """,
    )
    assert project.outcomes(
        "tests/test_it.py::test_a", options=["--speed", "fast", "-o", "xfail_strict=true"], path=[str(project.root)]
    ) == ["passed"]


def test_the_session_is_in_its_place(project):
    project.write("lib/helper.py", "WHERE = 'lib'\n")
    project.write("src/helper.py", "WHERE = 'src'\n")
    (project.root / "work").mkdir()
    project.write(
        "tests/test_it.py",
        """
        import os, sys
        import helper
        def test_a(request):
            assert helper.WHERE == "src"
            assert os.path.basename(os.getcwd()) == "work"
            assert os.path.basename(str(request.config.rootpath)) == "project"
            assert not any(os.path.basename(path) == "beside" for path in sys.path)
        """,
    )
    path = [str(project.root / "src"), str(project.root / "lib")]
    assert project.outcomes("tests/test_it.py::test_a", path=path, cwd=str(project.root / "work")) == ["passed"]


def test_a_nearer_configuration_that_the_session_did_not_have_is_not_read(project):
    project.write("sub/pytest.ini", "[pytest]\naddopts = --no-such-thing\nxfail_strict = true\n")
    project.write("sub/conftest.py", "import pytest\n@pytest.fixture\ndef near(): return 1\n")
    project.write("conftest.py", "import pytest\n@pytest.fixture\ndef far(): return 1\n")
    project.write(
        "sub/test_it.py", "def test_a(pytestconfig, near, far): assert not pytestconfig.getini('xfail_strict')\n"
    )
    assert project.outcomes("sub/test_it.py::test_a") == ["passed"]


def test_code_is_compiled_from_what_the_files_hold(project):
    module = project.write("shop.py", "PRICE = 1\n")
    test = project.write("test_it.py", "import shop\ndef test_a(): assert shop.PRICE == 1\n")
    times = [(path, os.stat(path).st_mtime_ns) for path in (module, test)]
    environment = {**project.environment(), "PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=project.root, env=environment, check=True, stdout=subprocess.DEVNULL
    )
    assert list(project.root.rglob("*.pyc"))
    project.write("shop.py", "PRICE = 2\n")
    project.write("test_it.py", "import shop\ndef test_a(): assert shop.PRICE == 2\n")
    for path, nanoseconds in times:
        os.utime(path, ns=(nanoseconds, nanoseconds))
    assert project.outcomes("test_it.py::test_a") == ["passed"]


def test_the_cache_fixture_works_and_leaves_nothing(project):
    project.write("test_it.py", "def test_a(cache): cache.set('a/b', 1); assert cache.get('a/b', 0) == 1\n")
    assert project.outcomes("test_it.py::test_a") == ["passed"]
    assert [path.name for path in project.root.iterdir()] == ["test_it.py"]
