"""Starts the server: `python -m pytead_tui.worker`."""

import sys

# What every program finds imported at its start; all else that is imported here could hide a module of the project.
STARTUP = frozenset(sys.modules)

import os  # noqa: E402


def main() -> int:
    """Keeps the two protocol descriptors away from 0 and 1, then serves until the other side hangs up."""
    scratch = os.environ.get("PYTEAD_SCRATCH", "")
    # Before 3.11 the working folder, which is the scratch folder, comes first.
    sys.path[:] = [p for p in sys.path if p and os.path.realpath(p) != os.path.realpath(scratch or os.getcwd())]
    sys.dont_write_bytecode = True
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)

    from pytead_tui.compat import finder
    from pytead_tui.recorder import databases
    from pytead_tui.worker.server import Server

    databases.listen()
    finder.install()  # the recorded program had it, too
    return Server(incoming, outgoing, STARTUP, os.environ.get("PYTEAD_LEVEL", ""), scratch, _layer).serve()


def _layer(*about: object) -> object:
    # Imported where the first one is made: no answer waits for it.
    from pytead_tui.worker.layer import Layer

    return Layer(*about)


if __name__ == "__main__":
    sys.exit(main())
