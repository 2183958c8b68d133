"""docs/recorder.md names only tests that exist, and every row of it names one."""

import re
from pathlib import Path

HERE = Path(__file__).parent
ARRAYS = HERE.parent / "arrays"
PAGE = HERE.parents[2] / "docs" / "recorder.md"


def test_every_pitfall_has_a_test_that_exists():
    tests = {name for path in [*HERE.glob("*.py"), *ARRAYS.glob("*.py")] for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M)}
    programs = {path.stem for path in (HERE / "conformance" / "programs").iterdir()}
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    rows = [row for row in rows if not row.startswith("| what |")]
    assert len(rows) > 40
    for row in rows:
        proofs = row.strip("| ").rpartition(" | ")[2]
        named = re.findall(r"`conformance: (\w+)`", proofs), re.findall(r"`(test_\w+)`", proofs)
        assert any(named), row
        assert programs.issuperset(named[0]) and tests.issuperset(named[1]), row
