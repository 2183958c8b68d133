"""Records a program and makes its calls again with unchanged code: no outcome may differ.

The worker runs here as it is, without a sandbox around it.
"""

import base64
import json
import marshal
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve()
ROOT = HERE.parents[3]
PACKAGE = ROOT / "assets" / "python"
sys.path.insert(0, str(HERE.parents[1] / "recorder"))

from spools import read_folder  # noqa: E402

from pytead_tui.worker.inputs import TICK  # noqa: E402
from pytead_tui.worker.side_effects import KEY  # noqa: E402

NOT_AGAIN = {"clock", "env", "cwd", "net", "process", "file"}


class Worker:
    """A worker process and its protocol."""

    def __init__(self, scratch: Path, **extra: str) -> None:
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(PACKAGE), "PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1"}
        env.update(HOME=str(scratch), TMPDIR=str(scratch), PYTEAD_SCRATCH=str(scratch), **extra)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pytead_tui.worker"], cwd=scratch, env=env, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )  # fmt: skip
        self.number = 0

    def ask(self, **message: object) -> list:
        self.number += 1
        body = json.dumps({"id": self.number, **message}).encode()
        self.process.stdin.write(len(body).to_bytes(4, "little") + body)
        self.process.stdin.flush()
        replies = []
        while not replies or not replies[-1].get("done"):
            length = int.from_bytes(self.process.stdout.read(4), "little")
            replies.append(json.loads(self.process.stdout.read(length)))
            assert replies[-1].pop("id") == self.number
        return replies

    def close(self) -> None:
        self.process.stdin.close()
        assert self.process.wait(10) == 0


@pytest.fixture
def worker(tmp_path):
    (tmp_path / "scratch").mkdir()
    made = Worker(tmp_path / "scratch")
    yield made
    made.close()


@pytest.fixture
def shop(tmp_path):
    shutil.copytree(ROOT / "examples" / "shop", tmp_path / "shop")
    (tmp_path / "spool").mkdir(mode=0o700)
    return (tmp_path / "shop").resolve()


def imported(tree):
    """Names a script as it is imported; Rust does so when it reads a spool."""
    if type(tree) in (tuple, list):
        return type(tree)(map(imported, tree))
    if type(tree) is dict:
        return {imported(k): imported(v) for k, v in tree.items()}
    return "main" if type(tree) is str and tree == "__main__" else tree


def normal(tree):
    """Renumbers the objects of a tree in their order."""
    numbers: dict = {}

    def walk(t):
        if type(t) is tuple and len(t) > 2 and t[0] is StopIteration:
            if t[1] in ("obj", "sub", "ref", "mut", "exc", "opaque"):
                number = numbers.setdefault(t[2], len(numbers))
                return (t[1], number, *map(walk, t[3:]))
            return tuple(map(walk, t[1:]))
        if type(t) in (tuple, list):
            return type(t)(map(walk, t))
        if type(t) is dict:
            return {walk(k): walk(v) for k, v in t.items()}
        return t

    return walk(tree)


def record(root: Path, spool: Path, *command: str) -> object:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEAD", "PYTHON", "PYTEST"))}
    env.update(PYTEAD_SPOOL=str(spool), PYTEAD_RECORDING="1", PYTEAD_ROOT=str(root), PYTHONDONTWRITEBYTECODE="1")
    env["PYTHONPATH"] = str(PACKAGE / "pytead_tui" / "boot")
    subprocess.run([sys.executable, *command], cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)
    return read_folder(spool)


def recorded_calls(spool: object) -> tuple:
    """Gives the requests, and by key the recorded outcome."""
    modules = {m[1]: m for m in spool.of("M")}
    functions = {f[1]: f for f in spool.of("F")}
    touched = {e[1] for e in spool.of("E") if e[2] in NOT_AGAIN}
    ends = {e.cid: e for e in spool.records if e[0] in "RX"}
    yields: dict = {}
    for y in spool.of("Y"):
        yields.setdefault(y[1], []).append(y[3])
    calls, outcomes = [], {}
    for c in spool.of("C"):
        _, _, mid, qualname, _, flags, parameters, _ = functions[c.fid]
        end = ends.get(c.cid)
        if end is None or c.cid in touched or flags & 8:
            continue
        path = modules[mid][3]
        args = tuple((name, kind, imported(tree)) for (name, kind), tree in zip(parameters, c.args))
        calls.append({
            "key": c.cid, "module": path[:-3].replace("/", ".").removesuffix(".__init__"), "path": path,
            "qualname": qualname, "args": base64.b64encode(marshal.dumps(args, 2)).decode(), "wait_ms": 5000,
        })  # fmt: skip
        if flags & 5:
            how = "returned" if end[0] == "R" else "raised"
            outcomes[c.cid] = imported(("Y", yields.get(c.cid, []), how, end[3], end.changed))
        else:
            outcomes[c.cid] = imported((end[0], end[3], end.changed))
    return calls, outcomes


@pytest.mark.parametrize(
    "command", [["main.py"], ["-m", "pytest", "-q", "-p", "no:cacheprovider"]], ids=["main", "tests"]
)
def test_unchanged_code_gives_the_recorded_outcomes(shop, worker, tmp_path, command):
    calls, outcomes = recorded_calls(record(shop, tmp_path / "spool", *command))
    assert len(calls) > 30
    assert worker.ask(op="hello", preload=["decimal", "no_such_module"])[0]["python"]
    *replies, last = worker.ask(op="replay", root=str(shop), paths=[str(shop)], calls=calls, track=True)
    assert last == {"done": True}
    made, differ, broken = 0, [], []
    for reply, call in zip(replies, calls, strict=True):
        if "broken" in reply:
            broken.append((call["qualname"], reply["broken"]))
            continue
        made += 1
        outcome = marshal.loads(base64.b64decode(reply["outcome"]))
        outcome[-1].pop(KEY)  # a recording notes none
        if normal(outcome) != normal(outcomes[reply["key"]]):
            differ.append((call["qualname"], outcomes[reply["key"]], outcome))
        elif [call["path"], call["qualname"]] not in reply["entered"]:
            differ.append((call["qualname"], "not entered", reply["entered"]))
    assert not differ
    # What tests define inside themselves, and a random generator's state, cannot be made again.
    reasons = ("cannot be read or made again", "cannot be imported: ModuleNotFoundError", "_UniqueAddressHeader")
    assert all(any(reason in why for reason in reasons) for _, why in broken), broken
    assert made > 3 * len(broken), broken


def test_a_changed_function_gives_another_outcome(shop, worker, tmp_path):
    calls, outcomes = recorded_calls(record(shop, tmp_path / "spool", "main.py"))
    calls = [call for call in calls if call["qualname"] == "Cart.total"]
    pricing = shop / "shop" / "cart.py"
    pricing.write_text(pricing.read_text().replace("return ", "return 1 + ", 1))
    replies = worker.ask(op="replay", root=str(shop), paths=[str(shop)], calls=calls)[:-1]
    assert calls and all("outcome" in reply and "entered" not in reply for reply in replies), replies


def test_what_is_imported_ahead_serves_the_calls_that_follow(worker, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "stamped.py").write_text("import time\n\nAT = time.time_ns()\n\n\ndef at():\n    return AT\n")
    # What changed just now is read anew.
    while time.time_ns() - max(path.stat().st_ctime_ns for path in (project, project / "stamped.py")) < 2 * TICK:
        time.sleep(0.01)
    place = {"module": "stamped", "path": "stamped.py", "qualname": "at"}
    where = {"root": str(project), "paths": [str(project)]}
    assert worker.ask(op="import", places=[place], **where) == [{"done": True}]
    imported = time.time_ns()
    call = {**place, "key": 1, "args": base64.b64encode(marshal.dumps((), 2)).decode(), "wait_ms": 5000}
    reply = worker.ask(op="replay", calls=[call], **where)[0]
    assert marshal.loads(base64.b64decode(reply["outcome"]))[1] < imported
    broken = {"module": "nowhere", "path": "nowhere.py", "qualname": "f"}
    assert worker.ask(op="import", places=[broken], **where) == [{"done": True}], "it is said of the calls that need it"


def test_an_expression_that_imports_a_model_is_evaluated_where_django_is_set_up(tmp_path):
    project = tmp_path / "project"
    (project / "django").mkdir(parents=True)
    (tmp_path / "scratch").mkdir()
    (project / "django" / "__init__.py").write_text(
        "def setup():\n    from django.apps import apps\n\n    apps.ready = True\n"
    )
    (project / "django" / "apps.py").write_text("class apps:\n    ready = False\n")
    (project / "models.py").write_text("from django.apps import apps\n\nassert apps.ready\nAuthor = 'Ada'\n")
    worker = Worker(tmp_path / "scratch", DJANGO_SETTINGS_MODULE="settings")
    item = {"key": 1, "source": "Author", "imports": ["from models import Author"]}
    reply = worker.ask(op="evaluate", root=str(project), paths=[str(project)], items=[item])[0]
    worker.close()
    assert "broken" not in reply and marshal.loads(base64.b64decode(reply["value"])) == "Ada", reply
