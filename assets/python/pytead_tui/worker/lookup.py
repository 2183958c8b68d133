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


def find(
    module: object, qualname: str, count: "int | None" = None, as_kept: bool = False, line: "int | None" = None
) -> object:
    """Gives the very function that a definition makes, without its decorators, unless it is wanted as it is kept; `count`
    tells a getter from a setter, `line` an implementation that is registered from others of its name."""
    if line is not None:
        return _registered(module, qualname, line)
    held, _ = held_by(module, qualname)
    if isinstance(held, property):
        held = held.fset if count == 2 and held.fset is not None else held.fget
    found = held if as_kept else _undecorated(held, qualname.rpartition(".")[2])
    if type(found) is not kinds.Function:
        raise Broken(f"{qualname} is no function any more", "removed", qualname, module.__name__)
    return found


def held_by(module: object, qualname: str) -> tuple:
    """Gives what a name of a module or class leads to, as it is kept, and the module or class that was asked."""
    home_name, _, name = qualname.rpartition(".")
    home = module
    for part in home_name.split(".") if home_name else ():
        home = getattr(home, part, None)
        if home is None:
            raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)
    if isinstance(home, type):
        name = mangled(home_name, name)
        held = next((base.__dict__[name] for base in home.__mro__ if name in base.__dict__), None)
    else:
        held = home.__dict__.get(name)
    if held is None:
        raise Broken(f"there is no {qualname} in {module.__name__} any more", "removed", qualname, module.__name__)
    return held, home


def mangled(home: str, name: str) -> str:
    """Gives the name under which a class keeps a private name of its own."""
    is_private = name.startswith("__") and not name.endswith("__")
    return "_" + home.rpartition(".")[2].lstrip("_") + name if is_private and home else name


def find_callee(module: object, place: dict, count: "int | None" = None) -> object:
    """Gives the function that a call, or a fault, is asked for."""
    return find(module, place["qualname"], count, place.get("as_kept", False), place.get("line"))


def _registered(module: object, qualname: str, line: int) -> object:
    """Finds an implementation by the line where its definition begins, among those that are registered with a function of
    its module or class."""
    home, _ = held_by(module, qualname.rpartition(".")[0]) if "." in qualname else (module, None)
    for held in list(vars(home).values()):
        held = getattr(held, "dispatcher", held)  # of a method
        registry = getattr(held, "registry", None) if callable(held) else None
        for found in list(registry.values()) if hasattr(registry, "values") else ():
            found = getattr(found, "__func__", found)
            if type(found) is kinds.Function and found.__code__.co_firstlineno == line:
                return found
    raise Broken(f"there is no {qualname} registered in {module.__name__} any more", "removed", qualname, module.__name__)


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
        # Other descriptors, and commands of click, keep it under a name of their own; as one that looks like it, too.
        own = getattr(candidate, "__dict__", None)
        for value in own.values() if type(own) is dict else ():
            if type(value) is kinds.Function and name in (value.__code__.co_name, value.__name__):
                pending.append(value)
    return outermost
