"""Another time of day for what the project and its tests read: by the means the project has, else by our own.

Ours puts the functions of `time` forward where Python code looks them up, in their own module and under the names that the project's
modules imported, and the methods of `datetime` in their classes. What C code reads stays as it is.
"""

import contextlib
import ctypes
import datetime
import gc
import importlib
import itertools
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec

QUICK = 50_000_000  # nanoseconds that a call may take before a recorded clock goes on as the real one does


def library() -> str:
    """Names what changes the time of day here."""
    return next((name for name in ("time_machine", "freezegun") if find_spec(name) is not None), "ours")


def load() -> None:
    """Imports what changes the time of day, for the forks that follow."""
    if library() != "ours":
        with contextlib.suppress(Exception):  # what does not work is said by the call that needs it
            importlib.import_module(library())


def settle() -> None:
    """Stops the clock once where freezegun is: it looks at all that modules hold, which loads what they load late, and a
    test would seem to leave that behind."""
    freezegun = sys.modules.get("freezegun")
    if freezegun is not None:
        with contextlib.suppress(Exception):  # a test that needs it says so
            with freezegun.freeze_time("2020-01-01"):
                pass


class Later:
    """The clock put forward by some seconds for as long as it lasts; left alone with none."""

    def __init__(self, seconds: "int | float | None", modules: dict) -> None:
        self.held: object = None
        if not seconds:
            return
        when = datetime.datetime.fromtimestamp(time.time() + seconds, datetime.timezone.utc)
        name = library()
        if name == "time_machine":
            import time_machine

            self.held = time_machine.travel(when, tick=True)
        elif name == "freezegun":
            import freezegun

            self.held = freezegun.freeze_time(when, tick=True)
        else:
            now = time.time_ns
            shift = round(seconds * 10**9)
            self.held = _Ours(lambda: now() + shift, list(modules.values()))

    def __enter__(self) -> None:
        if self.held is not None:
            self.held.start()

    def __exit__(self, *error: object) -> None:
        if self.held is not None:
            self.held.stop()


class Fixed:
    """The clock stopped at a moment, until the process ends."""

    def __init__(self, moment: int, modules: list) -> None:
        when = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc)
        name = library()
        if name == "time_machine":
            import time_machine

            self.held = time_machine.travel(when, tick=False)
        elif name == "freezegun":
            import freezegun

            self.held = freezegun.freeze_time(when)
        else:
            self.held = _Ours(lambda: moment * 10**9, modules)

    def start(self) -> None:
        """Stops it."""
        self.held.start()


class Recorded:
    """The clock of the moment at which a call was recorded, until the process ends: it goes on from there, or stands there.
    At first each reading comes a microsecond after the one before: what a quick call reads is the same each time, also where a second ends
    just then.
    The time zone is this machine's, as it was for the program."""

    def __init__(self, nanoseconds: int, stands: bool, modules: list) -> None:
        now, began, readings = time.monotonic_ns, time.monotonic_ns(), itertools.count(1)

        def moment() -> int:
            if stands:
                return nanoseconds
            passed = now() - began
            return nanoseconds + (passed if passed >= QUICK else 1000 * next(readings))

        self.held = _Ours(moment, modules)

    def start(self) -> None:
        """Puts it in the place of the real one."""
        self.held.start()


class _Ours:
    def __init__(self, nanoseconds: "Callable[[], int]", modules: list) -> None:
        self.shifted = _functions(nanoseconds)
        self.methods = _methods(nanoseconds)
        self.modules = [time, *modules]
        self.undo: list = []

    def start(self) -> None:
        for module in self.modules:
            names = vars(module)
            for name, value in list(names.items()):
                # By identity: what modules hold is never compared, hashed or asked.
                other = self.shifted.get(id(value))
                if other is not None:
                    self._put(names, name, other)
        for cls, methods in self.methods.items():
            for name, method in methods.items():
                self._put(_attributes(cls), name, classmethod(method))
        self._tell()

    def _put(self, names: dict, name: str, other: object) -> None:
        self.undo.append((names, name, names[name]))
        names[name] = other

    def stop(self) -> None:
        for names, name, value in reversed(self.undo):
            names[name] = value
        self.undo.clear()
        self._tell()

    def _tell(self) -> None:
        """Has the interpreter look these classes up anew."""
        for cls in self.methods:
            ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))


def _attributes(cls: type) -> dict:
    """Gives the attributes of a class that is written in C, which Python code cannot set. A class in its place would not do: no class with
    another metaclass could be derived from it, and what is derived from it would have to be told from it.
    """
    return gc.get_referents(vars(cls))[0]


def _functions(nanoseconds: "Callable[[], int]") -> dict:
    """Gives the functions that tell another time, by the identity of what they stand for."""
    gmtime, localtime, strftime, asctime = time.gmtime, time.localtime, time.strftime, time.asctime

    def later() -> float:
        return nanoseconds() / 10**9

    def at(secs: "float | None" = None) -> float:
        return later() if secs is None else secs

    pairs = [
        (time.time, later), (time.time_ns, nanoseconds), (gmtime, lambda s=None: gmtime(at(s))),
        (localtime, lambda s=None: localtime(at(s))), (time.ctime, lambda s=None: asctime(localtime(at(s)))),
        (strftime, lambda form, t=None: strftime(form, localtime(later()) if t is None else t)),
        (asctime, lambda t=None: asctime(localtime(later()) if t is None else t)),
    ]  # fmt: skip
    # As an attribute of a class, what is written in C is no method either.
    return {id(real): staticmethod(stand) for real, stand in pairs}


def _methods(nanoseconds: "Callable[[], int]") -> dict:
    """Gives the methods that tell another time, by class and name."""
    date, moment = datetime.date, datetime.datetime
    utcnow = vars(moment)["utcnow"]

    def later() -> float:
        return nanoseconds() / 10**9

    def now(cls: type, tz: "datetime.tzinfo | None" = None) -> datetime.datetime:
        return cls.fromtimestamp(later(), tz)

    def today(cls: type) -> datetime.date:
        return cls.fromtimestamp(later())

    def in_utc(cls: type) -> datetime.datetime:
        utcnow.__get__(None, cls)()  # which may warn that it is old
        return cls.fromtimestamp(later(), datetime.timezone.utc).replace(tzinfo=None)

    return {moment: {"now": now, "utcnow": in_utc}, date: {"today": today}}
