"""Finds the functions that another one made, where modules and classes keep them: `__gt__ = comparer(operator.gt)`; else in the
code of the one that makes them anew each time: a view that `create_app()` registers.

All that one factory makes share their code; lookup.py finds the one that a call was made to by its name.
"""

import gc
from collections.abc import Iterable
from types import CellType, CodeType, FunctionType

from pytead_tui.recorder import kinds
from pytead_tui.worker import lookup, mutants
from pytead_tui.worker.lookup import Broken


class Inner(mutants.Own):
    """A function that no module and no class keeps. What is put into it is put into the code of the one that makes it, and is in all that it
    makes from then on."""

    def __init__(self, outer: FunctionType, codes: "list[CodeType]", qualname: str) -> None:
        # Of the same code, and never called.
        code = codes[-1]
        cells = tuple([CellType() for _ in code.co_freevars])
        alike = FunctionType(code, outer.__globals__, code.co_name, None, cells)
        alike.__qualname__ = qualname
        super().__init__(alike)
        self.outer = outer
        self.codes = codes
        self.there = [mutants.Own(function) for function in _living(code)]

    def put(self, code: CodeType, default: "mutants.Edit | None" = None) -> None:
        """Has what is made from now on run this code, and what is there already, in an object that nobody looks into."""
        for own in self.there:
            own.put(code)
        if code is not self.code:
            for old, around in zip(self.codes[:0:-1], self.codes[-2::-1]):
                code = around.replace(co_consts=tuple([code if const is old else const for const in around.co_consts]))
            self.outer.__code__ = code
        else:
            self.outer.__code__ = self.codes[0]


def find(module: object, qualname: str, modules: "Iterable[object]") -> "list[FunctionType]":
    """Gives what these modules keep of what a function makes, named as its code is: `comparer.<locals>.method`."""
    code = _codes(module, qualname)[1][-1]
    found = [value for space in _spaces(modules) for value in space if type(value) is kinds.Function]
    made = [value for value in found if value.__code__ is code]
    if not made:
        name = qualname.partition(".<locals>.")[0]
        raise Broken(f"no name leads to what {name} makes any more", "removed", qualname, module.__name__)
    return made


def within(module: object, qualname: str) -> Inner:
    """Gives a function as it is in the code of the one that makes it."""
    outer, codes = _codes(module, qualname)
    return Inner(outer, codes, qualname)


def _living(code: CodeType) -> "list[FunctionType]":
    """Lists the functions in this process that run a code."""
    gc.unfreeze()
    found = [held for held in gc.get_objects() if type(held) is kinds.Function and held.__code__ is code]
    gc.freeze()
    return found


def _codes(module: object, qualname: str) -> "tuple[FunctionType, list[CodeType]]":
    """Gives the outermost function around one, and the code of each from there to it."""
    name, _, inner = qualname.partition(".<locals>.")
    outer = lookup.find(module, name)
    codes = [outer.__code__]
    for name in inner.replace("<locals>.", "").split("."):
        code = next((one for one in codes[-1].co_consts if type(one) is kinds.Code and one.co_name == name), None)
        if code is None:
            raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)
        codes.append(code)
    return outer, codes


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
