"""What a function's text shows of its statements is what its syntax tree says."""

import sys
import types
from pathlib import Path

import pytest

PACKAGES = Path(__file__).resolve().parents[3] / "assets" / "python"
LIBRARY = Path(types.__file__).parent


@pytest.fixture
def statements(monkeypatch):
    if sys.version_info < (3, 12):
        pytest.skip("rewritten source tells it")
    monkeypatch.syspath_prepend(str(PACKAGES))
    from pytead_tui.recorder import known, statements

    assert known
    return statements


def functions(code):
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            if not const.co_name.startswith("<") and const.co_flags & 1 and const.co_name != "__annotate__":
                yield const
            yield from functions(const)


def test_the_text_of_functions_shows_what_their_trees_say(statements):
    by_text = 0
    for path in [*sorted(LIBRARY.glob("[a-e]*.py")), LIBRARY / "typing.py", *sorted(LIBRARY.glob("asyncio/*.py"))]:
        source = path.read_bytes()
        tree = statements.rewrite.statements(source, str(path))
        lines = source.split(b"\n")
        for code in functions(compile(source, str(path), "exec")):
            shown = statements.shown(lines, code.co_firstlineno, statements._last_begun(code))
            if shown is None:
                found = types.SimpleNamespace(path=str(path), statements={}, source=None)
                shown = statements.of(found, code)
            else:
                by_text += 1
            expected = tree.get(code.co_firstlineno)
            if expected is None:
                assert shown is None, (path, code.co_qualname)
                continue  # what the bound of a type variable is computed by
            reached = {line for _, _, line in code.co_lines() if line is not None}
            assert {n: shown.get(n) for n in reached} == {n: expected.get(n) for n in reached}, (path, code.co_qualname)
    assert by_text > 500


@pytest.mark.parametrize("body", [
    "match y:\n        case 1:\n            pass", "x: int\n    y = 1", "x: dict[\n        int, str]\n    y = 1",
    '"""One.\n    """; y = 1', "@f\n    def g(): pass", "...", "try:\n        x = 1\n    except f(\n        1):\n        pass",
])  # fmt: skip
def test_a_text_with_a_doubt_is_left_to_the_tree(statements, body):
    lines = ("def f(y):\n    " + body + "\n").encode().split(b"\n")
    assert statements.shown(lines, 1, len(lines) - 1) is None


@pytest.mark.parametrize("body, begins", [
    ('x = f(")",\n        1)', {2: 2, 3: 2}), ("x = 1 if y else \\\n        2", {2: 2, 3: 2}),
    ('x = [y, # (\n\n        "\\"(", \'a\']\n    return x', {2: 2, 3: 2, 4: 2, 5: 5}),
    ("if (y and\n            y):\n        return {\n            1: 2,\n        }", {2: 2, 3: 2, 4: 4, 5: 4, 6: 4}),
])  # fmt: skip
def test_statements_of_several_lines_need_no_tree(statements, body, begins):
    lines = ("def f(\n  y=(1,\n  2)\n):\n    " + body + "\n").encode().split(b"\n")
    assert statements.shown(lines, 1, len(lines) - 1) == {n + 3: begin + 3 for n, begin in begins.items()}
