"""What a recorded call leads to today, and its arguments as its caller wrote them."""

import types

import pytest

from pytead_tui.worker import callee
from pytead_tui.worker.lookup import Broken, find

PLACED, NAMED, LEFT = "p", "k", "d"


def module(source):
    made = types.ModuleType("m")
    exec(source, made.__dict__)
    return made


def called(source, qualname, arguments, way="N", sites=None, **more):
    """Makes a call as it was recorded, of parameters (name, value, given), in a module of this source."""
    made = module(source)
    told = [(name, 3 if given == "K" else 1, eval(str(value), made.__dict__), NAMED if given == "K" else given)
            for name, value, given in arguments]  # fmt: skip
    found = callee.of(made, {"qualname": qualname, **more}, way, [value for _, _, value, _ in told])
    args, named = callee.spread(found, told, sites)
    return found.call(*args, **named)


def test_what_was_left_out_is_left_out_again():
    f = "def f(a, b=2, *, c=3): return a, b, c"
    assert called(f, "f", [("a", 1, PLACED), ("b", 2, LEFT), ("c", 3, LEFT)]) == (1, 2, 3)
    other = f.replace("b=2", "b=5").replace("c=3", "c=6")
    assert called(other, "f", [("a", 1, PLACED), ("b", 2, LEFT), ("c", 3, LEFT)]) == (1, 5, 6)
    assert called(other, "f", [("a", 1, PLACED), ("b", 2, NAMED), ("c", 3, "K")]) == (1, 2, 3)


def test_a_parameter_that_the_caller_does_not_know_breaks_the_call():
    one = [("x", 3, PLACED)]
    for source in ("def f(*, x): return x", "def f(x, y): return x", "def f(): return 1"):
        with pytest.raises(TypeError):
            called(source, "f", one, sites=[(1, [])])
        with pytest.raises(Broken, match="its caller gives other arguments now"):
            called(source, "f", one, sites=[(3, [])])
    with pytest.raises(TypeError):
        called("def f(new): return new", "f", [("old", 3, NAMED)], sites=[(0, ["old"])])


def test_who_was_edited_with_the_function_is_followed():
    assert called("def f(new): return new", "f", [("old", 3, NAMED)], sites=[(0, ["new"])]) == 3
    assert called("def f(*, x): return x", "f", [("x", 3, PLACED)], sites=[(0, ["x"])]) == 3
    assert called("def f(a): return a", "f", [("a", 1, PLACED), ("b", 2, PLACED)], sites=[(1, [])]) == 1
    two = [("a", 1, PLACED), ("b", 2, NAMED)]
    assert called("def f(a, *, c): return a, c", "f", two, sites=[(1, ["c"])]) == (1, 2)


def test_today_s_name_is_followed():
    plus = "def plus(f):\n    return lambda *a: f(*a) + 1\n"
    one = [("x", 3, PLACED)]
    assert called(plus + "@plus\ndef f(x): return x", "f", one) == 4
    assert called(plus + "@plus\ndef f(x): return x", "f", one, way="W") == 3
    assert called("def f(x): return x\ndef f(x): return -x", "f", one) == -3
    with pytest.raises(TypeError):
        called("def g(f):\n    return lambda: 1\n@g\ndef f(x): return x", "f", one)
    classes = "class A:\n    def f(self): return 1\nclass B(A):\n    def f(self): return 2\n"
    for receiver, way, gives in (("A()", "M", 1), ("B()", "M", 2), ("B()", "W", 1)):
        assert called(classes, "A.f", [("self", receiver, PLACED)], way=way) == gives
    up = "class Base:\n    def f(self): return 3\nclass A(Base): pass\n"
    assert called(up, "A.f", [("self", "A()", PLACED)], way="M") == 3
    with pytest.raises(TypeError):
        called(classes.replace("    def", "    @property\n    def"), "A.f", [("self", "A()", PLACED)], way="M")
    made = "class A:\n    @classmethod\n    def f(cls, x): return cls.__name__, x\n    @staticmethod\n    def s(x): return x\n"
    assert called(made, "A.f", [("cls", "A", PLACED), ("x", 1, PLACED)], way="M") == ("A", 1)
    assert called(made, "A.s", [("x", 1, PLACED)]) == 1


def test_attributes_are_read_and_set():
    kept = "class A:\n    @property\n    def x(self): return 1\n    @x.setter\n    def x(self, to): self.y = to\n"
    assert called(kept, "A.x", [("self", "A()", PLACED)], way="A") == 1
    assert called(kept, "A.x", [("self", "A()", PLACED), ("to", 2, PLACED)], way="A") is None
    assert called("class A:\n    x = 5\n", "A.x", [("self", "A()", PLACED)], way="A") == 5
    over = kept + "class B(A):\n    @property\n    def x(self): return 7\n"
    assert called(over, "A.x", [("self", "B()", PLACED)], way="A") == 7


def test_registered_implementations_are_called_by_their_dispatcher():
    source = (
        "import functools\n@functools.singledispatch\ndef show(x): return 'any'\n"
        "@show.register(int)\ndef _(x): return 'int'\n@show.register(list)\ndef _(x): return 'list'\n"
    )
    for value, line, gives in ((1, 4, "int"), ([1], 6, "list")):
        more = {"dispatcher": "show", "line": line}
        for given in (PLACED, callee.UNKNOWN):
            assert called(source, "_", [("x", value, given)], **more) == gives
    assert called(source.replace("(list)", "(dict)"), "_", [("x", [1], PLACED)], dispatcher="show", line=6) == "any"
    method = (
        "import functools\nclass A:\n    @functools.singledispatchmethod\n    def of(self, x): return 'any'\n"
        "    @of.register\n    def _(self, x: int): return 'int'\n"
    )
    told = [("self", "A()", PLACED), ("x", 1, PLACED)]
    assert called(method, "A._", told, way="M", dispatcher="A.of", line=5) == "int"


def test_a_generator_of_the_call_is_told_from_one_that_it_gives():
    made = module("def f(): yield 1\ndef g(): return f()\n")
    call = {"qualname": "f"}
    assert callee.of(made, call, "N", []).runs(made.f().gi_code)
    assert not callee.of(made, {"qualname": "g"}, "N", []).runs(made.f().gi_code)


def test_behind_an_object_that_keeps_it_wrapped_the_function_itself_is_found():
    source = """
import functools

class Command:
    def __init__(self, callback):
        self.callback = callback

def command(f):
    @functools.wraps(f)
    def with_context(*args):
        return f(*args)
    return Command(with_context)

@command
def rooms():
    return "blue"

other = Command(lambda: None)
"""
    made = module(source)
    assert find(made, "rooms").__code__.co_name == "rooms"
    with pytest.raises(Broken, match="other is no function any more"):
        find(made, "other")
