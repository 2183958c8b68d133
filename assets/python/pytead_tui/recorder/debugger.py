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

    A function that runs already goes on rewritten and returns from no line, which `bdb` cannot compare.
    """
    for held in gc.get_objects():
        if type(held) is kinds.Function:
            pair = plain.get(object.__hash__(held.__code__))
            if pair is not None and pair[0] is held.__code__:
                held.__code__ = pair[1]
    debugger = frame.f_globals.get("Bdb")
    original = getattr(debugger, "stop_here", None)
    if type(original) is kinds.Function and original.__module__ == "bdb":

        def stop_here(self, frame):  # type: ignore[no-untyped-def]
            if frame.f_lineno is None:
                return self.stoplineno != -1 if frame is self.stopframe else not self.stopframe
            return original(self, frame)

        debugger.stop_here = stop_here
