"""Arithmetic with rules: plain functions that need nothing but their arguments."""

import math


def add(a: float, b: float) -> float:
    """Return the sum of two numbers."""
    return a + b


def divide(dividend: float, divisor: float) -> float:
    """Divide one number by another.

    Raises:
        ZeroDivisionError: if the divisor is 0.
    """
    if divisor == 0:
        raise ZeroDivisionError("cannot divide by zero")
    return dividend / divisor


def clamp(value: float, low: float, high: float) -> float:
    """Bring a value into the range from low to high.

    Raises:
        ValueError: if low is larger than high.
    """
    if low > high:
        raise ValueError("low must not be larger than high")
    return max(low, min(value, high))


def factorial(n: int) -> int:
    """Return the product of the whole numbers from 1 to n; 1 for 0.

    Raises:
        ValueError: if n is negative.
    """
    if n < 0:
        raise ValueError("n must not be negative")
    return math.prod(range(1, n + 1))


def mean(values: list[float]) -> float:
    """Return the mean of the values.

    Raises:
        ValueError: if there are none.
    """
    if not values:
        raise ValueError("the mean of nothing is not defined")
    return sum(values) / len(values)


def percent(part: float, whole: float, *, digits: int = 1) -> str:
    """Write a part of a whole as a percentage, as in '12.5 %'."""
    return f"{divide(part * 100, whole):.{digits}f} %"


def compound(amount: float, rate: float, years: int = 1) -> float:
    """Return an amount after so many years of interest at this rate, rounded to cents."""
    return round(amount * (1 + rate) ** years, 2)
