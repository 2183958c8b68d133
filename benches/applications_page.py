"""The section of applications.py: its tables, what they mean, and what did not go as it should, by reason."""

from bench import middle, table

NOTES = """\
- *Recorded* equals *unrecorded*: tests passed, failed, with an error, skipped, xfailed and xpassed, and pytest's exit code, in every
  round. *Ratio*: wall time recorded, with what is saved at its end, by unrecorded, medians.
- *First replay*: the first run of the recorded tests, after which calls that do not repeat are left out; nothing is edited. *Exits*:
  of this one, and of a second one with nothing edited.
- *Edits that change nothing*: `_unused = None` as the first statement of a function's body, in all called functions or in 60 of them,
  or as many as the time allowed. *Same*: at least one call was compared, nothing differs, exit code 0. *Unseen*: exit code 0 and no
  call. *Not compared*: exit code 4. *False alarm*: 1. *Alarm before*: 1, but the same functions differ with nothing edited.
- *Faults*: those that the suite catches. *By a value*: `replay` ends with 1 and shows a change of the edited function or of one that
  calls it. *Otherwise*: it ends with 1 without one. *Named*: it ends with 4 and names the function. *Silent*: neither.
- *Refactorings*: a local renamed or extracted, imports reordered, a condition split, a parameter annotated, code laid out anew, a
  function moved. *False alarms*: exit code 1."""
SHOWN = 12  # functions of a reason


def page(everything: list) -> str:
    """Writes the section."""
    good = [found for found in everything if "functions" in found]
    parts = [table(SUITES, [suite(found) for found in everything if "first" in found])]
    parts.append(table(UNUSED, [unused(found) for found in good]))
    parts.append(table(CHANGED, [changed(found) for found in good]))
    parts += [NOTES, "### Not compared, and false alarms", by_reason(good)]
    parts += ["### Silent faults", silent(good)]
    stopped = ["- %s: %s" % (found["name"], found["stopped"]) for found in everything if "stopped" in found]
    if stopped:
        parts += ["### Stopped", "\n".join(stopped)]
    return "\n\n".join(parts) + "\n"


SUITES = ["application", "unrecorded", "recorded", "plain", "ratio", "functions", "first replay", "exits", "calls compared",
          "not compared"]  # fmt: skip


def suite(found: dict) -> list:
    """Gives the row of an application's suite."""
    sides = []
    for recorded in (False, True):
        ends = ["/".join(map(str, one[1:-1])) + " exit %d" % one[-1] for one in found["suite"] if one[0] == recorded]
        sides.append(" or ".join(ends))
    first = found["first"]
    ratio = "%.2f" % (found["recorded"] / found["plain"])
    figures = ["%.1f s" % first["seconds"], "%s, %s" % (first["code"], found["again"]["code"]), first["calls"], first["not_compared"]]
    return [found["name"], *sides, "%.1f s" % found["plain"], ratio, found.get("functions", "-"), *figures]


UNUSED = ["application", "functions tried", "same", "unseen", "not compared", "false alarms", "alarms before", "other exits", "replay, median",
          "worst"]  # fmt: skip


def unused(found: dict) -> list:
    """Gives the row of edits that change nothing."""
    rows = found["unused"]
    kinds = [row["told"] for row in rows]
    known = ("same", "unseen", "not compared", "alarm", "before")
    seconds = [row["seconds"] for row in rows] or [0]
    counts = [kinds.count(kind) for kind in known] + [sum(kind not in known for kind in kinds)]
    tried = "%d of %d" % (len(rows), found["functions"])
    return [found["name"], tried, *counts, "%.1f s" % middle(seconds), "%.1f s" % max(seconds)]


CHANGED = ["application", "faults caught by the suite", "told by a value", "told otherwise", "named", "silent", "other exits",
           "refactorings", "false alarms", "refactorings not compared"]  # fmt: skip


def changed(found: dict) -> list:
    """Gives the row of faults and refactorings."""
    kinds = [row["told"] for row in found["faults"]]
    known = ("value", "otherwise", "named", "silent")
    counts = [kinds.count(kind) for kind in known] + [sum(kind not in known for kind in kinds)]
    codes = [row["code"] for row in found["refactorings"]]
    return [found["name"], len(kinds), *counts, len(codes), sum(c not in (0, 4) for c in codes), codes.count(4)]


def by_reason(everything: list) -> str:
    """Lists the edits that change nothing and were not compared, or that gave an alarm, by reason."""
    lines = []
    for found in everything:
        for kind in ("unused", "refactorings"):
            groups: dict = {}
            for row in found[kind]:
                if row["told"] not in ("same", "unseen"):
                    code = row["reasons"][0][0] if row["reasons"] else "-"
                    groups.setdefault((row["told"], code), []).append(row)
            for (told, code), rows in sorted(groups.items(), key=lambda one: -len(one[1])):
                head = "- %s, %s, %s, `%s`: %d. " % (found["name"], kind, told, code, len(rows))
                names = ["`%s`" % row["function"] + shown(row) for row in rows]
                more = ", and %d more" % (len(names) - SHOWN) if len(names) > SHOWN else ""
                lines.append(head + ", ".join(names[:SHOWN]) + more)
    return "\n".join(lines) or "None."


def shown(row: dict) -> str:
    """Gives what else is to be known of a row: where it is not the function itself that is named, and what differs."""
    others = [name for _, name in row["reasons"] if name != row["function"]]
    lines = [one.partition(": ")[2] or one for one in row["lines"]]
    told = (["of `%s`" % others[0]] if others else []) + (["`%s`" % lines[0].replace("`", "'")[:120]] if lines else [])
    return " (%s)" % ", ".join(told) if told else ""


def silent(everything: list) -> str:
    """Lists the faults that `replay` does not tell, with their diffs."""
    lines = []
    for found in everything:
        for row in found["faults"]:
            if row["told"] == "silent" or row["told"].startswith("exit"):
                diff = "; ".join(line[:100] for line in row["diff"].splitlines()[:4])
                lines.append("- %s: `%s`, exit %d: `%s`" % (found["name"], row["function"], row["code"], diff.replace("`", "'")))
    return "\n".join(lines) or "None."
