"""What taking in a recording costs: spool files of a known size, imported by the release build.

The spools are written here, in the form of docs/spool.md and with values of the usual sizes; reading, redaction and the
database are the product's own.
"""

import marshal
import sys
from pathlib import Path

from bench import Bench, middle, table

TITLE = "Ingest"
CALLS = 200_000
EVENTS = 1_000_000
FUNCTIONS = 100
NOTES = """\
- *A second* is one of CPU time, reading and writing together; what an import of ten records costs is taken off.
- *Calls* become a row each, with arguments, outcome and the hash of the input; *events* of a journey become compressed
  blocks of 1,000. Secrets are looked for in both.
- *Memory* is the peak of the process, against that of the small import."""

PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def measure(bench: Bench) -> str:
    """Gives the section; a sentence where there is no release build."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    rows = []
    for name, mode, many in (("calls", "calls", CALLS), ("events of a journey", "journey", EVENTS)):
        with bench.empty_folder() as folder:
            bench.say("ingest: %d %s" % (many, name))
            size = write_spool(folder / "large" / "1-0.spool", mode, many)
            write_spool(folder / "small" / "1-0.spool", mode, 10)
            rounds = [(_import(bench, folder, "large"), _import(bench, folder, "small")) for _ in range(bench.rounds)]
            seconds = middle([large[0] - small[0] for large, small in rounds])
            memory = middle([large[1] - small[1] for large, small in rounds]) / 1024
            rows.append(
                [
                    name,
                    "{:,}".format(many),
                    "%.0f MB" % (size / 1e6),
                    "{:,.0f}".format(many / seconds),
                    "%+.0f MB" % memory,
                ]
            )
    return table(["", "number", "spool", "a second", "memory"], rows) + "\n\n" + NOTES


def _import(bench: Bench, folder: Path, name: str) -> tuple:
    """Gives the CPU seconds of an import into a new project, and its peak of memory in KiB."""
    with bench.empty_folder() as project:
        (project / "pyproject.toml").write_text("")
        command = [bench.binary, "import", folder / name, "--root", project, "--trust"]
        done = bench.run([sys.executable, "-S", "-c", PEAK, *command])
        return done.cpu, int(done.output.split()[-1])


def write_spool(path: Path, mode: str, many: int) -> int:
    """Writes a spool file of so many records, and gives its size."""
    path.parent.mkdir()
    with open(path, "wb") as spool:

        def write(*record: object) -> None:
            data = marshal.dumps(record, 2)
            spool.write(len(data).to_bytes(4, "little") + data)

        write("H", 1, "r", 1, 0, 0, 1_700_000_000_000_000_000, 0, "3.13.0", mode, "/p")
        write("M", 1, "shop.cart", "shop/cart.py", "", None)
        for f in range(1, FUNCTIONS + 1):
            write("F", f, 1, "Cart.method_%d" % f, f * 10, 16, (("self", 1), ("name", 1), ("count", 1)), 0)
        calls = many if mode == "calls" else many // 2
        for i in range(1, calls + 1):
            fields = {"items": [i, i + 1], "owner": "customer %d" % i, "rate": 0.25}
            cart = (StopIteration, "obj", i, "shop.cart", "Cart", "plain", fields)
            # Every second call is made by the one before it.
            by = (i - 1, i * 1000, False) if i % 2 == 0 else (None, i * 1000, True)
            place = ((i - 1) % FUNCTIONS + 1, i % 40) if i % 2 == 0 else (None, None)
            write("C", i, i % FUNCTIONS + 1, *by, 0, i, (cart, "article %d" % i, i), *place)
            write("R", i, i * 1000 + 500, i * 3, {})
        return spool.tell()
