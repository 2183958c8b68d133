"""What the guard of the `weak` level refuses and lets pass; in a process of its own, for a hook stays."""

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3] / "assets" / "python"

SCRIPT = """
import asyncio, os, shutil, socket, sqlite3, subprocess, sys, tempfile
sys.path.insert(0, sys.argv[1])
from pytead_tui import guard

inside, outside = sys.argv[2], sys.argv[3]
tempfile.tempdir = inside
guard.install([inside])
import ctypes
guard.calling()

def refused(f, *args):
    try:
        f(*args)
    except PermissionError as error:
        assert str(error).startswith("pytead-tui: a replayed call may not"), error
    else:
        raise AssertionError((f, args))

refused(open, outside + "/new", "w")
refused(open, outside + "/file", "a")
refused(open, outside + "/file", "r+")
refused(os.open, outside + "/new", os.O_WRONLY | os.O_CREAT)
refused(os.remove, outside + "/file")
refused(os.rename, outside + "/file", inside + "/file")
refused(os.rename, inside, outside + "/moved")
refused(os.mkdir, outside + "/folder")
refused(os.symlink, inside, outside + "/link")
refused(os.chmod, outside + "/file", 0o777)
refused(os.truncate, outside + "/file", 0)
refused(shutil.rmtree, outside)
refused(sqlite3.connect, outside + "/db")
refused(socket.create_connection, ("127.0.0.1", 9))
refused(socket.socket)
refused(socket.socket(socket.AF_UNIX).connect, outside + "/socket")
refused(subprocess.run, ["true"])
refused(os.system, "true")
refused(os.fork)
refused(os.kill, os.getppid(), 0)
refused(ctypes.CDLL, None)
os.symlink(outside, inside + "/link")
refused(open, inside + "/link/new", "w")

open(outside + "/file").read()
open(inside + "/new", "w").close()
open(os.devnull, "w").close()
tempfile.TemporaryDirectory().cleanup()
sqlite3.connect(":memory:").execute("select 1")
asyncio.run(asyncio.sleep(0))
with guard.ours():
    subprocess.run([sys.executable, "-c", ""], check=True)
print("held")
"""


def test_the_guard_holds(tmp_path):
    for name in ("inside", "outside"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside" / "file").write_text("kept")
    places = [str(PACKAGE), str(tmp_path / "inside"), str(tmp_path / "outside")]
    done = subprocess.run([sys.executable, "-c", SCRIPT, *places], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "held\n"), done.stderr
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["file"]
    assert (tmp_path / "outside" / "file").read_text() == "kept"
