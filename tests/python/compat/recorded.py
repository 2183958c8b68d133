"""What the tests in this folder call, as if pytead had recorded it."""

from __future__ import annotations

from dataclasses import dataclass, field


class Point:
    x: int
    y: int

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def moved(self, by):
        return Point(self.x + by, self.y)


@dataclass
class Line:
    start: Point
    end: Point
    tags: list[str] = field(default_factory=list)
    weights: dict[str, int] = field(default_factory=dict)


class Slotted:
    __slots__ = ("a", "_b")

    def __init__(self, a):
        self.a = a
        self._b = 2


class Node:
    def __init__(self, name):
        self.name = name
        self.next = None
        self._hidden = 1


def ring(name):
    node = Node(name)
    node.next = node
    return node


def chain(length):
    node = Node("end")
    for i in range(length):
        outer = Node(str(i))
        outer.next = node
        node = outer
    return node


def width(line):
    return abs(line.start.x - line.end.x)


def total(a, b=0):
    return a + b
