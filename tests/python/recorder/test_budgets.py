"""How many calls are kept, and what is said of the others."""

import sys

import pytest


def test_limit_of_a_shape_and_repetitions(program):
    spool = program.main("""
        def f(x):
            return x

        def main():
            for _ in range(3):
                f(1)
            for i in range(2, 40):
                f(i)
            f("text"); f(-1); f(0); f(None); f([]); f([1]); f("")
    """)
    calls = [c.args[0] for c, _ in spool.calls("f")]
    assert calls == [1, *range(2, 11), "text", -1, 0, None, [], [1], ""]
    count = spool.counts("f")
    assert count[2:4] == (48, 0)
    first = spool.calls("f")[0][0]
    assert count[4] == ((first.cid, 2),)
    caller = spool.functions()["main"][1]
    assert dict(((fid, line), n) for fid, line, n in count[5]) == {(caller, 7): 3, (caller, 9): 38, (caller, 10): 7}


def test_limit_can_be_set(program):
    spool = program.main(
        "def f(x):\n    return x\ndef main():\n    for i in range(1, 9):\n        f(i)\n", PYTEAD_LIMIT="3"
    )
    assert len(spool.calls("f")) == 3


def test_a_hundred_in_all_and_then_nothing(program):
    spool = program.main("""
        TYPES = [type("T%d" % i, (), {}) for i in range(150)]

        def f(x):
            return x

        def main():
            for cls in TYPES:
                f(cls())
    """)
    calls = spool.calls("f")
    assert len(calls) == 100 and all(end for _, end in calls)
    assert spool.counts("f")[2] == 100


def test_events_go_off_when_nothing_new_comes(program):
    spool = program.main("""
        def f(x):
            return x

        def main():
            for _ in range(100_000):
                f(1)
    """)
    assert len(spool.calls("f")) == 1
    assert 100 <= spool.counts("f")[2] <= 102


def test_outcomes_are_of_the_shape(program):
    spool = program.main("""
        def f(x):
            if x > 90:
                raise ValueError(x)
            return x

        def main():
            for i in range(1, 95):
                try:
                    f(i)
                except ValueError:
                    pass
    """)
    ends = [end for _, end in spool.calls("f")]
    assert [e[0] for e in ends] == ["R"] * 10 + ["X"] * 4
    assert [c.args for c, _ in spool.calls("f")][-4:] == [(91,), (92,), (93,), (94,)]
    assert spool.counts("f")[2:4] == (94, 4)


def test_direct_calls_have_a_limit_of_their_own(program):
    program.write("lib.py", "def f(x):\n    return x\n\ndef many():\n    for i in range(1, 50):\n        f(i)\n")
    spool = program.record("-c", "import lib\nlib.many()\nfor i in range(100, 150): lib.f(i)\n")
    calls = [c for c, _ in spool.calls("f")]
    assert sum(c.direct for c in calls) == 30 and sum(not c.direct for c in calls) == 10


def test_calls_from_outside_of_a_package_have_the_limit_of_direct_ones(program):
    program.write("src/lib/__init__.py", "from lib.core import f, many\n")
    program.write(
        "src/lib/core.py", "def f(x):\n    return x\n\ndef many():\n    for i in range(1, 50):\n        f(i)\n"
    )
    program.write(
        "tool/use.py", "import lib\n\ndef main():\n    lib.many()\n    for i in range(100, 150):\n        lib.f(i)\n"
    )
    program.write("main.py", "import sys\nsys.path.insert(0, 'src')\nfrom tool.use import main\nmain()\n")
    calls = [c.args[0] for c, _ in program.record("main.py").calls("f")]
    assert calls == [*range(1, 11), *range(100, 130)]


MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_calls_from_outside_of_a_package_are_kept_however_much_it_copied_for_itself(program, mechanism):
    program.write("lib/__init__.py", "")
    program.write("lib/core.py", """
        class Big:
            def __init__(self):
                self.rows = [[str(i), {"k": (i, [i])}] for i in range(400)]
                self.seen = []

        def work(big, key):
            big.seen = [key]
            return key

        def many(big):
            for i in range(8):
                work(big, (i,) * 40)
    """)  # fmt: skip
    program.write("main.py", """
        from lib.core import Big, many, work

        def main():
            big = Big()
            for i in range(12):
                work(big, str(i))
                many(big)

        main()
    """)  # fmt: skip
    spool = program.record("main.py", PYTEAD_EVENTS=mechanism)
    assert [g[1] for g in spool.of("G") if g[1].endswith(":work")] == ["budget of lib.core:work"]
    calls = spool.calls("work")
    inside = [end.value for c, end in calls if type(c.args[1]) is tuple]
    outside = [(c, end) for c, end in calls if type(c.args[1]) is str]
    assert len(inside) < 60 and [end.value for _, end in outside] == [str(i) for i in range(12)]


def test_recursion_past_the_limit_ends_every_kept_call(program):
    spool = program.main("""
        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)

        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        def main():
            assert down(400) == 400
            assert fib(18) == 2584
    """)
    calls = spool.calls("down")
    assert all(end is not None and end[0] == "R" for _, end in calls)
    assert all(end.value == call.args[0] for call, end in calls)
    assert all(end is not None for _, end in spool.calls("fib"))
    assert spool.one("main")[1] is not None


def test_equal_states_of_new_objects_are_one_input(program):
    spool = program.main("""
        class Point:
            def __init__(self, x):
                self.x = x

            def double(self):
                return self.x * 2

        def main():
            for _ in range(5):
                Point(1).double()
            Point(2).double()
    """)
    assert len(spool.calls("Point.double")) == 2
    assert spool.counts("Point.double")[4] == ((spool.calls("Point.double")[0][0].cid, 4),)


def test_copying_has_a_budget(program):
    spool = program.main("""
        class Big:
            def __init__(self, n):
                self.rows = [[str(i), {"k": (i, [i])}] for i in range(90)]
                self.n = n

            def work(self, shape):
                self.n += 1

        def main():
            for i in range(2000):
                Big(i).work(i % 7 * [0])
    """)
    assert any(g[1].startswith("budget of app:Big.") for g in spool.of("G"))
    assert all(end for _, end in spool.calls("Big.work"))


def test_where_copying_ends_is_the_same_in_each_run(program):
    program.write("app.py", """
        class Big:
            def __init__(self, n):
                self.rows = [[str(i), {"k": (i, [i])}] for i in range(90)]
                self.n = n

            def work(self, shape):
                self.n += 1

        for i in range(1000):
            Big(i).work(i % 7 * [0])
    """)  # fmt: skip

    def kept():
        for file in program.spool.iterdir():
            file.unlink()
        spool = program.read(program.run("app.py"))
        return [g[1:] for g in spool.of("G")], [c.args for c, _ in spool.calls("Big.work")]

    gaps, calls = kept()
    assert gaps and calls
    assert kept() == (gaps, calls)


def test_every_function_keeps_its_first_inputs_however_much_the_others_copied(program):
    many = range(80)
    source = """
class Big:
    def __init__(self):
        self.rows = [[str(i), {"k": (i, [i], Big)}] for i in range(40)]
"""
    source += "".join("\ndef f%d(big, n):\n    return n\n" % i for i in many)
    source += "\ndef main():\n    big = Big()\n"
    source += "".join("    for n in range(50):\n        f%d(big, n)\n" % i for i in many)
    spool = program.main(source)
    kept = [spool.calls("f%d" % i) for i in many]
    assert all(len(calls) >= 2 for calls in kept)
    assert len([g for g in spool.of("G") if g[1].startswith("budget of app:f")]) > 40, "there was not time for more"
    whole = [calls for calls in kept if all(c.args[0][-1]["rows"][1][0] == "1" for c, _ in calls[:2])]
    assert len(whole) > 8, "what was left for the first ones alone is enough for fewer"


def test_huge_values_are_cut_at_once(program):
    """F13: nothing huge is ever written whole."""
    spool = program.main("""
        import hashlib
        import time
        import tracemalloc

        VALUES = {"str": "x" * 100_000_000, "bytes": b"x" * 100_000_000, "list": [0] * 10_000_000,
                  "bytearray": bytearray(100_000_000), "set": set(range(1_000_000))}

        def huge(kind):
            return VALUES[kind]

        def walked():
            before = time.thread_time()
            hashlib.sha256(VALUES["bytes"]).digest()
            for _ in VALUES["list"]:
                pass
            return time.thread_time() - before

        def main():
            tracemalloc.start()
            before = time.thread_time()
            for kind in VALUES:
                huge(kind)
            print(tracemalloc.get_traced_memory()[1], time.thread_time() - before, walked())
    """)
    peak, spent, walking = map(float, spool.process.stdout.split())
    assert peak < 2_000_000, "a copy of any of them is larger"
    assert spent < walking, "looking at all of two of them takes longer than not looking at five"
    sizes = {"str": 10**8, "bytes": 10**8, "list": 10**7, "bytearray": 10**8, "set": 10**6}
    for call, end in spool.calls("huge"):
        assert end.value[1:4] == ("cut", call.args[0], sizes[call.args[0]])
    assert sum(len(p.read_bytes().rstrip(b"\0")) for p in program.spool.iterdir()) < 20_000


def test_functions_that_copied_too_much_are_recorded_again_when_the_program_goes_on(program):
    many, phases = range(30), range(6)
    source = """
import time

class Big:
    def __init__(self):
        self.rows = [[str(i), {"k": (i, [i], Big)}] for i in range(40)]
        self.n = 0

def busy(seconds):
    before = time.process_time()
    while time.process_time() - before < seconds:
        pass
"""
    source += "".join("\ndef f%d(big, phase):\n    big.n += 1\n" % i for i in many)
    source += "".join("\ndef new%d():\n    busy(0.3)\n" % i for i in phases)
    source += "\ndef main():\n    big = Big()\n    for i in range(100):\n        "
    source += "; ".join("f%d(big, i)" % i for i in many)
    for phase in phases:
        source += "\n    new%d()\n    " % phase + "; ".join("f%d(big, {%d: 0})" % (i, phase) for i in many)
    spool = program.main(source)
    cut = {g[1].partition("app:")[2] for g in spool.of("G")}
    again = {name for name in cut if any(type(c.args[1]) is dict for c, _ in spool.calls(name))}
    assert "f29" in cut and again, "there is time again"
    assert all(end for name in cut for _, end in spool.calls(name))


def test_functions_of_which_nothing_more_is_wanted_have_their_own_code_again(program):
    program.write("app.py", """
        import functools

        def plain(x):
            return x + 1

        @functools.lru_cache(maxsize=None)
        def cached(x):
            return plain(x)

        class Cart:
            def total(self, x):
                return x

            @property
            def empty(self):
                return True

            @staticmethod
            def count(x):
                return x

        def ticks(n):
            for i in range(n):
                yield plain(i)
    """)  # fmt: skip
    program.write("main.py", """
        import app

        def codes(code):
            return {c.co_name: c for c in code.co_consts if hasattr(c, "co_code") for c in [c, *codes(c).values()]}

        with open(app.__file__) as file:
            own = codes(compile(file.read(), app.__file__, "exec"))
        cart = app.Cart()
        unfinished = app.ticks(3)
        print(next(unfinished))
        for i in range(500):
            app.cached(i), cart.total(i), cart.empty, cart.count(i), list(app.ticks(2))
        print(list(unfinished))
        for f in (app.plain, app.cached.__wrapped__, app.Cart.total, app.Cart.empty.fget, cart.count, app.ticks):
            print(f.__name__, f.__code__ == own[f.__name__], f(1) if f is app.plain else "")
    """)  # fmt: skip
    done = program.run("main.py", PYTEAD_EVENTS="rewrite")
    assert done.stdout == program.run("main.py", recorded=False).stdout
    assert done.stdout.count("True") == 6
    (unfinished,) = [c for c, _ in program.read(done).calls("ticks") if c.args == (3,)]
    assert [r[3] for r in program.read(done).of("Y") if r[1] == unfinished.cid] == [1, 2, 3]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_lines_that_a_long_call_repeats_are_silent_and_new_ones_are_told(program, mechanism):
    spool = program.main("""
        def turns(n):
            late = 0
            for i in range(n):
                if i == 900:
                    late = 1
                i += 1
            return late

        def ticks(n):
            for i in range(n):
                yield turns(1)
            return

        def main():
            turns(1_000)
            turns(1_000)
            turns(2)
            for _ in ticks(300):
                turns(2)
    """, PYTEAD_MODE="journey", PYTEAD_EVENTS=mechanism)  # fmt: skip

    def lines_of(cid):
        return [line for r in spool.of("L") if r[1] == cid for line in r[2]]

    first, second, third, *_ = [c.cid for c, _ in spool.calls("turns")]
    assert lines_of(first) == lines_of(second) == [3, 4, 5, 7, 6, 8], "each call tells its own"
    assert lines_of(third) == [3, 4, 5, 7, 8]
    (ticks,) = [c.cid for c, _ in spool.calls("ticks")]
    assert lines_of(ticks) == [11, 12, 13]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_where_every_call_is_kept_the_calls_alone_decide_how_many(program, mechanism):
    """Two runs are compared, and the machine may be busy in one of them."""
    program.write("app.py", """
        def small(x):
            return x

        def large(x):
            return len(x)

        def main():
            for i in range(900):
                small(i)
            for i in range(60):
                large([str(i + j) for j in range(1500)])
    """)
    program.write("main.py", "import app\napp.main()\n")
    events = {"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}
    spool = program.record("main.py", PYTEAD_MODE="every", **events)
    assert len(spool.calls("small")) == 500
    kept = [args[0][0] for args in (call.args for call, _ in spool.calls("large"))]
    assert 5 < len(kept) < 30 and kept == [str(i) for i in range(len(kept))], kept
