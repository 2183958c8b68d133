"""Calls functions that do next to nothing: the worst case of whatever looks at each call."""

SIZES = {"small": (17, 3_000), "large": (25, 1_000_000)}


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def add(a, b):
    return a + b


def clamp(value, low=0, high=100):
    return low if value < low else high if value > high else value


def half(x):
    return x // 2


def main(size: str) -> int:
    depth, times = SIZES[size]
    total = fib(depth)
    for i in range(times):
        total = clamp(add(half(i), total), 0, 1_000_000)
    return total
