"""Which test of unittest runs, and how its program was started: what is needed to run that program, and the test in it, again.

A suite says for each of its tests which module comes next, before it sets up module and class; a test without a suite is
seen when it runs. Django's tests are tests of unittest.
"""

from pytead_tui.recorder import command_line
from pytead_tui.recorder.objects import dict_of, mro_of, names_of, state
from pytead_tui.recorder.own import __builtins__, os, sys

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_TEXT = 4096  # characters of a word that are kept; with a longer one, the program cannot be started again
_SETTINGS = "DJANGO_SETTINGS_MODULE"
_found: list = []  # whether pytest-django is there, once that was looked for
_sessions: dict = {}  # by whether Django's runner runs the tests


def _folder() -> "str | None":
    try:
        return os.getcwd()
    except OSError:
        return None


_CWD = _folder()  # in which the program was started


def begins(recorder: object, frame: object, test: object) -> bool:
    """Notes the test that comes, or runs, in a function of unittest. Gives False for one inside of another, or of pytest's."""
    is_django = False
    back = frame.f_back
    while back is not None:
        module = dict.get(back.f_globals, "__name__")
        if type(module) is str:
            if module == "_pytest.runner" or (module == "unittest.case" and back.f_code.co_name == "run"):
                return False
            is_django = is_django or module.startswith("django.test.")
        back = back.f_back
    command_line.test_begins()
    name = name_of(test)
    if recorder.test is None or recorder.test[0] != name or name is None:
        if is_django not in _sessions:
            _sessions[is_django] = _session(recorder.project.root, is_django)
        session = _sessions[is_django]
        recorder.test = None if name is None or session is None else (name, session)
    return True


def name_of(test: object) -> "str | None":
    """Gives what `TestCase.id` gives, without asking a class of the program."""
    try:
        held = object.__getattribute__(test, "__dict__")
        names = names_of(type(test))
        if names[0] == "doctest":
            name = object.__getattribute__(held["_dt_test"], "__dict__")["name"]
            return name if type(name) is str else None
        method = held["_testMethodName"]
        return ".".join((*names, method)) if type(method) is str else None
    except Exception:
        return None  # anything that can be called is a test, too


class TestCaseFunction:
    """A test of unittest under the names that pytest has for it, see staging.py."""

    def __init__(self, name: str, cls: type, method: str, file: str, root: str) -> None:
        self.nodeid = name
        self.cls = cls
        self.path = file
        self.rootpath = root
        self.config = self
        self.function = next((dict_of(base)[method] for base in mro_of(cls) if method in dict_of(base)), None)
        self.has_django = _has_pytest_django()

    def iter_markers(self, name: object = None) -> tuple:
        """Gives none: these are pytest's."""
        return ()


def item(test: object, root: str) -> "TestCaseFunction | None":
    """Gives a test as pytest tells of one; None for that of a docstring, and where its file is not known."""
    name = name_of(test)
    module = sys.modules.get(names_of(type(test))[0])
    file = None if module is None else state(module).get("__file__")
    if name is None or type(file) is not str or names_of(type(test))[0] == "doctest":
        return None
    return TestCaseFunction(name, type(test), name.rpartition(".")[2], file, root)


def _has_pytest_django() -> bool:
    """Whether accepted tests, which pytest runs, can have the fixtures of its plugin for Django."""
    if not _found:
        folders = [folder for folder in sys.path if type(folder) is str]
        _found.append(any(os.path.isdir(os.path.join(folder, "pytest_django")) for folder in folders))
    return _found[0]


def _session(root: str, is_django: bool) -> "tuple | None":
    """Gives (root, None, arguments, working folder, search path, (runner, how it was started, what, settings))."""
    try:
        if _CWD is None or "--multiprocessing-fork" in sys.orig_argv:
            return None
        started = _started(list(sys.orig_argv[1:]))
        if started is None:
            return None
        how, what, args = _replaced(*started)
        settings = dict.get(os.environ._data, _SETTINGS.encode())
        settings = settings.decode() if type(settings) is bytes else None
        if any(type(word) is not str or len(word) > _TEXT for word in (what, *args, settings or "")):
            return None
        cwd = os.getcwd()
        path = [os.path.normpath(os.path.join(cwd, folder)) for folder in sys.path if type(folder) is str]
        path = [folder for folder in path if folder != _PACKAGE and not folder.startswith(_PACKAGE + os.sep)]
        runner = "django" if is_django else "unittest"
        return (root, None, tuple(args), _CWD, tuple(path), (runner, how, what, settings))
    except Exception:
        return None


def _started(words: list) -> "tuple | None":
    """Reads the interpreter's command line: gives (`module`, `script` or `code`, what, arguments)."""
    while words:
        word = words.pop(0)
        if word == "-":
            return None
        if word == "--check-hash-based-pycs":
            words.pop(0)
        elif not word.startswith("-"):
            return "script", os.path.normpath(os.path.join(_CWD, word)), words
        elif not word.startswith("--"):
            for at, letter in enumerate(word):
                if letter in "cmWX":
                    value = word[at + 1 :] or words.pop(0)
                    if letter in "cm":
                        return {"c": "code", "m": "module"}[letter], value, words
                    break
    return None


def _replaced(how: str, what: str, args: list) -> tuple:
    """Gives what a launcher, such as that of coverage, put in its own place."""
    main = sys.modules["__main__"].__dict__
    spec, file = main.get("__spec__"), main.get("__file__")
    if spec is not None:
        name = object.__getattribute__(spec, "__dict__")["name"]
        module = name[: -len(".__main__")] if name.endswith(".__main__") else name
        if name == "__main__" or (how == "module" and what in (name, module)):
            return how, what, args
        return "module", module, sys.argv[1:]
    if how == "code" or type(file) is not str:
        return how, what, args
    file = os.path.normpath(os.path.join(_CWD, file))
    return (how, what, args) if how == "script" and file == what else ("script", file, sys.argv[1:])
