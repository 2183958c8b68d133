"""Keeps failures of ours from the program: they are counted, and a function that has many of them is recorded no more.

The part of the recorder that deals with exceptions in it; state.py's `Recorder` is the whole, and sets every attribute that
is used here.
"""

import _signal
from _functools import partial

from pytead_tui.recorder import kinds
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import dict_of, mro_of, names_of
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.spool import Full

PACKAGE = (lambda: None).__code__.co_filename.rpartition("recorder")[0]
MOST = 100  # of one function, before its events go off
MOST_IN_ALL = 10_000  # before everything does

_traceback = BaseException.__dict__["__traceback__"].__get__
_args = BaseException.__dict__["args"].__get__
_handler_of = _signal.getsignal
_SIGNALS = range(1, _signal.NSIG)


class Failures:
    """What a recorder does with its own failures."""

    def failed(self, error: BaseException, function: "Function | None" = None) -> None:
        """Swallows a failure of ours, of a function's where that is known. Raises again what is not ours: what a signal
        handler raised, or another thread raised in this one.
        """
        if not isinstance(error, Exception) or _is_sent(error):
            raise error
        if type(error) is Full:
            self.gap("spool full or unwritable", 1)
            self.switch_off()
            return
        self.errors += 1
        name = names_of(type(error))[1]
        if function is not None:
            function.errors += 1
            if function.errors >= MOST:
                self.gap("recorder error: %s in %s:%s" % (name, function.module, function.qualname), function.errors)
                self._give_up(function)
        if self.errors >= MOST_IN_ALL:
            self.gap("recorder error: " + name, self.errors)
            self.switch_off()

    def _give_up(self, function: Function) -> None:
        function.reads_argv = False
        try:
            self.stop(function)
        except Exception:
            self.switch_off()

    def switch_off(self) -> None:
        """Stops everything, for good."""
        if not self.on:
            return
        self.on = False
        self.live.clear()  # and with it the frames
        for function in list(self.numbered.values()):
            function.on = False
            for hook in function.hooks:
                hook.on = hook.ends = hook.busy = False
            for listener in self.when_off + self.when_drained:
                try:
                    listener(function)
                except Exception:
                    self.errors += 1


def _is_sent(error: Exception) -> bool:
    """Whether an exception came to us from outside, between two of our steps."""
    tb = _traceback(error)
    if tb is None:
        return False
    codes = None
    while True:
        frame = tb.tb_frame
        if not frame.f_code.co_filename.startswith(PACKAGE):
            if codes is None:
                codes = _handlers()
            if _place_of(frame.f_code) in codes:
                return True
        if tb.tb_next is None:
            break
        tb = tb.tb_next
    # What another thread raises here is a class alone, and no line of ours gives one of the program's without a word.
    foreign = names_of(type(error))[0].partition(".")[0] not in ("builtins", "pytead_tui")
    return foreign and not _args(error) and frame.f_code.co_filename.startswith(PACKAGE)


def _handlers() -> set:
    """Gives the places of the code that the program runs at signals."""
    found = set()
    for number in _SIGNALS:
        try:
            code = _code_of(_handler_of(number))
        except ValueError:
            continue
        if code is not None:
            found.add(_place_of(code))
    return found


def _place_of(code: object) -> tuple:
    """Gives where code was written. A function may have got other code of the same place since its frame began: ours goes
    when nothing more is wanted of it.
    """
    return code.co_filename, code.co_firstlineno, code.co_name


def _code_of(held: object) -> object:
    """Gives the code that runs when something is called, or None."""
    if type(held) is kinds.Method:
        held = held.__func__
    elif type(held) is partial:
        return _code_of(held.func)
    if type(held) is kinds.Function:
        return held.__code__
    for cls in mro_of(type(held)):
        called = dict_of(cls).get("__call__")
        if called is not None:
            return called.__code__ if type(called) is kinds.Function else None
    return None
