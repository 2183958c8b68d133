"""Which test of pytest runs, and how its session was started: what is needed to run that test again.

pytest says in `PYTEST_CURRENT_TEST` that a part of a test begins. Its own object of the test is then a local of the function
that says so.
"""

from pytead_tui.recorder.own import __builtins__, os, sys

_SAYS = "_update_current_test_var"  # of _pytest.runner
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_NEAR = 6  # frames between the variable and that function
_TEXT = 4096  # characters of an option that are kept; with a longer one, the options are not known


def of(frame: object, said: str) -> "tuple | None":
    """Gives (test, session) of what pytest says, where the session can be read; a session is what `K` records hold."""
    name = said.rpartition(" (")[0]
    for _ in range(_NEAR):
        if frame is None:
            return None
        if frame.f_code.co_name == _SAYS and dict.get(frame.f_globals, "__name__") == "_pytest.runner":
            session = _session(frame.f_locals.get("item"))
            return None if session is None or not name else (name, session)
        frame = frame.f_back
    return None


def item(frame: object) -> object:
    """Gives pytest's own object of the test of which it says that a part begins."""
    for _ in range(_NEAR):
        if frame is None:
            return None
        if frame.f_code.co_name == _SAYS and dict.get(frame.f_globals, "__name__") == "_pytest.runner":
            return frame.f_locals.get("item")
        frame = frame.f_back
    return None


def _session(item: object) -> "tuple | None":
    """Gives (root, configuration file or None, options, working folder, search path) of the session of a test."""
    try:
        config = item.config
        inipath = config.inipath
        invoked = config.invocation_params
        options = _options([*_added(), *invoked.args], list(config.args))
        if options is None:
            return None
        package = os.path.dirname(_PACKAGE)
        cwd = str(invoked.dir)
        path = [os.path.normpath(os.path.join(cwd, folder)) for folder in sys.path if type(folder) is str]
        path = [folder for folder in path if folder != package and not folder.startswith(package + os.sep)]
        return (str(config.rootpath), None if inipath is None else str(inipath), tuple(options), cwd, tuple(path))
    except Exception:
        return None  # another pytest than those that are known


def _added() -> list:
    """Gives the options of the environment."""
    added = dict.get(os.environ._data, b"PYTEST_ADDOPTS")
    return sys.modules["shlex"].split(added.decode()) if added else []


def _options(given: list, named: list) -> "list | None":
    """Gives the options of a command line: what is left without the names of what is run."""
    options = []
    for word in given:
        if type(word) is not str:
            word = str(word)
        if len(word) > _TEXT:
            return None
        if word in named:
            named.remove(word)
        else:
            options.append(word)
    return options
