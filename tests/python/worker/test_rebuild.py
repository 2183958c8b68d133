"""What the recorder captures is made again: captured once more it is the same tree."""

import array
import asyncio
import builtins
import collections
import datetime
import decimal
import enum
import fractions
import functools
import io
import ipaddress
import logging
import marshal
import pathlib
import re
import sqlite3
import sys
import threading
import types
import uuid
import zoneinfo

import pytest
import shapes

from pytead_tui.recorder import known, values  # noqa: F401
from pytead_tui.recorder.databases import listen
from pytead_tui.recorder.objects import Objects
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.rebuild import TAG, Builder


def capture(value):
    trees, walk = values.capture(Objects(), values.CALLS, (value,))
    return trees[0], values.normal(marshal.dumps(trees[0], 2), walk.marks)


def again(value):
    """Makes a value again from what went over the wire, and proves that it looks the same."""
    tree, blob = capture(value)
    made = Builder().value(marshal.loads(marshal.dumps(tree, 2)))
    assert capture(made)[1] == blob, (tree, capture(made)[0])
    assert type(made) is type(value)
    return made


def slotted(cls, **state):
    made = object.__new__(cls)
    for name, value in state.items():
        setattr(made, name, value)
    return made


def node_loop():
    first, second = shapes.Node(), shapes.Node()
    first.next, second.next = second, first
    return first


def list_loop():
    loop: list = [1]
    loop.append(loop)
    return loop


def error():
    made = shapes.MyError(4, hint=["x"])
    made.args = ("changed", 4)
    return made


SIMPLE = [
    None, True, 0, -(2**80), 1.5, float("inf"), 2 + 3j, "", "ünï\ud800", b"\0", ..., [1, [2]], (1, (2,)), {1, 2},
    frozenset({"a"}), {"a": {"b": 1}, (1, 2): None}, bytearray(b"abc"), range(1, 9, 2), slice(1, None, 2),
    decimal.Decimal("1.10"), fractions.Fraction(1, 3), uuid.UUID(int=7), pathlib.PurePosixPath("/a/b"),
    pathlib.Path("x"), datetime.date(2024, 2, 29), datetime.time(1, 2, tzinfo=datetime.timezone.utc),
    datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone(datetime.timedelta(hours=2), "X")),
    datetime.datetime(2024, 10, 27, 2, 30, fold=1, tzinfo=zoneinfo.ZoneInfo("UTC")), datetime.timedelta(-1, 2, 3),
    collections.deque([1, 2], 5), collections.Counter("aab"), collections.OrderedDict(b=1, a=2),
    collections.defaultdict(list, a=[1]), re.compile("a.b", re.I), re.compile(b"x"),
    re.search("(b)(c)?", "abd"), re.search(b"x$", b"axx"), array.array("i", [1, 2]),
    types.SimpleNamespace(a=1, b=[2]), types.MappingProxyType({"a": 1}), ipaddress.IPv4Address("10.0.0.1"),
    ipaddress.ip_network("10.0.0.0/8"), logging.getLogger("shop.x"),
    shapes.Color.RED, shapes.Mode.READ, shapes.Mode.READ | shapes.Mode.WRITE, shapes.Count.ONE,
    shapes.Point(1, [2]), shapes.Typed(1), shapes.Item("a", ["t"]), shapes.Frozen(1),
    ValueError("no", 3), KeyError("k"), OSError(2, "gone", "/x"), StopIteration(5),
    UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), getattr(builtins, "ExceptionGroup", ValueError)("g", [ValueError(1)]),
    shapes.MyList([1, 2]), shapes.MyDict(a=1), shapes.MySet({1}), shapes.MyStr("s"), shapes.MyInt(5),
    shapes.MyTuple((1, 2)), shapes.MyBytearray(b"x"), shapes.Outer.Inner(3),
]  # fmt: skip


@pytest.mark.parametrize("value", SIMPLE, ids=lambda value: type(value).__name__)
def test_a_value_is_made_again(value):
    again(value)


NAMED = [
    shapes.numbers, shapes.Node, shapes.Outer.Inner, shapes.Outer.static, len, dict, re, shapes, str.upper, int.__add__,
    NotImplemented, decimal.Decimal,
]  # fmt: skip


@pytest.mark.parametrize("value", NAMED, ids=lambda value: getattr(value, "__name__", repr(value)))
def test_what_has_a_name_is_the_very_thing(value):
    assert again(value) is value


def test_a_class_does_not_notice_that_its_instance_is_made_again():
    made = again(shapes.loud(shapes.Loud, a=1, b=[2]))
    assert made.__dict__ == {"a": 1, "b": [2]}


def test_a_combination_of_flags_is_made_of_the_members_as_they_are_now(monkeypatch):
    recorded = capture(shapes.Mode.READ | shapes.Mode.WRITE)[0]
    today = enum.Flag("Mode", [("READ", 8), ("WRITE", 2)])
    monkeypatch.setattr(shapes, "Mode", today)
    made = Builder().value(recorded)
    assert made == today.READ | today.WRITE and made.value == 10


def test_slots_are_set_also_private_ones_and_beside_a_dict():
    made = again(slotted(shapes.Slotted, a=1, b=2, _Base__hidden=3))
    assert (made.a, made.b, made._Base__hidden) == (1, 2, 3)
    again(slotted(shapes.SlotsAndDict, a=1, other=2))
    assert not hasattr(again(slotted(shapes.Slotted, a=1)), "b")


def test_cycles_and_aliases_are_one_object_again():
    first = again(node_loop())
    assert first.next.next is first
    loop = again(list_loop())
    assert loop[1] is loop
    shared = [1]
    one, two, *_ = again([shared, shared, {"x": shared}])
    assert one is two
    owner = shapes.MyList()
    list.append(owner, owner)
    assert again(owner)[0] is not None
    item = shapes.Item("a")
    made = again({"one": item, "two": [item]})
    assert made["one"] is made["two"][0]


def test_keys_that_are_objects_keep_their_hash():
    made = again({shapes.Frozen(1): "x", shapes.Point(1, 2): "y", shapes.Color.RED: "z"})
    assert made[shapes.Frozen(1)] == "x"
    assert shapes.Frozen(2) in again({shapes.Frozen(2)})


def test_an_exception_keeps_its_arguments_and_state():
    made = again(error())
    assert (made.args, made.code, made.hint) == (("changed", 4), 4, ["x"])
    assert again(OSError(2, "gone", "/x")).errno == 2
    noted = ValueError(1)
    noted.__dict__["__notes__"] = ["a note"]
    assert again(noted).__notes__ == ["a note"]
    noted.__cause__ = KeyError("from here")
    assert type(again(noted).__cause__) is KeyError and "__cause__" not in vars(again(noted))
    failed = again(shapes.Failed("two rows", [ValueError(1)], "table"))
    assert (failed.args[0], failed.args[2], failed.what) == ("two rows", "table", "table")


def test_generators_partials_methods_and_files_are_made_again():
    made = again(shapes.numbers(1, 2, 3, step=4, other=5))
    assert made.gi_frame.f_locals == {"n": 1, "rest": (2, 3), "step": 4, "more": {"other": 5}}
    manager = again(shapes.opened("a", mode="b"))
    with manager as (name, mode):
        assert (name, mode) == ("a", "b")
    if sys.version_info[:2] != (3, 11):
        assert asyncio.run(shapes.collected(again(shapes.later(2)))) == [0, 1]
        assert asyncio.run(shapes.entered(again(shapes.opened_later("a")))) == "a"
    partial = functools.partial(shapes.numbers, 1, step=2)
    again_partial = again(partial)
    assert (again_partial.func, again_partial.args, again_partial.keywords) == (shapes.numbers, (1,), {"step": 2})
    assert again(shapes.Node().method)(3) == 3
    assert again([].append).__self__ == []
    text = io.StringIO("a\r\nb")
    text.seek(2)
    assert (again(text).getvalue(), again(text).tell()) == ("a\r\nb", 2)
    assert again(io.BytesIO(b"x")).read() == b"x"


def test_a_placeholder_stands_for_what_was_a_secret():
    assert Builder().value([(TAG, "secret", "token", 7), "x"]) == ["[REDACTED:token]", "x"]


def test_a_placeholder_has_the_type_and_the_length_of_what_it_stands_for_and_is_equal_where_that_was():
    made = [("str", 0), ("str", 1), ("str", 2), ("bytes", 3), ("int", 1), ("int", 2), ("int", 3), ("float", 1)]
    trees = [(TAG, "secret", "pin", at, kind, size) for at, (kind, size) in enumerate(made)]
    values = Builder().value(trees + trees)
    assert values[:8] == values[8:] and len(set(values)) == 8
    assert [type(value).__name__ for value in values[:8]] == [kind for kind, _ in made]
    lengths = [len(value if type(value) in (str, bytes) else str(int(value))) for value in values[:8]]
    assert [0 if not n else 1 if n < 8 else 2 if n < 32 else 3 for n in lengths] == [size for _, size in made]


@pytest.mark.parametrize(
    ("tree", "why", "code", "name"),
    [
        ((TAG, "cut", "list", 9, [], [], ""), "a list is over the recording budget", "value-too-large", "list"),
        ((TAG, "name", "shapes", "make.<locals>.C"), "make.<locals>.C cannot be made again", "opaque-object", "make.<locals>.C"),
        ((TAG, "opaque", 1, "socket", "socket"), "socket cannot be read or made again", "opaque-object", "socket"),
        ((TAG, "ref", 5), "it refers to an object that was not recorded", "missing-object", None),
        ((TAG, "obj", 1, "shapes", "Gone", "plain", {}), "there is no Gone in shapes any more", "removed", "Gone"),
        ((TAG, "obj", 1, "shapes", "loud", "plain", {}), "shapes:loud is no class any more", "removed", "loud"),
        ((TAG, "obj", 1, "shapes", "Slotted", "plain", {"z": 1}), "Slotted has no place for z any more", "class-changed", "Slotted"),
        ((TAG, "enum", "shapes", "Color", "GREEN", 3), "Color has no member GREEN any more", "removed", "Color.GREEN"),
        ((TAG, "nt", "shapes", "Point", ("x", "z"), (1, 2)), "Point has other fields now", "class-changed", "Point"),
        ((TAG, "name", "no_such_module", "x"), "no_such_module cannot be imported: ModuleNotFoundError", "import-fails", "no_such_module"),
        ((TAG, "new", "builtins", "int", ("x",), {}), "builtins.int refuses what was recorded: ValueError", "argument-raises", None),
        ((TAG, "new", "re", "match", ((TAG, "new", "re", "compile", ("b",), {}), "abc", ((0, 1),)), {}),
         "a pattern finds something else than was recorded", None, None),
        ((TAG, "new", "re", "match", (1, "abc", 2), {}), "re.match refuses what was recorded: AttributeError", "argument-raises", None),
        ((TAG, "strange", 1), "there is no way to make a strange", None, None),
    ],
)
def test_what_cannot_be_made_says_why(tree, why, code, name):
    with pytest.raises(Broken) as raised:
        Builder().value([tree])
    assert str(raised.value) == why
    assert (raised.value.code, raised.value.name) == (code, name)
    reply = raised.value.reply()
    assert reply["broken"] == why and reply.get("reason", {}).get("code") == code


def test_a_function_that_another_one_made_is_made_again_with_what_it_holds():
    plus = again(shapes.adder(2, by=[3]))
    assert plus(4) == 9 and plus.__qualname__ == "adder.<locals>.add"
    count = again(shapes.counter())
    assert [count("a"), count("b")] == [1, 2]
    assert again(shapes.scaled(3))(5) == 15  # a lambda
    twice = again(shapes.twice(shapes.adder(1, by=[1])))
    assert twice(0) == 4


def test_a_made_function_that_is_gone_or_holds_something_else_is_broken():
    tree, _ = capture(shapes.adder(2, by=[3]))
    made = lambda *given: Builder().value((TAG, "new", "types", "FunctionType", given, {}))  # noqa: E731
    assert made(*tree[4])(1) == 6
    for given in (("shapes", "adder.<locals>.gone", {}, ()), ("shapes", "adder.<locals>.add", {"n": 1}, ())):
        with pytest.raises(Broken):
            made(*given)


def test_a_function_that_holds_itself_is_opaque():
    assert capture(shapes.recursive())[0][:2] == (TAG, "opaque")


def test_what_a_made_function_holds_under_a_secret_name_is_withheld():
    def made(password):
        return lambda x, api_key="k" * 20: x + password + api_key

    assert "hunter2hunter2" not in repr(capture(made("hunter2hunter2"))) and "kkkk" not in repr(capture(made("x")))


def test_what_is_local_to_a_thread():
    local = threading.local()
    local.names = ["a"]
    assert again(local).names == ["a"] and again(threading.local()).__dict__ == {}


def test_databases_in_memory():
    listen()
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.row_factory = sqlite3.Row
    database.executescript("""
        CREATE TABLE dogs (id INTEGER PRIMARY KEY, name TEXT, weight REAL, photo BLOB);
        CREATE TABLE "odd "" name" (x);
        CREATE VIEW names AS SELECT name FROM dogs;
        CREATE TRIGGER loud AFTER INSERT ON dogs BEGIN UPDATE dogs SET name = upper(name); END;
    """)
    database.execute("INSERT INTO dogs VALUES (1, 'Cleo', 4.5, x'00ff'), (2, NULL, NULL, NULL)")
    database.execute('INSERT INTO "odd "" name" VALUES (1), (2.5), (?)', ("text",))
    made = again(database)
    assert made.execute("SELECT * FROM names").fetchall()[0]["name"] == "CLEO"
    made.execute("INSERT INTO dogs (name) VALUES ('Pancakes')")
    assert made.execute("SELECT name FROM dogs").fetchall()[2]["name"] == "PANCAKES"
    database.close()
    made.close()


def test_a_database_that_refuses_its_rows_is_broken():
    made = (TAG, "new", "sqlite3", "connect", (":memory:",), {})
    tree = (TAG, "sub", 1, "sqlite3", "Connection", made, {"tables": {"t": "CREATE TABLE t (x CHECK (x > 1))"}, "rows": {"t": [{"x": 1}]}})
    with pytest.raises(Broken, match="IntegrityError"):
        Builder().value(tree)
