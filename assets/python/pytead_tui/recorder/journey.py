"""Journeys: every call in order. Of an object is told what it is at first, and later what changed of it.

A long journey tells the later calls of a function briefly: their objects are named and not looked into.
Owns how a journey's values are told, and the beginning and the return of its calls. All else is endings.py's affair.
"""

from pytead_tui.recorder import redact, values
from pytead_tui.recorder.calls import Call
from pytead_tui.recorder.endings import Endings
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.looks import by_name, look
from pytead_tui.recorder.objects import oid, ordinal_of
from pytead_tui.recorder.own import __builtins__, sys, time
from pytead_tui.recorder.plans import isinstance_type, state
from pytead_tui.recorder.values import BRIEF, INT_BITS, JOURNEY, TAG, Capture, by_state, constants, cut_text

FULL = 1_000  # events in which every call is told in full;
FIRST = 3  # later on, so many calls of each function are
SHORT = 4_000  # events in which every call is told;
MOST = 50  # later on, so many calls of each function are

_PLAIN = frozenset(oid(t) for t in (type(None), bool, float, complex, type(...)))
_CHANGEABLE = frozenset(oid(t) for t in (list, dict, set, bytearray))
_LARGEST = 1 << INT_BITS
_LEAST = -_LARGEST
SHORT_TEXT = BRIEF.room // BRIEF.width - 16  # characters of a text in a container that is written as it is
SHORT_NAME = BRIEF.room // BRIEF.width // 2 - 16  # and of a dict's names and texts
_OBJECTS = ("obj", "sub", "ref")
_NO_COUNTS = [0, 0]
_modules = sys.modules


def _small(v: dict) -> "dict | None":
    """Gives a copy of a dict whose tree is that: few short names and scalars, none of them secret."""
    if not v:
        return {}
    if len(v) > BRIEF.width or redact.texts:
        return None
    pairs = list(dict.items(v))
    for name, x in pairs:
        if type(name) is not str or len(name) > SHORT_NAME or redact.word_or_beside(name) is not None:
            return None
        t = type(x)
        if t is str or t is bytes:
            if len(x) > SHORT_NAME:
                return None
        elif oid(t) not in _PLAIN and (t is not int or x.bit_length() > 64):
            return None
    return dict(pairs)


class Teller:
    """Tells the values of one journey, and keeps what was told of each object."""

    def __init__(self, recorder: object) -> None:
        self.recorder = recorder

    def begin(self, function: Function, frame: object, code: object, held: tuple) -> "Call | None":
        """Writes the beginning of a call. `code` is its frame's, `held` are the argument values.

        What happens at every call is written out here: in a journey, one more function called is felt.
        """
        recorder = self.recorder
        if not recorder.on or recorder.full:
            return None
        brief = function.brief
        if brief:
            if function.calls >= MOST and recorder.events >= SHORT:
                recorder.gap("repeats of " + function.module + ":" + function.qualname, function.calls)
                recorder.stop(function)
                return None
        elif function.calls >= FIRST and recorder.events >= FULL:
            brief = function.brief = True
        function.calls += 1
        function.dirty = True
        back = frame.f_back
        live = recorder.live
        around = live.get(oid(back)) if live and not recorder.made else None
        if around is not None and around.frame is not back:
            around = None  # a generator's, or none of ours: its code has to be looked at
        place = None if around is None else function.places.get((oid(around.code), back.f_lasti))
        if place is None:
            place = recorder.place(function, frame, back)
        else:
            place[3][0] += 1
        caller, line, direct, _, _, _ = place
        spool = recorder.spools.current()
        function.last = call = Call(function, frame, code, _NO_COUNTS)
        key = call.key
        call.spool = spool
        call.scope = scope = frame.f_globals
        met: list = []
        if brief:
            call.brief = True
            if function.words:
                trees = tuple([self._named(v, met, scope, word) for v, word in zip(held, function.words_of(held))])
            else:
                trees = tuple([
                    v if v is None or type(v) is bool else self._named(v, met, scope, None) for v in held
                ])  # fmt: skip
        else:
            call.lines = set()
            if not function.words and values.are_atoms(held, JOURNEY.text):
                trees = held
            else:
                trees, met, call.watched = self._arguments(function, held, scope)
        receiver = None
        if function.receiver and held:
            receiver = ordinal_of(trees[0])
            if receiver is not None and isinstance_type(held[0]):
                receiver = None
        if recorder.reaching:
            recorder.flush(spool)
        if around is not None and around.frame is back:
            parent = around.cid
        else:
            parent = recorder.parent(frame) if live or recorder.made else None
        # Nothing is called here, so no other thread and no signal handler comes between.
        recorder.next_call += 1
        cid = call.cid = recorder.base + recorder.next_call
        if key in live:
            recorder.lost(live[key])
        live[key] = call
        if not function.flags & 7:
            call.frame = frame
        function.inflight += 1
        for hook in function.hooks:
            hook.ends = hook.busy = True
        if function.fid not in spool.functions:
            recorder.announce(spool, function)
        if met:
            if receiver is not None and met[0].ordinal == receiver and function.qualname.endswith("__init__"):
                recorder.announce_objects(spool, met[:1], cid)
            recorder.announce_objects(spool, met, None)
        now = time.perf_counter_ns()
        task = recorder.task() if "_asyncio" in _modules else 0
        if brief:
            spool.write(("C", cid, function.fid, parent, now, direct, task, receiver, trees, caller, line, True))
        else:
            spool.write(("C", cid, function.fid, parent, now, direct, task, receiver, trees, caller, line))
        function.kept += 1
        recorder.events += 1
        if recorder.events >= recorder.most:
            recorder.cut()
        if now - recorder.summed_at > 1_000_000_000:
            recorder.summaries()
        return call

    def returned(self, call: Call, value: object, scope: object = None) -> None:
        """Ends a call by return."""
        recorder = self.recorder
        if not call.brief or recorder.unended:
            Endings.returned(recorder, call, value, scope)
            return
        now = time.perf_counter_ns()
        if recorder.reaching:
            recorder.flush(call.spool)
        call.done = True
        call.frame = None
        function = call.function
        if function.last is call:
            function.last = None  # it holds what was returned
        if recorder.live.get(call.key) is call:
            del recorder.live[call.key]
            function.inflight -= 1
        if function.inflight <= 0 and (function.hooks or not function.on):
            recorder.drained(function)
        recorder.events += 1
        if recorder.events >= recorder.most:
            recorder.cut()
        if value is None or value is True or value is False:
            tree = value
        else:
            met: list = []
            tree = self._named(value, met, scope, None)
            if met:
                recorder.announce_objects(call.spool, met, None)
        call.spool.write(("R", call.cid, now, tree, None))

    def _named(self, v: object, met: list, scope: "dict | None", word: "str | None") -> object:
        """Gives a value's tree in brief: objects by their ordinals, one level of a container. It is written at once."""
        t = type(v)
        if word is None:
            if t is str or t is bytes:
                if len(v) <= BRIEF.text:
                    if not redact.texts or redact.word_of(v) is None:
                        return v
                elif not redact.texts:
                    return cut_text(v)
            elif t is int:
                if _LEAST < v < _LARGEST and (not redact.numbers or v not in redact.numbers):
                    return v
            elif t is list or t is tuple:
                items = v[: BRIEF.width + 1]
                if len(items) <= BRIEF.width and (len(items) != 2 or redact.pair_word(items) is None):
                    if not items or values.are_atoms(items, SHORT_TEXT):
                        return items
                    row = self._row(items)
                    if row is not None:
                        return row if t is list else tuple(row)
            elif t is dict:
                small = _small(v)
                if small is not None:
                    return small
            else:
                sketch = self._sketch(v)
                if sketch is not None:
                    return sketch
                if oid(t) in _PLAIN:
                    return v
                if oid(t) in by_state:
                    entry = self.recorder.objects.of(v)
                    met.append(entry)
                    return entry.sketched()
        known = len(redact.texts)
        walk = Capture(self.recorder.objects, BRIEF, scope)
        tree = walk.value(v) if word is None else walk.masked(word, v, 0, numbers=True)
        if walk.shared:
            (tree,) = walk.ended([tree])
        met += walk.met
        return tree if len(redact.texts) == known else redact.without(tree)

    def _sketch(self, v: object) -> "tuple | None":
        """Gives the tree of an object that is known and not looked into, or None."""
        entry = self.recorder.objects.entries.get(oid(v))
        if entry is not None and entry.sketch is not None:
            if entry.cls is type(v) if entry.ref is None else entry.ref() is v:
                return entry.sketch
        constant = constants.get(oid(v))
        return constant[2] if constant is not None and constant[0].get(constant[1]) is v else None

    def _row(self, items: object) -> "list | None":
        """Gives the trees of a short container's items, if they are scalars and known objects, none of them twice."""
        row = []
        met = set()
        for v in items:
            t = type(v)
            if t is str:
                if len(v) > SHORT_TEXT or redact.texts:
                    return None
            elif t is int:
                if v.bit_length() > 64 or redact.numbers:
                    return None
            elif oid(t) not in _PLAIN:
                v = self._sketch(v)
                if v is None or oid(v) in met:
                    return None
                met.add(oid(v))
            row.append(v)
        return row

    def _arguments(self, function: Function, held: tuple, scope: dict) -> tuple:
        words = function.words_of(held)
        known = len(redact.texts)
        trees, watched = [], []
        walk = Capture(self.recorder.objects, JOURNEY, scope)
        for i, v in enumerate(held):
            word = words[i] if words else None
            tree = self._told(v, walk) if word is None else walk.masked(word, v, 0, numbers=True)
            trees.append(tree)
            if type(tree) is tuple and len(tree) > 2 and tree[0] is TAG and tree[1] in _OBJECTS:
                entry = self.recorder.objects.entries.get(oid(v))
                if entry is not None and entry.state is not None:
                    watched.append((i, entry, None if entry.ref is not None else v, None))
            elif oid(type(v)) in _CHANGEABLE:
                watched.append((i, None, v, look(v, 2)))
        trees = walk.ended(trees)
        return tuple(trees if len(redact.texts) == known else redact.without(trees)), walk.met, watched

    def _told(self, v: object, walk: Capture, now: "tuple | None" = None) -> object:
        """Gives a value's tree; of an object that was told before, what changed. `now` is how it looks, where that is known."""
        key = oid(type(v))
        if key in _PLAIN:
            return v
        entry = walk.objects.told(v)
        if entry is None:
            return walk.value(v)
        if oid(v) in walk.memo:
            return walk.again(v)
        before = entry.state
        if now is None:
            now = entry.seen(v)
        if now == before:
            walk.memo[oid(v)] = entry.ordinal
            return (TAG, "ref", entry.ordinal)
        if entry.readers is None:
            entry.state = None
            return walk.value(v)
        pairs = state(entry.readers, v)
        was = by_name(before)
        pairs = [pair for pair, look_now in zip(pairs, zip(now[1], now[2])) if was.get(pair[0]) != look_now]
        walk.memo[oid(v)] = entry.ordinal
        entry.state = now
        walk.mutable = True
        module, qualname = entry.names
        return (TAG, "obj", entry.ordinal, module, qualname, entry.kind, walk.fields(pairs, 0))

    def outcome(self, call: Call, value: object, scope: "dict | None") -> tuple:
        """Gives (tree of the outcome's value, {parameter: its tree} of what changed or None where that was not looked at,
        the objects met).
        """
        met: list = []
        if call.brief:
            return self._named(value, met, scope, None), None, met
        if not call.watched and values.are_atoms((value,), JOURNEY.text):
            return value, {}, met
        function = call.function
        changed = []
        for i, entry, v, before in call.watched:
            if entry is None:
                if look(v, 2) == before:
                    continue
                now = None
            else:
                if v is None:
                    v = entry.ref()
                    if v is None:
                        continue
                now = entry.seen(v)
                if now == entry.state:
                    continue
            changed.append((i, v, now))
        call.watched = []
        if not changed and values.are_atoms((value,), JOURNEY.text):
            return value, {}, met
        known = len(redact.texts)
        walk = Capture(self.recorder.objects, JOURNEY, scope)
        names, trees = [], []
        for i, v, now in changed:
            word = function.words[i] if function.words else None
            trees.append(self._told(v, walk, now) if word is None else walk.masked(word, v, 0, numbers=True))
            names.append(function.names[i])
        trees.append(self._told(value, walk))
        trees = walk.ended(trees)
        *trees, tree = trees if len(redact.texts) == known else redact.without(trees)
        return tree, dict(zip(names, trees)), walk.met

    def item(self, call: Call, value: object) -> tuple:
        """Gives (the tree of a value that a generator yields, the objects met)."""
        met: list = []
        if call.brief:
            return self._named(value, met, None, None), met
        known = len(redact.texts)
        walk = Capture(self.recorder.objects, JOURNEY)
        (tree,) = walk.ended([self._told(value, walk)])
        return tree if len(redact.texts) == known else redact.without(tree), walk.met
