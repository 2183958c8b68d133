"""Finds modules of the project that the program took from somewhere else: of an installed copy nothing is recorded."""

from pytead_tui.recorder.own import __builtins__, os, sys

MOST_SHOWN = 8
_Module = type(sys)
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_TESTS = ("test", "conftest", "setup")  # every project has its own, and some install theirs by mistake


def elsewhere(project: object) -> list:
    """Lists the project's top-level modules that were imported from other places: (name, where it is here, where it was
    found). Runs no code of theirs.
    """
    found: dict = {}
    for home in (project.root, os.path.join(project.root, "src")):
        try:
            entries = sorted(os.listdir(home))
        except OSError:
            continue
        for entry in entries:
            name, kind = os.path.splitext(entry)
            file = _file_of(name)
            if file is None or name in found or project.file(file) is not None or name.startswith(_TESTS):
                continue
            path = os.path.join(home, entry)
            if kind == ".py" or os.path.isfile(os.path.join(path, "__init__.py")):
                found[name] = (name, os.path.relpath(path, project.root), _home(file))
    return list(found.values())[:MOST_SHOWN]


def _file_of(name: str) -> "str | None":
    """Gives the file of an imported module, unless it has none or is one of the standard library."""
    module = sys.modules.get(name)
    file = module.__dict__.get("__file__") if type(module) is _Module else None
    if type(file) is not str or file.startswith(_STANDARD) and "site-packages" not in file:
        return None
    return file


def _home(file: str) -> str:
    """Gives the folder that a module's file, or its package, was found in."""
    folder, name = os.path.split(os.path.abspath(file))
    return os.path.dirname(folder) if name.startswith("__init__.") else folder
