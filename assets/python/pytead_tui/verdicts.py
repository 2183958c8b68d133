"""What a verdict looks like: in a failure, in the summary, in the report."""

from __future__ import annotations

import traceback

from pytead_tui import shown

# What pytest shows of a test that passed, by its verdict: category, letter, word.
STATUS = {
    "UNCLEAR": ("unclear", "u", ("UNCLEAR", {"yellow": True})),
    "ERROR": ("not judged", "E", ("NOT JUDGED", {"yellow": True})),
}
OVERRIDDEN = ("overridden", "o", ("OVERRIDDEN", {"yellow": True}))
PARTIAL = ("passed in part", "p", ("PASSED IN PART", {"yellow": True}))
# What can be shown of a test, and how that begins.
SHOWN = {
    "journey": "what it did: ", "lines": "lines it reached: ", "suggestions": "clauses that hold: ",
    "proposals": "clauses for the intent, by a model: ", "outgoing": "what would be sent to a model: ",
}  # fmt: skip
_SIGNS = {"holds": "✓", "violated": "✗", "vacuous": "◦", "unknown": "?", "unclear": "?"}


def is_open(verdict: dict) -> bool:
    """Tells whether a verdict decides nothing, or not all: under strict, that is a failure."""
    undecided = verdict["verdict"] in ("UNCLEAR", "ERROR") or bool(
        verdict["verdict"] == "PASS" and verdict.get("uncovered")
    )
    return undecided and not verdict["overridden"]


def is_told(verdict: dict) -> bool:
    """Tells whether the summary says why."""
    return verdict["overridden"] or is_open(verdict)


def heading(told: "list[dict]") -> str:
    """Names verdicts that are told by what they are."""
    words = {word(verdict) for verdict in told}
    if words == {"UNCLEAR"}:
        return "unclear intents"
    return "intents that could not be judged" if words == {"ERROR"} else "intents that did not simply pass"


def word(verdict: dict) -> str:
    """Gives the verdict as a word; one that a person overruled is never called by the other's name."""
    if verdict["overridden"]:
        return "OVERRIDDEN"
    return "PASS (in part)" if verdict["verdict"] == "PASS" and verdict.get("uncovered") else verdict["verdict"]


def status(verdict: dict) -> "tuple | None":
    """Gives what pytest shows of a test that passed: category, letter, word."""
    if verdict["overridden"]:
        return OVERRIDDEN
    if verdict["verdict"] == "PASS":
        return PARTIAL if verdict.get("uncovered") else None
    return STATUS.get(verdict["verdict"])


def spent(verdicts: "list[dict]", unsent: bool) -> str:
    """Says what models were asked, or would be."""
    both = [(verdict.get("asked"), (verdict.get("proposed") or {}).get("asked")) for verdict in verdicts]
    asked = [one for pair in both for one in pair if one]
    if not asked:
        return ""
    who = shown.display_line(", ".join(sorted({"%s at %s" % (one["model"], one["host"]) for one in asked})))
    if unsent:
        tokens = sum(one["tokens"] for one in asked if not one["kept"])
        kept = sum(1 for one in asked if one["kept"])
        rules = sum(1 for pair in both if not any(pair))
        return "%d without a model, %d of %s with about %s tokens%s, %d kept from before" % (
            rules, len(asked) - kept, who, shown.thousands(tokens), _cost(asked, ", at most %s"), kept,
        )  # fmt: skip
    times = sum(one["times"] for one in asked)
    tokens = sum((one["sent"] if one["sent"] is not None else one["tokens"] * one["times"]) for one in asked)
    cached = sum(one["cached"] or 0 for one in asked)
    kept = sum(1 for one in asked if one["kept"])
    if not times:
        return "%s was not asked, %d kept from before" % (who, kept)
    return "%s asked %d× with %s tokens (%s of them cached)%s, %d kept from before" % (
        who, times, shown.thousands(tokens), shown.thousands(cached), _cost(asked, " for %s"), kept,
    )  # fmt: skip


def _cost(asked: "list[dict]", words: str) -> str:
    """Says what questions cost, where their prices are known; they are in millionths."""
    known = [one["cost"] for one in asked if one.get("cost") is not None]
    if not known:
        return ""
    text = "%.6f" % (sum(known) / 1e6)
    return words % text[: max(len(text.rstrip("0")), len(text) - 4)]  # two places at least


def error(reason: str) -> dict:
    """Gives the verdict of a judge that is broken: it says nothing about the test."""
    return {"verdict": "ERROR", "overridden": False, "evaluator": "none", "reason": reason, "clauses": []}


def message(intent: str, verdict: dict, raised: "BaseException | None") -> str:
    """Gives the message of a failed verdict: why, and every clause with the lines that show it."""
    found = [verdict["reason"], "Intent: " + " ".join(intent.split())]
    found += _clauses(verdict)
    if raised is not None:
        found.append("The test itself raised " + "".join(traceback.format_exception_only(type(raised), raised)).strip())
    return shown.display("\n".join(found))


def lines(verdict: dict) -> "list[str]":
    """Gives the lines that explain a verdict."""
    return [shown.display(line) for line in (verdict["reason"], *_clauses(verdict))]


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
