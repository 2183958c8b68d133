"""Takes line numbers out of compiled code: Python 3.10 and 3.11, whose line tables differ.

Code without a line raises no line event, so coverage and debuggers do not see it.
"""

from itertools import groupby

from pytead_tui.recorder.own import __builtins__, sys


def without(code: object, nowhere: int) -> bytes:
    """Gives a code object's line table in which nothing is on the line `nowhere` any more."""
    return _locations(code, nowhere) if sys.version_info >= (3, 11) else _deltas(code, nowhere)


def _deltas(code: object, nowhere: int) -> bytes:
    table = bytearray()
    before = code.co_firstlineno
    for start, end, line in code.co_lines():
        size = end - start
        if line is None or line == nowhere:
            while size:
                step = min(size, 254)
                table += bytes((step, 128))
                size -= step
            continue
        delta = line - before
        before = line
        while not -127 <= delta <= 127:
            step = 127 if delta > 0 else -127
            table += bytes((0, step & 255))
            delta -= step
        while True:
            step = min(size, 254)
            table += bytes((step, delta & 255))
            size -= step
            delta = 0
            if not size:
                break
    return bytes(table)


def _locations(code: object, nowhere: int) -> bytes:
    table = bytearray()
    before = code.co_firstlineno
    for place, run in groupby(code.co_positions()):
        size = len(list(run))
        line, end_line, column, end_column = place
        while size:
            units = min(size, 8)
            size -= units
            if line is None or line == nowhere:
                table.append(0x80 | 15 << 3 | units - 1)
                continue
            whole = end_line is not None and column is not None and end_column is not None
            table.append(0x80 | (14 if whole else 13) << 3 | units - 1)
            _signed(table, line - before)
            before = line
            if whole:
                _unsigned(table, end_line - line)
                _unsigned(table, column + 1)
                _unsigned(table, end_column + 1)
    return bytes(table)


def _unsigned(table: bytearray, number: int) -> None:
    while number >= 64:
        table.append(0x40 | number & 63)
        number >>= 6
    table.append(number)


def _signed(table: bytearray, number: int) -> None:
    _unsigned(table, (-number << 1) | 1 if number < 0 else number << 1)
