"""Tells how a call was written: which arguments by place, which by name, which were left to their defaults, and whether the
name of the function led to the function itself.

The interpreter does not tell. A call site says it in its bytecode, which is read once for each function that it calls; where
the caller is written in C, or hands on `*args`, an argument at the end that is the very default counts as left out.
"""

import opcode

from pytead_tui.recorder import functions, kinds
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import dict_of, mro_of, oid
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.plans import isinstance_type, lookup

# What a record says of the function, and of each parameter.
ITSELF, METHOD, ATTRIBUTE, OTHERWISE = "N", "M", "A", "W"
PLACE, NAME, LEFT, UNKNOWN = "p", "k", "d", "?"

_of = opcode.opmap.get
_EXTENDED = _of("EXTENDED_ARG")
_PLAIN = frozenset(_of(name) for name in ("CALL", "CALL_FUNCTION", "CALL_METHOD") if _of(name) is not None)
_NAMED = frozenset(_of(name) for name in ("CALL_KW", "CALL_FUNCTION_KW") if _of(name) is not None)
_PRECALL, _WORDS = _of("PRECALL", -1), _of("KW_NAMES", -1)
_ATTRIBUTES = frozenset(_of(name) for name in ("LOAD_ATTR", "LOAD_METHOD") if _of(name) is not None)
_NAMES = frozenset(_of(name) for name in ("LOAD_GLOBAL", "LOAD_NAME"))
# The number of a name is shifted by the flags that stand beside it.
_SHIFTS = {_of("LOAD_ATTR"): sys.version_info >= (3, 12), _of("LOAD_GLOBAL"): sys.version_info >= (3, 11)}
_fget = property.__dict__["fget"].__get__
_fset = property.__dict__["fset"].__get__
_inner = {t: t.__dict__["__func__"].__get__ for t in (staticmethod, classmethod)}


def of(function: Function, back: object, code: object, held: tuple, bound: "str | None") -> str:
    """Gives how a call was written: a letter for the function and one for each parameter. `back` is the frame around the
    call's, `code` the call's own, `bound` the name that leads to it where another function made it.
    """
    found, letter = _callee(function, code, held, bound)
    if found is None:
        return letter + UNKNOWN * len(held)
    # A generator or coroutine begins where it is asked, not where it is called.
    site = None if back is None or function.flags & 7 else _site(function, back)
    told = None if site is None else _told(function, found, site, held, back)
    return letter + (told or _guessed(function, found, held))


def left_out(how: str) -> str:
    """Gives what tells two calls with equal arguments apart: which of them were left out."""
    return how.replace(PLACE, UNKNOWN).replace(NAME, UNKNOWN)[1:]


# The function.


def _callee(function: Function, code: object, held: tuple, bound: "str | None") -> tuple:
    """Gives (the function or None, its letter)."""
    module, qualname = function.module, function.qualname
    if bound is not None:
        module, _, qualname = bound.partition(":")
    home, _, name = qualname.rpartition(".")
    if home and name.startswith("__") and not name.endswith("__"):
        name = "_" + home.rpartition(".")[2].lstrip("_") + name
    value = None
    if function.receiver and held:
        cls = held[0] if isinstance_type(held[0]) else type(held[0])
        for base in mro_of(cls):
            space = dict_of(base)
            if name in space:
                value = space[name]
                break
    else:
        value = lookup(module, home + "." + name if home else name)
    for letter, made in _direct(value):
        if _is_it(made, code):
            return made, METHOD if letter == ITSELF and function.receiver else letter
    return _behind(value, code) or _behind(lookup(module, qualname), code), OTHERWISE


def _direct(value: object) -> list:
    """Lists what a name calls when it is called or read, with the letter for that."""
    t = type(value)
    if t is staticmethod or t is classmethod:
        return [(ITSELF, _inner[t](value))]
    if t is property:
        return [(ATTRIBUTE, _fget(value)), (ATTRIBUTE, _fset(value))]
    return [(ITSELF, value)]


def _is_it(value: object, code: object) -> bool:
    if type(value) is not kinds.Function:
        return False
    own = value.__code__
    return own is code or (own.co_name, own.co_firstlineno, own.co_filename) == (
        code.co_name, code.co_firstlineno, code.co_filename)  # fmt: skip


def _behind(value: object, code: object) -> object:
    """Looks for a function behind its decorators, through what they closed over and `__wrapped__`."""
    pending, seen = [value], 0
    while pending and seen < 20:
        seen += 1
        value = pending.pop(0)
        if _is_it(value, code):
            return value
        pending += [made for _, made in _direct(value) if made is not value]
        if type(value) is kinds.Function:
            pending.append(value.__dict__.get("__wrapped__"))
            for cell in value.__closure__ or ():
                try:
                    pending.append(cell.cell_contents)
                except ValueError:
                    pass
    return None


# The call site.


def _site(function: Function, back: object) -> "tuple | None":
    """Gives what a call site gives: (how many by place, the names, a dotted name before the function's own)."""
    code, at = back.f_code, back.f_lasti
    key = oid(code), at
    known = function.sites.get(key)
    if known is not None and known[0] is code:
        return known[1]
    site = read(code, at, function.qualname.rpartition(".")[2])
    if len(function.sites) < functions.CALLERS:
        function.sites[key] = code, site
    return site


def read(code: object, at: int, name: str) -> "tuple | None":
    """Reads a call from the bytecode around an offset; None where no call stands there, or its arguments are not told."""
    raw = code.co_code
    while at > 0 and raw[at] == 0:  # caches stand behind their instruction
        at -= 2
    if at < 0 or raw[at] not in _PLAIN and raw[at] not in _NAMED:
        return None
    count = _argument(raw, at)
    words: tuple = ()
    before = _before(raw, at)
    if before >= 0 and raw[before] == _PRECALL:
        before = _before(raw, before)
    if before >= 0 and (raw[at] in _NAMED or raw[before] == _WORDS):
        number = _argument(raw, before)
        held = code.co_consts[number] if number < len(code.co_consts) else None
        if type(held) is not tuple or len(held) > count:
            return None
        words = held
    return count - len(words), words, _owner(code, raw, before, name)


def _argument(raw: bytes, at: int) -> int:
    value, shift = raw[at + 1], 8
    while at >= 2 and raw[at - 2] == _EXTENDED:
        at -= 2
        value |= raw[at + 1] << shift
        shift += 8
    return value


def _before(raw: bytes, at: int) -> int:
    """Gives the instruction before one."""
    at -= 2
    while at >= 0 and (raw[at] == _EXTENDED or raw[at] == 0):
        at -= 2
    return at


def _owner(code: object, raw: bytes, at: int, name: str) -> tuple:
    """Gives the names before the function's own where that is read last: `Base` of `Base.__init__(self)`."""
    while at >= 0 and not (raw[at] in _ATTRIBUTES and _name(code, raw, at) == name):
        at = _before(raw, at)
    found: list = []
    while at >= 0:
        at = _before(raw, at)
        if at < 0 or raw[at] not in _ATTRIBUTES and raw[at] not in _NAMES:
            return ()
        found.append(_name(code, raw, at))
        if raw[at] in _NAMES:
            return tuple(reversed(found))
    return ()


def _name(code: object, raw: bytes, at: int) -> "str | None":
    number = _argument(raw, at) >> _SHIFTS.get(raw[at], 0)
    return code.co_names[number] if number < len(code.co_names) else None


def _is_class(owner: tuple, space: object) -> bool:
    """Whether a dotted name means a class in a frame's globals, through namespaces alone."""
    held: object = None
    for part in owner:
        held = space.get(part) if type(space) is dict else None
        if isinstance_type(held):
            space = dict_of(held)
        else:
            space = held.__dict__ if type(held) is kinds.Module else None
    return bool(owner) and isinstance_type(held)


# The arguments.


def _told(function: Function, found: object, site: tuple, held: tuple, back: object) -> "str | None":
    """Gives the letters of the arguments as a call site tells them; None where it cannot be what made the call."""
    by_place, words, owner = site
    positional = sum(kind < 2 for kind in function.kinds)
    variadic, named = 2 in function.kinds, 4 in function.kinds
    if function.receiver and held:
        by_class = not isinstance_type(held[0]) and _is_class(owner, back.f_globals)
        by_place += not by_class
    if by_place > positional and not variadic:
        return None
    defaults = _defaults(function, found)
    letters = []
    left = list(words)
    for at, (name, kind) in enumerate(zip(function.names, function.kinds)):
        if kind in (2, 4):
            letters.append(PLACE)
        elif kind < 2 and at < by_place:
            letters.append(PLACE)
        elif kind and name in left:
            left.remove(name)
            letters.append(NAME)
        elif name in defaults and defaults[name] is held[at]:
            letters.append(LEFT)
        else:
            return None
    return None if left and not named else "".join(letters)


def _guessed(function: Function, found: object, held: tuple) -> str:
    """Gives the letters where no call site tells: what is the very default, at the end, was left out."""
    defaults = _defaults(function, found)
    letters = [UNKNOWN] * len(held)
    if function.receiver and held:
        letters[0] = PLACE
    given = any(kind == 2 and value for kind, value in zip(function.kinds, held))
    for at in range(len(held) - 1, -1, -1):
        name, kind = function.names[at], function.kinds[at]
        if kind in (2, 4):
            continue
        is_default = name in defaults and defaults[name] is held[at]
        if kind == 3:
            letters[at] = LEFT if is_default else NAME
        elif is_default and not given:
            letters[at] = LEFT
        else:
            given = True
    return "".join(letters)


def _defaults(function: Function, found: object) -> dict:
    """Gives the default of each parameter that has one."""
    names = [name for name, kind in zip(function.names, function.kinds) if kind < 2]
    held = found.__defaults__ or ()
    defaults = dict(zip(names[len(names) - len(held) :], held)) if held else {}
    more = found.__kwdefaults__
    if type(more) is dict:
        defaults.update(more)
    return defaults
