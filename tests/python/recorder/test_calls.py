"""Which calls are recorded, under which names, with which arguments, outcomes and parents."""

import sys
import textwrap

import pytest


def test_arguments_are_those_before_the_call(program):
    spool = program.main("""
        def add(items, x, *rest, flag=False, **more):
            items.append(x)
            return len(items)

        def main():
            add([1], 2, 3, 4, flag=True, k="v")
    """)
    call, end = spool.one("add")
    assert call.args == ([1], 2, (3, 4), True, {"k": "v"})
    assert end.value == 2
    assert end.changed == {"items": [1, 2]}
    function = spool.functions()["add"]
    assert function[6] == (("items", 1), ("x", 1), ("rest", 2), ("flag", 3), ("more", 4))
    assert spool.parent_of(call) == "main"
    assert spool.name_of(call.caller) == "main" and call.line == 7
    assert not call.direct
    assert end.ns >= call.ns


def test_what_changed_is_told_of_arguments_that_hold_one_another(program):
    spool = program.main("""
        class Node:
            def __init__(self, name):
                self.name, self.other = name, None

        def pair(one="a"):
            first, second = Node(one), Node("b")
            first.other, second.other = second, first
            return first, second

        def look(first, second):
            return first.name + second.name

        def rename(first, second):
            second.name = "new"

        def part(first, second):
            first.other = None

        def more(one, two):
            two.append(3)

        def inner(one, two):
            two[0].append(3)

        def main():
            for function in (look, rename, part):
                function(*pair())
            shared = [1]
            more([shared], [shared])
            inner([shared], [shared])
    """)
    changed = {name: set(spool.one(name)[1].changed) for name in ("look", "rename", "part", "more", "inner")}
    # Each holds the other one, so what changes in one changes in both.
    both = {"first", "second"}
    assert changed == {"look": set(), "rename": both, "part": both, "more": {"two"}, "inner": {"one", "two"}}


def test_parameter_kinds_and_mangled_names(program):
    spool = program.main("""
        class A:
            def f(self, __x, /, y, *, z=1):
                return __x + y + z

        def main():
            A().f(1, 2)
    """)
    assert spool.functions()["A.f"][6] == (("self", 0), ("_A__x", 0), ("y", 1), ("z", 3))
    assert spool.one("A.f")[0].args[1:] == (1, 2, 1)


def test_a_call_from_a_comprehension_or_generator_expression_is_its_functions(program):
    spool = program.main("""
        def one(x):
            return x

        def all_of(xs):
            return [one(x) for x in xs], sum(one(x) for x in xs)

        def main():
            all_of([1, 2])
    """)
    assert {spool.name_of(call.caller) for call, _ in spool.calls("one")} == {"all_of"}
    assert not any(call.direct for call, _ in spool.calls("one"))


def test_what_a_factory_made_has_the_name_it_is_kept_under(program):
    spool = program.main("""
        import functools

        def comparer(sign):
            def compare(self, other):
                return sign(self.n, other.n)
            return compare

        class Base:
            def __init__(self, n):
                self.n = n

            __gt__ = comparer(lambda a, b: a > b)
            __lt__ = comparer(lambda a, b: a < b)

        class Made(Base):
            __lt__ = comparer(lambda a, b: a <= b)

        def times(n):
            def scaled(x):
                return x * n
            return scaled

        def plain():
            def same(x):
                return x
            return same

        double, triple, same = times(2), times(3), plain()

        def announced(function):
            def around(x):
                return function(x)
            return around

        def kept(function):
            @functools.wraps(function)
            def around_it(x):
                return function(x)
            return around_it

        @announced
        def greet(x):
            return x

        @kept
        def leave(x):
            return x

        def main():
            a, b = Made(1), Made(2)
            a > b, a < b, Base.__lt__(a, b)
            double(1), triple(1), same(1), times(4)(1)
            greet(1), leave(1)
    """)
    found = {name: [call for call, _ in spool.calls(name)] for name in spool.functions()}
    names = {name: [call.bound for call in calls] for name, calls in found.items()}
    compare = names.pop("comparer.<locals>.compare")
    assert compare == ["app:Base.__gt__", "app:Made.__lt__", "app:Base.__lt__"]
    scaled = names.pop("times.<locals>.scaled")
    assert scaled == ["app:double", "app:triple", None]
    assert names.pop("plain.<locals>.same") == ["app:same"]
    assert (names.pop("announced.<locals>.around"), names.pop("kept.<locals>.around_it")) == (["app:greet"], ["app:leave"])
    assert {name for calls in names.values() for name in calls} == {None}


def test_a_name_that_the_caller_keeps_is_found_and_one_of_a_test_is_not(program):
    program.write("makers.py", """
        def times(n):
            def scaled(x):
                return x * n
            return scaled
    """)
    source = """
        from makers import times

        double = times(2)

        def test_double():
            assert double(1) == 2

        if __name__ == "__main__":
            test_double()
    """
    program.write("shop.py", source)
    program.write("test_shop.py", source)
    assert program.record("shop.py").one("times.<locals>.scaled")[0].bound == "__main__:double"
    test = program.record("test_shop.py").calls("times.<locals>.scaled")[-1][0]
    assert test.bound is None


def test_exception(program):
    spool = program.main("""
        class Refused(ValueError):
            pass

        def check(x):
            if x < 0:
                raise Refused("no", x)
            return x

        def outer(x):
            try:
                check(x)
            except Refused as error:
                raise KeyError("k") from error

        def main():
            check(1)
            try:
                outer(-1)
            except KeyError:
                pass
    """)
    (_, returned), (_, raised) = spool.calls("check")
    assert returned[0] == "R" and raised[0] == "X"
    assert raised.error[1] == "exc" and raised.error[3:] == ("app", "Refused", ("no", -1), {})
    assert raised.mro == (
        "app:Refused", "builtins:ValueError", "builtins:Exception", "builtins:BaseException"
    )  # fmt: skip
    assert raised.line == 7
    _, outer = spool.one("outer")
    assert outer.mro[0] == "builtins:KeyError" and outer.line == 14
    assert outer.cause == raised.error[2]
    assert spool.counts("check")[2:4] == (2, 1)


EVERYTHING = """
    import contextlib
    import functools
    import math as m

    def plain(x):
        "doc"
        return x

    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(*args)
        return wrapper

    @decorate
    def decorated(x):
        return x + 1

    @functools.lru_cache(maxsize=None)
    def cached(x):
        return x * 2

    @contextlib.contextmanager
    def managed():
        yield 1

    class Base:
        def __init__(self, x=0):
            self.x = x

        def __new__(cls, *args):
            return super().__new__(cls)

        def __init_subclass__(cls):
            super().__init_subclass__()

        @property
        def double(self):
            return self.x * 2

        @double.setter
        def double(self, value):
            self.x = value // 2

        @staticmethod
        def static(x):
            return x

        @classmethod
        def make(cls, x):
            return cls(x)

        @functools.cached_property
        def late(self):
            return self.x

        def __eq__(self, other):
            return self.x == other.x

        class Inner:
            def deep(self):
                return "deep"

        def __private(self):
            return 3

        def calls_private(self):
            return self.__private()

    class Child(Base):
        def __init__(self, x):
            super().__init__(x)

    def closure(n):
        def inner(x):
            return x + n
        class Local:
            def method(self):
                return n
        return inner, Local

    def declares():
        global made_global
        def made_global():
            return "g"
        return made_global()

    def default(x, y=[plain(1) for _ in (1,)]):
        return [plain(i) for i in range(2)], (lambda v: v)(1), {plain(k): k for k in (5,)}

    def main():
        plain(0); decorated(1); cached(2); cached(2)
        with managed() as value:
            plain(value)
        child = Child(3)
        child.double; child.double = 10; child.static(1); Child.make(2); child.late; child.late
        child == Base(4); Base.Inner().deep(); child.calls_private()
        inner, local = closure(5)
        inner(6); local().method(); declares(); default(1)
"""

NAMES = {
    "plain", "decorate", "decorate.<locals>.wrapper", "decorated", "cached", "managed", "Base.__init__",
    "Base.__new__", "Base.__init_subclass__", "Base.double", "Base.static", "Base.make", "Base.late", "Base.__eq__",
    "Base.Inner.deep", "Base._Base__private", "Base.calls_private", "Child.__init__", "closure",
    "closure.<locals>.inner", "closure.<locals>.Local.method", "made_global", "declares", "default", "main",
}  # fmt: skip


def test_every_kind_of_function_under_the_same_names(program):
    spool = program.main(EVERYTHING)
    functions = spool.functions()
    assert set(functions) == {n.replace("_Base__private", "__private") for n in NAMES}
    flags = {name: f[5] for name, f in functions.items()}
    assert flags["managed"] == 1
    assert flags["closure.<locals>.inner"] == 8
    assert flags["closure.<locals>.Local.method"] == 8 | 16
    assert flags["Base.static"] == 0 and flags["Base.__new__"] == 0 and flags["decorated"] == 0
    for name in ("Base.__init__", "Base.double", "Base.make", "Base.late", "Base.__private", "Base.__init_subclass__"):
        assert flags[name] == 16, name
    assert len(spool.calls("cached")) == 1
    assert [e.value for _, e in spool.calls("Base.double")] == [6, None]
    assert spool.one("decorated")[1].value == 2
    assert functions["decorated"][4] == 16  # the decorator's line
    assert functions["plain"][4] == 6


def test_a_script_is_recorded_as_main(program):
    program.write("app.py", EVERYTHING + '\n    if __name__ == "__main__":\n        main()\n')
    spool = program.record("app.py")
    assert set(spool.functions()) == {n.replace("_Base__private", "__private") for n in NAMES}
    assert {m[2:4] for m in spool.of("M")} == {("__main__", "app.py")}
    assert len(spool.of("M")[0][4]) == 64


def test_running_a_module(program):
    program.write("pkg/__init__.py", "")
    program.write("pkg/work.py", "def work(x):\n    return x\n")
    program.write("pkg/__main__.py", "from .work import work\ndef main():\n    return work(1)\nmain()\n")
    spool = program.record("-m", "pkg")
    modules = {("__main__", "pkg/__main__.py"), ("pkg.work", "pkg/work.py"), ("pkg", "pkg/__init__.py")}
    assert {m[2:4] for m in spool.of("M")} == modules
    assert [m[3] for m in spool.of("M") if not m[4]] == ["pkg/__init__.py"], "it has no function, and was loaded"
    assert spool.parent_of(spool.one("work")[0]) == "main"


def test_command_and_from_imports(program):
    program.write("lib.py", "def f(x):\n    return x\n")
    spool = program.record("-c", "from lib import f\nf(1)\nimport lib\nlib.f('a')\n")
    (one, _), (two, _) = spool.calls("f")
    assert one.args == (1,) and two.args == ("a",)
    assert one.direct and one.caller is None and one.line is None


def test_executed_source_of_a_project_file(program):
    program.write("plugin.py", "def plug(x):\n    return x + 1\n\nRESULT = plug(1)\n")
    spool = program.main("""
        def main():
            space = {"__name__": "loaded"}
            with open("plugin.py") as stream:
                exec(compile(stream.read(), "plugin.py", "exec"), space)
            assert space["RESULT"] == 2
    """)
    call, end = spool.one("plug")
    assert (call.args, end.value) == ((1,), 2)
    assert ("loaded", "plugin.py") in {m[2:4] for m in spool.of("M")}


def test_objects_keep_their_ordinals(program):
    spool = program.main("""
        class Cart:
            def __init__(self, items):
                self.items = items

            def total(self):
                return sum(self.items)

        class Bare:
            __slots__ = ("x",)

            def set(self, x):
                self.x = x

        def main():
            one, two = Cart([1]), Cart([2])
            two.total()
            one.total()
            bare = Bare()
            bare.set(1)
            bare.set(2)
    """)
    (one, _), (two, _) = spool.calls("Cart.__init__")
    assert one.receiver != two.receiver and one.args[0][1:] == ("obj", one.receiver, "app", "Cart", "plain", {})
    assert [c.receiver for c, _ in spool.calls("Cart.total")] == [two.receiver, one.receiver]
    objects = {o[1]: o for o in spool.of("O")}
    assert objects[one.receiver][2:] == ("app", "Cart", one.cid)
    assert spool.calls("Cart.__init__")[0][1].changed["self"][-1] == {"items": [1]}
    (first, _), (second, _) = spool.calls("Bare.set")
    assert first.receiver == second.receiver
    assert second.args[0][-1] == {"x": 1}
    assert objects[first.receiver][4] is None


def test_direct_calls_come_from_outside_the_project(program):
    """R30: which calls people make, and which the project's own code does."""
    program.write("lib.py", "def f(x):\n    return x\n\ndef g(x):\n    return f(x)\n")
    program.write("test_lib.py", textwrap.dedent("""
        import functools
        from lib import f, g

        def test_f():
            assert f(1) == 1
            assert g(2) == 2
    """))  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider")
    (direct, _), (inner, _) = spool.calls("f")
    assert direct.direct and direct.caller is None and direct.line == 6
    assert not inner.direct and spool.name_of(inner.caller) == "g" and inner.line == 5
    assert {f[3] for f in spool.of("F")} == {"f", "g"}
    assert [(spool.name_of(a), spool.name_of(b)) for _, a, b in spool.of("D")] == [("g", "f")]


def test_other_code_is_not_recorded(program):
    code = "def f():\n    pass\nf()\n"
    for name in ("env/pyvenv.cfg", "env/lib/a1.py", "site-packages/a2.py", "build/a3.py", "node_modules/a4.py"):
        program.write(name, code if name.endswith("py") else "")
    program.write("a5.py", code)
    program.write(
        "main.py",
        """
        import sys
        sys.path[:0] = ["env/lib", "site-packages", "build", "node_modules"]
        import a1, a2, a3, a4, a5
    """,
    )
    spool = program.record("main.py", PYTEAD_EXCLUDE=str(program.root / "build"))
    assert {m[3] for m in spool.of("M")} == {"a5.py", "main.py"}  # the latter only as its importer


def test_targets(program):
    program.write("shop/__init__.py", "")
    program.write(
        "shop/cart.py",
        """
        class Cart:
            def total(self):
                return helper()

        def helper():
            return 1
    """,
    )
    program.write("main.py", "def main():\n    from shop.cart import Cart\n    return Cart().total()\nmain()\n")
    cases = {
        "shop.cart:Cart.total": {"Cart.total"},
        "shop.cart.Cart.total": {"Cart.total"},
        "shop.cart": {"Cart.total", "helper"},
        "shop.*:h*": {"helper"},
        "main:main\nshop.cart.Cart": {"main", "Cart.total"},
        "nothing": set(),
    }
    for targets, expected in cases.items():
        for path in program.spool.iterdir():
            path.unlink()
        assert set(program.record("main.py", PYTEAD_TARGETS=targets).functions()) == expected, targets


def test_a_symbolic_link_to_the_project(program, tmp_path):
    program.write("lib.py", "def f():\n    return 1\n")
    link = tmp_path / "link"
    link.symlink_to(program.root)
    spool = program.record(
        "-c", f"import sys; sys.path.insert(0, {str(link)!r}); sys.path.remove(''); import lib; lib.f()"
    )
    assert spool.one("f")[1].value == 1


def test_modules_name_the_one_that_imported_them_first(program):
    program.write("pkg/__init__.py", "from . import late\n")
    program.write("pkg/late.py", "def f():\n    import other\n    return other.g()\n")
    program.write("other.py", "def g():\n    return 1\n")
    program.write("main.py", "import pkg.late\ndef main():\n    return pkg.late.f()\nmain()\n")
    spool = program.record("main.py")
    names = {m[1]: m[2] for m in spool.of("M")}
    assert {m[2]: names.get(m[5]) for m in spool.of("M")} == {
        "__main__": None, "pkg": "__main__", "pkg.late": "pkg", "other": "pkg.late"
    }  # fmt: skip


STATUSES = {
    "pass": 0, "raise KeyError": 1, "sys.exit(7)": 7, "sys.exit('text')": 1, "sys.exit()": 0, "sys.exit(-1)": 255,
    "raise SystemExit": 0, "call(sys.exit, 3)": 0,
}  # fmt: skip


@pytest.mark.parametrize("end", STATUSES)
def test_the_exit_status_is_told_where_it_is_known(program, end):
    program.write("app.py", f"""
        import sys

        def f(x):
            return x

        def call(what, x):
            try:
                what(x)
            except SystemExit:
                pass

        f(1)
        {end}
    """)  # fmt: skip
    done = program.run("app.py")
    assert done.returncode == STATUSES[end]
    told = [z[1] for z in program.read().of("Z")]
    if sys.version_info >= (3, 12) or "KeyError" in end:
        assert told == [done.returncode]
    else:
        assert told == [None]


def test_inputs_that_are_equal_and_not_the_same_are_kept_apart(program):
    spool = program.main("""
        def f(x):
            return x

        def main():
            for _ in range(3):
                for x in (1, True, 1.0, (1, 2), [1, 2], 0, False, 0.0, -0.0, "1", b"1", {1: 2}, {True: 2}):
                    f(x)
    """)
    kept = [repr(c.args[0]) for c, _ in spool.calls("f")]
    assert kept == ["1", "True", "1.0", "(1, 2)", "[1, 2]", "0", "False", "0.0", "-0.0", "'1'", "b'1'", "{1: 2}", "{True: 2}"]
    assert spool.counts("f")[2] == 39


def test_what_left_the_process_is_kept_each_time_below_its_caller(program):
    spool = program.main("""
        import subprocess, sys

        def ask(word):
            return subprocess.check_output([sys.executable, "-c", "print(3)"], text=True).strip()

        def twice(word):
            return ask(word) + ask(word)

        def main():
            twice("a"), twice("b"), ask("a")
    """)
    callers = {c.cid: c.args[0] for c, _ in spool.calls("twice")}
    assert [(callers.get(c.parent), c.args[0]) for c, _ in spool.calls("ask")] == [
        ("a", "a"), ("a", "a"), ("b", "b"), ("b", "b"), (None, "a"),
    ]  # fmt: skip
