"""The decorator that says what a test is for, and the failure of a test that did something else.

A decorated test stays the very same function, so fixtures, parameters, classes and `async` are as they were. Recording and
judging is the affair of pytest's plugin (pytest_plugin.py).
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar

T = TypeVar("T")

MARK = "__pytead_intent__"


class SemanticAssertionError(AssertionError):
    """The test did not do what its intent says."""

    __module__ = "pytead_tui"  # where people import it from


class Intent:
    """What a test is for: in plain English, and in sentences that rules can decide."""

    __slots__ = ("text", "checks")

    def __init__(self, text: str, checks: list) -> None:
        self.text = text
        self.checks = checks


def semantic_test(intent: str, checks: "str | list[str] | tuple[str, ...] | None" = None) -> Callable[[T], T]:
    """Says what a test is for. What it does is recorded, and the test fails when that is something else.

    `checks` are sentences about the calls of the project's functions, such as "Db.save is called before Mail.send". An
    intent that is made of such sentences needs no others.
    """
    if not isinstance(intent, str) or not intent.strip():
        raise TypeError('semantic_test needs an intent, as in @semantic_test(intent="Cart.add is called exactly once")')
    sentences = [checks] if isinstance(checks, str) else list(checks or ())
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise TypeError("the checks of semantic_test are sentences")

    def decorate(test: T) -> T:
        if isinstance(test, type):
            raise TypeError("semantic_test belongs on the tests of a class, not on the class")
        if MARK in getattr(test, "__dict__", {}):
            raise TypeError("a test has one intent")
        setattr(test, MARK, Intent(intent, sentences))
        return test

    return decorate


def of(test: Any) -> "Intent | None":
    """Gives the intent of a test function, or None where it has none."""
    found = getattr(test, MARK, None)
    return found if isinstance(found, Intent) else None


def of_item(item: Any) -> "Intent | None":
    """Gives the intent of a collected test, or None where it has none."""
    return of(getattr(item, "obj", None)) or of(getattr(item, "function", None))
