"""The decorator: nothing has to be started, and a decorated function cannot be told from a plain one."""

import subprocess
import sys
from pathlib import Path

import pytest
from spools import read_folder

ASSETS = Path(__file__).resolve().parents[3] / "assets" / "python"

APP = """
    import asyncio
    from pytead_tui import trace, trace2test

    @trace
    def add(a, b=2):
        return a + b

    @trace2test
    def rows(n):
        for i in range(n):
            yield i

    @trace(limit=3, storage_dir="call_logs", storage="pickle", max_depth=5, strict_graph="off",
           capture_objects="simple", include_private_objects=False, objects_stringify_depth=1)
    async def wait(n):
        await asyncio.sleep(0)
        return n

    class Cart:
        def __init__(self, items):
            self.items = items

        @trace
        def total(self):
            return sum(self.items)

        @classmethod
        @trace
        def of(cls, *items):
            return cls(list(items))

        @trace
        @staticmethod
        def double(x):
            return 2 * x

        @trace
        @property
        def empty(self):
            return not self.items

    def plain(x):
        return x

    def main():
        print(add(1), list(rows(2)), asyncio.run(wait(3)), Cart.of(1, 2).total(), Cart.double(4), Cart([]).empty, plain(5))
"""
SAID = "3 [0, 1] 3 3 8 True 5\n"
TRACED = {"add", "rows", "wait", "Cart.total", "Cart.of", "Cart.double", "Cart.empty"}


@pytest.fixture
def installed(program):
    """A project whose programs have the package installed, and are not recorded."""
    (program.root / "pyproject.toml").write_text("")
    program.write("app.py", APP)
    program.write("main.py", "import app\napp.main()\n")
    return program


def run(program, *args, **extra):
    return program.run(*args, recorded=False, PYTHONPATH=str(ASSETS), **extra)


def spools(program):
    folders = sorted((program.root / ".pytead" / "spool").glob("*"))
    return [read_folder(folder, "lock") for folder in folders]


def test_decorated_functions_are_recorded_with_nothing_started(installed):
    done = run(installed, "main.py")
    assert (done.stdout, done.stderr, done.returncode) == (SAID, "", 0)
    (spool,) = spools(installed)
    assert set(spool.functions()) == TRACED
    assert spool.one("add")[0].args == (1, 2) and spool.one("add")[1].value == 3
    assert [y[3] for y in spool.of("Y")] == [0, 1]
    assert spool.one("wait")[1].value == 3
    assert spool.one("Cart.total")[0].args[0][-1] == {"items": [1, 2]}
    folder = installed.root / ".pytead"
    assert (folder / ".gitignore").read_text() == "*\n!config.yaml\n!config.yml\n!config.toml\n"
    assert {p.stat().st_mode & 0o777 for p in (folder / "spool").glob("*")} == {0o700}


def test_under_a_recording_it_is_a_target_and_no_more(installed):
    done = installed.record("main.py")
    assert done.process.stdout == SAID
    assert {"add", "plain", "main", "Cart.total"} <= set(done.functions())
    assert not (installed.root / ".pytead").exists()


def test_a_decorated_function_is_recorded_besides_the_targets(installed):
    spool = installed.record("main.py", PYTEAD_TARGETS="app:plain")
    assert set(spool.functions()) == TRACED | {"plain"}


FORMER = """
    from pytead import trace

    @trace(limit=3)
    def twice(x):
        return 2 * x

    print(twice(4))
"""


def test_what_imports_pytead_is_recorded_where_pytead_is_not_installed(program):
    program.write("main.py", FORMER)
    spool = program.record("main.py")
    assert spool.process.stdout == "8\n"
    assert spool.one("twice")[1].value == 8
    assert "No module named 'pytead'" in program.run("main.py", recorded=False).stderr
    program.write("other.py", "import pytead.other")
    assert "No module named 'pytead.other'" in program.run("other.py").stderr


def test_a_limit_counts_the_calls_of_its_function_alone(program):
    program.write("main.py", """
        from pytead_tui import trace

        @trace(limit=3)
        def few(x):
            return x

        @trace(limit=30)
        def many(x):
            return x

        @trace
        def usual(x):
            return x

        for x in range(100):
            few(x), many(x), usual(x)
    """)
    spool = program.record("main.py")
    kept = {name: len(spool.calls(name)) for name in ("few", "many", "usual")}
    assert kept["few"] == 3 and kept["many"] == 30 and kept["usual"] > 3, kept


def test_tests_that_pytead_generated_run_where_pytead_is_not_installed(program):
    program.write("lib.py", "def add(a, b):\n    return a + b\n")
    program.write("test_lib.py", """
        import pytest
        from pytead.testkit import setup as _tk_setup, run_case as _tk_run, param_ids as _tk_ids
        _tk_setup(__file__, ["."])
        CASES = [((2, 3), {}, 5, None, None, None, None), ((2, 3), {}, 6, None, None, None, None)]

        @pytest.mark.parametrize("case", CASES, ids=_tk_ids(CASES))
        def test_add(case):
            _tk_run("lib.add", case)
    """)
    assert "1 failed, 1 passed" in program.run("-m", "pytest", "-q", "-p", "no:cacheprovider").stdout


def test_a_real_pytead_comes_first(program):
    program.write("main.py", FORMER)
    program.write("pytead.py", "def trace(limit):\n    return lambda f: print(limit) or f\n")
    assert program.record("main.py").process.stdout == "3\n8\n"
    assert "pytead" in {m[2] for m in program.read().of("M")}, "it is a module of the project like any other"


def test_a_decorated_function_is_the_very_same(installed):
    installed.write("main.py", """
        import inspect, pickle
        from pytead_tui import trace
        import app

        def f(a, /, b: int = 3, *, c): "doc"
        before = f.__code__.co_varnames
        assert trace(f) is f and f.__code__.co_varnames == before and not hasattr(f, "__wrapped__")
        assert str(inspect.signature(f)) == "(a, /, b: int = 3, *, c)"
        assert pickle.loads(pickle.dumps(app.add)) is app.add and inspect.getsource(app.add).startswith("@trace\\n")
        assert inspect.iscoroutinefunction(app.wait) and inspect.isgeneratorfunction(app.rows)
        assert type(app.Cart.__dict__["double"]) is staticmethod and type(app.Cart.__dict__["empty"]) is property
        marker = object()
        assert trace(marker) is marker
        try:
            trace(frobnicate=1)
        except TypeError as error:
            print(error)
    """)  # fmt: skip
    done = run(installed, "main.py")
    assert (done.stdout, done.stderr) == ("trace() got an unexpected keyword argument 'frobnicate'\n", "")
    assert not (installed.root / ".pytead").exists(), "nothing was called"


def test_a_script_can_decorate_its_own_functions(installed):
    installed.write("script.py", """
        from pytead_tui import trace

        @trace
        def f(x):
            return x * 2

        def g(x):
            return f(x) + 1

        for i in range(3):
            print(g(i))
    """)  # fmt: skip
    done = run(installed, "script.py")
    assert (done.stdout, done.stderr) == ("1\n3\n5\n", "")
    (spool,) = spools(installed)
    assert set(spool.functions()) == {"f"}
    assert sorted(spool.results("f")) == [0, 2, 4]


def test_a_folder_that_cannot_be_written_is_no_concern_of_the_program(installed):
    (installed.root / ".pytead").write_text("a file")
    done = run(installed, "main.py")
    assert (done.stdout, done.stderr, done.returncode) == (SAID, "", 0)


def test_folders_that_nobody_takes_in_do_not_pile_up(installed):
    home = installed.root / ".pytead" / "spool"
    for i in range(100):
        (home / f"traced-{i}-1").mkdir(parents=True)
    assert run(installed, "main.py").stdout == SAID
    assert len(list(home.iterdir())) == 100


def test_the_folder_is_locked_while_the_process_lives(installed):
    installed.write("main.py", """
        import app, sys
        app.main()
        sys.stdout.flush()
        sys.stdin.readline()
    """)  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "main.py"], cwd=installed.root, env=installed.environment(False, PYTHONPATH=str(ASSETS)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    import fcntl

    try:
        assert process.stdout.readline() == SAID
        (folder,) = (installed.root / ".pytead" / "spool").iterdir()
        with open(folder / "lock") as lock:
            with pytest.raises(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            process.communicate("\n")
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        process.kill()


def test_other_interpreters_can_import_it(installed):
    done = run(
        installed, "-c", "import pytead_tui, sys; print(pytead_tui.__version__, 'pytead_tui.tracing' in sys.modules)"
    )
    assert done.stdout == "0.1.0 False\n"
