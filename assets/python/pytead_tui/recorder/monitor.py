"""Feeds the recorder from sys.monitoring: Python 3.12 and later.

Start events are global and switched off for each foreign code object at its first call, and for each
project function once enough of it is kept; the other events are local to project code.
"""

import sys

from pytead_tui.recorder import effects, functions
from pytead_tui.recorder.calls import Call
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.state import Recorder

_IDS = (3, 4, 5, 2)  # 0 is a debugger's, 1 coverage's
_OPTIMIZED = 1
_AFTER_YIELD, _AFTER_YIELD_FROM = 1, 2
MOST_CODES = 1000  # code objects of one function: source that is compiled again and again


class _Ending:
    """Hangs on a generator's frame: from 3.13 on, closing one may end it without any event."""

    __slots__ = ("recorder", "call")

    def __init__(self, recorder: Recorder, call: Call) -> None:
        self.recorder = recorder
        self.call = call

    def __del__(self) -> None:
        try:
            if self.recorder.on and not self.call.done:
                self.recorder.abandoned(self.call)
        except Exception:
            pass


def install(recorder: Recorder) -> None:
    """Subscribes to the interpreter's events under a tool id of our own."""
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
        recorder.gap("every monitoring tool id is taken", 1)
        return

    infos = recorder.infos
    live = recorder.live
    getframe = sys._getframe
    endings = sys.version_info >= (3, 13)
    snapshot = not endings
    failed = recorder.failed

    def adopt(code: object, frame: object) -> "Function | None":
        name = code.co_name
        if name.startswith("<") or name == "__annotate__" or not code.co_flags & _OPTIMIZED:
            return None
        file = recorder.project.file(code.co_filename)
        if file is None or file.test:
            return None
        module = dict.get(frame.f_globals, "__name__")
        if type(module) is not str:
            return None
        qualname = code.co_qualname
        names, parameter_kinds = functions.parameters(code)
        first = frame.f_locals.get(names[0]) if names else None
        flags = functions.flags_of(code, qualname)
        if functions.takes_receiver(code, qualname, module, first):
            flags |= functions.RECEIVER
        function = recorder.function(file, module, qualname, code.co_firstlineno, flags, names, parameter_kinds)
        if function is None or len(function.codes) >= MOST_CODES:
            return None
        function.codes.append(code)
        infos[oid(code)] = function
        if function.on:
            local = events.PY_RETURN | events.CALL
            if function.generates:
                local |= events.PY_YIELD | events.PY_RESUME
            effects.install(recorder)
            monitoring.set_local_events(tool, code, local)
        return function

    def started(code: object, offset: int) -> object:
        function = infos.get(oid(code))
        try:
            if function is None:
                frame = getframe(1)
                function = adopt(code, frame)
                if function is None:
                    if not effects.reads_environ(code):
                        return disable
                    if live:
                        effects.note(recorder, frame, "env", "os.environ")
                    return None
            else:
                frame = getframe(1)
            if not function.on:
                return disable
            held = frame.f_locals
            args = tuple([held[name] for name in function.names])
            if snapshot:
                held.clear()  # it hangs on the frame, and would keep the arguments alive
            call = recorder.begin(function, frame, args)
            if call is not None and endings and function.flags & 7 and frame.f_trace is None:
                frame.f_trace = _Ending(recorder, call)
        except RecursionError:
            pass
        except BaseException as error:
            failed(error)
        return None

    def returned(code: object, offset: int, value: object) -> None:
        if not live:
            return
        try:
            call = live.get(oid(getframe(1)))
            if call is not None and call.code is code:
                recorder.returned(call, value, getframe(1).f_globals)
        except RecursionError:
            pass
        except BaseException as error:
            failed(error)

    def unwound(code: object, offset: int, error: BaseException) -> None:
        function = infos.get(oid(code))
        if function is None:
            return
        try:
            if function.on:
                function.raised += type(error) is not GeneratorExit
            if not live:
                return
            frame = getframe(1)
            call = live.get(oid(frame))
            if call is not None and call.code is code:
                recorder.ended_by(call, error, frame)
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
            failed(error)

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
            failed(error)

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
            failed(other)

    def called(code: object, offset: int, callee: object, first: object) -> object:
        try:
            found = effects.of(callee)
            if found is None:
                if not effects.is_environ(first):
                    return disable
                found = "env", "os.environ"
            if live:
                effects.note(recorder, getframe(1), *found)
        except RecursionError:
            pass
        except BaseException as error:
            failed(error)
        return None

    def drained(function: Function) -> None:
        for code in function.codes:
            monitoring.set_local_events(tool, code, 0)

    def _unwrapped(value: object) -> object:
        import gc

        held = gc.get_referents(value)
        return held[0] if len(held) == 1 and "async_generator_wrapped" in type(value).__name__ else value

    recorder.when_drained.append(drained)
    for event, callback in (
        (events.PY_START, started),
        (events.PY_RETURN, returned),
        (events.PY_UNWIND, unwound),
        (events.PY_YIELD, yielded),
        (events.PY_RESUME, resumed),
        (events.PY_THROW, thrown),
        (events.CALL, called),
    ):
        monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, events.PY_START | events.PY_UNWIND | events.PY_THROW)

    def stop() -> None:
        try:
            monitoring.set_events(tool, 0)
        except ValueError:
            pass

    recorder.stops.append(stop)


def _after(function: Function, code: object, offset: int) -> int:
    """Tells a function's own `yield` from the suspensions of `yield from` and `await`: what its RESUME says."""
    known = function.yields.get(offset)
    if known is None:
        raw = code.co_code
        known = function.yields[offset] = raw[offset + 3] & 3 if offset + 3 < len(raw) else 0
    return known
