"""How many calls are kept, and what is said of the others."""


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
    spool = program.record("-c", "import lib\nlib.many()\nfor i in range(100, 120): lib.f(i)\n")
    calls = [c for c, _ in spool.calls("f")]
    assert sum(c.direct for c in calls) == 10 and sum(not c.direct for c in calls) == 10


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


def test_huge_values_are_cut_at_once(program):
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
    assert sum(p.stat().st_size for p in program.spool.iterdir()) < 20_000


def test_journeys_keep_every_call_and_say_when_they_are_cut(program):
    spool = program.main("""
        def f(x):
            return x

        def main():
            for _ in range(30_000):
                f(1)
    """, PYTEAD_MODE="journey")  # fmt: skip
    assert len(spool.calls("f")) == 19_999
    assert [g[1] for g in spool.of("G")] == ["journey cut"]
