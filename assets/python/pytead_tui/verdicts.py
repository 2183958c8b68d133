"""What a verdict looks like: in a failure, in the summary, in the report."""

from __future__ import annotations

import traceback

# What pytest shows of a test that passed, by its verdict: category, letter, word.
STATUS = {
    "UNCLEAR": ("unclear", "u", ("UNCLEAR", {"yellow": True})),
    "ERROR": ("not judged", "E", ("NOT JUDGED", {"yellow": True})),
}
# What can be shown of a test, and how that begins.
SHOWN = {"journey": "what it did: ", "lines": "lines it reached: ", "suggestions": "clauses that hold: "}
_SIGNS = {"holds": "✓", "violated": "✗", "vacuous": "◦", "unknown": "?", "unclear": "?"}


def error(reason: str) -> dict:
    """Gives the verdict of a judge that is broken: it says nothing about the test."""
    return {"verdict": "ERROR", "overridden": False, "evaluator": "none", "reason": reason, "clauses": []}


def message(intent: str, verdict: dict, raised: "BaseException | None") -> str:
    """Gives the message of a failed verdict: why, and every clause with the lines that show it."""
    found = [verdict["reason"], "Intent: " + " ".join(intent.split())]
    found += _clauses(verdict)
    if raised is not None:
        found.append("The test itself raised " + "".join(traceback.format_exception_only(type(raised), raised)).strip())
    return "\n".join(found)


def lines(verdict: dict) -> "list[str]":
    """Gives the lines that explain a verdict."""
    return [verdict["reason"], *_clauses(verdict)]


def _clauses(verdict: dict) -> "list[str]":
    found = []
    for clause in verdict["clauses"]:
        found.append("%s %s" % (_SIGNS.get(clause["outcome"], "?"), clause["text"]))
        if clause["outcome"] != "holds":
            found.append("    " + clause["why"])
            found += ["    " + line for line in clause["shown"]]
    return found


def line(test: str, verdict: dict) -> dict:
    """Gives a line of the report."""
    clauses = [{name: clause[name] for name in ("text", "outcome", "evidence")} for clause in verdict["clauses"]]
    return {
        "test": test, "verdict": verdict["verdict"], "overridden": verdict["overridden"],
        "evaluator": verdict["evaluator"], "reason": verdict["reason"], "clauses": clauses,
    }  # fmt: skip
