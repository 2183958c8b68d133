"""What a value looks like: what can be compared later to tell whether it changed, without keeping anything alive.

Numbers and short texts stand for themselves, containers for their first items, all else for where it is.
"""

from itertools import islice

from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__

ENDS = 4  # items at each end of a list that are looked at; of a dict, twice as many from its start
SHORT = 256  # characters; longer texts are not kept

_INT, _FLOAT, _DICT, _STR = oid(int), oid(float), oid(dict), oid(str)
_NUMBERS = frozenset(oid(t) for t in (int, float, bool, complex, type(None), type(...)))
_TEXTS = frozenset((_STR, oid(bytes)))
_ROWS = frozenset((oid(list), oid(tuple)))
_SETS = frozenset((oid(set), oid(frozenset), oid(bytearray)))
_INSIDE = _NUMBERS | _TEXTS | _ROWS | _SETS | {_DICT}
_CONTAINERS = _SETS | _ROWS | {_DICT}
_PLAIN = frozenset((_INT, _FLOAT, oid(bool), oid(type(None))))
_HASHED = _PLAIN | _TEXTS

_plans: dict = {}  # by the identities of the types of values: see _plan


def looks(held: list) -> tuple:
    """Gives what values look like. The list is ours to change."""
    kinds = tuple(map(oid, map(type, held)))
    plan = _plans.get(kinds)
    if plan is None:
        plan = _plan(kinds)
        if len(_plans) < 10_000:
            _plans[kinds] = plan
    texts, containers, others = plan
    for i in others:
        held[i] = oid(held[i])
    for i in containers:
        held[i] = field(held[i])
    for i in texts:
        if len(held[i]) > SHORT:
            held[i] = hash(held[i])
    return kinds, held


def _plan(kinds: tuple) -> tuple:
    """Gives which values are texts, which containers, and which neither of these nor numbers."""
    texts = tuple([i for i, kind in enumerate(kinds) if kind in _TEXTS])
    containers = tuple([i for i, kind in enumerate(kinds) if kind in _CONTAINERS])
    others = tuple([i for i, kind in enumerate(kinds) if kind not in _INSIDE])
    return texts, containers, others


def by_name(state: tuple) -> dict:
    """Gives what an object's fields look like by their names, from (names, types, looks)."""
    names = state[0].split(",")
    return dict(zip(names, zip(state[1], state[2]))) if len(names) == len(state[1]) else {}


def field(v: object) -> object:
    """Gives what a container in a field looks like."""
    t = type(v)
    if t is list:
        items = v[: 2 * ENDS]
    elif t is dict:
        items = _firsts(dict.values, v) if v else ()
    else:
        return oid(v), len(v)
    if not items or oid(type(items[0])) not in _HASHED:
        return oid(v), len(v)
    if t is list and len(v) > 2 * ENDS:
        items[ENDS:] = v[-ENDS:]
    if _PLAIN.issuperset(map(oid, map(type, items))):
        return oid(v), len(v), items[:]
    if _HASHED.issuperset(map(oid, map(type, items))):
        return oid(v), len(v), [hash(x) for x in items]
    return oid(v), len(v)


def look(v: object, deep: int) -> object:
    """Gives what one value looks like, its items' items included as `deep` says."""
    key = oid(type(v))
    if key in _NUMBERS:
        return v if key == _INT else (key, v)
    if key in _TEXTS:
        return hash(v)
    if key in _ROWS:
        length = len(v)
        if not deep:
            return oid(v), length
        if length <= 2 * ENDS:
            return key, length, _items(v, deep)
        return oid(v), length, _items(v[:ENDS], deep), _items(v[-ENDS:], deep)
    if key == _DICT:
        length = len(v)
        if not deep or not length:
            return oid(v), length
        return oid(v), length, _items(_firsts(dict.values, v), deep)
    if key in _SETS:
        return oid(v), len(v)
    return oid(v)


def _items(items: object, deep: int) -> object:
    if not items:
        return None
    kinds = set(map(oid, map(type, items)))
    if kinds.isdisjoint(_INSIDE):
        return list(map(oid, items))
    if kinds <= _NUMBERS:
        return items[:] if len(kinds) < 2 else [(oid(type(x)), x) for x in items]
    return [look(x, deep - 1 if deep else 0) for x in items]


def _firsts(iterate: object, v: dict) -> list:
    """Gives a dict's first values or items; none when another thread changed its size just then."""
    try:
        return list(islice(iterate(v), 2 * ENDS))
    except RuntimeError:
        return []


def base_look(base: type) -> object:
    """Gives what tells the look of the builtin that an object of a derived class is at heart."""
    if base in (str, bytes):
        return base.__hash__
    if base in (list, tuple):
        return lambda v: (base.__len__(v), _items(list(islice(base.__iter__(v), 2 * ENDS)), 0))
    if base is dict:
        return lambda v: (
            dict.__len__(v), [(look(k, 0), look(x, 0)) for k, x in _firsts(dict.items, v)]
        )  # fmt: skip
    if base in (set, frozenset, bytearray):
        return base.__len__
    return base.__abs__ if base is complex else base.__float__ if base is float else base.__int__
