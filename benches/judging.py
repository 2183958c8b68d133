"""What judging costs: clauses on a long journey, and a verdict that a model gave before."""

import http.server
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from bench import Bench, middle, table

TITLE = "Judging"
TURNS = 16_666  # of three calls, two events each
ASKED = 200
TIMES = 5  # that a clause is put in one request
CLAUSES = [
    "write is called at least twice", "read is called before write", "write is called only after read",
    "every read is followed by write", "every read has a matching write", "if read returns 7 then write is called",
    "turn calls write", "write is called only inside turn", "turn returns the result of write",
    "write is called with number returned by read", "write is called exactly once in each turn",
    "write is called at most once per number", "between read and write, turn is never called", "turn is never called concurrently",
]  # fmt: skip
NOTES = """\
- *A clause* on a journey of %s events: clock time of a request with %d times the clause less that of one with it once, for
  each of them; reading the journey is the same in both. Recording stops writing such journeys down long before: the
  recorder's own limits are off here.
- *Plain Python*: the same asked by a few lines of Python for each clause (`benches/plainly.py`), over the JSON lines that `export`
  gives of the same journey, read before. It says whether a clause holds; a clause's evidence is in our time and not in its.
  pytest-semantic has nothing to be put beside: it leaves every intent to a model.
- *A kept verdict*: clock time from the request of pytest's plugin to the verdict of a test whose intent a model decided in
  an earlier run, all of it (the test's journey is read, the question written, the verdict found, its signature checked), and
  the same for an intent that rules decide; the median of %d requests.""" % (format(TURNS * 6 + 2, ","), TIMES, ASKED)

PROGRAM = (
    """
def read(number):
    return number


def write(number):
    return number


def turn(number):
    return write(read(number))


def work():
    for number in range(%d):
        turn(number)


def row(number):
    return number
"""
    % TURNS
)

TEST = """
from pytead_tui import semantic_test
from shop import row


@semantic_test("Read a row and be quick about it")
def test_free():
    assert row(1) == 1


@semantic_test("row is called")
def test_rules():
    assert row(1) == 1
"""


def measure(bench: Bench) -> str:
    """Gives the section; a sentence where there is no release build."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    version, python = bench.pythons[-1]
    bench.say("judging under Python %s" % version)
    with bench.empty_folder() as folder:
        (folder / "shop.py").write_text(PROGRAM)
        (folder / "test_shop.py").write_text(TEST)
        (folder / "pyproject.toml").write_text("")
        long = _record(folder, python, "work()", everything=True)
        short = _record(folder, python, "row(1)")
        plain = _plainly(bench, folder, python, long)
        with _Server() as server, _Judge(bench, folder, server.port) as judge:
            ours = _clauses(bench, judge, long)
            kept, rules = _verdicts(judge, short)
    rows = [
        [clause, "%.1f ms" % (seconds * 1e3), "%.1f ms" % (other * 1e3), "%.2f" % (seconds / other)]
        for (clause, seconds), other in zip(ours, plain)
    ]
    rows += [["a verdict by rules", "%.2f ms" % (rules * 1e3), "", ""]]
    rows += [["a kept verdict of a model", "%.2f ms" % (kept * 1e3), "", ""]]
    return table(["what", "time", "plain Python", "ours / plain"], rows) + "\n\n" + NOTES


def _plainly(bench: Bench, folder: Path, python: Path, journey: Path) -> list:
    """Gives the seconds that each clause takes in plain Python, over the journey's JSON lines."""
    lines = folder / "journey.jsonl"
    with bench.empty_folder() as project:
        (project / "pyproject.toml").write_text("")
        bench.run([bench.binary, "import", journey, "--root", project, "--trust"])
        told = bench.run([bench.binary, "export", "1", "--format", "json", "--root", project, "--trust"])
        lines.write_text(told.output, encoding="utf-8")
    script = Path(__file__).with_name("plainly.py")
    return json.loads(bench.run([python, script, lines, bench.rounds]).output)


def _record(folder: Path, python: Path, call: str, everything: bool = False) -> Path:
    """Writes the journey of a call, without any limit where everything is wanted."""
    assets = Path(__file__).resolve().parent.parent / "assets/python"
    journey = Path(tempfile.mkdtemp(dir=folder))
    limits = (
        "from pytead_tui.recorder import journey, state\njourney.FULL = journey.SHORT = state.MOST_EVENTS = 10**9\n"
    )
    script = (
        "import sys; sys.path[:0] = [%r, %r]\n%sfrom pytead_tui.recorder import judged\nimport shop\n"
        "tests = judged.Tests(%r, '', '')\ntests.begin(%r)\ntests.phase('call')\nshop.%s\ntests.end()\n"
        % (str(assets), str(folder), limits if everything else "", str(folder), str(journey), call)
    )
    subprocess.run([python, "-c", script], check=True, env={**os.environ, **_home(folder)})
    return journey


def _clauses(bench: Bench, judge: "_Judge", journey: Path) -> "list[tuple[str, float]]":
    """Gives the time of each clause."""
    found = []
    for clause in CLAUSES:
        rounds = []
        for _ in range(bench.rounds):
            times = []
            for count in (1, TIMES):
                seconds, verdict = judge.ask("test_shop.py::test_rules", "Work", journey, [clause] * count)
                assert verdict["verdict"] == "PASS" and len(verdict["clauses"]) == count, verdict["reason"]
                times.append(seconds)
            rounds.append((times[1] - times[0]) / (TIMES - 1))
        found.append((clause, middle(rounds)))
    return found


def _verdicts(judge: "_Judge", journey: Path) -> "tuple[float, float]":
    """Judges both tests once, then asks about them again and again."""
    free = ("test_shop.py::test_free", "Read a row and be quick about it", journey)
    rules = ("test_shop.py::test_rules", "row is called", journey)
    judge.ask(*free)
    times, verdict = zip(*(judge.ask(*free) for _ in range(ASKED)))
    assert all(one["asked"]["kept"] for one in verdict), verdict[-1]
    ruled, verdict = zip(*(judge.ask(*rules) for _ in range(ASKED)))
    assert all(one["verdict"] == "PASS" for one in verdict), verdict[-1]
    return middle(list(times)), middle(list(ruled))


class _Judge:
    """The process that pytest's plugin asks."""

    def __init__(self, bench: Bench, folder: Path, port: int) -> None:
        config = folder / "home" / "config" / "pytead-tui"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.yaml").write_text(
            "model: {provider: here}\nproviders: {here: {kind: openai, model: m, base_url: 'http://127.0.0.1:%d/v1'}}\n"
            % port
        )
        command = [str(bench.binary), "--root", str(folder), "__judge"]
        environ = {**os.environ, **_home(folder)}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, text=True)
        json.loads(self.process.stdout.readline())

    def __enter__(self) -> "_Judge":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()

    def ask(self, test: str, intent: str, journey: Path, checks: "list[str] | None" = None) -> "tuple[float, dict]":
        request = {
            "test": test,
            "file": "test_shop.py",
            "intent": intent,
            "checks": checks or [],
            "journey": str(journey),
        }
        line = json.dumps({"judge": request}) + "\n"
        begin = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "verdict" in answer:
                return time.perf_counter() - begin, answer["verdict"]


def _home(folder: Path) -> dict:
    home = folder / "home"
    return {
        "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"), "CI": "",
    }  # fmt: skip


class _Server:
    """A model's server that says of every intent that it holds."""

    def __enter__(self) -> "_Server":
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Model)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()


class _Model(http.server.BaseHTTPRequestHandler):
    """Says of every intent that it holds."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        nonce = re.findall(r"Nonce: (\w+)", body)[-1]
        sentence = {
            "id": "c1", "span": "", "analysis": "", "evidence": [{"line": 1, "quote": "row"}], "claims": [],
            "outcome": "holds",
        }  # fmt: skip
        answer = {
            "schema": "verdict/1", "nonce": nonce, "clauses": [sentence], "missing_info": [], "suspected_injection": [],
            "confidence": "high", "verdict": "PASS", "summary": "",
        }  # fmt: skip
        chunks = [
            {"choices": [{"index": 0, "delta": {"content": json.dumps(answer)}}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        ]
        text = "".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: object) -> None:
        pass
