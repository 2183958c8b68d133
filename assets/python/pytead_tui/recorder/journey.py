"""Journeys: every call in order. Of an object is told what it is at first, and later what changed of it.

A long journey tells the later calls of a function briefly: their objects are named and not looked into.
Owns how a journey's values are told, and the beginning and the return of its calls. All else is endings.py's affair.
"""

import time

from pytead_tui.recorder import redact, values
from pytead_tui.recorder.calls import Call
from pytead_tui.recorder.endings import Endings
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.looks import by_name, look
from pytead_tui.recorder.objects import oid, ordinal_of
from pytead_tui.recorder.plans import isinstance_type, state
from pytead_tui.recorder.values import BRIEF, INT_BITS, JOURNEY, TAG, Capture

FULL = 2_000  # events in which every call is told in full;
FIRST = 10  # later on, so many calls of each function are
SHORT = 4_000  # events in which every call is told;
MOST = 100  # later on, so many calls of each function are

_PLAIN = frozenset(oid(t) for t in (type(None), bool, float, complex, type(...)))
_CHANGEABLE = frozenset(oid(t) for t in (list, dict, set, bytearray))
_TEXTS = frozenset((oid(str), oid(bytes)))
_INT = oid(int)
_OBJECTS = ("obj", "sub", "ref")
_NO_COUNTS = [0, 0]
_now = time.perf_counter_ns


class Teller:
    """Tells the values of one journey, and keeps what was told of each object."""

    def __init__(self, recorder: object) -> None:
        self.recorder = recorder

    def begin(self, function: Function, frame: object, held: tuple) -> "Call | None":
        """Writes the beginning of a call. `held` are the argument values."""
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
        place = recorder.place(function, frame)
        spool = recorder.spools.current()
        call = Call(function, oid(frame), frame.f_code, _NO_COUNTS)
        call.spool = spool
        call.scope = frame.f_globals
        function.last = call
        receiver = None
        met: list = []
        if brief:
            call.brief = True
            trees = []
            for i, v in enumerate(held):
                trees.append(self._named(v, met, frame.f_globals, function.words[i] if function.words else None))
            trees = tuple(trees)
        else:
            call.lines = set()
            if not function.words and values.are_atoms(held, JOURNEY.text):
                trees = held
            else:
                trees, met, call.watched = self._arguments(function, held, frame.f_globals)
        if function.receiver and held and not isinstance_type(held[0]):
            receiver = ordinal_of(trees[0])
        if recorder.reaching:
            recorder.flush(spool)
        live = recorder.live
        parent = recorder.parent(frame) if live or recorder.made else None
        with recorder.lock:
            recorder.next_call += 1
            cid = call.cid = recorder.base + recorder.next_call
            before = live.get(call.key)
            if before is not None:
                recorder.lost(before)
            live[call.key] = call
            function.inflight += 1
        for hook in function.hooks:
            hook.ends = hook.busy = True
        if receiver is not None and met and function.qualname.endswith("__init__") and met[0].ordinal == receiver:
            recorder.announce_objects(spool, met[:1], cid)
        caller, line, direct = place[:3]
        record = ("C", cid, function.fid, parent, _now(), direct, recorder.task(), receiver, trees, caller, line)
        recorder.write_call(call, record + (True,) if brief else record, met)
        return call

    def returned(self, call: Call, value: object, scope: object = None) -> None:
        """Ends a call by return."""
        recorder = self.recorder
        if not call.brief or recorder.unended:
            Endings.returned(recorder, call, value, scope)
            return
        now = _now()
        if recorder.reaching:
            recorder.flush(call.spool)
        recorder.close_call(call)
        recorder.count_event()
        met: list = []
        tree = self._named(value, met, scope, None)
        if met:
            recorder.announce_objects(call.spool, met, None)
        call.spool.write(("R", call.cid, now, tree, None))

    def _named(self, v: object, met: list, scope: "dict | None", word: "str | None") -> object:
        """Gives a value's tree in brief: objects by their ordinals, one level of a container."""
        key = oid(type(v))
        if key in _PLAIN:
            return v
        if word is None:
            if key == _INT:
                if v.bit_length() <= INT_BITS:
                    return v
            elif key in _TEXTS:
                if len(v) <= BRIEF.text and not (redact.texts and redact.word_of(v)):
                    return v
            else:
                entry = self.recorder.objects.entries.get(oid(v))
                if entry is not None and entry.sketch is not None:
                    if entry.cls is type(v) if entry.ref is None else entry.ref() is v:
                        return entry.sketch
        walk = Capture(self.recorder.objects, BRIEF, scope)
        tree = walk.value(v) if word is None else walk.masked(word, v, 0, numbers=True)
        if walk.shared:
            (tree,) = walk.ended([tree])
        met += walk.met
        return tree

    def _arguments(self, function: Function, held: tuple, scope: dict) -> tuple:
        words = function.words
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
        return tuple(walk.ended(trees)), walk.met, watched

    def _told(self, v: object, walk: Capture) -> object:
        """Gives a value's tree; of an object that was told before, what changed."""
        key = oid(type(v))
        if key in _PLAIN:
            return v
        entry = walk.objects.told(v)
        if entry is None:
            return walk.value(v)
        if oid(v) in walk.memo:
            return walk.again(v)
        before, now = entry.state, entry.seen(v)
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
        objects = self.recorder.objects
        walk = Capture(objects, JOURNEY, scope)
        function = call.function
        names, trees = [], []
        for i, entry, v, before in call.watched:
            if entry is None:
                if look(v, 2) == before:
                    continue
            else:
                if v is None:
                    v = entry.ref()
                    if v is None:
                        continue
                if entry.seen(v) == entry.state:
                    continue
            word = function.words[i] if function.words else None
            trees.append(self._told(v, walk) if word is None else walk.masked(word, v, 0, numbers=True))
            names.append(function.names[i])
        call.watched = []
        trees.append(self._told(value, walk))
        *trees, tree = walk.ended(trees)
        return tree, dict(zip(names, trees)), walk.met

    def item(self, call: Call, value: object) -> tuple:
        """Gives (the tree of a value that a generator yields, the objects met)."""
        met: list = []
        if call.brief:
            return self._named(value, met, None, None), met
        walk = Capture(self.recorder.objects, JOURNEY)
        (tree,) = walk.ended([self._told(value, walk)])
        return tree, walk.met
