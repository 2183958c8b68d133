"""What rewritten functions, and their statements, report to: calls, returns, yields, exceptions, effects.

How source comes to report here is inject.py's affair, and what is made of it state.py's.
"""

from _functools import partial

from pytead_tui.recorder import effects, functions, kinds, rewrite
from pytead_tui.recorder.calls import PATIENCE
from pytead_tui.recorder.command_line import reads_argv
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.project import File
from pytead_tui.recorder.state import Recorder

_getframe = sys._getframe


class Hook:
    """What a rewritten function reports to."""

    __slots__ = (
        "on", "busy", "ends", "recorder", "file", "qualname", "receiver", "code", "function", "module", "lines",
        "dim",
    )  # fmt: skip

    Every = BaseException
    Deep = RecursionError

    def __init__(self, recorder: Recorder, file: File, found: rewrite.Found) -> None:
        self.on = self.busy = True
        self.ends = False
        self.recorder = recorder
        self.file = file
        self.qualname = found.qualname
        self.receiver = found.receiver
        self.code: object = None
        self.function: "Function | None" = None
        self.module: "str | None" = None
        self.lines: list = []  # in a journey, what its statements report to
        self.dim: list = []  # lines that its only call repeats: they report no more, until the next call begins

    def enter(self, *args: object) -> None:
        try:
            frame = _getframe(1)
            function = self.function
            if function is None:
                function = self.adopt(frame)
                if function is None or not function.on:
                    self.on = self.busy = False
                    return
            while self.dim:
                self.dim.pop().on = True
            self.recorder.begin(function, frame, frame.f_code, args)
        except RecursionError:
            if self.function is not None:
                self.function.sure = False
        except BaseException as error:
            if self.function is not None:
                self.function.sure = False
            self.recorder.failed(error, self.function)

    def only(self) -> object:
        """Gives the call of a journey that is the only one of its function in flight, when that is sure: looking for it
        by its frame would be felt.
        """
        function = self.function
        if function is None or function.inflight != 1 or not function.on or not function.sure:
            return None
        call = function.last
        return None if call is None or call.done else call

    def adopt(self, frame: object) -> "Function | None":
        code = frame.f_code
        module = dict.get(frame.f_globals, "__name__")
        if type(module) is not str or not self.recorder.on:
            return None
        if self.recorder.project.passes_over(self.file, self.qualname):
            return None
        if self.recorder.sleeping:
            self.recorder.wake()
        names, parameter_kinds = functions.parameters(code)
        flags = functions.flags_of(code, self.qualname) | (functions.RECEIVER if self.receiver else 0)
        function = self.recorder.function(
            self.file, module, self.qualname, code.co_firstlineno, flags, names, parameter_kinds
        )
        if function is not None:
            function.hooks.append(self)
            function.reads_argv |= reads_argv(code)
            self.recorder.infos[oid(code)] = function
            self.code = code
            self.function = function
        return function

    def value(self, value: object) -> object:
        call = self.only() or self.recorder.live.get(oid(_getframe(1)))
        if call is not None:
            call.value = value
        return value

    def left(self) -> None:
        frame = _getframe(1)
        call = self.recorder.live.get(oid(frame))
        if call is None or call.code is not frame.f_code:
            return
        try:
            if call.suspended:
                self.recorder.thrown(call, True)
            self.recorder.returned(call, call.value, frame.f_globals)
        except RecursionError:
            self.recorder.unended.append((call, frame, None, call.value))
        except BaseException as error:
            self.recorder.failed(error, self.function)

    def raised(self) -> None:
        frame = _getframe(1)
        error = sys.exc_info()[1]
        function = self.function
        call = self.recorder.live.get(oid(frame))
        if call is not None and call.code is not frame.f_code:
            call = None
        if function is not None and (self.on or call is not None):
            function.raised += type(error) is not GeneratorExit
            function.dirty = True
        if call is None:
            return
        try:
            self.recorder.ended_by(call, _outcome(call.function.flags, error), frame)
        except RecursionError:
            self.recorder.unended.append((call, frame, error, None))
            if self.recorder.live.pop(call.key, None) is not None:  # no return follows
                call.function.inflight -= 1
        except BaseException as other:
            self.recorder.failed(other, self.function)

    def yielded(self, value: object) -> object:
        self._note_yield(_getframe(1), value)
        return value

    def _note_yield(self, frame: object, value: object) -> None:
        try:
            call = self.recorder.live.get(oid(frame))
            if call is not None and call.code is frame.f_code:
                if call.suspended:
                    self.recorder.thrown(call, False)  # and it was caught
                self.recorder.yielded(call, value)
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error, self.function)

    def sent(self, value: object) -> object:
        try:
            call = self.recorder.live.get(oid(_getframe(1)))
            if call is not None:
                self.recorder.resumed(call)
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error, self.function)
        return value

    def given(self, value: object) -> object:
        """Gives what makes the iterator of a `yield from`: called by the program, it leaves no frame of ours."""
        return partial(_same if type(value) is kinds.Coroutine else iter, value)

    def through(self, inner: object) -> object:
        """Gives what `yield from` should go through, to see the values on their way."""
        call = self.recorder.live.get(oid(_getframe(1)))
        if call is None or not call.function.flags & functions.GENERATOR or type(inner) is kinds.Coroutine:
            return inner
        return _through(self.recorder, call, inner)

    def seen(self, callee: object) -> object:
        """Notes a call of the effects' table."""
        try:
            found = effects.of(callee)
            if found is not None:
                self._asks()
                effects.note(self.recorder, _getframe(1), *found)
                return callee
            draw = effects.drawn(callee, None)
            if draw is not None:
                self._asks()
                effects.note_drawn(self.recorder, _getframe(1), *draw)
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error, self.function)
        return callee

    def _asks(self) -> None:
        if self.function is not None:
            self.function.asks = True

    def environment(self, value: object) -> object:
        """Notes a use of os.environ."""
        try:
            if effects.is_environ(value):
                effects.note(self.recorder, _getframe(1), "env", "os.environ")
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error, self.function)
        return value


class Library:
    """What a function of the standard library reports its start to."""

    __slots__ = ("on", "recorder", "count", "look", "always")

    Deep = RecursionError

    def __init__(self, recorder: Recorder, count: int, look: object, always: bool) -> None:
        self.on = True
        self.recorder = recorder
        self.count = count
        self.look = look
        self.always = always  # outside of calls, too

    def enter(self, *args: object) -> None:
        recorder = self.recorder
        if not recorder.on or not (recorder.live or recorder.when_test or self.always):
            return
        try:
            self.look(recorder, _getframe(1), args[: self.count])
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error)


class Line:
    """What a statement of a rewritten function reports to, in a journey."""

    __slots__ = ("on", "hook", "number")

    Deep = RecursionError

    def __init__(self, hook: Hook, number: int) -> None:
        self.on = True
        self.hook = hook
        self.number = number

    def at(self) -> None:
        """Notes that the statement begins."""
        hook = self.hook
        recorder = hook.recorder
        try:
            call = hook.only()
            if call is None:
                frame = _getframe(1)
                call = recorder.live.get(oid(frame))
                if call is None or call.code is not frame.f_code:
                    self.on = hook.on
                    return
            if call.suspended:
                recorder.woken(call)
            function = call.function
            if self.number not in (function.lines if function.brief else call.lines):
                recorder.reached(call, self.number)
            elif not function.brief:
                call.repeats += 1
                if call.repeats > PATIENCE and function.inflight == 1:
                    self.on = False
                    hook.dim.append(self)
                return
            self.on = not function.brief
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error, hook.function)


def _outcome(flags: int, error: BaseException) -> BaseException:
    """Gives what the interpreter makes of an exception that leaves a function of this kind."""
    kind = next((name for bit, name in _GENERATING if flags & bit), None)
    raised = "StopIteration" if type(error) is StopIteration else "StopAsyncIteration"
    if (
        kind is None
        or type(error) is not StopIteration
        and not (type(error) is StopAsyncIteration and flags & functions.ASYNC_GENERATOR)
    ):
        return error
    outcome = RuntimeError(kind + " raised " + raised)
    outcome.__cause__ = error
    return outcome


_GENERATING = (
    (functions.GENERATOR, "generator"), (functions.COROUTINE, "coroutine"),
    (functions.ASYNC_GENERATOR, "async generator"),
)  # fmt: skip


class _Through(map):
    """An iterator that shows its values on their way and leaves no frame in a traceback of the inner one."""

    __slots__ = ("inner", "show")

    def send(self, value: object) -> object:
        return self.show(self.inner.send(value))

    def throw(self, *error: object) -> object:
        inner = getattr(self.inner, "throw", None)
        if inner is None:
            raise error[0]
        return inner(*error)  # not shown: from 3.12 on, no event tells of it

    def close(self) -> None:
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()


class _Given:
    """Gives the iterator that was made already: making one more may run the program's code."""

    __slots__ = ("inner",)

    def __init__(self, inner: object) -> None:
        self.inner = inner

    def __iter__(self) -> object:
        return self.inner


def _through(recorder: Recorder, call: object, inner: object) -> object:
    def show(item: object) -> object:
        try:
            if not call.done:
                recorder.yielded(call, item)
                call.suspended = False
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error, call.function)
        return item

    if oid(type(inner)) not in _STRAIGHT:
        made = _Through(show, _Given(inner))
        made.inner = inner
        made.show = show
        return made
    made = _Straight(show, inner)
    if type(inner) is kinds.Generator:
        made.send, made.throw, made.close = inner.send, inner.throw, inner.close
    return made


class _Straight(map):
    """Does so where the inner one's own methods can be its own: what they raise passes by no frame of ours."""

    __slots__ = ("send", "throw", "close")


_STRAIGHT = frozenset(map(oid, (kinds.Generator, *(type(iter(made)) for made in ([], (), "", {}, range(0), set())))))


def _same(value: object) -> object:
    return value
