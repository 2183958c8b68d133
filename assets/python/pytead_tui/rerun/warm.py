"""What a session can do before anybody asks for its tests: import what it will need that is not the project's."""

import contextlib
import importlib
import importlib.util
import json
import os
import shutil
import sys

from pytead_tui.worker.modules import is_of
from pytead_tui.worker.processes import threads

MOST = 5000  # modules


def loaded(project: str) -> "dict[str, str]":
    """Lists modules of this process that do not belong to the project and can be imported before it: their files, by name."""
    root, found = os.path.realpath(project), {}
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        file = getattr(spec, "origin", None)
        if name.partition(".")[0] in ("pytead_tui", "__main__") or getattr(spec, "name", None) != name:
            continue
        if not isinstance(file, str) or not getattr(spec, "has_location", False) or is_of(root, file):
            continue
        # pytest rewrites some plugins while it imports them, and warns of those that were imported before.
        if type(spec.loader).__module__.startswith("_pytest.") or len(found) == MOST:
            continue
        found[name] = file
    return found


def up(modules: "dict[str, str]") -> None:
    """Imports modules, those that are found where they were."""
    for name, file in modules.items():
        if name not in sys.modules:
            # Some want a setting first, and are imported when it is there.
            with contextlib.suppress(BaseException):
                spec = importlib.util.find_spec(name)
                if spec is not None and spec.origin == file:
                    importlib.import_module(name)


def fits(path: "list[str]", project: str) -> bool:
    """Tells whether a session with this search path can go on from here: no thread runs, and it would find the same modules."""
    if threads() > 1:
        return False
    root = os.path.realpath(project)
    own = [folder for folder in path if is_of(root, os.path.join(os.path.realpath(folder), "module.py"))]
    names = {name.partition(".")[0] for name, module in list(sys.modules.items()) if getattr(module, "__file__", None)}
    names -= {"pytead_tui", "__main__", "__mp_main__"}
    return not any(_has(folder, names) for folder in own)


def _has(folder: str, names: "set[str]") -> bool:
    try:
        found = os.listdir(folder)
    except OSError:
        return False
    for entry in found:
        if entry.partition(".")[0] in names and (
            entry.endswith((".py", ".so")) or os.path.isfile(os.path.join(folder, entry, "__init__.py"))
        ):
            return True
    return False


def lay(put: "str | None", gone: "list[str]", project: str) -> None:
    """Brings the private copy of the project up to date: takes files out of it, and puts others in."""
    for name in gone:
        _clear(os.path.join(project, name))
    for folder, _, files in os.walk(put) if put else ():
        for name in files:
            source = os.path.join(folder, name)
            place = os.path.join(project, os.path.relpath(source, put))
            _clear(place)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy2(source, place, follow_symlinks=False)


def _clear(place: str) -> None:
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(place)


def read(file: str) -> "dict[str, str]":
    """Reads the modules to import: their files, by name."""
    with open(file, encoding="utf-8") as stream:
        return dict(json.load(stream))
