"""Which calls are kept for what they show, and what is said of lines that only other calls ran."""

import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "assets" / "python"
MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
SEES_LINES = pytest.mark.skipif(sys.version_info < (3, 12), reason="lines are not followed")


@SEES_LINES
def test_a_call_that_takes_a_new_path_is_kept_whatever_was_kept_of_its_shape(program):
    spool = program.main("""
        def fee(amount):
            total = amount + 1
            if amount == 61:
                total += 5
            elif amount % 31 == 0:
                total += 2
            return total

        def main():
            for amount in range(1, 90):
                fee(amount)
    """)
    assert [c.args[0] for c, _ in spool.calls("fee")] == [*range(1, 11), 31, 61]
    assert spool.counts("fee")[6] == ()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_call_that_ends_in_a_new_way_is_kept(program, mechanism):
    spool = program.main("""
        def f(n):
            if n == 40: return None
            if n == 50: return "text"
            if n in (60, 61, 62):
                raise (KeyError if n == 61 else ValueError)(n)
            return n

        def main():
            for n in range(1, 90):
                try:
                    f(n)
                except (KeyError, ValueError):
                    pass
    """, PYTEAD_EVENTS=mechanism)  # fmt: skip
    assert [c.args[0] for c, _ in spool.calls("f")][10:] == [40, 50, 60, 61, 62]


@SEES_LINES
def test_a_path_that_calls_take_more_than_once_is_kept_though_most_calls_are_not_copied(program):
    """Each call has an object of a dozen values, and brings nothing new for long: few of them are copied."""
    spool = program.main("""
        class Order:
            def __init__(self, number):
                self.number = number
                self.lines = [[str(n), n + number] for n in range(6)]

        def check(order):
            if order.number > 75:
                return order.number - 75
            return 0

        def main():
            for number in range(1, 90):
                check(Order(number))
    """)
    kept = [c.args[0][-1]["number"] for c, _ in spool.calls("check")]
    assert kept[:10] == [*range(1, 11)] and kept[10] in (76, 77), "the path is seen by the first call, and the next one is copied"
    assert spool.counts("check")[6] == (), "no line is left that only calls ran which were not kept"


def test_fewer_and_fewer_calls_are_copied_that_bring_nothing(monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))
    from pytead_tui.recorder import known  # noqa: F401
    from pytead_tui.recorder.functions import EAGER, MANY, PATIENCE, Function
    from pytead_tui.recorder.project import File

    function = Function(1, File("app.py", "app.py"), "app", "f", 1, 0, ("order",), (1,))
    function.nodes = MANY

    def copied():
        found = []
        for function.misses in range(PATIENCE):
            if not function.is_passed_over():
                found.append(function.misses)
        return found

    assert copied()[: EAGER + 1] == [*range(EAGER), EAGER] and len(copied()) < PATIENCE // 4
    function.found(7)
    assert function.misses == 0 and function.missed == {7}, "a line that no kept call ran ends that"
    function.misses = 5
    function.found(7)
    assert function.misses == 5, "once for each line"
    function.nodes = MANY - 1
    assert len(copied()) == PATIENCE, "copying small values costs next to nothing"


@SEES_LINES
def test_small_calls_are_looked_at_for_new_paths_after_the_others_copied_too_much(program):
    """`check` gets less than half a millisecond's worth of copying; the last of its calls is the one that matters."""
    source = """
class Big:
    def __init__(self):
        self.rows = [[str(i), {"k": (i, [i])}] for i in range(40)]

def check(options):
    margin = options.get("margin")
    if margin is not None and margin < 10:
        raise ValueError(margin)
    options["margin"] = margin
    return options
"""
    source += "".join("\ndef f%d(big, n):\n    return n\n" % i for i in range(80))
    source += "\ndef main():\n    big = Big()\n"
    source += "".join("    for n in range(50):\n        f%d(big, n)\n" % i for i in range(80))
    source += """
    for i in range(80):
        check({"a%d" % j: str(i) for j in range(12)})
    try:
        check({"margin": 2})
    except ValueError:
        pass
"""
    spool = program.main(source)
    assert any(g[1] == "budget of app:check" for g in spool.of("G"))
    calls = spool.calls("check")
    assert calls[-1][0].args == ({"margin": 2},) and calls[-1][1][0] == "X"
    assert len(calls) < 12


@SEES_LINES
def test_lines_are_told_that_only_calls_ran_which_are_not_kept(program):
    spool = program.main("""
        def f(n):
            if n > 500:
                return "late"
            if n < 0:
                return "never"
            return n

        def main():
            for n in range(1, 600):
                f(n)
    """)
    assert len(spool.calls("f")) == 10
    assert spool.counts("f")[6] == (4,)


def test_where_lines_are_not_seen_it_is_told_that_some_may_be_missed(program):
    spool = program.main("""
        def f(n):
            return "late" if n > 500 else n

        def g(n):
            return n

        def main():
            for n in range(1, 600):
                f(n)
            g(1)
    """, PYTEAD_EVENTS="rewrite")  # fmt: skip
    assert spool.counts("f")[6] == (0,) and spool.counts("g")[6] == ()


@SEES_LINES
def test_lines_of_a_loop_in_calls_that_are_not_kept_are_not_reported_for_ever(program):
    """A loop in a call with a known input must not cost an event for each of its rounds."""
    spool = program.main("""
        import sys

        STATE = []

        def f(n):
            if STATE:
                for i in range(100_000):
                    n += 1
            return n

        def main():
            f(1)
            STATE.append(1)
            f(1)
            recorder = sys.modules["pytead_tui.recorder.start"].active
            (function,) = [f for f in recorder.numbered.values() if f.qualname == "f"]
            print(function.noise)
    """)
    assert spool.counts("f")[6] == (8, 9)
    assert int(spool.process.stdout) < 1000


@SEES_LINES
def test_a_generator_that_takes_a_new_path_is_kept_with_all_that_it_yielded(program):
    spool = program.main("""
        def parts(n):
            yield n
            if n == 60:
                yield "sixty"
            yield [n, n]

        def main():
            for n in range(1, 90):
                list(parts(n))
            next(parts(95))
    """)
    calls = [c for c, _ in spool.calls("parts")]
    assert [c.args[0] for c in calls] == [*range(1, 11), 60, 95]
    yields = {c.args[0]: [y[3] for y in spool.of("Y") if y[1] == c.cid] for c in calls}
    assert yields[60] == [60, "sixty", [60, 60]] and yields[5] == [5, [5, 5]] and yields[95] == [95]
    spool.check()


def test_a_generator_that_goes_on_and_on_is_not_held_back_for_its_end(program):
    spool = program.main("""
        def count(n):
            for i in range(n):
                yield i

        def main():
            for n in range(500, 530):
                list(count(n))
    """)
    assert len(spool.calls("count")) == 10
