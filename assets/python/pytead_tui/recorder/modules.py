"""Extension modules of the interpreter for our own use: the program may never load them, or have files of their names."""

from pytead_tui.recorder.own import __builtins__, os, sys


def own(name: str) -> object:
    """Gives an instance of a module that is not in `sys.modules`, or None where there is none."""
    try:
        bootstrap, external = sys.modules["_frozen_importlib"], sys.modules["_frozen_importlib_external"]
        if name in sys.builtin_module_names:
            spec = bootstrap.BuiltinImporter.find_spec(name)
        else:
            homes = [path for path in sys.path if os.path.basename(path) == "lib-dynload"]
            spec = external.PathFinder.find_spec(name, homes)
        module = bootstrap.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    except Exception:
        return None


mmap = own("mmap")
