"""A pytest plugin by which `pytestconfig.rootpath` is the project's folder for tests that are proved in another one.

Where they are accepted, pytest itself says so.
"""

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
        return _Config(request.config, root)

    plugin = ModuleType("pytead_tui_rooted")
    plugin.pytestconfig = pytest.fixture(scope="session")(pytestconfig)  # type: ignore[attr-defined]
    return plugin
