"""Numbers objects by identity: the same living object has the same ordinal in every record.

Also the ways to look at a type that cannot run a user's code: metaclasses may define anything.
"""

from pytead_tui.recorder.own import __builtins__, _weakref, sys

# Like id(), without the audit event that id() raises at each call.
oid = object.__hash__

_get_mro = type.__dict__["__mro__"].__get__
_get_dict = type.__dict__["__dict__"].__get__
_get_args = BaseException.__dict__["args"].__get__
_get_name = type.__dict__["__qualname__"].__get__
_get_module = type.__dict__["__module__"].__get__


def mro_of(cls: type) -> tuple:
    """Gives the method resolution order."""
    return _get_mro(cls)


def dict_of(cls: type) -> dict:
    """Gives the class's own namespace."""
    return _get_dict(cls)


def names_of(cls: type) -> tuple:
    """Gives a class's (module, qualname); what is not an exact string is `?`."""
    try:
        module = _get_module(cls)
    except AttributeError:
        module = "?"
    name = _get_name(cls)
    return (module if type(module) is str else "?", name if type(name) is str else "?")


def derives(mro: tuple, base: type) -> bool:
    """Whether a class is among the bases; by identity, for `in` may run a metaclass's `__eq__`."""
    return any(b is base for b in mro)


# The names of classes that are kept alive, by identity: see plans.py.
names_kept: dict = {}


def from_module(cls: type, module: str, name: str) -> bool:
    """Whether a class is the one that an imported module holds under a name."""
    found = sys.modules.get(module)
    return type(found) is type(sys) and found.__dict__.get(name) is cls


class Entry:
    """What is known of one object."""

    __slots__ = ("ordinal", "ref", "cls", "names", "announced", "args", "seen", "state", "readers", "kind",
                 "sketch", "among")  # fmt: skip

    def __init__(self, ordinal: int, ref: object, cls: type) -> None:
        self.ordinal = ordinal
        self.ref = ref
        self.cls = cls
        self.names = names_kept.get(oid(cls)) or names_of(cls)
        self.announced = False
        self.args: "tuple | None" = None
        # In a journey: what tells how it looks, and how it looked when it was last told; of a plain object,
        # how its state is read and of what kind its class is, too.
        self.seen: object = None
        self.state: "tuple | None" = None
        self.readers: "tuple | None" = None
        self.kind = ""
        self.among = -1  # how many names of modules it was looked for among, in vain
        self.sketch: "tuple | None" = None  # its tree where a journey does not look into it

    def sketched(self) -> tuple:
        """Gives its tree where a journey does not look into it, and keeps it."""
        self.sketch = made = (StopIteration, "opaque", self.ordinal, *self.names)
        return made

    def tell(self, seen: object, state: tuple) -> None:
        """Notes that a journey tells the object as it looks now."""
        self.seen = seen
        self.state = state


class Objects:
    """The objects seen so far."""

    def __init__(self) -> None:
        self.entries: dict = {}
        self.count = 0
        self.walked = 0  # nodes of values that were walked one by one
        self.sweep_at = 50_000

    def of(self, value: object) -> Entry:
        """Gives an object's entry, made at first sight."""
        key = oid(value)
        entry = self.entries.get(key)
        if entry is not None:
            ref = entry.ref
            if ref is not None:
                if ref() is value:
                    return entry
            # Without weak references, a reused address is told by the type and, of an exception, by its arguments.
            elif entry.cls is type(value) and (entry.args is None or entry.args is _get_args(value)):
                return entry
        try:
            ref = _weakref.ref(value)
        except TypeError:
            ref = None
        entry = self.entries[key] = Entry(self.fresh(), ref, type(value))
        if ref is None and derives(_get_mro(type(value)), BaseException):
            args = _get_args(value)
            if args and all(type(a) is str or type(a) is int for a in args):
                entry.args = args  # held, so that no other exception's are at their address
        if len(self.entries) > self.sweep_at:
            self._sweep()
        return entry

    def told(self, value: object) -> "Entry | None":
        """Gives the entry of an object that a journey told before; of one without weak references, if it looks the same."""
        entry = self.entries.get(oid(value))
        if entry is None or entry.state is None:
            return None
        if entry.ref is None:
            return entry if entry.cls is type(value) and entry.seen(value) == entry.state else None
        return entry if entry.ref() is value else None

    def fresh(self) -> int:
        """Gives an ordinal that no object has."""
        self.count += 1
        return self.count

    def _sweep(self) -> None:
        alive = {}
        for key, entry in list(self.entries.items()):
            if entry.ref is None or entry.ref() is not None:
                alive[key] = entry
        self.entries = alive
        self.sweep_at = max(50_000, 2 * len(alive))


_NUMBERED = frozenset(("obj", "sub", "exc", "ref", "opaque"))


def ordinal_of(tree: object) -> "int | None":
    """Gives the ordinal of the object whose tree this is, or None when it has none."""
    if type(tree) is tuple and len(tree) > 2 and tree[0] is StopIteration and tree[1] in _NUMBERED:
        return tree[2]
    return None


def state(value: object) -> dict:
    """Gives the attributes of an object without asking it."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return held if type(held) is dict else {}
