//! Calls that cannot be made alone are compared inside the recorded tests of unittest and Django that made them.

use crate::harness::{Place, python_with};

const APP: &str = r#"import sqlite3
from contextvars import ContextVar

user = ContextVar("user")
connection = ContextVar("connection")


class Forbidden(Exception):
    def __init__(self, code):
        self.code = code


def connect():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE post (id INTEGER PRIMARY KEY, author TEXT, title TEXT)")
    return db


def get_post(number):
    found = connection.get().execute("SELECT author, title FROM post WHERE id = ?", (number,)).fetchone()
    if found is None:
        raise KeyError(number)
    if found[0] != user.get():
        raise Forbidden(403)
    return found
"#;

const TESTS: &str = r#"import unittest

from web import app


class Posts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.db = app.connect()
        cls.db.execute("INSERT INTO post (author, title) VALUES ('ada', 'one')")

    def setUp(self):
        app.connection.set(self.db)
        app.user.set("ada")

    def test_own(self):
        self.assertEqual(app.get_post(1)[1], "one")
        with self.assertRaises(KeyError):
            app.get_post(2)

    def test_of_others(self):
        app.user.set("eve")
        with self.assertRaises(app.Forbidden):
            app.get_post(1)


if __name__ == "__main__":
    unittest.main()
"#;

const SETTINGS: &str = r#"SECRET_KEY = "x"
INSTALLED_APPS = ["polls"]
ROOT_URLCONF = "polls.urls"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "polls.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = True
"#;

const MANAGE: &str = r#"import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
execute_from_command_line(sys.argv)
"#;

/// What an application that is used by others has instead.
const RUNTESTS: &str = r#"import sys

import django
from django.conf import settings

import site_settings

settings.configure(**{name: held for name, held in vars(site_settings).items() if name.isupper()})
django.setup()

from django.test.utils import get_runner

sys.exit(get_runner(settings)(verbosity=2).run_tests(sys.argv[1:] or ["polls"]))
"#;

const MODELS: &str = r#"from django.db import models


class Question(models.Model):
    text = models.CharField(max_length=200)

    def votes(self):
        return sum(choice.votes for choice in self.choices.all())


class Choice(models.Model):
    question = models.ForeignKey(Question, related_name="choices", on_delete=models.CASCADE)
    votes = models.IntegerField(default=0)

    def is_popular(self):
        return self.votes > 10
"#;

const VIEWS: &str = r#"from django.http import Http404, HttpResponse

from .models import Question


def detail(request, pk):
    found = Question.objects.filter(pk=pk).first()
    if found is None:
        raise Http404("no such question")
    return HttpResponse("<h1>%s</h1>" % found.text)
"#;

const URLS: &str = r#"from django.urls import path

from . import views

urlpatterns = [path("<int:pk>/", views.detail)]
"#;

const POLLS_TESTS: &str = r#"from django.test import TestCase

from .models import Choice, Question


class Polls(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.asked = Question.objects.create(text="Why?")

    def test_detail(self):
        self.assertContains(self.client.get("/%d/" % self.asked.pk), "Why?")

    def test_absent(self):
        self.assertEqual(self.client.get("/99/").status_code, 404)

    def test_votes(self):
        for votes in (1, 2):
            Choice.objects.create(question=self.asked, votes=votes)
        self.assertEqual(self.asked.votes(), 3)

    def test_popular(self):
        self.assertIs(Choice(votes=11).is_popular(), True)
"#;

/// A project of these files, recorded by a program of its own.
fn recorded(files: &[(&str, &str)], program: &[&str]) -> Place {
    let place = Place::empty();
    for (path, text) in files {
        place.save(path, text);
    }
    place.save(".gitignore", "__pycache__\n");
    place.commit();
    let (code, out, err) = place.run(&[&["--trust", "run", "--"], program].concat());
    assert_eq!(code, 0, "{out}{err}");
    place
}

fn posts(program: &[&str]) -> Place {
    recorded(&[("web/__init__.py", ""), ("web/app.py", APP), ("tests/__init__.py", ""), ("tests/test_app.py", TESTS)], program)
}

fn polls(program: &[&str]) -> Place {
    let python = python_with("django");
    let files = [
        ("site_settings.py", SETTINGS),
        ("manage.py", MANAGE),
        ("runtests.py", RUNTESTS),
        ("polls/__init__.py", ""),
        ("polls/models.py", MODELS),
        ("polls/views.py", VIEWS),
        ("polls/urls.py", URLS),
        ("polls/tests.py", POLLS_TESTS),
    ];
    recorded(&files, &[&[python.to_str().unwrap()], program].concat())
}

/// Replaces a text in a file, has `replay` end with a code and say these, and takes the edit back.
fn edited(place: &Place, (path, text): (&str, &str), (old, new): (&str, &str), code: i32, said: &[&str]) {
    place.edit(path, old, new);
    let (ended, out, err) = place.run(&["--trust", "replay"]);
    assert_eq!(ended, code, "{out}{err}");
    for part in said {
        assert!(out.contains(part), "{part} in {out}{err}");
    }
    place.save(path, text);
}

#[test]
fn calls_are_compared_inside_tests_of_unittest() {
    let place = posts(&["python", "-m", "unittest", "discover", "-v", "-t", ".", "-s", "tests"]);
    let app = ("web/app.py", APP);
    let (own, of_others) = ("tests.test_app.Posts.test_own", "tests.test_app.Posts.test_of_others");
    edited(&place, app, ("Forbidden(403)", "Forbidden(404)"), 1, &["web.app:get_post", "403 → 404", of_others]);
    edited(&place, app, ("return found\n", "return list(found)\n"), 1, &["web.app:get_post", own]);
    edited(&place, app, ("    if found is None", "    pass\n    if found is None"), 0, &["as before", "0 not compared"]);
    // A test may fail although no call differs.
    place.edit("tests/test_app.py", "\"one\")", "\"two\")");
    place.edit("tests/test_app.py", "app.user.set(\"eve\")", "self.fail(\"later\")");
    edited(
        &place,
        app,
        ("    if found is None", "    number += 0\n    if found is None"),
        4,
        &[&format!("its test {own} of unittest fails now"), &format!("python -m unittest {own}")],
    );
    place.edit("tests/test_app.py", "import unittest", "import unittest\nimport absent_module");
    edited(&place, app, ("Forbidden(403)", "Forbidden(405)"), 4, &["tests/test_app.py:2: ", "No module named 'absent_module'"]);
}

#[test]
fn a_test_file_that_is_the_program_is_run_again() {
    let place = posts(&["python", "-m", "tests.test_app"]);
    edited(&place, ("web/app.py", APP), ("Forbidden(403)", "Forbidden(404)"), 1, &["403 → 404", "__main__.Posts.test_of_others"]);
}

#[test]
fn calls_are_compared_inside_tests_of_django() {
    let place = polls(&["manage.py", "test", "--parallel", "2", "--shuffle", "7"]);
    let (views, models) = (("polls/views.py", VIEWS), ("polls/models.py", MODELS));
    edited(&place, views, ("<h1>%s</h1>", "<h2>%s</h2>"), 1, &["polls.views:detail", "polls.tests.Polls.test_detail", "<h2>"]);
    edited(&place, views, ("no such question", "no question"), 1, &["polls.tests.Polls.test_absent"]);
    edited(&place, views, ("    if found is None", "    pass\n    if found is None"), 0, &["as before"]);
    edited(
        &place,
        models,
        ("choice.votes for", "1 for"),
        1,
        &["Question.votes", "old  → 3", "new  → 2", "polls.tests.Polls.test_votes"],
    );
    place.edit("site_settings.py", "\"polls\"]", "\"polls\", \"absent_app\"]");
    edited(&place, views, ("<h1>%s</h1>", "<h3>%s</h3>"), 4, &["No module named 'absent_app'"]);
}

#[test]
fn calls_are_compared_inside_tests_of_an_application_with_a_script_of_its_own() {
    let place = polls(&["runtests.py"]);
    edited(&place, ("polls/views.py", VIEWS), ("<h1>%s</h1>", "<h2>%s</h2>"), 1, &["polls.tests.Polls.test_detail", "<h2>"]);
}

#[test]
fn a_method_of_a_model_has_a_test_where_django_is_set_up() {
    let place = polls(&["manage.py", "test"]);
    let python = python_with("django");
    let python = python.to_str().unwrap();
    let (code, out, err) = place.run(&["--trust", "--python", python, "gen", "--accept", "polls.models:Choice.is_popular"]);
    assert_eq!(code, 0, "{out}{err}");
    let test = place.read("tests/pytead/test_pytead_polls__models.py");
    assert!(test.contains("Choice(votes=11)") && test.contains("assert choice.is_popular() is True"), "{test}");
    let conftest = place.read("tests/pytead/conftest.py");
    assert!(conftest.ends_with("(\"DJANGO_SETTINGS_MODULE\", \"site_settings\")\ndjango.setup()\n"), "{conftest}");
    edited(&place, ("polls/models.py", MODELS), ("votes > 10", "votes > 11"), 1, &["Choice.is_popular", "new  → False"]);
}
