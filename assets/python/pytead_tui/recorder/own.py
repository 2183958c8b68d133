"""What the recorder uses of Python, as it was before the program began: a program, and above all its tests, put others in
the place of builtins and of functions of `os`, `time` and the like.

Every module here takes `__builtins__` and the modules it needs from this one, and asks for the time by `time.…`: what fakes
the time replaces such functions in all modules that it finds. What the program may rightly change, such as `os.environ` and
`sys.last_traceback`, is looked up anew each time.
"""

import _thread
import _weakref
import builtins
import gc
import marshal
import os
import sys
import time

__builtins__ = dict(builtins.__dict__)  # what the functions of a module look builtins up in, from here on

_Module = type(sys)
_LIVE = {"sys": ("path", "meta_path", "executable"), "os": ("environ", "environb")}
_CONSTANTS = (bool, int, str, tuple, frozenset, dict, type(sys.version_info), type(sys.implementation), _Module)


def _kept(module: object) -> object:
    """Gives a module that holds the functions and constants that another one holds now; all else is found there."""
    name = module.__name__
    made = _Module(name)
    live = _LIVE.get(name, ())
    for key, held in list(module.__dict__.items()):
        if key not in live and (callable(held) or type(held) in _CONSTANTS):
            made.__dict__[key] = held
    made.__getattr__ = lambda key: getattr(module, key)
    return made


def _written(name: str, given: dict) -> object:
    """Gives a module of the standard library that is written in Python, made anew: with the builtins as they are now, and
    with the modules of `given` in place of those that it imports.
    """
    made = _Module(name)
    find = __builtins__["__import__"]

    def imported(wanted: str, *rest: object) -> object:
        return given.get(wanted) or find(wanted, *rest)

    made.__dict__["__builtins__"] = {**__builtins__, "__import__": imported}
    exec(sys.modules[name].__spec__.loader.get_code(name), made.__dict__)
    return made


_thread, _weakref, gc, marshal = _kept(_thread), _kept(_weakref), _kept(gc), _kept(marshal)
os, sys, time = _kept(os), _kept(sys), _kept(time)
_paths = os.path.__name__
os.path = _written(_paths, {"os": os, "sys": sys, "genericpath": _written("genericpath", {"os": os})})
