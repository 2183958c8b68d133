"""The command line that a call reads: `sys.argv`, or what `argparse` and Click take from it where nobody gives them arguments.

That of the program which runs tests is nobody's input. One that a test puts in its place is.
"""

from pytead_tui.recorder import effects, redact
from pytead_tui.recorder.own import __builtins__, sys

_MOST, _LONGEST = 50, 2000  # words, and characters of them all

_runners: list = []  # the command line that tests found when the first of them began


def test_begins() -> None:
    """Notes what the command line is before any test changed it."""
    if not _runners:
        _runners.append(_words())


def reads_argv(code: object) -> bool:
    """Whether a function's code names `sys.argv` itself."""
    return "argv" in code.co_names


def parsed(recorder: object, frame: object, args: tuple) -> None:
    """Notes the command line where a parser is given no arguments of its own."""
    if args[-1] is None:
        note_argv(recorder, frame)


def note_argv(recorder: object, frame: object) -> None:
    """Notes the command line for the calls around a frame."""
    if recorder.journey:
        return
    words = _words()
    if words is not None and (not _runners or words != _runners[0]) and not any(map(_is_secret, words)):
        effects.found_there(recorder, frame, "argv", "\0".join(words))


def _words() -> "list | None":
    held = sys.argv
    if type(held) is not list or not 0 < len(held) <= _MOST or not all(type(word) is str for word in held):
        return None
    return list(held) if sum(map(len, held)) <= _LONGEST and not any("\0" in word for word in held) else None


def _is_secret(word: str) -> bool:
    name = word.lstrip("-").partition("=")[0]
    return redact.word_of(word) is not None or (word.startswith("-") and redact.secret_word(name) is not None)
