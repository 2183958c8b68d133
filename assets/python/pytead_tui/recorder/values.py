"""Turns a live value into the tree of docs/spool.md without running any of the program's code.

Owns the walk, its budgets and the plan for each type. The standard library's value types are in
known.py. Types are looked up by identity: hashing a class may run its metaclass's code.
"""

import sys
from itertools import islice

from pytead_tui.recorder import kinds, redact
from pytead_tui.recorder.objects import Objects, derives, dict_of, from_module, mro_of, names_of, oid

TAG = StopIteration
DEPTH = 40
STRING = 4096
HASHED = 1 << 20
INT_BITS = 1 << 14
HEAD, TAIL = 256, 64

try:
    from _blake2 import blake2b as _blake2b
except ImportError:  # a build without it
    _blake2b = None

_ATOMS = frozenset(oid(t) for t in (type(None), bool, int, float, complex, str, bytes, type(...)))
_NUMBERS = frozenset(oid(t) for t in (type(None), bool, float, complex, type(...)))
_TEXTS = frozenset((oid(str), oid(bytes)))
_INT = oid(int)


def digest(data: object) -> str:
    """Hashes what is cut, unless it is so large that hashing would be felt."""
    if _blake2b is None or len(data) > HASHED:
        return ""
    raw = data.encode("utf-8", "surrogatepass") if type(data) is str else data
    return _blake2b(raw, digest_size=8).hexdigest()


def are_atoms(values: tuple) -> bool:
    """Whether all the values are small exact scalars, which are written as they are."""
    if not _ATOMS.issuperset(map(oid, map(type, values))):
        return False
    for v in values:
        t = type(v)
        if t is str or t is bytes:
            if len(v) > STRING or redact.texts and redact.word_of(v):
                return False
        elif t is int and v.bit_length() > INT_BITS:
            return False
    return True


class Capture:
    """One record's walk: its budgets, and the objects it met."""

    __slots__ = ("objects", "nodes", "room", "text", "deep", "memo", "shared", "found", "met",
                 "marks", "mutable", "masking", "scope")  # fmt: skip

    def __init__(self, objects: Objects, limits: "Limits", scope: "dict | None" = None) -> None:
        self.objects = objects
        self.nodes = limits.nodes
        self.room = limits.room
        self.text = limits.text
        self.deep = limits.depth
        self.memo: dict = {}
        self.shared: set = set()
        self.found: set = set()
        self.met: list = []
        self.marks: list = []
        self.mutable = False
        self.masking: "str | None" = None
        self.scope = scope

    def value(self, v: object, depth: int = 0) -> object:
        """Gives a value's tree."""
        t = type(v)
        handler = _handlers.get(oid(t))
        if handler is None:
            handler = plan(t)
        self.nodes -= 1
        if self.nodes < 0 or depth > self.deep:
            if handler is _atom:
                return v
            return (TAG, "cut", names_of(t)[1], None, "", "", "")
        return handler(self, v, depth)

    def masked(self, word: str, v: object, depth: int, numbers: bool = False) -> object:
        """Gives the tree of a value with a secret name: texts become secrets, wherever they are in it."""
        t = type(v)
        if numbers and (t is int or t is float):
            return (TAG, "secret", word, redact.ordinal(word, v))
        before, self.masking = self.masking, word
        try:
            return self.value(v, depth)
        finally:
            self.masking = before

    def entry(self, v: object, tag: str) -> "int | None":
        """Enters an object: its ordinal, or None when this record holds it already."""
        key = oid(v)
        if key in self.memo:
            return None
        entry = self.objects.of(v)
        self.memo[key] = entry.ordinal
        self.met.append(entry)
        self.marks.append((tag, entry.ordinal))
        return entry.ordinal

    def again(self, v: object) -> tuple:
        """Refers to an object that this record holds already."""
        ordinal = self.memo[oid(v)]
        self.marks.append(("ref", ordinal))
        return (TAG, "ref", ordinal)

    def items(self, values: list, depth: int) -> list:
        """Gives the trees of a container's items; a run of plain scalars in one step."""
        kinds = set(map(oid, map(type, values)))
        if kinds <= _NUMBERS or kinds <= _NUMBERS_AND_INT and _small(values, kinds):
            self.nodes -= len(values)
            self.room -= 9 * len(values)
            return values
        value = self.value
        depth += 1
        return [value(v, depth) for v in values]

    def fits(self, length: int) -> bool:
        """Whether a container of this many items can still be written whole."""
        return length <= self.nodes and self.room > 0

    def text_of(self, v: object) -> object:
        """Gives a text, or what is left of it."""
        word = self.masking
        length = len(v)
        if word is None and redact.texts and length <= STRING:
            word = redact.word_of(v)
        if word is not None:
            return (TAG, "secret", word, redact.ordinal(word, v))
        if length > self.text or length > self.room:
            return (TAG, "cut", type(v).__name__, length, v[:HEAD], v[-TAIL:], digest(v))
        self.room -= length + 5
        return v

    def cut_items(self, v: object, length: int, iterator: object, depth: int) -> tuple:
        """Gives a container that does not fit: its first items."""
        head = [self.value(i, depth + 1) for i in islice(iterator, 3)] if self.nodes > 3 else []
        return (TAG, "cut", names_of(type(v))[1], length, head, [], "")

    def opaque(self, v: object) -> tuple:
        """Gives an object that cannot be read, by name when it can be imported."""
        t = type(v)
        module, qualname = names_of(t)
        named = self.singleton(v, module)
        if named is not None:
            return named
        ordinal = self.entry(v, "opaque")
        if ordinal is None:
            return self.again(v)
        return (TAG, "opaque", ordinal, module, qualname)

    def singleton(self, v: object, module: str) -> "tuple | None":
        """Gives the name under which a module holds this very object."""
        found = sys.modules.get(module)
        for space in (found.__dict__ if type(found) is kinds.Module else None, self.scope):
            if type(space) is not dict:
                continue
            for name, held in list(space.items()):
                if held is v and type(name) is str:
                    home = space.get("__name__")
                    if type(home) is str:
                        return (TAG, "name", home, name)
        return None

    def fields(self, pairs: list, depth: int) -> dict:
        """Gives the trees of an object's own state, names to values."""
        out = {}
        for name, v in pairs:
            if self.nodes < 0:
                break
            word = redact.secret_word(name)
            out[name] = self.value(v, depth + 1) if word is None else self.masked(word, v, depth + 1)
        return out


class Limits:
    """The budgets of one record."""

    __slots__ = ("nodes", "room", "text", "depth")

    def __init__(self, nodes: int, room: int, text: int, depth: int) -> None:
        self.nodes = nodes
        self.room = room
        self.text = text
        self.depth = depth


CALLS = Limits(2000, 16 << 10, STRING, DEPTH)
JOURNEY = Limits(60, 4 << 10, 512, 3)


def capture(objects: Objects, limits: Limits, values: tuple, words: tuple = (), scope: "dict | None" = None) -> tuple:
    """Captures values in one record: (trees, the `Capture`). `words` holds a secret word or None for each."""
    walk = Capture(objects, limits, scope)
    trees = _walk(walk, values, words)
    if walk.found:
        # Something is reached twice: once more, now that it is known what.
        shared = walk.found
        walk = Capture(objects, limits, scope)
        walk.shared = shared
        trees = _walk(walk, values, words)
    return trees, walk


def _walk(walk: Capture, values: tuple, words: tuple) -> list:
    if not words:
        return [walk.value(v) for v in values]
    return [
        walk.value(v) if word is None else walk.masked(word, v, 0, numbers=True) for v, word in zip(values, words)
    ]


def normal(blob: bytes, marks: list) -> bytes:
    """Renumbers the objects of a marshalled record in their order, so that equal states are equal bytes."""
    if not marks:
        return blob
    out = bytearray(blob)
    local: dict = {}
    at = 0
    for tag, ordinal in marks:
        number = local.setdefault(ordinal, len(local))
        pattern = b"%bi%b" % (tag.encode(), ordinal.to_bytes(4, "little"))
        found = out.find(pattern, at)  # in the order of the walk, but for keys and sets
        if found < 0:
            found = out.find(pattern)
            if found < 0:
                continue
        at = found + len(pattern)
        out[at - 5 : at] = b"I%b" % number.to_bytes(4, "little")
    return bytes(out)


# Handlers: exact builtins first.

_NUMBERS_AND_INT = _NUMBERS | {_INT}


def _small(values: list, kinds: set) -> bool:
    if len(kinds) == 1:
        return max(map(int.bit_length, values)) <= INT_BITS
    return all(type(v) is not int or v.bit_length() <= INT_BITS for v in values)


def _atom(walk: Capture, v: object, depth: int) -> object:
    walk.room -= 9
    return v


def _int(walk: Capture, v: int, depth: int) -> object:
    bits = v.bit_length()
    if bits > INT_BITS:
        return (TAG, "cut", "int", bits, "", "", "")
    walk.room -= 5 + bits // 8
    return v


def _text(walk: Capture, v: object, depth: int) -> object:
    return walk.text_of(v)


def _shared(walk: Capture, v: object) -> "tuple | None":
    """Notes a second way to a mutable builtin; gives the reference once the record knows of it."""
    key = oid(v)
    if key not in walk.memo:
        walk.memo[key] = 0
        return None
    if key not in walk.shared:
        walk.found.add(key)
        return (TAG, "ref", 0)
    return walk.again(v)


def _mutable(walk: Capture, v: object, build: object) -> object:
    walk.mutable = True
    known = _shared(walk, v)
    if known is not None:
        return known
    key = oid(v)
    if key not in walk.shared:
        return build()
    # It cannot be told from another of its kind at the same address later: a number for this record.
    ordinal = walk.memo[key] = walk.objects.fresh()
    walk.marks.append(("mut", ordinal))
    return (TAG, "mut", ordinal, build())


def _list(walk: Capture, v: list, depth: int) -> object:
    def build() -> object:
        length = len(v)
        if not walk.fits(length):
            return walk.cut_items(v, length, list.__iter__(v), depth)
        return walk.items(v[:], depth)

    return _mutable(walk, v, build)


def _tuple(walk: Capture, v: tuple, depth: int) -> object:
    if not walk.fits(len(v)):
        return walk.cut_items(v, len(v), iter(v), depth)
    return tuple(walk.items(list(v), depth))


def _set(walk: Capture, v: set, depth: int) -> object:
    return _mutable(walk, v, lambda: set_content(walk, v, "set", depth))


def _frozenset(walk: Capture, v: frozenset, depth: int) -> object:
    return set_content(walk, v, "frozenset", depth)


def set_content(walk: Capture, v: object, name: str, depth: int) -> object:
    """Gives a set's tree; as a call when its items' trees cannot be in a set."""
    base = set if name == "set" else frozenset
    length = base.__len__(v)
    if not walk.fits(length):
        return walk.cut_items(v, length, base.__iter__(v), depth)
    items = walk.items(list(base.__iter__(v)), depth)
    try:
        content = base(items)
        if len(content) == len(items):
            return content
    except TypeError:
        pass
    return (TAG, "new", "builtins", name, (items,), {})


def _dict(walk: Capture, v: dict, depth: int) -> object:
    return _mutable(walk, v, lambda: dict_content(walk, v, depth))


def dict_content(walk: Capture, v: dict, depth: int) -> object:
    """Gives a dict's tree; as a call when its keys' trees cannot be keys."""
    length = dict.__len__(v)
    if not walk.fits(length):
        return walk.cut_items(v, length, dict.__iter__(v), depth)
    pairs = []
    for key, held in list(dict.items(v)):
        word = redact.secret_word(key)
        tree = walk.value(held, depth + 1) if word is None else walk.masked(word, held, depth + 1)
        pairs.append((_key(walk, key, depth), tree))
    try:
        content = dict(pairs)
        if len(content) == len(pairs):
            return content
    except TypeError:
        pass
    return (TAG, "new", "builtins", "dict", (pairs,), {})


def _key(walk: Capture, key: object, depth: int) -> object:
    before, walk.masking = walk.masking, None
    try:
        return walk.value(key, depth + 1)
    finally:
        walk.masking = before


def _bytearray(walk: Capture, v: bytearray, depth: int) -> object:
    def build() -> object:
        content = walk.text_of(bytes(v[: STRING + 1]))
        if len(v) > STRING:
            return (TAG, "cut", "bytearray", len(v), bytes(v[:HEAD]), bytes(v[-TAIL:]), digest(v))
        return (TAG, "new", "builtins", "bytearray", (content,), {})

    return _mutable(walk, v, build)


# Things with a name.


def lookup(module: object, qualname: object) -> object:
    """Finds what a dotted name means in an imported module, through namespaces alone; None without one."""
    if type(module) is not str or type(qualname) is not str:
        return None
    held = sys.modules.get(module)
    if type(held) is not kinds.Module:
        return None
    space = held.__dict__
    for part in qualname.split("."):
        found = space.get(part)
        if found is None:
            return None
        held = found
        space = dict_of(held) if isinstance_type(held) else {}
    return held


def isinstance_type(v: object) -> bool:
    """Whether a value is a class, whatever it says of itself."""
    return derives(mro_of(type(v)), type)


def _named(walk: Capture, v: object, module: object, qualname: object) -> object:
    found = lookup(module, qualname)
    if found is v:
        return (TAG, "name", module, qualname)
    t = type(found)
    if (t is staticmethod or t is classmethod) and t.__dict__["__func__"].__get__(found) is v:
        return (TAG, "name", module, qualname)
    return walk.opaque(v)


def _function(walk: Capture, v: object, depth: int) -> object:
    return _named(walk, v, v.__module__, v.__qualname__)


def _class(walk: Capture, v: type, depth: int) -> object:
    module, qualname = names_of(v)
    if lookup(module, qualname) is v:
        return (TAG, "name", module, qualname)
    return _opaque(walk, v, depth)


def _module(walk: Capture, v: object, depth: int) -> object:
    name = v.__dict__.get("__name__")
    if type(name) is str and sys.modules.get(name) is v:
        return (TAG, "name", name, "")
    return _opaque(walk, v, depth)


def _builtin(walk: Capture, v: object, depth: int) -> object:
    receiver = v.__self__
    if type(receiver) is kinds.Module or receiver is None:
        module = receiver.__dict__.get("__name__") if receiver is not None else v.__module__
        return _named(walk, v, module, v.__name__)
    return (TAG, "method", walk.value(receiver, depth + 1), v.__name__)


def _descriptor(walk: Capture, v: object, depth: int) -> object:
    module, qualname = names_of(v.__objclass__)
    name = v.__name__
    if lookup(module, qualname) is v.__objclass__ and type(name) is str:
        return (TAG, "name", module, qualname + "." + name)
    return _opaque(walk, v, depth)


def _method(walk: Capture, v: object, depth: int) -> object:
    function = v.__func__
    if type(function) is not kinds.Function:
        return _opaque(walk, v, depth)
    return (TAG, "method", walk.value(v.__self__, depth + 1), function.__name__)


def _singleton(walk: Capture, v: object, depth: int) -> object:
    return (TAG, "name", "builtins", "NotImplemented")


def _opaque(walk: Capture, v: object, depth: int) -> object:
    return walk.opaque(v)


def _generator(walk: Capture, v: object, depth: int) -> object:
    frame = v.gi_frame
    # Only one that was never started still has its arguments, and nothing else, in its frame.
    if frame is None or v.gi_running or (v.gi_suspended if _SUSPENDED else frame.f_lasti >= 0):
        return walk.opaque(v)
    code = v.gi_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    held = frame.f_locals
    names = [n for n in code.co_varnames[:count] if n in held]
    module = frame.f_globals.get("__name__")
    walk.mutable = True
    return (TAG, "gen", module if type(module) is str else "?", v.__qualname__,
            walk.fields([(n, held[n]) for n in names], depth))  # fmt: skip


# Objects of classes written in Python.

_SUSPENDED = sys.version_info >= (3, 11)
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_flags_of = type.__dict__["__flags__"].__get__
_size_of = type.__dict__["__basicsize__"].__get__


def state_readers(cls: type, stop: tuple) -> "tuple | None":
    """Gives (dict getter or None, slot descriptors) that hold the whole state of a class's instances.

    None when a base written in C may hide some. `stop` holds the bases whose state is read otherwise.
    """
    getter = None
    slots = []
    has_dict = False
    for base in mro_of(cls):
        if base is object or derives(stop, base):
            continue
        flags = _flags_of(base)
        if _size_of(base) == object.__basicsize__ and "__dict__" not in dict_of(base):
            continue  # adds no state, whatever it was written in (typing.Generic)
        if not flags & _HEAP or flags & _IMMUTABLE:
            return None
        space = dict_of(base)
        own = space.get("__dict__")
        if own is not None:
            has_dict = True
            if getter is None and type(own) is kinds.GetSetDescriptor:
                getter = own.__get__
        for name, held in list(space.items()):
            if type(held) is kinds.MemberDescriptor and type(name) is str and not name.startswith("__pydantic"):
                slots.append((held.__name__, held.__get__))
    if has_dict and getter is None:
        return None
    if not stop and _size_of(cls) - object.__basicsize__ > 8 * (len(slots) + 2):
        return None
    slots.reverse()
    return getter, slots


def state(readers: tuple, v: object) -> list:
    """Reads an object's own state: (name, value) pairs in their order."""
    getter, slots = readers
    pairs = []
    if getter is not None:
        held = getter(v)
        if derives(mro_of(type(held)), dict):
            pairs = [(n, x) for n, x in list(dict.items(held)) if type(n) is str]
    for name, get in slots:
        try:
            pairs.append((name, get(v)))
        except AttributeError:
            pass
    return pairs


def plan(cls: type) -> object:
    """Makes and remembers the handler of a type."""
    handler = _plan(cls)
    if len(_handlers) < 10_000:
        _handlers[oid(cls)] = handler
        _kept.append(cls)  # a dead class's address must not name another class
    return handler


def _plan(cls: type) -> object:
    mro = mro_of(cls)
    if derives(mro, type):
        return _class
    if derives(mro, kinds.Module):
        return _module
    from pytead_tui.recorder import known

    found = known.handler(cls, mro)
    if found is not None:
        return found
    if len(mro) > 1 and _foreign(mro):
        return _opaque
    for base, content in known.BASES:
        if derives(mro, base):
            readers = state_readers(cls, mro_of(base))
            return _opaque if readers is None else known.subclass(base, content, readers)
    readers = state_readers(cls, ())
    return _opaque if readers is None or cls is object else _object(cls, mro, readers)


_OPAQUE_BASES = (
    ("threading", "Thread"), ("socket", "socket"), ("logging", "Handler"), ("subprocess", "Popen"),
    ("unittest.mock", "NonCallableMock"), ("unittest.mock", "Base"), ("asyncio.events", "AbstractEventLoop"),
    ("typing", "_Final"), ("weakref", "finalize"),
)  # fmt: skip


def _foreign(mro: tuple) -> bool:
    names = [names_of(base) for base in mro]
    return any(name in _OPAQUE_BASES for name in names)


def _object(cls: type, mro: tuple, readers: tuple) -> object:
    module, qualname = names_of(cls)
    kind = "plain"
    for base in mro:
        space = dict_of(base)
        if "__pydantic_fields__" in space or from_module(base, "pydantic.main", "BaseModel"):
            kind = "pydantic"
        elif "__attrs_attrs__" in space:
            kind = "attrs"
        elif "__dataclass_fields__" in space:
            kind = "dataclass"
        if kind != "plain":
            break

    def handler(walk: Capture, v: object, depth: int) -> object:
        pairs = state(readers, v)
        if not pairs:
            named = walk.singleton(v, module)
            if named is not None:
                return named
        ordinal = walk.entry(v, "obj")
        if ordinal is None:
            return walk.again(v)
        walk.mutable = True
        return (TAG, "obj", ordinal, module, qualname, kind, walk.fields(pairs, depth))

    return handler


_kept: list = []
_handlers: dict = {
    oid(t): h
    for t, h in (
        (type(None), _atom), (bool, _atom), (float, _atom), (complex, _atom), (type(...), _atom),
        (int, _int), (str, _text), (bytes, _text), (bytearray, _bytearray),
        (list, _list), (tuple, _tuple), (dict, _dict), (set, _set), (frozenset, _frozenset),
        (kinds.Function, _function), (type, _class), (kinds.Module, _module), (kinds.BuiltinFunction, _builtin),
        (kinds.Method, _method), (kinds.MethodWrapper, _opaque), (kinds.MethodDescriptor, _descriptor),
        (kinds.WrapperDescriptor, _descriptor), (type(NotImplemented), _singleton), (kinds.Generator, _generator),
        (kinds.Coroutine, _opaque), (object, _opaque),
    )
}  # fmt: skip
