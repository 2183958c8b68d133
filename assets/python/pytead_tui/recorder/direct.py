"""Sees the calls that tests make of functions whose start events are off: Python 3.12 and later.

What a package calls itself, however often and with however large values, may have used up what is kept of a function before
a test calls it. Nothing listens to its starts any more then. So each call that a test makes is seen where it is made, and
the first line of the function that it leads to is listened to, once.
"""

from pytead_tui.recorder import kinds
from pytead_tui.recorder.objects import dict_of, mro_of, oid
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.plans import isinstance_type
from pytead_tui.recorder.state import Recorder

MOST = 100  # calls of one function that are looked at so


class Direct:
    """The tests' own calls."""

    def __init__(self, recorder: Recorder, tool: int, listen: object) -> None:
        self.recorder = recorder
        self.tool = tool
        self.listen = listen  # asks for a function's other events
        self.asked: dict = {}  # the tests' code objects, by identity
        self.expected: dict = {}  # by identity of a function's code: the frame of the test that is about to call it

    def ask(self, code: object) -> None:
        """Listens to the calls that a test makes."""
        self.asked[oid(code)] = code
        sys.monitoring.set_local_events(self.tool, code, sys.monitoring.events.CALL)

    def called(self, frame: object, callee: object) -> object:
        """Looks at what a test is about to call."""
        recorder = self.recorder
        function = None
        try:
            code = _code_of(callee)
            if code is None or recorder.project.file(code.co_filename) is None:
                return sys.monitoring.DISABLE
            function = recorder.infos.get(oid(code))
            if function is None or function.on or not recorder.on:
                return None
            if function.generates or function.direct >= MOST:
                return sys.monitoring.DISABLE
            function.direct += 1
            self.expected[oid(code)] = oid(frame)
            self._listen_to_lines(code)
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error, function)
        return None

    def entered(self, code: object, frame: object) -> None:
        """Begins a call at its first line, if it is the expected one."""
        recorder = self.recorder
        function = recorder.infos.get(oid(code))
        caller = self.expected.pop(oid(code), None)
        try:
            self._listen_to_lines(code)
            if caller is not None and frame.f_back is not None and oid(frame.f_back) == caller:
                held = frame.f_locals
                args = tuple([held[name] for name in function.names])
                if not _PROXIES:
                    held.clear()  # it hangs on the frame, and would keep the arguments alive
                if recorder.begin(function, frame, code, args) is not None:
                    self.listen(function, code)
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error, function)

    def _listen_to_lines(self, code: object) -> None:
        """Has each line report once more, those that do not any more, too."""
        monitoring = sys.monitoring
        local = monitoring.get_local_events(self.tool, code)
        monitoring.set_local_events(self.tool, code, local & ~monitoring.events.LINE)
        monitoring.set_local_events(self.tool, code, local | monitoring.events.LINE)


_PROXIES = sys.version_info >= (3, 13)


def _code_of(callee: object) -> object:
    """Gives the code that a call runs: a function's, a method's, or that of a class's `__init__`; None for what else is called."""
    if type(callee) is kinds.Method:
        callee = callee.__func__
    elif type(callee) is not kinds.Function and isinstance_type(callee):
        for cls in mro_of(callee):
            made = dict_of(cls).get("__init__")
            if made is not None:
                callee = made
                break
    return callee.__code__ if type(callee) is kinds.Function else None
