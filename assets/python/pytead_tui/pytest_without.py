"""Leaves out plugins of pytest that cannot start inside a sandbox: one that opens a port, or a file outside of the project.

pytest ends before the first test when a plugin's `pytest_configure` or `pytest_sessionstart` raises. The tests
of a project seldom need such a plugin: some report, some repeat what failed. So it is taken away, and said by name.
"""

from collections.abc import Callable

import pytest

_STARTS = ("pytest_configure", "pytest_sessionstart")
_REASON = 200  # characters


class Without:
    """The plugin that watches over the start of others, and what it left out: names with their reasons."""

    def __init__(self) -> None:
        self.names: dict = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Watches over what starts plugins; nothing was started yet."""
        for name in _STARTS:
            for start in getattr(config.hook, name).get_hookimpls():
                if _is_foreign(start) and not (start.hookwrapper or getattr(start, "wrapper", False)):
                    start.function = self._watched(start, config)

    def _watched(self, start: object, config: pytest.Config) -> Callable:
        function = start.function  # type: ignore[attr-defined]

        def watched(*args: object) -> object:
            try:
                return function(*args)
            except OSError as error:
                self.names[start.plugin_name] = (type(error).__name__ + ": " + str(error))[:_REASON]  # type: ignore[attr-defined]
                config.pluginmanager.unregister(start.plugin)  # type: ignore[attr-defined]
                return None

        return watched


def _is_foreign(start: object) -> bool:
    """Tells whether a hook is of an installed plugin: not pytest's, not ours, not a `conftest.py`."""
    module = getattr(start.function, "__module__", None) or ""  # type: ignore[attr-defined]
    return not module.startswith(("_pytest.", "pytead_tui")) and module.rpartition(".")[2] != "conftest"
