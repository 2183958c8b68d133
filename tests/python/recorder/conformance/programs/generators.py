"""Generators: every yield, what is sent, what is returned."""


def numbers(n):
    for i in range(n):
        yield i


def echo():
    got = yield "ready"
    while got is not None:
        got = yield got * 2
    return "done"


def empty():
    return
    yield


def lazily(items):
    items.append("started")
    yield items


class Tree:
    def __init__(self, value, *below):
        self.value = value
        self.below = below

    def __iter__(self):
        yield self.value
        for tree in self.below:
            yield from tree


def last(iterable):
    for x in iterable:  # noqa: B007
        pass
    return x


def main():
    list(numbers(2))
    talk = echo()
    next(talk)
    talk.send(2)
    talk.send("a")
    try:
        talk.send(None)
    except StopIteration as stop:
        print(stop.value)
    list(empty())
    items = []
    waiting = lazily(items)
    print(items)
    print(next(waiting))
    lazily(items)
    last(numbers(2))
    sum(numbers(3))
    list(Tree(1, Tree(2), Tree(3)))
    a, b = numbers(2)
    [*numbers(1), *numbers(1)]


main()
