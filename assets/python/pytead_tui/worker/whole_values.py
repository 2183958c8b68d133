"""Hashes values that are too large to be told, so that two runs of a call are compared by all of them."""

import hashlib
import marshal
from itertools import chain

from pytead_tui.recorder import frames, values
from pytead_tui.recorder.objects import Objects, names_of

_PLAIN = frozenset({int, float, complex, str, bytes, bool, type(None)})
_CONTAINERS = frozenset({list, tuple, dict})
_SECRET = marshal.dumps("secret", 2) + b"u"  # behind it the length of its kind, its kind, and its number
_NESTED = 4  # containers, one in the other
_ITEMS = 5_000_000  # beyond that nobody would wait
# Of objects so much is walked: about a tenth of a second for one of them. A record, and a process, has many that hold one another.
_OF_ONE, _OF_RECORD, _OF_PROCESS = 50_000, 100_000, 300_000
_LIMITS = values.Limits(_OF_ONE, 16 << 20, 1 << 20, 100, _OF_ONE)


class _Digest:
    """Hashes values, as long as there is time for it."""

    def __init__(self) -> None:
        self.of_record, self.of_process = _OF_RECORD, _OF_PROCESS  # nodes that are left

    def begin(self) -> None:
        """Begins another record."""
        self.of_record = _OF_RECORD

    def __call__(self, value: object) -> str:
        """Gives a hash of all of a value, or of the part of it that can be walked in time; none where it has no form at all, and where
        too much was walked before."""
        values.whole.remove(self)
        try:
            data = _bytes(value)
        except (AttributeError, MemoryError, RecursionError, RuntimeError, TypeError, ValueError):
            return ""
        finally:
            values.whole.append(self)
        return hashlib.blake2b(data, digest_size=8).hexdigest()

    def walked(self, value: object) -> bytes:
        """Gives the bytes of what is made of objects. Raises ValueError where there is no time left."""
        # Of less than all that may be walked of one, another run could walk another part.
        if min(self.of_record, self.of_process) < _OF_ONE:
            raise ValueError("too much was walked")
        objects = Objects()
        try:
            trees, walk = values.capture(objects, _LIMITS, (value,))
        finally:
            spent = objects.walked or _OF_ONE  # what ended in an error was walked, too
            self.of_record -= spent
            self.of_process -= spent
        return _with_own_numbers(values.normal(marshal.dumps(trees[0], 2), walk.marks))


digest = _Digest()


def _with_own_numbers(data: bytes) -> bytes:
    """Numbers the placeholders of secrets in their order in this value: a process numbers all that it meets."""
    numbers: dict = {}
    parts = data.split(_SECRET)
    for at, part in enumerate(parts[1:], 1):
        word = 4 + int.from_bytes(part[:4], "little")
        after = word + 5
        if part[word : word + 1] == b"i" and len(part) >= after:
            number = numbers.setdefault(part[word + 1 : after], len(numbers))
            parts[at] = part[: word + 1] + number.to_bytes(4, "little") + part[after:]
    return _SECRET.join(parts)


def _bytes(value: object) -> bytes:
    if type(value) in (set, frozenset) and len(value) <= _ITEMS and _is_plain(value):
        return b"".join(sorted(marshal.dumps(item, 2) for item in value))
    if type(value) is str:
        return values.digest(value).encode()
    if _is_plain((value,)):
        return marshal.dumps(value, 2)
    module, name = names_of(type(value))
    if (module, name) == ("numpy", "ndarray"):
        return _array(value)
    if name in ("DataFrame", "Series") and frames.is_of_pandas(type(value)):
        return _frame(value, name)
    return digest.walked(value)


def _is_plain(items: object) -> bool:
    """Whether these are values of Python's own, and containers of them: what `marshal` writes, and always alike."""
    for _ in range(_NESTED):
        if len(items) > _ITEMS:
            return False
        types = set(map(type, items))
        if types <= _PLAIN:
            return True
        if not types <= _PLAIN | _CONTAINERS:
            return False
        held = [item for item in items if type(item) in _CONTAINERS]
        items = list(chain.from_iterable(chain(item, item.values()) if type(item) is dict else item for item in held))
    return False


def _array(value: object) -> bytes:
    kind = value.dtype
    if not kind.hasobject:
        return repr((str(kind), value.shape)).encode() + value.tobytes()
    items = value.ravel().tolist()
    return repr(value.shape).encode() + _bytes(items)


def _frame(value: object, name: str) -> bytes:
    manager = value._mgr
    parts = []
    for axis in manager.axes:
        parts.append(repr((names_of(type(axis))[1], str(getattr(axis, "dtype", "")), list(axis.names))).encode())
        parts.append(_bytes(axis.tolist()))
    for block in manager.blocks:
        parts.append(str(block.dtype).encode() + repr(block._mgr_locs.as_array.tolist() if name == "DataFrame" else 0).encode())
        held = block.values
        parts.append(_array(held) if names_of(type(held)) == ("numpy", "ndarray") else _bytes(held.tolist()))
    return b"\0".join(parts)
