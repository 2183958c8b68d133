"""A test that does nothing beside drafted ones: what it leaves behind, pytest and the project's own fixtures do, and no draft."""

import os
import sys
from types import ModuleType

import pytest

from pytead_tui.worker.modules import is_of

PLACE = "test_pytead_idle.py"  # there is no such file


class _Idle(pytest.Module):
    """A module of tests without a file."""

    def _getobj(self) -> ModuleType:
        return ModuleType(PLACE.removesuffix(".py"))


def fixtures(item: pytest.Item, folders: list) -> "tuple | None":
    """Lists the fixtures that a drafted test has, asked for or not, and that stand in files of these folders other than its own; None
    for what is no function of a module.
    """
    module = item.getparent(pytest.Module)
    if module is None or not isinstance(item, pytest.Function):
        return None
    found = []
    for name, definitions in item._fixtureinfo.name2fixturedefs.items():
        # One with parameters has other values in each test.
        if definitions and definitions[-1].params is None:
            home = sys.modules.get(getattr(definitions[-1].func, "__module__", None) or "")
            file = getattr(home, "__file__", None)
            if type(file) is str and any(is_of(folder, file) for folder in folders) and not os.path.samefile(file, module.path):
                found.append(name)
    return tuple(sorted(found))


def beside(item: pytest.Item, names: tuple) -> pytest.Item:
    """Makes a test that does nothing, in the folder of another one, with fixtures of these names."""

    def test_nothing() -> None:
        """Only its fixtures act."""

    module = item.getparent(pytest.Module)
    place = _Idle.from_parent(module.parent, path=module.path.with_name(PLACE))
    function = pytest.mark.usefixtures(*names)(test_nothing) if names else test_nothing
    return pytest.Function.from_parent(place, name="test_nothing", callobj=function)


def next_to(item: pytest.Item) -> "pytest.Item | None":
    """Makes a test that never runs, for after another one: all fixtures of the other end, but for those of the session or package."""
    return None if item.getparent(pytest.Module) is None else beside(item, ())


def end_session(item: pytest.Item) -> None:
    """Ends the fixtures that are left; whether they can is seen where tests run one after the other."""
    try:
        item.session._setupstate.teardown_exact(None)
    except Exception:
        pass
