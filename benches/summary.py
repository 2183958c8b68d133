"""The table at the top of docs/benchmarks.md: each measured thing beside its peer, as the sections say it.

Owns which cells of which section stand in it. It measures nothing and keeps nothing: what a section says is read from the
page, so that parts that were measured on other days stand in it with theirs. README.md says how a part gets its rows.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from bench import middle, table

TITLE = "All of it in one table"
NOTE = """\
A section below describes each row. The row and its peer were measured on the same day. *Ours / theirs* is the median of the rounds'
ratios, if the section has them, otherwise the ratio of the two medians. With several programs or clauses, it is their median.
A cost below 1 is less than the peer's. *x* is times the plain program's time. A goal is shown if one was set, met or not."""
HEAD = ["what", "ours", "peer", "theirs", "ours / theirs", "goal", "goal met", "measured"]


class Row(NamedTuple):
    """A measured thing."""

    what: str
    ours: str
    peer: str = ""
    theirs: str = ""
    ratio: "float | None" = None
    goal: str = ""  # `<= 0.33`, of the ratio; with a unit of what is ours


class Table(NamedTuple):
    """A table of a section: the heading above it, its columns, and its lines with their cells by column."""

    above: str
    columns: list
    lines: list

    def line(self, name: str) -> dict:
        """Gives the line that begins with a cell, empty where there is none."""
        return next((line for line in self.lines if line[self.columns[0]] == name), {})

    def names(self) -> list:
        """Gives the first cells."""
        return [line[self.columns[0]] for line in self.lines]


def tables(text: str) -> "list[Table]":
    """Reads the tables of a section."""
    found: list = []
    above, inside = "", False
    for line in text.splitlines():
        if line.startswith("### "):
            above = line[4:].strip()
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not inside:
            inside = True
            found.append(Table(above, cells, []))
        elif not set("".join(cells)) <= set("-:"):
            found[-1].lines.append(dict(zip(found[-1].columns, cells)))
    return found


def number(cell: str) -> "float | None":
    """Gives the figure of a cell: of `3/4 (75.0 %)` the share, of `8.75 s` and `1,024` what they say."""
    part = re.match(r"(\d+)/(\d+)", cell)
    if part:
        return int(part[1]) / int(part[2]) if int(part[2]) else None
    figure = re.match(r"[+-]?\d[\d,]*(\.\d+)?", cell)
    return float(figure[0].replace(",", "")) if figure else None


def ratio(ours: str, theirs: str) -> "float | None":
    """Divides two cells."""
    mine, other = number(ours), number(theirs)
    return mine / other if mine is not None and other else None


def median(values: list) -> "float | None":
    """Gives the median of those that are there."""
    there = [value for value in values if value is not None]
    return middle(there) if there else None


def met(row: Row) -> str:
    """Tells whether a goal is met; empty without one."""
    goal = re.match(r"(<=|>=) ([\d.]+)(.*)", row.goal)
    if not goal:
        return ""
    value = number(row.ours) if goal[3] or row.ratio is None else row.ratio
    if value is None:
        return ""
    return "yes" if (value <= float(goal[2]) if goal[1] == "<=" else value >= float(goal[2])) else "**no**"


def _accepted(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        name = line["application"]
        yield Row("functions of %s with an accepted test" % name, "%s of %s" % (line["tested"], line["functions"]))
        stable = "%s of %s" % (line["stable"], line["tests"])
        yield Row("accepted tests of %s that are stable" % name, stable, goal=">= %s of %s" % (line["tests"], line["tests"]))


def _applications(found: "list[Table]") -> Iterator:
    _, unused, changed = found
    for line in unused.lines:
        tried = line["functions tried"].partition(" of ")[0]
        what = "functions of %s that an edit without effect leaves the same, compared" % line["application"]
        yield Row(what, "%s of %s" % (line["same"], tried), goal=">= %s of %s" % (tried, tried))
        yield Row("replay after an edit of %s, median" % line["application"], line["replay, median"])
    for line in changed.lines:
        name, caught = line["application"], line["faults caught by the suite"]
        told = "%s of %s" % (line["told by a value"], caught)
        yield Row("faults in %s that replay tells by a value" % name, told)
        yield Row("faults in %s on which replay is silent" % name, line["silent"], goal="<= 0 of them")
        yield Row("refactorings of %s that replay takes for a change" % name, line["false alarms"], goal="<= 0 of them")


def _diff(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        ours, theirs = line["diff"], line["the suite twice"]
        exact = number(line["diff / suite twice"])
        yield Row("diff of a commit, %s" % line["project"], ours, "pytest, on both", theirs, exact)


def _drafts(found: "list[Table]") -> Iterator:
    beside = next((one for one in found if one.above.startswith("Other tools")), None)
    for line in beside.lines if beside else ():
        if line[""].startswith("lines"):
            continue
        for peer in beside.columns[2:]:
            ours, theirs = line["pytead-tui"], line[peer]
            yield Row("drafts: " + line[""], ours, peer, theirs, ratio(ours, theirs))
    spent, _, allowed = found[0].line("CPU, of it allowed").get("all", "").partition(" of ")
    yield Row("drafts: CPU, with the proof", spent, goal="<= " + allowed if allowed else "")


def _edits(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        yield Row("changes missed in %s edits" % line["edits"], line["missed"], goal="<= 0 of them")


def _noticed(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        yield Row("faults in %s that replay does not tell" % line["project"], line["silent"], goal="<= 0 of them")
        yield Row("refactorings of %s with a false alarm" % line["project"], line["false alarms"], goal="<= 0 of them")


def _near(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        yield Row("faults in %s that recorded calls miss and near inputs show" % line["project"], line["near finds of searched"])
        yield Row("near inputs shown after refactorings of %s" % line["project"], line["alarms"], goal="<= 0 of them")


def _index(found: "list[Table]") -> Iterator:
    first, again = (found[0].line("pytead-tui, " + which) for which in ("index", "kept"))
    for name, goal in (("ast of CPython", ""), ("ruff", ""), ("ctags", "<= 1.2")):
        line = found[0].line(name)
        if line:
            yield Row("index of a library", first["CPU"], name, line["CPU"], ratio("1", line["times the index"]), goal)
    share = number(again["times the index"])
    yield Row("index, opened again", again["CPU"], "our first", first["CPU"], share)


def _ingest(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        yield Row("taking in %s, a second" % line[""], line["a second"])


def _judging(found: "list[Table]") -> Iterator:
    clauses = [line for line in found[0].lines if "verdict" not in line["what"]]
    ours = median([number(line["time"]) for line in clauses])
    theirs = median([number(line.get("plain Python", "")) for line in clauses])
    share = median([number(line.get("ours / plain", "")) for line in clauses])
    peer = ("plain Python", "%.1f ms" % theirs) if theirs else ("", "")
    yield Row("a clause on 100,000 events", "%.1f ms" % ours, *peer, share)
    for name in ("a verdict by rules", "a kept verdict of a model"):
        yield Row(name, found[0].line(name)["time"])


def _models(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        what, _, peer = line["what"].partition(", beside ")
        figure = line["figure"]
        share = number(figure) if " x" in figure else None
        yield Row("a model, " + what, figure, peer or ("itself without that" if share else ""), "", share, line["goal"])


def _plugin(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        share = number(line["with the plugin"])
        yield Row("pytest with the plugin, Python " + line["Python"], "", "pytest alone", line["plain"], share)


RECORDED = (
    ("calls, first pass", "pytead, first pass", ""),
    ("journey, once, small", "pytest-semantic, once, small", "<= 0.067"),
    ("journey, once, small", "MonkeyType, once, small", "<= 0.333"),
    ("journey, once, small", "VizTracer, arguments and results, once, small", "<= 1.0"),
    ("journey, once, small", "coverage, once, small", ""),
)
RECORDED_ALONE = (("journey, bytes an event", "<= 150 bytes"), ("journey, microseconds an event", "<= 5 us"))
STEADY = {"Python 3.12": "<= 1.25", "Python 3.13": "<= 1.10", "Python 3.14": "<= 1.10"}


def _recording(found: "list[Table]") -> Iterator:
    for one in found:

        def of(name: str, one: Table = one) -> "list[str]":
            return list(one.line(name).values())[1:]

        def all_of(name: str) -> str:
            return "%.3g" % (median([number(cell) for cell in of(name)]) or 0)

        goal = STEADY.get(one.above.rpartition(".")[0], "")
        steady = median([number(cell) for cell in of("calls, steady")])
        yield Row("recording calls, steady, " + one.above, "", "the plain program", "", steady, goal)
        for ours, theirs, goal in RECORDED:
            if one.line(theirs):
                share = median([ratio(a, b) for a, b in zip(of(ours), of(theirs))])
                what = "recording a %s, %s" % (ours.partition(",")[0], one.above)
                yield Row(what, all_of(ours) + " x", theirs.partition(",")[0], all_of(theirs) + " x", share, goal)
        for name, goal in RECORDED_ALONE:
            yield Row("recording a %s, %s" % (name, one.above), all_of(name), goal=goal)


def _saves(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        for peer, goal in (("pytest-watcher", "<= 0.10"), ("pytest-testmon", "")):
            ours, theirs = line["the workbench"], line[peer]
            what = "from a save to its result, " + line["project"]
            yield Row(what, ours + " s", peer, theirs + " s", ratio(ours, theirs), goal)


def _answers(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        name, _, peer = line["answer"].partition(" by ")
        ours = found[0].line(name)["median ms"]
        if peer:
            theirs = line["median ms"]
            yield Row("answer: " + name, ours + " ms", peer, theirs + " ms", ratio(ours, theirs))
        else:
            yield Row("answer: " + name, ours + " ms", goal="<= %s ms" % line["goal ms"])


def _soak(found: "list[Table]") -> Iterator:
    first, last = found[0].lines[0]["memory, MB"], found[0].lines[-1]["memory, MB"]
    what = "memory after %s saves" % found[0].lines[-1]["edits"]
    yield Row(what, last + " MB", "at the start", first + " MB", ratio(last, first))


def _suites(found: "list[Table]") -> Iterator:
    outcomes = [line["recorded"] for line in found[0].lines]
    same = "%d of %d" % (outcomes.count("the same"), len(outcomes))
    yield Row("others' suites that end recorded as unrecorded", same, goal=">= %d of %d" % (len(outcomes), len(outcomes)))


def _writers(found: "list[Table]") -> Iterator:
    for line in found[0].lines:
        yield Row("two writers: " + line["what"], line["median ms"] + " ms", goal="<= %s ms" % line["goal ms"])


def _kills(found: "list[Table]") -> "Iterator[Row]":
    yield Row("commands killed at random moments, with nothing lost", found[0].line("all")["killed"])


SECTIONS = {
    "Accepted tests of applications": _accepted,
    "Edits of applications": _applications,
    "Diff": _diff,
    "Drafts": _drafts,
    "A day of edits": _edits,
    "Edits noticed": _noticed,
    "Beside the recorded inputs": _near,
    "Index": _index,
    "Ingest": _ingest,
    "Judging": _judging,
    "Killed at any moment": _kills,
    "Models": _models,
    "The plugin of pytest": _plugin,
    "Recording": _recording,
    "From a save to its result": _saves,
    "Answers of the workbench": _answers,
    "A long time": _soak,
    "Test-suites of others": _suites,
    "Two writers on one project": _writers,
}


def summary(sections: "dict[str, str]") -> str:
    """Gives the table of a page's sections; what was not measured is not in it."""
    lines = []
    for title, rows in SECTIONS.items():
        text = sections.get(title, "")
        day = re.match(r"Measured (\S+)", text)
        found = tables(text)
        if day and found:
            for row in rows(found):
                share = "" if row.ratio is None else "%.3g" % row.ratio
                lines.append([row.what, row.ours, row.peer, row.theirs, share, row.goal, met(row), day[1]])
    return NOTE + "\n\n" + table(HEAD, lines)
