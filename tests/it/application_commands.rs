//! Commands that work on files: the recorded tests of such commands become tests that lay the files out, and assert what the command left.

use crate::applications::{passes, passes_in_two, project};

const NOTES: &str = r#"import json
import pathlib
import sqlite3

import click


@click.group()
def cli():
    pass


@cli.command()
@click.argument("path", type=click.Path(exists=True))
@click.option("--upper", is_flag=True)
def show(path, upper):
    for note in load(path):
        click.echo(note.upper() if upper else note)


def load(path):
    return json.loads(pathlib.Path(path).read_text())


@cli.command()
@click.argument("path")
@click.argument("note")
def add(path, note):
    notes = [*load(path), note]
    pathlib.Path(path).write_text(json.dumps(notes))
    click.echo(f"{len(notes)} notes in {path}")


@cli.command()
@click.argument("path")
@click.argument("name")
def insert(path, name):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("INSERT INTO dogs (name) VALUES (?)", [name])
    connection.close()


@cli.command()
@click.argument("path")
def names(path):
    connection = sqlite3.connect(path)
    click.echo(", ".join(name for (name,) in connection.execute("SELECT name FROM dogs ORDER BY id")))
    connection.close()


@cli.command()
def here():
    click.echo(", ".join(load("notes.json")))


@cli.command()
@click.argument("folder", type=click.Path(file_okay=False))
def lists(folder):
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        click.echo(f"{path.stem}: {len(load(path))}")
"#;

const CONFTEST: &str = r#"import json
import sqlite3

import pytest


@pytest.fixture
def notes_path(tmp_path):
    path = tmp_path / "notes.json"
    path.write_text(json.dumps(["milk"]))
    return str(path)


@pytest.fixture
def default_lists(tmp_path):
    (tmp_path / "default").mkdir()
    return str(tmp_path / "default")


@pytest.fixture
def db_path(tmp_path):
    path = str(tmp_path / "a.db")
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE dogs (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO dogs VALUES (1, 'Cleo')")
    connection.close()
    return path
"#;

const TESTS: &str = r#"import sqlite3

from click.testing import CliRunner

from shop.notes import cli


def test_show(notes_path):
    assert CliRunner().invoke(cli, ["show", notes_path, "--upper"]).output == "MILK\n"


def test_add(tmp_path):
    path = tmp_path / "own.json"
    path.write_text('["a"]')
    assert CliRunner().invoke(cli, ["add", str(path), "b"]).exit_code == 0
    assert CliRunner().invoke(cli, ["show", str(path)]).output == "a\nb\n"


def test_insert(db_path):
    CliRunner().invoke(cli, ["insert", db_path, "Azi"])
    connection = sqlite3.connect(db_path)
    assert connection.execute("SELECT count(*) FROM dogs").fetchone() == (2,)
    connection.execute("UPDATE dogs SET name = 'Bo' WHERE id = 1")
    connection.commit()
    connection.close()
    assert CliRunner().invoke(cli, ["names", db_path]).output == "Bo, Azi\n"


def test_lists(default_lists, tmp_path):
    (tmp_path / "default" / "food.json").write_text('["milk", "tea"]')
    assert CliRunner().invoke(cli, ["lists", default_lists]).output == "food: 2\n"


def test_here():
    runner = CliRunner()
    with runner.isolated_filesystem():
        with open("notes.json", "w") as stream:
            stream.write('["x", "y"]')
        assert runner.invoke(cli, ["here"]).output == "x, y\n"
"#;

/// R32: a command is given the path of the fixture that makes its file, or a file that its test makes: a text, or a database with its
/// rows. What the command wrote is asserted. One that looks around runs in the temporary folder.
#[test]
fn commands_find_their_files_and_what_they_leave_is_asserted() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/notes.py", NOTES),
        ("tests/conftest.py", CONFTEST),
        ("tests/test_notes.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_shop__notes.py");
    for lines in [
        "_prints(notes_path):\n",
        "    result = runner.invoke(cli, [\"show\", notes_path, \"--upper\"])\n",
        "    (tmp_path / \"own.json\").write_text('[\"a\"]')\n    result = runner.invoke(cli, [\"add\", str(tmp_path / \"own.json\"), \"b\"])\n",
        "    assert result.output == f\"2 notes in {tmp_path}/own.json\\n\"\n    \
         assert (tmp_path / \"own.json\").read_text() == '[\"a\", \"b\"]'\n",
        "    result = runner.invoke(cli, [\"insert\", db_path, \"Azi\"])\n",
        "    connection = sqlite3.connect(tmp_path / \"a.db\")\n    \
         assert connection.execute('SELECT * FROM \"dogs\"').fetchall() == [\n        (1, \"Cleo\"),\n        (2, \"Azi\"),\n    ]\n    \
         connection.close()\n",
        "        \"(1, 'Bo'),\\n\"\n        \"(2, 'Azi');\"\n",
        "    result = runner.invoke(cli, [\"names\", str(tmp_path / \"a.db\")])\n",
        "    (tmp_path / \"default\").mkdir(exist_ok=True)\n    (tmp_path / \"default/food.json\").write_text('[\"milk\", \"tea\"]')\n",
        "    result = runner.invoke(cli, [\"lists\", default_lists])\n",
        "    (tmp_path / \"notes.json\").write_text('[\"x\", \"y\"]')\n    monkeypatch.chdir(tmp_path)\n    \
         result = runner.invoke(cli, [\"here\"])\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}{out}");
    }
    passes(&place, &python, &[]);
    passes_in_two(&place, &python, &["tests/pytead"]);
}
