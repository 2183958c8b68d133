"""Follows one call line by line and keeps what each line gave last: the names that it assigned, what it returned or yielded,
the exception that was raised at it or passed it.

Only the call itself is followed, and the functions inside its function; neither what it calls nor a call of the same function
below it. Values are described by the recorder, which runs no code of theirs. `line_plan` tells what a line assigns.
"""

import base64
import dis
import inspect
import marshal
import os
import sys
import time
import types
from threading import get_ident

from pytead_tui.recorder import redact
from pytead_tui.recorder.values import Limits
from pytead_tui.worker import capture, line_plan

BY_EVENTS = sys.version_info >= (3, 12)
MOST_LINES = 20_000  # that are followed
MOST_TIME = 500_000_000  # ns for describing values
LIMITS = Limits(200, 4 << 10, 1024, 6, 100)  # of one value
_YIELDS = {dis.opmap.get(name) for name in ("YIELD_VALUE", "YIELD_FROM")}
_RETURNS = {dis.opmap.get(name) for name in ("RETURN_VALUE", "RETURN_CONST")}
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_MISSING = object()


class _Running:
    """A function that runs: the statement that it is at."""

    __slots__ = ("at", "failed", "returning", "raising", "error")

    def __init__(self) -> None:
        self.at: "int | None" = None
        self.failed = False  # the statement raised, and assigned nothing
        self.returning: "int | None" = None  # the last `return` that it came to
        self.raising: "int | None" = None  # the last bare `raise`
        self.error: "BaseException | None" = None


class Follower:
    """Follows the first call of a function: `place` names its file, relative to the root, its name and its lines."""

    def __init__(self, root: str, place: dict) -> None:
        self.file = os.path.join(root, place["path"])
        self.name = place["name"]
        self.first, self.last = place["first"], place["last"]
        self.plan = line_plan.of(self.file, self.name, self.first, self.last)
        self.own: "types.FrameType | None" = None
        self.codes: set = set()  # of the function and of those inside it
        self.thread = get_ident()
        self.deeper = 0  # calls of the same function below
        self.running: dict = {}  # what runs, by its frame
        self.times: dict = {}  # how often each statement ran
        self.notes: dict = {}  # by statement: how it went, and what is described
        self.raised: "tuple[BaseException, int] | None" = (
            None  # the last exception, and the statement that it was seen at
        )
        self.lines = 0
        self.spent = 0
        self.is_cut = False
        self.tool: "int | None" = None

    # What happens.

    def _adopt(self, frame: types.FrameType) -> bool:
        """Tells whether a function that begins is followed; the first one of the name is the call."""
        code = frame.f_code
        if self.own is None:
            if code.co_name != self.name or code.co_filename != self.file:
                return False
            if not self.first <= code.co_firstlineno <= self.last or get_ident() != self.thread:
                return False
            self.own = frame
            self.codes = set(_inside(code))
        if frame is self.own or code not in self.codes or get_ident() != self.thread:
            return frame is self.own
        return code is not self.own.f_code and self.deeper == 0

    def _line(self, frame: types.FrameType, line: int) -> None:
        self.lines += 1
        if self.lines > MOST_LINES:
            self.is_cut = True
            self.end()
            return
        statement = self.plan.statement.get(line)
        if statement is None:
            return
        if frame.f_code.co_name.startswith("<"):
            self.times.setdefault(statement, 1)  # a part of a statement that runs on
            return
        state = self.running.setdefault(frame, _Running())
        if state.at == statement and line != statement:
            return  # another line of it
        again = state.at == statement and not self._is_long(statement)
        if state.at != statement or again:
            self._leave(frame, state)
            state.at = statement
            self.times[statement] = self.times.get(statement, 0) + 1
            # What it gave before is not what it gives now.
            self.notes.pop(statement, None)
        if statement in self.plan.returns:
            state.returning = statement
        if statement in self.plan.reraises:
            state.raising = statement

    def _is_long(self, statement: int) -> bool:
        """Whether a statement has several lines, of which Python comes back to the first."""
        return self.plan.statement.get(statement + 1) == statement

    def _leave(self, frame: types.FrameType, state: _Running) -> None:
        """Notes what the statement assigned that a function was at."""
        at, failed = state.at, state.failed
        state.failed = False
        if at is None or failed:
            return
        held = {}
        for path in self.plan.targets.get(at, ()):
            value = _value(frame, path)
            if value is not _MISSING:
                held[".".join(path)] = value
        if held:
            self._note(at, "goes_on", ("R", None), held, frame)

    def _raised(self, frame: types.FrameType, error: BaseException, below: "types.TracebackType | None") -> None:
        if below is None or below.tb_frame is not frame:
            return  # the end of an iterator, which Python takes itself
        statement = self.plan.statement.get(frame.f_lineno)
        state = self.running.get(frame)
        if state is not None:
            state.failed, state.error = True, error
        if statement is None:
            return
        is_passing = below.tb_next is not None
        # A part of a statement raised it, which is more than that it passes the whole.
        if is_passing and self.raised is not None and self.raised[0] is error and self.raised[1] == statement:
            return
        self.raised = error, statement
        self._note(statement, "passed" if is_passing else "raised", ("X", error), {}, frame)

    def _ended(self, frame: types.FrameType, given: object) -> None:
        state = self.running.pop(frame, None)
        if state is None:
            return
        self._leave(frame, state)
        if state.returning is not None and not frame.f_code.co_name.startswith("<"):
            self._note(state.returning, "returned", ("R", given), {}, frame)

    def _unwound(self, frame: types.FrameType) -> None:
        state = self.running.pop(frame, None)
        if state is None:
            return
        self._leave(frame, state)
        if state.error is not None and state.raising is not None:
            self._note(state.raising, "passed", ("X", state.error), {}, frame)

    def _yielded(self, frame: types.FrameType, given: object) -> None:
        state = self.running.get(frame)
        if state is not None and state.at is not None and frame.f_code.co_flags & _GENERATORS:
            self._note(state.at, "yielded", ("R", given), {}, frame)

    def _note(self, statement: int, how: str, ended: tuple, held: dict, frame: types.FrameType) -> None:
        """Describes what a statement gave, as it is now."""
        if self.spent > MOST_TIME:
            self.is_cut = True
            self.notes.pop(statement, None)
            return
        started = time.perf_counter_ns()
        seen = (ended[1], *held.values())
        words = (None, *(redact.word_of_all(name.rpartition(".")[2]) for name in held))
        try:
            described = [capture.brief(value, LIMITS, word, frame.f_globals) for value, word in zip(seen, words)]
            names = {name[:200]: tree for name, tree in zip(held, described[1:])}
            outcome = marshal.dumps((ended[0], described[0], names), 2)
            self.notes[statement] = how, base64.b64encode(outcome).decode()
        except Exception:
            self.notes.pop(statement, None)
        self.spent += time.perf_counter_ns() - started

    # Listening.

    def begin(self) -> None:
        """Follows this thread from here on."""
        if not self.plan.statement:
            return
        if not BY_EVENTS:
            sys.settrace(self._enter)
            return
        monitoring = sys.monitoring
        for candidate in (5, 4, 3, 2):
            try:
                monitoring.use_tool_id(candidate, "pytead-tui values")
            except ValueError:
                continue
            self.tool = candidate
            break
        if self.tool is None:
            return
        events = monitoring.events
        callbacks = {
            events.PY_START: self._started, events.PY_RESUME: self._resumed, events.PY_THROW: self._thrown,
            events.LINE: self._at_line, events.PY_RETURN: self._at_return, events.PY_YIELD: self._at_yield,
            events.RAISE: self._at_raise, events.PY_UNWIND: self._at_unwind,
        }  # fmt: skip
        for event, callback in callbacks.items():
            monitoring.register_callback(self.tool, event, callback)
        monitoring.set_events(self.tool, events.PY_START | events.PY_THROW | events.RAISE | events.PY_UNWIND)

    def end(self) -> None:
        """Follows nothing any more."""
        if not BY_EVENTS:
            sys.settrace(None)
        elif self.tool is not None:
            tool, self.tool = self.tool, None
            sys.monitoring.set_events(tool, 0)
            for code in self.codes:
                sys.monitoring.set_local_events(tool, code, 0)
            sys.monitoring.free_tool_id(tool)

    # By events.

    def _started(self, code: types.CodeType, offset: int) -> object:
        if self.own is None:
            if code.co_name != self.name or code.co_filename != self.file:
                return sys.monitoring.DISABLE
            if not self._adopt(sys._getframe(1)):
                return None
            events = sys.monitoring.events
            wanted = events.LINE | events.PY_RETURN | events.PY_YIELD | events.PY_RESUME
            for one in self.codes:
                sys.monitoring.set_local_events(self.tool, one, wanted)
            return None
        if code not in self.codes:
            return sys.monitoring.DISABLE
        self._goes_on(code, sys._getframe(1))
        return None

    def _is_below(self, code: types.CodeType, frame: types.FrameType) -> bool:
        return code is self.own.f_code and frame is not self.own and get_ident() == self.thread

    def _goes_on(self, code: types.CodeType, frame: types.FrameType) -> None:
        if code in self.codes and self._is_below(code, frame):
            self.deeper += 1

    def _resumed(self, code: types.CodeType, offset: int) -> None:
        self._goes_on(code, sys._getframe(1))

    def _thrown(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        self._goes_on(code, sys._getframe(1))

    def _frame(self, code: types.CodeType, frame: types.FrameType, ends: bool) -> "types.FrameType | None":
        """Gives a frame that is followed; of a call below it is noted that it `ends` or rests."""
        if self.own is None or code not in self.codes:
            return None
        if ends and self._is_below(code, frame):
            self.deeper -= 1
            return None
        return frame if self._adopt(frame) else None

    def _at_line(self, code: types.CodeType, line: int) -> None:
        frame = self._frame(code, sys._getframe(1), False)
        if frame is not None:
            self._line(frame, line)

    def _at_return(self, code: types.CodeType, offset: int, given: object) -> None:
        frame = self._frame(code, sys._getframe(1), True)
        if frame is not None:
            self._ended(frame, given)

    def _at_yield(self, code: types.CodeType, offset: int, given: object) -> None:
        frame = self._frame(code, sys._getframe(1), True)
        if frame is not None:
            self._yielded(frame, given)

    def _at_raise(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        frame = self._frame(code, sys._getframe(1), False)
        if frame is not None:
            self._raised(frame, error, BaseException.__dict__["__traceback__"].__get__(error))

    def _at_unwind(self, code: types.CodeType, offset: int, error: BaseException) -> None:
        frame = self._frame(code, sys._getframe(1), True)
        if frame is not None:
            self._unwound(frame)

    # By a tracer.

    def _enter(self, frame: types.FrameType, event: str, argument: object) -> object:
        if self._adopt(frame):
            return self._step
        if self.own is not None and self._is_below(frame.f_code, frame):
            self.deeper += 1
            return self._step_below
        return None

    def _step_below(self, frame: types.FrameType, event: str, argument: object) -> object:
        if event == "return":
            self.deeper -= 1
        return self._step_below

    def _step(self, frame: types.FrameType, event: str, argument: object) -> object:
        if event == "line":
            self._line(frame, frame.f_lineno)
        elif event == "exception" and isinstance(argument[1], BaseException):
            self._raised(frame, argument[1], argument[2])
        elif event == "return":
            operation = frame.f_code.co_code[frame.f_lasti]
            if operation in _RETURNS:
                self._ended(frame, argument)
            elif operation in _YIELDS and not self._is_failing(frame):
                self._yielded(frame, argument)
            else:
                self._unwound(frame)
        return self._step

    def _is_failing(self, frame: types.FrameType) -> bool:
        state = self.running.get(frame)
        return state is not None and state.failed

    # The answer.

    def reply(self) -> "dict | None":
        """Gives the lines that ran and those that did not, and what each gave; None where the call was not seen."""
        if self.own is None:
            return None
        known = {line for code in self.codes for _, _, line in code.co_lines()}
        firsts = {first for line, first in self.plan.statement.items() if line in known}
        ran = sorted(line for first in self.times for line in self.plan.lines(first))
        missed = sorted(line for first in firsts.difference(self.times) for line in self.plan.lines(first))
        given = []
        for first, times in sorted(self.times.items()):
            how, seen = self.notes.get(first, (None, None))
            times = self.times.get(self.plan.loops.get(first), 0) if first in self.plan.loops else times
            if seen is not None or times > 1:
                given.append(
                    {"line": first, "times": times, "how": how or "goes_on", **({"seen": seen} if seen else {})}
                )
        return {"ran": ran, "missed": missed, "given": given, "cut": self.is_cut}


def _inside(code: types.CodeType) -> list:
    """Gives the code of a function and of the functions inside it."""
    return [code, *(one for held in code.co_consts if isinstance(held, types.CodeType) for one in _inside(held))]


def _value(frame: types.FrameType, path: tuple) -> object:
    """Gives a variable, or an attribute of one as it is stored: no code of a class is asked."""
    space = frame.f_locals
    found = space[path[0]] if path[0] in space else _MISSING
    if found is _MISSING and path[0] in frame.f_code.co_names:
        found = frame.f_globals.get(path[0], _MISSING)
    for name in path[1:]:
        if found is _MISSING:
            break
        found = _attribute(found, name)
    return found


def _attribute(held: object, name: str) -> object:
    try:
        found = inspect.getattr_static(held, name, _MISSING)
        if type(found) is types.MemberDescriptorType:
            return types.MemberDescriptorType.__get__(found, held, type(held))
    except (AttributeError, TypeError):
        return _MISSING
    return _MISSING if isinstance(found, (property, types.GetSetDescriptorType)) else found
