"""What a test calls itself is kept, whatever its package called before."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_calls_by_tests_are_kept_whatever_the_package_called_before(program, mechanism):
    """Start events of `lookup` are off because it copied too much, those of `short` because nothing new came."""
    program.write("core.py", """
        class Settings:
            def __init__(self, n):
                self.table = {f"s{i}": {f"k{j}": [f"v {i} {j} {k}" for k in range(20)] for j in range(20)} for i in range(n)}

        def lookup(table, key, default=None):
            return table.get(key, default)

        def build(settings):
            return [lookup(settings.table, f"s{i}") for i in range(120)]

        def short(line, most):
            return len(line) <= most

        def check(lines):
            return all(short(line, 60) for line in lines)

        class Limit:
            def __init__(self, most):
                self.most = most

            def holds(self, line):
                return short(line, self.most)

        def limits():
            return [Limit(i % 3).holds("x") for i in range(300)]
    """)  # fmt: skip
    program.write("test_a_whole.py", """
        import core

        def test_whole():
            for i in range(12):
                core.build(core.Settings(60 + i))
            assert core.check(["x" * (i % 50) for i in range(300)])
            core.limits()
    """)  # fmt: skip
    program.write("test_unit.py", """
        import core

        def test_default():
            assert core.lookup({"a": 1}, "b", "none") == "none"

        def test_short():
            assert core.short("x" * 60, 60)
            assert not core.short("x" * 61, 60)

        def test_limit():
            assert core.Limit(77).holds("y" * 5)
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", PYTEAD_EVENTS=mechanism)
    direct = {
        name: [c.args[1:] for c, _ in spool.calls(name) if c.direct]
        for name in ("lookup", "short", "Limit.__init__", "Limit.holds")
    }
    assert direct["lookup"] == [("b", "none")]
    assert direct["short"] == [(60,), (60,)]
    assert direct["Limit.__init__"] == [(77,)]
    assert direct["Limit.holds"] == [("yyyyy",)]
    assert [end.value for c, end in spool.calls("short") if c.direct] == [True, False]


def test_a_test_that_calls_without_end_is_not_held_up(program):
    """So many calls of a function whose events are off are looked at, and no more."""
    program.write("core.py", "def f(x):\n    return x\n\ndef many():\n    return [f(i) for i in range(400)]\n")
    program.write("test_core.py", """
        import core

        def test_core():
            core.many()
            for i in range(3000):
                core.f(str(i))
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert len(spool.calls("f")) <= 100 and spool.counts("f")[2] < 1000
