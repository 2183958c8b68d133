"""Writes how calls end, and what happens between their start and their end: yields, throws, lines.

The half of the recorder that deals with calls in flight; state.py's `Recorder` is the whole, and sets every attribute
that is used here.
"""

from pytead_tui.recorder import changes, effects, functions, given, scenes, values
from pytead_tui.recorder.calls import Call, shape_of
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import Objects, mro_of, names_of, oid
from pytead_tui.recorder.own import __builtins__, marshal, sys, time

HELD = 200  # records of a generator that waits for its end: one that goes on for longer is not kept
JOINED = 8  # calls of a function that are kept for a line, while they are under way
LOOK = values.Limits(200, 8 << 10, values.STRING, 6, 64)  # of what tells one result from another
ENDS = 8  # results of calls with equal arguments that are told apart
UNTOLD = (values.TAG, "cut", "object", None, "", "", "")
MOST_YIELDS = 1_000  # of one generator that are copied; the rest is written as cut

_traceback = BaseException.__dict__["__traceback__"].__get__
_cause = BaseException.__dict__["__cause__"].__get__
_context = BaseException.__dict__["__context__"].__get__
_quiet = BaseException.__dict__["__suppress_context__"].__get__


class Endings:
    """What a recorder does with calls in flight."""

    def join(self, function: Function, frame: object, code: object) -> "Call | None":
        """Keeps a call of a test that is under way and was not copied, since it runs a line that no kept call ran. What it was given
        is not told, for it may have changed by now: the test shows it when it runs again.
        """
        if self.test is None or not self.on or self.full or self.every or function.flags & 7 or function.joined >= JOINED:
            return None
        function.joined += 1
        call = Call(function, frame, code, [0, 0, 0, 0])
        call.spool = self.spools.current()
        call.limits = values.CALLS
        caller, line, direct, counted, *_ = self.place(function, frame, frame.f_back)
        counted[0] -= 1  # it was counted when it began
        with self.lock:
            self.next_call += 1
            call.cid = self.base + self.next_call
            before = self.live.get(call.key)
            if before is not None:
                self.lost(before)
            self.live[call.key] = call
            call.frame = frame
            function.inflight += 1
        for hook in function.hooks:
            hook.ends = hook.busy = True
        call.inputs_key = hash((UNTOLD, call.cid))
        trees = (UNTOLD,) * len(function.names)
        how = given.UNKNOWN * (1 + len(trees))
        self.write_call(call, ("C", call.cid, function.fid, self.parent(frame), time.perf_counter_ns(), direct, self.task(), None, trees,
                               caller, line, False, None, how, function.joined), [])  # fmt: skip
        return call

    def _ended(self, call: Call, value: object, scope: object) -> tuple:
        """Gives (tree of the outcome's value, changed) and writes the objects met."""
        if self.teller is not None:
            self.count_event()
            tree, changed, met = self.teller.outcome(call, value, scope)
            self.announce_objects(call.spool, met, None)
            return tree, changed
        if call.mark is not None and not call.yields:  # else it holds what others did between
            tree, changed = self._outcome(call, value, scope)
            return tree, {**changed, **self.listener.end(call.mark, call.key)}
        return self._outcome(call, value, scope)

    def _outcome(self, call: Call, value: object, scope: object) -> tuple:
        if not call.watched and values.are_atoms((value,), self.text):
            return value, {}
        started = self._copying()
        tree, changed, met = changes.outcome(call, value, self.objects, self.scope(scope))
        self.announce_objects(call.spool, met, None)
        self._spend(call.function, started)
        return tree, changed

    def returned(self, call: Call, value: object, scope: object = None) -> None:
        """Ends a call by return."""
        if self.unended:
            self._end_late()
        now = time.perf_counter_ns()
        if self.reaching:
            self.flush(call.spool)
        self.close_call(call)
        ends_otherwise = self.test is not None and not call.yields and self._ends_otherwise(call, value, scope)
        if not self._decides(call, 0, (min(call.yields, 3), *shape_of((value,), False)), ends_otherwise):
            return
        if call.folder is not None:
            scenes.ended(self, call)
        tree, changed = self._ended(call, value, scope)
        call.spool.write(("R", call.cid, now, tree, changed))

    def raised(self, call: Call, error: BaseException, frame: object) -> None:
        """Ends a call by exception."""
        if self.unended:
            self._end_late()
        now = time.perf_counter_ns()
        if self.reaching:
            self.flush(call.spool)
        self.close_call(call)
        was_waiting = call.waiting is not None
        raised_at = _line_in(frame, error)
        if not self._decides(call, 1, (oid(type(error)), raised_at)):
            return
        if not was_waiting:
            with self.lock:
                call.counts[functions.RETURNED] -= 1
                call.counts[functions.RAISED] += 1
        if call.folder is not None:
            scenes.ended(self, call)
        tree, changed = self._ended(call, error, frame.f_globals)
        mro = tuple("%s:%s" % names_of(cls) for cls in mro_of(type(error)) if cls is not object)
        cause = _cause(error)
        if cause is None and not _quiet(error):
            cause = _context(error)
        line = raised_at
        if line is None and cause is not None and type(error) is RuntimeError:
            line = _line_in(frame, cause)  # of a StopIteration that may not leave a generator
        number = None if cause is None else self.objects.of(cause).ordinal
        call.spool.write(("X", call.cid, now, tree, mro, line, number, changed))

    def _ends_otherwise(self, call: Call, value: object, scope: object) -> bool:
        """Whether a call with arguments that were seen gives something that none of them gave: a view without parameters
        answers what the request asked."""
        if values.are_atoms((value,), self.text):
            look = hash(marshal.dumps(value, 2))
        else:
            started = self._copying()
            trees, walk = values.capture(Objects(), LOOK, (value,), (), self.scope(scope))
            look = hash(values.normal(marshal.dumps(trees[0], 2), walk.marks))
            self._spend(call.function, started)
        looks = call.function.ends.setdefault(call.inputs_key, set())
        known = look in looks or len(looks) == ENDS
        looks.add(look)
        return call.repeated is not None and not known

    def _decides(self, call: Call, ending: int, outcome: tuple, ends_otherwise: bool = False) -> bool:
        """Whether a call is kept now that it has ended. One that waited has to bring something new: an outcome, a path, or,
        where its shape has room left, its arguments.
        """
        if self.journey or self.every:
            return True
        function = call.function
        new = ends_otherwise or outcome not in function.outcomes and len(function.outcomes) < functions.OUTCOMES
        if call.waiting is not None:
            fits = len(call.held) < HELD
            has_room = fits and not call.searching and self._has_room(call.counts, ending)
            if not has_room and not (fits and (new or call.new)):
                if call.repeated is not None:
                    function.repeats[call.repeated] = function.repeats.get(call.repeated, 0) + 1
                call.counts[functions.IN_VAIN] += 1
                self._missed(function)
                return False
            self._late(call)
        if new:
            function.outcomes.add(outcome)
        return True

    def _has_room(self, counts: list, ending: int) -> bool:
        """Takes a place among the calls of a shape that end in one way, if there is one left; threads come together here."""
        with self.lock:
            free = counts[ending] < counts[functions.ROOM]
            counts[ending] += free
        return free

    def _end_late(self) -> None:
        """Ends the calls that ended where the stack had no room left for us."""
        while self.unended:
            call, frame, error, value = late = self.unended.pop(0)
            rest, self.unended = self.unended, []
            try:
                if error is None:
                    self.returned(call, value, frame.f_globals)
                else:
                    self.raised(call, error, frame)
            except RecursionError:
                rest.insert(0, late)
                raise
            finally:
                self.unended += rest

    def _late(self, call: Call) -> None:
        """Writes a call whose outcome decided that it is kept."""
        record, met = call.waiting
        call.waiting = None
        if call.lines:
            call.function.lines |= call.lines
            call.function.missed -= call.lines
        self.write_call(call, record, met)
        effects.write_remembered(call)
        for record in call.held:
            call.spool.write(record)
        call.held = []

    def _note(self, call: Call, record: tuple) -> None:
        """Writes what happened in a call, or keeps it with one that waits for its end."""
        if call.waiting is None:
            call.spool.write(record)
        elif call.held:
            if len(call.held) < HELD:
                call.held.append(record)
        else:
            call.held = [record]

    def yielded(self, call: Call, value: object) -> None:
        """Notes a value that a generator yields."""
        call.suspended = True
        call.yields += 1
        if self.journey:
            self.flush(call.spool)
            if self.full:
                return
            self.count_event()
        if values.are_atoms((value,), self.text):
            tree = value
        elif call.yields > MOST_YIELDS:
            tree = (values.TAG, "cut", names_of(type(value))[1], None, "", "", "")
        elif self.teller is not None:
            tree, met = self.teller.item(call, value)
            self.announce_objects(call.spool, met, None)
        else:
            started = self._copying()
            limits = call.limits if call.searching else self._limits(call.function, (value,))
            trees, walk = values.capture(self.objects, limits, (value,))
            tree = trees[0]
            self.announce_objects(call.spool, walk.met, None)
            if call.searching:
                self._count_searching(call.function, started)
            else:
                self._spend(call.function, started)
        self._note(call, ("Y", call.cid, time.perf_counter_ns(), tree))

    def resumed(self, call: Call) -> None:
        """Notes that a generator goes on."""
        if call.suspended:
            call.suspended = False
            if self.journey:
                self.flush(call.spool)
                if self.full:
                    return
                self.count_event()
            self._note(call, ("S", call.cid, time.perf_counter_ns()))

    def thrown(self, call: Call, closed: bool) -> None:
        """Notes that a generator was closed or thrown into."""
        call.suspended = False
        call.closed = closed
        if self.reaching:
            self.flush(call.spool)
        if self.journey:
            self.count_event()
        self._note(call, ("T", call.cid, time.perf_counter_ns(), "closed" if closed else "thrown"))

    def reached(self, call: Call, line: int) -> None:
        """Notes a statement's line that a call of a journey reaches for the first time; of calls that are told briefly,
        any call of the function.
        """
        if self.full:
            return
        call.function.lines.add(line)
        if not call.brief:
            call.lines.add(line)
        spool = call.spool
        if self.reaching.get(spool.ordinal) is not call:
            self.flush(spool)
            self.reaching[spool.ordinal] = call
        if call.reached:
            call.reached.append(line)
        else:
            call.reached = [line]

    def flush(self, spool: object) -> None:
        """Writes the lines that were reached before what is written next."""
        call = self.reaching.pop(spool.ordinal, None)
        if call is not None:
            lines, call.reached = tuple(call.reached), []
            spool.write(("L", call.cid, lines))

    def woken(self, call: Call) -> None:
        """Notes what resumed a generator without a value: the exception that it handles now tells."""
        self.thrown(call, type(sys.exc_info()[1]) is GeneratorExit)

    def abandoned(self, call: Call) -> None:
        """Ends a generator that was closed without being resumed."""
        if not call.done:
            self.thrown(call, True)
            self._closed(call)

    def ended_by(self, call: Call, error: BaseException, frame: object) -> None:
        """Ends a call by an exception that may be a generator's closing."""
        closed = type(error) is GeneratorExit and call.function.generates
        if call.suspended or closed and not call.closed:
            self.thrown(call, closed)
        if closed:
            self._closed(call)
        else:
            self.raised(call, error, frame)

    def _closed(self, call: Call) -> None:
        """Ends a generator that was closed."""
        self.close_call(call)
        if call.waiting is not None:
            self._decides(call, 0, (min(call.yields, 3), "closed"))

    def close_call(self, call: Call) -> None:
        """Takes a call out of those in flight."""
        call.done = True
        call.frame = None
        function = call.function
        if function.last is call:
            function.last = None  # it holds what was returned, and what may have changed
        with self.lock:
            if self.live.get(call.key) is call:
                del self.live[call.key]
                function.inflight -= 1
            drained = function.inflight <= 0
            self.waited = self.waited and len(self.live) > 0
        if drained:
            self.drained(function)

    def drained(self, function: Function) -> None:
        """Says that no call of a function is in flight any more."""
        for hook in function.hooks:
            hook.ends = False
            hook.busy = hook.on or function.asks
        if not function.on:
            self._tell(self.when_drained, function)

    def lost(self, call: Call) -> None:
        """Drops a call whose end was not seen: its frame's address is in use again."""
        call.done = True
        call.frame = None
        if call.function.last is call:
            call.function.last = None
        self.live.pop(call.key, None)
        call.function.inflight -= 1


def _line_in(frame: object, error: BaseException) -> "int | None":
    """Gives the line of a frame by which an exception passed."""
    tb = _traceback(error)
    while tb is not None:
        if tb.tb_frame is frame:
            return tb.tb_lineno
        tb = tb.tb_next
    return None
