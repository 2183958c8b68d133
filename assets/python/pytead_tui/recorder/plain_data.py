"""Large containers of plain data that were written before: settings, documents, rows of a file.

A program passes them to many calls, and copies them as a whole. So a container that was written before is recognised by its bytes
and decoded from them: that costs a fraction of a walk over its items. Items that are not plain data, and secrets,
are walked each time.
"""

from pytead_tui.recorder import redact
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__, marshal
from pytead_tui.recorder.values import CALLS, STRING, Capture, plain_built

SMALLEST = 24  # items of a container that is looked up
KEPT = 200  # containers that are known at a time
NAMES = 1000  # that are known for values which are not written as they are
CHEAPER = 8  # so many items are taken for one node that is walked (budget.py)
IN_VAIN = 100  # lookups after which a program is taken to have no such containers
ROOM = 20_000  # nodes that are walked to write such containers a first time where their calls have too few left

# Types by identity, see values.py.
_TEXTS = frozenset(map(oid, (str, bytes)))
_NUMBERS = frozenset(map(oid, (type(None), bool, float, complex, int)))
_ATOMS = _TEXTS | _NUMBERS
_MUTABLE = frozenset(map(oid, (list, dict, set)))
_PLAIN = _ATOMS | _MUTABLE | frozenset(map(oid, (tuple, frozenset)))
_NAMES = {oid(str)}
_VERSION = 2  # of marshal: floats to the bit, and no numbers for objects that are met again

_known: dict = {}  # bytes → how many secrets were known when they were written
_odd: set = set()  # names whose values are not written as they are
_left = [ROOM]
_misses = [0]  # since a container was known


def tree_of(walk: Capture, v: object, length: int, depth: int, content: object) -> object:
    """Gives the tree of a list or of a dict, of its class or a derived one; `content` makes it where it is not known."""
    is_walked = length > CALLS.nodes or walk.masking is not None or walk.brief or depth >= walk.deep
    if is_walked or _misses[0] > IN_VAIN:
        return content(walk, v, depth)
    try:
        found = _Plain(v, walk)
    except RuntimeError:  # another thread changed its size just then
        return content(walk, v, depth)
    if found.blob is None or found.size > walk.room:
        return content(walk, v, depth)
    if _known.get(found.blob) == len(redact.texts):
        _misses[0] = 0
        return _again(walk, v, depth, found)
    _misses[0] += 1
    return _first(walk, v, depth, found, content)


def _again(walk: Capture, v: object, depth: int, found: "_Plain") -> object:
    walk.nodes -= min(found.nodes // CHEAPER, walk.nodes // 2)
    walk.room -= found.size
    tree = marshal.loads(found.blob)
    place = walk.marks, len(walk.marks)
    for held in found.inner:
        walk.memo[oid(held)] = place
    walk.plain.append((v, tree))
    for name, held in found.rest.items():
        tree[name] = _item_tree(walk, found.items, name, held, depth)
    return tree


def _first(walk: Capture, v: object, depth: int, found: "_Plain", content: object) -> object:
    left, secrets = walk.nodes, len(redact.texts)
    lent = found.nodes + len(found.rest) if found.nodes > left and found.nodes <= _left[0] else 0
    _left[0] -= lent
    walk.nodes += lent
    tree = content(walk, v, depth)
    if lent:
        walk.nodes = left - min((left + lent - walk.nodes) // CHEAPER, left // 2)
    # What a lack of room, or a secret that was met in it, made of it holds for this time alone.
    if oid(type(tree)) not in _MUTABLE or walk.nodes <= 0 or walk.room <= 0 or len(redact.texts) != secrets:
        return tree
    plain = {name: None if name in found.rest else held for name, held in tree.items()} if found.items else tree
    try:
        if marshal.dumps(plain, _VERSION) == found.blob:
            if len(_known) >= KEPT:
                _known.clear()
            _known[found.blob] = secrets
        elif found.items and len(_odd) < NAMES:
            _odd.update(name for name, held in found.items if name not in found.rest and not _is_same(held, tree[name]))
    except (KeyError, ValueError):  # not written as it is
        pass
    return tree


def _is_same(held: object, tree: object) -> bool:
    return marshal.dumps(held, _VERSION) == marshal.dumps(tree, _VERSION)


def _item_tree(walk: Capture, items: list, key: object, held: object, depth: int) -> object:
    """Gives the tree of a dict's item, which its key may make secret."""
    word = redact.word_or_beside(key)
    if word == redact.BESIDE:
        word = redact.beside(items, key, held)
    return walk.value(held, depth + 1) if word is None else walk.masked(word, held, depth + 1)


class _Plain:
    """What is plain in a container."""

    __slots__ = ("blob", "nodes", "size", "inner", "items", "rest")

    def __init__(self, v: object, walk: Capture) -> None:
        self.blob = None  # its bytes; None if it is not to be looked up
        self.nodes = self.size = 0
        self.inner: list = []  # containers in it that can change
        self.items: list = []  # of a dict with texts for keys
        self.rest: dict = {}  # those of its items that are not plain
        held = v
        is_dict = type(v) is not list
        if is_dict and set(map(oid, map(type, dict.keys(v)))) == _NAMES:
            self.items = list(dict.items(v))
            held = self._of_items()
            if 4 * len(self.rest) > len(held):
                return
        elif oid(type(v)) in _MUTABLE and not _NUMBERS.issuperset(map(oid, map(type, v))) and self._holds(v):
            del self.inner[0]
        else:
            return
        inner = set(map(oid, self.inner))
        if self.nodes > CALLS.nodes or len(inner) < len(self.inner) or not inner.isdisjoint(walk.memo):
            return  # too large, or something is reached twice
        try:
            self.blob = marshal.dumps(held, _VERSION)
        except ValueError:  # too deep
            pass

    def _of_items(self) -> dict:
        """Gives a dict in which None is in the place of what is not plain."""
        held = {}
        for name, value in self.items:
            before = self.nodes, self.size, len(self.inner)
            if name not in _odd and self._holds(value):
                held[name] = value
            else:
                self.nodes, self.size = before[:2]
                del self.inner[before[2] :]
                held[name], self.rest[name] = None, value
            self.nodes += 2
            self.size += len(name) + 9
        return held

    def _holds(self, v: object) -> bool:
        """Counts a value; tells whether it is plain and small enough."""
        kind = oid(type(v))
        if kind in _TEXTS:
            self.size += len(v)
            return len(v) <= STRING
        if kind in _ATOMS:
            return True
        if kind not in _PLAIN or self.nodes + len(v) > CALLS.nodes:
            return False
        if kind in _MUTABLE:
            self.inner.append(v)
        values = [*v, *v.values()] if type(v) is dict else list(v)
        self.nodes += len(values)
        self.size += 9 * len(values)
        kinds = set(map(oid, map(type, values)))
        if not kinds <= _PLAIN:
            return False
        if kinds.isdisjoint(_TEXTS) and kinds <= _ATOMS:
            return True
        return self.nodes <= CALLS.nodes and all([self._holds(held) for held in values])


def _built(v: object, tree: object, known: dict) -> None:
    """Notes the tree of each container inside, by identity."""
    for held, inner in zip(v, tree) if type(v) is list else zip(dict.values(v), tree.values()):
        _built_inside(held, inner, known)


def _built_inside(v: object, tree: object, known: dict) -> None:
    kind = type(v)
    if kind is not type(tree):
        return  # what is not plain, and has another form
    if oid(kind) in _MUTABLE:
        known[oid(v)] = tree
    if kind is dict:
        for held, inner in zip(v.values(), tree.values()):
            _built_inside(held, inner, known)
    elif kind is list or kind is tuple:
        for held, inner in zip(v, tree):
            _built_inside(held, inner, known)


plain_built.append(_built)
