//! Web applications: their recorded tests become tests with the project's own fixtures, the framework's client and its rows, which
//! pass in the project's own way of running tests.

use std::process::Command;

use crate::harness::{Place, environment_with, packages_of};

const NOTES: &str = r#"import sqlite3

import flask


def get_db():
    if "db" not in flask.g:
        flask.g.db = sqlite3.connect(flask.current_app.config["DATABASE"])
    return flask.g.db


def close_db(error=None):
    db = flask.g.pop("db", None)
    if db is not None:
        db.close()


def visitor():
    return flask.session.get("name")


def join():
    if flask.request.method == "POST":
        name = flask.request.form["name"]
        if not name:
            return flask.render_template_string("<h1>Join</h1><p>Name is required.</p>")
        flask.session["name"] = name
        return flask.redirect("/")
    return flask.render_template_string("<h1>Join</h1>")


def index():
    rows = get_db().execute("SELECT text FROM note ORDER BY text").fetchall()
    listed = "".join(f"<li>{text}</li>" for (text,) in rows)
    return f"<h1>Notes of {visitor() or 'nobody'}</h1><ul>{listed}</ul>"


def add():
    if visitor() is None:
        flask.abort(403)
    get_db().execute("INSERT INTO note VALUES (?)", (flask.request.form["text"],))
    get_db().commit()
    return flask.redirect("/")


def count():
    return {"count": get_db().execute("SELECT count(*) FROM note").fetchone()[0], "of": visitor()}


def create_app(config):
    app = flask.Flask(__name__)
    app.secret_key = "for tests"
    app.config.update(config)
    app.teardown_appcontext(close_db)
    app.add_url_rule("/join", view_func=join, methods=["GET", "POST"])
    app.add_url_rule("/", view_func=index)
    app.add_url_rule("/add", view_func=add, methods=["POST"])
    app.add_url_rule("/count", view_func=count)
    return app
"#;

const NOTES_CONFTEST: &str = r#"import os
import tempfile

import pytest

from notes import create_app, get_db

with open(os.path.join(os.path.dirname(__file__), "data.sql")) as stream:
    DATA = stream.read()


@pytest.fixture
def app():
    handle, path = tempfile.mkstemp()
    os.close(handle)
    app = create_app({"DATABASE": path, "TESTING": True})
    with app.app_context():
        get_db().executescript(DATA)
    yield app
    os.unlink(path)


@pytest.fixture
def client(app):
    return app.test_client()


class Visitor:
    def __init__(self, client):
        self._client = client

    def login(self, name="ada"):
        return self._client.post("/join", data={"name": name})


@pytest.fixture
def visitor(client):
    return Visitor(client)
"#;

const NOTES_TESTS: &str = r#"import pytest


def test_join(client):
    assert client.get("/join").status_code == 200
    assert b"required" in client.post("/join", data={"name": ""}).data
    assert client.post("/join", data={"name": "eve"}).headers["Location"] == "/"


def test_index(client, visitor):
    assert b"nobody" in client.get("/").data
    visitor.login()
    assert b"Notes of ada" in client.get("/").data


def test_add(client, visitor):
    assert client.post("/add", data={"text": "x"}).status_code == 403
    visitor.login()
    assert client.post("/add", data={"text": "buy milk"}).status_code == 302


@pytest.fixture
def busy(client):
    client.post("/join", data={"name": "bo"})
    return client


def test_count(busy):
    assert busy.get("/count").json == {"count": 1, "of": "bo"}
"#;

pub(crate) fn project(files: &[(&str, &str)]) -> (Place, String) {
    project_with(&["web"], files)
}

/// Makes a project, records its tests in an environment with these packages, and gives that environment's interpreter.
pub(crate) fn project_with(packages: &[&str], files: &[(&str, &str)]) -> (Place, String) {
    let place = Place::empty();
    let python = environment_with(packages);
    for (path, text) in files {
        place.save(path, text);
    }
    let (code, out, err) =
        place.run(&["--trust", "--python", &python, "run", "--", &python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    assert_eq!(code, 0, "{out}{err}");
    (place, python)
}

/// Runs all of a project's tests as its people do, in some order.
pub(crate) fn passes(place: &Place, python: &str, more: &[&str]) {
    passes_with("", place, python, more);
}

/// As [`passes`], in two processes.
pub(crate) fn passes_in_two(place: &Place, python: &str, more: &[&str]) {
    passes_with(packages_of("plugins").to_str().unwrap(), place, python, &[&["-n", "2"], more].concat());
}

fn passes_with(packages: &str, place: &Place, python: &str, more: &[&str]) {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(more).current_dir(place.root());
    let done = pytest.env("PYTHONPATH", packages).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}

/// R32: requests of recorded tests become tests with the project's fixtures. They notice faults in the views behind them, and pass
/// beside the project's own tests.
#[test]
fn requests_of_flask_become_tests_with_the_projects_fixtures() {
    let files = [
        ("notes.py", NOTES),
        ("tests/conftest.py", NOTES_CONFTEST),
        ("tests/data.sql", "CREATE TABLE note (text TEXT);\nINSERT INTO note VALUES ('read a book');\n"),
        ("tests/test_notes.py", NOTES_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for function in ["join", "index", "add"] {
        assert!(out.contains(&format!("notes:{function}  ready")), "{function}: {out}{err}");
    }
    let text = place.read("tests/pytead/test_pytead_notes.py");
    for lines in [
        "    response = client.post(\"/join\", data={\"name\": \"\"})\n    assert response.status_code == 200\n    \
         assert \"Name is required.\" in response.text\n",
        "def test_add_post_is_forbidden(client):\n",
        "    visitor.login()\n    response = client.post(\"/add\", data={\"text\": \"buy milk\"})\n    \
         assert response.status_code == 302\n    assert response.headers[\"Location\"] == \"/\"\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    // What only a fixture in a test file gives has no test, and a reason.
    assert!(out.contains("fixture-in-test-file") && out.contains("its test takes busy from a test file"), "{out}");
    passes(&place, &python, &[]);
    passes(&place, &python, &["tests/pytead", "tests/test_notes.py"]);
    place.edit("notes.py", "flask.abort(403)", "flask.abort(401)");
    let mut pytest = Command::new(&python);
    let done = pytest.args(["-m", "pytest", "-q", "tests/pytead"]).current_dir(place.root()).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(!done.status.success() && said.contains("test_add_post_is_forbidden"), "{said}");
}

const SETTINGS: &str = r#"SECRET_KEY = "for tests"
ROOT_URLCONF = "urls"
ALLOWED_HOSTS = ["*"]
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "books"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "books.sqlite3"}}
"#;

const BOOKS: &str = r#"from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=80)

    def initials(self):
        return "".join(part[0] for part in self.name.split())


class Book(models.Model):
    title = models.CharField(max_length=80)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    lent_to = models.CharField(max_length=80, blank=True)

    def label(self):
        return f"{self.title} by {self.author.name}"

    def lend(self, name):
        if self.lent_to:
            raise ValueError(f"{self.title} is lent")
        self.lent_to = name
        self.save()
"#;

const VIEWS: &str = r#"from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect

from books.models import Author, Book


def page_of(request, size=10):
    return (int(request.GET.get("page", "1")) - 1) * size


def detail(request, pk):
    book = get_object_or_404(Book, pk=pk)
    return HttpResponse(f"<h1>{book.title}</h1><p>by {book.author.name}</p>")


def api(request):
    return JsonResponse({"books": [{"id": book.pk, "title": book.title} for book in Book.objects.order_by("title")]})


@login_required(login_url="/login/")
def add(request):
    author = get_object_or_404(Author, pk=request.POST["author"])
    book = Book.objects.create(title=request.POST["title"], author=author)
    return redirect(f"/books/{book.pk}/")
"#;

const BOOKS_URLS: &str = r#"from django.urls import path

from books import views

urlpatterns = [path("books/<int:pk>/", views.detail), path("api/", views.api), path("add/", views.add)]
"#;

const BOOKS_CONFTEST: &str = r#"import pytest

from books.models import Author, Book


@pytest.fixture
def author(db):
    return Author.objects.create(name="Ursula Le Guin")


@pytest.fixture
def book(author):
    return Book.objects.create(title="Always Coming Home", author=author)
"#;

const BOOKS_TESTS: &str = r#"import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory, TestCase

from books.models import Author, Book
from books.views import page_of


def test_detail(client, book):
    assert client.get(f"/books/{book.pk}/").status_code == 200


def test_absent(client, db):
    assert client.get("/books/99/").status_code == 404


def test_api(client, book):
    Book.objects.create(title="Tehanu", author=book.author)
    assert len(client.get("/api/").json()["books"]) == 2


def test_label(book):
    assert book.label() == "Always Coming Home by Ursula Le Guin"


def test_lend(book):
    book.lend("ada")
    with pytest.raises(ValueError):
        book.lend("bo")


def test_initials():
    assert Author(name="Ursula Le Guin").initials() == "ULG"


def test_page():
    assert page_of(RequestFactory().get("/", {"page": "3"})) == 20


class AddTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.author = Author.objects.create(name="Sappho")
        cls.user = User.objects.create_user("bo", password="not a secret word")

    def test_add(self):
        self.client.force_login(self.user)
        answer = self.client.post("/add/", {"title": "Odes", "author": self.author.pk})
        self.assertEqual(answer.status_code, 302)

    def test_stranger(self):
        self.assertEqual(self.client.post("/add/", {"title": "Odes"}).status_code, 302)
"#;

/// R32: the same for Django, with rows, logins, keys of rows, model methods on what fixtures gave, and classes of tests.
#[test]
fn tests_of_django_become_tests_with_rows_fixtures_and_its_client() {
    let files = [
        ("site_settings.py", SETTINGS),
        ("urls.py", BOOKS_URLS),
        ("books/__init__.py", ""),
        ("books/models.py", BOOKS),
        ("books/views.py", VIEWS),
        ("tests/conftest.py", BOOKS_CONFTEST),
        ("tests/test_books.py", BOOKS_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\nDJANGO_SETTINGS_MODULE = site_settings\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for function in [
        "views:detail",
        "views:api",
        "views:add",
        "views:page_of",
        "models:Book.label",
        "models:Book.lend",
        "models:Author.initials",
    ] {
        assert!(out.contains(&format!("books.{function}  ready")), "{function}: {out}{err}");
    }
    let views = place.read("tests/pytead/test_pytead_books__views.py");
    for lines in [
        "(client, book):\n",
        "    response = client.get(f\"/books/{book.pk}/\")\n    assert response.status_code == 200\n",
        "@pytest.mark.django_db\ndef test_detail_is_not_found(client):\n",
        "    user = User.objects.create_user(\"bo\", password=\"made-up-password\")\n",
        "    client.force_login(user)\n    response = client.post(\"/add/\", data={\"title\": \"Odes\", \"author\": author.pk})\n",
        "    assert response[\"Location\"].startswith(\"/books/\")\n",
        "assert page_of(RequestFactory().get(\"/?page=3\")) == 20\n",
        "{\"id\": ANY, \"title\": \"Tehanu\"}",
    ] {
        assert!(views.contains(lines), "{lines}\n{views}");
    }
    let models = place.read("tests/pytead/test_pytead_books__models.py");
    for lines in [
        "author = Author(name=\"Ursula Le Guin\")",
        "assert book.label() == \"Always Coming Home by Ursula Le Guin\"",
        "(book):\n",
    ] {
        assert!(models.contains(lines), "{lines}\n{models}");
    }
    assert!(!views.contains("not a secret word"), "{views}");
    passes(&place, &python, &[]);
    passes_in_two(&place, &python, &["tests/pytead", "tests/test_books.py"]);
}
