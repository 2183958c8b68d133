"""Finds the name under which a function that another one made is called: `__gt__ = comparer(operator.gt)`, or what a
decorator put around a definition.

Its code says only where it was made, and all that one maker makes share it; what tells them apart is what they closed
over. Looked for in the class of the first argument, in the factory's module and in the caller's, through namespaces alone.
"""

from pytead_tui.recorder import kinds
from pytead_tui.recorder.objects import dict_of, mro_of, names_of
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.plans import isinstance_type


def binding(module: str, frame: object, code: object, held: tuple, callers: "str | None") -> "str | None":
    """Gives `module:qualname` of the function that runs in a frame; None when no name leads to it. `callers` is the module
    that calls, where tests may import from it.
    """
    if held and code.co_argcount and not isinstance_type(held[0]):
        for cls in mro_of(type(held[0])):
            name = _name_in(dict_of(cls), frame, code, names_of(cls)[1] + ".")
            if name is not None:
                return names_of(cls)[0] + ":" + name
    for home in (module, callers):
        space = sys.modules.get(home)
        if type(space) is kinds.Module:
            name = _name_in(space.__dict__, frame, code, "")
            if name is not None:
                return home + ":" + name
    return None


def _name_in(space: dict, frame: object, code: object, prefix: str) -> "str | None":
    for name, value in list(space.items()):
        if type(value) is kinds.Function and value.__code__ is code and type(name) is str and _runs_in(value, frame):
            return prefix + name
    return None


def _runs_in(function: object, frame: object) -> bool:
    """Whether a function closed over the very values that a frame sees."""
    names = function.__code__.co_freevars
    if not names:
        return True
    seen = frame.f_locals
    held = [seen.get(name, seen) for name in names]
    if type(seen) is dict:
        seen.clear()  # it hangs on the frame, and would keep the arguments alive
    return all(value is _content(cell) for value, cell in zip(held, function.__closure__))


def _content(cell: object) -> object:
    """Gives what a cell holds; the cell itself where that is nothing yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return cell
