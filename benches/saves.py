"""From a save to its result: the workbench beside pytest-watcher, which runs the whole suite, and pytest-testmon under it.

Clock time, as in screen.py, on three projects: one small, one of some size, one whose modules import pandas. All three look on at
the same time at copies of the same project, and a round edits one copy after the other: what slows one down slows the others.
"""

import shutil
import time
from pathlib import Path

from bench import Bench, middle, table
from diff import more_of_the_shop
from screen import Place, Terminal, head

TITLE = "From a save to its result"
TABLES = 20
COPIES = 20
NOTES = """\
Seconds from the save of an edited function to its result, in terminals of 160×45. *The workbench*: the change of what its recorded
calls return is on the screen; what functions that call it do follows. *pytest-watcher*: `ptw . --now` has run the whole suite,
and its last line says so. *pytest-testmon*: `ptw . --now --testmon` has run the tests that go through the function.

- *Small* is `examples/shop` (86 tests), *%d × small* the same so many times under other names, of which one is edited. *pandas*
  has %d modules that import it, with 20 tests each.
- The workbench says which recorded calls return something else; a suite says which assertions fail. Both are what a person
  waits for after a save, and each edit here shows in all three.
""" % (COPIES, TABLES)
MODULE = '''\
import pandas


def total_%(n)d(pieces, price):
    """Price of all pieces."""
    table = pandas.DataFrame({"pieces": [pieces, 1], "price": [price, 0]})
    return int((table.pieces * table.price).sum())
'''
TESTS = '''\
import pytest

from tables.m%(n)d import total_%(n)d


@pytest.mark.parametrize("pieces", range(20))
def test_total_%(n)d(pieces):
    assert total_%(n)d(pieces, %(n)d) == pieces * %(n)d
'''


class Suite:
    """pytest-watcher in a terminal of its own, on a copy of the project."""

    def __init__(self, place: Place, folder: Path, python: Path, *more: str) -> None:
        self.project = folder
        shutil.copytree(place.project, folder, ignore=shutil.ignore_patterns(".pytead", "__pycache__"))
        words = [str(python), "-m", "pytest_watcher", ".", "--now", "--clear", *more, "-p", "no:randomly", "-q", "."]
        self.terminal = Terminal(words, folder, place.environment | {"COLUMNS": "100"})
        self.rest(" passed")

    def rest(self, result: str) -> None:
        """Waits for a result and until it looks on again: it loses saves while it runs."""
        self.terminal.until(lambda text: result in text and "Press w" in text)
        time.sleep(1)

    def wait(self, edit: "tuple[str, str, str]") -> float:
        """Edits, waits for the failure, takes it back, and gives the time of the first."""
        file, before, after = edit
        path = self.project / file
        text = path.read_text()
        at = time.perf_counter()
        path.write_text(text.replace(before, after))
        took = self.terminal.until(lambda text: " failed" in text) - at
        if "Press w" not in self.terminal.text():
            self.rest(" failed")
        path.write_text(text)
        self.terminal.until(lambda text: " passed" in text and " failed" not in text)
        if "Press w" not in self.terminal.text():
            self.rest(" passed")
        time.sleep(1)
        return took


class Workbench(Suite):
    """The workbench on the project itself."""

    def __init__(self, place: Place) -> None:
        self.project = place.project
        self.terminal = Terminal([str(place.bench.binary)], place.project, place.environment)
        self.terminal.until(lambda text: "all fresh" in head(text))

    def wait(self, edit: "tuple[str, str, str]") -> float:
        file, before, after = edit
        path = self.project / file
        text = path.read_text()
        at = time.perf_counter()
        path.write_text(text.replace(before, after))
        took = self.terminal.until(lambda text: " changed" in head(text)) - at
        path.write_text(text)
        self.terminal.until(lambda text: "all fresh" in head(text))
        return took


def measure(bench: Bench) -> str:
    """Gives the section: a row for each project."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    python = bench.pythons[-1][1]
    rows = []
    larger = "%d × small" % COPIES
    for name, make, edit in (("small", _small, _shop_edit), (larger, _large, _shop_edit), ("pandas", _tables, _tables_edit)):
        bench.say("saves: " + name)
        with bench.empty_folder() as folder:
            place = Place(bench, folder, python)
            make(place)
            place.run("run", "--", "python", "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:testmon", ".")
            ways = [
                Workbench(place),
                Suite(place, folder / "all", python),
                Suite(place, folder / "some", python, "--testmon"),
            ]
            took = [[way.wait(edit(number)) for way in ways] for number in range(bench.rounds)]
            for way in ways:
                way.terminal.close()
        ours, *others = (middle(column) for column in zip(*took))
        ratios = ["%.0f x" % middle([row[at] / row[0] for row in took]) for at in (1, 2)]
        rows.append([name, "%.2f" % ours, *("%.2f" % other for other in others), *ratios])
    titles = ["project", "the workbench", "pytest-watcher", "pytest-testmon", "watcher / ours", "testmon / ours"]
    return table(titles, rows) + "\n\n" + NOTES


def _small(_place: Place) -> None:
    """The shop is there."""


def _large(place: Place) -> None:
    more_of_the_shop(place.project, COPIES)


def _shop_edit(number: int) -> tuple:
    # Each time other code, for known code is not run again.
    return "shop/pricing.py", "return COUNTRIES[country]", "return COUNTRIES[country] * 2 + %d - %d" % (number, number)


def _tables(place: Place) -> None:
    """Takes the shop's place."""
    shutil.rmtree(place.project / "shop")
    shutil.rmtree(place.project / "tests")
    package, tests = place.project / "tables", place.project / "tests"
    package.mkdir()
    tests.mkdir()
    package.joinpath("__init__.py").write_text("")
    for n in range(TABLES):
        package.joinpath("m%d.py" % n).write_text(MODULE % {"n": n})
        tests.joinpath("test_m%d.py" % n).write_text(TESTS % {"n": n})


def _tables_edit(number: int) -> tuple:
    return "tables/m3.py", ".sum())", ".sum()) + 1 + %d - %d" % (number, number)
