"""The same object has the same number in every call, and no other has it."""

import copy


class Cart:
    def __init__(self, items=()):
        self.items = list(items)

    def total(self):
        return sum(self.items)

    def merge(self, other):
        self.items += other.items
        return self


class Node:
    def __init__(self, parent=None):
        self.parent = parent
        self.below = []
        if parent is not None:
            parent.below.append(self)

    def root(self):
        return self if self.parent is None else self.parent.root()


def take(*things):
    return things


def main():
    one, two, three = Cart([1]), Cart([2]), Cart()
    three.total()
    two.total()
    one.merge(two).total()
    take(one, one, [one])
    take(copy.copy(one), copy.deepcopy(two))
    root = Node()
    leaf = Node(Node(root))
    leaf.root()
    loop = []
    loop.append(loop)
    take(loop)
    shared = [1]
    take(shared, {"k": shared}, (shared,))
    for _ in range(3):
        Cart([5]).total()


main()
