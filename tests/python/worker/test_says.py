"""R8: what results without a form say of themselves, where it is the same in each run."""

import collections
import csv
import functools
import operator
import struct
import sys

from pytead_tui.recorder.values import TAG
from pytead_tui.worker import closely


class Handle:
    def __init__(self) -> None:
        self.__parts = [["a"]]

    @property
    def size(self) -> int:
        return len(self.__parts)

    @property
    def broken(self) -> int:
        raise OSError("gone")

    @property
    def place(self) -> str:
        return hex(id(self))

    @property
    def password(self) -> str:
        return "hunter2"

    def method(self) -> int:
        return 1


def test_public_properties_come_first_and_only_plain_ones():
    assert closely.says(Handle()) == {"size": 1}
    assert closely.says(csv.get_dialect("excel"))["delimiter"] == ","
    assert closely.says(struct.Struct("<HH")) == {"format": "<HH", "size": 4}


def test_a_text_that_is_the_same_in_each_run_is_the_last_resort():
    assert closely.says(operator.itemgetter(1)) == {"repr()": "operator.itemgetter(1)"}
    assert closely.says(functools.partial(len)) != {"repr()": ""}
    for mute in (object(), lambda: 1, {1, 2}, "x" * 300):
        assert closely.says(mute) in ({}, {"__name__": "<lambda>"}), mute


def test_a_class_says_its_name_and_the_fields_of_a_named_tuple():
    assert closely.says(collections.namedtuple("Point", "x y")) == {"__name__": "Point", "_fields": ("x", "y")}
    assert closely.says(type("Odd", (), {"_fields": [1]})) == {"__name__": "Odd"}, "and nothing of where it was made"


def test_only_what_says_nothing_is_asked():
    plain = (TAG, "obj", 1, "m", "C", "plain", {"x": 1})
    empty = (TAG, "obj", 1, "m", "C", "plain", {"x": [1]})
    for tree, mute in ((1, False), ("a", False), ([1, {"a": 2.0}], False), ({"a": float("nan")}, True), (plain, False),
                       (empty, True), ((TAG, "opaque", 1, "m", "C"), True), ((TAG, "new", "decimal", "Decimal", ("1",), {}), False),
                       ((TAG, "mut", 1, [(TAG, "opaque", 1, "m", "C")]), True)):  # fmt: skip
        assert closely.is_mute(tree) is mute, tree


def test_what_is_written_below_the_text_is_heard_too():
    with closely.listening() as ears:
        print("a", end=":")
        sys.stdout.buffer.write(b"b\n")
        sys.stderr.write("c")
    assert ears.reply()["printed"] == ["a:b\n", "c"]
    with closely.listening() as ears:
        print("a")
        sys.stdout.close()
        sys.stderr.buffer.write(b"\xff")
    assert ears.reply()["printed"] == ["", ""]
