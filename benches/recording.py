"""What recording costs a program, beside what other tools that look at calls cost it.

All figures are CPU time against the plain program of the same round, medians of all rounds. Owns the choice of
workloads and tools; traced.py runs one of them once.
"""

import json
import shutil
from pathlib import Path

from bench import ROOT, Bench, middle, table

TITLE = "Recording"
WORKLOADS = ("markdown", "sql", "template", "tiny")
LIBRARIES = ("markdown_it", "mdurl", "sqlparse", "jinja2", "markupsafe")
WARM, MEASURED = 3, 2  # passes before the steady state, and in it
PEERS = {
    "empty": "empty callback",
    "coverage": "coverage",
    "monkeytype": "MonkeyType",
    "viztracer": "VizTracer, arguments and results",
    "semantic": "pytest-semantic",
}
NOTES = """\
- *Libraries*: markdown-it-py renders, sqlparse formats, Jinja2 compiles and renders; *tiny*: `fib` and functions of one
  expression, the worst case. Each library counts as the project, so each of its calls is one to record.
- *First pass*, *steady*: one process runs a large input (300,000 calls to 3 millions, some tenths of a second) {passes}
  times; the first time, with what is written at exit, and the mean of the last {measured}. *Once, small*: a process that
  runs a small input (10,000 to 19,000 calls) once, with what is saved at exit.
- *Empty callback*: `sys.monitoring` (below 3.12 `sys.setprofile`) with a function that does nothing at each start and
  end of every Python function: no recorder written in Python that looks at every call can cost less.
- *pytead* records what is named: it is told every function and method of the project, keeps its ten calls of each as pickles and lets
  the others through. It is there under the newest interpreter alone, and where it could be installed.
- *Start*: milliseconds until the imports are done; below 3.12 the modules are rewritten then."""


class Figures:
    """The runs of one workload under one tool: what each round cost."""

    def __init__(self) -> None:
        self.start: list = []
        self.passes: list = []
        self.end: list = []
        self.peak: list = []

    def add(self, marks: list, peak: int, cpu: float) -> None:
        self.start.append(marks[0])
        self.passes.append([b - a for a, b in zip(marks, marks[1:])])
        self.end.append(cpu - marks[-1])
        self.peak.append(peak)


def measure(bench: Bench) -> str:
    """Gives the section: a table for each interpreter."""
    parts = []
    for version, python in bench.pythons:
        with bench.empty_folder() as folder:
            parts.append("### Python %s\n\n%s" % (version, _interpreter(bench, version, python, folder)))
    return "\n\n".join([*reversed(parts), NOTES.format(passes=WARM + MEASURED, measured=MEASURED)])


def _interpreter(bench: Bench, version: str, python: Path, folder: Path) -> str:
    project = folder / "project"
    found = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(bench.run([python, "-c", found]).output.strip())
    for name in LIBRARIES:
        shutil.copytree(packages / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    for source in (ROOT / "benches" / "workloads").glob("*.py"):
        shutil.copy(source, project)
    tools = [t for t in PEERS if t != "semantic" or tuple(map(int, version.split(".")[:2])) >= (3, 12)]
    jobs = [("large", "nothing"), ("large", "calls"), ("large", "empty"), ("small", "nothing"), ("small", "journey")]
    jobs += [("small", tool) for tool in tools]
    # It is in the environment of the tools that write tests, made by the newest interpreter.
    has_pytead = bench.peers is not None and version == bench.pythons[-1][0] and _has(bench, "pytead")
    jobs += [("large", "pytead")] if has_pytead else []
    got: dict = {(w, *job): Figures() for w in WORKLOADS for job in jobs}
    sizes: dict = {w: [] for w in WORKLOADS}
    for round_ in range(bench.rounds + 1):
        bench.say("Python %s, round %d of %d" % (version, round_, bench.rounds))
        for workload in WORKLOADS:
            for size, tool in jobs:
                with bench.empty_folder() as saved:
                    interpreter = bench.peers if tool == "pytead" else python
                    figures = _run(bench, interpreter, project, workload, size, tool, saved)
                    if round_:  # the first fills caches
                        got[workload, size, tool].add(*figures)
                        if tool == "journey":
                            sizes[workload].append(_size(saved))
    return _table(got, sizes, tools, has_pytead)


def _has(bench: Bench, module: str) -> bool:
    found = "import importlib.util; print(importlib.util.find_spec(%r) is not None)" % module
    return bench.run([bench.peers, "-c", found]).output.strip() == "True"


def _run(bench: Bench, python: Path, project: Path, workload: str, size: str, tool: str, saved: Path) -> tuple:
    environment = {"PYTHONPATH": str(project), "BENCH_ROOT": str(project)}
    if tool in ("calls", "journey"):
        boot = ROOT / "assets" / "python" / "pytead_tui" / "boot"
        environment.update(
            PYTHONPATH="%s:%s" % (boot, project), PYTEAD_SPOOL=str(saved), PYTEAD_RECORDING="bench",
            PYTEAD_ROOT=str(project), PYTEAD_MODE=tool,
        )  # fmt: skip
    passes = WARM + MEASURED if size == "large" and tool not in ("empty", "pytead") else 1
    script = ROOT / "benches" / "traced.py"
    started = "nothing" if tool in ("calls", "journey") else tool
    run = bench.run([python, script, "bench_" + workload, size, passes, started, saved], **environment)
    told = json.loads(run.output.splitlines()[-1])
    return told["marks"], told["peak"], run.cpu


def _size(folder: Path) -> tuple:
    """Gives (bytes, records) of a spool."""
    size = records = 0
    for path in folder.glob("*.spool"):
        data = path.read_bytes()
        at = 0
        while length := int.from_bytes(data[at : at + 4], "little"):
            at += 4 + length
            records += 1
        size += at
    return size, records


def _table(got: dict, sizes: dict, tools: list, has_pytead: bool) -> str:
    def ratio(of: object, size: str, tool: str) -> list:
        row = []
        for w in WORKLOADS:
            plain, traced = got[w, size, "nothing"], got[w, size, tool]
            row.append(middle([of(traced, i, plain) / of(plain, i, plain) for i in range(len(plain.end))]))
        return row

    def first(figures: Figures, i: int, plain: Figures) -> float:
        return max(0.0, figures.passes[i][0] + figures.end[i] - plain.end[i])

    def steady(figures: Figures, i: int, plain: Figures) -> float:
        return middle(figures.passes[i][WARM:])

    rows = [
        ("calls, first pass", ratio(first, "large", "calls")),
        ("calls, steady", ratio(steady, "large", "calls")),
        ("empty callback, first pass", ratio(first, "large", "empty")),
        ("journey, once, small", ratio(first, "small", "journey")),
    ]
    if has_pytead:
        rows.insert(3, ("pytead, first pass", ratio(first, "large", "pytead")))
    rows += [(PEERS[tool] + ", once, small", ratio(first, "small", tool)) for tool in tools]
    lines = [[name, *("%.2f" % r if r < 10 else "%.0f" % r for r in row)] for name, row in rows]

    def more(of: object, size: str, tool: str) -> list:
        return [middle(of(got[w, size, tool])) - middle(of(got[w, size, "nothing"])) for w in WORKLOADS]

    for size, tool in (("large", "calls"), ("small", "journey")):
        lines.append([tool + ", more memory, MB", *("%.1f" % (k / 1024) for k in more(lambda f: f.peak, size, tool))])
        lines.append([tool + ", start, ms", *("%.0f" % (1000 * s) for s in more(lambda f: f.start, size, tool))])
    lines.append(["journey, bytes an event", *("%.0f" % middle([b / n for b, n in sizes[w]]) for w in WORKLOADS)])
    journey = [
        middle([first(got[w, "small", "journey"], i, got[w, "small", "nothing"]) for i in range(len(sizes[w]))])
        / middle([n for _, n in sizes[w]]) for w in WORKLOADS
    ]  # fmt: skip
    lines.append(["journey, microseconds an event", *("%.1f" % (1e6 * s) for s in journey)])
    return "CPU time, times the plain program's:\n\n" + table(["", *WORKLOADS], lines)
