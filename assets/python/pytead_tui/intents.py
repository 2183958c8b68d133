"""The decorator that says what a test is for, and the failure of a test that did something else.

A decorated test is called as before: fixtures, parameters, classes and `async` are as they were. Recording and judging is the
affair of pytest's plugin (pytest_plugin.py). It also hears of a decorated function that another test calls.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import AbstractContextManager
from typing import Any, Callable, TypeVar

T = TypeVar("T")

# While a test runs: what is around a call of a decorated function, given its intent; and who hears of one that cannot be judged.
watch: "Callable[[Intent], AbstractContextManager[None]] | None" = None
unjudged: "Callable[[Intent, str], None] | None" = None
used = False  # something is decorated in this process

MARK = "__pytead_intent__"


class SemanticAssertionError(AssertionError):
    """The test did not do what its intent says."""

    __module__ = "pytead_tui"  # where people import it from


class Intent:
    """What a test is for: in plain English, and in sentences that rules can decide."""

    __slots__ = ("text", "checks", "parts")

    def __init__(self, text: str, checks: list, parts: tuple = ()) -> None:
        self.text = text
        self.checks = checks
        self.parts = parts  # the intents that it was put together from

    def and_too(self, other: "Intent") -> "Intent":
        """Gives the intent of what has to do both."""
        texts = [text.strip() for text in (self.text, other.text) if text.strip()]
        ended = [text if text[-1] in ".!?" else text + "." for text in texts[:-1]]
        parts = (self, other, *self.parts, *other.parts)
        return Intent(" ".join([*ended, *texts[-1:]]), [*self.checks, *other.checks], parts)

    def holds(self, other: "Intent") -> bool:
        """Tells whether another intent is this one, or a part of it."""
        return other is self or any(other is part for part in self.parts)


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
        global used
        used = True
        if isinstance(test, (staticmethod, classmethod)):
            return type(test)(decorate(test.__func__))
        own = Intent(intent, sentences)
        if MARK in getattr(test, "__dict__", {}):
            setattr(test, MARK, getattr(test, MARK).and_too(own))
            return test
        if not inspect.isfunction(test) or inspect.isasyncgenfunction(test):
            setattr(test, MARK, own)
            return test
        watched = _watched(test)
        setattr(watched, MARK, own)
        return watched

    return decorate


def _watched(test: Any) -> Any:
    """Gives a function that says that it is called, and is the test in all else."""
    if inspect.iscoroutinefunction(test):

        @functools.wraps(test)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            if watch is None:
                return await test(*args, **kwargs)
            with watch(getattr(waiting, MARK)):
                return await test(*args, **kwargs)

        return waiting

    if inspect.isgeneratorfunction(test):

        @functools.wraps(test)
        def yielding(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            if unjudged is not None:
                unjudged(getattr(yielding, MARK), "it is a generator")
            return (yield from test(*args, **kwargs))

        return yielding

    @functools.wraps(test)
    def calling(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if watch is None:
            return test(*args, **kwargs)
        with watch(getattr(calling, MARK)):
            return test(*args, **kwargs)

    return calling


def of(test: Any) -> "Intent | None":
    """Gives the intent of a test function, or None where it has none."""
    found = getattr(test, MARK, None)
    return found if isinstance(found, Intent) else None


def of_item(item: Any) -> "Intent | None":
    """Gives the intent of a collected test, or None where it has none."""
    return of(getattr(item, "obj", None)) or of(getattr(item, "function", None))
