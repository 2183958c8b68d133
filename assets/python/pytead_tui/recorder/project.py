"""Which code is the project's: files below the root, without environments, and the wanted targets."""

from pytead_tui.recorder.own import __builtins__, os

try:
    from _sha2 import sha256 as _sha256  # 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256 as _sha256
    except ImportError:
        _sha256 = None

_open = open  # the program may put another in its place
_NOT_PROJECT = frozenset(("site-packages", "node_modules", ".tox", ".nox", ".git", "__pycache__", ".pytead"))


def read(path: str, most: int = -1) -> bytes:
    """Gives a file's bytes, or the first of them."""
    with _open(path, "rb") as stream:
        return stream.read(most)


class File:
    """A source file of the project."""

    __slots__ = ("path", "relative", "test", "dotted", "package", "sha", "modules", "statements", "source")

    def __init__(self, path: str, relative: str) -> None:
        self.path = path
        self.relative = relative
        name = relative.rpartition("/")[2]
        self.test = name.endswith("_test.py") or name == "conftest.py" or name.startswith("test_")
        dotted = relative[:-3] if relative.endswith(".py") else relative
        if dotted.endswith("/__init__"):
            dotted = dotted[:-9]
        if dotted.startswith("src/"):
            dotted = dotted[4:]
        self.dotted = dotted.replace("/", ".")
        self.package = relative.removeprefix("src/").rpartition("/")[0].partition("/")[0]  # the outermost one, or ""
        self.sha: "str | None" = None
        self.modules: dict = {}
        self.statements: dict = {}  # of its functions, by first line, as far as they are known
        self.source: "list | None" = None  # its lines, where statements may still be read from them

    def digest(self, source: "bytes | None" = None) -> str:
        """Gives the hash of the source, of the bytes given or else of the file as it is."""
        if self.sha is None:
            self.sha = ""
            try:
                if source is None:
                    source = read(self.path)
                if _sha256 is not None:
                    self.sha = _sha256(source).hexdigest()
            except OSError:
                pass
        return self.sha


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern with `*` wildcards covers a text whole."""
    head, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    if not text.startswith(head):
        return False
    at = len(head)
    for part in rest[:-1]:
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return len(text) - at >= len(rest[-1]) and text.endswith(rest[-1])


class Project:
    """The project as the environment describes it."""

    def __init__(self, root: str, exclude: str, targets: str, own: str) -> None:
        self.root = root.rstrip(os.sep) or os.sep
        self.inside = self.root if self.root.endswith(os.sep) else self.root + os.sep
        self.excluded = {os.path.normpath(p) for p in exclude.split(os.pathsep) if p}
        self.excluded.add(own)
        self.targets = [t.strip() for t in targets.split("\n") if t.strip()]
        self.marked: set = set()  # (module, qualname) of the decorated functions
        self.limits: dict = {}  # by the same: how many calls are kept, where the decorator says so
        self.only_marked = False
        self.tests = False  # what test files define is recorded, too, but for the tests themselves
        self.names: dict = {}
        self.folders: dict = {self.root: True}
        self.real: dict = {}

    def file(self, filename: object) -> "File | None":
        """Gives the project's file that a code object names, or None."""
        try:
            return self.names[filename]
        except KeyError:
            pass
        except TypeError:
            return None
        found = self._find(filename) if type(filename) is str else None
        self.names[filename] = found
        return found

    def _find(self, filename: str) -> "File | None":
        if not filename or filename.startswith("<"):
            return None
        if not os.path.isabs(filename):
            try:
                filename = os.path.join(os.getcwd(), filename)
            except OSError:
                return None
        path = os.path.normpath(filename)
        if not path.startswith(self.inside):
            folder, name = os.path.split(path)
            if folder not in self.real:
                self.real[folder] = os.path.realpath(folder)
            path = os.path.join(self.real[folder], name)
            if not path.startswith(self.inside):
                return None
        if not self._in_project(os.path.dirname(path)) or path in self.excluded:
            return None
        known = self.names.get(path)
        if known is not None:
            return known
        relative = path[len(self.inside) :].replace(os.sep, "/")
        found = self.names[path] = File(path, relative)
        return found

    def _in_project(self, folder: str) -> bool:
        known = self.folders.get(folder)
        if known is None:
            known = (
                folder not in self.excluded
                and os.path.basename(folder) not in _NOT_PROJECT
                and not os.path.exists(os.path.join(folder, "pyvenv.cfg"))
                and self._in_project(os.path.dirname(folder))
            )
            self.folders[folder] = known
        return known

    def passes_over(self, file: File, qualname: str) -> bool:
        """Whether a function belongs to the tests and not to what they test."""
        if not file.test:
            return False
        return not self.tests or qualname.rpartition(".")[2].startswith(("test", "pytest_"))

    def wanted(self, module: str, dotted: str, qualname: str) -> bool:
        """Whether the targets ask for a function; a target covers what is below it, too."""
        if (module, qualname) in self.marked:
            return True
        if self.only_marked or not self.targets:
            return not self.only_marked
        for target in self.targets:
            name, colon, inner = target.partition(":")
            for home in (module, dotted):
                if colon:
                    if matches(name, home) and _covers(inner, qualname):
                        return True
                elif _covers(target, home + "." + qualname):
                    return True
        return self._constructs(module, dotted, qualname)

    def _constructs(self, module: str, dotted: str, qualname: str) -> bool:
        """Whether a function makes objects whose method the targets ask for: without its calls, none of them can be made again."""
        owner, _, name = qualname.rpartition(".")
        if name not in _CONSTRUCTORS or not owner:
            return False
        homes = (module, dotted)
        owners = [home + separator + owner for home in homes for separator in (":", ".")]
        return any(target.rpartition(".")[0] in owners for target in self.targets)


_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")


def _covers(pattern: str, name: str) -> bool:
    return not pattern or matches(pattern, name) or matches(pattern + ".*", name)
