"""Operators and protocols call methods of the project."""

import functools


@functools.total_ordering
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __add__(self, other):
        return Money(self.cents + other.cents)

    def __radd__(self, other):
        return self

    def __eq__(self, other):
        return self.cents == other.cents

    def __lt__(self, other):
        return self.cents < other.cents

    def __hash__(self):
        return hash(self.cents)

    def __bool__(self):
        return self.cents != 0

    def __format__(self, spec):
        return f"{self.cents / 100:{spec or '.2f'}}"


class Box:
    def __init__(self, *items):
        self.items = list(items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, at):
        return self.items[at]

    def __setitem__(self, at, x):
        self.items[at] = x

    def __delitem__(self, at):
        del self.items[at]

    def __contains__(self, x):
        return x in self.items

    def __iter__(self):
        yield from self.items


def main():
    a, b = Money(100), Money(250)
    sum([a, b])
    print(f"{a} {b:.1f}", a < b, a >= b, bool(Money(0)), len({a, Money(100)}))
    box = Box(1, 2)
    print(len(box), box[0], 2 in box, list(box))
    box[0] = 5
    del box[1]
    first, = box
    print(first)


main()
