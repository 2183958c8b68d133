"""Syntax that is easily disturbed: match, walrus, starred, annotations, one-liners."""

from __future__ import annotations

import typing


def one(x): return x  # fmt: skip


def two(x: int) -> list[one]: y: int; y = x; return [y]  # noqa: E702 # fmt: skip


def matches(value):
    match value:
        case [first, *rest]:
            return first, rest
        case {"k": found, **more}:
            return found, more
        case int() | float() as number if number > 1:
            return number
        case _:
            return "other"


def walrus(items):
    if (n := len(items)) > 1:
        return [m for x in items if (m := x * n)]
    while n := n - 1:
        pass
    return n


def long(
    a,
    b=(
        1
    ),
):
    return (
        one(a)
        + one(
            b
        )
    )  # fmt: skip


def early(x):
    """Its docstring."""
    if x:
        return
    else:
        pass


def only_doc():
    """Nothing else."""


def ellipsis(): ...  # fmt: skip


def branches(x):
    if x > 2: return "big"  # fmt: skip
    elif x:
        kind = "small"
    else:
        kind = "none"
    for i in range(x):
        if i:
            break
        continue
    else:
        kind += "!"
    while True:
        break
    with open(__file__) as stream, open(__file__) as other:
        del stream, other
    return kind


def main():
    one(1)
    two(2)
    for value in ([1, 2, 3], {"k": 1, "m": 2}, 5, "x"):
        matches(value)
    walrus([1, 2])
    walrus([3])
    long(1, 2)
    early(0)
    early(1)
    only_doc()
    ellipsis()
    for x in (0, 1, 3):
        branches(x)
    print(typing.get_type_hints(two)["x"], two.__annotations__)


main()
