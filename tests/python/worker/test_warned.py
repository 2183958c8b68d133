"""Which warnings of a test count against its draft."""

import sysconfig
import warnings

import pytest

from pytead_tui.pytest_witness import Witness

INSTALLED = sysconfig.get_path("purelib") + "/other/pattern.py"


def warned(category: type, file: str) -> "dict | None":
    message = warnings.WarningMessage(category("x is old, use y"), category, file, 12)
    return Witness("/project").warned(message, "runtest", "test_it.py::test_a")


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning, FutureWarning])
def test_what_an_installed_package_uses_of_another_one_counts_against_no_draft(category):
    assert warned(category, INSTALLED) is None
    assert warned(category, sysconfig.get_path("stdlib") + "/ast.py") is None


def test_what_the_project_or_the_test_uses_counts_and_so_does_what_is_no_deprecation():
    assert warned(DeprecationWarning, "/project/shop.py")["reached"] == [["warning", "DeprecationWarning: x is old, use y"]]
    assert warned(RuntimeWarning, INSTALLED) is not None
