"""Programs of numpy and pandas run recorded as they do unrecorded, and what they hand around is told."""

import importlib.util
import sys
from pathlib import Path

from captured import S

FOLDER = Path(__file__).resolve().parents[1] / "recorder"
spec = importlib.util.spec_from_file_location("recorder_conftest", FOLDER / "conftest.py")
recorder = importlib.util.module_from_spec(spec)
sys.path.insert(0, str(FOLDER))
spec.loader.exec_module(recorder)
program = recorder.program

TABLES = """
import numpy as np
import pandas as pd

def f(value):
    return value

def spoil(frame, array):
    frame["b"] = frame["a"] * 2
    array[0] = 9

def main():
    frame = pd.DataFrame({"a": [1, 2], "t": pd.to_datetime(["2024-01-01", "2024-01-02"]), "c": ["x", None]})
    for value in (frame, frame["a"], frame.index, frame.loc[0, "t"], pd.Timedelta("1 days").as_unit("s"), pd.NaT,
                  np.arange(10**5), np.linspace(0, 1, 99), np.array(["2024-01-01"], dtype="M8[ns]"), np.float64(1.5)):
        print(type(f(value)).__name__)
    spoil(frame, np.arange(3))
    print(frame)
"""


def test_recording_tables_changes_nothing_that_shows(program):
    program.write("app.py", TABLES)
    program.write("main.py", "import app\napp.main()\n")
    done = program.same("-W", "error", "main.py")
    assert done.stderr == ""
    assert len(program.read(done).calls("f")) == 10


def test_what_was_changed_is_told(program):
    spool = program.main(TABLES)
    _, end = spool.one("spoil")
    assert sorted(end.changed) == ["array", "frame"]
    assert end.changed["array"] == (S, "ndarray", "<i8", (3,), [9, 1, 2])
    assert end.changed["frame"][4][0]["b"] == [2, 4]


def test_nothing_is_imported_that_the_program_did_not(program):
    spool = program.main("""
        import sys

        def f(value):
            return value

        def main():
            f([1.5, {"a": 1}])
            print(sorted({"numpy", "pandas"} & set(sys.modules)))
    """)
    assert spool.process.stdout == "[]\n"
