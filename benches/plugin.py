"""What pytest's plugin costs a suite that has no intents: pytest alone, and with the plugin."""

from pathlib import Path

from bench import ROOT, Bench, middle, table

TITLE = "The plugin of pytest"
FILES, TESTS = 30, 100
PLUGIN = ["-p", "pytead_tui.pytest_plugin"]
NOTES = """\
- A generated suite of %d tests in %d files, none with an intent; no other plugins. *Plain* is pytest's CPU time, *with the
  plugin* that of the same round, times the plain one's; on a machine that does other things, too, it is mostly noise.
- *In our own code* is the share of all time that the plugin's own functions and what they call take, as cProfile counts it.""" % (
    FILES * TESTS,
    FILES,
)
SHARE = """
import pstats, sys
stats = pstats.Stats(sys.argv[1])
own = lambda where: "pytead_tui" in where[0]
spent = sum(call[3] for where, row in stats.stats.items() if own(where) for caller, call in row[4].items() if not own(caller))
print(100 * spent / stats.total_tt)
"""


def measure(bench: Bench) -> str:
    """Gives the section: a row for each interpreter."""
    rows = []
    with bench.empty_folder() as folder:
        _generate(folder)
        for version, python in bench.pythons:
            bench.say("pytest under Python %s" % version)
            rounds = [
                (_cpu(bench, python, folder, []), _cpu(bench, python, folder, PLUGIN)) for _ in range(bench.rounds + 1)
            ][1:]
            plain = middle([plain for plain, _ in rounds])
            ratio = middle([loaded / plain for plain, loaded in rounds])
            rows.append([version, "%.2f s" % plain, "%.3f" % ratio, "%.2f %%" % _share(bench, python, folder)])
    return table(["Python", "plain", "with the plugin", "in our own code"], rows) + "\n\n" + NOTES


def _generate(folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\n")
    for file in range(FILES):
        tests = ("def test_%d():\n    assert %d + 1 == %d\n" % (number, number, number + 1) for number in range(TESTS))
        (folder / ("test_%d.py" % file)).write_text("\n\n".join(tests))


def _cpu(bench: Bench, python: Path, folder: Path, words: list) -> float:
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, folder]
    return bench.run(command, PYTHONPATH=str(ROOT / "assets/python"), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1").cpu


def _share(bench: Bench, python: Path, folder: Path) -> float:
    """Gives the percentage of the plugin's own functions."""
    stats = bench.folder / "stats"
    command = [python, "-m", "cProfile", "-o", stats, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PLUGIN, folder]
    bench.run(command, PYTHONPATH=str(ROOT / "assets/python"), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    return float(bench.run([python, "-c", SHARE, stats]).output)
