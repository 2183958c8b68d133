"""Databases of SQLite in memory are recorded by their tables and rows; no statement of the recorder reaches the program's connection."""

import sqlite3
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[3] / "assets" / "python"
TAG = StopIteration
APP = """
import sqlite3

def add(db, name):
    db.execute("INSERT INTO dogs (name) VALUES (?)", (name,))

def look(db):
    return None

def dogs(*names, **options):
    db = sqlite3.connect(":memory:", **options)
    db.executescript("CREATE TABLE dogs (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX by_name ON dogs (name);")
    for name in names:
        add(db, name)
    db.commit()
    return db
"""
TABLES = {"dogs": "CREATE TABLE dogs (id INTEGER PRIMARY KEY, name TEXT)"}
INDEX = {"by_name": "CREATE INDEX by_name ON dogs (name)"}
needs_serialize = pytest.mark.skipif(not hasattr(sqlite3.Connection, "serialize"), reason="Python 3.10 cannot read in a transaction")


def _content(tree):
    tag, kind, _, module, name, made, fields = tree
    assert (tag, kind, module, name, made[:5]) == (TAG, "sub", "sqlite3", "Connection", (TAG, "new", "sqlite3", "connect", (":memory:",)))
    return made[5], fields


def _looked(program, body):
    spool = program.main(APP + "\ndef main():\n    " + body.replace("\n", "\n    ") + "\n")
    return spool, spool.one("look")[0].args[0]


def test_a_database_is_told_by_its_tables_and_rows(program):
    _, tree = _looked(program, "look(dogs('Cleo', 'Pancakes'))")
    rows = {"dogs": [{"id": 1, "name": "Cleo"}, {"id": 2, "name": "Pancakes"}]}
    assert _content(tree) == ({}, {"tables": TABLES, "rows": rows, "rest": INDEX})


def test_an_empty_database_has_no_content_and_its_page_size_can_still_be_set(program):
    body = "db = sqlite3.connect(':memory:')\nlook(db)\ndb.execute('PRAGMA page_size = 8192')\ndb.execute('CREATE TABLE t (x)')\n"
    spool, tree = _looked(program, body + "print(db.execute('PRAGMA page_size').fetchone()[0])")
    assert _content(tree) == ({}, {}) and spool.process.stdout == "8192\n"


@needs_serialize
def test_a_call_that_adds_a_row_shows_it_inside_a_transaction(program):
    spool = program.main(APP + "\ndef main():\n    db = dogs()\n    add(db, 'Cleo')\n    print(db.in_transaction)\n")
    call, end = spool.one("add")
    assert _content(call.args[0])[1] == {"tables": TABLES, "rest": INDEX}
    assert _content(end.changed["db"])[1]["rows"] == {"dogs": [{"id": 1, "name": "Cleo"}]}
    assert spool.process.stdout == "True\n"


def test_how_a_connection_is_set_up_is_told(program):
    body = "db = sqlite3.connect(':memory:', isolation_level=None)\ndb.row_factory = sqlite3.Row\nlook(db)"
    _, tree = _looked(program, body)
    assert _content(tree) == ({"isolation_level": None}, {"row_factory": (TAG, "name", "sqlite3", "Row")})


def test_values_of_a_column_that_is_named_like_a_secret_are_withheld(program):
    body = """db = sqlite3.connect(':memory:')
db.executescript("CREATE TABLE users (name TEXT, password TEXT); INSERT INTO users VALUES ('bob', 'kX9v-Q2z7-pp41')")
look(db)"""
    _, tree = _looked(program, body)
    (row,) = _content(tree)[1]["rows"]["users"]
    assert row["name"] == "bob" and row["password"][:2] == (TAG, "secret")
    assert not [path for path in program.spool.rglob("*") if path.is_file() and b"kX9v" in path.read_bytes()]


@pytest.mark.parametrize(
    "hung_on",
    ["db.set_trace_callback(print)", "db.set_authorizer(lambda *asked: print(asked) or 0)", "db.set_progress_handler(lambda: print('on'), 1)"],
)
def test_a_connection_whose_callbacks_are_the_programs_is_not_read(program, hung_on):
    spool, tree = _looked(program, f"db = dogs('Cleo')\n{hung_on}\nlook(db)")
    assert tree[1] == "opaque" and spool.process.stdout == ""


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("sqlite3.connect('a.db')", "opaque"),
        ("closed()", "opaque"),
        ("type('Own', (sqlite3.Connection,), {})(':memory:')", "opaque"),
        ("filled('CREATE VIRTUAL TABLE t USING fts5 (x)')", "cut"),
        ("filled('CREATE TABLE t (a, b AS (a + 1))')", "cut"),
        ("filled('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(200000))')", "cut"),
    ],
)
def test_what_has_no_form_is_not_read(program, made, kind):
    source = APP + "\ndef filled(script):\n    db = sqlite3.connect(':memory:')\n    db.executescript(script)\n    return db\n"
    source += "\ndef closed():\n    db = dogs()\n    db.close()\n    return db\n"
    spool = program.main(source + f"\ndef main():\n    look({made})\n")
    assert spool.one("look")[0].args[0][1] == kind


def test_a_statement_that_is_half_way_is_left_alone(program):
    body = """db = sqlite3.connect(':memory:', isolation_level=None)
db.execute('CREATE TABLE t (x)')
rows = db.execute("INSERT INTO t VALUES (1), (2), (3) RETURNING x")
print(next(rows))
look(db)
print(list(rows))"""
    spool, _ = _looked(program, body)
    assert spool.process.stdout == "(1,)\n[(2,), (3,)]\n"


def test_a_connection_of_another_thread_is_left_alone(program):
    body = """import threading
db = dogs('Cleo')
thread = threading.Thread(target=look, args=(db,))
thread.start()
thread.join()"""
    _, tree = _looked(program, body)
    assert tree[1] == "opaque"


def test_a_program_that_knows_no_sqlite_does_not_get_it(program):
    spool = program.main("import sys\ndef look(x):\n    return x\ndef main():\n    look(1)\n    print('_sqlite3' in sys.modules)\n")
    assert spool.process.stdout == "False\n"




@pytest.mark.parametrize(
    ("database", "file"),
    [
        ("shop.db", "shop.db"),
        ("file:/tmp/shop.db?mode=rwc", "/tmp/shop.db"),
        ("file:///tmp/a%20b.db#x", "/tmp/a b.db"),
        ("file://localhost/tmp/shop.db", "/tmp/shop.db"),
        ("file:/tmp/caf%C3%A9/%e2.db", "/tmp/café/\udce2.db"),
        ("file:100%.db", "100%.db"),
        ("file:shop.db?mode=ro", None),
        ("file:shop.db?cache=shared&immutable=1", None),
        (":memory:", None),
        ("file:shared?mode=memory&cache=shared", None),
        (b"shop.db", b"shop.db"),
    ],
)
def test_the_file_of_a_uri(database, file, monkeypatch):
    monkeypatch.syspath_prepend(str(PACKAGE))
    from pytead_tui.recorder import databases

    assert databases.file_of(database) == file
