"""How numpy's arrays and scalars are written: the exact classes of numpy alone, by what is written in C.

Owns numpy; pandas is in frames.py. Nothing is imported: numpy is there because the program imported it.
"""

from pytead_tui.recorder import kinds, redact
from pytead_tui.recorder.objects import derives, from_module, names_of
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.values import TAG, rest

LITERAL = 1000  # elements of an array that is written element by element
SHORT = 64  # elements from which on it is looked for a rule that makes them
REGULAR = 100_000  # elements up to which it is looked for one
# What an array costs besides, in nodes (budget.py): this power of two of elements that are compared, or written, is one.
WHOLE, WRITTEN = 8, 5

# By numpy's own letters: truth values, whole numbers, floats, complex numbers, texts, bytes, dates, lengths of time.
# What is not here has no exact form in Python: objects, records, long doubles.
_TYPES = frozenset("?bhilqBHILQefdFDUSMm")


def new(module: str, name: str, args: tuple, kwargs: "dict | None" = None) -> tuple:
    """Gives the tree of what a call returns."""
    return (TAG, "new", module, name, args, kwargs or {})


def refused(name: str, why: str, v: object) -> tuple:
    """Gives the tree of a value that has no form, with the reason."""
    return (TAG, "cut", name, None, why, "", rest(v))


def handler(cls: type, name: str, mro: tuple) -> object:
    """Gives the handler of a type of numpy, or None."""
    if name == "ndarray" and from_module(cls, "numpy", "ndarray"):
        return _ndarray
    if any(names_of(base) == ("numpy", "generic") for base in mro):
        return _scalar
    return None


def _ndarray(w, v, d):
    known = w.opened(v)
    return w.closed(v, _array(w, v, d)) if known is None else known


def _array(w, v, d):
    made = _content(w, v, d)
    flags = v.flags
    # In which order sums are taken, and what `ravel("K")` gives, follows from how the numbers lie.
    if flags.f_contiguous and not flags.c_contiguous and made[1] != "cut":
        return new("numpy", "asfortranarray", (made,))
    return made


def _content(w, v, d):
    dtype = v.dtype
    if dtype.char not in _TYPES:
        return refused("ndarray", "holds Python objects" if dtype.hasobject else "has no plain dtype", v)
    kind, size = dtype.str, v.size
    if SHORT < size <= REGULAR and w.fits(1) and (w.masking is None or w.masking in redact.LOOSE) and dtype.kind in "biufc":
        rule = _rule(w, v, kind)
        if rule is not None:
            return rule
    if size > LITERAL or not w.fits(size):
        return (TAG, "cut", "ndarray", size, kind, str(tuple(v.shape)), rest(v))
    items = w.items(elements(v), d)
    w.nodes -= size >> WRITTEN
    return (TAG, "ndarray", kind, tuple(v.shape), items)


def elements(v: object) -> list:
    """Gives an array's elements as Python's own values; dates are texts, lengths of time count."""
    kind = v.dtype.kind
    flat = v.ravel()
    if kind == "M":
        return shortened(flat.astype("U").tolist())
    if kind == "m":
        counts = flat.astype("i8").tolist()
        return ["NaT" if n == _NAT else n for n in counts] if _NAT in counts else counts
    return flat.tolist()


_NAT = -(1 << 63)


def shortened(texts: list) -> list:
    """Leaves out of dates what is nothing in all of them: the fraction, the seconds, the time of day."""
    known = [text for text in texts if text != "NaT"]
    if not known or "T" not in known[0] or len(known[0]) < 19:
        return texts
    digits = known[0].partition(".")[2]
    fraction = "." + "0" * len(digits) if digits else ""
    for tail in ("T00:00:00" + fraction, ":00" + fraction, fraction, "0" * 6, "0" * 3):
        if tail and (tail[0] != "0" or len(digits) > len(tail)) and all(text.endswith(tail) for text in known):
            return [text if text == "NaT" else text[: -len(tail)] for text in texts]
    return texts


def _rule(w, v, kind):
    """Gives the call that makes the very same numbers, where there is one: all alike, or evenly spaced."""
    numpy = sys.modules.get("numpy")
    if type(numpy) is not kinds.Module:
        return None
    flat = v.ravel()
    size, one, shape = v.size, flat[:1].tobytes(), tuple(v.shape)
    if flat[-1:].tobytes() == one == flat[size // 2 : size // 2 + 1].tobytes():
        if flat.tobytes() != one * size:
            return None
        w.nodes -= size >> WHOLE
        value, shape = flat[0].item(), shape[0] if len(shape) == 1 else shape
        for name, number in (("zeros", 0), ("ones", 1)):
            if value == number and flat[:1].tobytes() == getattr(numpy, name)(1, kind).tobytes():
                return new("numpy", name, (shape,), {"dtype": kind})
        return new("numpy", "full", (shape, value), {"dtype": kind})
    if v.dtype.kind not in "iuf":
        return None
    first, second, last = flat[0].item(), flat[1].item(), flat[-1].item()
    step = second - first
    even = abs(last - first - step * (size - 1)) <= abs(step) / 2  # also not where one is no number
    if not even or not step:
        return None
    w.nodes -= size >> WHOLE
    found = None
    for name, args in _spacings(first, step, last, size):
        try:
            made = getattr(numpy, name)(*args, dtype=kind)
        except (OverflowError, TypeError, ValueError):
            continue
        if made.size == size and made.tobytes() == flat.tobytes():
            found = new("numpy", name, args, {"dtype": kind})
            break
    if found is None or len(shape) == 1:
        return found
    return new("numpy", "reshape", (found, shape))


def _spacings(first, step, last, size):
    if type(first) is int:
        return [("arange", (first, first + step * size, step))]
    spaced = [("linspace", (first, last, size)), ("arange", (first, first + step * size, step))]
    return spaced[::-1] if first.is_integer() and step.is_integer() else spaced


def _scalar(w, v, d):
    name = names_of(type(v))[1]
    if v.dtype.kind == "M":
        return new("numpy", "datetime64", _of_time(v, str(v)))
    if v.dtype.kind == "m":
        return new("numpy", "timedelta64", _of_time(v, v.astype("i8").item()))
    held = v.item()
    if not derives((int, float, complex, bool, str, bytes), type(held)):
        return w.opaque(v)
    # Its name since numpy 2 is that of the builtin.
    return new("numpy", "bool_" if name == "bool" else name, (w.value(held, d + 1),))


def _of_time(v, held):
    """Gives the arguments of a date or a length of time; a date's text tells its unit."""
    missing = held == "NaT" or held == _NAT
    unit = v.dtype.str.partition("[")[2].rstrip("]")
    if type(held) is str and not missing:
        return (held,)
    return ("NaT" if missing else held, unit) if unit else ("NaT" if missing else held,)
