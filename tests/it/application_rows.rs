//! Applications with rows of SQLAlchemy's: tests of unittest that make the application in `setUp` and tests of pytest that save rows
//! become tests with the same rows, in an application made the same way.

use crate::applications::{passes, project};
use crate::harness::Place;

/// Records a project and accepts its drafts; gives what that said, too.
fn accepted(files: &[(&str, &str)]) -> (Place, String, String) {
    let (place, python) = project(files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    (place, python, out)
}

const CLUB: &str = r#"from flask import Flask, jsonify, request
from flask_sqlalchemy import SQLAlchemy

db = SQLAlchemy()


class Member(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(40))
    pin = db.Column(db.String(80))
    notes = db.relationship("Note", back_populates="author")

    def set_password(self, password):
        self.pin = password[::-1]

    def check_password(self, password):
        return self.pin == password[::-1]

    def label(self, style):
        return f"{style} {self.name.title()}"


class Note(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    text = db.Column(db.String(80))
    author_id = db.Column(db.Integer, db.ForeignKey("member.id"))
    author = db.relationship("Member", back_populates="notes")


def notes_of(name):
    return Note.query.join(Member).filter(Member.name == name).order_by(Note.id).all()


def listed(name):
    return jsonify([note.text for note in notes_of(name)])


def shown(note_id):
    note = db.session.get(Note, note_id)
    return (jsonify(text=note.text), 200) if note else (jsonify(error="gone"), 404)


def login():
    member = Member.query.filter_by(name=request.form["name"]).first()
    if member is None or not member.check_password(request.form["password"]):
        return "Who are you?", 403
    return f"Hello {member.label('dear')}"


def create_app(settings):
    app = Flask(__name__)
    app.config.from_object(settings)
    db.init_app(app)
    app.add_url_rule("/notes/<name>", view_func=listed)
    app.add_url_rule("/note/<int:note_id>", view_func=shown)
    app.add_url_rule("/login", view_func=login, methods=["POST"])
    return app
"#;

const CASES: &str = r#"import unittest

from club import Member, Note, create_app, db


class Settings:
    """What tests use."""

    TESTING = True
    SQLALCHEMY_DATABASE_URI = "sqlite://"


class ClubTest(unittest.TestCase):
    def setUp(self):
        self.app = create_app(Settings)
        self.context = self.app.app_context()
        self.context.push()
        db.create_all()
        self.client = self.app.test_client()

    def tearDown(self):
        db.session.remove()
        db.drop_all()
        self.context.pop()

    def member(self):
        member = Member(name="ann")
        member.set_password("correct horse")
        db.session.add(member)
        db.session.commit()
        return member

    def test_label(self):
        Member(name="somebody else")
        self.assertEqual(Member(name="ann lee").label("dear"), "dear Ann Lee")

    def test_login(self):
        self.member()
        wrong = self.client.post("/login", data={"name": "ann", "password": "battery staple"})
        self.assertEqual(wrong.status_code, 403)
        right = self.client.post("/login", data={"name": "ann", "password": "correct horse"})
        self.assertIn("dear Ann", right.text)

    def test_notes(self):
        db.session.add_all([Note(text="first", author=self.member()), Note(text="of nobody")])
        db.session.commit()
        self.assertEqual(self.client.get("/notes/ann").json, ["first"])

    def test_note(self):
        note = Note(text="tea at five")
        db.session.add(note)
        db.session.commit()
        self.assertEqual(self.client.get(f"/note/{note.id}").json["text"], "tea at five")
        self.assertEqual(self.client.get("/note/7").status_code, 404)
"#;

/// R32: the application is made by the project's function as the recorded test made it, with its class of settings; rows that the test
/// made stand in a session, in the application's context; a password is the same made-up one wherever it was given.
#[test]
fn an_application_that_a_test_makes_and_rows_of_sqlalchemy_are_made_again() {
    let files =
        [("club.py", CLUB), ("tests/test_club.py", CASES), ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n")];
    let (place, python, out) = accepted(&files);
    for function in ["listed", "shown", "login", "Member.label"] {
        assert!(out.contains(&format!("club:{function}  ready")), "{function}: {out}");
    }
    let text = place.read("tests/pytead/test_pytead_club.py");
    for lines in [
        // Nothing asks a database for a row that no session has, so that no application is needed.
        "    member = Member(name=\"ann lee\")\n    assert member.label(\"dear\") == \"dear Ann Lee\"\n",
        "@pytest.fixture\ndef app():\n    class Settings:\n        TESTING = True\n        SQLALCHEMY_DATABASE_URI = \"sqlite://\"\n\n    \
         return create_app(Settings)\n",
        "    client = app.test_client()\n    with app.app_context():\n        db.create_all()\n        member = Member(name=\"ann\")\n",
        "        note = Note(text=\"first\", author=member)\n",
        "        db.session.add_all([note, note_2])\n        db.session.commit()\n        response = client.get(\"/notes/ann\")\n        \
         assert response.status_code == 200\n        assert response.json == [\"first\"]\n",
        "        response = client.get(f\"/note/{note.id}\")\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    assert_eq!(text.matches("class Settings").count(), 1, "{text}");
    let (set, given) = ("member.set_password(\"made-up-password\")", "\"password\": \"made-up-password\"");
    assert!(text.contains(set) && text.contains(given), "{text}");
    assert!(!text.contains("correct horse") && !text.contains("battery"), "{text}");
    passes(&place, &python, &[]);
    place.edit("club.py", "\"Who are you?\", 403", "\"Who are you?\", 401");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "replay"]);
    assert_eq!(code, 1, "{out}{err}");
}

const CONFTEST: &str = r#"import pytest

from club import create_app, db


class Settings:
    SQLALCHEMY_DATABASE_URI = "sqlite://"


@pytest.fixture
def app():
    app = create_app(Settings)
    with app.app_context():
        db.create_all()
        yield app
        db.session.remove()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def session(app):
    return db.session
"#;

const TESTS: &str = r#"import pytest

from club import Member, Note, db, notes_of


@pytest.fixture
def ann(app):
    member = Member(name="ann")
    db.session.add(member)
    db.session.commit()
    return member


def test_notes(client, ann):
    db.session.add(Note(text="first", author=ann))
    db.session.commit()
    assert client.get("/notes/ann").json == ["first"]


def test_none(session):
    session.add(Member(name="bob"))
    session.commit()
    assert notes_of("bob") == []


def test_label(session):
    cleo = Member(name="cleo")
    session.add(cleo)
    session.commit()
    assert cleo.label("dear") == "dear Cleo"
"#;

/// R32: with fixtures of a conftest.py, tests take the application and its client from them, and make the rows of fixtures that no
/// other test can have.
#[test]
fn rows_of_a_fixture_in_a_test_file_are_made_by_the_test() {
    let files = [
        ("club.py", CLUB),
        ("tests/conftest.py", CONFTEST),
        ("tests/test_club.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python, _) = accepted(&files);
    let text = place.read("tests/pytead/test_pytead_club.py");
    for lines in [
        "(client):\n    \"\"\"Recorded from tests/test_club.py::test_notes.\"\"\"\n    member = Member(name=\"ann\")\n    \
         db.session.add(member)\n    db.session.commit()\n    note = Note(text=\"first\", author=member)\n    \
         db.session.add(note)\n    db.session.commit()\n    response = client.get(\"/notes/ann\")\n",
        "    member = Member(name=\"cleo\")\n    session.add(member)\n    session.commit()\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    passes(&place, &python, &[]);
}

const STOCK: &str = r#"from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Shelf(Base):
    __tablename__ = "shelf"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    parts: Mapped[list["Part"]] = relationship(back_populates="shelf")


class Part(Base):
    __tablename__ = "part"
    id: Mapped[int] = mapped_column(primary_key=True)
    price: Mapped[int]
    shelf_id: Mapped[int] = mapped_column(ForeignKey("shelf.id"))
    shelf: Mapped[Shelf] = relationship(back_populates="parts")


def total(session, shelf):
    return sum(session.scalars(select(Part.price).where(Part.shelf_id == shelf.id)))


def cheapest(session):
    return min(session.scalars(select(Part.price)), default=0)


def create_tables(engine):
    Base.metadata.create_all(engine)
"#;

const STOCK_TESTS: &str = r#"import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from stock import Part, Shelf, cheapest, create_tables, total

PRICE = 3


@pytest.fixture(name="engine")
def engine_fixture():
    engine = create_engine("sqlite://")
    create_tables(engine)
    return engine


@pytest.fixture
def session(engine):
    with Session(engine) as opened:
        yield opened


@pytest.fixture
def filled(session):
    session.add(Part(price=PRICE, shelf=Shelf(name="top")))
    session.commit()
    return session


def test_total(session):
    shelf = Shelf(name="top")
    session.add_all([Part(price=3, shelf=shelf), Part(price=30, shelf=shelf)])
    session.commit()
    assert total(session, shelf) == 33


def test_cheapest(filled):
    assert cheapest(filled) == 3
"#;

/// R32: a short fixture of a test file stands beside the test as it is written there, with those that it takes; one that reads what is
/// in that file alone does not, and the reason says so.
#[test]
fn a_fixture_of_a_test_file_is_repeated_beside_the_test() {
    let files = [
        ("stock.py", STOCK),
        ("tests/test_stock.py", STOCK_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python, _) = accepted(&files);
    let text = place.read("tests/pytead/test_pytead_stock.py");
    for lines in [
        "@pytest.fixture\ndef engine():\n    engine = create_engine(\"sqlite://\")\n    create_tables(engine)\n    return engine\n",
        "@pytest.fixture\ndef session(engine):\n    with Session(engine) as opened:\n        yield opened\n",
        "(session):\n    \"\"\"Recorded from 1 call.\"\"\"\n    shelf = Shelf(name=\"top\")\n    part = Part(price=3, shelf=shelf)\n    \
         part_2 = Part(price=30, shelf=shelf)\n    session.add_all([part, part_2])\n    session.commit()\n    \
         assert total(session, shelf) == 33\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    passes(&place, &python, &[]);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--why", "cheapest"]);
    assert!(code == 0 && out.contains("fixture-in-test-file"), "{code} {out}{err}");
}
