"""What judging costs: clauses on a long journey, and a verdict that a model gave before."""

import http.server
import json
import os
import re
import subprocess
import threading
import time
from pathlib import Path

from bench import Bench, middle, table

TITLE = "Judging"
CALLS = 50_000  # two events each
CLAUSES = 20
ASKED = 200
NOTES = """\
- *A clause* on a journey of %s events: CPU time of `check` with %d clauses less that with one, for each of them; reading the
  journey is the same in both.
- *A kept verdict*: clock time from the request of pytest's plugin to the verdict of a test whose intent a model decided in
  an earlier run, all of it (the test's journey is read, the question written, the verdict found, its signature checked), and
  the same for an intent that rules decide; the median of %d requests.""" % (format(CALLS * 2, ","), CLAUSES, ASKED)

PROGRAM = """
def row(number):
    return number


def work():
    for number in range(%d):
        row(number)


if __name__ == "__main__":
    work()
""" % CALLS

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
        clause = _clause(bench, folder, python)
        kept, rules = _verdicts(bench, folder, python)
    rows = [
        ["a clause, %s events" % format(CALLS * 2, ","), "%.1f ms" % (clause * 1e3)],
        ["a verdict by rules", "%.2f ms" % (rules * 1e3)],
        ["a kept verdict of a model", "%.2f ms" % (kept * 1e3)],
    ]
    return table(["what", "time"], rows) + "\n\n" + NOTES


def _clause(bench: Bench, folder: Path, python: Path) -> float:
    home = _home(folder)
    base = [bench.binary, "--trust", "--root", folder]
    bench.run([*base, "--python", python, "run", "--journey", "--", python, folder / "shop.py"], **home)

    def check(count: int) -> float:
        sentences = ["row is called at least %d times" % number for number in range(1, count + 1)]
        words = [word for sentence in sentences for word in ("-c", sentence)]
        return bench.run([*base, "check", *words], **home).cpu

    rounds = [(check(1), check(CLAUSES)) for _ in range(bench.rounds + 1)][1:]
    return middle([(many - one) / (CLAUSES - 1) for one, many in rounds])


def _verdicts(bench: Bench, folder: Path, python: Path) -> "tuple[float, float]":
    """Judges both tests once, keeps their journeys, and asks the judge about them again and again."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environ = {**os.environ, **_home(folder)}
    config = folder / "home" / "config" / "pytead-tui"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.yaml").write_text(
        "model: {provider: here}\nproviders: {here: {kind: openai, model: m, base_url: 'http://127.0.0.1:%d/v1'}}\n"
        % server.server_port
    )
    assets = Path(__file__).resolve().parent.parent / "assets/python"
    journey = folder / "journey"
    journey.mkdir()
    record = (
        "import sys; sys.path[:0] = [%r, %r]\nfrom pytead_tui.recorder import judged\nimport shop\n"
        "tests = judged.Tests(%r, '', '')\ntests.begin(%r)\ntests.phase('call')\nshop.row(1)\ntests.end()\n"
        % (str(assets), str(folder), str(folder), str(journey))
    )
    subprocess.run([python, "-c", record], check=True, env=environ)
    command = [str(bench.binary), "--root", str(folder), "__judge"]
    judge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, text=True)
    json.loads(judge.stdout.readline())

    def ask(test: str, intent: str) -> "tuple[float, dict]":
        request = {"test": test, "file": "test_shop.py", "intent": intent, "journey": str(journey)}
        line = json.dumps({"judge": request}) + "\n"
        begin = time.perf_counter()
        judge.stdin.write(line)
        judge.stdin.flush()
        while True:
            answer = json.loads(judge.stdout.readline())
            if "verdict" in answer:
                return time.perf_counter() - begin, answer["verdict"]

    free = ("test_shop.py::test_free", "Read a row and be quick about it")
    rules = ("test_shop.py::test_rules", "row is called")
    ask(*free)
    times, verdict = zip(*(ask(*free) for _ in range(ASKED)))
    assert all(one["asked"]["kept"] for one in verdict), verdict[-1]
    ruled, verdict = zip(*(ask(*rules) for _ in range(ASKED)))
    assert all(one["verdict"] == "PASS" for one in verdict), verdict[-1]
    judge.stdin.close()
    judge.wait()
    server.shutdown()
    return middle(list(times)), middle(list(ruled))


def _home(folder: Path) -> dict:
    home = folder / "home"
    return {
        "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "XDG_STATE_HOME": str(home / "state"),
        "XDG_CACHE_HOME": str(home / "cache"), "CI": "",
    }  # fmt: skip


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
