"""Context managers: entered, left, and what they swallow."""

import contextlib


class Guard:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return self.swallow and kind is not None


@contextlib.contextmanager
def managed(name):
    try:
        yield name
    except LookupError:
        note("handled")
    finally:
        note("left")


@contextlib.contextmanager
def transparent():
    yield


def note(x):
    return x


def swallowed():
    with Guard(True):
        raise LookupError("gone")
    return "after"


def through():
    with Guard(False), transparent():
        raise LookupError("kept")


def early():
    with managed("early") as name:
        return name


def main():
    with managed("a") as name:
        note(name)
    with managed("b"):
        raise LookupError("inside")
    swallowed()
    try:
        through()
    except LookupError:
        pass
    early()
    with contextlib.ExitStack() as stack:
        stack.enter_context(Guard(False))
        stack.callback(note, "callback")


main()
