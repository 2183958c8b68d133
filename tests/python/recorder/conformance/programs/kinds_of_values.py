"""Values of the standard library's types, as they are written."""

import collections
import datetime
import decimal
import enum
import fractions
import functools
import io
import math
import pathlib
import re
import types
import uuid


class Level(enum.IntEnum):
    LOW = 1


class Ages(dict):
    pass


def take(x):
    return x


def spend(a, b=2):
    return a


VALUES = [
    None, True, 0, -1, 2**70, 1.5, float("nan"), float("inf"), -0.0, 1j, "text", "\udc80", b"bytes", ...,
    [], (), {}, set(), frozenset({1}), [1, [2, (3,)]], {"k": {"n": None}}, {1: "a", (2, 3): "b"},
    bytearray(b"b"), range(1, 5, 2), slice(1, None), NotImplemented,
    datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc), datetime.date(2024, 2, 29),
    datetime.timedelta(days=-1), decimal.Decimal("1.10"), fractions.Fraction(1, 3), uuid.UUID(int=5),
    pathlib.PurePosixPath("/a/b"), re.compile("x+", re.I), Level.LOW, Ages(a=1),
    collections.Counter("aab"), collections.OrderedDict(a=1), collections.deque([1], 3),
    collections.defaultdict(list, k=[1]), types.SimpleNamespace(x=1), io.StringIO("in memory"),
    take, Level, math, len, "x".upper, functools.partial(spend, b=3), ValueError("v"), OSError(2, "missing", "f"),
    int, print, type, [].append, str.upper, Ages.fromkeys, object, iter([]), (x for x in ()), lambda: 0,
]  # fmt: skip


def main():
    for value in VALUES:
        take(value)


main()
