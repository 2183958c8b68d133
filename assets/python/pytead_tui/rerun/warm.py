"""What a session does first, and can do before anybody asks for its tests: import what it will need that is not the project's."""

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

failed: "list[str]" = []  # could not be imported, or started a thread


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
    """Imports modules, those that are found where they were. Private ones come last, for their own packages import them: with
    `_asyncio` before `asyncio`, there are two lists of running tasks, and `asyncio.current_task()` finds none."""
    for name, file in sorted(modules.items(), key=lambda one: any(part.startswith("_") for part in one[0].split("."))):
        if name in sys.modules:
            continue
        before = threads()
        try:
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin == file:
                importlib.import_module(name)
        except BaseException:  # it wants a setting first
            failed.append(name)
        if threads() > before:
            failed.append(name)


def fits(path: "list[str]", project: str) -> bool:
    """Tells whether a session with this search path can go on from here: all was imported, and it would find the same modules."""
    names = {name.partition(".")[0] for name, module in list(sys.modules.items()) if getattr(module, "__file__", None)}
    return not failed and not names & hidden(path, project)


def hidden(path: "list[str]", project: str) -> "set[str]":
    """Names the modules that lie in folders of the project from which a session imports: they hide others of these names."""
    root, names = os.path.realpath(project), set()
    for folder in path:
        if is_of(root, os.path.join(os.path.realpath(folder), "module.py")):
            with contextlib.suppress(OSError):
                names.update(_modules_in(folder))
    return names


def _modules_in(folder: str) -> "set[str]":
    found = set()
    for entry in os.listdir(folder):
        if entry.endswith((".py", ".so")) or os.path.isfile(os.path.join(folder, entry, "__init__.py")):
            found.add(entry.partition(".")[0])
    return found


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
