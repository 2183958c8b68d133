"""What reading a project's source costs, beside others that read all of it: CPython's own parser, ruff, ctags."""

import re
import shutil
from pathlib import Path

from bench import Bench, middle, table

TITLE = "Index"
NOTES = """\
- The standard library of Python %s with its tests: %s files, %s lines, %s functions. CPU time, all threads together.
- *Index* reads every file anew: functions, signatures, docstrings, fingerprints, what each uses. *Kept* is the same of a trusted
  folder that was opened before and whose files are as they were: they are read and hashed, and none is parsed.
- *ast* parses every file with CPython's own parser and counts functions. *ruff* looks for pyflakes' findings (`--select F`), without
  its cache. *ctags* (Universal Ctags, where the machine has it) lists names by lines."""
AST = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        continue
    sum(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(tree))
"""


def measure(bench: Bench) -> str:
    """Gives the section: a row for each tool."""
    if bench.binary is None:
        return "Not measured: there is no release build. `cargo build --release` makes it."
    version, python = bench.pythons[-1]
    with bench.empty_folder() as folder:
        project = folder / "library"
        found = bench.run([python, "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))"]).output.strip()
        left_out = shutil.ignore_patterns("site-packages", "__pycache__", "*.so", "*.a", "config-*")
        shutil.copytree(found, project, ignore=left_out)
        sources = list(project.rglob("*.py"))
        lines = sum(path.read_bytes().count(b"\n") for path in sources)
        trusted = {"HOME": str(folder / "trusted")}
        Path(trusted["HOME"]).mkdir()
        bench.run([bench.binary, "trust", "--root", project], **trusted)
        said = bench.run([bench.binary, "index", "--root", project], **trusted).output  # which keeps the index
        functions = int(re.search(r"([\d\s]+) functions", said)[1].replace(" ", "").replace("\u202f", ""))
        jobs = [
            ("pytead-tui, index", [bench.binary, "index", "--root", project], {}),
            ("pytead-tui, kept", [bench.binary, "index", "--root", project], trusted),
            ("ast of CPython", [python, "-c", AST, project], {}),
            ("ruff", [python.parent / "ruff", "check", "--select", "F", "--quiet", "--no-cache", "--exit-zero", project], {}),
        ]
        if ctags := shutil.which("ctags"):
            jobs.append(("ctags", [ctags, "--languages=Python", "-R", "-f", folder / "tags", project], {}))
        cpu: dict = {name: [] for name, _, _ in jobs}
        for round_ in range(bench.rounds + 1):
            bench.say("round %d of %d" % (round_, bench.rounds))
            for name, command, environment in jobs:
                seconds = bench.run(command, **environment).cpu
                if round_:  # the first fills caches
                    cpu[name].append(seconds)
    first = jobs[0][0]
    rows = []
    for name, seconds in cpu.items():
        ratio = middle([mine / theirs for mine, theirs in zip(seconds, cpu[first])])
        rows.append([name, "%.2f s" % middle(seconds), "%.2f" % ratio])
    facts = (version, *("{:,}".format(n) for n in (len(sources), lines, functions)))
    return table(["what", "CPU", "times the index"], rows) + "\n\n" + NOTES % facts
