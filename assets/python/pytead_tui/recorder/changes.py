"""Tells which arguments changed while a call ran: how each looked at its start against how it looks at its end."""

from pytead_tui.recorder import values
from pytead_tui.recorder.calls import sized
from pytead_tui.recorder.objects import Objects
from pytead_tui.recorder.own import __builtins__, _weakref, marshal
from pytead_tui.recorder.values import Capture, Limits, capture, normal


class Watched:
    """An argument that may change."""

    __slots__ = ("index", "value", "ref", "tree", "marks")

    def __init__(self, index: int, value: object, ref: object, tree: object, marks: list) -> None:
        self.index = index
        self.value = value
        self.ref = ref
        self.tree = tree
        self.marks = marks


def watch(
    objects: Objects, limits: Limits, held: tuple, words: tuple, scope: dict, trees: tuple, walk: Capture
) -> list:
    """Gives the arguments whose state can change, as they look now. Objects are held weakly, where they can be."""
    watched = []
    apart = _crossing(walk)
    for i, mutable in enumerate(walk.mutables):
        if not mutable:
            continue
        value = held[i]
        tree, marks = trees[i], walk.parts[i]
        if apart:
            (tree,), alone = capture(objects, limits, (value,), words[i : i + 1], scope)
            marks = alone.marks
        try:
            ref = None if sized(value) else _weakref.ref(value)
        except TypeError:
            ref = None
        watched.append(Watched(i, value if ref is None else None, ref, tree, marks))
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
    apart = _crossing(walk)
    found, written = [], []
    for i, (w, v) in enumerate(alive):
        tree, marks = trees[i], walk.parts[i]
        if apart:
            (tree,), alone = capture(objects, limits, (v,), names[i : i + 1], scope)
            marks = alone.marks
        now, before = marshal.dumps(tree, 2), marshal.dumps(w.tree, 2)
        if now != before and normal(now, marks) != normal(before, w.marks):
            found.append((w, v))
            written.append(tree)
    return found, None if apart else written, walk


def _crossing(walk: Capture) -> bool:
    """Whether one of the values holds what another one tells."""
    if len(walk.parts) < 2:
        return False
    for marks in walk.parts:
        own = {ordinal for tag, ordinal in marks if tag != "ref"}
        for tag, ordinal in marks:
            if tag == "ref" and ordinal not in own:
                return True
    return False


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
