"""Tells on which line the statement begins that a line of a function belongs to: Python 3.12 and later.

Most functions show it in their text. Where they may not (a statement of several lines, a decorator, `case`), their
syntax tree is made, which costs as much as a hundred calls. Below 3.12 rewrite.py knows it from its own tree.
"""

from pytead_tui.recorder import kinds, rewrite
from pytead_tui.recorder.own import __builtins__
from pytead_tui.recorder.project import File, read

_ORDINARY = bytes(n for n in range(256) if n not in b"()[]{}'\"#\\:")
_NO_BRACKETS = bytes(n for n in range(256) if n not in b"()[]{}")
_DOCSTRINGS = (b'"""', b"'''")
_UNCLEAR = (
    b"@",
    b"case",
    b"'",
    b'"',
    b"...",
    b"None",
    b"True",
    b"False",
    *(b"%d" % n for n in range(10)),
    b"(",
    b"-",
    b"f'",
    b'f"',
)


# What is left of a line without its ordinary characters → what that tells of it, see _told_by.
_forms: dict = {b"": 1}
_FORMS = 5_000


def of(file: File, code: object) -> "dict | None":
    """Gives a function's statements, line → line where the statement begins; None where the file has no such function."""
    first = code.co_firstlineno
    found = file.statements.get(first)
    if found is not None or file.source == []:
        return found
    try:
        if file.source is None:
            source = read(file.path)
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
    found: dict = {}
    depth = 0  # of brackets that are open
    begin = 0  # where the statement begins that goes on in this line
    inside = 0  # the function's body: 1 before its first line, then 2
    number = first - 1
    while number < last or not inside or begin:
        number += 1
        if number > len(lines):
            return None
        line = lines[number - 1].strip()
        if inside == 2 and not begin:  # most lines
            form = line.translate(None, _ORDINARY)
            told = _forms.get(form)
            if told is None:
                told = _told_by(form)
            if told and not line.startswith(_UNCLEAR):
                if told == 1 or line.endswith(b":") and not line.startswith(b"except"):
                    if line:
                        found[number] = number
                    continue
        if not begin:
            if not line or line.startswith(b"#"):
                continue
            if inside == 1:
                inside = 2
                text = line[1:] if line.startswith((b"r", b"R", b"u")) else line
                if text.startswith(_DOCSTRINGS):
                    number = _after_docstring(lines, number, text)
                    if not number:
                        return None
                    continue
        if b"'" in line or b'"' in line or b"#" in line:
            if not begin and line.startswith((b"'", b'"')):
                return None
            line = _bare(line)
            if line is None:
                return None
        brackets = line.translate(None, _NO_BRACKETS)
        goes_on = line.endswith(b"\\")
        if not begin:
            if not inside:
                if line.startswith((b"def ", b"async def ")):
                    begin = -1
                elif not line.startswith(b"@"):
                    return None
                else:
                    begin = -2
            else:
                if line.startswith(_UNCLEAR) or b":" in line and _declares(line, brackets or goes_on):
                    return None
                begin = number
        catches = begin == number and line.startswith(b"except")
        if begin > 0 and not catches:
            found[number] = begin
        if brackets:
            depth += 2 * len(brackets.translate(None, b")]}")) - len(brackets)
            if depth < 0:
                return None
        if catches and not line.endswith(b":"):
            return None
        if depth or goes_on:
            continue
        if begin == -1:
            if not line.endswith(b":"):
                return None
            inside = 1
        begin = 0
    return found


def _told_by(form: bytes) -> int:
    """Tells from its brackets, quotes and the like whether a line is a whole statement, 1, or the head of a block if its
    last character is the colon, 2; 0 where that is not clear.
    """
    told, depth, at = 1, 0, 0
    if any(quotes in form for quotes in _DOCSTRINGS):
        told, at = 0, len(form)  # a text in three quotes may go on in the next line
    while at < len(form):
        mark = form[at : at + 1]
        if mark in b"'\"":
            at = form.find(mark, at + 1)
            if at < 0:
                told = 0
        elif mark in b"([{":
            depth += 1
        elif mark in b")]}":
            depth -= 1
        elif mark != b":" or not depth:
            told = 2 if mark == b":" and at == len(form) - 1 else 0
        if not told or depth < 0:
            break
        at += 1
    told = 0 if depth else told
    if len(_forms) < _FORMS:
        _forms[form] = told
    return told


def _after_docstring(lines: list, number: int, text: bytes) -> int:
    """Gives the line on which a docstring ends, 0 where more than that is on it."""
    mark = text[:3]
    end = text.find(mark, 3)
    while end < 0 and number < len(lines):
        number += 1
        text = lines[number - 1].rstrip()
        end = text.find(mark)
    return number if end >= 0 and end + 3 == len(text) else 0


def _bare(line: bytes) -> "bytes | None":
    """Gives a line without its texts and its comment; None where a text goes on in the next line."""
    at = 0
    while True:
        places = [place for place in (line.find(b"'", at), line.find(b'"', at), line.find(b"#", at)) if place >= 0]
        if not places:
            return line
        at = min(places)
        mark = line[at : at + 1]
        if mark == b"#":
            return line[:at].rstrip()
        if line[at : at + 3] in _DOCSTRINGS:
            return None
        end = line.find(mark, at + 1)
        while end > 0 and _escaped(line, end):
            end = line.find(mark, end + 1)
        if end < 0:
            return None
        line = line[:at] + b"_" + line[end + 1 :]


def _escaped(line: bytes, at: int) -> bool:
    before = line[:at]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


def _declares(line: bytes, more: object) -> bool:
    """Whether a line may be an annotation without a value, which has no code; `more` says that it may go on."""
    name, _, rest = line.partition(b":")
    return bool(rest) and (b"=" not in rest or bool(more)) and name.translate(None, b"_.[] ").isalnum()


def _all(file: File) -> dict:
    try:
        source = read(file.path)
        with rewrite.Quiet():
            return rewrite.statements(source, file.path)
    except (OSError, ValueError, SyntaxError):
        return {}


def _last_begun(code: object) -> int:
    return max([code.co_firstlineno, *[line for _, _, line in code.co_lines() if line is not None]])


def _last_line(code: object) -> int:
    inner = [_last_line(const) for const in code.co_consts if type(const) is kinds.Code]
    return max([code.co_firstlineno, *inner, *(place[1] or 0 for place in code.co_positions())])
