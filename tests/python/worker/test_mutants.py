"""Faults of functions whose files are as they were, or are not."""

import importlib.util
import types
from pathlib import Path

import pytest

from pytead_tui.worker import mutants

SOURCE = "class Cart:\n    @staticmethod\n    def total(n):\n        return n + 1\n"


@pytest.fixture
def total(tmp_path: Path) -> types.FunctionType:
    file = tmp_path / "cart.py"
    file.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("cart", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Cart.total


def test_faults_stand_on_the_lines_of_the_file(total):
    found = {mutant.label: mutant.line for mutant in mutants.of(total, 8)}
    assert found["1 → 2"] == found["+ → -"] == 4
    assert all(mutant.code.co_firstlineno in (2, 3) for mutant in mutants.of(total, 8))


@pytest.mark.parametrize(
    "text", ["", "a = 1\n", 'a = """\n\n\n\n', "a = (\n\n(\n\n", "\n  (\n)]\n", "def f(:\n" * 4, SOURCE.replace("total", "sum")]
)
def test_a_file_that_is_another_by_now_has_no_faults(total, text):
    Path(total.__code__.co_filename).write_text(text)
    assert mutants.of(total, 8) == []
