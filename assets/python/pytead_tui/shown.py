"""Text for human eyes: the one sanitiser of this side. What it does is what `src/base/text.rs` does in the program."""

from __future__ import annotations

import re
import unicodedata

COMBINING_MAX = 8  # more marks than this on one character smear over the lines above and below

# What controls a terminal; what reorders, hides or joins text; what is no character; and halves of characters, which cannot be written at all.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff\ufe00-\ufe0d\ud800-\udfff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def display(text: str) -> str:
    """Makes text from a program, a file or a model safe for a terminal and a report; newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_visible, _few_marks(text))


def display_line(text: str) -> str:
    """Makes text safe for one line."""
    return display(text).replace("\n", "\\n").replace("\t", "\\t")


def thousands(number: int) -> str:
    """Writes a number in groups of three, as the program does."""
    return format(number, ",").replace(",", " ")


def _visible(found: "re.Match") -> str:
    code = ord(found[0])
    if code == 13:
        return "\\r"
    return "\\x%02x" % code if code < 0xA0 else "‹U+%04X›" % code


def _few_marks(text: str) -> str:
    """Leaves out the marks that are piled up on one character."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= COMBINING_MAX:
            kept.append(sign)
    return "".join(kept)
