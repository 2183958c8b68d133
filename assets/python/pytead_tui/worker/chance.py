"""Chance that is the same in each run: what a call or a test draws does not make it end differently."""

import os
import random
import sys

_real = os.urandom
_held: "random.Random | None" = None


def seed(number: int) -> None:
    """Begins the generators of Python and of numpy anew."""
    random.seed(number)
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(number)


def hold() -> None:
    """Has the system's random bytes come from a generator that begins anew now: those of `secrets`, `uuid4` and salts."""
    global _held
    _held = random.Random(0)
    os.urandom = random._urandom = _urandom


def _urandom(size: int, /) -> bytes:
    return _real(size) if size <= 0 else _held.randbytes(size)
