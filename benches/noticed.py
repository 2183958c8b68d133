"""What `replay` says of edits that a project's own suite catches, and of refactorings that change nothing.

Each project is unpacked from its source distribution, recorded by its own suite, and edited: one small fault at a time in a
function that was recorded. A fault that the suite catches has to be told, or named as not compared. Nothing may be silent.
"""

from bench import Bench, table
from projects import Project, is_compared
from small_edits import faults

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
    rows = []
    for name, version, tests, needs in PROJECTS:
        with bench.empty_folder() as folder:
            bench.say("%s %s" % (name, version))
            project = Noticed(bench, folder, name, version, tests, needs)
            rows.append(["%s %s" % (name, version), *project.measure()])
    head = ["project", "functions recorded", "faults caught by the suite", "told", "named", "silent", "wrong 4",
            "refactorings", "false alarms"]  # fmt: skip
    return table(head, rows) + "\n\n" + NOTES


class Noticed(Project):
    """One project, recorded and edited."""

    def measure(self) -> list:
        """Records, edits, and counts."""
        self.product("run", "--check", "--", str(self.python), *self.suite())
        base = self.replayed()
        if base.code != 0:
            raise RuntimeError("nothing is edited, and replay ends with %d" % base.code)
        functions = self.functions()
        counts = {"caught": 0, "told": 0, "named": 0, "silent": 0, "wrong": 0}
        for path, function, _ in self.caught(self.chosen(functions, faults, FAULTS)):
            counts["caught"] += 1
            self.count(counts, path, function)
        alarms = tried = 0
        for path, function, _ in self.refactored(functions, REFACTORINGS):
            tried += 1
            now = self.replayed()
            today = any(r["reason"]["why"]["code"] in OF_TODAY for e in now.edited for r in e["not_compared"])
            if now.code == 1 or (now.code == 4 and today):
                alarms += 1
                self.bench.say("false alarm in %s %s: exit %d\n%s" % (path, function, now.code, now.output[-600:]))
        return [len(functions), *counts.values(), tried, alarms]

    def count(self, counts: dict, path: str, function: str) -> None:
        """Counts what is said of the fault that is there now."""
        now = self.replayed()
        named = [e for e in now.of(function) if not is_compared(e)]
        if now.code == 1:
            counts["told"] += 1
        elif now.code == 4 and named:
            counts["named"] += 1
            counts["wrong"] += any(r["reason"]["why"]["code"] in OF_TODAY for r in named[0]["not_compared"])
        else:
            counts["silent"] += 1
            self.bench.say("silent: %s %s, exit %d" % (path, function, now.code))
