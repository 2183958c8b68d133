"""A call in flight, and the shape of its arguments: calls of one shape are much alike."""

from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__

PATIENCE = 16  # lines that a call reaches again, before they report no more while it is the only one in flight


class Call:
    """A kept call in flight."""

    # What most calls never have is the class's: making a call is felt.
    cid = 0
    watched: list = []
    limits: object = None
    waiting: "tuple | None" = None  # what is written at the end, if the end, or the path, is new
    held: list = []  # records that wait with it
    searching = False  # only a new path or outcome keeps it
    repeated: "int | None" = None  # the kept call with equal arguments
    variant = 0  # how many such calls ended in other ways before, this one included
    new = False  # it ran a line that no kept call ran
    suspended = False
    closed = False
    yields = 0
    value: object = None
    # While it is in flight, so that no other frame has its address; a generator's would keep alive what it holds.
    frame: object = None
    way: "str | None" = None  # in which a test came to it that makes it itself
    folder: "tuple | None" = None  # where it works: a temporary folder, the files in it before, and the steps of the test
    step: object = None  # of the test that makes it, see scenes.py; None once that is noted
    effects: "set | None" = None
    mark: object = None  # of what was done before it, where the recorder has a listener
    seeded: tuple = ()  # weak references to the generators of random numbers that it gave a seed
    done = False
    inputs_key = 0
    spool: object = None
    brief = False
    scope: "dict | None" = None  # of a journey's: the function's globals
    lines: set = set()  # of a journey's: that it reached; of a waiting call's: that no kept call reached before
    repeats = 0  # lines that were reached again
    reached: list = []  # of the lines, those not written yet

    def __init__(self, function: Function, frame: object, code: object, counts: list) -> None:
        self.function = function
        self.key = oid(frame)
        self.code = code
        self.counts = counts

    def runs_in(self, frame: object) -> bool:
        """Whether a frame with the call's address is the call's own. A frame's code is looked at last: audit hooks are
        told of each look, and that is felt.
        """
        return self.frame is frame or self.frame is None and self.code is frame.f_code


def shape_of(held: tuple, direct: bool) -> tuple:
    """Classes values by type, None, sign, emptiness and length."""
    shape: list = [direct]
    for v in held:
        t = type(v)
        if t is int:
            shape.append(1 if v > 0 else 2 if v else 3)
        elif t is str or t is bytes or oid(t) in _SIZED:
            n = len(v)
            shape.append((t, n if n < 2 else 2 if n < 10 else 3 if n < 100 else 4))
        elif v is None or v is True or v is False:
            shape.append(4 if v is None else 5 if v else 6)
        elif t is float:
            shape.append(7 if v > 0 else 8 if v < 0 else 9)
        else:
            shape.append((oid(t),))
    return tuple(shape)


_SIZED = frozenset(oid(t) for t in (list, tuple, dict, set, frozenset, bytearray))


def sized(value: object) -> bool:
    """Whether a value is an exact builtin container."""
    return oid(type(value)) in _SIZED
