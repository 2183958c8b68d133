"""The edited lines that tests do not run: of these, a comparison of their calls says nothing."""

import sys
import threading

from pytead_tui.worker.edited_lines import EditedLines

_lines: "EditedLines | None" = None


def ask(root: str, wanted: "dict[str, list[int]]") -> None:
    """Has these lines followed once a test begins; they are named by files relative to this root. Forks take that along."""
    global _lines
    _lines = EditedLines(root, wanted) if wanted else None


def begin() -> None:
    """Follows the lines from here on, in this process."""
    if _lines is not None:
        threading.settrace(_lines.enter)
        sys.settrace(_lines.enter)


def report() -> dict:
    """Says which lines did not run, if that was asked."""
    return {} if _lines is None else {"lines_left": _lines.reply()}
