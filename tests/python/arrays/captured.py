"""Captures values as a recording does, and makes them again."""

import marshal

from pytead_tui.recorder import known, values  # noqa: F401
from pytead_tui.recorder.objects import Objects
from pytead_tui.worker.rebuild import Builder

S = StopIteration


def tree(value, limits=values.CALLS):
    """Gives the tree of a value."""
    return values.capture(Objects(), limits, (value,))[0][0]


def again(value):
    """Makes a value again from what went over the wire, and proves that it is told alike."""
    told = tree(value)
    made = Builder().value(marshal.loads(marshal.dumps(told, 2)))
    assert marshal.dumps(tree(made), 2) == marshal.dumps(told, 2), (told, tree(made))
    assert type(made) is type(value)
    return made


def why(value):
    """Gives the reason why a value has no form."""
    told = tree(value)
    assert told[:2] == (S, "cut") and told[3] is None, told
    return told[4]
