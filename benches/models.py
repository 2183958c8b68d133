"""What a model of this machine costs: pytead-llm beside llama.cpp's own server on the same file, one thread each."""

import contextlib
import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path

import random_model
from bench import Bench, middle, table

TITLE = "Models"
PROMPT = 256  # tokens
WRITTEN = 32
KEPT = 0.8
FUNCTIONS = 8
LONG = 4096  # a prompt that is cancelled while it is read
LATER = 0.2  # seconds
TICKS = os.sysconf("SC_CLK_TCK")
NOTES = """\
CPU seconds of one thread, on a model of realistic shape with random weights (60 MB, Q8_0). Each pair is measured in one round, and
the figure is the median of the rounds' ratios. The peer is `xllamacpp` from PyPI, which is llama.cpp's server.

- *Reading*: a prompt of %d tokens that nothing is kept of. *Writing*: %d tokens.
- *First token*: a prompt of %d tokens of which %d %% stand in the prompt before, beside one that is read from the start.
- *%d functions*: questions that share four fifths of their prompt, each with %d tokens of answer, beside the same with prompts
  that share nothing.
- *Cancel*: clock time from the order to the report, in the middle of a prompt of %d tokens.""" % (
    PROMPT, WRITTEN, PROMPT, KEPT * 100, FUNCTIONS, WRITTEN, LONG,
)  # fmt: skip

SERVE = """
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], 0
params.n_ctx, params.n_parallel = 4096, 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = params.n_threads_http = 1
server = xllamacpp.Server(params)
print("serving", server.listening_address, flush=True)
time.sleep(3600)
"""


class Side:
    """One of the two: asks, and knows what its process has used."""

    def __init__(self, command: list) -> None:
        self.process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def cpu(self) -> float:
        """Gives the CPU seconds so far, all threads together."""
        stat = Path("/proc/%d/stat" % self.process.pid).read_text().rpartition(") ")[2].split()
        return (int(stat[11]) + int(stat[12])) / TICKS

    def cost(self, text: str, tokens: int) -> float:
        """Gives the CPU seconds of an answer."""
        before = self.cpu()
        self.ask(text, tokens)
        return self.cpu() - before

    def ask(self, text: str, tokens: int) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


class Ours(Side):
    """pytead-llm, spoken to as the workbench does."""

    def __init__(self, binary: Path, model: Path) -> None:
        super().__init__([binary])
        self.number = 0
        self.tell({"load": {"path": str(model), "context": 4096, "threads": 1}})
        self.until("loaded")

    def tell(self, order: dict) -> None:
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def until(self, kind: str) -> dict:
        for line in self.process.stdout:
            report = json.loads(line)
            if kind in report:
                return report[kind]
            if "failed" in report:
                raise RuntimeError(report["failed"]["why"])
        raise RuntimeError("pytead-llm ended")

    def order(self, text: str, tokens: int) -> None:
        self.number += 1
        asked = {"id": self.number, "system": "", "user": text, "max_tokens": tokens, "sampling": {"temperature": 0.0}}
        self.tell({"generate": asked})

    def ask(self, text: str, tokens: int) -> None:
        self.order(text, tokens)
        end = self.until("end")
        if end["written"] != tokens:
            raise RuntimeError("%d tokens were asked for: %s" % (tokens, end))

    def cancel(self, text: str) -> float:
        """Gives the time that a cancel takes while a prompt is read."""
        self.order(text, 1)
        time.sleep(LATER)
        begin = time.perf_counter()
        self.tell({"cancel": {"id": self.number}})
        end = self.until("end")
        if end["reason"] != "cancelled":
            raise RuntimeError("it was over before it was cancelled: %s" % end)
        return time.perf_counter() - begin


class Peer(Side):
    """llama.cpp's own server."""

    def __init__(self, python: Path, model: Path) -> None:
        super().__init__([python, "-c", SERVE, model])
        serving = (line.split() for line in self.process.stdout if line.startswith("serving "))
        self.address = next(serving)[1]

    def ask(self, text: str, tokens: int) -> None:
        asked = {"messages": [{"role": "user", "content": text}], "max_tokens": tokens, "temperature": 0, "cache_prompt": True}
        headers = {"content-type": "application/json"}
        address = self.address + "/v1/chat/completions"
        request = urllib.request.Request(address, json.dumps(asked).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            usage = json.load(answer)["usage"]
        if usage["completion_tokens"] != tokens:
            raise RuntimeError("%d tokens were asked for: %s" % (tokens, usage))


class Texts:
    """Prompts of so many tokens, of which no two begin alike unless they are meant to."""

    def __init__(self) -> None:
        self.number = 0

    def fresh(self, length: int) -> str:
        self.number += 1
        return ("%08d" % self.number)[::-1] + "x" * (length - 8)


def measure(bench: Bench, shape: random_model.Shape = random_model.REALISTIC) -> str:
    """Gives the section; a sentence where there is no release build with a model's program beside it."""
    binary = bench.binary and bench.binary.with_name("pytead-llm")
    if not binary or not binary.exists():
        return "Not measured: there was no release build of pytead-llm (cargo build --release --workspace)."
    with bench.empty_folder() as folder, contextlib.ExitStack() as open_sides:
        model = folder / "random.gguf"
        random_model.write(model, shape)
        ours = Ours(binary, model)
        open_sides.callback(ours.close)
        peer = None
        if "xllamacpp" in bench.run([bench.pythons[-1][1], "-m", "pip", "list", "--format=freeze"]).output:
            peer = Peer(bench.pythons[-1][1], model)
            open_sides.callback(peer.close)
        rows = list(_figures(bench, ours, peer))
    return table(["what", "figure", "goal"], rows) + "\n\n" + NOTES


def _figures(bench: Bench, ours: Ours, peer: "Peer | None"):
    texts = Texts()
    rounds = range(bench.rounds + 1)  # the first only fills caches

    if peer is None:
        yield ["beside llama.cpp's server", "not measured: no xllamacpp", ""]
    else:
        bench.say("reading and writing, beside llama.cpp's server")
        pairs = []
        for _ in rounds:
            costs = []
            for side in (ours, peer):
                text = texts.fresh(PROMPT)
                read = side.cost(text, 1)
                # The same prompt is kept but for its last token: what is left is the writing.
                costs.append((read, side.cost(text, WRITTEN + 1)))
            pairs.append(costs)
        for at, what in enumerate(("reading", "writing")):
            speed = middle([other[at] / max(own[at], 1 / TICKS) for own, other in pairs[1:]])
            yield ["%s, beside llama.cpp's server" % what, "%.2f x as fast" % speed, ">= 0.95"]

    bench.say("what prompts share")
    shares = []
    for _ in rounds:
        text = texts.fresh(PROMPT)
        cold = ours.cost(text, 1)
        warm = ours.cost(text[: int(PROMPT * KEPT)] + texts.fresh(PROMPT - int(PROMPT * KEPT)), 1)
        shares.append(warm / max(cold, 1 / TICKS))
    yield ["first token, %d %% of the prompt kept" % (KEPT * 100), "%.2f x" % middle(shares[1:]), "<= 0.30"]

    bench.say("%d functions" % FUNCTIONS)
    shares = []
    for _ in rounds:
        begin = texts.fresh(int(PROMPT * KEPT))
        own = PROMPT - len(begin)
        together = sum(ours.cost(begin + texts.fresh(own), WRITTEN) for _ in range(FUNCTIONS))
        apart = sum(ours.cost(texts.fresh(PROMPT), WRITTEN) for _ in range(FUNCTIONS))
        shares.append(together / max(apart, 1 / TICKS))
    yield ["%d functions sharing a prompt" % FUNCTIONS, "%.2f x" % middle(shares[1:]), "<= 0.65"]

    bench.say("cancelling")
    times = [ours.cancel(texts.fresh(LONG)) for _ in rounds]
    yield ["cancel while a prompt is read", "%.0f ms" % (middle(times[1:]) * 1e3), "<= 100 ms"]
