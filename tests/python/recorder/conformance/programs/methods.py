"""Methods of every kind, and how they are called."""

import functools


class Base:
    made = 0

    def __new__(cls, *args):
        return super().__new__(cls)

    def __init__(self, side):
        self._side = side
        self.__hidden = side + 1

    def __init_subclass__(cls, label="none"):
        cls.label = label

    def area(self):
        return self._side**2

    def peek(self):
        return self.__hide()

    def __hide(self):
        return self.__hidden

    @property
    def side(self):
        return self._side

    @side.setter
    def side(self, value):
        self._side = value

    @side.deleter
    def side(self):
        self._side = None

    @classmethod
    def unit(cls):
        cls.made += 1
        return cls(1)

    @staticmethod
    def double(x):
        return x * 2

    @functools.cached_property
    def late(self):
        return "late"

    def __call__(self, x):
        return self._side + x


class Child(Base, label="child"):
    def __init__(self, side):
        super().__init__(side)
        self.child = True

    def area(self):
        return super().area() + 1

    class Inner:
        def deep(self):
            return "deep"


def main():
    child = Child(3)
    child.area()
    Base.area(child)
    child.peek()
    child.side
    child.side = 4
    del child.side
    Child.unit().area()
    child.double(2)
    Base.double(3)
    child.late
    child.late
    bound = Base(7)
    bound(1)
    bound.area.__call__()
    Child.Inner().deep()
    getattr(bound, "area")()
    map_of = {"area": bound.area}
    map_of["area"]()


main()
