"""The table at the top of docs/benchmarks.md says what the sections below it say."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))

import bench  # noqa: E402
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
