"""What a call leaves behind in its process: names of the project's modules that stand for something else, other content of what they
hold, of their classes and of their single objects; variables of the environment, the import path and the working folder.

Two runs of one call are compared by that, too: what a program keeps in a module decides how its next calls end. The process that
forks for calls looks once (`Before`); after a call, only what the functions that it ran name is looked at again.
"""

import contextvars
import os
import sys
import threading
from collections import Counter, OrderedDict, defaultdict, deque

from pytead_tui.recorder import kinds
from pytead_tui.recorder.objects import derives, dict_of, mro_of, names_of, state

STATE = "state of "  # the name of a module and what it holds follow
ENVIRONMENT, FOLDER = "environment", "working folder"

DEEP = 3  # containers and objects, one in the other
MOST = 100  # items of one; of a longer one, how many
LONGEST = 500  # characters of a text
ROOM = 50_000  # values that are looked at before calls, of all modules together

_PLAIN = (int, float, complex, bool, bytes, type(None))
_ROWS = (list, tuple, deque)
_SETS = (set, frozenset)
_MAPPINGS = (dict, defaultdict, OrderedDict, Counter)
_GONE = object()


class Before:
    """How the project's modules look before calls, in the process that forks for them."""

    def __init__(self, root: str) -> None:
        self.inside = root + os.sep
        self.known: dict = {}  # by the module's name: what its names stand for, and how that looks; None for modules of others
        self.count = 0
        self.room = ROOM

    def look(self) -> None:
        """Looks at all modules if some were imported since it looked last: an import may change what other modules hold."""
        if len(sys.modules) == self.count:
            return
        self.count = len(sys.modules)
        new = False
        for name, module in list(sys.modules.items()):
            if name not in self.known:
                own = type(module) is kinds.Module and self._is_own(module)
                self.known[name] = {} if own else None
                new = new or own
        self.room = ROOM if new else 0
        for name, held in self.known.items():
            module = sys.modules.get(name)
            if held is not None and type(module) is kinds.Module and self.room > 0:
                self.known[name] = {key: (value, self._looked(value)) for key, value in list(module.__dict__.items())}

    def imported(self) -> list:
        """Lists the files of the project that became modules since it looked, relative to the root."""
        new = [module for name, module in list(sys.modules.items()) if name not in self.known and type(module) is kinds.Module]
        files = sorted(module.__dict__["__file__"] for module in new if self._is_own(module))
        return [file[len(self.inside) :].replace(os.sep, "/") for file in files]

    def _is_own(self, module: object) -> bool:
        file = module.__dict__.get("__file__")
        return type(file) is str and file.startswith(self.inside) and "site-packages" not in file

    def mark(self) -> tuple:
        """Gives how the process is before a call."""
        return dict(os.environ), list(sys.path), _folder()

    def left(self, mark: tuple, named: dict) -> dict:
        """Gives what differs after a call, by what it differs in: of what it `named` in files, relative to the root."""
        environment, path, folder = mark
        found: dict = {}
        now = dict(os.environ)
        changed = {name: now.get(name) for name in {*now, *environment} if now.get(name) != environment.get(name)}
        if changed:
            found[ENVIRONMENT] = {name: changed[name] for name in sorted(changed)}
        if sys.path != path:
            found[STATE + "sys.path"] = _row(list(sys.path), DEEP)
        if _folder() != folder:
            found[FOLDER] = _folder()
        for name, keys in self._near(named):
            before, space = self.known[name], sys.modules[name].__dict__
            for key in sorted(key for key in keys if key in before or key in space):
                look = self._other(before.get(key), space.get(key, _GONE))
                if look is not _GONE:
                    found[f"{STATE}{name}.{key}"] = look
        return found

    def _near(self, named: dict) -> list:
        """Lists modules with the names to look at: the modules of the files, and each module that one of the names leads to."""
        found: dict = {}
        files = {self.inside + path: names for path, names in named.items()}
        for name, held in self.known.items():
            module = sys.modules.get(name)
            names = files.get(module.__dict__.get("__file__")) if held and type(module) is kinds.Module else None
            if names is None:
                continue
            found.setdefault(name, set()).update(names)
            others = [module.__dict__[key] for key in names if type(module.__dict__.get(key)) is kinds.Module]
            for other in [other.__dict__.get("__name__") for other in others]:
                if type(other) is str and self.known.get(other):
                    found.setdefault(other, set()).update(names)
        return sorted(found.items())

    def _other(self, before: "tuple | None", now: object) -> object:
        """Gives how something looks now if it is not as it was."""
        if before is None:
            # Modules are named by their packages once something imports them, and functions by who defines them.
            is_code = type(now) in (kinds.Module, kinds.Function) or _is_class(now)
            return _GONE if is_code else self._looked(now)
        value, looked = before
        if now is value:
            look = self._looked(now) if _may_change(now) else looked
            return _GONE if look == looked else look
        if now is _GONE:
            return "gone"
        look = self._looked(now)
        return _GONE if look == looked and type(now) is type(value) else look

    def _looked(self, value: object) -> object:
        self.room -= 1
        if _is_class(value):
            if self.known.get(names_of(value)[0]) is None:
                return None
            space = dict_of(value)
            self.room -= len(space)
            held = {key: held for key, held in list(space.items()) if not key.startswith("__") and _is_data(held)}
            return {key: self._look(held[key], DEEP - 1) for key in sorted(held)}
        return self._look(value, DEEP)

    def _look(self, value: object, deep: int) -> object:
        self.room -= 1
        t = type(value)
        if t is str:
            return value if len(value) <= LONGEST else value[:LONGEST] + "…"
        if t in _PLAIN:
            return value
        if deep and t in _ROWS:
            return [self._look(item, deep - 1) for item in value] if len(value) <= MOST else _many(value)
        if deep and t in _SETS:
            plain = len(value) <= MOST and all(type(item) in (str, int, bool) for item in value)
            return sorted(value, key=lambda item: (str(type(item)), item)) if plain else _many(value)
        if deep and t in _MAPPINGS:
            # Other keys may be addresses, which are others in each run.
            named = len(value) <= MOST and all(type(key) is str or type(key) is int and abs(key) < 1 << 31 for key in value)
            return {str(key): self._look(held, deep - 1) for key, held in list(value.items())} if named else _many(value)
        if t is contextvars.ContextVar:
            return self._look(value.get(None), deep)
        if deep and (t is threading.local or self.known.get(names_of(t)[0]) is not None):
            held = value.__dict__ if t is threading.local else state(value)
            fields = {key: self._look(held[key], deep - 1) for key in sorted(held)[:MOST] if type(key) is str}
            return {"": names_of(t)[1], **fields}
        return names_of(t)[1]


def _row(items: list, deep: int) -> list:
    return [item if type(item) is str else names_of(type(item))[1] for item in items]


def _many(value: object) -> str:
    return "%s of %d" % (names_of(type(value))[1], len(value))


def _may_change(value: object) -> bool:
    return type(value) not in (*_PLAIN, str, kinds.Module, kinds.Function)


def _is_class(value: object) -> bool:
    # `isinstance` believes `__class__`, which may be anything: before 3.11, that of `list[int]` is `type`.
    return derives(mro_of(type(value)), type)


def _is_data(value: object) -> bool:
    """Tells what a class keeps from what it does: methods, properties and other descriptors."""
    return not any("__get__" in dict_of(base) for base in mro_of(type(value)))


def _folder() -> "str | None":
    try:
        return os.getcwd()
    except OSError:
        return None
