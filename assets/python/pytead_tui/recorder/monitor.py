"""Feeds the recorder from sys.monitoring: Python 3.12 and later.

Start events are global and switched off for each foreign code object at its first call, and for each
project function once enough of it is kept; the other events are local to project code.
"""

from pytead_tui.recorder import debugger, effects, functions, kinds, library, statements
from pytead_tui.recorder.calls import PATIENCE, Call
from pytead_tui.recorder.command_line import reads_argv
from pytead_tui.recorder.direct import Direct
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__, _thread, gc, sys
from pytead_tui.recorder.plans import lookup
from pytead_tui.recorder.project import File
from pytead_tui.recorder.state import Recorder

_IDS = (3, 4, 5, 2)  # 0 is a debugger's, 1 coverage's
_OPTIMIZED = 1
_GENERATED = "<string>", "<attrs generated"  # the files of what `dataclasses` and `attrs` write
_AFTER_YIELD, _AFTER_YIELD_FROM = 1, 2
_OUTERMOST = frozenset(("<module>", "_run_module_as_main"))
_exit_code = SystemExit.__dict__["code"].__get__
MOST_CODES = 1000  # code objects of one function: source that is compiled again and again


class _Ending:
    """Hangs on a generator's frame: from 3.13 on, closing one may end it without any event."""

    __slots__ = ("recorder", "call")

    def __init__(self, recorder: Recorder, call: Call) -> None:
        self.recorder = recorder
        self.call = call

    def __call__(self, frame: object, event: str, arg: object) -> None:
        """Is there for a debugger that starts while this hangs in the place of a frame's trace function."""

    def __del__(self) -> None:
        try:
            if self.recorder.on and not self.call.done and not _runs(self.call.key):
                self.recorder.abandoned(self.call)
        except Exception:
            pass


def _runs(key: int) -> bool:
    """Whether a frame is on this thread's stack: a debugger took its trace function's place."""
    frame = sys._getframe(1)
    while frame is not None and oid(frame) != key:
        frame = frame.f_back
    return frame is not None


def install(recorder: Recorder) -> bool:
    """Subscribes to the interpreter's events under a tool id of our own; False when none is free."""
    monitoring = sys.monitoring
    events = monitoring.events
    disable = monitoring.DISABLE
    tool = None
    for candidate in _IDS:
        try:
            monitoring.use_tool_id(candidate, "pytead-tui")
            tool = candidate
            break
        except ValueError:
            continue
    if tool is None:
        return False

    infos = recorder.infos
    live = recorder.live
    reaching = recorder.reaching
    getframe = sys._getframe
    endings = sys.version_info >= (3, 13)
    snapshot = not endings
    failed = recorder.failed
    begin = recorder.begin
    main = _thread.get_ident()
    recorder.status = 0  # unless something else is seen
    begins_of: dict = {}  # by identity of the code object: (its function, its statements)
    silent: list = []  # while a debugger runs: True, and the code objects that we do not listen to for that time
    starts = events.PY_START | events.PY_UNWIND | events.PY_THROW

    def adopt(code: object, frame: object) -> "Function | None":
        name = code.co_name
        if name == "<module>":
            loaded(code, frame)
        file = recorder.project.file(code.co_filename)
        if name.startswith("<") or name == "__annotate__" or not code.co_flags & _OPTIMIZED:
            if file is not None and name not in ("<module>", "__annotate__"):
                hear(code)
            return None
        qualname = code.co_qualname
        if file is None:
            if name == "__init__" and code.co_filename.startswith(_GENERATED):
                hear(code)
            return None
        if recorder.project.passes_over(file, qualname):
            if direct is not None:
                direct.ask(code)
            return None
        module = dict.get(frame.f_globals, "__name__")
        if type(module) is not str:
            return None
        if not code.co_varnames and not _is_defined(file, code, module, qualname):
            return None
        names, parameter_kinds = functions.parameters(code)
        held = frame.f_locals
        first = held.get(names[0]) if names else None
        if snapshot:
            held.clear()
        flags = functions.flags_of(code, qualname)
        if functions.takes_receiver(code, qualname, module, first):
            flags |= functions.RECEIVER
        function = recorder.function(file, module, qualname, code.co_firstlineno, flags, names, parameter_kinds)
        if function is None or len(function.codes) >= MOST_CODES:
            return None
        function.codes.append(code)
        function.reads_argv |= reads_argv(code)
        infos[oid(code)] = function
        if function.on:
            if recorder.journey:
                begins_of[oid(code)] = function, statements.of(file, code)
            effects.install(recorder)
            listen(function, code)
        return function

    # A journey tells each line; else the lines tell the calls that take a new path.
    lines = 0 if recorder.project.only_marked and not recorder.journey else events.LINE

    recorder.sees_lines = lines > 0 and not recorder.journey

    def listen(function: Function, code: object) -> None:
        local = events.PY_RETURN | events.CALL
        if function.generates:
            local |= events.PY_YIELD | events.PY_RESUME
        local |= lines
        monitoring.set_local_events(tool, code, local)

    def hear(code: object) -> None:
        """Hears what a lambda, a generator expression, the body of a class or a generated `__init__` asks its surroundings for.
        They are no functions of their own: it is an effect of the call around.
        """
        monitoring.set_local_events(tool, code, events.CALL)

    def brighten(function: Function) -> None:
        function.dim = False
        if function.brief:
            return
        for code in function.codes:
            local = monitoring.get_local_events(tool, code)
            monitoring.set_local_events(tool, code, local & ~events.LINE)
            monitoring.set_local_events(tool, code, local)

    def loaded(code: object, frame: object) -> None:
        file = recorder.project.file(code.co_filename)
        name = dict.get(frame.f_globals, "__name__")
        if file is not None and not file.test and type(name) is str:
            recorder.imported(file, name, frame.f_back)

    def started(code: object, offset: int) -> object:
        function = infos.get(oid(code))
        try:
            if function is None:
                frame = getframe(1)
                if recorder.sleeping:
                    wake()
                function = adopt(code, frame)
                if function is None:
                    known = library.of(code)
                    if known is None:
                        return disable
                    names, look = known
                    if live or look in library.ALWAYS:
                        held = frame.f_locals
                        args = tuple([held[name] for name in names])
                        if snapshot:
                            held.clear()
                        look(recorder, frame, args)
                    return None
            else:
                frame = getframe(1)
            if not function.on:
                return disable
            if function.dim:
                brighten(function)
            held = frame.f_locals
            args = tuple([held[name] for name in function.names])
            if snapshot:
                held.clear()  # it hangs on the frame, and would keep the arguments alive
            call = begin(function, frame, code, args)
            if call is not None and endings and function.flags & 7 and frame.f_trace is None:
                frame.f_trace = _Ending(recorder, call)
        except RecursionError:
            if function is not None:
                function.sure = False
        except BaseException as error:
            if function is not None:
                function.sure = False
            failed(error, function)
        return None

    def returned(code: object, offset: int, value: object) -> None:
        if not live:
            return
        function = infos.get(oid(code))
        if function is not None and function.inflight == 1 and function.sure and function.on:
            # Whose return it is can only be one call: looking at the frame would be felt.
            call = function.last
            if call is not None and not call.done and call.code is code:
                try:
                    recorder.returned(call, value, call.scope)
                    return
                except RecursionError:
                    pass
                except BaseException as error:
                    failed(error, function)
                    return
        frame = getframe(1)
        call = live.get(oid(frame))
        if call is None or call.code is not code:
            return
        try:
            recorder.returned(call, value, frame.f_globals)
        except RecursionError:
            recorder.unended.append((call, frame, None, value))
        except BaseException as error:
            failed(error, infos.get(oid(code)))

    def unwound(code: object, offset: int, error: BaseException) -> None:
        function = infos.get(oid(code))
        if function is None:
            if type(error) is SystemExit:
                leaving(error)
            return
        if function.flags & 7 and not _began(code, offset):
            return
        frame = getframe(1)
        call = live.get(oid(frame)) if live else None
        if call is not None and call.code is not code:
            call = None
        if function.on or call is not None:
            function.raised += type(error) is not GeneratorExit
            function.dirty = True
        if call is None:
            return
        try:
            recorder.ended_by(call, error, frame)
        except RecursionError:
            recorder.unended.append((call, frame, error, None))
        except BaseException as other:
            failed(other, function)

    def leaving(error: SystemExit) -> None:
        try:
            frame = getframe(2)
            if frame.f_back is None and _thread.get_ident() == main and frame.f_code.co_name in _OUTERMOST:
                code = _exit_code(error)
                recorder.status = 0 if code is None else code & 255 if type(code) is int else 1
        except RecursionError:
            pass
        except BaseException as other:
            failed(other)

    def yielded(code: object, offset: int, value: object) -> None:
        if not live:
            return
        try:
            call = live.get(oid(getframe(1)))
            if call is None or call.code is not code:
                return
            how = _after(call.function, code, offset)
            if how == _AFTER_YIELD:
                if call.function.flags & functions.ASYNC_GENERATOR:
                    value = _unwrapped(value)
                recorder.yielded(call, value)
            elif how == _AFTER_YIELD_FROM and call.function.flags & functions.GENERATOR:
                recorder.yielded(call, value)
                call.suspended = False  # going on inside `yield from` is not noted
        except RecursionError:
            pass
        except BaseException as error:
            failed(error, infos.get(oid(code)))

    def resumed(code: object, offset: int) -> None:
        if not live:
            return
        try:
            call = live.get(oid(getframe(1)))
            if call is not None and call.code is code:
                recorder.resumed(call)
        except RecursionError:
            pass
        except BaseException as error:
            failed(error, infos.get(oid(code)))

    def thrown(code: object, offset: int, error: BaseException) -> None:
        if not live or oid(code) not in infos:
            return
        try:
            call = live.get(oid(getframe(1)))
            if call is not None and call.code is code and call.suspended:
                recorder.thrown(call, type(error) is GeneratorExit)
        except RecursionError:
            pass
        except BaseException as other:
            failed(other, infos.get(oid(code)))

    def line(code: object, number: int) -> object:
        if not live:
            return None
        try:
            function, begins = begins_of[oid(code)]
            if begins is not None:
                number = begins.get(number)
                if number is None:
                    return disable
            if function.brief:
                if number not in function.lines and not recorder.full:
                    call = live.get(oid(getframe(1)))
                    if call is None or call.code is not code:
                        return None
                    recorder.reached(call, number)
                return disable
            call = function.last
            if function.inflight != 1 or call is None or call.done or not function.sure or not function.on:
                call = live.get(oid(getframe(1)))
                if call is None or call.code is not code:
                    return None
            if number in call.lines:
                call.repeats += 1
                if call.repeats > PATIENCE and function.inflight == 1:
                    function.dim = True
                    return disable
            else:
                if call.reached and reaching.get(call.spool.ordinal) is call:
                    call.lines.add(number)
                    call.reached.append(number)
                    function.lines.add(number)
                else:
                    recorder.reached(call, number)
        except RecursionError:
            pass
        except BaseException as error:
            failed(error, infos.get(oid(code)))
        return None

    def ran(code: object, number: int) -> object:
        if oid(code) in direct.expected:
            direct.entered(code, getframe(1))
        function = infos.get(oid(code))
        if function is None or number in function.lines:
            return disable
        try:
            call = live.get(oid(getframe(1)))
            if call is None or call.code is not code:
                if function.found(number):
                    call = recorder.join(function, getframe(1), code)
                if call is None or call.code is not code:
                    return None if function.on and function.noise < functions.MISSED else disable
                listen(function, code)  # nothing may listen to its end any more
            if call.waiting is None:
                function.lines.add(number)
                function.missed.discard(number)
            else:
                call.new = True
                call.lines = {*call.lines, number}
        except RecursionError:
            pass
        except BaseException as error:
            failed(error, function)
        return disable

    def called(code: object, offset: int, callee: object, first: object) -> object:
        if direct is not None and oid(code) in direct.asked:
            return direct.called(getframe(1), callee)
        try:
            found = effects.of(callee)
            if found is None:
                draw = effects.drawn(callee, first)
                if draw is not None:
                    _asks(code)
                    if live:
                        effects.note_drawn(recorder, getframe(1), *draw)
                    return None
                if not effects.is_environ(first):
                    return disable
                found = "env", "os.environ"
            _asks(code)
            if live:
                effects.note(recorder, getframe(1), *found)
        except RecursionError:
            pass
        except BaseException as error:
            failed(error)
        return None

    def _asks(code: object) -> None:
        function = infos.get(oid(code))
        if function is not None:
            function.asks = True

    def wake() -> None:
        woken = recorder.wake()
        for function in woken:
            for code in function.codes:
                listen(function, code)
        if woken:
            monitoring.restart_events()

    def traced(frame: object) -> None:
        if not debugger.starts(frame):
            return
        if debugger.leaves(frame):
            if silent:
                speak()
            return
        debugger.hide(frame.f_globals.get("Bdb"), frame, {})
        if not endings:
            return
        if not silent:
            silent.append(True)
            recorder.gap("a debugger ran: nothing was recorded meanwhile", 1)
        # Where anybody listens to starts, or to what is local to the code, the debugger misses its next instruction.
        monitoring.set_events(tool, starts & ~events.PY_START)
        for call in list(live.values()):
            call.function.sure = False
            call.frame = None  # its end may go unseen
        while frame is not None:
            function = infos.get(oid(frame.f_code))
            if function is not None and monitoring.get_local_events(tool, frame.f_code):
                monitoring.set_local_events(tool, frame.f_code, 0)
                silent.append(frame.f_code)
            frame = frame.f_back

    def speak() -> None:
        for code in silent[1:]:
            function = infos[oid(code)]
            if function.on or function.inflight > 0:
                listen(function, code)
            else:
                drained(function)
        silent.clear()
        monitoring.set_events(tool, starts)

    def drained(function: Function) -> None:
        left = 0 if recorder.journey else lines | (events.CALL if function.asks else 0)
        for code in function.codes:
            monitoring.set_local_events(tool, code, left)

    direct = None if recorder.journey or recorder.project.only_marked else Direct(recorder, tool, listen)

    def _unwrapped(value: object) -> object:
        held = gc.get_referents(value)
        return held[0] if len(held) == 1 and "async_generator_wrapped" in type(value).__name__ else value

    recorder.when_drained.append(drained)
    recorder.when_traced.append(traced)
    for event, callback in (
        (events.PY_START, started),
        (events.PY_RETURN, returned),
        (events.PY_UNWIND, unwound),
        (events.PY_YIELD, yielded),
        (events.PY_RESUME, resumed),
        (events.PY_THROW, thrown),
        (events.CALL, called),
        (events.LINE, line if direct is None else ran),
    ):
        monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, starts)

    def stop() -> None:
        try:
            monitoring.set_events(tool, 0)
        except ValueError:
            pass

    def paused() -> None:
        stop()
        for function in list(recorder.numbered.values()):
            for code in function.codes:
                monitoring.set_local_events(tool, code, 0)

    def renewed() -> None:
        monitoring.set_events(tool, starts)
        for function in list(recorder.numbered.values()):
            for code in function.codes:
                listen(function, code)
        monitoring.restart_events()

    recorder.stops.append(stop)
    recorder.when_paused.append(paused)
    recorder.when_renewed.append(renewed)
    return True


def _is_defined(file: File, code: object, module: str, qualname: str) -> bool:
    """Tells a function from what a type alias or the bound of a type variable is computed by."""
    held = lookup(module, qualname)
    if type(held) is kinds.Function and held.__code__ is code:
        return True
    return statements.of(file, code) is not None or not file.statements


_MAKES_GENERATOR = kinds.GENERATOR_CODE.co_code[0]


def _began(code: object, offset: int) -> bool:
    """Whether a generator that was thrown into had run before."""
    raw = code.co_code
    return raw[offset] != _MAKES_GENERATOR and (offset < 2 or raw[offset - 2] != _MAKES_GENERATOR)


def _after(function: Function, code: object, offset: int) -> int:
    """Tells a function's own `yield` from the suspensions of `yield from` and `await`: what its RESUME says."""
    known = function.yields.get(offset)
    if known is None:
        raw = code.co_code
        known = function.yields[offset] = raw[offset + 3] & 3 if offset + 3 < len(raw) else 0
    return known
