"""A plugin or a hook that a test adds is seen, whichever pytest holds them, and nothing else is taken for one."""

import types

import pytest

from pytead_tui.pytest_witness import _plugins


def test_a_plugin_that_is_registered_is_seen(pytestconfig: pytest.Config) -> None:
    class Loud:
        def pytest_runtest_logreport(self, report: object) -> None:
            pass

    before = _plugins(pytestconfig)
    assert _plugins(pytestconfig) == before
    plugin = Loud()
    pytestconfig.pluginmanager.register(plugin)
    try:
        assert _plugins(pytestconfig) != before
    finally:
        pytestconfig.pluginmanager.unregister(plugin)


def test_functions_that_stand_in_for_hooks_are_not_asked(pytestconfig: pytest.Config) -> None:
    # So pytest 7 and 8 have them.
    older = types.SimpleNamespace(
        pluginmanager=pytestconfig.pluginmanager, hook=types.SimpleNamespace(pytest_runtest_logreport=lambda **given: None)
    )
    assert _plugins(older) == _plugins(pytestconfig)
