"""Steps out of a debugger's way where functions are rewritten: it would step into our hooks.

Owns what happens when one starts; that the recording ends then is inject.py's affair.
"""

import gc

from pytead_tui.recorder import kinds

_MODULES = ("bdb", "pydevd", "_pydevd")


def starts(frame: object) -> bool:
    """Whether the code that sets a trace function is a debugger's."""
    by = dict.get(frame.f_globals, "__name__")
    return type(by) is str and by.startswith(_MODULES)


def step_aside(frame: object, plain: dict) -> None:
    """Gives functions their own code back: `plain` has it by the identity of the rewritten code.

    A function that runs already goes on rewritten and returns from no line, which `bdb` cannot compare and, before
    3.11.4, cannot show.
    """
    for held in gc.get_objects():
        if type(held) is kinds.Function:
            pair = plain.get(object.__hash__(held.__code__))
            if pair is not None and pair[0] is held.__code__:
                held.__code__ = pair[1]
    debugger = frame.f_globals.get("Bdb")
    stops, shows = getattr(debugger, "stop_here", None), getattr(debugger, "format_stack_entry", None)
    if type(stops) is kinds.Function and stops.__module__ == "bdb" and type(shows) is kinds.Function:

        def stop_here(self, frame):  # type: ignore[no-untyped-def]
            if frame.f_lineno is None:
                return self.stoplineno != -1 if frame is self.stopframe else not self.stopframe
            return stops(self, frame)

        def format_stack_entry(self, entry, *rest):  # type: ignore[no-untyped-def]
            frame, line = entry
            return shows(self, (frame, frame.f_code.co_firstlineno if line is None else line), *rest)

        debugger.stop_here, debugger.format_stack_entry = stop_here, format_stack_entry
