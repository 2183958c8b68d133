"""Decides which calls are kept and writes how they begin: counters first, then the shape, then the values.

Owns the calls in flight; how they end is endings.py's affair, where they come from places.py's, what copying them may cost
copying.py's, and how events reach it monitor.py's (3.12 and later) or inject.py's.
No stack is kept: a call's parent is found by walking the frames, which is right for generators and
tasks, too, and costs only the calls that are kept.
"""

from pytead_tui.recorder import bindings, budget, changes, copies, functions, given, kinds, scenes, tasks, values
from pytead_tui.recorder.calls import Call, shape_of
from pytead_tui.recorder.command_line import note_argv
from pytead_tui.recorder.copying import Copying
from pytead_tui.recorder.endings import Endings
from pytead_tui.recorder.failures import PACKAGE, Failures
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.journey import Teller
from pytead_tui.recorder.objects import Objects, oid, ordinal_of
from pytead_tui.recorder.own import __builtins__, _thread, marshal, sys, time
from pytead_tui.recorder.places import Places
from pytead_tui.recorder.plans import isinstance_type
from pytead_tui.recorder.project import File, Project
from pytead_tui.recorder.spool import Full
from pytead_tui.recorder.spools import Spools

MOST_EVENTS = 20_000  # of a journey
MOST_OF_ALL = 500  # calls of a function in a process all of whose calls are kept
AGAIN = 400  # calls of a function with arguments that were seen, whose end is waited for
WALK = 250  # frames looked at for a parent

_modules = sys.modules


class Recorder(Copying, Endings, Failures, Places):
    """The recorder of this process."""

    def __init__(self, project: Project, spools: Spools, limit: int, mode: str) -> None:
        self.project = project
        self.spools = spools
        self.limit = limit
        self.calls = 0  # kept of each function at most; 0: as many as its shapes ask for
        self.journey = journey = mode == "journey"
        self.every = mode == "every"  # call is kept, one as the other: two runs are compared
        self.only: "frozenset | None" = None  # the functions whose calls are kept of them, as `module:qualname`
        self.most = MOST_EVENTS if journey else MOST_OF_ALL if self.every else functions.MOST
        self.test: "tuple | None" = None  # that runs, and its session: see current_test.py
        self.scene: object = None  # what it did so far: see scenes.py
        self.listener: object = None  # to what calls do besides, where two runs are compared: worker/side_effects.py
        self.sessions: dict = {}  # the numbers of sessions
        self.objects, self.tasks = Objects(), Objects()
        self.infos: dict = {}  # by identity of the code object; Function, never a foreign one
        self.functions: dict = {}
        self.live: dict = {}  # by identity of the frame
        self.unended: list = []  # (call, frame, exception or None, value) of ends that came at the recursion limit
        self.made: dict = {}  # by identity of its coroutine's frame: who made a task, see library.py
        self.reaching: dict = {}  # by a file's ordinal: the call whose lines are not written yet
        self.lock = _thread.RLock()
        self.teller: "Teller | None" = None
        self.text = values.CALLS.text
        if journey:
            self.teller = Teller(self)
            self.text = values.JOURNEY.text
            self.begin = self.teller.begin
            self.returned = self.teller.returned
        self.on = True
        self.errors = 0
        self.budget = budget.Budget()
        self.sleeping: list = []  # functions that copied too much for what the program computed so far
        self.gaps: set = set()
        self.base = 0
        self.events = 0
        self.sees_lines = False  # of calls that are not kept, too
        self.waited = False  # a call waited for its end since none was in flight
        self.full = False  # a journey that was cut: only ends are written
        self.next_call = 0
        self.next_module = 0
        self.next_function = 0
        self.numbered: dict = {}
        self.importers: dict = {}  # (path, name) of a module → (file, name) of the one that imported it first
        self.status: "int | None" = None  # the exit status, where it is known
        self.summed_at = time.perf_counter_ns()
        self.stops: list = []  # called at exit
        self.when_on: list = []  # called with a Function whose start events are wanted again
        self.when_off: list = []  # called with a Function whose start events are not wanted any more
        self.when_paused: list = []  # called when nothing more is recorded until the recorder is renewed
        self.when_renewed: list = []
        self.when_traced: list = []  # called with the frame that sets a trace function, where that is of concern
        self.when_test: list = []  # called when a test begins, where that is of concern
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
            found = self.functions.get(key, self)
            if found is not self:  # another thread came first
                return found
            made = None
            if self.project.wanted(module, file.dotted, qualname):
                self.next_function += 1
                fid = self.base + self.next_function
                made = Function(fid, file, module, qualname, line, flags, names, kinds)
                made.on = not self.full
                made.most = self.project.limits.get((module, qualname))
                self.numbered[fid] = made
            self.functions[key] = made
            return made

    def announce(self, spool: object, function: Function) -> None:
        """Writes M and F records that a file still lacks."""
        if function.fid in spool.functions:
            return
        mid = self._announce_module(spool, function.file, function.module)
        spool.write(function.record(mid))
        spool.functions.add(function.fid)

    def _announce_module(self, spool: object, file: File, name: str) -> int:
        mid = file.modules.get(name)
        if mid is None:
            self.next_module += 1
            mid = file.modules[name] = self.base + self.next_module
        if mid not in spool.modules:
            spool.modules.add(mid)
            importer = self.importers.get((file.path, name))
            by = None if importer is None else self._announce_module(spool, *importer)
            spool.write(("M", mid, name, file.relative, file.digest(), by))
        return mid

    def imported(self, file: File, name: str, frame: object) -> None:
        """Notes which module of the project brings in another one, which is being loaded inside this frame."""
        while frame is not None:
            source = frame.f_code.co_filename
            by = dict.get(frame.f_globals, "__name__")
            if by != "importlib" and not source.startswith(("<frozen importlib", PACKAGE)):
                importer = self.project.file(source)
                if importer is not None and not importer.test and type(by) is str and importer is not file:
                    self.importers.setdefault((file.path, name), (importer, by))
                return
            frame = frame.f_back

    # Calls.

    def begin(self, function: Function, frame: object, code: object, held: tuple) -> "Call | None":
        """Counts a call and keeps it when it brings something new. `code` is its frame's, `held` are the argument values."""
        if not self.on or self.full:
            return None
        function.calls += 1
        function.dirty = True
        if function.reads_argv:
            note_argv(self, frame)
        place = self.place(function, frame, frame.f_back)
        if self.every:
            is_heard = self.listener is not None and self.listener.called(self.live, function, frame.f_back, held)
            if self.only is not None and not self.only & function.ids():
                if not is_heard:
                    self.stop(function)
                return None
            call = self._keep(function, frame, code, held, [0, 0, MOST_OF_ALL, 0], False, place, False)
            self._limit_copying(function)
            if self.listener is not None and call is not None:
                call.mark = self.listener.begin(call if place[5] else None)
            return call
        outside = place[5]
        searching = False
        if (function.over or function.for_tests) and not (outside and function.beyond < budget.OUTSIDE):
            searching = function.searching and not function.for_tests
            if not searching:
                self._missed(function)
                return None
        shape = shape_of(held, outside)
        counts = function.shapes.get(shape)
        if counts is None:
            most = max(self.limit, function.most or 0) * (budget.OFTENER if outside else 1)
            most *= budget.ANSWERS if function.reaches_out else 1
            counts = function.shapes.setdefault(shape, [0, 0, most, 0])
        if (function.most or self.calls) and not self._takes_one(function):
            return None
        room = counts[functions.ROOM]
        full = counts[functions.RETURNED] >= room or counts[functions.RAISED] >= room
        waiting = searching or full
        # Where lines are not seen, nothing would tell that such a call takes a new path.
        if self.sees_lines and (full or counts[functions.IN_VAIN] >= functions.OF_A_SHAPE) and function.is_passed_over():
            function.taken -= bool(function.most or self.calls)
            self._missed(function)
            return None
        if not waiting:
            with self.lock:  # two threads may have seen room for the same last one
                waiting = counts[functions.RETURNED] >= room or counts[functions.RAISED] >= room
                counts[functions.RETURNED] += not waiting
        call = self._keep(function, frame, code, held, counts, waiting, place, searching)
        if call is None:
            counts[functions.IN_VAIN] += 1
            if not waiting:
                with self.lock:
                    counts[functions.RETURNED] -= 1
            function.taken -= bool(function.most or self.calls)
            self._missed(function)
        # Not before the call is in flight: its own end is still wanted.
        self._limit_copying(function)
        return call

    def _takes_one(self, function: Function) -> bool:
        """Takes one of the calls that are kept of a function at most."""
        with self.lock:
            if function.taken < (function.most or self.calls):
                function.taken += 1
                return True
        self._missed(function)
        return False

    def _keep(self, function, frame, code, held, counts, waiting, place, searching):  # type: ignore[no-untyped-def]
        met: list = []
        watched: list = []
        limits = values.CALLS
        if not function.words and values.are_atoms(held):
            trees = held
            blob = marshal.dumps(trees, 2)
            function.nodes = 0
        else:
            started = self._copying()
            limits = budget.limits(0, 0) if searching else self._limits(function, held, place[5])
            words = function.words_of(held)
            trees, walk = values.capture(self.objects, limits, held, words, self.scope(frame.f_globals))
            trees = tuple(trees)
            blob = values.normal(marshal.dumps(trees, 2), walk.marks)
            met = walk.met
            if walk.mutable:
                watched = changes.watch(held, trees, walk)
            function.nodes = self.objects.walked - started[1]
            cut = walk.nodes < 0 or walk.room <= 0
            function.wasted += cut
            self.budget.large.seen(held, walk, cut)
            if searching:
                self._count_searching(function, started)
                if cut:
                    return None
            else:
                self._count_copying(function, started)
        bound = self._bound(function, frame, code, held) if function.flags & functions.NESTED else None
        how = given.of(function, frame.f_back, code, held, bound)
        key = hash((blob, bound, given.left_out(how)))
        earlier = function.inputs.get(key)
        variant = 0
        scenes.again(self, function, frame, earlier)
        if earlier is not None and not function.reaches_out and not self.every:
            if self.test is None or waiting or function.again >= AGAIN:
                if not waiting:
                    function.repeats[earlier] = function.repeats.get(earlier, 0) + 1
                return None
            # What a web application does follows from more than its arguments: it is kept where it ends in a new way.
            function.again += 1
            variant = function.variants.get(key, 0) + 1
            waiting = searching = True
            with self.lock:
                counts[functions.RETURNED] -= 1
        spool = self.spools.current()  # which numbers calls anew in a child that Python was not told of
        call = Call(function, frame, code, counts)
        call.watched = watched
        call.spool = spool
        call.limits = limits
        with self.lock:
            self.next_call += 1
            call.cid = self.base + self.next_call
        receiver = None
        if function.receiver and held:
            receiver = None if isinstance_type(held[0]) else ordinal_of(trees[0])
            if receiver is not None and function.qualname.endswith("__init__"):
                self.announce_objects(spool, met[:1], call.cid)
        caller, line, direct = place[:3]
        record = ("C", call.cid, function.fid, self.parent(frame), time.perf_counter_ns(), direct, self.task(), receiver, trees,
                  caller, line, False, bound, how)  # fmt: skip
        call.inputs_key = key
        if variant:
            record = (*record, variant)
            call.repeated = earlier
            call.variant = variant
        with self.lock:
            before = self.live.get(call.key)
            if before is not None:
                self.lost(before)
            self.live[call.key] = call
            if not function.flags & 7:
                call.frame = frame
            function.inflight += 1
        for hook in function.hooks:
            hook.ends = hook.busy = True
        scenes.begins(self, call, frame, held)
        if waiting:
            call.waiting = (record, met)
            self.waited = True
            call.searching = searching
        else:
            self.write_call(call, record, met)
        if function.reads_argv:
            note_argv(self, frame)
        return call

    def _bound(self, function: Function, frame: object, code: object, held: tuple) -> "str | None":
        back = frame.f_back
        file = None if back is None else self.project.file(back.f_code.co_filename)
        callers = None if file is None or file.test else dict.get(back.f_globals, "__name__")
        return bindings.binding(function.module, frame, code, held, callers)

    def write_call(self, call: Call, record: tuple, met: list) -> None:
        function = call.function
        self.announce(call.spool, function)
        self.announce_objects(call.spool, met, None)
        if call.spool.test is not self.test:
            self._announce_test(call.spool)
        call.spool.write(record)
        scenes.written(call)
        function.inputs[call.inputs_key] = call.cid
        if call.variant:
            function.variants[call.inputs_key] = call.variant
        function.kept += 1
        function.misses = 0
        if function.kept >= self.most:
            self.stop(function)
        now = record[4]
        if now - self.summed_at > 1_000_000_000:
            self.summaries()

    def _announce_test(self, spool: object) -> None:
        """Writes which test the calls belong to that follow in a file."""
        spool.test = test = self.test
        name, session = test if test is not None else (None, None)
        number = None
        if session is not None:
            number = self.sessions.setdefault(session, len(self.sessions) + 1)
            if number not in spool.sessions:
                spool.sessions.add(number)
                spool.write(("K", number, *session))
        spool.write(("B", name, number))

    def scope(self, scope: object) -> object:
        """Gives where names of values are looked for besides their own modules: nowhere where two runs are compared, since that
        follows from which functions are recorded.
        """
        return () if self.every else scope

    # Budgets.

    def _missed(self, function: Function) -> None:
        function.misses += 1
        if function.misses >= (functions.HURRY if function.over and not function.searching else functions.PATIENCE):
            self.stop(function)

    def count_event(self) -> None:
        """Counts what a journey holds and cuts it when it is long: from then on, only the ends of calls are written."""
        self.events += 1
        if self.events >= self.most:
            self.cut()

    def cut(self) -> None:
        """Ends a journey that is long."""
        if self.full:
            return
        self.full = True
        self.gap("journey cut", self.events)
        for function in list(self.numbered.values()):
            self.stop(function)

    def stop(self, function: Function) -> None:
        """Ends a function's start events; those of its calls in flight go on."""
        if not function.on or function.reads_argv and not self.every and not self.full:
            return
        function.on = False
        if not self.sees_lines and not self.journey:
            function.missed.add(0)
        for hook in function.hooks:
            hook.on = False
            hook.busy = hook.ends or function.asks
        self._tell(self.when_off, function)
        if function.inflight <= 0:
            self._tell(self.when_drained, function)
        if not function.for_tests:  # told once already, and told again at the end
            self._summarise(function)

    def wake(self) -> list:
        """Gives the functions that may copy again, now that the program has computed more, and whose start events are
        wanted again for that.
        """
        if not self.on or self.full or not self.budget.is_time():
            return []
        most = self.budget.of_a_function()
        with self.lock:
            woken = [f for f in self.sleeping if 2 * f.spent < most]
            self.sleeping = [f for f in self.sleeping if 2 * f.spent >= most]
        for function in woken:
            function.over = function.for_tests = function.searching = False
            function.misses = 0
        woken = [function for function in woken if not function.on]
        for function in woken:
            function.on = True
            for hook in function.hooks:
                hook.on = hook.busy = True
            self._tell(self.when_on, function)
        return woken

    def _tell(self, listeners: list, function: Function) -> None:
        for listener in listeners:
            listener(function)

    def _summarise(self, function: Function) -> None:
        spool = self.spools.current()
        self.announce(spool, function)
        function.dirty = False
        spool.write(function.summary())

    def summaries(self) -> None:
        """Writes the counts that changed since they were written."""
        self.summed_at = time.perf_counter_ns()
        for function in list(self.numbered.values()):
            if function.dirty:
                self._summarise(function)

    def gap(self, reason: str, count: int) -> None:
        """Says, once, that something is missing."""
        if reason in self.gaps:
            return
        self.gaps.add(reason)
        try:
            self.spools.current().write(("G", reason, count))
        except (Full, OSError, ValueError):
            pass

    # Parts of records.

    def parent(self, frame: object) -> "int | None":
        """Gives the nearest call around a frame that is in the spool; around a task's, that is who made the task."""
        live = self.live
        made = self.made
        left = WALK
        while frame is not None and left:
            if made:
                task = self.made_task(frame)
                if task is not None:
                    return task.parent
            frame = frame.f_back
            if frame is None:
                break
            call = live.get(oid(frame))
            if call is not None and call.waiting is None and call.runs_in(frame):
                if call.suspended:
                    self.woken(call)
                return call.cid
            left -= 1
        return None

    def made_task(self, frame: object) -> object:
        """Gives what is known of the making of a task whose coroutine's frame this is, see library.py; else None."""
        made = self.made.get(oid(frame))
        coroutine = None if made is None else made()
        # When the coroutine has ended, another frame may have the address of its own.
        return made if coroutine is not None and coroutine.cr_frame is frame else None

    def call_around(self, frame: object) -> "Call | None":
        """Gives the nearest kept call in flight around a frame."""
        left = WALK
        while frame is not None and left:
            call = self.live.get(oid(frame))
            if call is not None and call.waiting is None and call.runs_in(frame):
                return call
            frame = frame.f_back
            left -= 1
        return None

    def calls_around(self, frame: object) -> "list[Call]":
        """Gives the calls in flight around a frame that are kept, or wait for their end to be, the nearest first."""
        found = []
        left = WALK
        while frame is not None and left:
            call = self.live.get(oid(frame))
            if call is not None and call.runs_in(frame):
                found.append(call)
            frame = frame.f_back
            left -= 1
        return found

    def _edge(self, caller: int, function: Function) -> None:
        function.edges.add(caller)
        spool = self.spools.current()
        self.announce(spool, function)
        if caller not in spool.functions:
            self.announce(spool, self.numbered[caller])
        spool.write(("D", caller, function.fid))

    def announce_objects(self, spool: object, met: list, maker: "int | None") -> None:
        for entry in met:
            if not entry.announced:
                entry.announced = True
                spool.write(("O", entry.ordinal, *entry.names, maker))

    def task(self) -> int:
        task = tasks.current() if "_asyncio" in _modules else None
        return 0 if task is None else self.tasks.of(task).ordinal

    # The end.

    def finish(self) -> None:
        """Writes the last counts and the end."""
        if not self.on:
            return
        try:
            scenes.test_ends(self)  # unittest does not say that its last test ended
            self._end_late()
            self.summaries()
            self._tell_of_copies()
            self._announce_loaded()
            known = list(self.numbered.values())
            counters = {
                "functions": len(known),
                "calls": sum(f.calls for f in known),
                "kept": sum(f.kept for f in known),
                "errors": self.errors,
            }
            self.spools.current().write(("Z", self._exit_status(), counters))
        except (Full, OSError, ValueError):
            pass
        self.on = False
        self.live.clear()

    def _tell_of_copies(self) -> None:
        """Says which of the project's modules ran as an installed copy: people wonder where their calls are."""
        if self.project.only_marked:
            return
        for name, here, found in copies.elsewhere(self.project):
            self.gap("%s ran from %s and not from %s: install the project, pip install -e ." % (name, found, here), 1)

    def _announce_loaded(self) -> None:
        """Names the project's modules that were loaded and have no recorded function, such as a framework's settings."""
        if self.project.only_marked:
            return
        spool = self.spools.current()
        for name, module in list(_modules.items()):
            path = module.__dict__.get("__file__") if type(module) is kinds.Module and type(name) is str else None
            file = self.project.file(path) if type(path) is str else None
            if file is not None and not file.test and not file.modules:
                self.next_module += 1
                # What it was when it was loaded is not known any more.
                spool.write(("M", self.base + self.next_module, name, file.relative, "", None))

    def _exit_status(self) -> "int | None":
        """Gives the status with which the process ends, as far as Python tells."""
        tb = getattr(sys, "last_traceback", None)
        if tb is not None and tb.tb_frame.f_code.co_name == "<module>":
            if dict.get(tb.tb_frame.f_globals, "__name__") == "__main__":
                return 130 if sys.last_type is KeyboardInterrupt else 1
        return self.status

    def pause(self) -> None:
        """Stops, until the recorder is renewed."""
        self.on = False
        for call in list(self.live.values()):
            call.done = True
        self.live.clear()
        for pause in self.when_paused:
            pause()

    def renew(self, folder: str) -> None:
        """Begins anew in another folder, with nothing known of what was recorded before."""
        self.spools.folder = folder
        self.after_fork()
        self.events = self.errors = 0
        self.full = False
        self.on = True
        for function in list(self.numbered.values()):
            if not function.on:
                function.on = True
                self._tell(self.when_on, function)
        for renew in self.when_renewed:
            renew()

    def after_fork(self) -> None:
        """Makes the child a recorded process of its own."""
        self.lock = _thread.RLock()
        for call in list(self.live.values()):
            call.done = True  # in this process: its file is the parent's
        self.live.clear()
        self.unended.clear()
        self.reaching.clear()
        self.made.clear()
        self.gaps.clear()
        self.scene, self.objects = None, Objects()
        self.tasks = Objects()
        self.spools.after_fork()
        self.budget = budget.Budget()
        self.next_call = 0
        for function in list(self.numbered.values()):
            function.inflight = 0
            function.reset()
            for hook in function.hooks:
                hook.ends = False
                hook.busy = hook.on or function.asks
        self.summed_at = time.perf_counter_ns()
