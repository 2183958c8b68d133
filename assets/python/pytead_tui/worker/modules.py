"""Imports the project's modules, always from their source: as it lies on the disk now, or as the request gives it."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from pytead_tui import reaching
from pytead_tui.reaching import Reaching
from pytead_tui.worker import configured
from pytead_tui.worker.inputs import Inputs
from pytead_tui.worker.left_behind import Before
from pytead_tui.worker.lookup import Broken

LONGEST = 300

qualnames: dict = {}  # before 3.11, where code objects do not know theirs: by (file, first line, name)


def describe(error: BaseException) -> str:
    """Says what an exception says, in one bounded line."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:LONGEST]


def is_of(root: str, path: str) -> bool:
    """Tells whether a file is one of the project, whose real folder is given, and not one that is installed below it."""
    real = os.path.realpath(path)
    return real.startswith(root + os.sep) and "site-packages" not in real


def read_fresh(root: str, former: dict, compiled: "Callable | None" = None) -> None:
    """Compiles each module below a folder from its source at each import, whoever finds it; of some files from these texts.
    `compiled` is told of each other file and its text, and may give the code of that.

    A `.pyc` of the same size and second as the source would be believed although it is old.
    """
    root = os.path.realpath(root)
    loader = importlib.machinery.SourceFileLoader
    by_cache = loader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> object:
        path = self.get_filename(fullname)
        if not is_of(root, path):
            return by_cache(self, fullname)
        real = os.path.realpath(path)
        text = former.get(real)
        code = None
        if text is None:
            text = self.get_data(path)
            if compiled is not None:
                code = compiled(real, path, text)
        if code is None:
            code = self.source_to_code(text, path)
        if sys.version_info < (3, 11):
            _note(code, "")
        return code

    loader.get_code = get_code


def _note(code: object, prefix: str) -> None:
    for inner in code.co_consts:
        if isinstance(inner, type(code)):
            name = prefix + inner.co_name
            qualnames[inner.co_filename, inner.co_firstlineno, inner.co_name] = name
            _note(inner, name + (".<locals>." if inner.co_flags & 1 else "."))


class Gone:
    """Finds modules whose text is known and whose file is gone."""

    def __init__(self, files: dict) -> None:
        self.files = files

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        file = self.files.get(name)
        if file is None or os.path.exists(file):
            return None
        return importlib.util.spec_from_file_location(name, file)


class Modules:
    """The project's modules in this process."""

    def __init__(self, root: str, paths: list, startup: frozenset, former: list) -> None:
        self.root = os.path.realpath(root)
        self.files = {one["module"]: os.path.realpath(os.path.join(self.root, one["path"])) for one in former}
        self.texts = {os.path.realpath(os.path.join(self.root, one["path"])): one["text"] for one in former}
        self.paths = paths
        self.startup = startup
        self.known: dict = {}
        self.named: set = set()  # modules that arguments name, and that were looked at
        self.reached: dict = {}  # what importing a module did outside of this process, in words
        self.main: object = None
        self.guard: object = None
        self.inputs: "Inputs | None" = None  # of a process that goes on after its imports
        self.codes: object = None  # what was compiled ahead
        self.before = Before(self.root)
        self.is_set_up = False
        self.unset: "Exception | None" = None  # what kept Django from being set up
        self.is_configured = False

    def unguarded(self) -> object:
        """Gives a context in which our own code may do what the guard refuses."""
        return nullcontext() if self.guard is None else self.guard.ours()

    def prepare(self, on_path: bool = True) -> None:
        """Makes this process look like one that starts in the project, with or without its folders on the path."""
        os.chdir(self.root)
        read_fresh(self.root, self.texts, self._compiled)
        if self.files:
            sys.meta_path.insert(0, Gone(self.files))
        if on_path:
            sys.path[0:0] = [path for path in self.paths if path not in sys.path]
        sys.path_importer_cache.clear()
        importlib.invalidate_caches()
        for name in {name.partition(".")[0] for name in sys.modules} - self.startup - {"pytead_tui", "__main__"}:
            if any(self._holds(path, name) for path in self.paths):
                for loaded in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
                    del sys.modules[loaded]

    def _compiled(self, real: str, path: str, text: bytes) -> object:
        code = None if self.codes is None else self.codes.get(path, text)
        if self.inputs is not None:
            self.inputs.compiled(real, path, text)
        return code

    def _holds(self, path: str, name: str) -> bool:
        place = os.path.join(path, name)
        return os.path.isfile(place + ".py") or os.path.isfile(os.path.join(place, "__init__.py"))

    def get(self, name: str, path: str) -> object:
        """Gives a module: by its name when that leads to its file, else by its file. Raises Broken."""
        found = self.known.get((name, path))
        if found is None:
            found = self._try(name, path)
            if isinstance(found, Broken) and self.configure():
                found = self._try(name, path)
            self.known[name, path] = found
        if isinstance(found, Broken):
            raise found
        return found

    def _try(self, name: str, path: str) -> object:
        """Gives a module, or why it cannot be imported."""
        try:
            with self._noting(name, path):
                self.set_up()
                return self._load(name, os.path.join(self.root, path))
        except BaseException as error:
            # What keeps Django from being set up says more than the import that needs it.
            cause = self.unset or error
            why = describe(cause)
            found = Broken(f"{name} cannot be imported: {why}", "import-fails", None, why)
            found.failure = self._failure(cause, path)
            return found

    def configure(self) -> bool:
        """Prepares the process as pytest would, once, where the project has a `conftest.py`: after an import that failed, for what
        it lacks may be said there. Tells whether it did."""
        if self.is_configured or not configured.has_conftest(self.root):
            return False
        self.is_configured = True
        with self.unguarded():
            configured.as_pytest(self.root)
        return True

    def set_up(self) -> None:
        """Sets up Django, once, if the recorded program used it: models cannot be imported before. What keeps it from that is
        said where an import fails."""
        if self.is_set_up or "DJANGO_SETTINGS_MODULE" not in os.environ:
            return
        self.is_set_up = True
        try:
            django = importlib.import_module("django")
            # Who does so twice has its loggers made anew.
            if not importlib.import_module("django.apps").apps.ready:
                django.setup()
        except Exception as error:
            self.unset = error

    @contextmanager
    def _noting(self, name: str, path: str) -> "Iterator[None]":
        """Notes what importing a module does outside of this process."""
        noted = Reaching([self.root], [tempfile.gettempdir(), "/dev/shm"], [])
        stop = reaching.listen(noted.hear)
        try:
            yield
        finally:
            stop()
            if noted.noted:
                self.reached[name, path] = noted.said()

    def _failure(self, error: BaseException, path: str) -> dict:
        """Says where the import of a file of the project broke: at the innermost line of the project, else at its first."""
        file, line = os.path.join(self.root, path), 1
        trace = error.__traceback__
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            if is_of(self.root, name):
                file, line = name, trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and type(error.filename) is str and is_of(self.root, error.filename):
            file, line = error.filename, error.lineno or 1
        inside = os.path.relpath(os.path.realpath(file), self.root).replace(os.sep, "/")
        return {"path": inside, "line": line, "exception": describe(error)}

    def finds_package(self, name: str) -> bool:
        """Tells whether the package or module at the top of a name is found in the project; imports nothing."""
        try:
            spec = importlib.util.find_spec(name.partition(".")[0])
        except (ImportError, ValueError, AttributeError):
            return False
        places = [] if spec is None else [spec.origin, *(spec.submodule_search_locations or [])]
        return any(is_of(self.root, place) for place in places if place)

    def leads_to(self, name: str, path: str) -> bool:
        """Tells whether importing a name leads to this file; its packages are imported to find that out."""
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, ValueError, AttributeError):
            return False
        return spec is not None and bool(spec.origin) and _same(spec.origin, os.path.join(self.root, path))

    def _load(self, name: str, file: str) -> object:
        if self.leads_to(name, file):
            return importlib.import_module(name)
        loaded = sys.modules.get(name)
        if loaded is not None and _same(getattr(loaded, "__file__", None) or "", file):
            return loaded
        # A script that no import reaches. It does not run as a program: its name is not `__main__`.
        spec = importlib.util.spec_from_file_location(name, file)
        module = importlib.util.module_from_spec(spec)
        folder = os.path.dirname(file)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
        return module


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
