"""What `replay` says of edits that a project's own suite catches, and of refactorings that change nothing.

Each project is unpacked from its source distribution, recorded by its own suite, and edited: one small fault at a time in a
function that was recorded. A fault that the suite catches has to be told, or named as not compared. Nothing may be silent.
"""

import ast
import builtins
import json
import os
import random
import re
import subprocess
import tarfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from bench import Bench, table

TITLE = "Edits noticed"
PROJECTS = (
    ("yamllint", "1.37.1", "tests", ("PyYAML", "pathspec")),
    ("tenacity", "9.0.0", "tests", ("tornado", "typeguard", "pytest-asyncio")),
    ("sqlparse", "0.5.3", "tests", ()),
    ("djangorestframework", "3.15.2", "tests/test_fields.py tests/test_validators.py tests/test_utils.py",
     ("django<5.1", "pytest-django", "pytz")),
)  # fmt: skip
FAULTS = 24  # tried in each project; those that the suite does not catch say nothing
REFACTORINGS = 15
MOVES = 3  # of them, where there are so many functions that can move by themselves
MOVED = "moved_by_the_bench"  # the module that they move to
PATIENCE = 600  # seconds for a command
# Reasons of this day, not of the recording: a call that could be compared before the edit.
OF_TODAY = {"replay-error", "import-fails", "nondeterministic", "no-result"}
NOTES = """\
- *Told*: `replay` ends with 1. *Named*: it ends with 4 and lists the function as not compared. *Silent*: neither. *Wrong 4*: named,
  although its recorded calls could be compared before the edit.
- Faults: a comparison, a boolean or an arithmetic operator replaced, a constant changed, a condition turned round, a result dropped;
  chosen at random over all recorded functions. Only those count that the project's own suite catches.
- *False alarms*: refactorings after which `replay` ends with 1, or with 4 although all calls could be compared before.
- Refactorings: a local renamed or extracted, imports reordered, a condition split, a parameter annotated, code laid out anew, a
  function moved to a new module and imported where it was."""


def measure(bench: Bench) -> str:
    """Gives the section: a row for each project."""
    python = bench.pythons[-1][1]
    rows = []
    for name, version, tests, needs in PROJECTS:
        with bench.empty_folder() as folder:
            bench.say("%s %s" % (name, version))
            project = Project(bench, folder, python, name, version, tests.split(), needs)
            rows.append(["%s %s" % (name, version), *project.measure()])
    head = ["project", "functions recorded", "faults caught by the suite", "told", "named", "silent", "wrong 4",
            "refactorings", "false alarms"]  # fmt: skip
    return table(head, rows) + "\n\n" + NOTES


class Project:
    """One project in a folder of its own, with an environment of its own."""

    def __init__(self, bench: Bench, folder: Path, python: Path, name: str, version: str, tests: list, needs: tuple,
                 folder_below: str = ".") -> None:
        self.bench, self.tests, self.chance = bench, tests, random.Random(name)
        self.python = folder / "venv" / "bin" / "python"
        self.run([python, "-m", "venv", folder / "venv"], folder)
        self.run([self.python, "-m", "pip", "install", "-q", "pytest==8.4.2", *needs], folder)
        sources = folder / "sources"
        pip = [self.python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--dest", sources]
        self.run([*pip, "%s==%s" % (name, version)], folder)
        (archive,) = sources.iterdir()
        with tarfile.open(archive) as stream:
            stream.extractall(sources, filter="data")
        archive.unlink()
        (self.root,) = sources.iterdir()
        self.root = self.root / folder_below
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "as it was"]):
            self.run(["git", *command], self.root)

    def run(self, command: list, cwd: Path) -> "subprocess.CompletedProcess[str]":
        """Runs a command to its end, whatever that is."""
        home = self.bench.folder / "home"
        home.mkdir(exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR", "PIP_CACHE_DIR", "PIP_INDEX_URL")}
        environment = {**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(cwd)}
        return subprocess.run(
            [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )

    def suite(self, *flags: str) -> list:
        """Gives the command that runs the suite."""
        return ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", *flags, *self.tests]

    def product(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Runs a verb of the product."""
        return self.run([self.bench.binary, "--trust", "--python", self.python, "--format", "json", *words], self.root)

    def measure(self) -> list:
        """Records, edits, and counts."""
        self.product("run", "--check", "--", str(self.python), *self.suite())
        base = self.replayed()
        if base[0] != 0:
            raise RuntimeError("nothing is edited, and replay ends with %d" % base[0])
        functions = [f for f in self.results(self.product("index"), "functions") if f["calls"] and "test" not in f["path"]]
        counts = {"caught": 0, "told": 0, "named": 0, "silent": 0, "wrong": 0}
        for path, new, function in self.chosen(functions, faults, FAULTS):
            with self.edited({path: new}):
                self.count(counts, path, function)
        alarms = tried = 0
        moves = self.chosen(functions, moved, MOVES)
        for path, new, function in moves + self.chosen(functions, refactorings, REFACTORINGS - len(moves)):
            beside = str(Path(path).with_name(MOVED + ".py"))
            with self.edited({path: new[0], beside: new[1]} if isinstance(new, tuple) else {path: new}):
                if isinstance(new, tuple) and self.run([self.python, *self.suite("-x")], self.root).returncode:
                    continue  # it cannot be imported from there
                code, edits, output = self.replayed()
            tried += 1
            today = any(r["reason"]["why"]["code"] in OF_TODAY for e in edits.get("edited", []) for r in e["not_compared"])
            if code == 1 or (code == 4 and today):
                alarms += 1
                self.bench.say("false alarm in %s %s: exit %d\n%s" % (path, function, code, output[-600:]))
        return [len(functions), *counts.values(), tried, alarms]

    def count(self, counts: dict, path: str, function: str) -> None:
        """Counts what is said of the fault that is there now."""
        plain = self.run([self.python, *self.suite("-x")], self.root)
        if plain.returncode == 0:
            return
        counts["caught"] += 1
        code, edits, output = self.replayed()
        inner = function + ".<locals>."  # a fault may lie in a function that this one defines
        edited = [e for e in edits.get("edited", []) if e["subject"] == function or e["subject"].startswith(inner)]
        named = [e for e in edited if not is_compared(e)]
        if code == 1:
            counts["told"] += 1
        elif code == 4 and named:
            counts["named"] += 1
            counts["wrong"] += any(r["reason"]["why"]["code"] in OF_TODAY for r in named[0]["not_compared"])
        else:
            counts["silent"] += 1
            self.bench.say("silent: %s %s, exit %d" % (path, function, code))

    @contextmanager
    def edited(self, texts: dict) -> Iterator[None]:
        """Gives files other texts for a while; files that were not there are taken away again."""
        before = {path: (self.root / path).read_text(encoding="utf-8") for path in texts if (self.root / path).exists()}
        for path, text in texts.items():
            (self.root / path).write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            for path in texts:
                if path in before:
                    (self.root / path).write_text(before[path], encoding="utf-8")
                else:
                    (self.root / path).unlink()

    def replayed(self) -> tuple:
        """Runs `replay`: its code, what it says of edits, all that it printed."""
        done = self.product("replay")
        found = self.results(done, "replay")
        return done.returncode, found["edits"] if found else {}, done.stdout + done.stderr

    def results(self, done: "subprocess.CompletedProcess[str]", name: str) -> "list | dict":
        """Gives the value of a result among JSON lines."""
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return next((line["value"] for line in lines if line.get("result") == name), [])

    def chosen(self, functions: list, edits: object, most: int) -> list:
        """Chooses edits over all functions at random: (path, new text, function)."""
        found = []
        for function in functions:
            text = (self.root / function["path"]).read_text(encoding="utf-8")
            found += [(function["path"], new, function["id"]) for new in edits(text, *function["lines"])]
        found = [one for one in found if all(map(parses, one[1] if isinstance(one[1], tuple) else one[1:2]))]
        self.chance.shuffle(found)
        return found[:most]


def is_compared(edit: dict) -> bool:
    """Tells whether calls tell what an edit does, as `replay` takes it for its exit code."""
    return not edit["unrun"] and bool(edit["compared"] or edit["through"] and not edit["outside"])


def parses(text: str) -> bool:
    """Tells whether an edited text is Python."""
    try:
        compile(text, "edited", "exec")
    except SyntaxError:
        return False
    return True


def within(text: str, first: int, last: int) -> list:
    """Lists the syntax nodes of some lines, decorators and defaults left out, with where they lie in the text."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    found = []
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and first <= function.lineno <= last:
            for statement in function.body:
                for node in ast.walk(statement):
                    if hasattr(node, "lineno"):
                        at = starts[node.lineno - 1] + node.col_offset
                        found.append((node, at, starts[node.end_lineno - 1] + node.end_col_offset))
            break
    return found


def put(text: str, start: int, end: int, new: str) -> str:
    """Replaces bytes of a text."""
    data = text.encode()
    return (data[:start] + new.encode() + data[end:]).decode()


SWAPS = {ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">", ast.Is: "is not",
         ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in", ast.Add: "-", ast.Sub: "+", ast.Mult: "+",
         ast.And: "or", ast.Or: "and"}  # fmt: skip


def faults(text: str, first: int, last: int) -> list:
    """Gives variants of the text, each with one small fault in the function on the given lines."""
    out = []
    for node, start, end in within(text, first, last):
        part = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
            left, right = (ast.get_source_segment(text, side) for side in (node.left, node.comparators[0]))
            out.append(put(text, start, end, "(%s %s %s)" % (left, SWAPS[type(node.ops[0])], right)))
        elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            left, right = (ast.get_source_segment(text, side) for side in (node.left, node.right))
            out.append(put(text, start, end, "(%s %s %s)" % (left, SWAPS[type(node.op)], right)))
        elif isinstance(node, ast.BoolOp):
            sides = [ast.get_source_segment(text, side) for side in node.values]
            out.append(put(text, start, end, "(%s)" % (" %s " % SWAPS[type(node.op)]).join(map(str, sides))))
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            out.append(put(text, start, end, str(node.value + 1)))
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            out.append(put(text, start, end, str(not node.value)))
        elif isinstance(node, ast.Return) and node.value is not None and not part.endswith("None"):
            out.append(put(text, start, end, "return None"))
        elif isinstance(node, ast.If):
            test = ast.get_source_segment(text, node.test) or ""
            offset = part.index(test)
            at = start + len(part[:offset].encode())
            out.append(put(text, at, at + len(test.encode()), "not (%s)" % test))
    return out


def refactorings(text: str, first: int, last: int) -> list:
    """Gives variants of the text, each with one refactoring in the function on the given lines, or in its module."""
    out = []
    lines = text.splitlines(keepends=True)
    nodes = within(text, first, last)
    for node, start, end in nodes:
        pad = " " * getattr(node, "col_offset", 0)
        part = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.Return) and node.value is not None and "\n" not in part:
            value = ast.get_source_segment(text, node.value)
            out.append(put(text, start, end, "extracted_ = %s\n%sreturn extracted_" % (value, pad)))
            out.append(put(text, start, end, "# Laid out anew.\n%sreturn (\n%s    %s\n%s)" % (pad, pad, value, pad)))
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.test, ast.BoolOp) and type(node.test.op) is ast.And:
            sides = [ast.get_source_segment(text, side) for side in node.test.values]
            body = "".join(lines[node.body[0].lineno - 1 : node.end_lineno])
            if part.startswith("if") and node.body[0].lineno > node.test.end_lineno and '"""' not in body:
                deeper = re.sub(r"(?m)^(?=.)", "    ", body).rstrip("\n")
                inner = " and ".join(map(str, sides[1:]))
                out.append(put(text, start, end, "if %s:\n%s    if %s:\n%s" % (sides[0], pad, inner, deeper)))
    stored = sorted({n.id for n, _, _ in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
    rebound = any(isinstance(n, (ast.Global, ast.Nonlocal, ast.FunctionDef, ast.Lambda)) for n, _, _ in nodes)
    for name in stored[:1] if not rebound else []:
        renamed = text
        uses = [(start, end) for node, start, end in nodes if isinstance(node, ast.Name) and node.id == name]
        for start, end in sorted(uses, reverse=True):
            renamed = put(renamed, start, end, name + "_renamed")
        out.append(renamed)
    imports = [n for n in ast.parse(text).body if isinstance(n, ast.Import) and n.lineno == n.end_lineno]
    for one, other in zip(imports, imports[1:]):
        if other.lineno == one.lineno + 1:
            swapped = list(lines)
            swapped[one.lineno - 1], swapped[other.lineno - 1] = lines[other.lineno - 1], lines[one.lineno - 1]
            out.append("".join(swapped))
            break
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and first <= node.lineno <= last and node.args.args:
            argument = node.args.args[0]
            if argument.annotation is None:
                line = lines[argument.lineno - 1].encode()
                at = argument.end_col_offset
                annotated = [*lines]
                annotated[argument.lineno - 1] = (line[:at] + b": object" + line[at:]).decode()
                out.append("".join(annotated))
    return out


def moved(text: str, first: int, last: int) -> list:
    """Gives, for a function that uses nothing of its module but imports, the module without it and the module it moved to."""
    tree = ast.parse(text)
    imported = {}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            imported.update({(name.asname or name.name.split(".")[0]): ast.unparse(node) for name in node.names})
    lines = text.splitlines(keepends=True)
    for function in tree.body:
        if not (isinstance(function, ast.FunctionDef) and first <= function.lineno <= last) or function.decorator_list:
            continue
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        used = names - bound - set(dir(builtins))
        if used - set(imported) or any(isinstance(node, (ast.Global, ast.ExceptHandler)) for node in ast.walk(function)):
            continue
        body = "".join(lines[function.lineno - 1 : function.end_lineno])
        back = "from .%s import %s  # noqa\n" % (MOVED, function.name)
        rest = "".join(lines[: function.lineno - 1]) + back + "".join(lines[function.end_lineno :])
        return [(rest, "".join(sorted({imported[name] + "\n" for name in used})) + "\n\n" + body)]
    return []
