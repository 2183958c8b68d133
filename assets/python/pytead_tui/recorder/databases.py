"""Databases of SQLite in memory, by their tables and rows.

The content is copied by functions of `_sqlite3` that are written in C, and read from the copy: no statement of the recorder reaches the
program's connection. To copy, SQLite asks for the number of pages; a connection with callbacks of the program, which would hear that, is not
read.
"""

from pytead_tui.recorder import kinds
from pytead_tui.recorder.arrays import new, refused
from pytead_tui.recorder.objects import names_of, oid
from pytead_tui.recorder.own import __builtins__, _thread, gc, os, sys
from pytead_tui.recorder.plain_data import SMALLEST
from pytead_tui.recorder.plans import dict_content
from pytead_tui.recorder.values import TAG, Capture

CONNECT, CONNECTED = CONNECTS = "sqlite3.connect", "sqlite3.connect/handle"  # the audit events
TABLES, ROWS, REST = "tables", "rows", "rest"  # the fields of a database
LARGEST = 128 << 10  # bytes of a database that is read
_MAGIC = b"SQLite format 3\0"
_CONTENTS = 64  # of databases that are known
_PLAIN = frozenset(map(oid, (list, str, dict, type(None))))
_CACHES = (("functools", "_lru_cache_wrapper"), ("sqlite3", "Cache"))  # in which a connection holds its statements
_LEGACY = -1  # `autocommit` of a connection that was not told otherwise

# Functions that may be the callback of a connection: they say nothing while `reading` is set.
ours: list = []
reading = [False]
_asked: dict = {}  # by thread: the database that it connects to
_open: dict = {}  # by identity: of a connection in memory, what is known of its size
_EMPTY, _FILLED, _LARGE = 0, 1, 2
_known: dict = {}  # by its bytes: the content of a database


class _Unreadable(Exception):
    """A database whose content cannot be had, or cannot be written as statements."""


def is_in_memory(database: str) -> bool:
    """Whether a database of SQLite is no file that stays: one in memory, or a temporary one."""
    scheme, _, rest = database.partition(":")
    if scheme != "file" or not rest:
        return database in ("", ":memory:")
    path, _, query = rest.partition("#")[0].partition("?")
    asked = query.split("&")
    return path in ("", ":memory:") or "mode=memory" in asked or "vfs=memdb" in asked


def file_of(database: object) -> "object | None":
    """Gives the file of a database of SQLite, of which it may be the URI; `None` where there is none, or it is opened to be read only."""
    if type(database) is not str:
        return database
    if is_in_memory(database):
        return None
    if not database.startswith("file:"):
        return database
    path, _, query = database[5:].partition("#")[0].partition("?")
    asked = query.split("&")
    if "mode=ro" in asked or "immutable=1" in asked:
        return None
    if path.startswith("//"):
        path = "/" + path[2:].partition("/")[2]
    head, *others = os.fsencode(path).split(b"%")
    for part in others:
        digits = part[:2]
        is_byte = len(digits) == 2 and all(digit in b"0123456789abcdefABCDEF" for digit in digits)
        head += bytes((int(digits, 16),)) + part[2:] if is_byte else b"%" + part
    return os.fsdecode(head)


def listen() -> None:
    """Hears of each connection of this process and its forks from here on, where no recorder does."""
    sys.addaudithook(lambda event, args: heard(event, args) if event in CONNECTS else None)


def heard(event: str, args: tuple) -> None:
    """Notes a connection that is made. It has no reference to the name of its database, so each one is noted by its identity."""
    thread = _thread.get_ident()
    if event == CONNECT:
        _asked[thread] = args[0]
        return
    database = _asked.pop(thread, None)
    if type(database) is bytes:
        database = database.decode("utf-8", "replace")
    if type(database) is str and is_in_memory(database) and not reading[0]:
        _open[oid(args[0])] = _EMPTY
    else:
        _open.pop(oid(args[0]), None)


def write(walk: Capture, v: object, depth: int) -> object:
    """Gives the tree of a connection: the call that makes it, and what is in its database."""
    if walk.brief or walk.names_only or oid(v) not in _open:
        return walk.opaque(v)
    if oid(v) in walk.memo:
        return walk.again(v)
    cls = type(v)
    try:
        row_factory, text_factory, isolation = (_held(cls, v, name) for name in ("row_factory", "text_factory", "isolation_level"))
        autocommit = _held(cls, v, "autocommit") if "autocommit" in cls.__dict__ else _LEGACY
        if _has_callbacks(v, (cls, row_factory, text_factory)):
            return walk.opaque(v)
        tables, rows, rest = _content(cls, v)
    except _Unreadable as why:
        return refused("Connection", str(why), v) if why.args else walk.opaque(v)
    except Exception as error:
        if names_of(type(error))[0] != "sqlite3":
            raise
        return walk.opaque(v)  # closed, or of another thread
    if sum(map(len, rows.values())) > walk.nodes:
        return refused("Connection", "too many rows", v)
    ordinal = walk.entry(v, "sub")
    walk.mutable = True
    named = {} if isolation == "" else {"isolation_level": isolation}
    if autocommit != _LEGACY:
        named["autocommit"] = autocommit
    fields = {}
    if tables:
        fields[TABLES] = {walk.text_of(name): walk.text_of(text) for name, text in tables.items()}
    if rows:
        fields[ROWS] = {walk.text_of(name): [dict_content(walk, row, depth + 3) for row in held] for name, held in rows.items()}
    if rest:
        fields[REST] = {walk.text_of(name): walk.text_of(text) for name, text in rest.items()}
    given = [("row_factory", row_factory, None), ("text_factory", text_factory, __builtins__["str"])]
    set_since = [(name, held) for name, held, usual in given if held is not usual]
    fields.update(walk.fields(set_since, depth))
    return (TAG, "sub", ordinal, "sqlite3", "Connection", new("sqlite3", "connect", (":memory:",), named), fields)


def _held(cls: type, v: object, name: str) -> object:
    return cls.__dict__[name].__get__(v)


def _has_callbacks(v: object, known: tuple) -> bool:
    """Whether reading a connection would call what the program gave it: to trace, to authorize, or to show progress."""
    held_by_it = gc.get_referents(v)
    is_ours = any(held is known_one for held in held_by_it for known_one in ours)
    for held in held_by_it:
        t = type(held)
        if any(held is known_one for known_one in known) or oid(t) in _PLAIN or names_of(t) in _CACHES:
            continue
        if not is_ours or t is not kinds.Module and not any(held is known_one for known_one in ours):
            return True
    return False


def _content(cls: type, v: object) -> tuple:
    """Gives the statements that make the tables, the rows of each, and the statements that make what rests on the tables."""
    if _open[oid(v)] == _LARGE:
        raise _Unreadable("large")
    before, reading[0] = reading[0], True
    try:
        serialize = cls.__dict__.get("serialize")
        if serialize is None:
            copy = _backup(cls, v)
            (size,) = copy.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
            return _read(_small(v, copy, size))
        # It gives an empty database its first page, after which the page size cannot be set any more. So a connection is asked
        # for a backup until something is in it.
        if _open[oid(v)] == _FILLED or _held(cls, v, "in_transaction"):
            data = serialize(v)
        else:
            data = serialize(_backup(cls, v))
        found = _known.get(_small(v, data, len(data)))
        if found is None:
            if len(_known) >= _CONTENTS:
                _known.clear()
            copy = _connect()
            copy.deserialize(data)
            found = _known[data] = _read(copy)
        if found[0]:
            _open[oid(v)] = _FILLED
        return found
    finally:
        reading[0] = before


def _small(v: object, copy: object, size: int) -> object:
    if size > LARGEST:
        _open[oid(v)] = _LARGE
        raise _Unreadable("large")
    return copy


def _connect() -> object:
    return sys.modules["_sqlite3"].connect(":memory:")


def _backup(cls: type, v: object) -> object:
    if _held(cls, v, "in_transaction"):
        raise _Unreadable  # it would wait for the end of the transaction
    copy = _connect()
    cls.__dict__["backup"](v, copy, progress=_progress)
    return copy


def _progress(status: int, left: int, pages: int) -> None:
    if status not in _GOES_ON:
        raise _Unreadable  # a statement is writing, and the backup would wait for its end


_GOES_ON = (0, 101)  # SQLITE_OK, SQLITE_DONE


def of_file(data: bytes) -> "tuple | None":
    """Gives the content of a database that lies in a file, by the bytes of the file; None where it cannot be read."""
    copy = _connect() if "_sqlite3" in sys.modules else None
    if not data.startswith(_MAGIC) or len(data) > LARGEST or "serialize" not in dir(copy):
        return None
    before, reading[0] = reading[0], True
    try:
        # Without its log, a database is read like one that has none.
        copy.deserialize(data[:18] + b"\x01\x01" + data[20:])
        return _read(copy)
    except Exception:
        return None  # written by another program, or half way
    finally:
        reading[0] = before


def _read(copy: object) -> tuple:
    tables: dict = {}
    rows: dict = {}
    rest: dict = {}
    for kind, name, text in copy.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall():
        if name.startswith("sqlite_") or text is None:
            continue  # made by SQLite itself
        if kind != "table":
            rest[name] = text
            continue
        if text[:14].upper() == "CREATE VIRTUAL":
            raise _Unreadable("a virtual table")
        columns = copy.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
        if len(columns) >= SMALLEST or any(hidden for _, hidden in columns):
            raise _Unreadable("many columns, or computed ones")
        tables[name] = text
        names = [column for column, _ in columns]
        held = copy.execute('SELECT * FROM "%s"' % name.replace('"', '""')).fetchall()
        if held:
            rows[name] = [dict(zip(names, row)) for row in held]
    copy.close()
    return tables, rows, rest
