"""Dataclasses of every make, named tuples and enums."""

import dataclasses
import enum
import typing


@dataclasses.dataclass
class Item:
    name: str
    tags: list = dataclasses.field(default_factory=list)

    def add(self, tag):
        self.tags.append(tag)


@dataclasses.dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int = 0

    def __post_init__(self):
        object.__setattr__(self, "y", self.y + 1)

    def moved(self, by):
        return dataclasses.replace(self, x=self.x + by)


@dataclasses.dataclass
class Special(Item):
    __slots__ = ("extra",)
    price: int = 1


@dataclasses.dataclass(frozen=True)
class Slotted:
    __slots__ = ("a",)
    a: int


class Pair(typing.NamedTuple):
    left: int
    right: object = None

    def swap(self):
        return Pair(self.right, self.left)


class Color(enum.Enum):
    RED = 1
    BLUE = 2

    def other(self):
        return Color.BLUE if self is Color.RED else Color.RED


class Right(enum.Flag):
    READ = 1
    WRITE = 2


def take(x):
    return x


def main():
    item = Item("a")
    item.add("t")
    Point(1).moved(2)
    take(Special("s", price=3))
    take(Slotted(4))
    Pair(1, [2]).swap()
    Color.RED.other()
    take(Right.READ | Right.WRITE)
    take({Color.RED: Point(1)})


main()
