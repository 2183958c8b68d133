"""Changes one detail of a recorded outcome after another, and tells which of them assertions do not see.

A detail is a leaf, the type of a number that equals another one, an item, an order. The function that gave the outcome is
not called: what was recorded is made again with the change in it. Which types of numbers matter is decided in step with
`src/generate/expect/details.rs`.
"""

import math
from collections.abc import Iterator

from pytead_tui.recorder.databases import ROWS
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.rebuild import TAG, Builder
from pytead_tui.worker.unavailable import Unavailable

RECORDED = "__recorded__"  # the name of the outcome as it was recorded
EQUALS = 20  # leaves of one list or array that are tried
TRIED = 400  # details of one outcome
DEPTH = 12
OTHER = "~"
EQUAL_TYPES = {("collections", name) for name in ("OrderedDict", "Counter")}  # a dict equals them


def look(source: str, space: dict, names: list, values: tuple, ordered: bool) -> "tuple | None":
    """Gives the details that were changed and those of them that the assertions did not see; None where what was recorded
    cannot be made again, or the assertions do not hold for it."""
    code = compile(source, "<assertions>", "exec")
    if not _holds(code, space, names, values, values):
        return None
    tried: list = []
    unseen: list = []
    for at, name in enumerate(names):
        for path, tree in altered(values[at], ordered=ordered):
            if len(tried) >= TRIED:
                break
            held = _holds(code, space, names, (*values[:at], tree, *values[at + 1 :]), values)
            if held is not None:
                tried.append(name + path)
                if held:
                    unseen.append(name + path)
    return tried, unseen


def _holds(code: object, space: dict, names: list, trees: tuple, recorded: tuple) -> "bool | None":
    """Tells whether the assertions hold; None where the values cannot be made."""
    try:
        made = Builder(unavailable=Unavailable()).value(trees)
        first = Builder(unavailable=Unavailable()).value(recorded[:1])[0]
    except Broken:
        return None
    except Exception:  # a class that takes what was recorded, and not what was changed in it
        return None
    try:
        exec(code, {**space, **dict(zip(names, made)), RECORDED: first})
    except BaseException:  # pytest's own failures are no exceptions
        return False
    return True


def altered(tree: object, path: str = "", depth: int = 0, ordered: bool = False) -> "Iterator[tuple]":
    """Gives trees with one detail changed, each with the way to it."""
    if depth > DEPTH:
        return
    kind = type(tree)
    if kind is tuple and len(tree) > 1 and tree[0] is TAG:
        yield from _tagged(tree, path, depth)
    elif kind in (list, tuple):
        yield from _items(tree, path, depth)
    elif kind is dict:
        yield from _pairs(tree, path, depth, ordered)
    elif kind in (set, frozenset):
        yield from _members(tree, path)
    elif depth or tree is not None:  # that a function gives nothing is seldom asserted
        yield from _scalar(tree, path, depth > 0)


def _scalar(value: object, path: str, inside: bool) -> "Iterator[tuple]":
    kind = type(value)
    if kind is bool:
        yield path, not value
    elif kind is int:
        yield path, value + 1
    elif kind is float:
        yield path, 2 * value + 1 if math.isfinite(value) else 0.5
        if value == 0 and math.copysign(1, value) < 0:
            yield path, 0.0
        elif inside and value.is_integer():
            yield path, int(value)
    elif kind is complex:
        yield path, value + 1
    elif kind is str:
        yield path, value + OTHER
        if inside and value.swapcase() != value:
            yield path, value.swapcase()
    elif kind is bytes:
        yield path, value + OTHER.encode()
    elif value is None:
        yield path, OTHER


def _items(items: "list | tuple", path: str, depth: int) -> "Iterator[tuple]":
    kind = type(items)
    for at in _places(len(items)):
        # Numbers beside others have their types tried together.
        for way, tree in altered(items[at], f"{path}[{at}]", depth + 1):
            if type(items[at]) not in _NUMBERS or tree != items[at] or _is_negative_zero(items[at]):
                yield way, kind([*items[:at], tree, *items[at + 1 :]])
    if items:
        yield path, kind(items[:-1])
    turned = next((at for at in range(1, len(items)) if not _are_equal(items[at - 1], items[at])), 0)
    if turned:
        yield path, kind([*items[: turned - 1], items[turned], items[turned - 1], *items[turned + 1 :]])
    if types_matter(items):
        for wanted in sorted({type(item) for item in items} & _NUMBERS, key=str):
            others = [_as_other(item) if type(item) is wanted else item for item in items]
            if not _are_equal(others, list(items)):
                yield path, kind(others)


def _pairs(pairs: dict, path: str, depth: int, ordered: bool) -> "Iterator[tuple]":
    for key, held in pairs.items():
        way = f"{path}[{key!r}]" if type(key) in (str, *_NUMBERS) else path
        for deeper, tree in altered(held, way, depth + 1):
            yield deeper, {**pairs, key: tree}
        if _equals_another(held, list(pairs.values())):
            yield way, {**pairs, key: _as_other(held)}
    if pairs:
        yield path, dict(list(pairs.items())[:-1])
    if ordered and not depth and len(pairs) > 1:
        yield path, dict(reversed(list(pairs.items())))


def _members(members: "set | frozenset", path: str) -> "Iterator[tuple]":
    kind = type(members)
    if members:
        yield path, kind(list(members)[1:])
    if types_matter(list(members)):
        for wanted in sorted({type(member) for member in members} & _NUMBERS, key=str):
            yield path, kind(_as_other(member) if type(member) is wanted else member for member in members)


def _tagged(tree: tuple, path: str, depth: int) -> "Iterator[tuple]":
    tag = tree[1]
    if tag == "obj":
        yield from _fields(tree, 6, path, depth)
    elif tag == "exc":
        for at, arg in enumerate(tree[5]):
            for way, changed in altered(arg, f"{path}.args[{at}]", depth + 1):
                yield way, _with(tree, 5, _with(tree[5], at, changed))
            if type(arg) is str:
                yield f"{path}.args[{at}]", _with(tree, 5, _with(tree[5], at, OTHER + arg))
        yield from _fields(tree, 6, path, depth)
    elif tag == "sub" and tree[3] == "sqlite3":
        yield from _database(tree, path, depth)
    elif tag == "sub":
        for way, changed in altered(tree[5], path, depth + 1):
            yield way, _with(tree, 5, changed)
        yield from _fields(tree, 6, path, depth)
    elif tag == "nt":
        for at, held in enumerate(tree[5]):
            for way, changed in altered(held, f"{path}.{tree[4][at]}", depth + 1):
                if type(held) not in _NUMBERS or changed != held or _is_negative_zero(held):
                    yield way, _with(tree, 5, _with(tuple(tree[5]), at, changed))
        if depth:
            yield path, tuple(tree[5])
    elif tag == "enum":
        if depth and type(tree[5]) in (int, str):
            yield path, tree[5]
    elif tag == "mut":
        for way, changed in altered(tree[3], path, depth):
            yield way, _with(tree, 3, changed)
    elif tag == "file":
        for way, changed in altered(tree[3], path, depth + 1):
            yield way, _with(tree, 3, changed)
    elif tag == "ndarray":
        for at in _places(len(tree[4])):
            leaf = tree[4][at]
            # A longer text would be cut to the length of the array's others.
            others = [(f"{path}[{at}]", OTHER + leaf[1:])] if type(leaf) is str else _scalar(leaf, f"{path}[{at}]", False)
            for way, changed in others:
                yield way, _with(tree, 4, [*tree[4][:at], changed, *tree[4][at + 1 :]])
    elif tag == "new":
        yield from _made(tree, path, depth)


def _database(tree: tuple, path: str, depth: int) -> "Iterator[tuple]":
    """Changes values and leaves out the last row of each table. The order of rows is the database's to choose."""
    fields = tree[6]
    for table, rows in fields.get(ROWS, {}).items():
        way = f"{path}.{ROWS}[{table!r}]"
        changed = [(way, rows[:-1])]
        for at in _places(len(rows)):
            for name, value in rows[at].items():
                others = altered(value, f"{way}[{at}][{name!r}]", depth + 1)
                changed += [(place, [*rows[:at], {**rows[at], name: other}, *rows[at + 1 :]]) for place, other in others]
        for place, other in changed:
            held = {**fields[ROWS], table: other}
            yield place, _with(tree, 6, {**fields, ROWS: {name: kept for name, kept in held.items() if kept}})


def _made(tree: tuple, path: str, depth: int) -> "Iterator[tuple]":
    """Changes what a call of something importable gives, by its arguments."""
    _, _, module, name, args, named = tree
    if module.partition(".")[0] == "pandas":
        return  # what it makes of other data is often the same again: a time in another zone, a column of its own type
    if name == "Decimal" and len(args) == 1 and type(args[0]) is str:
        yield from ((path, _with(tree, 4, (text,))) for text in _other_digits(args[0]))
        return
    if (module, name) in (("builtins", "set"), ("builtins", "frozenset")) and len(args) == 1:
        members = args[0]  # whose trees cannot be members of a set
        for at in _places(len(members)):
            for _, changed in altered(members[at], path, depth + 1):
                yield path, _with(tree, 4, ([*members[:at], changed, *members[at + 1 :]],))
        return
    for at, arg in enumerate(args):
        for way, changed in altered(arg, path, depth + 1):
            # Python tells numbers of another type apart there, or takes them for the same.
            if changed != arg:
                yield way, _with(tree, 4, _with(tuple(args), at, changed))
    if depth and (module, name) in EQUAL_TYPES:
        yield path, (TAG, "new", "builtins", "dict", args, named)


def _other_digits(text: str) -> "Iterator[str]":
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(text)
    except InvalidOperation:
        return
    if not number.is_finite():
        yield "1"
        return
    yield str(number + 1)
    shorter = str(number.normalize())
    if number and shorter != text and ("E" in text or "." in text):
        yield shorter


def _fields(tree: tuple, at: int, path: str, depth: int) -> "Iterator[tuple]":
    """Changes the public fields of an object, or its private ones where it has no others."""
    fields = tree[at]
    shown = [name for name in fields if not name.startswith("_") or name == "__notes__"]
    for name in shown or fields:
        for way, changed in altered(fields[name], f"{path}.{name}", depth + 1):
            # A class says itself of what types its fields are, and with how many digits.
            if _is_another(fields[name], changed):
                yield way, _with(tree, at, {**fields, name: changed})


def _is_another(held: object, changed: object) -> bool:
    """Whether a field holds something else, and not the same number in another form."""
    if type(held) in _NUMBERS:
        return changed != held or _is_negative_zero(held)
    if type(held) is tuple and type(changed) is tuple and held[:4] == changed[:4] and held[1:4:2] == ("new", "Decimal"):
        from decimal import Decimal

        return Decimal(held[4][0]) != Decimal(changed[4][0])
    return True


def _with(parts: tuple, at: int, part: object) -> tuple:
    return (*parts[:at], part, *parts[at + 1 :])


def _places(length: int) -> list:
    """Lists places spread over a list, the first and the last among them."""
    if length <= EQUALS:
        return list(range(length))
    return sorted({at * (length - 1) // (EQUALS - 1) for at in range(EQUALS)})


_NUMBERS = {bool, int, float}


def types_matter(items: "list | tuple") -> bool:
    """Whether the types of the numbers among items matter: they differ, or no item tells them."""
    numbers = [item for item in items if type(item) in _NUMBERS and not _is_negative_zero(item)]
    kinds = {type(item) for item in numbers}
    if kinds == {int}:
        return len(numbers) == len(items) and set(numbers) == {0, 1}
    if kinds == {float}:
        return all(number.is_integer() for number in numbers)
    return bool(kinds)


def _as_other(value: object) -> object:
    """Gives an equal number of another type."""
    kind = type(value)
    if kind is float:
        return int(value) if value.is_integer() else value
    if kind is bool:
        return int(value)
    if kind is not int or abs(value) >= 1 << 53:
        return value
    return bool(value) if value in (0, 1) else float(value)


def _equals_another(value: object, values: list) -> bool:
    kind = type(value)
    return kind in _NUMBERS and any(type(v) in _NUMBERS and type(v) is not kind and v == value for v in values)


def _is_negative_zero(value: object) -> bool:
    return type(value) is float and value == 0 and math.copysign(1, value) < 0


def _are_equal(one: object, other: object) -> bool:
    """Whether two trees are the same, with the types of their numbers."""
    return one == other and repr(one) == repr(other)
