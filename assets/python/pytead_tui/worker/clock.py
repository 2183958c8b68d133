"""Another time of day for what the project and its tests read: by the means the project has, else by our own.

Ours puts `time` and `datetime` forward where Python code looks them up: in their own modules and under the names that
the project's modules imported. What C code reads stays as it is.
"""

import contextlib
import datetime
import importlib
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec


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
    The time zone is this machine's, as it was for the program."""

    def __init__(self, nanoseconds: int, stands: bool, modules: list) -> None:
        now, began = time.monotonic_ns, time.monotonic_ns()
        self.held = _Ours((lambda: nanoseconds) if stands else (lambda: nanoseconds + now() - began), modules)

    def start(self) -> None:
        """Puts it in the place of the real one."""
        self.held.start()


class _Ours:
    def __init__(self, nanoseconds: "Callable[[], int]", modules: list) -> None:
        self.shifted = _shifted(nanoseconds)
        self.modules = [time, datetime, *modules]
        self.undo: list = []

    def start(self) -> None:
        for module in self.modules:
            names = vars(module)
            for name, value in list(names.items()):
                # By identity: what modules hold is never compared, hashed or asked.
                other = self.shifted.get(id(value))
                if other is not None:
                    self.undo.append((names, name, value))
                    names[name] = other

    def stop(self) -> None:
        for names, name, value in self.undo:
            names[name] = value


def _shifted(nanoseconds: "Callable[[], int]") -> dict:
    """Gives the stand-ins that tell another time, by the identity of what they stand for."""
    gmtime, localtime, strftime, asctime = time.gmtime, time.localtime, time.strftime, time.asctime
    date, moment = datetime.date, datetime.datetime

    def later() -> float:
        return nanoseconds() / 10**9

    def at(secs: "float | None" = None) -> float:
        return later() if secs is None else secs

    class Stand(type):
        """Makes the real thing, and takes the real thing for its own."""

        def __call__(cls, *args: object, **named: object) -> object:
            return cls.__base__(*args, **named)

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, cls.__base__)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, cls.__base__)

    class Moment(moment, metaclass=Stand):
        @classmethod
        def now(cls, tz: "datetime.tzinfo | None" = None) -> datetime.datetime:
            return moment.fromtimestamp(later(), tz)

        @classmethod
        def today(cls) -> datetime.datetime:
            return moment.fromtimestamp(later())

        @classmethod
        def utcnow(cls) -> datetime.datetime:
            return moment.fromtimestamp(later(), datetime.timezone.utc).replace(tzinfo=None)

    class Day(date, metaclass=Stand):
        @classmethod
        def today(cls) -> datetime.date:
            return date.fromtimestamp(later())

    for stand, real in ((Moment, moment), (Day, date)):
        stand.__name__, stand.__qualname__, stand.__module__ = real.__name__, real.__qualname__, real.__module__
    pairs = [
        (time.time, later), (time.time_ns, nanoseconds), (gmtime, lambda s=None: gmtime(at(s))),
        (localtime, lambda s=None: localtime(at(s))), (time.ctime, lambda s=None: asctime(localtime(at(s)))),
        (strftime, lambda form, t=None: strftime(form, localtime(later()) if t is None else t)),
        (asctime, lambda t=None: asctime(localtime(later()) if t is None else t)), (moment, Moment), (date, Day),
    ]  # fmt: skip
    # As an attribute of a class, what is written in C is no method either.
    return {id(real): stand if isinstance(stand, type) else staticmethod(stand) for real, stand in pairs}
