"""What the README of examples/shop promises about a recording of it."""

import shutil
from pathlib import Path

SHOP = Path(__file__).resolve().parents[3] / "examples" / "shop"


def decimals(spool, qualname):
    """The text of the decimal numbers that the kept calls of a function gave back."""
    ends = [end for _, end in spool.calls(qualname) if end is not None and end[0] == "R"]
    return [end.value[4][0] for end in ends]


def test_the_recording_knows_what_the_demo_shows(program):
    shutil.copytree(SHOP, program.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider")
    recorded = set(spool.functions())
    assert {"Cart.total", "Order.lines", "cheapest", "Stock.from_rows", "money.<locals>.write", "vat_rates"} <= recorded
    assert "bulk_price" not in recorded
    # The three that change when orders of exactly 100.00 ship for free.
    assert decimals(spool, "Cart.total").count("104.90") == 3
    assert decimals(spool, "shipping_for").count("4.90") >= 2


def test_the_scenario_runs_as_it_does_unrecorded(program):
    shutil.copytree(SHOP, program.root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    assert "revenue             138.35" in program.same("main.py").stdout
