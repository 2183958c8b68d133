"""Names of the predecessors work where they can, and say what to write instead where they cannot."""

import importlib
import subprocess
import sys

import pytest

CONTEXT = {
    "stored": {"t": "abc", "n": None, "z": 0, "f": False, "e": "", "l": [1, 2]},
    "u": {"id": 42, "items": [{"id": 7}], "a.b": 1, "name": "${stored.t}"},
}


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ("${u.id}", "42"),
        ("id=${u.id}", "id=42"),
        ("${ u.id }", "${ u.id }"),
        ("${u.items.0.id}", "${u.items.0.id}"),
        ("${u.items[0].id}", "${u.items[0].id}"),
        ("${u.missing}", "${u.missing}"),
        ("${missing}", "${missing}"),
        ("$${u.id}", "$42"),
        ("\\${u.id}", "\\42"),
        ("${stored.n}", "${stored.n}"),
        ("${stored.z}", "0"),
        ("${stored.f}", "False"),
        ("${stored.e}", ""),
        ("${u.items}", "[{'id': 7}]"),
        ("${}", "${}"),
        ("${u.id", "${u.id"),
        ("${u.name}", "${stored.t}"),
        ("${u.a.b}", "${u.a.b}"),
        ("${u.id:-5}", "${u.id:-5}"),
        ({"${u.id}": ["${u.id}", 3, {"a": "${stored.t}"}]}, {"${u.id}": ["42", 3, {"a": "abc"}]}),
    ],
)
def test_references_are_filled_in_as_they_were(given, filled):
    from llm_pytest import interpolate_value

    assert interpolate_value(given, CONTEXT) == filled


def test_the_arguments_of_a_step_are_filled_in():
    from llm_pytest import interpolate_step_args

    assert interpolate_step_args({"id": "${user.id}", "n": 1}, {"user": {"id": 7}}) == {"id": "7", "n": 1}


def test_the_error_of_an_intent_is_one_class_whatever_it_is_imported_from():
    import pytest_semantic
    from pytest_semantic.core import SemanticAssertionError

    from pytead_tui import SemanticAssertionError as ours

    assert SemanticAssertionError is pytest_semantic.SemanticAssertionError is ours
    assert issubclass(ours, AssertionError)
    from pytest_semantic.decorator import semantic_test

    assert semantic_test is pytest_semantic.semantic_test


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("from llm_pytest import TestSpec", "pytead-tui spec --check"),
        ("from llm_pytest import run_llm_test", "pytest tests/llm --llm"),
        ("from llm_pytest import get_provider", "model.provider"),
        ("from llm_pytest.runner import run_llm_test", "pytest tests/llm --llm"),
        ("import llm_pytest.mcp_server", "pytead-tui mcp"),
        ("import llm_pytest.runners", "from pytead_tui import LLMPlugin"),
        ("from pytest_semantic.core import evaluate", "check_intent"),
        ("import pytest_semantic.server", "pytead-tui mcp"),
        ("from llm_pytest import Verdict", "pytead-tui spec --format json"),
        ("from pytest_semantic import ExecutionTracer", "pytead-tui check --journey"),
        ("import pytead.storage", "pytead-tui import call_logs"),
        ("import pytead.rt", "from pytead_tui import trace"),
        ("from pytead import gen_types", "pytead-tui types"),
    ],
)
def test_what_has_no_counterpart_says_what_to_write_instead(line, advice):
    with pytest.raises(ImportError) as caught:
        exec(line, {})
    assert advice in str(caught.value)


def test_a_stranger_s_name_is_what_python_makes_of_it():
    import llm_pytest

    assert not hasattr(llm_pytest, "anything_else")
    with pytest.raises(ModuleNotFoundError, match="No module named 'nowhere_at_all'"):
        importlib.import_module("nowhere_at_all")


def test_a_package_that_is_really_there_answers_for_itself(tmp_path):
    package = tmp_path / "llm_pytest"
    package.mkdir()
    (package / "__init__.py").write_text("own = True\n")
    program = (
        "from pytead_tui.compat import finder; finder.install(); import llm_pytest; assert llm_pytest.own\n"
        "try:\n    import llm_pytest.runner\nexcept ModuleNotFoundError as error:\n"
        "    assert 'instead' not in str(error), error\nelse:\n    raise SystemExit('it is there')\n"
    )
    path = [str(tmp_path), *sys.path]
    done = subprocess.run([sys.executable, "-c", "import sys; sys.path[:0] = %r\n%s" % (path, program)], check=False)
    assert done.returncode == 0
