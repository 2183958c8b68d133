"""How the standard library's value types, enums, exceptions and builtin subclasses are written.

A type is known only when it is the very class its module holds, so that its methods are not a user's.
"""

from pytead_tui.recorder import arrays, databases, factories, frames, kinds, models, plans, threads, zones
from pytead_tui.recorder.arrays import new
from pytead_tui.recorder.looks import base_look
from pytead_tui.recorder.objects import derives, dict_of, from_module, mro_of, names_of, oid
from pytead_tui.recorder.own import __builtins__, _thread, gc, sys
from pytead_tui.recorder.plans import dict_content, looker, set_content, state, state_readers
from pytead_tui.recorder.values import TAG, constants, rest, taken


def handler(cls: type, mro: tuple) -> object:
    """Gives the handler of a known type, or None."""
    module, name = names_of(cls)
    found = _EXACT.get((module, name))
    if found is not None and (from_module(cls, module, name) or derives(_UNLISTED, cls)):
        return found
    if module == "numpy" or module.startswith("numpy."):
        return arrays.handler(cls, name, mro)
    if module == "pandas" or module.startswith("pandas."):
        made = frames.handler(cls, name, mro)
        if made is not None:
            return made
    if module.startswith(("pytz", "dateutil.tz")):
        made = zones.handler(cls, module, name, mro)
        if made is not None:
            return made
    if (module, name) == _LAZY:
        made = _lazy_handler(cls)
        if made is not None:
            return made
    if (module, name) == factories.REQUEST and from_module(cls, module, name):
        return factories.handler(cls)
    kept = models.handler(cls, mro)
    if kept is not None:
        return kept
    if frames.derives_from_pandas(mro):
        return lambda w, v, d: w.opaque(v)
    for base in mro:
        names = names_of(base)
        if names == ("enum", "Enum") and from_module(base, *names):
            return _enum_handler(cls, module, name)
        if names == ("logging", "Logger") and from_module(base, *names):
            return _logger_handler(cls)
    if derives(mro, BaseException):
        return _exception_handler(cls, mro, module, name)
    if derives(mro, tuple) and cls is not tuple:
        return _tuple_subclass(cls, mro, module, name)
    return None


def _manager(w, v, d):
    """A context manager that a generator makes, as long as nobody entered it, is made by calling the function again."""
    made = v.__dict__.get("gen")
    return w.value(made, d) if type(made) in (kinds.Generator, kinds.AsyncGenerator) else w.opaque(v)


# Exact types, by (module, qualname).


def _uuid(w, v, d):
    h = "%032x" % v.int
    return new("uuid", "UUID", (w.text_of("-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))),))


def _as_text(module, name):
    return lambda w, v, d: new(module, name, (w.text_of(type(v).__str__(v)),))


def _slice(w, v, d):
    return new("builtins", "slice", tuple(w.value(x, d + 1) for x in (v.start, v.stop, v.step)))


def _deque(w, v, d):
    w.mutable = True
    if not w.fits(len(v)):
        return w.cut_items(v, len(v), iter, d)
    if oid(v) in w.memo:
        return w.again(v)
    items = w.items(taken(iter, v), d)
    return new("collections", "deque", (items,) if v.maxlen is None else (items, v.maxlen))


def _counter(w, v, d):
    w.mutable = True
    return new("collections", "Counter", (dict_content(w, v, d),))


def _ordered(w, v, d):
    w.mutable = True
    if not w.fits(dict.__len__(v)):
        return w.cut_items(v, dict.__len__(v), dict.__iter__, d)
    # Its own order is kept apart and reading it hashes the keys: only where that runs no user's code.
    plain = _PLAIN_KEYS.issuperset(map(oid, map(type, taken(dict.__iter__, v))))
    pairs = taken(type(v).items if plain else dict.items, v)
    return new("collections", "OrderedDict", (dict_content(w, dict(pairs), d),) if plain else (dict_content(w, v, d),))


_PLAIN_KEYS = frozenset(oid(t) for t in (str, int, float, bool, bytes, type(None)))


def _default(w, v, d):
    w.mutable = True
    return new("collections", "defaultdict", (w.value(v.default_factory, d + 1), dict_content(w, v, d)))


def _pattern(w, v, d):
    flags = v.flags & ~32 if type(v.pattern) is str else v.flags
    return new("re", "compile", (w.value(v.pattern, d + 1),) + ((flags,) if flags else ()))


def _match(w, v, d):
    # Where a search or a substitution found something, a match that begins there finds it again.
    return new("re", "match", (w.value(v.re, d + 1), w.value(v.string, d + 1), v.regs))


def _namespace(w, v, d):
    w.mutable = True
    held = kinds.SimpleNamespace.__dict__["__dict__"].__get__(v)
    ordinal = w.entry(v, "obj")
    if ordinal is None:
        return w.again(v)
    pairs = [(n, x) for n, x in list(dict.items(held)) if type(n) is str]
    return (TAG, "obj", ordinal, "types", "SimpleNamespace", "plain", w.fields(pairs, d))


def _array(w, v, d):
    w.mutable = True
    if not w.fits(len(v)):
        return w.cut_items(v, len(v), iter, d)
    return new("array", "array", (v.typecode, w.items(v.tolist(), d)))


def _memoryview(w, v, d):
    try:
        held = v.obj
        if type(held) is bytes and v.nbytes == len(held) and v.contiguous and v.format == "B":
            return new("builtins", "memoryview", (w.text_of(held),))
        return (TAG, "cut", "memoryview", v.nbytes, "", "", rest(v))
    except ValueError:  # released
        return w.opaque(v)


def _chain_map(w, v, d):
    w.mutable = True
    held = v.__dict__.get("maps")
    return new("collections", "ChainMap", tuple(w.value(m, d + 1) for m in held)) if type(held) is list else w.opaque(v)


def _iterator(w, v, d):
    """An iterator of a builtin container, by what it still has to give."""
    made = v.__reduce__()
    held = made[1][0] if len(made[1]) == 1 else None
    rest = made[2] if len(made) > 2 and made[2] is not None else 0
    if type(held) not in (list, tuple, str, bytes, range) or type(rest) is not int:
        return w.opaque(v)
    # A range is written by its ends; a long one has no length that Python could give.
    if type(held) is not range and not w.fits(len(held)):
        return w.opaque(v)
    w.mutable = True
    return new("builtins", "iter", (w.value(held[rest:], d + 1),))


def _getter(name):
    return lambda w, v, d: new("operator", name, tuple(w.value(x, d + 1) for x in v.__reduce__()[1]))


def _method_caller(w, v, d):
    made = v.__reduce__()
    # With keywords it is a partial of the class.
    return (
        new("operator", "methodcaller", tuple(w.value(x, d + 1) for x in made[1]))
        if made[0] is type(v)
        else w.opaque(v)
    )


def _count(w, v, d):
    # Its numbers are read off its text: nothing else tells them without a warning.
    if any(type(x) is not int for x in gc.get_referents(v) if type(x) is not type):
        return w.opaque(v)
    w.mutable = True
    return new("itertools", "count", tuple(int(x) for x in repr(v)[len("count(") : -1].split(", ")))


def _mapping_proxy(w, v, d):
    held = gc.get_referents(v)
    if len(held) != 1 or type(held[0]) is not dict:
        return w.opaque(v)
    return new("types", "MappingProxyType", (w.value(held[0], d + 1),))


def _partial(w, v, d):
    w.mutable = True
    if not w.fits(len(v.args)):
        return (TAG, "cut", "partial", None, "", "", "")
    pairs = list(v.keywords.items())
    if any(type(name) is not str for name, _ in pairs):
        return w.opaque(v)
    args = tuple(w.items(list(v.args), d))
    return (TAG, "partial", w.value(v.func, d + 1), args, w.fields(pairs, d))


def _file(kind):
    def read(w, v, d):
        w.mutable = True
        try:
            place = v.tell()
            content = v.getvalue()
        except ValueError:  # closed
            return w.opaque(v)
        return (TAG, "file", kind, w.text_of(content), place)

    return read


def _text_wrapper(w, v, d):
    """Gives a text file over bytes in memory, unless it may buffer text that is not in its bytes yet."""
    try:
        buffer = v.buffer
        encoding, errors = v.encoding, v.errors
        is_plain = names_of(type(buffer)) == ("_io", "BytesIO") and (type(encoding), type(errors)) == (str, str)
        is_plain = is_plain and (encoding.lower(), errors) == ("utf-8", "strict")
        if not is_plain or not v.write_through and buffer.tell():
            return w.opaque(v)
    except ValueError:  # closed, or without its bytes
        return w.opaque(v)
    w.mutable = True
    named = {"newline": "", "write_through": True} if v.write_through else {}
    return new("io", "TextIOWrapper", (w.value(buffer, d + 1),), {"encoding": "utf-8", **named})


def _fraction(w, v, d):
    return new("fractions", "Fraction", (w.value(v._numerator, d + 1), w.value(v._denominator, d + 1)))


def _struct_time(w, v, d):
    return new("time", "struct_time", (tuple(w.value(x, d + 1) for x in tuple.__iter__(v)),))


def _alias(w, v, d):
    """Gives `list[int]`, `Optional[int]`, `Literal["a"]` as the subscription that makes it."""
    held = v.__dict__ if names_of(type(v))[0] == "typing" else {}
    origin, args, name = held.get("__origin__", v.__origin__), held.get("__args__", v.__args__), held.get("_name")
    typing = sys.modules.get("typing")
    if typing is not None and (origin is typing.Union or origin is typing.Literal):
        base = (TAG, "name", "typing", "Union" if origin is typing.Union else "Literal")
    elif name is not None and getattr(typing.__dict__.get(name), "__origin__", None) is origin:
        base = (TAG, "name", "typing", name)
    else:
        base = w.value(origin, d + 1)
    if held:
        args = [None if a is type(None) else a for a in args]  # as it is written
    items = tuple(w.value(a, d + 1) for a in args)
    return new("operator", "getitem", (base, items[0] if len(items) == 1 else items))


def _union(w, v, d):
    """Gives `int | None` as the operations that make it."""
    first, *rest = (w.value(None if a is type(None) else a, d + 1) for a in v.__args__)
    for other in rest:
        first = new("operator", "or_", (first, other))
    return first


_EXACT = {
    ("types", "GenericAlias"): _alias,
    ("typing", "_GenericAlias"): _alias,
    ("typing", "_UnionGenericAlias"): _alias,
    ("typing", "_LiteralGenericAlias"): _alias,
    ("types", "UnionType"): _union,
    ("typing", "Union"): _union,
    ("datetime", "datetime"): zones.of_date,
    ("datetime", "date"): lambda w, v, d: new("datetime", "date", (v.year, v.month, v.day)),
    ("datetime", "time"): zones.of_time,
    ("datetime", "timedelta"): lambda w, v, d: new("datetime", "timedelta", (v.days, v.seconds, v.microseconds)),
    ("datetime", "timezone"): zones.of_offset,
    ("zoneinfo", "ZoneInfo"): zones.of_name,
    ("decimal", "Decimal"): _as_text("decimal", "Decimal"),
    ("fractions", "Fraction"): _fraction,
    ("uuid", "UUID"): _uuid,
    ("builtins", "range"): lambda w, v, d: new("builtins", "range", (v.start, v.stop, v.step)),
    ("builtins", "slice"): _slice,
    ("builtins", "memoryview"): _memoryview,
    ("builtins", "mappingproxy"): _mapping_proxy,
    ("contextlib", "_GeneratorContextManager"): _manager,
    ("contextlib", "_AsyncGeneratorContextManager"): _manager,
    ("collections", "deque"): _deque,
    ("collections", "Counter"): _counter,
    ("collections", "OrderedDict"): _ordered,
    ("collections", "defaultdict"): _default,
    ("re", "Pattern"): _pattern,
    ("re", "Match"): _match,
    ("types", "SimpleNamespace"): _namespace,
    ("_thread", "_local"): threads.local,
    ("array", "array"): _array,
    ("functools", "partial"): _partial,
    ("_io", "StringIO"): _file("StringIO"),
    ("_io", "BytesIO"): _file("BytesIO"),
    ("_io", "TextIOWrapper"): _text_wrapper,
    ("sqlite3", "Connection"): databases.write,
    ("time", "struct_time"): _struct_time,
    ("collections", "ChainMap"): _chain_map,
    ("_thread", "lock"): threads.lock,
    ("itertools", "count"): _count,
    ("_thread", "RLock"): lambda w, v, d: new("threading", "RLock", ()),
    ("operator", "itemgetter"): _getter("itemgetter"),
    ("operator", "attrgetter"): _getter("attrgetter"),
    ("operator", "methodcaller"): _method_caller,
}
for _made in ([], (), "", "é", b"", range(0), range(0, 1 << 70)):
    _EXACT["builtins", type(iter(_made)).__qualname__] = _iterator
_UNLISTED = (
    kinds.MappingProxy, kinds.SimpleNamespace,
    *(type(iter(made)) for made in ([], (), "", "é", b"", range(0), range(0, 1 << 70))),
    type(_thread.allocate_lock()),
)  # fmt: skip
for _name in ("PurePath", "PurePosixPath", "PureWindowsPath", "Path", "PosixPath", "WindowsPath"):
    _EXACT["pathlib", _name] = _EXACT["pathlib._local", _name] = _as_text("pathlib", _name)
for _name in ("Address", "Network", "Interface"):
    for _v in ("4", "6"):
        _EXACT["ipaddress", "IPv%s%s" % (_v, _name)] = _as_text("ipaddress", "IPv%s%s" % (_v, _name))


# Families of types.


def _enum_handler(cls, module, qualname):
    base = next(b for b in mro_of(cls) if names_of(b) == ("enum", "Enum"))
    getter = dict_of(base)["__dict__"].__get__
    flag = any(names_of(b) == ("enum", "Flag") for b in mro_of(cls))

    def write(w, v, d):
        held = getter(v)
        name, value = held.get("_name_"), held.get("_value_")
        if type(name) is not str:
            name = _flag_names(cls, value, getter) if flag and type(value) is int else None
        return (TAG, "enum", module, qualname, name, w.value(value, d + 1))

    return write


def _flag_names(cls, value, getter):
    """Gives the joined names of a combination; None unless its single bits all have one."""
    names = []
    left = value
    for member in list(dict_of(cls).get("_member_map_", {}).values()):
        bit = getter(member).get("_value_")
        if type(bit) is int and bit > 0 and not bit & (bit - 1) and value & bit:
            names.append(getter(member).get("_name_"))
            left &= ~bit
    return "|".join(names) if names and not left else None


def _logger_handler(cls):
    readers = state_readers(cls, ())

    def write(w, v, d):
        name = dict(state(readers, v)).get("name") if readers else None
        if type(name) is not str:
            return w.opaque(v)
        return new("logging", "getLogger", () if name == "root" else (name,))

    return write


# What Django's `lazy()` returns: a class of its own for each function.
_LAZY = "django.utils.functional", "lazy.<locals>.__proxy__"


def _lazy_handler(cls):
    """Gives the handler of a call that Django makes later, such as `gettext_lazy("Name")`; None where it has no name."""
    found = [_free(held, "func") for held in dict_of(cls).values() if type(held) is kinds.Function]
    func = next((one for one in found if type(one) is kinds.Function), None)
    home = None if func is None else sys.modules.get(func.__module__)
    name = "" if func is None else func.__name__ + "_lazy"
    readers = state_readers(cls, ())
    if type(home) is not kinds.Module or home.__dict__.get(func.__name__) is not func or name not in home.__dict__ or not readers:
        return None

    def write(w, v, d):
        held = dict(state(readers, v))
        # Django 4 and earlier hides them.
        args, named = (held.get("_" + short, held.get("_proxy____" + short)) for short in ("args", "kw"))
        if type(args) is not tuple or type(named) is not dict or set(map(type, named)) - {str}:
            return w.opaque(v)
        args = tuple([w.value(arg, d + 1) for arg in args])
        return new(home.__name__, name, args, {key: w.value(held, d + 1) for key, held in named.items()})

    return write


def _free(function, name):
    """Gives what a free variable of a function holds, or None."""
    names = function.__code__.co_freevars
    if name not in names or function.__closure__ is None:
        return None
    try:
        return function.__closure__[names.index(name)].cell_contents
    except ValueError:
        return None


_exception_args = BaseException.__dict__["args"].__get__
_exception_dict = BaseException.__dict__["__dict__"].__get__
_exception_cause = BaseException.__dict__["__cause__"].__get__


def _exception_handler(cls, mro, module, qualname):
    filename = OSError.__dict__["filename"].__get__ if derives(mro, OSError) else None
    slots = [
        (held.__name__, held.__get__)
        for base in mro if names_of(base)[0] != "builtins"
        for held in list(dict_of(base).values()) if type(held) is kinds.MemberDescriptor
    ]  # fmt: skip

    def write(w, v, d):
        ordinal = w.entry(v, "exc")
        if ordinal is None:
            return w.again(v)
        w.mutable = True
        args = tuple(_exception_args(v))
        if filename is not None and len(args) == 2 and filename(v) is not None:
            args += (filename(v),)
        pairs = state((_exception_dict, slots), v)
        pairs = [(n, x) for n, x in pairs if n != "__notes__" or type(x) is list]
        cause = _exception_cause(v)
        if cause is not None:
            pairs.append(("__cause__", type(cause)))
        return (TAG, "exc", ordinal, module, qualname, tuple(w.value(a, d + 1) for a in args), w.fields(pairs, d))

    return write


def _tuple_subclass(cls, mro, module, qualname):
    names = next((s["_fields"] for s in map(dict_of, mro) if "_fields" in s), None)
    if type(names) is tuple and all(type(n) is str for n in names) and len(set(names)) == len(names):
        size = len(names)
        readers = state_readers(cls, mro_of(tuple))
        plain = (lambda w, v, d: w.opaque(v)) if readers is None else subclass(tuple, _content_tuple, readers)

        def write(w, v, d):
            if tuple.__len__(v) != size:
                return plain(w, v, d)  # a row of a database, or a subclass that says more names than it has values
            held = tuple(w.fields(list(zip(names, tuple.__iter__(v))), d).values())
            if len(held) < size:
                return (TAG, "cut", qualname, size, list(held[:3]), [], rest(v))
            return (TAG, "nt", module, qualname, names, held)

        return write
    if "n_sequence_fields" in dict_of(cls):
        return lambda w, v, d: new(module, qualname, (tuple(w.value(x, d + 1) for x in tuple.__iter__(v)),))
    return None


def _content_list(w, v, d):
    length = list.__len__(v)
    if not w.fits(length):
        return w.cut_items(v, length, list.__iter__, d)
    return w.items(list(list.__iter__(v)), d)


def _content_tuple(w, v, d):
    if not w.fits(tuple.__len__(v)):
        return w.cut_items(v, tuple.__len__(v), tuple.__iter__, d)
    return tuple(w.items(list(tuple.__iter__(v)), d))


def _content_bytearray(w, v, d):
    return w.text_of(bytes(bytearray.__getitem__(v, slice(0, 5000))))


BASES = (
    (str, lambda w, v, d: w.text_of(str.__str__(v) if type(v) is str else str.__getitem__(v, slice(None)))),
    (bytes, lambda w, v, d: w.text_of(bytes.__getitem__(v, slice(None)))),
    (bytearray, _content_bytearray),
    (int, lambda w, v, d: w.value(int.__int__(v), d)),
    (float, lambda w, v, d: float.__float__(v)),
    (complex, lambda w, v, d: complex.__add__(v, 0)),
    (list, _content_list),
    (dict, dict_content),
    (set, lambda w, v, d: set_content(w, v, "set", d)),
    (frozenset, lambda w, v, d: set_content(w, v, "frozenset", d)),
    (tuple, _content_tuple),
)


_constants: dict = {}
_DEEPEST = 4
_LOOKS = 20


def _constant(v, readers):
    """Gives an immutable value by the name under which the module of its class, or another such value, holds it."""
    known = constants.get(oid(v))
    if known is not None and known[0].get(known[1]) is v:
        return known[2]
    cls = type(v)
    module = names_of(cls)[0]
    held = sys.modules.get(module)
    if type(held) is not kinds.Module:
        return None
    space = held.__dict__
    known = _constants.get(oid(cls))
    if known is None or known[0] is not cls or known[1] != len(space):
        known = _constants[oid(cls)] = [cls, len(space), _constants_of(cls, space, readers), 1]
    path = known[2].get(oid(v))
    if path is None and known[3] < _LOOKS and any(type(held) is cls for _, held in state(readers, v)):
        # Such values are made when they are first asked for, and know where they came from.
        known[2], known[3] = _constants_of(cls, space, readers), known[3] + 1
        path = known[2].get(oid(v))
    if path is None:
        return None
    at = space.get(path[0])
    for name in path[1:]:
        at = dict(state(readers, at)).get(name) if type(at) is cls else None
    if at is not v:
        return None
    tree = (TAG, "name", module, ".".join(path))
    if len(path) == 1 and len(constants) < 10_000:
        constants[oid(v)] = space, path[0], tree
    return tree


def _constants_of(cls, space, readers):
    """Finds the values of a class in a module, then those that they hold as attributes, and so on."""
    found = {}
    ring = [((name,), x) for name, x in list(space.items()) if type(x) is cls and type(name) is str]
    while ring:
        further = []
        for path, x in ring:
            if len(found) < 1000 and found.setdefault(oid(x), path) is path and len(path) < _DEEPEST:
                held = [(n, y) for n, y in state(readers, x) if type(y) is cls and n.isidentifier()]
                further += [((*path, n), y) for n, y in held]
        ring = further
    return found


def subclass(base, content, readers):
    """Makes the handler of a class derived from a builtin: the builtin's content and its own state."""
    inside = base_look(base)
    look = looker(readers)

    def seen(v):
        return *look(v), inside(v)

    fixed = base in (str, bytes, int, float, complex, frozenset, tuple)

    def write(w, v, d):
        if fixed:
            named = _constant(v, readers)
            if named is not None:
                return named
        if w.names_only and not fixed:
            return w.named(v)
        if w.brief and w.objects.told(v) is not None and oid(v) not in w.memo:
            return (TAG, "ref", w.entry(v, "ref"))
        ordinal = w.entry(v, "sub")
        if ordinal is None:
            return w.again(v)
        w.mutable = True
        module, qualname = names_of(type(v))
        if w.brief:
            w.met[-1].tell(seen, seen(v))
        held = content(w, v, d)
        return (TAG, "sub", ordinal, module, qualname, held, w.fields(state(readers, v), d))

    write.by_state = not fixed
    return write


plans._known.append(sys.modules[__name__])
