"""Other tools that watch a program see what they would see without the recorder, which sees its calls."""

import os
import subprocess
import sys
import textwrap

import pytest

MECHANISMS = ["", "rewrite"] if sys.version_info >= (3, 12) else [""]

LIB = """
    def numbers(n):
        for i in range(n):
            yield i

    def add(a, b):
        total = a + b
        return total

    def fails(x):
        if x:
            raise KeyError(x)

    def work():
        got = [add(i, 1) for i in numbers(2)]
        try:
            fails(3)
        except KeyError:
            got.append("caught")
        return got
"""

TRACER = """
    import sys
    seen = []

    def local(frame, event, arg):
        if event != "opcode":
            # Rewritten functions return from no line.
            seen.append((frame.f_code.co_name, event, event != "return" and frame.f_lineno))
        return local

    def trace(frame, event, arg):
        if frame.f_code.co_filename.endswith("lib.py"):
            return local(frame, event, arg)
"""


def both_ways(program, *args, **extra):
    """Runs plain and recorded by each mechanism; gives the spools."""
    plain = program.run(*args, recorded=False)
    assert plain.returncode == 0, plain.stderr
    spools = []
    for mechanism in MECHANISMS:
        done = program.run(*args, PYTEAD_EVENTS=mechanism, **extra)
        assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, plain.stderr, plain.returncode)
        spools.append(program.read(done))
        for path in program.spool.iterdir():
            path.unlink()
    return spools


def test_a_debugger_sees_the_same_lines(program):
    program.write("lib.py", LIB)
    program.write("tracer.py", TRACER)
    program.write("main.py", """
        import sys
        import lib, tracer
        sys.settrace(tracer.trace)
        lib.work()
        sys.settrace(None)
        lines = []
        for seen in tracer.seen:
            if seen != (lines[-1:] or [None])[0]:
                lines.append(seen)
        print(*lines, sep="\\n")
    """)  # fmt: skip
    for spool in both_ways(program, "main.py"):
        assert [c.args for c, _ in spool.calls("add")] == [(0, 1), (1, 1)]


def test_a_debugger_that_starts_inside_a_generator(program):
    program.write("main.py", """
        import sys

        quiet = lambda frame, event, arg: None

        def numbers():
            yield 1
            sys.settrace(quiet)
            sys._getframe().f_trace = quiet
            x = 2
            yield x
            sys.settrace(None)
            yield 3

        def plain():
            yield 1
            sys.settrace(quiet)
            y = 2
            sys.settrace(None)
            yield y

        def main():
            print(list(numbers()), list(plain()))

        main()
    """)  # fmt: skip
    for spool in both_ways(program, "main.py"):
        assert spool.one("numbers")[1][0] == "R"
        assert not [t for t in spool.of("T") if t[1] == spool.one("numbers")[0].cid]
        assert spool.one("plain")[1][0] == "R"


@pytest.mark.parametrize("mode", ["calls", "journey"])
def test_pdb_steps_through_a_recorded_program(program, mode):
    program.write("lib.py", LIB)
    program.write("main.py", "import lib\nprint(lib.work())\n")
    commands = "b lib.add\nc\nw\na\nn\np total\nr\ncl 1\nc\nq\n"
    runs = []
    for recorded in (False, True):
        env = program.environment(recorded, PYTEAD_MODE=mode)
        done = subprocess.run(
            [sys.executable, "-m", "pdb", "main.py"], input=commands, cwd=program.root, env=env, capture_output=True,
            text=True,
        )  # fmt: skip
        runs.append((done.stdout, done.stderr, done.returncode))
    assert runs[0] == runs[1]
    spool = program.read()
    if sys.version_info < (3, 12):
        assert [g[1] for g in spool.of("G")] == ["a debugger runs: nothing is recorded from here on"]
    else:
        assert spool.calls("add")
    assert "-> total = a + b" in runs[0][0] and "(Pdb) 1" in runs[0][0]


def test_profilers_see_the_same_calls(program):
    program.write("lib.py", LIB)
    program.write("main.py", """
        import cProfile, pstats, sys
        import lib

        calls = []

        def profile(frame, event, arg):
            if frame.f_code.co_filename.endswith("lib.py") and event in ("call", "return"):
                calls.append((frame.f_code.co_name, event))

        sys.setprofile(profile)
        lib.work()
        sys.setprofile(None)
        print(calls)
        with cProfile.Profile() as found:
            lib.work()
        rows = pstats.Stats(found).stats
        print(sorted((name, rows[key][1]) for key in rows for name in [key[2]] if key[0].endswith("lib.py")))
    """)  # fmt: skip
    for spool in both_ways(program, "main.py"):
        assert len(spool.calls("add")) == 2


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring")
def test_another_monitoring_tool_on_every_id(program):
    program.write("lib.py", LIB)
    for number in range(6):
        program.write("main.py", f"""
            import sys
            import lib
            m = sys.monitoring
            seen = []
            free = m.get_tool({number}) is None
            tool = {number} if free else 0
            m.use_tool_id(tool, "other")
            ours = lib.work.__code__.co_filename
            def started(code, at):
                if code.co_filename == ours:
                    seen.append(code.co_name)
                return m.DISABLE
            m.register_callback(tool, m.events.PY_START, started)
            def unwound(code, at, error):
                if code.co_filename == ours:
                    seen.append(repr(error))
            m.register_callback(tool, m.events.PY_UNWIND, unwound)
            m.set_events(tool, m.events.PY_START | m.events.PY_UNWIND)
            lib.work()
            m.restart_events()
            lib.work()
            m.set_events(tool, 0)
            m.free_tool_id(tool)
            lib.add(5, 6)
            print(seen)
        """)  # fmt: skip
        (spool, rewritten) = both_ways(program, "main.py")
        # The second time nothing is new.
        assert [c.args for c, _ in spool.calls("add")] == [(0, 1), (1, 1), (5, 6)]
        assert len(rewritten.calls("add")) == 3


def test_a_tracer_in_every_thread(program):
    program.write("lib.py", LIB)
    program.write("tracer.py", TRACER)
    program.write("main.py", """
        import sys, threading
        import lib, tracer
        threading.settrace(tracer.trace)
        thread = threading.Thread(target=lib.work)
        thread.start()
        thread.join()
        print(sorted(set(tracer.seen)))
    """)  # fmt: skip
    for spool in both_ways(program, "main.py"):
        assert len(spool.calls("add")) == 2


def test_sitecustomize_and_usercustomize_of_the_user(program):
    home = program.root / "home"
    asked = "import site, sys; sys.stdout.write(site.getusersitepackages())"
    user = program.run("-c", asked, recorded=False, HOME=str(home)).stdout
    program.write(os.path.join(user, "usercustomize.py"), "print('user')\n")
    program.write("site/sitecustomize.py", "print('site')\n")
    program.write("main.py", "import sys\ndef f(x):\n    return x\nf(1)\nprint(sys.path[:2], 'sitecustomize' in sys.modules)\n")
    site = str(program.root / "site")
    plain = program.run("main.py", recorded=False, HOME=str(home), PYTHONPATH=site)
    done = program.run("main.py", HOME=str(home), PYTHONPATH=f"{program.boot}{os.pathsep}{site}")
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)
    assert "site" in done.stdout
    assert program.read(done).one("f")


@pytest.mark.parametrize(
    "flags", [["-E"], ["-I"], ["-S"], ["-s"], ["-B"], ["-O"], ["-OO"], ["-u"], ["-bb"], ["-Werror"], ["-Xdev"], ["-P"]]
)
def test_flags_of_the_interpreter(program, flags):
    """Where an interpreter is told to leave our environment alone, nothing is recorded; `run` says so."""
    if flags == ["-P"] and sys.version_info < (3, 11):
        pytest.skip("came with Python 3.11")
    program.write("main.py", "def f(x):\n    return x\nprint(f(1))\n")
    plain = program.run(*flags, "main.py", recorded=False)
    done = program.run(*flags, "main.py")
    assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, plain.stderr, plain.returncode)
    if flags[0] in ("-E", "-I", "-S"):
        assert not list(program.spool.iterdir())
    else:
        assert program.read(done).one("f")


def test_a_safe_path(program):
    program.write("main.py", "import sys\ndef f(x):\n    return x\nprint(f(1), sys.path)\n")
    plain = program.run("main.py", recorded=False, PYTHONSAFEPATH="1")
    done = program.run("main.py", PYTHONSAFEPATH="1")
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)
    assert program.read(done).one("f")


def test_compiled_files_are_those_of_the_program(program):
    program.write("lib.py", LIB)
    program.write("main.py", "import lib\nprint(lib.work(), len(lib.work.__code__.co_consts))\n")
    plain = program.run("main.py", recorded=False)
    compiled = {p: p.read_bytes() for p in (program.root / "__pycache__").iterdir()}
    for path in compiled:
        path.unlink()
    for mechanism in MECHANISMS:
        program.run("main.py", PYTEAD_EVENTS=mechanism)
        assert {p: p.read_bytes() for p in (program.root / "__pycache__").iterdir()} == compiled
    assert program.run("main.py", recorded=False).stdout == plain.stdout


def test_roots_that_look_alike(program, tmp_path):
    """F14: a folder is not the project because its name begins like it."""
    beside = tmp_path / "project2"
    beside.mkdir()
    (beside / "other.py").write_text("def other():\n    return 1\n")
    program.write("my.venv-tools/inside.py", "def inside():\n    return 1\n")
    program.write("main.py", textwrap.dedent(f"""
        import sys
        sys.path[:0] = [{str(beside)!r}, "my.venv-tools"]
        import inside, other
        inside.inside(); other.other()
    """))  # fmt: skip
    assert set(program.record("main.py").functions()) == {"inside"}


def test_an_installed_copy_of_the_project_is_told(program, tmp_path):
    """Its calls are not the project's, and people wonder where they are."""
    installed = tmp_path / "site-packages"
    for home in (program.root / "src", installed):
        (home / "pkg").mkdir(parents=True)
        (home / "pkg" / "__init__.py").write_text("def f():\n    return 1\n")
        (home / "alone.py").write_text("")
    # What is the standard library's or a test's, and a folder without a module, is nobody's copy.
    for name in ("fractions.py", "tests/__init__.py", "notes/other.txt", "setup.py"):
        program.write(name, "")
    for name in ("tests", "notes", "setup"):
        (installed / f"{name}.py").write_text("")
    program.write("own.py", "def g():\n    return 2\n")
    program.write("main.py", f"""
        import sys
        here = sys.path.pop(0)
        import fractions
        sys.path.insert(0, {str(installed)!r})
        import pkg, alone, tests, notes, setup
        sys.path.insert(0, here)
        import own
        pkg.f(); own.g()
    """)
    spool = program.record("main.py")
    assert set(spool.functions()) == {"g"}
    assert [gap[1] for gap in spool.of("G")] == [
        f"{name} ran from {installed} and not from src/{path}: install the project, pip install -e ."
        for name, path in (("alone", "alone.py"), ("pkg", "pkg"))
    ]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_breakpoint_in_a_recorded_function(program, mechanism):
    program.write("main.py", """
        def add(a, b):
            total = a + b
            return total

        def work():
            got = add(1, 2)
            breakpoint()
            for i in range(2):
                got += add(i, got)
            if got:
                got += 1

        work()
        print("done")
    """)  # fmt: skip
    runs = []
    for recorded in (False, True):
        done = subprocess.run(
            [sys.executable, "main.py"], input="s\nn\ns\nn\nn\nn\nw\nr\nn\nc\n", cwd=program.root, text=True,
            env=program.environment(recorded, PYTEAD_EVENTS=mechanism), capture_output=True,
        )  # fmt: skip
        assert (done.stderr, done.returncode) == ("", 0)
        runs.append(done.stdout.split("(Pdb) "))
    assert program.read().calls("add")[0][0].args == (1, 2)
    # A function that starts a debugger is not rewritten: it is as unrecorded.
    assert len(runs[0]) == len(runs[1]) > 9
    assert runs[0] == runs[1]
