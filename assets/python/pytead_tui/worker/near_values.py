"""Values one step beside a recorded one: a number more, an item less, a constant of the code, what another call gave.

Values are trees (`docs/spool.md`, Values); what is made of one is built as recorded ones are. The order is always the same.
"""

import datetime
import decimal
import re
from collections.abc import Iterator

from pytead_tui.recorder.values import TAG
from pytead_tui.worker.near_kept import is_outside, kind_of

DEEP = 4  # containers, one in the other
INNER = 12  # values tried in the place of one item
MANY = 14  # constants tried of one type
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"[+-]?\d{1,20}(?:\.\d{1,20})?")
_UNITS = ("days", "seconds", "microseconds")


class Pools:
    """Values that are worth a try in the place of others: constants of the code, recorded values, members of enums."""

    def __init__(self, constants: list) -> None:
        self.numbers = [one for one in constants if type(one) in (int, float)][: 2 * MANY]
        harmless = [one for one in constants if not is_outside("", one)]
        self.texts = [one for one in harmless if type(one) is str][:MANY]
        self.bytes = [one for one in harmless if type(one) is bytes][:MANY]
        self.recorded: dict = {}  # by place or kind: trees, in order
        self.members: dict = {}  # of an enum, by (module, qualname): names

    def learn(self, place: str, tree: object) -> None:
        """Keeps a recorded value for its place, and for its type, unless it leads out of the program."""
        if is_outside(name_of(place), tree):
            return
        for key in (place, ("kind", kind_of(tree))):
            held = self.recorded.setdefault(key, [])
            if len(held) < MANY and tree not in held:
                held.append(tree)

    def others(self, place: str, tree: object) -> "Iterator[object]":
        """Gives other recorded values: those of the same place, then those of the same type."""
        for key in (place, ("kind", kind_of(tree))):
            yield from (one for one in self.recorded.get(key, ()) if one != tree)


def name_of(place: str) -> str:
    """Gives the name of a part: `price` of `rows[].price`."""
    return place.rpartition(".")[2].split("[")[0]


def near(place: str, tree: object, pools: Pools, deep: int = 0) -> "Iterator[object]":
    """Gives values near one, the nearest first; none of what is never mutated."""
    name = name_of(place)
    if deep > DEEP or is_outside(name, tree):
        return
    kind = type(tree)
    if kind is bool:
        yield not tree
    elif kind is int:
        yield from _int(tree, pools)
    elif kind is float:
        yield from _float(tree, pools)
    elif kind is str:
        yield from _text(tree, pools.texts, pools)
    elif kind is bytes:
        yield from _bytes(tree, pools)
    elif kind is list:
        yield from _items(place, tree, list, pools, deep)
    elif kind is dict:
        yield from _dict(place, tree, pools, deep)
    elif kind in (set, frozenset):
        yield from _set(place, tree, pools, deep)
    elif kind is tuple and tree[:1] != (TAG,):
        yield from _items(place, tree, tuple, pools, deep)
    elif kind is tuple:
        yield from _tagged(place, tree, pools, deep)
    if kind not in (bool, tuple) or kind is tuple and tree[:2] not in ((TAG, "name"), (TAG, "ref")):
        yield from (one for one in pools.others(place, tree) if not is_outside(name, one))


def _int(value: int, pools: Pools) -> "Iterator[int]":
    yield value + 1
    yield value - 1
    most = 10 * max(abs(value), 10**6)
    for one in pools.numbers:
        if type(one) is int and abs(one) <= most:
            yield from (one, one + 1, one - 1)
    yield from (0, 1, -value, 2 * value, value // 2, 10 * value, -1, value + 2, value - 2)
    for one in pools.numbers:
        if type(one) is int and 1 < abs(one) <= 10_000 and abs(one * value) <= most:
            yield from (one * value, value + one, value - one)


def _float(value: float, pools: Pools) -> "Iterator[float]":
    if value != value or value in (float("inf"), float("-inf")):
        return
    yield from (value + 1, value - 1, 0.0, value + 0.5, value - 0.5)
    for one in pools.numbers:
        yield from (float(one), float(one) + 1, float(one) - 1)
    yield from (-value, value / 2, value * 2, float(round(value)), value * 10, value / 10, value + 0.25, value + 1e-6)
    # A constant of the code may count decimal places.
    yield from (float(f"1e{one + step}") for one in pools.numbers if type(one) is int and 1 < abs(one) < 300 for step in (0, 1, -1))


def _text(value: str, constants: list, pools: "Pools | None") -> "Iterator[str]":
    middle = len(value) // 2
    yield value[:-1]
    yield value[1:]
    yield ""
    if value:
        yield value + value[-1]
        yield value[0] + value
    for found in list(_DIGITS.finditer(value))[:3]:
        number, width = int(found.group()) if len(found.group()) < 30 else 0, len(found.group())
        numbers = [one for one in pools.numbers if type(one) is int and 0 <= one < 10**9] if pools is not None else []
        near = [number + 1, number - 1, 0, *(one + step for one in numbers[:MANY] for step in (0, 1, -1))]
        for other in near:
            if other >= 0:
                yield value[: found.start()] + str(other).zfill(width) + value[found.end() :]
                if width > 1 and len(str(other)) < width:
                    yield value[: found.start()] + str(other) + value[found.end() :]
        yield value[: found.start()] + value[found.end() :]
    # A part less, at a sign that parts it: `1.2` of `1.2.3`.
    for sign in dict.fromkeys(letter for letter in value if not letter.isalnum() and letter != " "):
        yield value.rpartition(sign)[0]
        yield value.partition(sign)[0]
        yield value.partition(sign)[2]
        yield sign.join(value.split(sign)[::-1])
    for one in constants:
        yield one
        yield value + one
        yield one + value
        yield value[:middle] + one + value[middle:]
        if one and one in value:
            yield value.replace(one, "", 1)
            yield value.replace(one, one + one, 1)
            yield value.replace(one, "")
    yield from (value.upper(), value.lower(), value.swapcase(), value.title(), value + " ", " " + value, value + "\n")
    yield value[:middle] + value[middle + 1 :]
    yield value[:middle] + " " + value[middle:]
    yield value[:1]
    yield value + value
    for at, letter in enumerate(value):
        # A sign in the place of another one, which tells words and numbers apart.
        if not letter.isalnum():
            yield from (value[:at] + other + value[at + 1 :] for other in (" ", "-", "_", "a", "0") if other != letter)
            break
    if value:
        yield from ("-" + value, value[:1] + "é" + value[1:])


def _bytes(value: bytes, pools: Pools) -> "Iterator[bytes]":
    constants = [one.decode("latin-1") for one in pools.bytes]
    for text in _text(value.decode("latin-1"), constants, None):
        try:
            yield text.encode("latin-1")
        except UnicodeEncodeError:
            continue


def _items(place: str, value: object, make: type, pools: Pools, deep: int) -> "Iterator[object]":
    items = list(value)
    if items:
        yield make(items[:-1])
        yield make(items[1:])
        yield make()
        yield make([*items, items[-1]])
        yield make([items[0], *items])
    if len(items) > 1:
        yield make([items[1], items[0], *items[2:]])
        yield make(items[::-1])
        middle = len(items) // 2
        yield make([*items[:middle], *items[middle + 1 :]])
        yield make(items[:1])
    for at in dict.fromkeys([*range(min(4, len(items))), len(items) // 2, len(items) - 1]):
        if 0 <= at < len(items):
            below = f"{place}[{at}]" if make is tuple else place + "[]"
            for other in _first(near(below, items[at], pools, deep + 1)):
                yield make([*items[:at], other, *items[at + 1 :]])
    if items:
        yield make([*items, *items])
        for other in _first(near(place + "[]", items[-1], pools, deep + 1)):
            yield make([*items, other])
    else:
        for other in pools.recorded.get(place + "[]", ())[:3]:
            yield make([other])


def _first(values: "Iterator[object]") -> "Iterator[object]":
    for _, value in zip(range(INNER), values):
        yield value


def _dict(place: str, value: dict, pools: Pools, deep: int) -> "Iterator[dict]":
    def below(key: object) -> str:
        return f"{place}.{key}" if type(key) is str else place + "{}"

    for key in list(value)[:8]:
        yield {other: held for other, held in value.items() if other != key}
    for key in list(value)[:8]:
        for other in _first(near(below(key), value[key], pools, deep + 1)):
            yield {**value, key: other}
    yield {}
    if len(value) > 1:
        yield dict(reversed(value.items()))
    if value:
        last = value[list(value)[-1]]
        for key in [*(one for one in pools.texts[:6] if type(list(value)[-1]) is str)]:
            yield {**value, key: last}
        for key in _first(near(place + "{}", list(value)[-1], pools, deep + 1)):
            try:
                yield {**value, key: last}
            except TypeError:
                continue


def _set(place: str, value: object, pools: Pools, deep: int) -> "Iterator[object]":
    make = type(value)
    items = sorted(value, key=repr)
    for at in range(min(3, len(items))):
        yield make(items[:at] + items[at + 1 :])
    yield make()
    if items:
        for other in _first(near(place + "[]", items[-1], pools, deep + 1)):
            yield make([*items, other])
            yield make([*items[:-1], other])


def _tagged(place: str, tree: tuple, pools: Pools, deep: int) -> "Iterator[object]":
    tag = tree[1]
    if tag == "mut":
        yield from (tree[:3] + (other,) for other in near(place, tree[3], pools, deep))
    elif tag == "enum":
        for name in pools.members.get(tree[2:4], ()):
            if name != tree[4]:
                yield (TAG, "enum", *tree[2:4], name, None)
    elif tag == "nt":
        for at, (name, held) in enumerate(zip(tree[4], tree[5])):
            for other in _first(near(f"{place}.{name}", held, pools, deep + 1)):
                yield (*tree[:5], (*tree[5][:at], other, *tree[5][at + 1 :]))
    elif tag == "obj":
        yield from _object(place, tree, pools, deep)
    elif tag == "new":
        yield from _made(place, tree, pools, deep)
    elif tag == "ndarray":
        yield from _array(place, tree, pools, deep)


def _object(place: str, tree: tuple, pools: Pools, deep: int) -> "Iterator[tuple]":
    """Gives objects with another value in one field; where its class keeps the fields in step, only what was recorded there."""
    for name, held in tree[6].items():
        below = f"{place}.{name}"
        if tree[5] in ("dataclass", "attrs"):
            others = _first(near(below, held, pools, deep + 1))
        else:
            others = (one for one in pools.recorded.get(below, ()) if one != held and not is_outside(name, one))
        for other in others:
            yield (*tree[:6], {**tree[6], name: other})


def _array(place: str, tree: tuple, pools: Pools, deep: int) -> "Iterator[tuple]":
    _, _, dtype, shape, items = tree
    if len(shape) == 1 and items:
        yield (TAG, "ndarray", dtype, (shape[0] - 1,), items[:-1])
        yield (TAG, "ndarray", dtype, (shape[0] + 1,), [*items, items[-1]])
        yield (TAG, "ndarray", dtype, (0,), [])
    for at in dict.fromkeys([0, len(items) - 1]) if items else ():
        for other in _first(near(place + "[]", items[at], pools, deep + 1)):
            if type(other) is type(items[at]):
                yield (TAG, "ndarray", dtype, shape, [*items[:at], other, *items[at + 1 :]])
        if type(items[at]) is float:
            yield (TAG, "ndarray", dtype, shape, [*items[:at], float("nan"), *items[at + 1 :]])


# What calls make.


def _made(place: str, tree: tuple, pools: Pools, deep: int) -> "Iterator[tuple]":
    _, _, module, name, args, named = tree

    def new(*others: object) -> tuple:
        return (TAG, "new", module, name, others, named)

    if module == "datetime":
        yield from _moment(name, new, args, pools)
    elif (module, name) == ("decimal", "Decimal"):
        yield from (new(text) for text in _decimal(args[0], pools))
    elif (module, name) == ("fractions", "Fraction"):
        top, below = args
        for one, other in ((top + 1, below), (top - 1, below), (0, 1), (-top, below), (top + below, below), (top - below, below),
                           (1, 1), (top, below + 1)):  # fmt: skip
            if other > 0:
                yield new(one, other)
    elif (module, name) == ("pandas", "DataFrame"):
        yield from _frame(tree, place, pools, deep)
    elif (module, name) == ("builtins", "slice"):
        for at, held in enumerate(args):
            others = (held + 1, held - 1, -held, None) if type(held) is int else (0, 1, -1) if at < 2 else (2, -1)
            yield from (new(*args[:at], other, *args[at + 1 :]) for other in others)
    elif (module, name) == ("builtins", "range"):
        start, stop, step = args
        yield from (new(start, stop + step, step), new(start, stop - step, step), new(start, start, step), new(start + step, stop, step))
    elif module in ("collections", "builtins") and args and type(args[0]) in (list, dict, bytes, set):
        for other in near(place, args[0], pools, deep + 1):
            if type(other) is type(args[0]):
                yield new(other, *args[1:])


_MICRO = datetime.timedelta(microseconds=1)


def _moment(name: str, new: object, args: tuple, pools: Pools) -> "Iterator[tuple]":
    """Gives moments and spans of time, by days first, then by what is smaller or larger."""
    whole = [one for one in pools.numbers if type(one) is int and 0 < abs(one) <= 100_000][:MANY]
    try:
        if name == "timedelta":
            value = datetime.timedelta(*args)
            steps = [{"days": 1}, {"days": -1}, {"seconds": 1}, {"seconds": -1}, {"hours": 1}, {"minutes": 1}, {"microseconds": 1}]
            spans = [value + datetime.timedelta(**step) for step in steps]
            for number in whole:
                for unit in _UNITS[:2]:
                    spans += [datetime.timedelta(**{unit: number + step}) for step in (0, 1, -1)]
                spans += [value + datetime.timedelta(days=number), value + datetime.timedelta(seconds=number)]
            spans += [datetime.timedelta(0), -value, 2 * value, value / 2, value + datetime.timedelta(days=365)]
            for span in spans:
                yield new(span.days, span.seconds, span.microseconds)
        elif name == "date":
            for other in _days(datetime.date(*args), whole):
                yield new(other.year, other.month, other.day)
        elif name in ("datetime", "time"):
            at = 6 if name == "datetime" else 3
            value = datetime.datetime(*args[:at], args[at]) if name == "datetime" else datetime.datetime(2000, 1, 2, *args[:4])
            others = _days(value, whole) if name == "datetime" else []
            steps = [{"seconds": 1}, {"seconds": -1}, {"minutes": 1}, {"hours": 1}, {"hours": -1}, {"microseconds": 1}]
            others += [value + datetime.timedelta(**step) for step in steps]
            others.append(value.replace(hour=0, minute=0, second=0, microsecond=0))
            others += [value + datetime.timedelta(seconds=step * number) for number in whole for step in (1, -1)]
            for other in others:
                day = (other.year, other.month, other.day) if name == "datetime" else ()
                yield new(*day, other.hour, other.minute, other.second, other.microsecond, *args[at + 1 :])
    except (ValueError, TypeError, OverflowError):
        return


def _days(value: "datetime.date", whole: list) -> list:
    day = datetime.timedelta(days=1)
    found = [value + day, value - day]
    first = value.replace(day=1)
    found += [first, first - day, (first + 31 * day).replace(day=1), (first + 31 * day).replace(day=1) - day]
    found += [value + 7 * day, value - 7 * day, value + 365 * day, value - 365 * day, value.replace(month=1, day=1)]
    found += [value.replace(month=12, day=31), value.replace(year=2024, month=2, day=29), value.replace(year=2023, month=2, day=28)]
    for number in whole:
        found += [value + step * number * day for step in (1, -1) if abs(number) < 10_000]
    return found


def _decimal(text: str, pools: Pools) -> "Iterator[str]":
    try:
        value = decimal.Decimal(text)
        if not value.is_finite():
            return
        last = decimal.Decimal((0, (1,), value.as_tuple().exponent))
        # What stands in a text, too: `Decimal("50")`.
        numbers = [decimal.Decimal(str(one)) for one in pools.numbers[:MANY]]
        numbers += [decimal.Decimal(one) for one in pools.texts if _NUMBER.fullmatch(one)]
        others = [value + 1, value - 1, value + last, value - last, decimal.Decimal(0), -value, value / 2, value * 2, value + last / 2]
        others += [other for one in numbers for other in (one, one + last, one - last)]
        yield from map(str, others)
    except (decimal.DecimalException, ValueError):
        return


def _frame(tree: tuple, place: str, pools: Pools, deep: int) -> "Iterator[tuple]":
    """Gives frames with a row less or more, with none, and with a part that is missing."""
    _, _, module, name, args, named = tree
    if not args or type(args[0]) is not dict or not all(type(column) is list for column in args[0].values()):
        return
    if any(type(held) is not list for held in named.values()):
        return

    def rows(pick: object) -> tuple:
        columns = {key: pick(column) for key, column in args[0].items()}
        return (TAG, "new", module, name, (columns,), {key: pick(held) if key == "index" else held for key, held in named.items()})

    yield rows(lambda column: column[:-1])
    yield rows(lambda column: column[:0])
    if "index" not in named:
        yield rows(lambda column: [*column, *column[-1:]])
    for key, column in args[0].items():
        for at in dict.fromkeys([0, len(column) - 1]) if column else ():
            others = [float("nan")] if type(column[at]) is float else []
            for other in [*others, *_first(near(f"{place}.{key}", column[at], pools, deep + 1))]:
                if type(other) is type(column[at]):
                    changed = [*column[:at], other, *column[at + 1 :]]
                    yield (TAG, "new", module, name, ({**args[0], key: changed},), named)
