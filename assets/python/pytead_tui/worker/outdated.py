"""Tells whether a call failed because its objects are of an earlier version of their class.

Objects are made with the attributes that were recorded, without `__init__`. Where an edit renamed an attribute, today's methods
ask for one that only today's `__init__` would set: that says nothing about what they do.
"""

import dis
from types import FunctionType

from pytead_tui.worker.lookup import Broken

_CONSTRUCTORS = ("__init__", "__new__", "__post_init__", "__attrs_post_init__")


def check(error: BaseException) -> None:
    """Raises Broken where an attribute is missing that the constructor of an object sets today."""
    if type(error) is not AttributeError or type(error.name) is not str or error.obj is None:
        return
    cls = type(error.obj)
    made = [
        held.__code__
        for base in cls.__mro__
        for held in (base.__dict__.get(name) for name in _CONSTRUCTORS)
        if type(held) is FunctionType
    ]
    if error.name not in _fields(cls) and not any(error.name in _stored(code) for code in made):
        return
    # One that is being made says what its constructor does.
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code in made:
            return
        step = step.tb_next
    raise Broken(f"{cls.__qualname__} sets other attributes now", "class-changed", cls.__qualname__)


def _stored(code: object) -> set:
    return {one.argval for one in dis.get_instructions(code) if one.opname == "STORE_ATTR"}


def _fields(cls: type) -> set:
    """Lists what the made constructor of a dataclass or a class of attrs sets."""
    found = set(getattr(cls, "__dataclass_fields__", ()))
    return found | {one.name for one in getattr(cls, "__attrs_attrs__", ())}
