"""How each type is written: a handler for each builtin, and one made for each class that is met.

The standard library's value types, enums, exceptions and builtin subclasses are in known.py.
"""

from pytead_tui.recorder import kinds, lambdas, mocks, plain_data, redact
from pytead_tui.recorder.looks import looks
from pytead_tui.recorder.objects import derives, dict_of, from_module, mro_of, names_kept, names_of, oid
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.values import (
    HEAD,
    INT_BITS,
    STRING,
    TAG,
    TAIL,
    Capture,
    by_state,
    digest,
    handlers,
    make_plan,
    rest,
    taken,
)

SHORT_KEY = 64  # characters of a dict's key that a journey tells whatever came before it

# Handlers: exact builtins first.


def _atom(walk: Capture, v: object, depth: int) -> object:
    walk.room -= 9
    return v


def _int(walk: Capture, v: int, depth: int) -> object:
    bits = v.bit_length()
    if bits > INT_BITS:
        return (TAG, "cut", "int", bits, "", "", rest(v))
    if redact.numbers and v in redact.numbers:
        return redact.placeholder(redact.numbers[v], v)
    walk.room -= 5 + bits // 8
    return v


def _text(walk: Capture, v: object, depth: int) -> object:
    return walk.text_of(v)


def _list(walk: Capture, v: list, depth: int) -> object:
    known = walk.opened(v)
    if known is not None:
        return known
    if len(v) < plain_data.SMALLEST:
        return walk.closed(v, _list_items(walk, v, depth))
    return walk.closed(v, plain_data.tree_of(walk, v, len(v), depth, _list_items))


def _list_items(walk: Capture, v: list, depth: int) -> object:
    length = len(v)
    return walk.items(v[:], depth) if walk.fits(length) else walk.cut_items(v, length, list.__iter__, depth)


def _tuple(walk: Capture, v: tuple, depth: int) -> object:
    if not walk.fits(len(v)):
        return walk.cut_items(v, len(v), iter, depth)
    return tuple(walk.items(list(v), depth))


def _set(walk: Capture, v: set, depth: int) -> object:
    known = walk.opened(v)
    return walk.closed(v, set_content(walk, v, "set", depth)) if known is None else known


def _frozenset(walk: Capture, v: frozenset, depth: int) -> object:
    return set_content(walk, v, "frozenset", depth)


def set_content(walk: Capture, v: object, name: str, depth: int) -> object:
    """Gives a set's tree; as a call when its items' trees cannot be in a set."""
    base = set if name == "set" else frozenset
    length = base.__len__(v)
    if not walk.fits(length):
        return walk.cut_items(v, length, base.__iter__, depth)
    items = walk.items(taken(base.__iter__, v), depth)
    try:
        content = base(items)
        if len(content) == len(items):
            return content
    except TypeError:
        pass
    return (TAG, "new", "builtins", name, (items,), {})


def _dict(walk: Capture, v: dict, depth: int) -> object:
    known = walk.opened(v)
    return walk.closed(v, dict_content(walk, v, depth)) if known is None else known


def dict_content(walk: Capture, v: dict, depth: int) -> object:
    """Gives a dict's tree; as a call when its keys' trees cannot be keys."""
    length = dict.__len__(v)
    if length < plain_data.SMALLEST:
        return _dict_items(walk, v, depth)
    return plain_data.tree_of(walk, v, length, depth, _dict_items)


def _dict_items(walk: Capture, v: dict, depth: int) -> object:
    length = dict.__len__(v)
    if not walk.fits(length):
        return walk.cut_items(v, length, dict.__iter__, depth)
    pairs = []
    words = redact.known
    many = walk.masking if walk.masking in redact.MANY else None
    plain = not redact.texts and depth < walk.deep and many is None
    taken_items = list(dict.items(v))
    for key, held in taken_items:
        named = type(key) is str
        word = words[key] if named and key in words else redact.word_or_beside(key)
        if word == redact.BESIDE:
            word = redact.beside(taken_items, key, held)
        if word is not None:
            tree = walk.masked(word, held, depth + 1)
        elif many is None:
            tree = walk.value(held, depth + 1)
        elif redact.is_number_of_many(many, held):
            tree = redact.placeholder(many, held)
        elif type(held) is dict and many not in redact.LOOSE:
            tree = walk.masked(redact.MANY[many], held, depth + 1)  # of one secret: its numbers are no secrets
        else:
            tree = walk.value(held, depth + 1)
        if plain and named and walk.nodes > 0 and len(key) <= walk.text and len(key) <= walk.room:
            walk.nodes -= 1  # what most keys are, as `value` gives it
            walk.room -= len(key) + 5
        else:
            key = _key(walk, key, depth)
        pairs.append((key, tree))
    try:
        content = dict(pairs)
        if len(content) == len(pairs):
            return content
    except TypeError:
        pass
    return (TAG, "new", "builtins", "dict", (pairs,), {})


def _key(walk: Capture, key: object, depth: int) -> object:
    before, walk.masking = walk.masking, None
    if walk.brief and depth < walk.deep and type(key) is str and len(key) <= SHORT_KEY:
        # A value is cut, its name is not: without it, nobody can tell that there is one.
        walk.nodes, walk.room = max(walk.nodes, 1), max(walk.room, len(key))
    if before in redact.MANY and type(key) in (str, bytes) and redact.is_random(key):
        walk.masking = before  # who has each of the secrets
    try:
        return walk.value(key, depth + 1)
    finally:
        walk.masking = before


def _bytearray(walk: Capture, v: bytearray, depth: int) -> object:
    known = walk.opened(v)
    if known is not None:
        return known
    content = walk.text_of(bytes(v[: STRING + 1]))
    if len(v) > STRING and walk.masking is None:
        return walk.closed(v, (TAG, "cut", "bytearray", len(v), bytes(v[:HEAD]), bytes(v[-TAIL:]), digest(v)))
    return walk.closed(v, (TAG, "new", "builtins", "bytearray", (content,), {}))


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
    t = type(v)
    handler = handlers.get(oid(t))
    return derives(mro_of(t), type) if handler is None else handler is _class


def _named(walk: Capture, v: object, module: object, qualname: object) -> object:
    if type(module) is str and type(qualname) is str:
        held = sys.modules.get(module)
        if type(held) is kinds.Module and held.__dict__.get(qualname) is v:
            return (TAG, "name", module, qualname)
    found = lookup(module, qualname)
    if found is v:
        return (TAG, "name", module, qualname)
    t = type(found)
    if (t is staticmethod or t is classmethod) and t.__dict__["__func__"].__get__(found) is v:
        return (TAG, "name", module, qualname)
    for _ in range(_DECORATORS):
        # A decorator's function says which one it was put around: `functools.wraps`.
        found = found.__dict__.get("__wrapped__") if type(found) is kinds.Function else None
        if found is None:
            break
        qualname += ".__wrapped__"
        if found is v:
            return (TAG, "name", module, qualname)
    return walk.opaque(v)


_CLOSURES = 8  # levels of what holds one
_DECORATORS = 4  # around a function


def _function(walk: Capture, v: object, depth: int) -> object:
    if v.__name__ == "<lambda>":
        told = _lambda(walk, v, depth)
        return _closure(walk, v, depth) if told[:2] == (TAG, "opaque") else told
    if "<locals>" in v.__qualname__:
        return _closure(walk, v, depth)
    return _named(walk, v, v.__module__, v.__qualname__)


def _closure(walk: Capture, v: object, depth: int) -> object:
    """Gives a function that another one made: where it is defined, and what its free variables and defaults hold."""
    module, qualname, code = v.__module__, v.__qualname__, v.__code__
    defaults = v.__defaults__ or ()
    named = type(module) is str and type(qualname) is str and "<locals>" in qualname and type(defaults) is tuple
    if not named or v.__kwdefaults__ or v.__dict__ or depth > _CLOSURES or not walk.fits(1):
        return walk.opaque(v)
    held = {}
    for name, cell in zip(code.co_freevars, v.__closure__ or ()):
        try:
            content = cell.cell_contents
        except ValueError:  # not bound yet
            return walk.opaque(v)
        if content is v:
            return walk.opaque(v)
        held[name] = _under(walk, name, content, depth + 1)
    given = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    values = tuple([_under(walk, name, value, depth + 1) for name, value in zip(given, defaults)])
    return (TAG, "new", "types", "FunctionType", (module, qualname, held, values), {})


# What has no names in it that would tell a secret from the rest; of classes, by identity.
_WITHOUT_NAMES = frozenset(map(oid, (
    str, bytes, bytearray, list, tuple, set, frozenset, kinds.Function, kinds.Method,
)))  # fmt: skip


def _under(walk: Capture, name: str, v: object, depth: int) -> object:
    """Gives what a variable of a function holds, withheld under a secret name. A function with a secret name gives a secret: a text that
    it holds may be it. A dict or an object that it works with, such as a request, has names of its own."""
    word = redact.word_of_all(name)
    if word is not None:
        return walk.masked(word, v, depth)
    before = walk.masking
    if not any([oid(cls) in _WITHOUT_NAMES for cls in mro_of(type(v))[:-1]]):
        walk.masking = None
    try:
        return walk.value(v, depth)
    finally:
        walk.masking = before


def _lambda(walk: Capture, v: object, depth: int) -> object:
    """Gives a lambda by its text, when what the text names can be imported."""
    found = lambdas.source(v)
    named = {}
    if found is not None:
        for name in found[1]:
            if name not in v.__globals__:
                continue  # an attribute, or a builtin
            held = v.__globals__[name]
            tree = handlers[oid(type(held))](walk, held, depth + 1) if oid(type(held)) in _NAMED else None
            if tree is None or tree[:2] != (TAG, "name") or (tree[3] or tree[2]) != name:
                return walk.opaque(v)
            named[name] = tree
    if found is None or not walk.fits(1):
        return walk.opaque(v)
    return (TAG, "new", "builtins", "eval", (found[0], named) if named else (found[0],), {})


def _class(walk: Capture, v: type, depth: int) -> object:
    module, qualname = names_of(v)
    if lookup(module, qualname) is v:
        return (TAG, "name", module, qualname)
    if type(qualname) is str and "<locals>" in qualname and type(module) is str:
        return (TAG, "name", module, qualname)  # a test can define it again, by its lines
    # Types of the interpreter that have no name among the builtins.
    types = sys.modules.get("types") if module == "builtins" else None
    for name, held in list(types.__dict__.items()) if type(types) is kinds.Module else ():
        if held is v:
            return (TAG, "name", "types", name)
    return _opaque(walk, v, depth)


_module_dict = kinds.Module.__dict__["__dict__"].__get__


def _module(walk: Capture, v: object, depth: int) -> object:
    name = _module_dict(v).get("__name__")
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
    return _unstarted(walk, v, frame, v.gi_code, depth)


def _async_generator(walk: Capture, v: object, depth: int) -> object:
    frame = v.ag_frame
    # 3.11 does not tell whether one was started.
    started = v.ag_suspended if _ASYNC_SUSPENDED else _SUSPENDED or frame is not None and frame.f_lasti >= 0
    if frame is None or v.ag_running or started:
        return walk.opaque(v)
    return _unstarted(walk, v, frame, v.ag_code, depth)


def _unstarted(walk: Capture, v: object, frame: object, code: object, depth: int) -> object:
    """Gives the tree of a generator with the arguments that it was made with."""
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    held = frame.f_locals
    pairs = [(n, held[n]) for n in code.co_varnames[:count] if n in held]
    if not _PROXIES:
        held.clear()  # it hangs on the frame, and would keep the arguments alive
    module = frame.f_globals.get("__name__")
    walk.mutable = True
    return (TAG, "gen", module if type(module) is str else "?", v.__qualname__,
            walk.fields(pairs, depth))  # fmt: skip


# Objects of classes written in Python.

_SUSPENDED = sys.version_info >= (3, 11)
_ASYNC_SUSPENDED = sys.version_info >= (3, 12)
_PROXIES = sys.version_info >= (3, 13)
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8
_flags_of = type.__dict__["__flags__"].__get__
_size_of = type.__dict__["__basicsize__"].__get__


def state_readers(cls: type, stop: tuple) -> "tuple | None":
    """Gives (dict getter or None, slot descriptors) that hold the whole state of a class's instances.

    None when a base written in C may hide some. `stop` holds the bases whose state is read otherwise.
    """
    getter = None
    slots = []
    members = 0
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
            if type(held) is kinds.MemberDescriptor and type(name) is str:
                members += 1
                if not name.startswith("__pydantic"):
                    slots.append((held.__name__, held.__get__))
    if has_dict and getter is None:
        return None
    if not stop and _size_of(cls) - object.__basicsize__ > 8 * (members + 2):
        return None
    slots.reverse()
    return getter, slots


def state(readers: tuple, v: object) -> list:
    """Reads an object's own state: (name, value) pairs in their order."""
    getter, slots = readers
    pairs = []
    if getter is not None:
        held = getter(v)
        if type(held) is dict:
            pairs = list(held.items())
            for name, _ in pairs:
                if type(name) is not str:
                    pairs = [(n, x) for n, x in pairs if type(n) is str]
                    break
        elif derives(mro_of(type(held)), dict):
            pairs = [(n, x) for n, x in list(dict.items(held)) if type(n) is str]
    if slots:
        try:
            pairs += [(name, get(v)) for name, get in slots]
        except AttributeError:
            for name, get in slots:
                try:
                    pairs.append((name, get(v)))
                except AttributeError:
                    pass
    return pairs


def looks_of(readers: tuple, v: object) -> tuple:
    """Gives what an object's own state looks like: (names, types, looks), in the order of `state`."""
    pairs = state(readers, v)  # without names that are no texts
    return ",".join([n for n, _ in pairs]), *looks([x for _, x in pairs])


def looker(readers: tuple) -> object:
    """Gives what does so for the objects of one class."""
    getter, slots = readers
    names = ",".join([name for name, _ in slots])
    gets = [get for _, get in slots]

    def in_dict(v: object) -> tuple:
        held = getter(v)
        if type(held) is dict:
            try:
                return ",".join(held), *looks(list(held.values()))
            except TypeError:
                pass
        return looks_of(readers, v)

    def in_slots(v: object) -> tuple:
        try:
            return names, *looks([get(v) for get in gets])
        except AttributeError:
            return looks_of(readers, v)  # one is empty

    if getter is None and slots:
        return in_slots
    return in_dict if not slots and getter is not None else lambda v: looks_of(readers, v)


def plan(cls: type) -> object:
    """Makes and remembers the handler of a type."""
    handler = _plan(cls)
    if len(handlers) < 10_000:
        handlers[oid(cls)] = handler
        redact.add_name(type.__dict__["__name__"].__get__(cls))
        names_kept[oid(cls)] = names_of(cls)
        if getattr(handler, "by_state", False):
            by_state.add(oid(cls))
        _kept.append(cls)  # a dead class's address must not name another class
    return handler


def _plan(cls: type) -> object:
    mro = mro_of(cls)
    if derives(mro, type):
        return _class
    if derives(mro, kinds.Module):
        return _module
    known = _known[0]
    found = known.handler(cls, mro)
    if found is not None:
        return found
    if len(mro) > 1 and _foreign(mro):
        return mocks.handler(mro) or _opaque
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

    seen = looker(readers)
    local = "<locals>" in qualname

    def handler(walk: Capture, v: object, depth: int) -> object:
        named = _singletons.get(oid(v))
        if named is not None and named[0]() is v and lookup(*named[1][2:]) is v:
            return named[1]
        if oid(v) in walk.memo:
            return walk.again(v)
        if walk.names_only:
            return walk.named(v)
        if walk.brief and walk.objects.told(v) is not None:
            return (TAG, "ref", walk.entry(v, "ref"))
        pairs = state(readers, v)
        if not pairs or local:
            named = walk.singleton(v, module, not pairs)
            if named is not None:
                return named
        start = walk.place()
        ordinal = walk.entry(v, "obj")
        walk.mutable = True
        if walk.brief:
            entry = walk.met[-1]
            entry.readers, entry.kind = readers, kind
            entry.tell(seen, seen(v))
            return (TAG, "obj", ordinal, module, qualname, kind, walk.fields(pairs, depth))
        before = walk.unreadable
        fields = walk.fields(pairs, depth)
        if walk.unreadable != before and len(_singletons) < 1000:
            # Its state cannot be made again, but a module may hold the very object.
            named = walk.singleton(v, module)
            if named is not None:
                walk.back(start)  # as if it had been known before: the next walk takes the same way
                ref = walk.objects.of(v).ref
                if ref is not None:
                    _singletons[oid(v)] = (ref, named)
                return named
        return (TAG, "obj", ordinal, module, qualname, kind, fields)

    handler.by_state = True
    return handler


_singletons: dict = {}
_known: list = []  # known.py, which is imported after this


_NAMED = frozenset(map(oid, (kinds.Function, type, kinds.Module, kinds.BuiltinFunction)))
_kept: list = []
handlers.update({
    oid(t): h
    for t, h in (
        (type(None), _atom), (bool, _atom), (float, _atom), (complex, _atom), (type(...), _atom),
        (int, _int), (str, _text), (bytes, _text), (bytearray, _bytearray),
        (list, _list), (tuple, _tuple), (dict, _dict), (set, _set), (frozenset, _frozenset),
        (kinds.Function, _function), (type, _class), (kinds.Module, _module), (kinds.BuiltinFunction, _builtin),
        (kinds.Method, _method), (kinds.MethodWrapper, _opaque), (kinds.MethodDescriptor, _descriptor),
        (kinds.WrapperDescriptor, _descriptor), (type(NotImplemented), _singleton), (kinds.Generator, _generator),
        (kinds.AsyncGenerator, _async_generator), (kinds.Coroutine, _opaque), (object, _opaque),
    )
})  # fmt: skip
make_plan.append(plan)
