"""Puts the recorder in place: as the environment of docs/spool.md says, or for decorated functions alone."""

import atexit

from pytead_tui.recorder.own import __builtins__, os, sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

active: object = None  # the recorder of this process
traced = False  # it records decorated functions alone
_swapped: object = None  # gives them other code, where the interpreter has no events


def start() -> None:
    """Starts the recorder of this process. Does nothing when the spool folder cannot be written."""
    env = os.environ.get
    folder, root = env("PYTEAD_SPOOL", ""), env("PYTEAD_ROOT", "")
    if not folder or not root or not os.path.isdir(folder):
        return
    # All of it now: later, a file of the program could take a module's place.
    from pytead_tui.recorder import known, redact  # noqa: F401
    from pytead_tui.recorder.project import Project
    from pytead_tui.recorder.spools import Spools
    from pytead_tui.recorder.state import Recorder

    redact.configure(env("PYTEAD_REDACT", ""))
    mode = env("PYTEAD_MODE", "calls")
    limit = env("PYTEAD_LIMIT", "")
    project = Project(root, env("PYTEAD_EXCLUDE", ""), env("PYTEAD_TARGETS", ""), PACKAGE)
    spools = Spools(folder, env("PYTEAD_RECORDING", ""), mode, root)
    recorder = Recorder(project, spools, max(1, int(limit)) if limit.isdecimal() else 10, mode)
    calls = env("PYTEAD_CALLS", "")
    if calls.isdecimal() and mode not in ("journey", "every"):
        recorder.calls = int(calls)
    spools.when_forked = recorder.after_fork
    # After exec, the same process id has a second life: its ids go on above those of the first.
    recorder.base = spools.current().ordinal << 20
    if sys.version_info < (3, 12) or env("PYTEAD_EVENTS", "") == "rewrite" or not _monitored(recorder):
        from pytead_tui.recorder import inject

        inject.install(recorder)
    from pytead_tui.compat import finder

    finder.install()
    _finish_later(recorder)


def trace(root: str, home: str) -> object:
    """Starts a recorder for decorated functions alone; its files go into a new folder below `home`."""
    global traced, _swapped
    from pytead_tui.recorder import known, redact  # noqa: F401
    from pytead_tui.recorder.project import Project
    from pytead_tui.recorder.spools import Traced
    from pytead_tui.recorder.state import Recorder

    redact.configure("")
    project = Project(root, "", "", PACKAGE)
    project.only_marked = True
    spools = Traced(home, root)
    recorder = Recorder(project, spools, 10, "calls")
    spools.when_forked = recorder.after_fork
    if sys.version_info < (3, 12) or not _monitored(recorder):
        from pytead_tui.recorder import inject

        _swapped = inject.Injector(recorder)
    traced = True
    _finish_later(recorder)
    return recorder


def follow(function: object) -> None:
    """Makes the calls of a decorated function known to the recorder."""
    if _swapped is not None:
        _swapped.function(function)


def _finish_later(recorder: object) -> None:
    global active
    active = recorder
    # Registered first, so run last.
    atexit.register(finish, recorder)
    forks(recorder)


def forks(recorder: object) -> None:
    """Makes a forked child a recorded process of its own."""
    os.register_at_fork(after_in_child=recorder.after_fork)


def _monitored(recorder: object) -> bool:
    from pytead_tui.recorder import monitor

    return monitor.install(recorder)


def finish(recorder: object) -> None:
    """Writes what a recorder still holds: at the end of this process, and before a forked child ends without one."""
    try:
        for stop in recorder.stops:
            stop()
        if not traced or recorder.spools.made:
            recorder.finish()
    except Exception:
        pass
