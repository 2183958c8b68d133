"""Classes whose instances are captured and made again."""

import builtins
import contextlib
import enum
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple


class Color(enum.Enum):
    RED = 1
    BLUE = "b"


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


class Count(int, enum.Enum):
    ONE = 1


Point = namedtuple("Point", "x y")


class Typed(NamedTuple):
    a: int
    b: str = "b"


@dataclass
class Item:
    name: str
    tags: list = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    key: int


class Loud:
    """Must not notice that it is made again."""

    def __init__(self):
        raise AssertionError("__init__ ran")

    def __setattr__(self, name, value):
        raise AssertionError("__setattr__ ran")

    def __getattr__(self, name):
        raise AssertionError("__getattr__ ran")


class Base:
    __slots__ = ("a", "__hidden")


class Slotted(Base):
    __slots__ = ("b",)


class SlotsAndDict(Base):
    pass


class Node:
    def __init__(self):
        self.next = None

    def method(self, n):
        return n


class MyList(list):
    def append(self, item):
        raise AssertionError("append ran")


class MyDict(dict):
    def __setitem__(self, key, value):
        raise AssertionError("__setitem__ ran")


class MySet(set):
    pass


class MyStr(str):
    pass


class MyInt(int):
    pass


class MyTuple(tuple):
    pass


class MyBytearray(bytearray):
    pass


class MyError(Exception):
    def __init__(self, code, *, hint):
        super().__init__(f"code {code}")
        self.code = code
        self.hint = hint


class Failed(getattr(builtins, "ExceptionGroup", Exception)):
    def __new__(cls, message, errors, what):
        made = super().__new__(cls, message, errors)
        made.what = what
        return made


class Outer:
    class Inner:
        def __init__(self, n):
            self.n = n

    @staticmethod
    def static():
        return 1


def numbers(n, *rest, step=1, **more):
    yield n


def loud(cls, **state):
    """Makes an instance without its class noticing."""
    made = object.__new__(cls)
    made.__dict__.update(state)
    return made


def adder(n, by):
    def add(x, factor=1):
        return x * factor + n + sum(by)

    return add


def counter():
    seen = []

    def note(x):
        seen.append(x)
        return len(seen)

    return note


def scaled(factor):
    return lambda x: x * factor


def twice(function):
    def again(x):
        return function(function(x))

    return again


def recursive():
    def down(n):
        return n and down(n - 1)

    return down


@contextlib.contextmanager
def opened(name, mode="r"):
    yield name, mode


async def later(n):
    for i in range(n):
        yield i


@contextlib.asynccontextmanager
async def opened_later(name):
    yield name


async def collected(items):
    return [item async for item in items]


async def entered(manager):
    async with manager as value:
        return value
