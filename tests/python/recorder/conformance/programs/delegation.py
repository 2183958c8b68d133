"""Delegation to generators, iterators and what catches."""

import traceback


def inner(n):
    try:
        got = yield n
    except KeyError as error:
        got = yield f"caught {error.args[0]}"
    return got


def outer():
    first = yield from inner(1)
    yield from [8, 9]
    second = yield from inner(2)
    return first, second


def chained(depth):
    if depth:
        yield from chained(depth - 1)
    yield depth


class Steps:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration("over")
        self.left -= 1
        return self.left


def over_steps():
    result = yield from Steps()
    return result


class Refuses:
    def __iter__(self):
        raise LookupError("no iterator")


def over(what):
    yield from what


def main():
    going = outer()
    next(going)
    print(going.send("one"), next(going), next(going))
    try:
        going.send("two")
    except StopIteration as stop:
        print(stop.value)
    print(list(chained(2)))
    for what in (Refuses(), 5):
        try:
            next(over(what))
        except Exception:
            traceback.print_exc()
    stepping = over_steps()
    print(next(stepping), next(stepping))
    try:
        next(stepping)
    except StopIteration as stop:
        print(stop.value)


main()
