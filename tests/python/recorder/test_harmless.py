"""A recorded program behaves as it would unrecorded."""

import os
import sys
import textwrap

import pytest
from spools import read_folder


def test_sys_is_as_it_was(program):
    program.write(
        "main.py",
        """
        import sys
        print(sys.argv, sys.path, [str(f)[:30] for f in sys.meta_path[:3]], len(sys.path_hooks), sys.flags, __name__, __file__, __spec__, __package__)
        print(sys.getprofile(), sys.getrecursionlimit(), sorted(globals()), sorted(dir()))
        print([m for m in sorted(sys.modules) if "sitecustomize" in m])
        print("types" in sys.modules, "threading" in sys.modules, "ast" in sys.modules, "re" in sys.modules)
        def f(a):
            b = 1
            return sorted(locals()), f.__code__.co_varnames, f.__defaults__, f.__code__.co_firstlineno
        print(f(1), f.__qualname__, f.__module__, sorted(vars()))
        import inspect
        print(sys.gettrace())
        print(inspect.getsource(f), inspect.signature(f), len(inspect.stack()))
    """,
    )
    program.same("main.py", "a", "b")


def test_a_shadowed_sitecustomize_runs(program):
    site = program.root / "site"
    program.write("site/sitecustomize.py", "import sys\nsys.from_site = __file__\n")
    program.write("main.py", "import sys, sitecustomize\nprint(sys.from_site, sitecustomize.__file__)\n")
    boot = program.environment()["PYTHONPATH"]
    plain = program.run("main.py", recorded=False, PYTHONPATH=str(site))
    recorded = program.run("main.py", PYTHONPATH=boot + os.pathsep + str(site))
    assert recorded.stdout == plain.stdout and recorded.stderr == "" and plain.returncode == 0
    assert program.read().of("H")


FAILING = """
    import sys

    class Own(Exception):
        pass

    def inner(x):
        if x:
            raise Own("inner")

    def middle(x):
        try:
            inner(x)
        finally:
            sys.stdout.write("finally\\n")

    def outer(x):
        try:
            middle(x)
        except Own as error:
            raise ValueError("outer") from error

    def gen():
        yield 1
        outer(1)

    def delegating():
        yield from gen()

    def main():
        for _ in delegating():
            pass

    if __name__ == "__main__":
        main()
"""


def test_tracebacks_and_exit_codes(program):
    program.write("app.py", FAILING)
    program.write("main.py", "import app\napp.main()\n")
    assert program.same("main.py").returncode == 1
    assert program.same("app.py").returncode == 1
    program.write("exits.py", "import sys\ndef main():\n    sys.exit(7)\nmain()\n")
    assert program.same("exits.py").returncode == 7
    program.write("broken.py", "def f(:\n")
    program.write("imports.py", "import broken\n")
    assert program.same("broken.py").returncode == 1
    assert program.same("imports.py").returncode == 1
    program.write("interrupted.py", "def f():\n    raise KeyboardInterrupt\nf()\n")
    assert program.same("interrupted.py").returncode != 0


def test_warnings_are_those_of_the_program(program):
    program.write("lib.py", "def f(x):\n    return x is 1\nPATTERN = '\\d'\n")
    program.write("main.py", "import lib\nlib.f(1)\nprint('ran')\n")
    plain = program.run("-W", "always", "-B", "main.py", recorded=False)
    recorded = program.run("-W", "always", "-B", "main.py")
    assert "SyntaxWarning" in recorded.stderr and recorded.stderr == plain.stderr
    assert "invalid escape" in program.run("-W", "error", "-B", "main.py").stderr
    program.run("main.py")
    assert list((program.root / "__pycache__").iterdir())
    assert program.run("-W", "always", "main.py").stderr == ""
    assert program.read().calls("f")


def test_deep_recursion(program):
    program.write(
        "app.py",
        """
        import sys

        def down(n):
            return down(n + 1)

        def tries(n):
            try:
                return tries(n + 1)
            except RecursionError:
                return n
            finally:
                pass

        def walk(node):
            yield node
            yield from walk(node + 1)

        def main():
            for _ in range(3):
                try:
                    down(0)
                except RecursionError as error:
                    print(type(error).__name__, str(error)[:32], error.__context__)
                print(tries(0) > 900)
                try:
                    for _ in walk(0):
                        pass
                except RecursionError:
                    print("walked")
            sys.setrecursionlimit(120)
            try:
                down(0)
            except RecursionError:
                print("short")
    """,
    )
    program.write("main.py", "import app\napp.main()\n")
    spool = program.read(program.same("main.py"))
    assert spool.one("main")[1][0] == "R"


def test_main_can_be_pickled(program):
    program.write(
        "main.py",
        """
        import pickle

        class Point:
            def __init__(self, x):
                self.x = x

        def f():
            return pickle.loads(pickle.dumps((Point(3), Point, f, main)))

        def main():
            point, cls, one, two = f()
            print(point.x, cls is Point, one is f, two is main)

        main()
    """,
    )
    assert program.same("main.py").stdout == "3 True True True\n"


@pytest.mark.parametrize("mode", ["calls", "journey"])
@pytest.mark.parametrize("events", ["", "rewrite"])
def test_what_a_recursion_to_the_limit_held_is_let_go_of(program, mode, events):
    source = """
        import gc, weakref

        class Thing:
            pass

        made = []

        def deeper(n):
            thing = Thing()
            made.append(weakref.ref(thing))
            return deeper(n + 1)

        def unfinished():
            thing = Thing()
            made.append(weakref.ref(thing))
            yield 1
            yield 2

        def main():
            try:
                deeper(0)
            except RecursionError:
                pass
            for _ in range(3):
                next(unfinished())
            gc.collect()
            print(len(made) > 100, sum(ref() is not None for ref in made))
    """
    program.write("app.py", source)
    program.write("main.py", "import app\napp.main()\n")
    assert program.run("main.py", recorded=False).stdout == "True 0\n"
    assert program.run("main.py", PYTEAD_MODE=mode, PYTEAD_EVENTS=events).stdout == "True 0\n"


def test_lifetimes_are_those_of_the_program(program):
    program.write(
        "app.py",
        """
        import weakref

        class Thing:
            def __init__(self, name):
                self.name = name

            def __del__(self):
                print("gone", self.name)

        def consume(thing):
            ref = weakref.ref(thing)
            name = thing.name
            del thing
            print(name, "used", ref() is None)

        def make():
            thing = Thing("made")
            return 1

        def gen(thing):
            yield 1
            del thing
            yield 2

        def main():
            consume(Thing("given"))
            make()
            for x in gen(Thing("generated")):
                print(x)
    """,
    )
    program.write("main.py", "import app\napp.main()\n")
    program.same("main.py")


def test_signal_handlers_may_raise(program):
    program.write(
        "app.py",
        """
        import signal

        class Late(Exception):
            pass

        def handler(*args):
            raise Late

        def leaf(x):
            return {"a": [x, str(x)]}

        def main():
            caught = 0
            signal.signal(signal.SIGALRM, handler)
            for _ in range(60):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.003)
                    i = 0
                    while True:
                        i += 1
                        leaf(i)
                except Late:
                    caught += 1
            print(caught)
    """,
    )
    program.write("main.py", "import app\napp.main()\n")
    done = program.run("main.py")
    assert (done.stdout, done.stderr) == ("60\n", "")


def test_an_unwritable_spool_is_no_concern_of_the_program(program):
    program.write("main.py", "def f(x):\n    return x\nprint([f(i) for i in range(50)][-1])\n")
    plain = program.run("main.py", recorded=False)
    for spool in ("/nowhere/at/all", "/proc"):
        done = program.run("main.py", PYTEAD_SPOOL=spool)
        assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, "", 0)


TESTED = {
    "lib.py": """
        def check(x):
            if x > 1:
                return "more"
            for i in range(x):
                if i == 5:
                    break
            if x < 0:
                x = 0

        def never():
            return 1

        def loops(n):
            while n:
                n -= 1

        def cleans(n):
            with open(__file__) as stream:
                try:
                    if n:
                        return stream.read(1)
                finally:
                    n += 1

        def numbers(n):
            for i in range(n):
                yield i
    """,
    "test_lib.py": """
        import lib

        def test_check():
            assert lib.check(2) == "more"
            assert lib.check(1) is None
            lib.loops(2)
            lib.cleans(0); lib.cleans(1)
            assert list(lib.numbers(2)) == [0, 1]

        def test_fails():
            value = {"a": lib.check(2)}
            assert value == {"a": "less"}
    """,
}


def test_pytest_explains_its_assertions(program):
    for name, source in TESTED.items():
        program.write(name, source)
    args = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    plain = program.run(*args, recorded=False)
    recorded = program.run(*args)

    def stable(text):
        return [line for line in text.splitlines() if " in " not in line]

    assert stable(recorded.stdout) == stable(plain.stdout)
    assert "less" in recorded.stdout and recorded.returncode == plain.returncode == 1
    assert program.read().calls("check")


@pytest.mark.parametrize("branch", [[], ["--branch"]])
def test_coverage_keeps_its_results(program, branch):
    pytest.importorskip("coverage")
    for name, source in TESTED.items():
        program.write(name, source)
    command = ("-m", "coverage", "run", *branch, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    reports = []
    for recorded in (False, True):
        assert program.run(*command, recorded=recorded).returncode == 1
        reports.append(program.run("-m", "coverage", "report", "-m", recorded=False).stdout)
    assert "lib.py" in reports[0]
    assert reports[0] == reports[1]
    assert program.read().calls("check")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring")
def test_coverage_on_sys_monitoring_keeps_its_results(program):
    pytest.importorskip("coverage")
    for name, source in TESTED.items():
        program.write(name, source)
    reports = []
    for recorded in (False, True):
        command = ("-m", "coverage", "run", "-m", "pytest", "-q", "-p", "no:cacheprovider")
        assert program.run(*command, recorded=recorded, COVERAGE_CORE="sysmon").returncode == 1
        reports.append(program.run("-m", "coverage", "report", "-m", recorded=False).stdout)
    assert reports[0] == reports[1]
    assert program.read().calls("check")


def test_syntax_that_rewriting_must_not_disturb(program):
    program.write(
        "app.py",
        '''
        from __future__ import annotations
        import asyncio

        class A:
            x: int = 1
            def __init__(self): self.__hidden = 2
            def get(self): return self.__hidden
            def up(self): return super().__repr__()[:5]

        def documented():
            """doc"""

        def only_docstring_and_return():
            """doc"""
            return

        def early(x):
            global COUNT
            COUNT = x
            if x: return
            else: pass
            return COUNT

        def tries(x):
            for i in range(3):
                try:
                    if i == x: continue
                    if i > x: break
                    return i
                except ValueError: return "v"
                else: return "e"
                finally:
                    if x == 9: return "f"
            else:
                return "else"
            return "end"

        def swallows():
            try:
                raise KeyError
            finally:
                return 1

        def nested(n):
            total = 0
            def add(k):
                nonlocal total
                total += k
                return lambda: total
            return add(n)()

        def matches(v):
            match v:
                case [x, *_]: return x
                case {"k": y}: return y
                case _: return None

        def walrus(v): return (w := v + 1), w, [u for u in range(w) if (z := u)]

        def sends():
            got = yield
            while got is not None:
                got = yield got * 2
            return (yield "last")

        async def agen(n):
            for i in range(n):
                got = yield i
                await asyncio.sleep(0)
                print("got", got)

        async def amain():
            gen = agen(2)
            print(await gen.__anext__(), await gen.asend("hello"))
            await gen.aclose()
            async with asyncio.Lock(): return [i async for i in agen(1)]

        def fstring(x): return f"{x!r:>{10}}" f"{locals()}"

        def kw(a, /, b=1, *c, d, e=2, **f): return a, b, c, d, e, f

        def main():
            a = A()
            print(a.get(), a.up(), documented.__doc__, documented(), only_docstring_and_return(), early(1), early(0))
            print([tries(i) for i in (0, 1, 2, 5, 9)], swallows(), nested(3), matches([1, 2]), matches({"k": 2}),
                  matches(3), walrus(2), fstring("x"), kw(1, d=4, z=5))
            g = sends()
            next(g); print(g.send(2), g.send(None))
            try: g.send("r")
            except StopIteration as stop: print(stop.value)
            print(asyncio.run(amain()))
            print(A.get.__annotations__, kw.__kwdefaults__)
    ''',
    )
    program.write("main.py", "import app\napp.main()\n")
    done = program.same("main.py")
    assert done.returncode == 0, done.stderr
    spool = program.read(done)
    assert spool.one("swallows")[1].value == 1
    assert [e.value for _, e in spool.calls("tries")] == ["end", 0, 0, 0, "f"]


def test_too_many_nested_blocks_to_rewrite(program):
    lines = ["def f():"] + ["    " * (i + 1) + "for _ in (1,):" for i in range(20)] + ["    " * 21 + "pass"]
    program.write("lib.py", "\n".join([*lines, "    return 1", "", "def g():", "    return f()"]))
    program.write("main.py", "import lib\nprint(lib.g())\n")
    done = program.same("main.py")
    assert done.stdout == "1\n"
    program.read(done)


def test_editable_finders_and_own_loaders(program):
    program.write("elsewhere/lib.py", "def f(x):\n    return x\n")
    program.write("main.py", textwrap.dedent("""
        import importlib.util, sys
        spec = importlib.util.spec_from_file_location("renamed", "elsewhere/lib.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.f(1)
        print(type(spec.loader).__name__, module.__cached__ is not None)
    """))  # fmt: skip
    done = program.same("main.py")
    assert program.read(done).one("f")[0].args == (1,)


def test_failures_of_the_recorder_are_counted_and_end_what_is_recorded_of_that_function(program):
    program.write(
        "main.py",
        """
        import sys

        # Every copy of a value fails from here on.
        sys.modules["pytead_tui.recorder.values"].capture = len

        def f(x):
            return x

        def main():
            for i in range(250):
                f([i])
            print("done", other(1))

        def other(x):
            return x

        main()
    """,
    )
    done = program.run("main.py")
    assert (done.stdout, done.stderr, done.returncode) == ("done 1\n", "", 0)
    spool = read_folder(program.spool)
    assert [g[1:] for g in spool.of("G")] == [("recorder error: TypeError in __main__:f", 100)]
    assert not spool.calls("f")
    assert spool.results("other") == [1] and spool.of("Z"), "of the others nothing is lost"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring")
def test_with_every_monitoring_tool_id_taken_source_is_rewritten(program):
    program.write("app.py", "def f(x):\n    return x\n")
    program.write("main.py", "import app\nprint(app.f(1))\n")
    program.write("early/sitecustomize.py", f"""
        import sys
        for number in range(6):
            sys.monitoring.use_tool_id(number, "other")
        sys.path.insert(0, {str(program.boot)!r})
        del sys.modules["sitecustomize"]
        sys.path.remove({str(program.root / "early")!r})
        import sitecustomize
    """)  # fmt: skip
    done = program.run("main.py", PYTHONPATH=str(program.root / "early"))
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert program.read().one("f")[0].args == (1,)
