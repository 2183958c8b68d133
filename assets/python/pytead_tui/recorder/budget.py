"""How much a recording may copy: so much at once, and then a share of what the program itself computes.

Copying is counted in nodes of values, each taken for so much CPU time, and the program's time in whole seconds: the same
program is recorded alike in each run and on each machine. Owns no values and no calls.
"""

from pytead_tui.recorder.objects import names_of
from pytead_tui.recorder.own import __builtins__, time
from pytead_tui.recorder.values import CALLS, Capture, Limits

FLOOR = 240_000_000  # ns for the process
SHARE = 8  # and an eighth of the program's own time
PART = 8  # a function gets this part of what is left,
LEAST, MOST = 500_000, 20_000_000  # ns; within these bounds
EVERY = 40_000_000  # ns of a function all of whose calls are kept
NODE = 2_000  # ns for which one node that is walked is taken
BOTH = 5_000  # ns that one node takes at the start and at the end of its call
STEP = 1_000_000_000  # ns of the program that count
SLOWER = 4  # where copying really takes so many times what it is taken for, its time counts
AGAIN = 400_000_000  # ns of the program after which the functions that had too little are looked at again
FEWEST = 60  # nodes of a call
TELLING = 250  # of one that was cut, which say that its objects are large
FIRST = 2  # calls of each function that are kept whole whatever the others took, or with the
# fewest nodes when copying has taken a quarter of the time until now
TRIES = 4  # copies of a function's values, equal ones included, that may go into that
# Calls from outside of the called package are those that people make: what its own functions do comes after them.
RESERVED = 8  # this part of what may be copied at once is left for functions that are called so
OUTSIDE = 16  # of these calls are kept when the function has copied too much, if only with the fewest nodes
OFTENER = 3  # times as many of one shape are kept as of other calls
ANSWERS = 8  # times as many of what left the process: tests of its callers need each of its answers
SEARCH = 10  # this part of the program's time, and as much at once as may be copied, goes into looking for calls that take a
# new path, of functions that have copied too much
WASTED = 3  # calls of a function, or with objects of a class, that are too large to be copied whole, before less is copied

_limits = {CALLS.nodes: CALLS}


class Budget:
    """The copying of one process."""

    __slots__ = ("copied", "took", "looked", "searched", "large")

    def __init__(self) -> None:
        self.copied = 0  # ns for which the nodes are taken that were walked
        self.took = 0  # ns that it took
        self.searched = 0  # ns for which copies are taken that wait for a new path
        self.looked = time.process_time_ns()
        self.large = Large()

    def of_a_function(self, outside: bool = False) -> int:
        """Gives the ns that any one function may have spent by now; more when it is called from outside of its package."""
        copied = max(self.copied, self.took // SLOWER)
        left = FLOOR + _whole(time.process_time_ns() - self.took) // SHARE - copied
        if not outside:
            left -= FLOOR // RESERVED
        return max(LEAST, min(MOST, left // PART))

    def first(self, most: int) -> Limits:
        """Gives the limits of a function's first calls, of which so many nodes are copied at most."""
        if 4 * self.copied < FLOOR + _whole(time.process_time_ns()):
            return limits(most * BOTH, 0, most)
        return limits(0, 0)

    def may_search(self) -> bool:
        """Whether calls may still be copied on the chance that they take a new path."""
        return self.searched < FLOOR + _whole(time.process_time_ns()) // SEARCH

    def is_time(self) -> bool:
        """Whether enough has run since the last time to look again at the functions that had too little."""
        now = time.process_time_ns()
        if now - self.looked < AGAIN:
            return False
        self.looked = now
        return True


def _whole(time: int) -> int:
    return time - time % STEP


class Large:
    """The classes whose objects are too large to be copied whole: many functions are given a request or a view. What is cut cannot
    be made again, however much of it is copied.
    """

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict = {}  # by the names of a class: how often one was cut, the nodes of the largest one that was not

    def seen(self, held: tuple, walk: Capture, cut: bool) -> None:
        """Notes how large the objects were that a call was given, unless too little of it was copied to tell."""
        sizes = walk.sizes
        if cut and sum(sizes) < TELLING:
            return
        for v, size in zip(held, sizes):
            if size <= FEWEST or cut and 2 * size < sum(sizes):
                continue
            names = names_of(type(v))
            if names[0] == "builtins":
                continue  # lists and dicts are of any size
            known = self.known.setdefault(names, [0, 0])
            if cut:
                known[0] += 1
            else:
                known[1] = max(known[1], size)

    def most(self, held: tuple) -> int:
        """Gives how many nodes are copied of a call with these arguments at most."""
        most = CALLS.nodes
        for v in held if self.known else ():
            known = self.known.get(names_of(type(v)))
            if known is not None and known[0] >= WASTED:
                most = min(most, max(2 * known[1], _after(known[0])))
        return most


def _after(wasted: int) -> int:
    """Gives the nodes that are copied once so many calls were too large."""
    return CALLS.nodes if wasted < WASTED else CALLS.nodes // 8 if wasted < 2 * WASTED else FEWEST


def limits(left: int, wasted: int, most: int = CALLS.nodes) -> Limits:
    """Gives the limits of one call of a function that has `left` ns, of which `wasted` calls were too large."""
    most = min(most, _after(wasted))
    nodes = FEWEST
    while 2 * nodes <= most and 2 * nodes * BOTH <= left:
        nodes *= 2
    if 2 * nodes > most:
        nodes = max(most, FEWEST)
    found = _limits.get(nodes)
    if found is None:
        found = _limits[nodes] = Limits(nodes, CALLS.room, CALLS.text, CALLS.depth, CALLS.width)
    return found
