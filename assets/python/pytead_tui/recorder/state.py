"""Decides which calls are kept and writes them: counters first, then the shape, then the values.

Owns the calls in flight. How events reach it is monitor.py's (3.12 and later) or inject.py's affair.
No stack is kept: a call's parent is found by walking the frames, which is right for generators and
tasks, too, and costs only the calls that are kept.
"""

import _thread
import marshal
import sys
import time

from pytead_tui.recorder import functions, values
from pytead_tui.recorder.calls import Call, shape_of, sized
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import Objects, mro_of, names_of, oid
from pytead_tui.recorder.project import File, Project
from pytead_tui.recorder.spool import Full, Spools

PACKAGE = (lambda: None).__code__.co_filename.rpartition("recorder")[0]
MOST_ERRORS = 100
MOST_YIELDS = 1_000  # of one generator that are copied; the rest is written as cut
MOST_EVENTS = 20_000  # of a journey
WALK = 250  # frames looked at for a parent

_now = time.perf_counter_ns
_work = time.thread_time_ns
_traceback = BaseException.__dict__["__traceback__"].__get__
_cause = BaseException.__dict__["__cause__"].__get__
_context = BaseException.__dict__["__context__"].__get__
_quiet = BaseException.__dict__["__suppress_context__"].__get__
_COMPREHENSIONS = frozenset(("<listcomp>", "<dictcomp>", "<setcomp>"))


class Recorder:
    """The recorder of this process."""

    def __init__(self, project: Project, spools: Spools, limit: int, journey: bool) -> None:
        self.project = project
        self.spools = spools
        self.limit = limit
        self.journey = journey
        self.most = MOST_EVENTS if journey else functions.MOST
        self.limits = values.JOURNEY if journey else values.CALLS
        self.objects = Objects()
        self.tasks = Objects()
        self.infos: dict = {}  # by identity of the code object; Function, never a foreign one
        self.functions: dict = {}
        self.live: dict = {}  # by identity of the frame
        self.lock = _thread.RLock()
        self.on = True
        self.errors = 0
        self.copied = 0  # ns
        self.gaps: set = set()
        self.base = 0
        self.events = 0
        self.next_call = 0
        self.next_module = 0
        self.next_function = 0
        self.numbered: dict = {}
        self.summed_at = _now()
        self.stops: list = []  # called at exit
        self.when_off: list = []  # called with a Function whose start events are not wanted any more
        self.when_drained: list = []  # called with a Function that has no call in flight any more

    # Functions.

    def function(self, file: File, module: str, qualname: str, line: int, flags: int, names: tuple,
                 kinds: tuple) -> "Function | None":  # fmt: skip
        """Gives the function of a definition, one for all its code objects; None when it is not wanted."""
        key = (file.path, module, qualname, line)
        found = self.functions.get(key, self)
        if found is not self:
            return found
        with self.lock:
            made = None
            if self.project.wanted(module, file.dotted, qualname):
                self.next_function += 1
                fid = self.base + self.next_function
                made = Function(fid, file, module, qualname, line, flags, names, kinds)
                self.numbered[fid] = made
            self.functions[key] = made
            return made

    def announce(self, spool: object, function: Function) -> None:
        """Writes M and F records that a file still lacks."""
        if function.fid in spool.functions:
            return
        file = function.file
        mid = file.modules.get(function.module)
        if mid is None:
            self.next_module += 1
            mid = file.modules[function.module] = self.base + self.next_module
        if mid not in spool.modules:
            spool.write(("M", mid, function.module, file.relative, file.digest(), None))
            spool.modules.add(mid)
        spool.write(function.record(mid))
        spool.functions.add(function.fid)

    # Calls.

    def begin(self, function: Function, frame: object, held: tuple) -> "Call | None":
        """Counts a call and keeps it when it brings something new. `held` are the argument values."""
        if not self.on:
            return None
        function.calls += 1
        function.dirty = True
        back = frame.f_back
        while back is not None and back.f_code.co_name in _COMPREHENSIONS:
            back = back.f_back
        caller, line, direct = None, None, True
        if back is not None:
            code = back.f_code
            caller = self.infos.get(oid(code))
            if caller is not None:
                caller, line, direct = caller.fid, back.f_lineno, False
                if caller not in function.edges:
                    self._edge(caller, function)
            else:
                file = self.project.file(code.co_filename)
                if file is not None:
                    line, direct = back.f_lineno, file.test
        callers = function.callers
        place = (caller, line)
        if place in callers:
            callers[place] += 1
        elif len(callers) < functions.CALLERS:
            callers[place] = 1
        else:
            callers[None, None] = callers.get((None, None), 0) + 1

        counts = [0, 0]
        waiting = False
        if not self.journey:
            shape = shape_of(held, direct)
            known = function.shapes.get(shape)
            if known is None:
                function.shapes[shape] = counts
            else:
                counts = known
                if counts[0] >= self.limit or counts[1] >= self.limit:
                    waiting = True
                    if counts[0] >= self.limit and counts[1] >= self.limit or function.generates:
                        self._missed(function)
                        return None
        call = self._keep(function, frame, held, counts, waiting, back, (caller, line, direct))
        if call is None:
            self._missed(function)
        # Not before the call is in flight: its own end is still wanted.
        self._limit_copying(function)
        return call

    def _keep(self, function, frame, held, counts, waiting, back, origin):  # type: ignore[no-untyped-def]
        marks: list = []
        met: list = []
        watched: list = []
        if not function.words and values.are_atoms(held):
            trees = held
            blob = marshal.dumps(trees, 2)
        else:
            started = _work()
            trees, walk = values.capture(self.objects, self.limits, held, function.words, frame.f_globals)
            trees = tuple(trees)
            blob = values.normal(marshal.dumps(trees, 2), walk.marks)
            marks, met = walk.marks, walk.met
            if walk.mutable:
                watched = self._watch(function, held, trees, marks, frame.f_globals)
            self._count_copying(function, started)
        if not self.journey:
            key = hash(blob)
            earlier = function.inputs.get(key)
            if earlier is not None:
                if not waiting:
                    function.repeats[earlier] = function.repeats.get(earlier, 0) + 1
                return None
        call = Call(function, oid(frame), frame.f_code, counts)
        call.watched = watched
        with self.lock:
            self.next_call += 1
            call.cid = self.base + self.next_call
        spool = call.spool = self.spools.current()
        receiver = None
        if function.receiver and held:
            receiver = _ordinal_of(trees[0], met)
            if receiver is not None and function.qualname.endswith("__init__"):
                self._announce_objects(spool, met[:1], call.cid)
        caller, line, direct = origin
        record = ("C", call.cid, function.fid, self.parent(back), _now(), direct, self._task(), receiver, trees,
                  caller, line)  # fmt: skip
        if not self.journey:
            call.inputs_key = key
        with self.lock:
            before = self.live.get(call.key)
            if before is not None:
                self._lost(before)
            self.live[call.key] = call
            function.inflight += 1
        for hook in function.hooks:
            hook.ends = hook.busy = True
        if waiting:
            call.waiting = (record, met)
        else:
            self._write_call(call, record, met)
            counts[0] += 1
        return call

    def _write_call(self, call: Call, record: tuple, met: list) -> None:
        function = call.function
        self.announce(call.spool, function)
        self._announce_objects(call.spool, met, None)
        call.spool.write(record)
        if not self.journey:
            function.inputs[call.inputs_key] = call.cid
        function.kept += 1
        function.misses = 0
        self.events += 1
        if self.journey:
            if self.events >= MOST_EVENTS:
                self.gap("journey cut", self.events)
                self.switch_off()
        elif function.kept >= self.most:
            self.stop(function)
        now = record[4]
        if now - self.summed_at > 1_000_000_000:
            self.summaries()

    def _watch(self, function, held, trees, marks, scope):  # type: ignore[no-untyped-def]
        """Notes how each changeable argument looks now, to tell at the end whether it changed."""
        watched = []
        changeable = [i for i, tree in enumerate(trees) if not values.are_atoms((tree,))]
        for i in changeable:
            value = held[i]
            if len(changeable) == 1:
                blob = values.normal(marshal.dumps(trees[i], 2), marks)
            else:
                tree, walk = values.capture(self.objects, self.limits, (value,), function.words[i : i + 1], scope)
                if not walk.mutable:
                    continue
                blob = values.normal(marshal.dumps(tree[0], 2), walk.marks)
            ref = None if sized(value) else self.objects.of(value).ref
            watched.append((i, value if ref is None else None, ref, blob))
        return watched

    def _changed(self, call: Call, scope: object) -> list:
        """Gives what changed since the call began: (name, value, secret word, its tree alone, the walk)."""
        function = call.function
        changed = []
        for i, value, ref, blob in call.watched:
            if ref is not None:
                value = ref()
                if value is None:
                    continue
            words = function.words[i : i + 1]
            trees, walk = values.capture(self.objects, self.limits, (value,), words, scope)
            if values.normal(marshal.dumps(trees[0], 2), walk.marks) != blob:
                changed.append((function.names[i], value, words[0] if words else None, trees[0], walk))
        call.watched = []
        return changed

    def _ended(self, call: Call, value: object, scope: object) -> tuple:
        """Gives (tree of the outcome's value, changed) and writes the objects met."""
        plain = values.are_atoms((value,))
        if plain and not call.watched:
            return value, {}
        started = _work()
        changed = self._changed(call, scope)
        if plain and len(changed) <= 1:
            tree, trees = value, [c[3] for c in changed]
            met = changed[0][4].met if changed else []
        else:
            # In one walk: what is reached from several sides is written once.
            held, words = [value, *(c[1] for c in changed)], [None, *(c[2] for c in changed)]
            (tree, *trees), walk = values.capture(self.objects, self.limits, held, words, scope)
            met = walk.met
        self._announce_objects(call.spool, met, None)
        self._spend(call.function, started)
        return tree, {c[0]: t for c, t in zip(changed, trees)}

    def returned(self, call: Call, value: object, scope: object = None) -> None:
        """Ends a call by return."""
        now = _now()
        self._close(call)
        if call.waiting is not None:
            if call.counts[0] >= self.limit:
                self._missed(call.function)
                return
            call.counts[0] += 1
            self._late(call)
        tree, changed = self._ended(call, value, scope)
        call.spool.write(("R", call.cid, now, tree, changed))

    def raised(self, call: Call, error: BaseException, frame: object) -> None:
        """Ends a call by exception."""
        now = _now()
        self._close(call)
        if call.waiting is not None:
            if call.counts[1] >= self.limit:
                self._missed(call.function)
                return
            self._late(call)
        else:
            call.counts[0] -= 1
        call.counts[1] += 1
        tree, changed = self._ended(call, error, frame.f_globals)
        mro = tuple("%s:%s" % names_of(cls) for cls in mro_of(type(error)) if cls is not object)
        line, tb = None, _traceback(error)
        while tb is not None:
            if tb.tb_frame is frame:
                line = tb.tb_lineno
                break
            tb = tb.tb_next
        cause = _cause(error)
        if cause is None and not _quiet(error):
            cause = _context(error)
        number = None if cause is None else self.objects.of(cause).ordinal
        call.spool.write(("X", call.cid, now, tree, mro, line, number, changed))

    def _late(self, call: Call) -> None:
        """Writes a call whose outcome decided that it is kept."""
        record, met = call.waiting
        call.waiting = None
        self._write_call(call, record, met)

    def yielded(self, call: Call, value: object) -> None:
        """Notes a value that a generator yields."""
        call.suspended = True
        call.yields += 1
        if values.are_atoms((value,)):
            tree = value
        elif call.yields > MOST_YIELDS:
            tree = (values.TAG, "cut", names_of(type(value))[1], None, "", "", "")
        else:
            started = _work()
            trees, walk = values.capture(self.objects, self.limits, (value,))
            tree = trees[0]
            self._announce_objects(call.spool, walk.met, None)
            self._spend(call.function, started)
        call.spool.write(("Y", call.cid, _now(), tree))

    def resumed(self, call: Call) -> None:
        """Notes that a generator goes on."""
        if call.suspended:
            call.suspended = False
            call.spool.write(("S", call.cid, _now()))

    def thrown(self, call: Call, closed: bool) -> None:
        """Notes that a generator was closed or thrown into."""
        call.suspended = False
        call.closed = closed
        call.spool.write(("T", call.cid, _now(), "closed" if closed else "thrown"))

    def abandoned(self, call: Call) -> None:
        """Ends a generator that was closed without being resumed."""
        if not call.done:
            self._close(call)
            self.thrown(call, True)

    def ended_by(self, call: Call, error: BaseException, frame: object) -> None:
        """Ends a call by an exception that may be a generator's closing."""
        closed = type(error) is GeneratorExit and call.function.generates
        if call.suspended or closed and not call.closed:
            self.thrown(call, closed)
        if closed:
            self._close(call)
        else:
            self.raised(call, error, frame)

    def _close(self, call: Call) -> None:
        call.done = True
        function = call.function
        with self.lock:
            if self.live.get(call.key) is call:
                del self.live[call.key]
                function.inflight -= 1
            drained = function.inflight <= 0
        if drained:
            for hook in function.hooks:
                hook.ends = False
                hook.busy = hook.on
            if not function.on:
                self._tell(self.when_drained, function)

    def _lost(self, call: Call) -> None:
        """Drops a call whose end was not seen: its frame's address is in use again."""
        call.done = True
        self.live.pop(call.key, None)
        call.function.inflight -= 1

    # Budgets.

    def _missed(self, function: Function) -> None:
        function.misses += 1
        if function.misses >= functions.PATIENCE and not self.journey:
            self.stop(function)

    def _spend(self, function: Function, started: int) -> None:
        self._count_copying(function, started)
        self._limit_copying(function)

    def _count_copying(self, function: Function, started: int) -> None:
        took = _work() - started
        function.spent += took
        self.copied += took

    def _limit_copying(self, function: Function) -> None:
        most = functions.COPYING if self.copied < functions.COPYING_ALL else functions.COPYING_LATER
        if function.spent > most and function.on and not self.journey:
            self.gap("budget of " + function.module + ":" + function.qualname, function.kept)
            self.stop(function)

    def stop(self, function: Function) -> None:
        """Ends a function's start events; those of its calls in flight go on."""
        if not function.on:
            return
        function.on = False
        for hook in function.hooks:
            hook.on = False
            hook.busy = hook.ends
        self._tell(self.when_off, function)
        if function.inflight <= 0:
            self._tell(self.when_drained, function)
        self._summarise(function)

    def _tell(self, listeners: list, function: Function) -> None:
        for listener in listeners:
            listener(function)

    def _summarise(self, function: Function) -> None:
        spool = self.spools.main()
        self.announce(spool, function)
        function.dirty = False
        spool.write(function.summary())

    def summaries(self) -> None:
        """Writes the counts that changed since they were written."""
        self.summed_at = _now()
        for function in list(self.numbered.values()):
            if function.dirty:
                self._summarise(function)

    def gap(self, reason: str, count: int) -> None:
        """Says, once, that something is missing."""
        if reason in self.gaps:
            return
        self.gaps.add(reason)
        try:
            self.spools.main().write(("G", reason, count))
        except (Full, OSError, ValueError):
            pass

    # Parts of records.

    def parent(self, frame: object) -> "int | None":
        """Gives the nearest call around a frame that is in the spool."""
        live = self.live
        left = WALK
        while frame is not None and left and live:
            call = live.get(oid(frame))
            if call is not None and call.code is frame.f_code and call.waiting is None:
                return call.cid
            frame = frame.f_back
            left -= 1
        return None

    def call_around(self, frame: object) -> "Call | None":
        """Gives the nearest call in flight around a frame."""
        left = WALK
        while frame is not None and left:
            call = self.live.get(oid(frame))
            if call is not None and call.code is frame.f_code:
                return call if call.waiting is None else None
            frame = frame.f_back
            left -= 1
        return None

    def _edge(self, caller: int, function: Function) -> None:
        function.edges.add(caller)
        spool = self.spools.current()
        self.announce(spool, function)
        if caller not in spool.functions:
            self.announce(spool, self.numbered[caller])
        spool.write(("D", caller, function.fid))

    def _announce_objects(self, spool: object, met: list, maker: "int | None") -> None:
        for entry in met:
            if not entry.announced:
                entry.announced = True
                spool.write(("O", entry.ordinal, *entry.names, maker))

    def _task(self) -> int:
        loops = sys.modules.get("_asyncio")
        tasks = sys.modules.get("asyncio.tasks")
        if loops is None or tasks is None:
            return 0
        loop = loops._get_running_loop()
        if loop is None:
            return 0
        task = tasks.current_task(loop)
        return 0 if task is None else self.tasks.of(task).ordinal

    # Failures.

    def failed(self, error: BaseException) -> None:
        """Swallows a failure of ours. Raises again what is not ours: what a signal handler raised."""
        if not isinstance(error, Exception):
            raise error
        if isinstance(error, (Full, OSError)) and _is_ours(error):
            self.gap("spool full or unwritable", 1)
            self.switch_off()
            return
        if not _is_ours(error):
            raise error
        self.errors += 1
        if self.errors >= MOST_ERRORS:
            self.gap("recorder error: " + type(error).__name__, self.errors)
            self.switch_off()

    def switch_off(self) -> None:
        """Stops everything, for good."""
        if not self.on:
            return
        self.on = False
        for function in list(self.numbered.values()):
            function.on = False
            for hook in function.hooks:
                hook.on = hook.ends = hook.busy = False
            for listener in self.when_off + self.when_drained:
                try:
                    listener(function)
                except Exception:
                    self.errors += 1

    def finish(self) -> None:
        """Writes the last counts and the end."""
        if not self.on:
            return
        try:
            self.summaries()
            known = list(self.numbered.values())
            counters = {
                "functions": len(known),
                "calls": sum(f.calls for f in known),
                "kept": sum(f.kept for f in known),
                "errors": self.errors,
            }
            self.spools.main().write(("Z", None, counters))
        except (Full, OSError, ValueError):
            pass
        self.on = False
        self.live.clear()

    def after_fork(self) -> None:
        """Makes the child a recorded process of its own."""
        self.lock = _thread.RLock()
        self.live.clear()
        self.gaps.clear()
        self.objects = Objects()
        self.tasks = Objects()
        self.spools.after_fork()
        self.next_call = 0
        for function in list(self.numbered.values()):
            function.inflight = 0
            function.reset()
            for hook in function.hooks:
                hook.ends = False
                hook.busy = hook.on
        self.summed_at = _now()


def _ordinal_of(tree: object, met: list) -> "int | None":
    if type(tree) is tuple and len(tree) > 2 and tree[0] is StopIteration and tree[1] in ("obj", "sub", "exc"):
        return tree[2]
    return None


def _is_ours(error: BaseException) -> bool:
    tb = _traceback(error)
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    return tb is None or tb.tb_frame.f_code.co_filename.startswith(PACKAGE)
