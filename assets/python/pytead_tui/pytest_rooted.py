"""A pytest plugin by which `pytestconfig.rootpath` is the project's folder for tests that are proved in another one.

Where they are accepted, pytest itself says so. The other folder holds links to what lies in the project: where most of the project's
modules were found by these, their own paths lie there, too, and so does the root.
"""

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest


class _Config:
    """The configuration of a session, with another root."""

    def __init__(self, config: pytest.Config, root: str) -> None:
        self._config = config
        self.rootpath = Path(root)

    def __getattr__(self, name: str) -> object:
        return getattr(self._config, name)


def rooted(root: str) -> ModuleType:
    """Makes the plugin: a module, since fixtures that are methods of an instance are warned of."""

    def pytestconfig(request: pytest.FixtureRequest) -> _Config:
        """Takes the place of pytest's own fixture."""
        here = str(request.config.rootpath)
        return _Config(request.config, here if _is_imported_from(here, root) else root)

    plugin = ModuleType("pytead_tui_rooted")
    plugin.pytestconfig = pytest.fixture(scope="session")(pytestconfig)  # type: ignore[attr-defined]
    return plugin


def _is_imported_from(folder: str, root: str) -> bool:
    """Tells whether the modules of the project were found by links in a folder; those of its tests are copied there in any case, and a
    package that is installed from the project's own folder has its modules there.
    """
    linked = own = 0
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if type(file) is not str or os.sep + "site-packages" + os.sep in file:
            continue  # of an environment, which may lie in the project
        if file.startswith(folder + os.sep):
            linked += os.path.realpath(file).startswith(root + os.sep)
        elif file.startswith(root + os.sep):
            own += 1
    return linked > own
