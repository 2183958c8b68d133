//! Databases of SQLite in memory are compared, made and asserted by their tables and rows.

use crate::applications::passes;
use crate::from_outside::{accepted, fails_after};

const KENNEL: &str = r#"import sqlite3


def add(db, name):
    db.execute("INSERT INTO dogs (name) VALUES (?)", (name,))


def count(db):
    return db.execute("SELECT count(*) FROM dogs").fetchone()[0]


def index(db):
    db.execute("CREATE INDEX by_name ON dogs (name)")


def named(db):
    db.row_factory = sqlite3.Row
    return [row["name"] for row in db.execute("SELECT name FROM dogs")]


def fresh(*names):
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript("CREATE TABLE dogs (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE walks (dog INTEGER)")
    for name in names:
        add(db, name)
    return db


class Kennel:
    def __init__(self, path=None):
        self.conn = sqlite3.connect(path or ":memory:")

    def create(self):
        self.conn.execute("CREATE TABLE dogs (id INTEGER PRIMARY KEY, name TEXT)")

    def add(self, *names):
        with self.conn:
            self.conn.executemany("INSERT INTO dogs (name) VALUES (?)", [(name,) for name in names])

    def names(self):
        return [row[0] for row in self.conn.execute("SELECT name FROM dogs ORDER BY name")]
"#;

const TESTS: &str = r#"import kennel


def test_functions():
    db = kennel.fresh("Cleo", "O'Malley")
    kennel.add(db, "Pancakes")
    kennel.index(db)
    assert kennel.count(db) == 3
    assert kennel.named(db) == ["Cleo", "O'Malley", "Pancakes"]


def test_objects():
    place = kennel.Kennel()
    place.create()
    place.add("Cleo", "Azi")
    assert place.names() == ["Azi", "Cleo"]
"#;

/// R10, R11: a database in memory is made with the rows that it had, and asserted by those that it has afterwards.
#[test]
fn databases_in_memory_are_made_and_asserted_by_their_rows() {
    let files =
        [("kennel.py", KENNEL), ("tests/test_kennel.py", TESTS), ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n")];
    let (place, python, out) = accepted(&files);
    let text = place.read("tests/pytead/test_pytead_kennel.py");
    for line in [
        "sqlite3.connect(\":memory:\", isolation_level=None)",
        "(2, 'O''Malley')",
        "(3, \"Pancakes\"),",
        "SELECT sql FROM sqlite_master WHERE name = 'by_name'",
        "named(connection) == [",
        ".create()",
        ".conn.execute('SELECT * FROM \"dogs\"').fetchall() == [",
        ".conn.execute(\"SELECT name FROM sqlite_master\").fetchall() == []",
    ] {
        assert!(text.contains(line), "{line}: {text}{out}");
    }
    passes(&place, &python, &[]);
    for (old, new) in [
        ("(?)\", (name,))", "(?)\", (name.upper(),))"),
        ("count(*) FROM", "count(*) + 1 FROM"),
        ("INDEX by_name ON dogs (name)", "INDEX by_name ON dogs (id)"),
        ("[(name,) for", "[(name * 2,) for"),
    ] {
        fails_after(&place, &python, "kennel.py", old, new);
        place.edit("kennel.py", old, new);
        let (code, out, err) = place.run(&["--trust", "--python", &python, "replay"]);
        assert_eq!(code, 1, "{old} to {new}: {out}{err}");
        place.edit("kennel.py", new, old);
    }
}
