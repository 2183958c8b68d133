"""What a test may leave behind for the tests after it: the process's settings and the project's module variables.

Two pictures are compared. Nothing of the program is called to make one, not even `__class__`, and each is bounded.
"""

import atexit
import contextvars
import decimal
import functools
import itertools
import locale
import logging
import os
import signal
import sys
import threading
import time
import types

NODES = 3000  # of one module variable
DEPTH = 8

_PLAIN = (int, str, bytes, bool, type(None))
_PLAIN_KINDS = frozenset(_PLAIN)
_IDENTITY = (
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType, types.CodeType, property,
    staticmethod, classmethod,
)  # fmt: skip
_OPAQUE = (*_IDENTITY, type)
_LITERAL = (int, str, bool, type(None))
_EXIT, _LOCALE = "exit handlers", "the locale"
# What is no part of the process that only a test's own steps could put back.
_KINDS = {
    _EXIT: {"kind": "exit"},
    # A test holds the locale by what is in place of the function that sets it.
    _LOCALE: {"kind": "setting", "module": "locale", "name": "setlocale", "old": "held"},
}


class Picture:
    """How things stand at one moment."""

    def __init__(self, modules: dict) -> None:
        self.process = dict(_process())
        self.variables: dict = {}
        # So that no number of an object that was seen is given to another.
        self.alive: list = []
        self.left = 0
        self.path: set = set()  # the objects around the one that is looked at
        for name, module in modules.items():
            for key, value in list(vars(module).items()):
                if not (key.startswith("__") and key.endswith("__")) and not issubclass(type(value), _IDENTITY):
                    self.variables[name, key] = (value, self._tree(value, module))

    def _tree(self, value: object, module: types.ModuleType) -> object:
        self.left = NODES
        if issubclass(type(value), type):
            if value.__module__ != module.__name__:
                return ("class", id(value))
            return tuple(
                (key, self._node(held, 1))
                for key, held in list(vars(value).items())
                if not key.startswith("__") and not issubclass(type(held), _OPAQUE) and not hasattr(type(held), "__get__")
            )
        return self._node(value, 0)

    def _node(self, value: object, depth: int) -> object:
        self.left -= 1
        kind = type(value)
        if kind in _PLAIN:
            return (kind.__name__, value)
        if kind is float:
            return ("float", repr(value))
        if kind is itertools.count:
            return ("count", repr(value))
        if kind is contextvars.ContextVar:
            return ("context", self._node(value.get(None), depth + 1))
        if self.left <= 0 or depth > DEPTH or issubclass(kind, _OPAQUE):
            self.alive.append(value)
            return (kind.__name__, id(value))
        if kind is list or kind is tuple:
            return (kind.__name__, self._nodes(value[: self.left], depth + 1), len(value))
        if kind is set or kind is frozenset:
            items = list(itertools.islice(value, self.left))
            return (kind.__name__, frozenset(self._node(item, depth + 1) for item in items), len(value))
        if issubclass(kind, dict):
            keys, values = zip(*itertools.islice(dict.items(value), self.left)) if dict.__len__(value) else ((), ())
            return (kind.__name__, self._nodes(keys, depth + 1), self._nodes(values, depth + 1))
        self.alive.append(value)
        held = None
        if kind is threading.local:
            held = value.__dict__
        else:
            try:
                held = object.__getattribute__(value, "__dict__")
            except Exception:
                held = None
        if type(held) is not dict:
            return (kind.__name__, id(value))
        if depth and ("seen", id(value)) in self.path:
            return ("seen", id(value))
        self.path.add(("seen", id(value)))
        try:
            fields = list(itertools.islice(held.items(), max(self.left, 0)))
            return (kind.__name__, id(value), tuple((k, self._node(v, depth + 1)) for k, v in fields))
        finally:
            self.path.discard(("seen", id(value)))


    def _nodes(self, values: "list | tuple", depth: int) -> tuple:
        """Pictures values in their order; tables of plain ones are long at times."""
        kinds = tuple(map(type, values))
        if not _PLAIN_KINDS.issuperset(kinds):
            return tuple(self._node(value, depth) for value in values)
        self.left -= len(values)
        return (kinds, tuple(values))


def _process() -> "list[tuple]":
    """Gives the settings that all tests of a process share, each with the words for it."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    mask = os.umask(0)
    os.umask(mask)
    signals = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
        signals[int(number)] = id(signal.getsignal(number))
    root = logging.getLogger()
    loggers = {
        name: (logger.level, [id(handler) for handler in logger.handlers], logger.disabled)
        for name, logger in list(root.manager.loggerDict.items())
        if isinstance(logger, logging.Logger)
    }
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    return [
        ("the environment", environment),
        ("the working folder", folder),
        (_LOCALE, locale.setlocale(locale.LC_ALL)),
        ("the time zone", time.tzname),
        # Before the first test of a package, pytest puts the package's folder first, where it may be already.
        ("sys.path", sorted(set(map(str, sys.path)))),
        ("logging", (root.level, [id(handler) for handler in root.handlers], root.manager.disable)),
        ("loggers", loggers),
        ("signal handlers", signals),
        ("the file mode mask", mask),
        (_EXIT, getattr(atexit, "_ncallbacks", int)()),
        ("the decimal context", _context()),
        ("the recursion limit", sys.getrecursionlimit()),
        ("standard streams", (id(sys.stdin), id(sys.stdout), id(sys.stderr))),
    ]


def _context() -> tuple:
    """Gives the settings of decimal arithmetic, without the flags of what it came to."""
    context = decimal.getcontext()
    traps = sorted(signal.__name__ for signal, trapped in context.traps.items() if trapped)
    return (context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp, traps)


def caches(modules: dict) -> list:
    """Lists the `functools` caches of functions and methods: no picture shows what they hold."""
    found = {}
    for module in modules.values():
        for value in list(vars(module).values()):
            held = vars(value).values() if issubclass(type(value), type) and value.__module__ == module.__name__ else [value]
            for one in held:
                one = one.__func__ if type(one) in (staticmethod, classmethod) else one
                if type(one) is functools._lru_cache_wrapper:
                    found[id(one)] = one
    return list(found.values())


def touched(before: Picture, after: Picture) -> "list[str]":
    """Names the modules with a variable that is another now; an empty name stands for the process's settings."""
    gone = (None, ("gone",))
    names = {at[0] for at, (_, tree) in before.variables.items() if after.variables.get(at, gone)[1] != tree}
    return sorted(names if after.process == before.process else {"", *names})


def _logger(what: str, name: str, before: tuple, now: "tuple | None") -> dict:
    """Says that a logger is another one now: with another level alone, it is a setting that can be put back."""
    if now is None or before[1:] != now[1:]:
        return {"what": what, "kind": "process"}
    return {"what": what, "kind": "setting", "logger": name, "old": str(before[0])}


def difference(before: Picture, after: Picture) -> "list[dict]":
    """Says what is another now: `{"what", "kind"}`, for a module variable with a plain value also the value it had.

    The kind is `process` for settings of the process, `exit` for what runs at its end, `setting` for a module variable that got another
    plain value or a logger that got another level, and `content` for what else changed in one: caches, registries.
    """
    found: list = []
    for what, value in before.process.items():
        now = after.process[what]
        if now == value:
            continue
        if what == "loggers":
            # A logger that was not there before is no setting of anybody's.
            changed = sorted(name for name in value if now.get(name) != value[name])
            found.extend(_logger(f"the logger {name}", name, value[name], now.get(name)) for name in changed)
        elif what == "logging":
            found.append(_logger(what, "", value, now))
        elif what == "the environment":
            names = sorted(name for name in {*value, *now} if value.get(name) != now.get(name))
            for name in names:
                found.append({"what": f"os.environ[{name!r}]", "kind": "process", "variable": name, "old": value.get(name)})
        else:
            found.append({"what": what, **_KINDS.get(what, {"kind": "process"})})
    for (module, name), (value, tree) in before.variables.items():
        now, tree_now = after.variables.get((module, name), (None, ("gone",)))
        if tree == tree_now:
            continue
        entry: dict = {"what": f"{module}.{name}", "kind": "content"}
        if type(value) in _LITERAL and type(now) in (*_LITERAL, float, bytes):
            entry.update(kind="setting", module=module, name=name, old=repr(value))
            if len(entry["old"]) > 60:
                del entry["old"]
        found.append(entry)
    return found[:20]
