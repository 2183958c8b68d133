"""How each call was written: by place, by name, left out, and whether its name led to the function itself."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
SOURCE = """
    import functools


    def f(a, b=2, *, c=3):
        return a


    def rest(a, b=2, *more, **others):
        return a


    def plus(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            return fn(*args, **kwargs)
        return inner


    @plus
    def wrapped(a, b=2):
        return a


    class Base:
        def __init__(self, size=5):
            self.size = size

        def total(self, rate=2):
            return rate

        @classmethod
        def made(cls, size=5):
            return cls(size)

        @staticmethod
        def free(a=1):
            return a

        @property
        def twice(self):
            return self.size * 2

        def __private(self, a=1):
            return a

        def ask(self):
            return self.__private()


    class Sub(Base):
        def __init__(self):
            Base.__init__(self, 5)

        def total(self, rate=2):
            return super().total(rate)


    def items(n=2):
        yield from range(n)


    def main():
        f(1); f(2, 2); f(3, b=2); f(4, c=3); f(5, 2, c=3); f(*(6, 2)); f(b=2, a=7)
        list(map(f, [8])); [f(9)]
        rest(1); rest(2, 2); rest(3, 2, 4); rest(4, d=1); rest(5, b=2)
        wrapped(1); wrapped(2, 2)
        one = Base(); Base(5); one.total(); one.total(2); Base.total(one, 2); Base.made(); Base.free(); Base.free(1)
        one.twice; one.ask()
        Sub().total()
        list(items()); list(items(2))
"""


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_each_call_tells_how_it_was_written(program, mechanism):
    spool = program.main(SOURCE, PYTEAD_EVENTS=mechanism)

    def hows(name):
        return [call.how for call, _ in spool.calls(name)]

    assert hows("f") == ["Npdd", "Nppd", "Npkd", "Npdk", "Nppk", "N?dd", "Nkkd", "Npdd", "Npdd"]
    assert hows("rest") == ["Npdpp", "Npppp", "Npppp", "Npdpp", "Npkpp"]
    assert hows("wrapped") == ["W?d", "W?d"]
    # The same object with the same argument is one call; whose class leads elsewhere, the function was named itself.
    assert hows("Base.__init__") == ["Mpd", "Mpp", "Wpp"]
    assert hows("Base.total") == ["Mpd", "Mpp", "Wpp"]
    assert hows("Sub.total") == ["Mpd"]
    assert hows("Base.made") == ["Mpd"]
    assert hows("Base.free") == ["Nd", "Np"]
    assert hows("Base.twice") == ["Ap"]
    assert hows("Base.__private") == ["Mpd"]
    assert hows("items") == ["Nd"]


def test_a_site_that_many_functions_share_is_read_for_each(program):
    spool = program.main("""
        def f(a, b=2):
            return a

        def g(a, *, b=2):
            return a

        def main():
            for one in (f, g):
                one(1)
            for number in range(300):
                x0 = number
            f(a=1, b=2)
    """)  # fmt: skip
    assert [call.how for call, _ in spool.calls("f")] == ["Npd", "Nkk"]
    assert [call.how for call, _ in spool.calls("g")] == ["Npd"]
