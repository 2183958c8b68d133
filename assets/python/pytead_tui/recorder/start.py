"""Reads the environment of docs/spool.md and puts the recorder in place."""

import atexit
import os
import sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def start() -> None:
    """Starts the recorder of this process. Does nothing when the spool folder cannot be written."""
    env = os.environ.get
    folder, root = env("PYTEAD_SPOOL", ""), env("PYTEAD_ROOT", "")
    if not folder or not root or not os.path.isdir(folder):
        return
    # All of it now: later, a file of the program could take a module's place.
    from pytead_tui.recorder import known, redact  # noqa: F401
    from pytead_tui.recorder.project import Project
    from pytead_tui.recorder.spool import Spools
    from pytead_tui.recorder.state import Recorder

    redact.configure(env("PYTEAD_REDACT", ""))
    mode = env("PYTEAD_MODE", "calls")
    limit = env("PYTEAD_LIMIT", "")
    project = Project(root, env("PYTEAD_EXCLUDE", ""), env("PYTEAD_TARGETS", ""), PACKAGE)
    spools = Spools(folder, env("PYTEAD_RECORDING", ""), mode, root)
    recorder = Recorder(project, spools, max(1, int(limit)) if limit.isdecimal() else 10, mode == "journey")
    # After exec, the same process id has a second life: its ids go on above those of the first.
    recorder.base = spools.current().ordinal << 20
    if sys.version_info >= (3, 12):
        from pytead_tui.recorder import monitor

        monitor.install(recorder)
    else:
        from pytead_tui.recorder import inject

        inject.install(recorder)
    # Registered first, so run last.
    atexit.register(_finish, recorder)
    os.register_at_fork(after_in_child=recorder.after_fork)


def _finish(recorder: object) -> None:
    try:
        for stop in recorder.stops:
            stop()
        recorder.finish()
    except Exception:
        pass
