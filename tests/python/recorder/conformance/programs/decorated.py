"""Decorated, cached and dispatched functions."""

import functools


def plain(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def times(n):
    def decorate(function):
        def repeated(x):
            for _ in range(n):
                x = function(x)
            return x

        return repeated

    return decorate


class Counting:
    def __init__(self, function):
        self.function = function
        self.count = 0

    def __call__(self, *args):
        self.count += 1
        return self.function(*args)


@plain
def wrapped(x):
    return x + 1


@times(2)
@plain
def twice(x):
    return x * 2


@Counting
def counted(x):
    return -x


@functools.lru_cache(maxsize=None)
def cached(x):
    return x * x


@functools.singledispatch
def show(value):
    return "any"


@show.register
def _(value: int):
    return "int"


@show.register(list)
def show_list(value):
    return [show(v) for v in value]


class Shape:
    @functools.singledispatchmethod
    def scale(self, by):
        return "scaled"

    @scale.register
    def _(self, by: str):
        return by

    def resize(self, w, h):
        return w, h

    square = functools.partialmethod(resize, h=1)


def main():
    wrapped(1)
    twice(1)
    counted(5)
    cached(2)
    cached(2)
    cached(3)
    print(cached.cache_info(), wrapped.__name__, wrapped.__wrapped__.__qualname__)
    show("x")
    show([1, "y"])
    shape = Shape()
    shape.scale(1)
    shape.scale("s")
    shape.square(3)


main()
