"""Functions that C code calls have the right caller and parent."""

import bisect
import functools
import itertools
import json
import re
import signal


def key(x):
    return -x


def add(a, b):
    return a + b


def even(x):
    return x % 2 == 0


def replaced(match):
    return match.group().upper()


def default(value):
    return str(value)


def pairs(found):
    return found


def handler(number, frame):
    return interrupted(number)


def interrupted(number):
    return None


class Key:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x < other.x


def sorts():
    return sorted([1, 2], key=key), max([3, 4], key=key), bisect.bisect([Key(1)], Key(0))


def main():
    sorts()
    functools.reduce(add, [1, 2, 3])
    list(filter(even, [1, 2]))
    list(map(add, [1], [2]))
    list(itertools.starmap(add, [(3, 4)]))
    re.sub("b", replaced, "abc")
    json.dumps({"x": 1j}, default=default)
    json.loads('{"a": {"b": 1}}', object_pairs_hook=pairs)
    functools.partial(add, 5)(6)
    signal.signal(signal.SIGUSR1, handler)
    signal.raise_signal(signal.SIGUSR1)


main()
