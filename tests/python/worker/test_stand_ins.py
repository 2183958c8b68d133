"""R17: functions that left their process give again what they gave, in order, and ask nobody."""

import asyncio
import base64
import marshal
import subprocess
import sys
import types
from pathlib import Path

import pytest

from pytead_tui.recorder.values import TAG
from pytead_tui.worker import stand_ins
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.rebuild import Builder


@pytest.fixture
def module(monkeypatch):
    """A module that other code reads, with the functions that ask."""
    made = types.ModuleType("asking")
    exec(ASKING, made.__dict__)
    monkeypatch.setitem(sys.modules, "asking", made)
    return made


ASKING = """
def fetch(name):
    raise AssertionError("it asked")

class Client:
    get = fetch
    made = classmethod(fetch)
"""


def put(qualname, *outcomes, awaited=False):
    texts = [base64.b64encode(marshal.dumps(outcome, 2)).decode() for outcome in outcomes]
    one = {"module": "asking", "qualname": qualname, "awaited": awaited, "outcomes": texts}
    stand_ins.put([one], Builder(), None)


def test_answers_come_in_order_and_no_more_than_were_recorded(module):
    put("fetch", ("R", [1], {}), ("X", (TAG, "exc", 1, "builtins", "ValueError", ("no",), {}), {}), ("R", None, {}))
    assert module.fetch("a") == [1]
    with pytest.raises(ValueError, match="no"):
        module.fetch("b")
    assert module.fetch("c") is None
    with pytest.raises(LookupError, match="fetch is asked more often than when it was recorded"):
        module.fetch("d")


def test_methods_are_given_no_receiver_and_coroutines_are_awaited(module):
    put("Client.get", ("R", 1, {}))
    put("Client.made", ("R", 2, {}))
    assert (module.Client().get("/"), module.Client.made()) == (1, 2)
    put("fetch", ("R", 3, {}), awaited=True)
    assert asyncio.run(module.fetch("a")) == 3


def test_a_function_is_replaced_wherever_a_module_names_it(module, monkeypatch):
    other = types.ModuleType("other")
    other.by_name, other.another = module.fetch, test_what_is_gone_cannot_be_replaced
    monkeypatch.setitem(sys.modules, "other", other)
    put("fetch", ("R", 1, {}))
    assert other.by_name is module.fetch and other.by_name("a") == 1
    assert other.another is test_what_is_gone_cannot_be_replaced


def test_what_would_leave_the_process_is_stopped_and_told(tmp_path):
    program = """
import os, socket, subprocess, sys, tempfile
from pathlib import Path
from pytead_tui.worker import stand_ins
stopped = stand_ins.stay(sys.argv[1])
open(__file__ if "__file__" in globals() else "/dev/null").close()
try:
    subprocess.run([sys.executable, "-c", ""])
except stand_ins.Leaving as leaving:
    print(leaving)
try:
    socket.create_connection(("127.0.0.1", 9))
except Exception:
    pass  # some programs think that they know what went wrong
try:
    Path("made").mkdir()
except OSError:
    pass
except stand_ins.Leaving:
    print(os.path.exists("made"))
try:
    os.access(".", os.W_OK)
except stand_ins.Leaving as leaving:
    print(leaving, os.access(".", os.R_OK))
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "file").write_text("x")
left, right = socket.socketpair()
print(stopped.noted)
"""
    environment = {"PYTHONPATH": str(Path(stand_ins.__file__).parents[2])}
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == [
        "subprocess.Popen", "False", "os.access True",
        "[('process', 'subprocess.Popen'), ('net', 'socket.getaddrinfo'), ('file', 'os.mkdir made'), ('file', 'os.access .')]",
    ], done  # fmt: skip


def test_what_is_gone_cannot_be_replaced(module):
    for name in ("gone", "Client.gone", "Gone.get"):
        with pytest.raises(Broken, match="any more"):
            put(name, ("R", 1, {}))
