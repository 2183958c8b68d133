"""Spools whose bytes are kept: every interpreter writes them, and Rust reads them (src/record/golden.rs).

The program is tests/fixtures/spools/app.py. What differs from run to run is taken out: times, process ids, the root, the
version. `ACCEPT=1 pytest test_golden.py -k monitor` writes the files: read what it changed.
"""

import marshal
import os
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "fixtures" / "spools"
MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
KINDS = {"calls": set("HMFOCRXYSTDNEGZ"), "journey": set("HMFOCRXYSTLDNEGZ")}
TIMED = {"C": 4, "R": 2, "X": 2, "Y": 2, "S": 2, "T": 2}
# Said by the recorder itself when a program's functions can no longer all be told.
GAP = "import sys; sys.modules['pytead_tui.recorder.start'].active.gap('journey cut', 20_000)\n"


def normalised(records: list) -> list:
    """Takes out of a recording what another run of the same program has otherwise."""
    out = []
    for clock, record in enumerate(records):
        fields = list(record)
        if fields[0] == "H":
            fields = ["H", fields[1], "golden", 1, 0, 0, 1_700_000_000_000_000_000, 0, "3.13.0", fields[9], "/project"]
        elif fields[0] in TIMED:
            fields[TIMED[fields[0]]] = clock * 1_000
        elif fields[0] == "Z":
            fields[1] = 0  # None below 3.12
        out.append(tuple(fields))
    return out


def written(records: list) -> bytes:
    data = [marshal.dumps(record, 2) for record in records]
    return b"".join(len(record).to_bytes(4, "little") + record for record in data)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("mode", ["calls", "journey"])
def test_every_interpreter_writes_the_golden_spool(program, mode, mechanism):
    for name in ("app.py", "cart.py"):
        shutil.copy(HERE / name, program.root)
    program.write("main.py", "import app\n" + GAP)
    spool = program.record("main.py", PYTEAD_MODE=mode, PYTEAD_EVENTS=mechanism)
    (records,) = spool.files.values()
    found = normalised(records)
    assert {record[0] for record in found} == KINDS[mode]
    path = HERE / f"{mode}.spool"
    if os.environ.get("ACCEPT"):
        path.write_bytes(written(found))
    golden = path.read_bytes()
    kept, at = [], 0
    while at < len(golden):
        size = int.from_bytes(golden[at : at + 4], "little")
        kept.append(marshal.loads(golden[at + 4 : at + 4 + size]))
        at += 4 + size
    assert found == kept
    assert written(found) == golden
