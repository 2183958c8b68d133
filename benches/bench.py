"""The bench: runs the parts `benches/<name>.py`, prints their tables and writes docs/benchmarks.md.

    bench.py [NAME] [--rounds N] [--python VERSION=PATH]... [--binary PATH] [--peers PATH]
    bench.py --summary

The second form measures nothing: it makes the table at the page's top from the sections that are there. A part is a module with a `TITLE` and a function `measure(bench)` that gives the text of its section; README.md says how.
"""

import argparse
import contextlib
import datetime
import importlib
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """\
# Benchmarks

You look up how fast pytead-tui is beside other tools, and measure it on your machine: `make bench`, or `make bench NAME=recording`
for one part. These commands write this page. [benches/README.md](../benches/README.md) describes the parts.
"""


class Run:
    """How a process ended: what it printed, and its CPU seconds, those of its children included."""

    def __init__(self, output: str, cpu: float) -> None:
        self.output = output
        self.cpu = cpu


class Bench:
    """What a part is given."""

    def __init__(self, rounds: int, pythons: list, binary: "Path | None", peers: "Path | None", folder: Path) -> None:
        self.rounds = rounds
        self.pythons = pythons  # (version, path), oldest first
        self.binary = binary  # the product in its release build, None when there is none
        self.peers = peers  # the interpreter of other tools that write tests, None when there is none
        self.folder = folder  # a temporary one

    def run(self, command: list, **environment: str) -> Run:
        """Runs a process to its end, with this environment and next to nothing else. Raises when it fails."""
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
        kept["HOME"] = str(self.folder)
        kept["PYTHONDONTWRITEBYTECODE"] = "1"
        with tempfile.TemporaryFile(dir=self.folder) as out:
            process = subprocess.Popen(
                [str(c) for c in command], cwd=self.folder, env=kept | environment, stdout=out, stderr=subprocess.STDOUT
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            output = out.read().decode("utf-8", "replace")
        if process.returncode:
            raise RuntimeError("%s ended with %d:\n%s" % (command, process.returncode, output[-2000:]))
        return Run(output, usage.ru_utime + usage.ru_stime)

    @contextlib.contextmanager
    def empty_folder(self):
        """Gives a folder that is gone afterwards."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            yield folder
        finally:
            shutil.rmtree(folder)

    def say(self, text: str) -> None:
        """Tells a waiting person what is being measured."""
        print("  " + text, file=sys.stderr, flush=True)


def finished(command: list, cwd: Path, environment: dict, seconds: float) -> "subprocess.CompletedProcess[str]":
    """Runs a process to its end, whatever that is; one that takes longer is killed and ends with 124."""
    words, pipe = [str(word) for word in command], subprocess.PIPE
    process = subprocess.Popen(words, cwd=cwd, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # With what it started, which would go on without it.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return subprocess.CompletedProcess(words, 124, "", "it did not end\n")
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def table(head: list, rows: list) -> str:
    """Gives a table whose columns line up when read as text; the first is of words, the others of figures."""
    cells = [[str(c) for c in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = []
    for row in cells:
        words = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("| " + " | ".join(words) + " |")
        if len(lines) == 1:
            lines.append("|" + "|".join("-" * (w + 1) + ("-" if i == 0 else ":") for i, w in enumerate(widths)) + "|")
    return "\n".join(lines)


def middle(values: list) -> float:
    """Gives the median."""
    return statistics.median(values)


def machine() -> str:
    """Names what it was measured on."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return "%s, %d CPUs, %.0f GiB, %s %s" % (model, os.cpu_count(), memory, platform.system(), platform.release())


def sections(text: str) -> dict:
    """Splits the page at its second-level headings: title to text."""
    found: dict = {}
    for part in ("\n" + text).split("\n## ")[1:]:
        title, _, body = part.partition("\n")
        found[title.strip()] = body.strip()
    return found


def page(known: dict) -> str:
    """Gives the page of sections, with the table of all of them at its top."""
    from summary import TITLE, summary  # which reads tables as this module writes them

    known = {TITLE: summary(known), **{title: text for title, text in known.items() if title != TITLE}}
    return HEAD + "".join("\n## %s\n\n%s\n" % section for section in known.items())


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("name", nargs="?")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--python", action="append", default=[])
    options.add_argument("--binary", type=Path)
    options.add_argument("--peers", type=Path)
    options.add_argument("--summary", action="store_true")
    given = options.parse_args()
    known = sections(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
    if given.summary:
        PAGE.write_text(page(known), encoding="utf-8")
        return
    here = Path(__file__).parent
    names = sorted(p.stem for p in here.glob("*.py") if "\nTITLE = " in p.read_text(encoding="utf-8"))
    if given.name and given.name not in names:
        sys.exit("There is no part `%s`. The parts are: %s." % (given.name, ", ".join(names)))
    pythons = [(v, Path(p)) for v, _, p in (text.partition("=") for text in given.python)]
    if not pythons:
        pythons = [(platform.python_version(), Path(sys.executable))]
    parts = [importlib.import_module(name) for name in names]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        bench = Bench(given.rounds, pythons, given.binary, given.peers, Path(folder).resolve())
        for name, part in zip(names, parts):
            if given.name not in (None, name):
                continue
            print(part.TITLE, file=sys.stderr)
            body = part.measure(bench).strip()
            when = datetime.date.today().isoformat()
            known[part.TITLE] = "Measured %s on %s; %d rounds.\n\n%s" % (when, machine(), bench.rounds, body)
            print("\n## %s\n\n%s\n" % (part.TITLE, known[part.TITLE]), flush=True)
            # After each: all of them take hours, and what one measured outlives the failure of the next.
            measured = {one.TITLE: known[one.TITLE] for one in parts if one.TITLE in known}
            PAGE.write_text(page(measured), encoding="utf-8")
    print(next(iter(sections(page(known)).values())))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
