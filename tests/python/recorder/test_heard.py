"""What a call asks its surroundings for is noted also where its own events are off, and where the code that asks is no function."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
OFTEN = 40_000  # calls, with values that cost something: more than any function's budget

APP = """
    import dataclasses
    import datetime
    import os
    import random
    import sys
    import time

    def clock(x):
        return time.time() > 0

    def day(x):
        return datetime.date.today().year > 0

    def chance(x):
        return random.random() >= 0

    def variable(x):
        return os.environ.get("APP_COLOUR") is None

    def words(x):
        return len(sys.argv)

    def reads(x):
        with open(__file__) as file:
            return len(file.read()) > 0

    def none(x):
        return x

    stamp = lambda: time.time()

    @dataclasses.dataclass
    class Order:
        at: float = dataclasses.field(default_factory=time.time)

    def sorts(x):
        return sorted([2, 1], key=lambda n: n + time.time())

    def generates(x):
        return list(time.time() > n for n in (1, 2))

    def lists(x):
        return [random.random() > n for n in (1, 2)]

    def defines(x):
        class Made:
            at = time.time()
        return Made.at > 0

    def by_name(x):
        return stamp() > 0

    def orders(x):
        return Order().at > 0

    def rare(n):
        at = clock(n)
        colour = variable(n)
        return "rare" if n == 40 else n

    def around(name, x):
        return globals()[name](x)
"""


def asked(spool, *names):
    ids = {call.cid for name in names for call, _ in spool.calls(name)}
    return {(r[2], r[3]) for r in spool.of("E") if r[1] in ids}


def record(program, mechanism, main):
    program.write("app.py", APP)
    program.write("main.py", "import app\n" + main)
    return program.record("main.py", **({"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}))


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    "name, kind",
    [("clock", "clock"), ("day", "clock"), ("chance", "random"), ("variable", "env"), ("words", "argv"), ("reads", "file"), ("none", None)],
)
def test_a_call_has_what_a_function_inside_asks_for_whose_copying_stopped_early(program, mechanism, name, kind):
    spool = record(
        program, mechanism,
        f"for n in range({OFTEN}): app.{name}([n, 'x' * 50, *range(40)])\napp.around('{name}', 1)\n",
    )  # fmt: skip
    assert len(spool.calls(name)) < 100  # it did stop
    assert {kind for kind, _ in asked(spool, "around")} == ({kind} if kind else set())


@pytest.mark.skipif("monitor" not in MECHANISMS, reason="code that is no function is heard from Python 3.12 on")
@pytest.mark.parametrize(
    "name, kind",
    [
        ("sorts", "clock"), ("generates", "clock"), ("lists", "random"), ("defines", "clock"), ("by_name", "clock"),
        ("orders", "clock"), ("none", None),
    ],
)  # fmt: skip
def test_a_call_has_what_code_inside_asks_for_that_is_no_function(program, name, kind):
    spool = record(program, "monitor", f"app.around('{name}', 1)\n")
    assert {kind for kind, _ in asked(spool, "around", name)} == ({kind} if kind else set())


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_call_that_is_kept_for_how_it_ended_has_what_it_asked_for_before(program, mechanism):
    spool = record(program, mechanism, "for n in range(41): app.rare(n)\n")
    (last,) = [call.cid for call, end in spool.calls("rare") if end.value == "rare"]
    assert {r[2] for r in spool.of("E") if r[1] == last} == {"clock", "env"}
