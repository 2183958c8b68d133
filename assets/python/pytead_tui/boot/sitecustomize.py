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
    package = os.path.dirname(boot)
    finder = _finder(package)
    sys.meta_path.insert(0, finder)
    try:
        if "pytead_tui" not in sys.modules:
            spec = finder.find_spec("pytead_tui", None)
            module = sys.modules["_frozen_importlib"].module_from_spec(spec)
            sys.modules["pytead_tui"] = module
            try:
                spec.loader.exec_module(module)
            except BaseException:
                del sys.modules["pytead_tui"]
                raise
        from pytead_tui.recorder import start

        start.start()
    finally:
        sys.meta_path.remove(finder)


def _finder(package):
    """Finds our modules, and names their code so that coverage and its like leave them out."""
    import _imp

    # Not by way of importlib, which loads modules that the program may never load.
    source_loader = sys.modules["_frozen_importlib_external"].SourceFileLoader
    module_spec = sys.modules["_frozen_importlib"].ModuleSpec

    class Loader(source_loader):
        def get_code(self, fullname):
            code = source_loader.get_code(self, fullname)
            _imp._fix_co_filename(code, "<pytead-tui>" + self.path[len(package) :])
            return code

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "pytead_tui":
                file, inside = os.path.join(package, "__init__.py"), [package]
            elif name.startswith(("pytead_tui.recorder", "pytead_tui.compat")):
                base = os.path.join(package, *name.split(".")[1:])
                inside = [base] if os.path.isdir(base) else None
                file = os.path.join(base, "__init__.py") if inside else base + ".py"
            else:
                return None
            spec = module_spec(name, Loader(name, file), origin=file, is_package=bool(inside))
            spec.has_location = True
            if inside:
                spec.submodule_search_locations[:] = inside
            return spec

    return Finder


def _shadowed(boot):
    """Runs the sitecustomize that this one hides; ImportError, as if ours did not exist, without one."""
    sys.path[:] = [p for p in sys.path if not p or os.path.abspath(p) != boot]
    if sys.version_info[0] == 2:
        import imp

        keep = sys.modules.pop("sitecustomize")  # its names would be cleared with it
        found = imp.find_module("sitecustomize", sys.path)
        imp.load_module("sitecustomize", *found)
        del keep
        return
    if sys.version_info < (3, 5):
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    spec = sys.modules["_frozen_importlib_external"].PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        raise ImportError("No module named 'sitecustomize'", name="sitecustomize")
    module = sys.modules["_frozen_importlib"].module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_boot = os.path.dirname(os.path.abspath(__file__))
try:
    _start(_boot)
except Exception:
    pass
_shadowed(_boot)
