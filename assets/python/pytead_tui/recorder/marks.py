"""The marks that a test of a recorded call has to bear: those of plugins that say how tests run, those that fixtures read, and those
that give a fixture its parameter.

A fixture that asks for a mark (`request.node.get_closest_marker("settings")`) gives another value to a test without it. Such a mark is
known by the code of the fixture, which names it. Nothing of the program's is run.
"""

from pytead_tui.recorder import kinds
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__

# Of plugins: they open the database, run coroutines, ask for fixtures.
_ALWAYS = ("django_db", "usefixtures", "urls", "asyncio", "anyio")
# They choose tests and say how often they run, whoever reads them.
_NEVER = ("skip", "skipif", "xfail", "parametrize", "filterwarnings", "timeout", "flaky", "xdist_group", "tryfirst", "trylast")
_ASKS = frozenset(("get_closest_marker", "iter_markers", "iter_markers_with_node", "own_markers", "keywords"))
_PLAIN = frozenset(map(oid, (type(None), bool, int, float, str)))
_CONTAINERS = frozenset(map(oid, (tuple, list, set, frozenset, dict)))
_DEEP = 3  # functions that a fixture calls


class _Given:
    """A mark that gives a fixture the parameter which the recorded test gave it."""

    name, kwargs = "parametrize", {"indirect": True}

    def __init__(self, fixture: str, value: object) -> None:
        self.args = (fixture, [value])


def of(item: object) -> list:
    """Lists the marks of a test that count, in the order in which they stand above it: the last one is the closest."""
    found: list = []
    for mark in item.iter_markers():
        if mark.name in _ALWAYS and all(oid(type(v)) in _PLAIN for v in [*mark.args, *mark.kwargs.values()]):
            found.append(mark)
    read = _read_by(item)
    others = [mark for mark in item.iter_markers() if mark.name in read and mark.name not in (*_ALWAYS, *_NEVER)]
    closest = {mark.name: mark for mark in reversed(others)}
    return [*found, *closest.values(), *_parameters(item)]


def told(found: list, stage: object, scene: object) -> list:
    """Tells marks, each by its name and its arguments."""
    return [
        [mark.name, [stage.value(v, scene) for v in mark.args], {k: stage.named(k, v, scene) for k, v in mark.kwargs.items()}]
        for mark in found
    ]


def _parameters(item: object) -> list:
    """Lists the parameters that the test gave to fixtures: none that a fixture has itself, and none of the test function's own."""
    params = getattr(getattr(item, "callspec", None), "params", None)
    definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
    found = []
    for name, value in params.items() if type(params) is dict else ():
        last = [*definitions.get(name, ())][-1:]
        module = getattr(getattr(last[0], "func", None), "__module__", None) if last else None
        # A parameter of the test function has a fixture of pytest's own.
        if type(module) is str and not module.startswith("_pytest") and all(v is not value for v in last[0].params or ()):
            found.append(_Given(name, value))
    return found


def _read_by(item: object) -> set:
    """Gives the words in the code of the fixtures that ask for marks: the names of marks are among them."""
    info = getattr(item, "_fixtureinfo", None)
    words: set = set()
    for name in getattr(info, "names_closure", ()):
        for definition in getattr(info, "name2fixturedefs", {}).get(name, ()):
            function = getattr(definition, "func", None)
            names, texts = _of_function(function) if type(function) is kinds.Function else ((), ())
            if not _ASKS.isdisjoint(names):
                words |= texts
    return words


def _of_function(function: object) -> tuple:
    """Gives the names and the texts in a function's code, and in that of the functions of its module which it names."""
    names: set = set()
    texts: set = set()
    seen: set = set()
    waiting = [(function, 0)]
    while waiting:
        one, deep = waiting.pop()
        if oid(one) in seen:
            continue
        seen.add(oid(one))
        own: set = set()
        _look(one.__code__, own, texts)
        names |= own
        space = one.__globals__
        for name in own:
            held = dict.get(space, name)
            if type(held) is kinds.Function and held.__globals__ is space and deep < _DEEP:
                waiting.append((held, deep + 1))
            _add(held, texts)
    return names, texts


def _look(code: object, names: set, texts: set) -> None:
    names.update(code.co_names)
    for held in code.co_consts:
        if type(held) is kinds.Code:
            _look(held, names, texts)
        else:
            _add(held, texts)


def _add(held: object, texts: set) -> None:
    """Adds a text, or the texts in a container."""
    if type(held) is str:
        texts.add(held)
    elif oid(type(held)) in _CONTAINERS:
        texts.update(one for one in list(held) if type(one) is str)
