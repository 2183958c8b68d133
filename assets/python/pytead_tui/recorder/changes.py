"""Tells which arguments changed while a call ran: how each looked at its start against how it looks at its end."""

from pytead_tui.recorder import values
from pytead_tui.recorder.calls import sized
from pytead_tui.recorder.objects import Objects
from pytead_tui.recorder.own import __builtins__, _weakref, marshal
from pytead_tui.recorder.values import NUMBERED, TAG, Capture, Limits, capture, normal

DEEP = 200  # levels down to which trees of other arguments are put in
CUT_PARTS = 7  # parts of the tree of a value that was cut: the last one is its hash


class Watched:
    """An argument that may change."""

    __slots__ = ("index", "value", "ref", "trees", "marks")

    def __init__(self, index: int, value: object, ref: object, trees: tuple, marks: list) -> None:
        self.index = index
        self.value = value
        self.ref = ref
        self.trees = trees  # of all arguments: they may refer to what another one tells
        self.marks = marks

    @property
    def tree(self) -> object:
        """How it looked when the call began."""
        return self.trees[self.index]


def watch(held: tuple, trees: tuple, walk: Capture) -> list:
    """Gives the arguments whose state can change, as they look now. Objects are held weakly, where they can be."""
    watched = []
    for i, mutable in enumerate(walk.mutables):
        if not mutable:
            continue
        value = held[i]
        try:
            ref = None if sized(value) else _weakref.ref(value)
        except TypeError:
            ref = None
        watched.append(Watched(i, value if ref is None else None, ref, trees, walk.parts[i]))
    return watched


def changed(watched: list, objects: Objects, limits: Limits, words: tuple, scope: "dict | None") -> tuple:
    """Gives what changed: (the arguments, each `Watched` and its value; their trees, or None when they need a walk of
    their own; the walk).
    """
    alive = [(w, w.value if w.ref is None else w.ref()) for w in watched]
    alive = [(w, v) for w, v in alive if w.ref is None or v is not None]
    if not alive:
        return [], [], None
    names = tuple([words[w.index] for w, _ in alive]) if words else ()
    trees, walk = capture(objects, limits, tuple([v for _, v in alive]), names, scope)
    before = [w.tree for w, _ in alive]
    if _is_same(trees, walk.marks, before, [mark for w, _ in alive for mark in w.marks]):
        return [], [], walk
    apart = _crossing(walk.parts) or _crossing([w.marks for w, _ in alive])
    if apart:
        objects_now, objects_before = _objects_of(trees), _objects_of(alive[0][0].trees)
    found, written = [], []
    for i, (w, v) in enumerate(alive):
        if apart:
            now, before = _alone(trees[i], objects_now), _alone(w.tree, objects_before)
            same = now == before or _is_alike(marshal.loads(now), marshal.loads(before))
        else:
            same = _is_same(trees[i], walk.parts[i], w.tree, w.marks)
        if not same:
            found.append((w, v))
            written.append(trees[i])
    return found, None if apart else written, walk


def _is_same(now: object, marks: list, before: object, marks_before: list) -> bool:
    """Whether two trees are the same, whatever numbers their objects have."""
    one, other = marshal.dumps(now, 2), marshal.dumps(before, 2)
    return one == other or normal(one, marks) == normal(other, marks_before) or _is_alike(now, before)


def _is_alike(one: object, other: object) -> bool:
    """Whether two trees differ at most in hashes of which one has none: so much was walked by then that there was no time left for it."""
    return bool(values.whole) and _match(one, other, {}, 0)


def _match(one: object, other: object, numbers: dict, depth: int) -> bool:
    if type(one) is not type(other) or depth > DEEP:
        return False
    if type(one) is dict:
        one, other = list(one.items()), list(other.items())
    if type(one) is not tuple and type(one) is not list:
        return one == other
    if len(one) != len(other):
        return False
    if _is_numbered(one) and _is_numbered(other):
        if numbers.setdefault(one[2], other[2]) != other[2]:
            return False
        one, other = (*one[:2], *one[3:]), (*other[:2], *other[3:])
    elif len(one) == CUT_PARTS and one[0] is other[0] is TAG and one[1] == other[1] == "cut" and not (one[-1] and other[-1]):
        one, other = one[:-1], other[:-1]
    return all([_match(x, y, numbers, depth + 1) for x, y in zip(one, other)])


def _crossing(parts: list) -> bool:
    """Whether one of the values refers to an object whose state is in the tree of another one, or in none."""
    for marks in parts:
        own = {ordinal for tag, ordinal in marks if tag != "ref"}
        for tag, ordinal in marks:
            if tag == "ref" and ordinal not in own:
                return True
    return False


def _alone(tree: object, objects: dict) -> bytes:
    """Writes a tree as if it came first: where it refers to an object in the tree of another argument, that object's tree is put in.
    Objects have no numbers; a reference to one says how many nodes come before it.
    """
    places: dict = {}  # by an object's number: the nodes before it
    count = 0

    def grown(tree: object, depth: int) -> object:
        nonlocal count
        t = type(tree)
        if _is_numbered(tree):
            ordinal = tree[2]
            if ordinal in places:
                return (TAG, "ref", places[ordinal])
            tree = objects.get(ordinal, tree)
            if tree[1] == "ref" or depth > DEEP:
                return (TAG, "ref", -1)
            places[ordinal] = count
            if tree[1] == "mut":  # of no matter once nothing else refers to it
                return grown(tree[3], depth)
            count += 1
            return (TAG, tree[1], *[grown(x, depth + 1) for x in tree[3:]])
        count += 1
        if t is tuple:
            return tuple([grown(x, depth + 1) for x in tree])
        if t is list:
            return [grown(x, depth + 1) for x in tree]
        if t is dict:
            return [(grown(k, depth + 1), grown(x, depth + 1)) for k, x in tree.items()]
        if t is set or t is frozenset:
            return (t.__name__, sorted([marshal.dumps(grown(x, depth + 1), 2) for x in tree]))
        return tree

    return marshal.dumps(grown(tree, 0), 2)


def _is_numbered(tree: object) -> bool:
    return type(tree) is tuple and len(tree) > 2 and tree[0] is TAG and tree[1] in NUMBERED


def _objects_of(trees: "list | tuple") -> dict:
    """Gives the trees of the objects in some trees, by their numbers."""
    objects: dict = {}

    def find(tree: object) -> None:
        t = type(tree)
        if t is dict:
            for key, x in tree.items():
                find(key)
                find(x)
        elif t is tuple or t is list or t is set or t is frozenset:
            if _is_numbered(tree) and tree[1] != "ref":
                objects.setdefault(tree[2], tree)
            for x in tree:
                find(x)

    find(trees)
    return objects


def outcome(call: object, value: object, objects: Objects, scope: "dict | None") -> tuple:
    """Gives (tree of an outcome's value, {parameter: its tree} of what changed, the objects met)."""
    function = call.function
    plain = values.are_atoms((value,))
    arguments, trees, walk = changed(call.watched, objects, call.limits, function.words, scope)
    call.watched = []
    if plain and not arguments:
        return value, {}, []
    names = [function.names[w.index] for w, _ in arguments]
    if plain and trees is not None:
        return value, dict(zip(names, trees)), walk.met
    # In one walk: what is reached from several sides is written once.
    words = (None, *(function.words[w.index] for w, _ in arguments)) if function.words and arguments else ()
    (tree, *trees), walk = capture(objects, call.limits, (value, *(v for _, v in arguments)), words, scope)
    return tree, dict(zip(names, trees)), walk.met
