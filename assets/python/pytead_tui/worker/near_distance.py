"""How far two values are apart, and what lies between them: a difference is shown at the value that is nearest to a recorded one."""

import datetime
import decimal
from collections.abc import Iterator

from pytead_tui.recorder.values import TAG
from pytead_tui.worker.near_kept import bare


def between(one: object, other: object) -> "Iterator[object]":
    """Gives values between a recorded one and another, which are nearer to the recorded one."""
    one, other = bare(one), bare(other)
    if type(one) is int and type(other) is int:
        away = other - one
        sign = 1 if away > 0 else -1
        for step in dict.fromkeys([sign, away // 4, away // 2, away - away // 4, away - sign]):
            if 0 < abs(step) < abs(away):
                yield one + step
    elif type(one) is float and type(other) is float:
        away = other - one
        if abs(away) > 1e-6:
            yield from dict.fromkeys(
                value for value in (one + away / 4, one + away / 2, float(round(one + away / 2)), one + (1 if away > 0 else -1))
                if 0 < abs(value - one) < abs(away)
            )  # fmt: skip
    elif type(one) is tuple and type(other) is tuple and one[:2] == other[:2] == (TAG, "new"):
        for span in _spans(one, other):
            yield span
    else:
        yield from _parts_between(one, other)


def _spans(one: tuple, other: tuple) -> "Iterator[tuple]":
    first, last = _clock(one), _clock(other)
    if first is None or last is None or one[3] != other[3] or one[4][7:] != other[4][7:]:
        return
    away = last - first
    day = datetime.timedelta(days=1)
    sign = 1 if away > datetime.timedelta(0) else -1
    for unit in (day, datetime.timedelta(seconds=1)):
        count = away // unit if sign > 0 else -(-away // unit)
        for steps in dict.fromkeys([sign, count // 4, count // 2, count - count // 4, count - sign, count]):
            span = steps * unit
            if datetime.timedelta(0) < abs(span) < abs(away):
                yield _of_clock(one, first + span)


def _clock(tree: tuple) -> "datetime.datetime | datetime.date | datetime.timedelta | None":
    _, _, module, name, args, _ = tree
    if module != "datetime":
        return None
    if name == "timedelta":
        return datetime.timedelta(*args)
    if name == "date":
        return datetime.date(*args)
    return datetime.datetime(*args[:7]) if name == "datetime" else None


def _of_clock(tree: tuple, value: object) -> tuple:
    if tree[3] == "timedelta":
        args: tuple = (value.days, value.seconds, value.microseconds)
    elif tree[3] == "date":
        args = (value.year, value.month, value.day)
    else:
        args = (*value.timetuple()[:6], value.microsecond, *tree[4][7:])
    return (*tree[:4], args, tree[5])


def _parts_between(one: object, other: object) -> "Iterator[object]":
    kind = type(one)
    if kind is not type(other):
        return
    if kind in (list, tuple) and one[:1] != (TAG,) and len(one) == len(other):
        for at, (a, b) in enumerate(zip(one, other)):
            if a != b:
                for value in [a, *between(a, b)]:
                    yield kind([*other[:at], value, *other[at + 1 :]])
    elif kind is dict:
        for key in other:
            if key in one and one[key] != other[key]:
                for value in [one[key], *between(one[key], other[key])]:
                    yield {**other, key: value}
    elif kind is tuple and one[:2] == other[:2] and one[1] == "obj" and one[3:5] == other[3:5]:
        for fields in _parts_between(one[6], other[6]):
            yield (*other[:6], fields)
    elif kind is tuple and one[:2] == other[:2] and one[1] == "nt" and one[2:5] == other[2:5]:
        for values in _parts_between(one[5], other[5]):
            yield (*other[:5], values)


def apart(one: object, other: object) -> "tuple[int, float]":
    """Tells how far two values are apart: how many parts of them differ, and by how much."""
    found = list(leaves(one, other))
    return len(found), sum(_away(a, b) for _, a, b in found)


def leaves(one: object, other: object, place: str = "") -> "Iterator[tuple[str, object, object]]":
    """Gives the smallest parts in which two values differ."""
    one, other = bare(one), bare(other)
    if one == other and type(one) is type(other) and (type(one) is not dict or list(one) == list(other)):
        return
    kind = type(one)
    if kind is type(other):
        if kind in (list, tuple) and one[:1] != (TAG,) and other[:1] != (TAG,) and len(one) == len(other):
            for at, (a, b) in enumerate(zip(one, other)):
                yield from leaves(a, b, f"{place}[{at}]")
            return
        if kind is dict and list(one) == list(other):
            for key in one:
                yield from leaves(one[key], other[key], f"{place}[{key!r}]")
            return
        if kind is tuple and one[:2] == other[:2] and one[1] == "obj" and one[3:5] == other[3:5]:
            for name in one[6].keys() | other[6].keys():
                yield from leaves(one[6].get(name), other[6].get(name), f"{place}.{name}")
            return
        if kind is tuple and one[:2] == other[:2] and one[1] == "nt" and one[2:5] == other[2:5]:
            for name, a, b in zip(one[4], one[5], other[5]):
                yield from leaves(a, b, f"{place}.{name}")
            return
    yield place, one, other


def _away(one: object, other: object) -> float:
    if type(one) in (int, float) and type(other) in (int, float):
        away = abs(one - other)
        return float(away) if away == away else 1.0
    if type(one) is tuple and type(other) is tuple and one[:2] == other[:2] == (TAG, "new"):
        first, last = _clock(one), _clock(other)
        if first is not None and type(first) is type(last):
            return abs(last - first) / datetime.timedelta(days=1)
    if type(one) in (str, bytes, list, dict, set, frozenset) and type(other) is type(one):
        return 1.0 + abs(len(one) - len(other))
    return 10.0


def is_tagged(tree: object) -> bool:
    """Tells whether a tree stands for something that marshal has no form for."""
    return type(tree) is tuple and tree[:1] == (TAG,)


def distance(one: object, other: object) -> "tuple[str, str]":
    """Says how far two values are apart, as (code, amount): `number 1`, `time 1 day`, `longer 2`, `shorter 1`, `empty`, `other`."""
    if type(one) in (int, float) and type(other) in (int, float) and bool not in (type(one), type(other)):
        return "number", f"{abs(other - one):g}" if type(one) is float else str(abs(other - one))
    if type(one) is tuple and type(other) is tuple and one[:2] == other[:2] == (TAG, "new"):
        if (one[2:4], other[2:4]) == (("decimal", "Decimal"),) * 2:
            try:
                return "number", str(abs(decimal.Decimal(other[4][0]) - decimal.Decimal(one[4][0])))
            except decimal.DecimalException:
                return "other", ""
        first, last = _clock(one), _clock(other)
        if first is not None and type(first) is type(last):
            return "time", _span(abs(last - first))
    if type(one) in (str, bytes, list, tuple, dict, set, frozenset) and type(other) is type(one) and not is_tagged(one):
        if not other:
            return "empty", ""
        if len(other) > len(one):
            return "longer", str(len(other) - len(one))
        if len(other) < len(one):
            return "shorter", str(len(one) - len(other))
    return "other", ""


def _span(span: datetime.timedelta) -> str:
    words = []
    hours, seconds = divmod(span.seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    for count, unit in ((span.days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second"), (span.microseconds, "microsecond")):
        if count:
            words.append(f"{count} {unit}" + ("s" if count != 1 else ""))
    return " ".join(words[:2])
