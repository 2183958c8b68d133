"""The program has the prompt, its mocks, its templates and its objects as it has them unrecorded."""

import sys
from pathlib import Path

import pytest
from spools import read_folder

RECORDER = Path(__file__).resolve().parents[3] / "assets" / "python" / "pytead_tui" / "recorder"
MODES = ["calls", "journey"]
MECHANISMS = ["", "rewrite"] if sys.version_info >= (3, 12) else [""]

MOCKED = """
    builtins.len builtins.hash builtins.list builtins.dict builtins.tuple builtins.set builtins.max builtins.min builtins.map
    builtins.zip builtins.any builtins.all builtins.next builtins.iter builtins.type builtins.getattr builtins.isinstance
    builtins.enumerate builtins.sorted builtins.sum builtins.repr builtins.callable builtins.reversed builtins.open
    os.getpid os.getcwd os.fstat os.open os.write os.stat os.lstat os.fspath os.path.join os.path.isabs os.path.normpath
    os.path.isfile os.path.exists os.path.realpath os.path.split os.fsencode os.fsdecode
    time.perf_counter_ns time.time_ns time.process_time_ns time.thread_time_ns sys._getframe sys.exc_info sys.gettrace
    marshal.dumps gc.get_objects gc.get_referents gc.isenabled itertools.islice itertools.groupby weakref.ref types.CodeType
    _weakref.ref _thread.RLock _thread.get_ident threading.get_ident asyncio.current_task warnings.warn
""".split()


@pytest.mark.parametrize("mode", MODES)
def test_mocks_of_what_python_gives_are_called_by_the_program_alone(program, mode):
    program.write("lib.py", """
        import asyncio

        class C:
            def __init__(self, x):
                self.x = x

        def f(x):
            return x

        def g(x):
            return f(x) + 1

        def reads(path):
            try:
                raise LookupError(path)
            except LookupError:
                return path

        def items(n):
            for i in range(n):
                yield C(i)

        async def task(x):
            return f(x)

        def loops(x):
            one = task(x)
            try:
                one.send(None)
            except StopIteration as end:
                return end.value
    """)  # fmt: skip
    program.write("late.py", "def h(x):\n    return [x]\n")
    program.write("main.py", f"""
        import _thread, _weakref, asyncio, builtins, decimal, gc, itertools, marshal, os, sys, threading, time, types
        import warnings, weakref

        import lib

        lib.g(0)
        called = []

        def boom(*args, **kwargs):
            called.append(args)
            raise RuntimeError("mock called")

        def work(n):
            made = lib.C(n)
            for one in lib.items(2):
                made.x = one
            path = {{"a": [1, made], "d": decimal.Decimal("1.5")}}
            return lib.g(n), lib.f("x" * n), lib.f(path), lib.reads("r%d" % n), lib.loops(n), lib.f(made).x is made.x

        for i, name in enumerate({MOCKED!r}):
            home, _, last = name.rpartition(".")
            place = sys.modules[home]
            saved = getattr(place, last)
            set, delete = setattr, delattr
            set(place, last, boom)
            try:
                got = work(i + 1)
            except RuntimeError as error:
                got = "raised"
            finally:
                set(place, last, saved)
            print(name, got if type(got) is str else got[0], len(called))
        import late
        print(late.h(1))
    """)  # fmt: skip
    plain = program.run("main.py", recorded=False)
    recorded = program.run("main.py", PYTEAD_MODE=mode)
    assert plain.returncode == 0, plain.stderr
    assert (recorded.stdout, recorded.stderr) == (plain.stdout, plain.stderr)
    spool = program.read()
    assert spool.results("h") == [[1]]


@pytest.mark.parametrize("mode", MODES)
def test_what_fakes_the_time_in_all_modules_does_not_find_ours(program, mode):
    program.write("lib.py", "def f(x):\n    return x\n")
    program.write("main.py", """
        import sys, time

        import lib

        names = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time_ns",
                 "thread_time_ns")
        fakes = {id(getattr(time, name)): lambda: 5 for name in names}
        lib.f(1)
        for module in list(sys.modules.values()):
            for name, held in list(vars(module).items()):
                if id(held) in fakes and module is not time:
                    setattr(module, name, fakes[id(held)])
        lib.f(2)
    """)  # fmt: skip
    spool = program.record("main.py", PYTEAD_MODE=mode)
    times = [record.ns for call in spool.calls("f") for record in call]
    assert times == sorted(times) and len(set(times)) == 4


def test_every_module_of_the_recorder_has_builtins_of_its_own():
    own = RECORDER / "own.py"
    for path in RECORDER.glob("*.py"):
        source = path.read_text(encoding="utf-8")
        if path.name not in ("own.py", "__init__.py"):
            assert "from pytead_tui.recorder.own import __builtins__" in source, path
            for name in ("_thread", "_weakref", "gc", "marshal", "os", "sys", "time"):
                assert f"\nimport {name}\n" not in source, f"{path}: {name} is to be taken from {own}"


@pytest.mark.parametrize("mode", MODES)
def test_what_a_function_returned_dies_when_the_program_lets_go_of_it(program, mode):
    program.write("app.py", """
        import weakref

        class Log:
            def __init__(self, path):
                self.file = open(path, "w")

            def put(self, text):
                self.file.write(text)
                return self

            def __del__(self):
                print("gone")

        def save(path, text):
            Log(path).put(text)

        def load(path):
            with open(path) as file:
                return file.read()

        def made():
            return {1, 2}, Log("y.txt")

        def fails(log):
            raise ValueError(log)

        def items():
            yield Log("z.txt")
            yield 2

        def main():
            save("x.txt", "hello")
            print(repr(load("x.txt")))
            ref = weakref.ref(made()[1])
            print(ref())
            try:
                fails(Log("w.txt"))
            except ValueError:
                pass
            for item in items():
                del item
                print("next")
    """)  # fmt: skip
    program.write("main.py", "import app\napp.main()\n")
    for mechanism in MECHANISMS:
        plain = program.run("main.py", recorded=False)
        recorded = program.run("main.py", PYTEAD_MODE=mode, PYTEAD_EVENTS=mechanism)
        assert recorded.stdout == plain.stdout and plain.stdout.startswith("gone\n'hello'\n")


def test_code_of_files_that_are_no_python_is_left_alone(program):
    program.write("page.html", "<p>{{ name }}</p>")
    program.write("core.py", "def early(x):\n    return x + 1\n\ndef late(x):\n    return x * 2\n")
    program.write("main.py", """
        import os
        import core

        core.early(1)
        for name in ("page.html", "gone.html", "core.py", "."):
            for i in range(120):
                path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
                space = {}
                exec(compile("def root(context):\\n    return context\\n", path, "exec"), space)
                space["root"](i)
        print(core.late(4))
    """)  # fmt: skip
    for mechanism in MECHANISMS:
        assert program.run("main.py", PYTEAD_EVENTS=mechanism).stdout == "8\n"
    spool = program.read()
    assert set(spool.results("late")) == {8} and not spool.of("G")


BREAKS = {
    "last": "def work(x):\n    y = helper(x)\n    breakpoint()\n",
    "branch": "def work(x):\n    if x:\n        breakpoint()\n    else:\n        y = 2\n",
    "loop": "def work(x):\n    for i in range(2):\n        breakpoint()\n    return helper(x)\n",
    "finally": "def work(x):\n    try:\n        pdb.set_trace()\n        helper(x)\n    finally:\n        helper(1)\n",
    "generator": "def items(n):\n    for i in range(n):\n        breakpoint()\n        yield i\n\n"
    "def work(x):\n    return list(items(2))\n",
    "init": "class C:\n    def __init__(self):\n        self.x = 1\n        breakpoint()\n\ndef work(x):\n    return helper(C().x)\n",
}


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize("mode", MODES)
def test_a_debugger_shows_the_same(program, name, mode):
    program.write("lib.py", "import pdb\n\ndef helper(x):\n    return x\n\n" + BREAKS[name])
    program.write("main.py", "import lib\nlib.helper(1)\nlib.work(3)\nprint('end')\n")
    for commands in ("w\nc\n" * 6, "n\n" * 12 + "c\n" * 6, "s\nw\n" * 12 + "c\n" * 6, "r\nw\n" * 6 + "c\n" * 6):
        shown = [
            program.run("main.py", recorded=recorded, PYTEAD_MODE=mode, input=commands) for recorded in (False, True)
        ]
        assert shown[0].stdout == shown[1].stdout and "end" in shown[0].stdout
    assert read_folder(program.spool).calls("helper")[0][0].args == (1,)


def test_what_was_called_after_a_debugger_went_on_is_recorded(program):
    program.write("main.py", """
        def f(x):
            return x

        def work():
            breakpoint()
            return f(2)

        f(1)
        work()
        f(3)
    """)  # fmt: skip
    program.run("main.py", input="c\n")
    spool = read_folder(program.spool)
    if sys.version_info >= (3, 12):
        assert spool.results("f") == [1, 2, 3]
    if sys.version_info >= (3, 13):
        assert [g[1] for g in spool.of("G")] == ["a debugger ran: nothing was recorded meanwhile"]
    if sys.version_info < (3, 12):
        assert [g[1] for g in spool.of("G")] == [
            "no calls of main:work, which starts a debugger",
            "a debugger runs: nothing is recorded from here on",
        ]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="source is rewritten")
def test_many_functions_of_a_script_cost_what_they_number(program):
    """Each line of a script once looked at each of its functions."""
    many = "\n".join(f"def z{i}(x):\n    return x" for i in range(3000))
    program.write("main.py", many + "\nz1(1)\nz2999(2)\n")
    program.write("count.py", """
        import runpy, sys

        inject = sys.modules["pytead_tui.recorder.inject"]
        swapped = [0]
        swap = inject._swap

        def counted(*args):
            swapped[0] += 1
            return swap(*args)

        inject._swap = counted
        sys.argv[:] = ["main.py"]
        runpy.run_path("main.py", run_name="__main__")
        print(swapped[0] < 300_000)
    """)  # fmt: skip
    assert program.run("count.py").stdout == "True\n"
