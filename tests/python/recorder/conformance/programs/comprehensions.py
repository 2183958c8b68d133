"""Comprehensions, generator expressions and lambdas are no calls, but hold some."""


def plain(x):
    return x


def lists(n):
    return [plain(i) for i in range(n)]


def dicts(n):
    return {plain(k): plain(-k) for k in range(n)}


def sets():
    return {plain(i) for i in (1, 1)}


def expressions():
    return sum(plain(i) for i in range(2))


def nested():
    return [[plain((i, j)) for j in range(2)] for i in range(1)]


def lambdas():
    return (lambda a: plain(a))(1), list(map(lambda b: plain(b), [2])), sorted([3], key=lambda c: plain(c))


def conditions():
    return [i for i in range(2) if plain(i)]


ALL = [plain(i) for i in range(2)]


class Holder:
    items = [plain(9) for _ in range(1)]


def main():
    lists(2)
    dicts(1)
    sets()
    expressions()
    nested()
    lambdas()
    conditions()


main()
