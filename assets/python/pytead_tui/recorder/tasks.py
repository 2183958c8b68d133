"""Finds the task of asyncio that runs, by what is written in C: a program may have its own in the place of the rest."""

from pytead_tui.recorder.own import __builtins__, sys

_modules = sys.modules
_known: list = [None, None, None]  # the module, what gives the running loop, what gives the task of a loop


def current() -> object:
    """Gives the running task, or None."""
    module = _modules.get("_asyncio")
    if module is None:
        return None
    if module is not _known[0]:
        # A function from 3.12 on, and before that a dict.
        _known[:] = module, module._get_running_loop, getattr(module, "current_task", None) or module._current_tasks.get
    loop = _known[1]()
    return None if loop is None else _known[2](loop)
