"""The edited lines that tests do not run: of these, a comparison of their calls says nothing."""

import sys

from pytead_tui.worker.edited_lines import BY_EVENTS, EditedLines

_lines: "EditedLines | None" = None


def ask(root: str, wanted: "dict[str, list[int]]") -> None:
    """Has these lines followed once a test begins; they are named by files relative to this root. Forks take that along.
    Before Python 3.12 that would be in a recorder's way: beside one, none are followed.
    """
    global _lines
    start = sys.modules.get("pytead_tui.recorder.start")
    is_recorded = start is not None and start.active is not None
    _lines = EditedLines(root, wanted) if wanted and (BY_EVENTS or not is_recorded) else None


def begin() -> None:
    """Follows the lines from here on, in this process."""
    if _lines is not None:
        _lines.begin()


def report() -> dict:
    """Says which lines ran, if that was asked."""
    return {} if _lines is None else {"lines_run": _lines.reply()}
