"""How soon a screen follows what somebody else decides or proposes on the same project.

Clock time, as in screen.py: from the key, or from the moment at which a process said that it has decided, to the first
moment at which the other workbench shows it. Both are there all the time, and nothing is told from one to the other but
by the project's database.
"""

import json
import os
import subprocess
import threading
import time

from bench import Bench, middle, table
from screen import Place

TITLE = "Two writers on one project"
TIMES = 20
GOAL = 300
NOTES = """\
Milliseconds until the other screen shows it; %d times each, in terminals of 160×45. *Two workbenches*: `r` in one, until
the other, which stands on the same proposal, says that it waits no more; then `u` in the first, until the other has it back.
*A command*: from the line in which `review --reject` says so. *An agent*: from the answer in which `create_test` over MCP
says that the test waits, to the number of what waits on the screen.
""" % (TIMES)
GONE = "waits no more"
SPEC = (
    "test: {name: kept %d}\nsteps:\n  - {tool: store_value, args: {name: a, value: 1}, check: \"result['stored'] == 'a'\"}\n"
    "verdict: {pass_if: all steps pass, fail_if: any step fails}\n"
)


class Agent:
    """A coding agent: an MCP client that knows two messages."""

    def __init__(self, place: Place) -> None:
        self.number = 0
        self.process = subprocess.Popen(
            [str(place.bench.binary), "mcp"],
            cwd=place.project,
            env=place.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        self.request("initialize", client)
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _write(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict) -> float:
        """Asks, and gives the moment of the answer."""
        self.number += 1
        self._write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                if message.get("error") or message["result"].get("isError"):
                    raise RuntimeError(line)
                return time.perf_counter()
        raise RuntimeError("the server is gone")

    def close(self) -> None:
        """Leaves."""
        self.process.stdin.close()
        self.process.wait()


def measure(bench: Bench) -> str:
    """Gives the section: a row for each kind of other writer."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    python = bench.pythons[-1][1]
    rows = []
    with bench.empty_folder() as folder:
        place = Place(bench, folder, python)
        place.run("run", "--", "pytest", "-q")
        place.run("gen")
        for name, part in [
            ("Two workbenches: rejected", _rejected),
            ("Two workbenches: taken back", _taken_back),
            ("A command: rejected", _by_command),
            ("An agent: proposed", _by_agent),
        ]:
            bench.say(name)
            waits = [1000 * wait for wait in part(place)]
            rows.append([name, len(waits), "%.0f" % middle(waits), "%.0f" % max(waits), GOAL])
    return table(["what", "times", "median ms", "worst ms", "goal ms"], rows) + "\n\n" + NOTES


def _both(place: Place):
    """Opens two workbenches that stand on the same proposal, and yields them, decided and taken back, TIMES times."""
    with place.open() as one, place.open() as other:
        for terminal in (one, other):
            terminal.until(lambda text: "Ready" in text and "watch on" in text)
        for _ in range(TIMES):
            at = one.keys("r")
            rejected = other.until(lambda text: GONE in text) - at
            one.until(lambda text: "Rejected" in text)
            at = one.keys("u")
            back = other.until(lambda text: GONE not in text) - at
            one.until(lambda text: "Taken back" in text and "Ready" in text)
            yield rejected, back


def _rejected(place: Place) -> list:
    return [rejected for rejected, _ in _both(place)]


def _taken_back(place: Place) -> list:
    return [back for _, back in _both(place)]


def _by_command(place: Place) -> list:
    waits = []
    with place.open() as terminal:
        terminal.until(lambda text: "Ready" in text and "watch on" in text)
        for _ in range(TIMES):
            number = _shown(place, terminal.text())
            at = _said(place, ["review", "--reject", number], "Rejected")
            waits.append(terminal.until(lambda text: GONE in text) - at)
            place.run("review", "--undo")
            terminal.until(lambda text: GONE not in text)
    return waits


def _shown(place: Place, screen: str) -> str:
    """Gives the number of the proposal that a screen shows."""
    listed = subprocess.run(
        [str(place.bench.binary), "--format", "json", "review"],
        cwd=place.project,
        env=place.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    queue = next(line["value"] for line in map(json.loads, listed.stdout.splitlines()) if line["result"] == "queue")
    shown = next(row for row in queue if "test for %s " % row["function"] in screen + " ")
    return str(shown["id"])


def _said(place: Place, arguments: list, word: str) -> float:
    """Runs a verb, and gives the moment at which it said a word."""
    process = subprocess.Popen(
        [str(place.bench.binary), *arguments],
        cwd=place.project,
        env=place.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    said = None
    for line in process.stdout:
        if said is None and word in line:
            said = time.perf_counter()
    if process.wait() or said is None:
        raise RuntimeError("%s did not say %s" % (arguments, word))
    return said


def _by_agent(place: Place) -> list:
    waits = []
    agent = Agent(place)
    try:
        with place.open() as terminal:
            terminal.until(lambda text: "Ready" in text and "watch on" in text)
            count = _count(terminal.text())
            for number in range(TIMES):
                arguments = {"text": SPEC % number, "filename": "kept_%d_%d" % (os.getpid(), number)}
                wanted = "1 Review %d" % (count + number + 1)
                seen = []
                # The screen may be faster than the answer.
                follow = threading.Thread(target=_follow, args=(terminal, wanted, seen))
                follow.start()
                at = agent.request("tools/call", {"name": "create_test", "arguments": arguments})
                follow.join()
                waits.append(max(0.0, seen[0] - at))
    finally:
        agent.close()
    return waits


def _follow(terminal, wanted: str, seen: list) -> None:
    seen.append(terminal.until(lambda text: wanted in text))


def _count(screen: str) -> int:
    return int(screen.split("1 Review ", 1)[1].split("]", 1)[0].split()[0])
