"""Answers which inputs beside the recorded ones two versions of a function tell apart.

This process imports nothing of the project: each version has a process of its own (`near_sides.py`). The order of what is tried
follows from the calls and the two texts alone; how far it gets is a matter of time.
"""

import base64
import marshal
import time
from collections.abc import Iterator

from pytead_tui.worker import callee as callees
from pytead_tui.worker import near_endings as endings
from pytead_tui.worker.near_distance import apart, between, distance, leaves
from pytead_tui.worker.near_kept import Common, is_outside, parts, size
from pytead_tui.worker.near_sides import Version, both, named_enums, outcome
from pytead_tui.worker.near_source import constants, edited_lines, expected
from pytead_tui.worker.near_values import Pools, near

ENOUGH = 400  # inputs, after which one difference is enough: about 0.3 seconds
MOST = 3  # differences of a function
TRIED = 6_000  # inputs of a function
BATCH, BATCHES = 64, 256  # inputs that one process is forked for, at first and later
BASES = 16  # recorded calls that inputs are made from
LARGE = 1_500  # parts and characters of a call that none are made from
CORPUS = 40  # inputs that took a new way, and are changed once more
CONFIRMED = 8  # differences that are looked at again
ROUNDS = 4  # steps towards a recorded call
CALL, RECORDED = 0.1, 2.0  # seconds of a call, at least, and of a recorded one
EDITED_MORE = 4  # times as many inputs from calls that run edited lines
DIFFER = "its recorded calls differ already"


class Input:
    """One input: the arguments, and the recorded call that they were made from."""

    def __init__(self, call: dict, told: list, way: str, base: "Input | None" = None) -> None:
        self.call = call
        self.told = told  # (name, kind, tree, given)
        self.way = way
        self.base = base or self
        self.values = {name: tree for name, _, tree, given in told if given != callees.LEFT_OUT}
        self.lines: tuple = (frozenset(), frozenset())
        self.outcomes: tuple = ()

    @classmethod
    def recorded(cls, call: dict) -> "Input":
        """Reads a recorded call."""
        told = list(marshal.loads(base64.b64decode(call["args"])))
        way = told.pop() if told and type(told[-1]) is str else ""
        full = [argument if len(argument) == 4 else (*argument, callees.UNKNOWN) for argument in told]
        return cls(call, full, way)

    def key(self) -> bytes:
        """Gives what tells it from other inputs."""
        return marshal.dumps([tree for _, _, tree, given in self.told if given != callees.LEFT_OUT], 2)

    def other(self, at: int, tree: object) -> "Input":
        """Gives the input with another value of one argument."""
        name, kind, _, given = self.told[at]
        given = callees.BY_NAME if given == callees.LEFT_OUT else given
        return Input(self.call, [*self.told[:at], (name, kind, tree, given), *self.told[at + 1 :]], self.way, self.base)

    def args(self) -> str:
        """Writes the arguments as those of a recorded call."""
        whole = (*self.told, self.way) if self.way else tuple(self.told)
        return base64.b64encode(marshal.dumps(whole, 2)).decode()

    def asked(self) -> tuple:
        """Gives the call as both versions take it: of the text of its caller only the new one knows."""
        call = {**self.call, "args": self.args()}
        return {name: held for name, held in call.items() if name != "sites"}, call


class Search:
    """The search for one function."""

    def __init__(
        self, item: dict, texts: "tuple[str, str]", versions: "tuple[Version, Version]", edited: "tuple | None" = None
    ) -> None:
        self.versions = versions
        self.recorded = [Input.recorded(call) for call in item["calls"]]
        self.common = Common([one.values for one in self.recorded])
        self.edited = edited_lines(*texts) if edited is None else edited
        self.pools = Pools(constants(list(zip(reversed(texts), reversed(self.edited))), item["qualname"]))
        for one in self.recorded:
            for name, tree in one.values.items():
                for place, part in parts(name, tree):
                    self.pools.learn(place, part)
        for name, trees in expected(list(texts), item["qualname"]).items():
            for tree in trees:
                if name in self.common.largest and not is_outside(name, tree):
                    self.common.allow(name, tree)
                    self.pools.learn(name, tree)
        self.raised: set = set()
        self.limit = RECORDED
        self.seen = {one.key() for one in self.recorded}
        self.ways: set = set()
        self.tried = 0
        self.again = [self._asked(**one) for one in item.get("again", ())]
        self.known: list = []  # those of them that still tell the versions apart
        self.found: list = []
        self.looked: set = set()  # kinds of differences that were looked at again

    def run(self, seconds: float) -> "str | None":
        """Searches; gives why there is nothing to search for."""
        began = time.monotonic()
        self._make(self.recorded)
        if not any(one.outcomes for one in self.recorded):
            return "no recorded call of it ends alone"
        if any(one.outcomes and differ(one.outcomes) for one in self.recorded):
            return DIFFER
        self.limit = max(CALL, 4 * (time.monotonic() - began) / len(self.recorded))
        self.raised = {endings.raised(one.outcomes[0]) for one in self.recorded if one.outcomes} - {None}
        self._look_at_known()
        began = time.monotonic()
        for some in self._batches():
            self._make(some)
            self.tried += len(some)
            for one in sorted((one for one in some if self._tells(one)), key=nearness):
                self._look_again(one)
            spent = time.monotonic() - began
            enough = len(self.found) >= MOST or len(self.looked) >= CONFIRMED or self.tried >= TRIED
            if enough or spent > seconds or self.tried >= ENOUGH and self.found:
                break
        self.found.sort(key=lambda one: (endings.rank(*one.outcomes), nearness(one)))
        del self.found[MOST:]
        return None

    def _asked(self, call: int, args: str) -> Input:
        """Reads an input that was found before, with the recorded call that it was near to."""
        base = next((one for one in self.recorded if one.call["key"] == call), self.recorded[0])
        read = Input.recorded({**base.call, "args": args})
        return Input(read.call, read.told, read.way, base)

    def _look_at_known(self) -> None:
        """Finds out which inputs of earlier searches still tell the versions apart: what they show is not shown at others, too."""
        if self.again:
            self._make(self.again)
        for one in self.again:
            self.seen.add(one.key())
            if self._tells(one) and self._is_stable(one):
                self.known.append(one)
                self.looked.add(self._kind(one))

    def _kind(self, one: Input) -> tuple:
        """Tells what kind of difference it is: how the calls ended, and which edited lines they ran."""
        return endings.rank(*one.outcomes), one.lines[1] & self.edited[1], one.lines[0] & self.edited[0]

    def _batches(self) -> "Iterator[list]":
        """Gives inputs, some at a time: by turns those of each recorded call and argument, and of each input that took a new way."""
        bases = [one for one in self.recorded if one.outcomes and size(one.values) <= LARGE]
        bases.sort(key=lambda one: not self._is_edited(one))
        turns: list = []
        ways: set = set()
        later = []
        for one in bases:
            (later if one.lines in ways else turns).append(one)
            ways.add(one.lines)
        self.ways = ways
        waiting = [(one, self._others(one)) for one in (turns + later)[:BASES]]
        corpus, full = 0, BATCH
        some: list = []
        # Where all of these were tried, those are changed once more that were tried, in their order.
        tried: list = []
        while waiting:
            left = []
            for base, others in waiting:
                turn = EDITED_MORE if self._is_edited(base) else 1
                for _ in range(turn):
                    one = next(others, None)
                    if one is None:
                        break
                    some.append(one)
                    if len(some) == full:
                        yield some
                        full = min(2 * full, BATCHES)
                        tried += some
                        for new in some:
                            if new.outcomes and new.lines not in self.ways:
                                self.ways.add(new.lines)
                                if corpus < CORPUS:
                                    corpus += 1
                                    left.append((new, self._others(new)))
                        some = []
                else:
                    left.append((base, others))
            waiting = left
            if not waiting and some:
                yield some
                tried += some
                some = []
            while not waiting and tried:
                one = tried.pop(0)
                waiting = [(one, self._others(one))] if one.outcomes and size(one.values) <= LARGE else []

    def _is_edited(self, one: Input) -> bool:
        return any(lines & edited for lines, edited in zip(one.lines, self.edited))

    def _others(self, one: Input) -> "Iterator[Input]":
        """Gives inputs near one, by turns those of each argument."""
        makers = [
            (at, near(name, tree, self.pools))
            for at, (name, kind, tree, given) in enumerate(one.told)
            if not (given == callees.LEFT_OUT and kind in (callees.POSITIONAL_ONLY, callees.REST, callees.KEYWORDS))
        ]
        while makers:
            left = []
            for at, values in makers:
                for tree in values:
                    other = self._new(one.other(at, tree))
                    if other is not None:
                        yield other
                        left.append((at, values))
                        break
            makers = left

    def _new(self, one: Input) -> "Input | None":
        """Gives an input, if it is new, not too large, and has all that recorded calls have in common."""
        try:
            key = one.key()
        except ValueError:
            return None
        if key in self.seen:
            return None
        self.seen.add(key)
        is_near = self.common.hold(one.values) and all(self.common.fits(name, tree) for name, tree in one.values.items())
        return one if is_near else None

    def _make(self, some: "list[Input]", second: bool = False) -> None:
        """Makes calls under both versions, and keeps how they ended where both did."""
        replies = both(self.versions, [one.asked() for one in some], self.limit, second)
        for one, pair in zip(some, replies):
            ended = tuple(map(outcome, pair))
            one.outcomes = () if None in ended or any(map(endings.is_limit, ended)) else ended
            if one.outcomes:
                one.lines = tuple(frozenset(reply["lines"]) for reply in pair)

    def _tells(self, one: Input) -> bool:
        """Tells whether the versions differ at an input that the old one takes as it takes recorded ones."""
        return bool(one.outcomes) and endings.is_usual(one.outcomes[0], self.raised) and differ(one.outcomes)

    def _look_again(self, one: Input) -> None:
        """Keeps a difference that is there each time, at the nearest input that shows it."""
        kind = self._kind(one)
        if len(self.found) >= MOST or len(self.looked) >= CONFIRMED or kind in self.looked:
            return
        self.looked.add(kind)
        nearest = self._nearest(one)
        for candidate in dict.fromkeys((nearest, one)):
            if self._is_stable(candidate):
                self.found.append(candidate)
                return

    def _is_stable(self, one: Input) -> bool:
        """Makes a call alone, once more, and with another clock and other chance: it ends the same way each time."""
        ends = []
        for second in (False, True):
            alone = Input(one.call, one.told, one.way, one.base)
            self._make([alone], second)
            if not self._tells(alone):
                return False
            ends.append([endings.plain(end) for end in alone.outcomes])
            one.outcomes, one.lines = (one.outcomes, one.lines) if second else (alone.outcomes, alone.lines)
        return ends[0] == ends[1]

    def _nearest(self, one: Input) -> Input:
        """Goes from a difference towards recorded calls, as long as it stays."""
        for _ in range(ROUNDS):
            one.base = min((base for base in self.recorded if base.outcomes), key=lambda base: gap(base, one))
            tried = []
            for at, (name, _, tree, given) in enumerate(one.told):
                if name in one.base.values and given != callees.LEFT_OUT and one.base.values[name] != tree:
                    for other in (one.base.values[name], *between(one.base.values[name], tree)):
                        tried.append(one.other(at, other))
            is_kept = self.common.hold
            known = {base.key() for base in self.recorded}
            tried = [other for other in tried if other.key() not in known and is_kept(other.values)][: 2 * BATCH]
            if not tried:
                break
            self._make(tried)
            closer = [other for other in tried if self._tells(other) and gap(one.base, other) < gap(one.base, one)]
            if not closer:
                break
            one = min(closer, key=lambda other: gap(one.base, other))
        return one

    def begin(self, item: dict, faulty: "dict | None" = None) -> "dict | None":
        """Has both versions import what the calls need, the second with a fault where it is given with one. Gives its answer; None
        where one ended."""
        enums = sorted({one for base in self.recorded for tree in base.values.values() for one in named_enums(tree)})
        begun: "dict | None" = None
        for version, asked in zip(self.versions, (item, faulty or item)):
            begun = version.begin(asked, enums)
            if begun is None or "broken" in begun:
                return begun
            self.pools.members.update({(module, name): members for module, name, members in begun["members"]})
        return begun

    def unmade(self) -> int:
        """Counts the recorded calls that did not end alone."""
        return sum(not one.outcomes for one in self.recorded)

    def reply(self) -> list:
        """Gives the differences, each with the nearest recorded call and how far that is."""
        found = self.known + self.found
        return [{**_words(one), "args": one.args(), "call": one.base.call["key"], **_ends(one)} for one in found]


def differ(outcomes: tuple) -> bool:
    """Tells whether two calls ended differently."""
    return outcomes[0] != outcomes[1] and endings.plain(outcomes[0]) != endings.plain(outcomes[1])


def gap(base: Input, one: Input) -> tuple:
    """Tells how far an input is from a recorded call."""
    many, away = 0, 0.0
    for name in sorted(base.values.keys() | one.values.keys()):
        if name in base.values and name in one.values:
            found = apart(base.values[name], one.values[name])
            many, away = many + found[0], away + found[1]
        else:
            many += 1
    return many, away


def nearness(one: Input) -> tuple:
    """Tells how near an input is to the one that it was made from, and how small."""
    return (*gap(one.base, one), size(one.values))


def _words(one: Input) -> dict:
    """Says how far an input is from the nearest recorded call: the argument, a code, and by how much."""
    base = one.base.values
    found = [
        (name + place, before, after)
        for name, tree in one.values.items()
        for place, before, after in (leaves(base[name], tree) if name in base else [("", None, tree)])
    ]
    if len(found) != 1:
        return {"place": "", "how": "several", "by": str(len(found))}
    place, before, after = found[0]
    how, by = distance(before, after)
    return {"place": place, "how": how, "by": by}


def _ends(one: Input) -> dict:
    old, new = (base64.b64encode(marshal.dumps(end, 2)).decode() for end in one.outcomes)
    return {"old": old, "new": new}
