"""Tells on which line the statement begins that a line of a function belongs to: Python 3.12 and later.

Most functions show it in their text. Where they may not (a statement of several lines, a decorator, `case`), their
syntax tree is made, which costs as much as a hundred calls. Below 3.12 rewrite.py knows it from its own tree.
"""

from pytead_tui.recorder import kinds, rewrite
from pytead_tui.recorder.project import File

_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_DOCSTRINGS = (b'"""', b"'''")
_UNCLEAR = (b"@", b"case", b"'", b'"', b"...", b"None", b"True", b"False", *(b"%d" % n for n in range(10)), b"(", b"-", b"f'", b'f"')


def of(file: File, code: object) -> "dict | None":
    """Gives a function's statements, line → line where the statement begins; None where the file has no such function."""
    first = code.co_firstlineno
    found = file.statements.get(first)
    if found is not None or file.source == []:
        return found
    try:
        if file.source is None:
            with open(file.path, "rb") as stream:
                source = stream.read()
            if b"coding" in source[:300] or b"\r" in source or b"\f" in source:
                raise SyntaxError  # a part of it may mean something else alone
            file.source = source.split(b"\n")
        found = shown(file.source, first, _last_begun(code))
        if found is not None:
            file.statements[first] = found
            return found
        with rewrite.Quiet():
            file.statements.update(rewrite.statements_between(file.source, first, _last_line(code), file.path))
    except (OSError, ValueError, SyntaxError):
        file.statements.update(_all(file))
        file.source = []
    return file.statements.get(first)


def shown(lines: list, first: int, last: int) -> "dict | None":
    """Gives what the text of these lines of a function shows without doubt, or None."""
    at = first
    head = _bare(lines[at - 1])
    while head is not None and head.startswith(b"@") and at < last:
        at += 1
        head = _bare(lines[at - 1])
    if head is None or not head.startswith((b"def ", b"async def ")) or not head.endswith(b":"):
        return None
    at += 1
    line = lines[at - 1].strip() if at <= last else b""
    text = line[1:] if line.startswith((b"r", b"R", b"u")) else line
    if text.startswith(_DOCSTRINGS):
        mark = text[:3]
        end = text.find(mark, 3)
        while end < 0 and at < last:
            at += 1
            text = lines[at - 1].rstrip()
            end = text.find(mark)
        if end < 0 or end + 3 != len(text):
            return None
        at += 1
    found = {}
    for number in range(at, last + 1):
        line = _bare(lines[number - 1])
        if line == b"":
            continue
        if line is None or line.startswith(_UNCLEAR) or _declares(line):
            return None
        if line.startswith(b"except"):
            if not line.endswith(b":"):
                return None
            continue
        found[number] = number
    return found


def _bare(line: bytes) -> "bytes | None":
    """Gives a line without its texts and its comment; None where it may not end what it begins."""
    line = line.strip()
    if line.startswith((b"'", b'"')) or b"\\" in line:
        return None
    while True:
        places = [at for at in (line.find(b"'"), line.find(b'"'), line.find(b"#")) if at >= 0]
        if not places:
            break
        at = min(places)
        if line[at : at + 1] == b"#":
            line = line[:at].rstrip()
            break
        end = line.find(line[at : at + 1], at + 1)
        if end < 0 or line[at : at + 3] in _DOCSTRINGS:
            return None
        line = line[:at] + line[end + 1 :]
    return line if all(line.count(opening) == line.count(closing) for opening, closing in _PAIRS) else None


def _declares(line: bytes) -> bool:
    """Whether a line may be an annotation without a value, which has no code."""
    name, colon, rest = line.partition(b":")
    return bool(colon and rest) and b"=" not in rest and name.translate(None, b"_.[] ").isalnum()


def _all(file: File) -> dict:
    try:
        with open(file.path, "rb") as stream, rewrite.Quiet():
            return rewrite.statements(stream.read(), file.path)
    except (OSError, ValueError, SyntaxError):
        return {}


def _last_begun(code: object) -> int:
    return max([code.co_firstlineno, *[line for _, _, line in code.co_lines() if line is not None]])


def _last_line(code: object) -> int:
    inner = [_last_line(const) for const in code.co_consts if type(const) is kinds.Code]
    return max([code.co_firstlineno, *inner, *(place[1] or 0 for place in code.co_positions())])
