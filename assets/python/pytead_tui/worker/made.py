"""Finds the functions that another one made, where modules and classes keep them: `__gt__ = comparer(operator.gt)`.

All that one factory makes share their code; lookup.py finds the one that a call was made to by its name.
"""

from collections.abc import Iterable
from types import FunctionType

from pytead_tui.recorder import kinds
from pytead_tui.worker import lookup
from pytead_tui.worker.lookup import Broken


def find(module: object, qualname: str, modules: "Iterable[object]") -> "list[FunctionType]":
    """Gives what these modules keep of what a function makes, named as its code is: `comparer.<locals>.method`."""
    outer, _, inner = qualname.partition(".<locals>.")
    code = lookup.find(module, outer).__code__
    for name in inner.replace("<locals>.", "").split("."):
        code = next((one for one in code.co_consts if type(one) is kinds.Code and one.co_name == name), None)
        if code is None:
            raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)
    found = [value for space in _spaces(modules) for value in space if type(value) is kinds.Function]
    made = [value for value in found if value.__code__ is code]
    if not made:
        raise Broken(f"no name leads to what {outer} makes any more", "removed", qualname, module.__name__)
    return made


def _spaces(modules: "Iterable[object]") -> "list[list]":
    """Gives the values of the namespaces of modules, and of the classes in them."""
    spaces = [list(vars(module).values()) for module in modules]
    seen: set = set()
    for space in spaces:  # which grows meanwhile
        for value in space:
            if isinstance(value, type) and id(value) not in seen:
                seen.add(id(value))
                spaces.append(list(vars(value).values()))
    return spaces
