"""Every kind of value becomes the tree of docs/spool.md, and no code of the program runs for it."""

import sys

import pytest

S = StopIteration

HEAD = """
import array, collections, dataclasses, datetime, decimal, enum, fractions, functools, io, ipaddress, logging
import pathlib, re, sys, threading, time, types, typing, uuid, zoneinfo

class Color(enum.Enum):
    RED = 1

class Flag(enum.IntFlag):
    A = 1
    B = 2

class Level(enum.IntEnum):
    LOW = 1

Pair = collections.namedtuple("Pair", "left right")

class Typed(typing.NamedTuple):
    name: str
    password: str

class Text(str):
    pass

class Kind(tuple):
    def __getattr__(self, name):
        raise RuntimeError("ours")

KIND = Kind((1,))
KIND.Below = Kind((2,))
KIND.Below.parent = KIND
KIND.Below.Deep = Kind((3,))

class Sequence(list):
    def __iter__(self):
        raise RuntimeError("ours")

class Mapping(dict):
    def items(self):
        raise RuntimeError("ours")

@dataclasses.dataclass
class Data:
    x: int
    y: list

class Slotted:
    __slots__ = ("a", "_b", "unset", "__weakref__")
    def __init__(self):
        self.a, self._b = 1, 2

class SlottedChild(Slotted):
    __slots__ = ("c",)
    def __init__(self):
        super().__init__()
        self.c = 3

class Mixed(Slotted):
    def __init__(self):
        super().__init__()
        self.z = 4

class Generic(typing.Generic[typing.TypeVar("T")]):
    def __init__(self):
        self.item = 1

class Node:
    def __init__(self, next=None):
        self.next = next

class Sentinel:
    pass

MISSING = Sentinel()
UNIQUE = object()

class Problem(Exception):
    def __init__(self, code):
        super().__init__("problem", code)
        self.code = code

def function():
    pass

def numbers(a, b=2):
    yield a

def cycle():
    node = Node()
    node.next = node
    return node

def ring():
    made = [1]
    made.append(made)
    return made

def twice():
    shared = [1]
    return [shared, shared]

def alias():
    node = Node()
    return [node, node]

def f(value):
    return None

def main():
    f(VALUE)
"""


def obj(n, name, fields, kind="plain", module="app"):
    return (S, "obj", n, module, name, kind, fields)


def new(module, name, *args, **kwargs):
    return (S, "new", module, name, args, kwargs)


CASES = [
    ("[None, True, 1, 1.5, 1j, 'x', b'x', ...]", [None, True, 1, 1.5, 1j, "x", b"x", ...]),
    ("(1, ('a', [2]))", (1, ("a", [2]))),
    ("{1, 2}", {1, 2}),
    ("frozenset({(1, 2)})", frozenset({(1, 2)})),
    ("{'a': [1], (1, 2): {}}", {"a": [1], (1, 2): {}}),
    ("'\\udc80'", "\udc80"),
    ("2 ** 200", 2**200),
    ("NotImplemented", (S, "name", "builtins", "NotImplemented")),
    ("Color.RED", (S, "enum", "app", "Color", "RED", 1)),
    ("Level.LOW", (S, "enum", "app", "Level", "LOW", 1)),
    ("Flag.A | Flag.B", (S, "enum", "app", "Flag", "A|B", 3)),
    ("Pair(1, 'r')", (S, "nt", "app", "Pair", ("left", "right"), (1, "r"))),
    ("Typed('n', 'hidden')", (S, "nt", "app", "Typed", ("name", "password"), ("n", (S, "secret", "password", 1, "str", 1)))),
    ("Text('t')", (S, "sub", 1, "app", "Text", "t", {})),
    ("Sequence([1, 2])", (S, "sub", 1, "app", "Sequence", [1, 2], {})),
    ("Mapping(a=1)", (S, "sub", 1, "app", "Mapping", {"a": 1}, {})),
    ("Data(1, [2])", obj(1, "Data", {"x": 1, "y": [2]}, "dataclass")),
    ("Slotted()", obj(1, "Slotted", {"a": 1, "_b": 2})),
    ("SlottedChild()", obj(1, "SlottedChild", {"a": 1, "_b": 2, "c": 3})),
    ("Mixed()", obj(1, "Mixed", {"z": 4, "a": 1, "_b": 2})),
    ("Generic()", obj(1, "Generic", {"item": 1})),
    ("cycle()", obj(1, "Node", {"next": (S, "ref", 1)})),
    ("alias()", [obj(1, "Node", {"next": None}), (S, "ref", 1)]),
    ("ring()", (S, "mut", 1, [1, (S, "ref", 1)])),
    ("twice()", [(S, "mut", 1, [1]), (S, "ref", 1)]),
    ("MISSING", (S, "name", "app", "MISSING")),
    ("UNIQUE", (S, "name", "app", "UNIQUE")),
    ("object()", (S, "opaque", 1, "builtins", "object")),
    ("function", (S, "name", "app", "function")),
    ("Node", (S, "name", "app", "Node")),
    ("Node.__init__", (S, "name", "app", "Node.__init__")),
    ("len", (S, "name", "builtins", "len")),
    ("str.upper", (S, "name", "builtins", "str.upper")),
    ("int", (S, "name", "builtins", "int")),
    ("collections", (S, "name", "collections", "")),
    ("lambda: 1", new("builtins", "eval", "lambda: 1")),
    ("Node().__init__", (S, "method", obj(1, "Node", {"next": None}), "__init__")),
    ("[1].append", (S, "method", [1], "append")),
    ("functools.partial(function, 1, password='p')",
     (S, "partial", (S, "name", "app", "function"), (1,), {"password": (S, "secret", "password", 1, "str", 1)})),
    ("numbers([1])", (S, "gen", "app", "numbers", {"a": [1], "b": 2})),
    ("Problem(7)", (S, "exc", 1, "app", "Problem", ("problem", 7), {"code": 7})),
    ("KeyError('k')", (S, "exc", 1, "builtins", "KeyError", ("k",), {})),
    ("FileNotFoundError(2, 'No', 'f')", (S, "exc", 1, "builtins", "FileNotFoundError", (2, "No", "f"), {})),
    ("datetime.datetime(2024, 1, 2, 3, 4, 5, 6)", new("datetime", "datetime", 2024, 1, 2, 3, 4, 5, 6)),
    ("datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc, fold=1)",
     new("datetime", "datetime", 2024, 1, 2, 0, 0, 0, 0,
         new("datetime", "timezone", new("datetime", "timedelta", 0, 0, 0)), fold=1)),
    ("datetime.date(2024, 1, 2)", new("datetime", "date", 2024, 1, 2)),
    ("datetime.time(1, 2)", new("datetime", "time", 1, 2, 0, 0)),
    ("datetime.timedelta(1, 2, 3)", new("datetime", "timedelta", 1, 2, 3)),
    ("zoneinfo.ZoneInfo('UTC')", new("zoneinfo", "ZoneInfo", "UTC")),
    ("decimal.Decimal('1.10')", new("decimal", "Decimal", "1.10")),
    ("fractions.Fraction(1, 3)", new("fractions", "Fraction", 1, 3)),
    ("uuid.UUID(int=5)", new("uuid", "UUID", "00000000-0000-0000-0000-000000000005")),
    ("pathlib.Path('a') / 'b'", new("pathlib", "PosixPath", "a/b")),
    ("pathlib.PureWindowsPath('c:/x')", new("pathlib", "PureWindowsPath", "c:\\x")),
    ("range(1, 9, 2)", new("builtins", "range", 1, 9, 2)),
    ("range(2 ** 70)", new("builtins", "range", 0, 2**70, 1)),
    ("iter(range(2 ** 70))", new("builtins", "iter", new("builtins", "range", 0, 2**70, 1))),
    ("slice(1, None)", new("builtins", "slice", 1, None, None)),
    ("bytearray(b'ab')", new("builtins", "bytearray", b"ab")),
    ("collections.deque([1], 3)", new("collections", "deque", [1], 3)),
    ("collections.Counter('aab')", new("collections", "Counter", {"a": 2, "b": 1})),
    ("collections.OrderedDict(a=1)", new("collections", "OrderedDict", {"a": 1})),
    ("collections.defaultdict(list, a=[1])",
     new("collections", "defaultdict", (S, "name", "builtins", "list"), {"a": [1]})),
    ("re.compile('a+', re.I)", new("re", "compile", "a+", 2)),
    ("re.search('(b)(c)?', 'abd')",
     new("re", "match", new("re", "compile", "(b)(c)?"), "abd", ((1, 2), (1, 2), (-1, -1)))),
    ("ipaddress.ip_address('10.0.0.1')", new("ipaddress", "IPv4Address", "10.0.0.1")),
    ("ipaddress.ip_network('10.0.0.0/8')", new("ipaddress", "IPv4Network", "10.0.0.0/8")),
    ("types.SimpleNamespace(a=1)", obj(1, "SimpleNamespace", {"a": 1}, module="types")),
    ("array.array('i', [1, 2])", new("array", "array", "i", [1, 2])),
    ("types.MappingProxyType({'a': 1})", new("types", "MappingProxyType", {"a": 1})),
    ("memoryview(b'abc')", new("builtins", "memoryview", b"abc")),
    ("io.StringIO('text')", (S, "file", "StringIO", "text", 0)),
    ("io.BytesIO(b'text')", (S, "file", "BytesIO", b"text", 0)),
    ("time.gmtime(0)", new("time", "struct_time", (1970, 1, 1, 0, 0, 0, 3, 1, 0))),
    ("logging.getLogger('a.b')", new("logging", "getLogger", "a.b")),
    ("threading.Lock()", new("threading", "Lock")),
    ("threading.Thread()", (S, "opaque", 1, "threading", "Thread")),
    ("open('/dev/null')", (S, "opaque", 1, "_io", "TextIOWrapper")),
    ("{Color.RED: 1}", {(S, "enum", "app", "Color", "RED", 1): 1}),
    ("{Node(): 1}", new("builtins", "dict", [(obj(1, "Node", {"next": None}), 1)])),
    ("KIND", (S, "name", "app", "KIND")),
    ("KIND.Below.Deep", (S, "name", "app", "KIND.Below.Deep")),
    ("Kind((3,))", (S, "sub", 1, "app", "Kind", (3,), {})),
    ("list[int]", new("operator", "getitem", (S, "name", "builtins", "list"), (S, "name", "builtins", "int"))),
    ("typing.Dict[str, int]", new("operator", "getitem", (S, "name", "typing", "Dict"),
                                  ((S, "name", "builtins", "str"), (S, "name", "builtins", "int")))),
    ("typing.Literal['a']", new("operator", "getitem", (S, "name", "typing", "Literal"), "a")),
    ("int | None", new("operator", "or_", (S, "name", "builtins", "int"), None)),
    ("{Pair(1, 2)}", {(S, "nt", "app", "Pair", ("left", "right"), (1, 2))}),
]  # fmt: skip


def written(program, expression, **extra):
    spool = program.main(HEAD.replace("VALUE", expression), **extra)
    return spool.one("f")[0].args[0]


@pytest.mark.parametrize(("expression", "expected"), CASES, ids=[c[0][:40] for c in CASES])
def test_value(program, expression, expected):
    # Objects made on the way there may have taken the first ordinals.
    assert renumbered(written(program, expression)) == renumbered(expected)


def test_a_function_behind_decorators_and_a_class_of_a_function_have_names(program):
    spool = program.main("""
        import functools

        def counted(function):
            @functools.wraps(function)
            def counting(*args):
                return function(*args)
            return counting

        @counted
        @counted
        def double(n):
            return n * 2

        def take(*given):
            return len(given)

        def main():
            class Local:
                pass
            take(double, double.__wrapped__, double.__wrapped__.__wrapped__, Local)
    """)
    ((call, _),) = spool.calls("take")
    first = ("name", "app", "double")
    assert call.args[0][0][1:] == first
    assert call.args[0][1][1:] == ("name", "app", "double.__wrapped__")
    assert call.args[0][2][1:] == ("name", "app", "double.__wrapped__.__wrapped__")
    assert call.args[0][3][1:] == ("name", "app", "main.<locals>.Local")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="written as the union of its parts from there on")
def test_what_stands_for_nothing_in_a_class_has_the_name_it_stands_under(program):
    spool = program.main("""
        class Nothing:
            pass

        class Box:
            __none = Nothing()
            plain = object()

            def pop(self, key, default=__none, other=plain):
                return key

        def main():
            Box().pop(1), Box().pop(2, Nothing(), object())
    """)
    first, second = (call.args[2:] for call, _ in spool.calls("Box.pop"))
    assert first == ((S, "name", "app", "Box._Box__none"), (S, "name", "app", "Box.plain"))
    assert [tree[1] for tree in second] == ["obj", "opaque"]


def test_an_optional_type(program):
    union, integer = (S, "name", "typing", "Union"), (S, "name", "builtins", "int")
    assert written(program, "typing.Optional[int]") == new("operator", "getitem", union, (integer, None))


def test_a_lambda_of_a_module_with_future_annotations(program):
    spool = program.main("""
        from __future__ import annotations

        def f(key=lambda item: -item):
            return None

        def main():
            f()
    """)
    assert spool.one("f")[0].args[0] == new("builtins", "eval", "lambda item: -item")


def test_two_lambdas_on_one_line(program):
    tree = written(program, "[lambda item: -item, lambda item: [item]]")
    assert tree == [new("builtins", "eval", "lambda item: -item"), new("builtins", "eval", "lambda item: [item]")]


def renumbered(tree, seen=None):
    seen = {} if seen is None else seen
    if type(tree) is tuple and tree and tree[0] is S and tree[1] in ("obj", "sub", "ref", "mut", "exc", "opaque"):
        number = seen.setdefault(tree[2], len(seen) + 1)
        return (*tree[:2], number, *(renumbered(x, seen) for x in tree[3:]))
    if type(tree) in (list, tuple):
        return type(tree)(renumbered(x, seen) for x in tree)
    if type(tree) is dict:
        return {k: renumbered(v, seen) for k, v in tree.items()}
    return tree


def test_cut_texts(program):
    tree = written(program, "'a' * 4097")
    assert tree[:4] == (S, "cut", "str", 4097)
    assert tree[4] == "a" * 256 and tree[5] == "a" * 64 and len(tree[6]) == 16
    assert written_again(program, "['x' * 4000] * 9")[-1][1] == "cut"


def written_again(program, expression):
    for path in program.spool.iterdir():
        path.unlink()
    return written(program, expression)


def test_cut_containers(program):
    assert written(program, "list(range(5000))") == (S, "cut", "list", 5000, [0, 1, 2], [], "")
    deep = written_again(program, "functools.reduce(lambda a, _: [a], range(100), 0)")
    for _ in range(41):
        (deep,) = deep
    assert deep[:3] == (S, "cut", "list")


WEIRD = """
    def boom(*args, **kwargs):
        print("user code ran")
        raise RuntimeError("user code ran")

    class Meta(type):
        __hash__ = __eq__ = __getattribute__ = __instancecheck__ = __subclasscheck__ = __repr__ = boom

    TRAPS = {n: boom for n in (
        "__repr__ __str__ __eq__ __hash__ __getattr__ __getattribute__ __len__ __iter__ __bool__ __contains__ "
        "__getitem__ __reduce__ __reduce_ex__ __dir__ __sizeof__ __format__ __lt__ __int__ __index__ __float__ "
        "__getstate__ __copy__ __deepcopy__ keys items values"
    ).split()}

    plain = type("Plain", (), dict(TRAPS))
    meta = type.__call__(Meta, "WithMeta", (), {})
    lies = type("Lies", (), dict(TRAPS, __class__=property(lambda self: boom())))
    hides = type("Hides", (), dict(TRAPS, __dict__=property(boom)))
    text = type("Text", (str,), dict(TRAPS))
    number = type("Number", (int,), {k: v for k, v in TRAPS.items() if k != "__getattribute__"})
    many = type("Many", (list,), dict(TRAPS))
    table = type("Table", (dict,), dict(TRAPS))
    bag = type("Bag", (set,), dict(TRAPS))
    pair = type("Pair", (tuple,), dict(TRAPS))
    error = type("Error", (Exception,), {k: v for k, v in TRAPS.items() if k != "__getattribute__"})
    half = plain.__new__(plain)

    class Prop:
        @property
        def value(self):
            boom()

    def f(x):
        return x

    def g(x):
        raise x

    def main():
        values = [plain(), meta.__new__(meta) if False else object.__new__(meta), lies(), hides(), text("t"),
                  number(1), many([1]), table(a=1), bag([1]), pair((1,)), error("e"), half, Prop(), meta]
        for value in values:
            f(value)
            f([value])
            f({"k": value})
        try:
            g(error("raised"))
        except Exception:
            pass
        print("done")
"""


def test_weird_classes_run_no_code(program):
    program.write("app.py", WEIRD)
    program.write("main.py", "import app\napp.main()\n")
    done = program.same("main.py")
    assert done.stdout == "done\n" and done.stderr == ""
    spool = program.read(done)
    calls = spool.calls("f")
    assert len(calls) >= 30 and all(end for _, end in calls)
    assert spool.one("g")[1].error[3:6] == ("app", "Error", ("raised",))


def test_attrs(program):
    pytest.importorskip("attr")
    tree = written(program, "__import__('attr').make_class('A', ['x'])(1)")
    assert tree[4:] == ("A", "attrs", {"x": 1})


def test_pydantic(program):
    pytest.importorskip("pydantic")
    tree = written(program, "__import__('pydantic').create_model('P', x=(int, ...))(x=1)")
    assert tree[4:] == ("P", "pydantic", {"x": 1})


ZONES = [
    ("pytz.UTC", new("pytz", "timezone", "UTC")),
    ("pytz.timezone('Etc/GMT+3')", new("pytz", "timezone", "Etc/GMT+3")),
    ("pytz.timezone('Europe/Berlin')", new("pytz", "timezone", "Europe/Berlin")),
    ("pytz.FixedOffset(90)", new("pytz", "FixedOffset", 90)),
    ("pytz.timezone('Europe/Berlin').localize(datetime.datetime(2014, 4, 9)).tzinfo",
     new("pytz", "_p", "Europe/Berlin", 7200, 3600, "CEST")),
    ("pytz.timezone('Europe/Berlin').localize(datetime.datetime(2014, 4, 9))",
     new("pytz.tzinfo", "DstTzInfo.localize", new("pytz", "timezone", "Europe/Berlin"),
         new("datetime", "datetime", 2014, 4, 9, 0, 0, 0, 0))),
    ("pytz.timezone('Europe/Berlin').localize(datetime.datetime(2014, 10, 26, 2, 30), is_dst=True)",
     new("pytz.tzinfo", "DstTzInfo.localize", new("pytz", "timezone", "Europe/Berlin"),
         new("datetime", "datetime", 2014, 10, 26, 2, 30, 0, 0), is_dst=True)),
    ("datetime.datetime(9999, 12, 31, 12, tzinfo=pytz.timezone('Europe/Berlin'))",
     new("datetime", "datetime", 9999, 12, 31, 12, 0, 0, 0, new("pytz", "timezone", "Europe/Berlin"))),
    ("dateutil.tz.tzutc()", new("dateutil.tz", "tzutc")),
    ("dateutil.tz.tzoffset('x', -3600)", new("dateutil.tz", "tzoffset", "x", -3600)),
    ("dateutil.tz.gettz('Europe/Berlin')", new("dateutil.tz", "gettz", "Europe/Berlin")),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), ZONES, ids=[text for text, _ in ZONES])
def test_zones_are_what_people_write_for_them(program, expression, expected):
    pytest.importorskip("pytz")
    pytest.importorskip("dateutil")
    imports = ", ".join(f"__import__({name!r})" for name in ("datetime", "pytz", "dateutil.tz"))
    assert written(program, f"(lambda datetime, pytz, dateutil: {expression})({imports})") == expected


def test_every_value_past_the_budget_has_a_form_that_readers_know(program):
    spool = program.main("""
        import collections, datetime, decimal, enum, functools, io, operator, pathlib, types, uuid

        Pair = collections.namedtuple("Pair", "a b")
        Colour = enum.Enum("Colour", "RED")

        class Plain:
            pass

        many = lambda: [  # not recorded
            functools.partial(print), functools.partial(sorted, [1], key=len), Pair(1, 2), Colour.RED, Plain(),
            datetime.date(2024, 1, 2), decimal.Decimal(1), pathlib.PurePath("x"), uuid.UUID(int=1), range(3),
            ValueError("x", 1), {1: 2}, {3}, frozenset((4,)), bytearray(b"x"), io.StringIO("x"), [].append,
            collections.deque((1,)), collections.OrderedDict(a=1), collections.Counter("a"), len, iter([1]),
            operator.itemgetter(1), types.SimpleNamespace(a=1), types.MappingProxyType({}), slice(1), (1, 2), "x",
        ]

        def f(values):
            return None

        def main():
            for kind in range(len(many())):
                for before in range(6):
                    f([["x"] * before] + [[many()[kind] for _ in range(12)] for _ in range(6)])
    """, PYTEAD_MODE="journey")  # fmt: skip
    seen = []
    for record in spool.records:
        check(record[1:], seen)
    assert {"partial", "cut", "nt", "enum", "exc", "new", "file"} <= set(seen)


# Of each tag, the kinds of its parts; a `*` is any value, a `+` a tuple of values.
FORMS = {
    "obj": "i s s s d", "sub": "i s s * d", "ref": "i", "mut": "i *", "name": "s s", "enum": "s s n *", "nt": "s s + +",
    "new": "s s + d", "exc": "i s s + d", "gen": "s s d", "partial": "* + d", "method": "* s", "file": "s * i",
    "ndarray": "s + +", "secret": "s i s i", "cut": "s m * * s", "opaque": "i s s",
}  # fmt: skip
KINDS = {"i": (int,), "s": (str,), "n": (str, type(None)), "m": (int, type(None)), "d": (dict,), "+": (tuple, list)}


def check(tree, seen):
    """Asserts that a tree has the form of docs/spool.md."""
    if type(tree) is tuple and tree[:1] == (StopIteration,):
        tag, *parts = tree[1:]
        seen.append(tag)
        form = FORMS[tag].split()
        assert len(parts) == len(form), tree
        for part, kind in zip(parts, form):
            assert kind == "*" or type(part) in KINDS[kind], tree
            assert kind != "+" or part[:1] != (StopIteration,), tree
            assert kind != "d" or all(type(name) is str for name in part), tree
        tree = parts
    assert tree is not StopIteration, "a mark stands outside a tagged tuple"
    if type(tree) in (tuple, list, set, frozenset, dict):
        for part in [*tree, *tree.values()] if type(tree) is dict else tree:
            check(part, seen)


def test_tuples_whose_names_do_not_fit(program):
    spool = program.main("""
        import collections, functools, zoneinfo

        Point = collections.namedtuple("Point", "x y")

        class Place(Point):
            _fields = Point._fields + ("label",)

        class Row(tuple):
            _fields = ("x", "y")

        class Twice(tuple):
            _fields = ("x", "x")

        class Text(str):
            pass

        Wide = collections.namedtuple("Wide", [f"f{i}" for i in range(3000)])

        def f(x):
            return x

        def odd():
            made = functools.partial(f)
            made.__setstate__((f, (), {Text("a"): 1}, {}))
            return made

        def main():
            f(Place(1, 2))
            f(Row((1, 2, 3)))
            f(Row((1, 2)))
            f(Twice((1, 2)))
            f(Wide(*range(3000)))
            f(zoneinfo.ZoneInfo(Text("UTC")))
            f(odd())
    """)  # fmt: skip
    trees = [c.args[0] for c, _ in spool.calls("f")]
    assert [tree[1] for tree in trees] == ["sub", "sub", "nt", "sub", "cut", "opaque", "opaque"]
    assert [trees[i][5] for i in (0, 1, 3)] == [(1, 2), (1, 2, 3), (1, 2)]
    assert trees[2][4:] == (("x", "y"), (1, 2))
