"""Generators that take turns: their calls are their own."""


def leaf(x):
    return x


def walker(name):
    for i in range(2):
        yield leaf(name + str(i))


def driven(source):
    for x in source:
        yield leaf(x + "!")


def main():
    for _ in zip(walker("a"), walker("b")):
        pass
    print(list(driven(walker("c"))))


main()
