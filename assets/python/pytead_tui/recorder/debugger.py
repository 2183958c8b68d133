"""Steps out of a debugger's way: it would step into our hooks where functions are rewritten, and from Python 3.13 on it
does not see the next instruction of code that we listen to.

Owns what happens when one starts; that the recording ends then, or goes on, is inject.py's and monitor.py's affair.
"""

from pytead_tui.recorder import kinds
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__, gc, sys

_OURS = (lambda: None).__code__.co_filename.rpartition("debugger")[0]
_MODULES = ("bdb", "pydevd", "_pydevd")
CALLED = 20  # frames of what we call
_LEAVING = ("set_continue", "set_quit")


def starts(frame: object) -> bool:
    """Whether the code that sets a trace function is a debugger's."""
    by = dict.get(frame.f_globals, "__name__")
    return type(by) is str and by.startswith(_MODULES)


def leaves(frame: object) -> bool:
    """Whether the debugger's code that sets a trace function lets the program go on without it."""
    return frame.f_code.co_name in _LEAVING


def give_back(plain: dict) -> None:
    """Gives functions their own code back: `plain` has it by the identity of the rewritten code."""
    for held in gc.get_objects():
        if type(held) is kinds.Function:
            pair = plain.get(oid(held.__code__))
            if pair is not None and pair[0] is held.__code__:
                held.__code__ = pair[1]


def hide(debugger: object, frame: object, rewritten: dict) -> None:
    """Makes `bdb` pass by our own functions. `frame` is where it starts, `rewritten` holds code by its identity.

    A function that runs already goes on rewritten. It returns from no line, which `bdb` cannot compare and, before 3.11.4,
    cannot show: it is given the line that was reached last. And it may come back to a line without having left it.
    """
    stops, shows = getattr(debugger, "stop_here", None), getattr(debugger, "format_stack_entry", None)
    if type(stops) is not kinds.Function or stops.__module__ != "bdb" or type(shows) is not kinds.Function:
        return
    if stops.__code__.co_filename.startswith(_OURS):
        return  # done before
    reached: dict = {}  # by identity of a frame: its line, and how far it was

    def stop_here(self, frame):  # type: ignore[no-untyped-def]
        if _is_ours(frame):
            return False
        if frame.f_lineno is None:
            return self.stoplineno != -1 if frame is self.stopframe else not self.stopframe
        before, reached[oid(frame)] = reached.get(oid(frame)), (frame.f_lineno, frame.f_lasti)
        if oid(frame.f_code) in rewritten and before is not None and sys._getframe(1).f_code.co_name == "dispatch_line":
            if before[0] == frame.f_lineno and before[1] < frame.f_lasti:
                return False
        return stops(self, frame)

    def format_stack_entry(self, entry, *rest):  # type: ignore[no-untyped-def]
        frame, line = entry
        if line is None:
            line, _ = reached.get(oid(frame), (frame.f_code.co_firstlineno, 0))
        return shows(self, (frame, line), *rest)

    stop_here.__module__ = "bdb"
    debugger.stop_here, debugger.format_stack_entry = stop_here, format_stack_entry
    while frame is not None:
        reached[oid(frame)] = frame.f_lineno, frame.f_lasti
        frame = frame.f_back


def _is_ours(frame: object) -> bool:
    """Whether code runs for us: our own, or what it called."""
    left = CALLED
    while frame is not None and left:
        if frame.f_code.co_filename.startswith(_OURS):
            return True
        frame = frame.f_back
        left -= 1
    return False


def running() -> object:
    """Gives the class of the debugger that runs already, or None."""
    tracer = sys.gettrace()
    if type(tracer) is not kinds.Method or type(tracer.__func__) is not kinds.Function:
        return None
    return tracer.__func__.__globals__.get("Bdb")
