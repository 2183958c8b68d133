# Starts the recorder in every Python that inherits our PYTHONPATH, then steps aside.
#
# Valid for any Python, 2.7 included, because a child of a recorded program may be one. It never
# raises on its own account; afterwards the interpreter is as if this file had not been there:
# the folder is off sys.path, and the sitecustomize it shadows has run or is reported missing.
import os
import sys


def _start(boot):
    if not os.environ.get("PYTEAD_SPOOL") or sys.version_info < (3, 10):
        return
    if getattr(sys.implementation, "name", "") != "cpython":
        return
    if "pytead_tui.recorder.start" in sys.modules:
        return
    from importlib.util import module_from_spec, spec_from_file_location

    package = os.path.dirname(boot)
    if "pytead_tui" not in sys.modules:
        spec = spec_from_file_location(
            "pytead_tui", os.path.join(package, "__init__.py"), submodule_search_locations=[package]
        )
        module = module_from_spec(spec)
        sys.modules["pytead_tui"] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules["pytead_tui"]
            raise
    from pytead_tui.recorder import start

    start.start()


def _shadowed(boot):
    """Runs the sitecustomize that this one hides; ImportError, as if ours did not exist, without one."""
    sys.path[:] = [p for p in sys.path if not p or os.path.abspath(p) != boot]
    if sys.version_info[0] == 2:
        import imp

        del sys.modules["sitecustomize"]
        found = imp.find_module("sitecustomize", sys.path)
        imp.load_module("sitecustomize", *found)
        return
    import importlib.machinery

    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    if sys.version_info >= (3, 5):
        from importlib.util import module_from_spec

        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_boot = os.path.dirname(os.path.abspath(__file__))
try:
    _start(_boot)
except Exception:
    pass
_shadowed(_boot)
