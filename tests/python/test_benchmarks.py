"""The table at the top of docs/benchmarks.md says what the sections below it say."""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))

import applications_page  # noqa: E402
import bench  # noqa: E402
import small_edits  # noqa: E402
import summary  # noqa: E402

sys.path.remove(str(ROOT / "benches"))  # which has modules of common names


def lines(**sections):
    text = summary.summary({name.replace("_", " "): body for name, body in sections.items()})
    return [list(line.values()) for line in summary.tables(text)[0].lines]


def test_the_page_has_the_table_of_its_sections():
    text = bench.PAGE.read_text(encoding="utf-8")
    known = bench.sections(text)
    assert next(iter(known)) == summary.TITLE
    assert bench.page(known) == text, "python benches/bench.py --summary writes it anew"


def test_every_section_that_was_measured_has_rows():
    known = bench.sections(bench.PAGE.read_text(encoding="utf-8"))
    for title, text in known.items():
        if title != summary.TITLE:
            assert lines(**{title: text}), title


def test_every_part_has_a_place_in_the_table():
    parts = [path.read_text(encoding="utf-8") for path in (ROOT / "benches").glob("*.py")]
    titles = {text.split('\nTITLE = "')[1].split('"')[0] for text in parts if "\ndef measure(" in text}
    assert titles == set(summary.SECTIONS)


def test_ratios_are_those_of_the_rounds_and_goals_are_compared_with_them():
    index = """Measured 2026-01-02 on a machine; 3 rounds.

| what              |     CPU | times the index |
|-------------------|--------:|----------------:|
| pytead-tui, index |  8.00 s |            1.00 |
| pytead-tui, kept  |  1.00 s |            0.12 |
| ctags             |  1.00 s |            0.50 |
"""
    assert lines(Index=index) == [
        ["index of a library", "8.00 s", "ctags", "1.00 s", "2", "<= 1.2", "**no**", "2026-01-02"],
        ["index, opened again", "1.00 s", "our first", "8.00 s", "0.12", "", "", "2026-01-02"],
    ]


def test_a_goal_with_a_unit_is_one_of_our_own_figure():
    answers = """Measured 2026-01-02 on a machine; 3 rounds.

| answer                 | times | median ms | worst ms | goal ms |
|------------------------|------:|----------:|---------:|--------:|
| Long list: a key       |    42 |       1.5 |        5 |      50 |
| Long list: a key by it |    42 |        30 |       60 |         |
| First frame            |     7 |       300 |      350 |     100 |
"""
    assert [line[1:7] for line in lines(Answers_of_the_workbench=answers)] == [
        ["1.5 ms", "", "", "", "<= 50 ms", "yes"],
        ["1.5 ms", "it", "30 ms", "0.05", "", ""],
        ["300 ms", "", "", "", "<= 100 ms", "**no**"],
    ]


def test_what_was_not_measured_has_no_row():
    assert lines(Index="Not measured: there is no release build.", Judging="") == []


FUNCTIONS = '''\
def plain():
    """Says what it does."""

    @decorated
    def inner(): return 1

    return inner


async def documented():
    """Only this."""


class Thing:
    def method(self): return "é"
'''


def test_a_statement_that_changes_nothing_leaves_docstrings_and_decorators():
    texts = {}
    for node in ast.walk(ast.parse(FUNCTIONS)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            (texts[node.name],) = small_edits.unused(FUNCTIONS, node.lineno, node.end_lineno)
    assert set(texts) == {"plain", "inner", "documented", "method"}
    for name, text in texts.items():
        functions = {n.name: n for n in ast.walk(ast.parse(text)) if hasattr(n, "args") and hasattr(n, "body")}
        docstring = ast.get_docstring(functions[name])
        assert docstring == {"plain": "Says what it does.", "documented": "Only this."}.get(name)
        assert ast.unparse(functions[name].body[docstring is not None]) == "_unused = None"
        assert [ast.unparse(d) for d in functions["inner"].decorator_list] == ["decorated"]


def test_the_page_of_applications_has_a_row_for_each_and_the_reasons():
    row = {"path": "a.py", "function": "a:f", "diff": "-1\n+2", "told": "same", "code": 0, "seconds": 1.0, "reasons": [], "lines": []}
    alarm = dict(row, told="alarm", code=1, reasons=[("differs", "a:g")], lines=["g(): 1 recorded call changed, 1 → 2"])
    found = {
        "name": "shop 1", "functions": 2, "plain": 2.0, "recorded": 3.0, "suite": [[False, 1, 0, 0, 0, 0, 0, 0], [True, 1, 0, 0, 0, 0, 0, 0]],
        "first": {"code": 0, "seconds": 1.0, "calls": 3, "not_compared": 0}, "again": {"code": 0},
        "unused": [row, alarm], "faults": [dict(row, told="silent")], "refactorings": [row],
    }  # fmt: skip
    text = applications_page.page([found, {"name": "other 2", "stopped": "no network"}])
    _, unused, changed = summary.tables(text)
    assert list(unused.lines[0].values()) == ["shop 1", "2 of 2", "1", "0", "0", "1", "0", "0", "1.0 s", "1.0 s"]
    assert [changed.lines[0]["silent"], changed.lines[0]["false alarms"]] == ["1", "0"]
    assert "alarm, `differs`: 1. `a:f` (of `a:g`, `1 recorded call changed, 1 → 2`)" in text
    assert "- shop 1: `a:f`, exit 0: `-1; +2`" in text and "- other 2: no network" in text
    measured = {"Edits of applications": "Measured 2026-01-02 on a machine; 3 rounds.\n\n" + text}
    assert len(summary.tables(summary.summary(measured))[0].lines) == 5
