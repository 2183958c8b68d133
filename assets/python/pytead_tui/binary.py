"""Finds the program `pytead-tui`, and becomes it: for `python -m pytead_tui`, the old commands, and pytest's plugin."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig

INSTALL = "Install it with: pip install pytead-tui, or name its file in PYTEAD_TUI."


class Missing(Exception):
    """There is no such program here."""


def find() -> str:
    """Gives the path of the program: what PYTEAD_TUI names, beside the interpreter, on the PATH."""
    named = os.environ.get("PYTEAD_TUI")
    if named:
        if os.access(named, os.X_OK) and os.path.isfile(named):
            return named
        raise Missing("PYTEAD_TUI names no program: %s. %s" % (named, INSTALL))
    for folder in _beside():
        path = os.path.join(folder, "pytead-tui")
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    found = shutil.which("pytead-tui")
    if found is None:
        raise Missing("There is no program pytead-tui here. " + INSTALL)
    return found


def _beside() -> "list[str]":
    """Lists where an installation puts programs: of this environment, of `pip install --user` and of `--target`."""
    target = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return [
        os.path.dirname(sys.executable or ""),
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")),
        os.path.join(target, "bin"),
    ]


def become(name: str) -> "int | None":
    """Puts the program in this process's place, under a name it knows itself by, with the words that were typed."""
    try:
        program = find()
        os.execv(program, [name, *sys.argv[1:]])
    except (Missing, OSError) as error:
        from pytead_tui import shown

        sys.stderr.write("%s: %s\n" % (name, shown.display(str(error))))
    return 3
