"""Finds what a recorded call leads to in the code of today, and spreads its arguments as its caller wrote them.

Where the name of the function led to the function itself, today's name is followed: through decorators, later definitions
and overrides. Where it led elsewhere, the definition itself is called, as it was.
"""

import inspect
from collections.abc import Callable

from pytead_tui.recorder import kinds
from pytead_tui.worker.lookup import Broken, find_callee, held_by, mangled

POSITIONAL_ONLY, ORDINARY, REST, KEYWORD_ONLY, KEYWORDS = range(5)
BY_NAME, LEFT_OUT, UNKNOWN = "k", "d", "?"


class Callee:
    """What a call leads to: `call` takes the arguments, of which the first `taken` are bound to it already."""

    def __init__(self, call: Callable, taken: int, definition: "Callable | None", awaited: "bool | None") -> None:
        self.call = call
        self.taken = taken
        self.awaited = awaited  # what it gave was awaited; None where nobody knows
        owned = getattr(call, "__func__", call)
        self.codes = [one.__code__ for one in (owned, definition) if type(one) is kinds.Function]

    def runs(self, code: object) -> bool:
        """Tells whether a generator or coroutine of this code is the call itself, and not something that it gives."""
        return any(code is own for own in self.codes)

    @property
    def flags(self) -> int:
        """Gives the flags of the function's own code."""
        return self.codes[0].co_flags if self.codes else 0


def of(module: object, call: dict, way: str, values: list) -> Callee:
    """Finds what a call leads to; `way` tells how it came to its function when it was recorded. Raises Broken."""
    letter, awaited = way[:1], way[1:] == "c" if way else None
    qualname = call["qualname"]
    if call.get("as_kept") or not call.get("dispatcher") and letter not in ("N", "M", "A"):
        function = find_callee(module, call, len(values))
        return Callee(function, 0, None, awaited)
    try:
        definition = find_callee(module, call, len(values))
    except Broken:
        definition = None
    qualname = call.get("dispatcher", qualname)
    if letter == "N":
        held, home = held_by(module, qualname)
        free = held.__get__(None, home) if isinstance(home, type) and hasattr(type(held), "__get__") else held
        return Callee(free, 0, definition, awaited)
    receiver = values[0]
    held = _of_class(module, receiver, qualname)
    if letter == "A":
        return Callee(_attribute(held, qualname, len(values)), 0, definition, awaited)
    bind = getattr(type(held), "__get__", None)
    if bind is None:
        return Callee(held, 1, definition, awaited)
    is_class = isinstance(receiver, type)
    return Callee(
        bind(held, None, receiver) if is_class else bind(held, receiver, type(receiver)), 1, definition, awaited
    )


def _of_class(module: object, receiver: object, qualname: str) -> object:
    """Gives what the receiver's class keeps under the name of a method today."""
    home, _, name = qualname.rpartition(".")
    name = mangled(home, name)
    for base in (receiver if isinstance(receiver, type) else type(receiver)).__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)


def _attribute(held: object, qualname: str, count: int) -> Callable:
    """Gives what reads or sets an attribute."""
    if isinstance(held, property):
        found = held.fset if count == 2 else held.fget
        if found is not None:
            return found
    name = mangled(*qualname.rpartition(".")[::2])
    return getattr_of(name) if count == 1 else setattr_of(name)


def getattr_of(name: str) -> Callable:
    """Gives a function that reads an attribute."""
    return lambda receiver: getattr(receiver, name)


def setattr_of(name: str) -> Callable:
    """Gives a function that sets an attribute."""
    return lambda receiver, value: setattr(receiver, name, value)


# Arguments.


def spread(callee: Callee, arguments: list, sites: "list | None") -> tuple:
    """Spreads recorded (name, kind, value, given) for a call of today: (args, kwargs). `sites` are the forms in which the
    caller's text of today calls a function of this name, None where its parameters are what they were. Raises Broken.
    """
    taken = arguments[callee.taken :]
    is_known = all(given != UNKNOWN or kind in (REST, KEYWORDS) for _, kind, _, given in taken)
    if is_known and sites is None:
        return as_written(taken)  # its parameters are what they were: what its name leads to now may refuse them
    try:
        signature = inspect.signature(callee.call, follow_wrapped=False)
    except (TypeError, ValueError):
        signature = None  # of one that is written in C
    if signature is None or is_known:
        args, named = as_written(taken)
        if signature is None or sites is None or _binds(signature, args, named):
            return args, named
        return _today(signature, taken, args, named, sites)
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        if not any(name in signature.parameters for name, *_ in taken):
            return as_written(taken)  # it hands on what it is given
    return bind(signature, taken)


def as_written(arguments: list) -> tuple:
    """Gives (args, kwargs) as the caller gave them."""
    args: list = []
    named: dict = {}
    gap = False
    for name, kind, value, given in arguments:
        if kind == REST:
            if gap and value:
                raise Broken("its arguments cannot be given as they were")
            args += value
        elif kind == KEYWORDS:
            named.update(value)
        elif given == LEFT_OUT:
            gap = True
        elif kind == KEYWORD_ONLY or given == BY_NAME or gap and kind == ORDINARY:
            named[name] = value
        else:
            args.append(value)
    return args, named


def _binds(signature: inspect.Signature, args: list, named: dict) -> bool:
    try:
        signature.bind(*args, **named)
    except TypeError:
        return False
    return True


def _today(signature: inspect.Signature, arguments: list, args: list, named: dict, sites: list) -> tuple:
    """Spreads arguments that the parameters of today refuse: as the caller writes the call today, where it was edited as
    well; as they were, where it was not, for then the program breaks. Raises Broken.
    """
    if any(places == len(args) and set(names) == set(named) for places, names in sites):
        return args, named
    ordinary = [p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    values = {
        name: value for name, kind, value, given in arguments if kind not in (REST, KEYWORDS) and given != LEFT_OUT
    }
    for places, names in sites:
        wanted = [parameter.name for parameter in ordinary[:places]] + list(names)
        if len(wanted) < places + len(names):
            continue
        renamed = [name for name in wanted if name not in values]
        others = [name for name in values if name not in wanted]
        if renamed and len(renamed) != len(others):
            continue
        known = {**values, **{new: values[old] for new, old in zip(renamed, others)}}
        spelled = [known[name] for name in wanted[:places]], {name: known[name] for name in names}
        if _binds(signature, *spelled):
            return spelled
    raise Broken("its parameters changed, and its caller gives other arguments now", "signature-changed")


def bind(signature: inspect.Signature, arguments: list) -> tuple:
    """Spreads recorded arguments over the parameters of today, whoever calls: by name, and by place for one that was
    renamed. Raises Broken.
    """
    kept = [(name, kind, value) for name, kind, value, how in arguments if how != LEFT_OUT]
    given = {name: value for name, kind, value in kept if kind in (POSITIONAL_ONLY, ORDINARY, KEYWORD_ONLY)}
    order = [name for name, kind, *_ in arguments if kind in (POSITIONAL_ONLY, ORDINARY)]
    rest = [item for _, kind, value in kept if kind == REST for item in value]
    named = {name: held for _, kind, value in kept if kind == KEYWORDS for name, held in value.items()}
    today = list(signature.parameters.values())
    places = [p for p in today if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    args: list = []
    gap = False
    for at, parameter in enumerate(places):
        name = parameter.name
        if name not in given and at < len(order) and order[at] in given and order[at] not in signature.parameters:
            given[name] = given.pop(order[at])  # it was renamed
        if name not in given:
            gap = True
        elif gap and parameter.kind is not parameter.POSITIONAL_ONLY:
            named[name] = given.pop(name)
        else:
            args.append(given.pop(name))
    if rest and gap:
        raise Broken("its parameters changed", "signature-changed")
    named.update(given)
    try:
        signature.bind(*args, *rest, **named)
    except TypeError as error:
        raise Broken(f"its parameters changed: {error}", "signature-changed", None, error) from error
    return [*args, *rest], named
