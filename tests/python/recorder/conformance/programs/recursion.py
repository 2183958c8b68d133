"""Recursion: direct, mutual, through generators and through comprehensions."""


def factorial(n):
    return 1 if n == 0 else n * factorial(n - 1)


def is_even(n):
    return n == 0 or is_odd(n - 1)


def is_odd(n):
    return n != 0 and is_even(n - 1)


def walk(tree):
    for part in tree:
        if isinstance(part, list):
            yield from walk(part)
        else:
            yield part


def flat(tree):
    return [x for part in tree for x in (flat(part) if isinstance(part, list) else [part])]


def fails(n):
    if n == 0:
        raise LookupError("at the bottom")
    try:
        fails(n - 1)
    finally:
        pass


def main():
    factorial(3)
    is_even(2)
    list(walk([1, [2, [3]]]))
    flat([1, [2]])
    try:
        fails(2)
    except LookupError:
        pass


main()
