"""Finds the function that a recorded name means in the code of today."""

import inspect

from pytead_tui.recorder import kinds
from pytead_tui.worker.frames import broken


class Broken(Exception):
    """A value or a call that cannot be made again, with the reason for people. A reason with a code of `reason/code.rs` has
    what its message names, too.

    `failure` says more of a module that cannot be imported: the file and line of the project that raised, and what."""

    failure: "dict | None" = None

    def __init__(self, why: str, code: "str | None" = None, name: "str | None" = None, detail: object = None):
        super().__init__(why)
        self.code = code
        self.name = name
        self.detail = detail

    def reply(self) -> dict:
        """Gives what is answered in place of an outcome."""
        said = broken(str(self), self.code, self.name, self.detail)
        return said if self.failure is None else {**said, "import_failure": self.failure}


def find(module: object, qualname: str, count: "int | None" = None, as_kept: bool = False) -> object:
    """Gives the very function that a definition makes, without its decorators, unless it is wanted as it is kept; `count`
    tells a getter from a setter."""
    *homes, name = qualname.split(".")
    home = module
    for part in homes:
        home = getattr(home, part, None)
        if home is None:
            raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)
    if isinstance(home, type):
        if name.startswith("__") and not name.endswith("__"):
            name = "_" + homes[-1].lstrip("_") + name
        held = next((base.__dict__[name] for base in home.__mro__ if name in base.__dict__), None)
    else:
        held = home.__dict__.get(name)
    if held is None:
        raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)
    if isinstance(held, property):
        held = held.fset if count == 2 and held.fset is not None else held.fget
    found = held if as_kept else _undecorated(held, qualname.rpartition(".")[2])
    if type(found) is not kinds.Function:
        raise Broken(f"{qualname} is no function any more", "removed", qualname, module.__name__)
    return found


def find_callee(module: object, place: dict, count: "int | None" = None) -> object:
    """Gives the function that a call, or a fault, is asked for."""
    return find(module, place["qualname"], count, place.get("as_kept", False))


def _undecorated(held: object, name: str) -> object:
    """Looks for the function behind its decorators; else for the outermost one."""
    outermost = None
    pending, seen = [held], set()
    while pending and len(seen) < 50:
        candidate = pending.pop(0)
        if candidate is None or id(candidate) in seen:
            continue
        seen.add(id(candidate))
        if type(candidate) is kinds.Function:
            outermost = outermost or candidate
            if candidate.__code__.co_name == name:
                return candidate
            for cell in candidate.__closure__ or ():
                try:
                    if callable(cell.cell_contents):
                        pending.append(cell.cell_contents)
                except ValueError:
                    pass
        for way in ("__wrapped__", "__func__", "func", "fget"):
            try:
                pending.append(inspect.getattr_static(candidate, way))
            except AttributeError:
                continue
            # A slot's descriptor or a property stands there for the value.
            pending[-1] = getattr(candidate, way, None)
        # Other descriptors keep it under a name of their own.
        own = getattr(candidate, "__dict__", None)
        for value in own.values() if type(own) is dict else ():
            if type(value) is kinds.Function and value.__code__.co_name == name:
                pending.append(value)
    return outermost
