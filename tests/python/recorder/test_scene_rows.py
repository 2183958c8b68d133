"""Rows of SQLAlchemy's and applications that a test makes itself: the recorder describes the calls that made them."""

import json

import pytest
from shelves import conftest_with

CLUB = """
    from flask import Flask
    from flask_sqlalchemy import SQLAlchemy

    db = SQLAlchemy()

    class Member(db.Model):
        id = db.Column(db.Integer, primary_key=True)
        name = db.Column(db.String(40))
        def label(self, style): return style + self.name
        def keep(self, password): return len(password)

    def names(): return [m.name for m in Member.query.all()]
    def fill(): db.session.add(Member(name="own"))

    def create_app(settings, debug=False):
        app = Flask(__name__)
        app.config.from_object(settings)
        db.init_app(app)
        app.add_url_rule("/names", view_func=names)
        return app
"""

TESTS = """
    import unittest
    from club import Member, create_app, db, fill

    class Settings:
        SQLALCHEMY_DATABASE_URI = "sqlite://"

    class ClubTest(unittest.TestCase):
        def setUp(self):
            self.app = create_app(Settings)
            self.client = self.app.test_client()
            with self.app.app_context():
                db.create_all()

        def test_a(self):
            with self.app.app_context():
                ann = Member(name="ann")
                db.session.add(ann)
                db.session.commit()
                fill()
            self.client.get("/names")

        def test_b(self):
            Member(name="bo").keep("correct horse")
            Member(name="bo").label("dear ")
"""


@pytest.fixture
def told(program):
    program.write("club.py", CLUB)
    program.write("test_club.py", TESTS)
    conftest_with(program, "flask_sqlalchemy")
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_club.py")
    functions = {record[1]: record[3] for record in spool.of("F")}
    calls = {record[1]: functions[record[2]] for record in spool.of("C")}
    assert not spool.of("X")
    found: dict = {}
    for record in spool.of("E"):
        if record[2] == "scene":
            found.setdefault(calls[record[1]], []).append(json.loads(record[3]))
    return found


APP = {"call": {"name": ["club", "create_app"], "args": [{"name": ["test_club", "Settings"]}], "kwargs": []}, "n": 0}


def test_an_application_is_told_by_the_call_of_the_project_that_made_it(told):
    (names,) = told["names"]
    asked = names["steps"][-1]
    assert asked["client"]["app"] == APP and asked["method"] == "get"
    assert "within" not in asked


def test_rows_and_what_is_asked_of_their_session_are_steps(told):
    (names,) = told["names"]
    made, row, add, commit = names["steps"][:4]
    assert made["method"] == "create_all" and made["place"] == ["club", "db", []]
    assert (row["kind"], row["model"], row["kwargs"]) == ("row", ["club", "Member"], [["name", "ann"]])
    assert add["method"] == "add" and add["args"] == [{"row": 1}] and add["place"] == ["club", "db", ["session"]]
    assert commit["method"] == "commit"
    assert all(step["within"] == APP for step in (made, row, add, commit))


def test_a_row_that_the_program_makes_is_no_step(told):
    (names,) = told["names"]
    assert sum(step["kind"] == "row" for step in names["steps"]) == 1


def test_a_secret_that_is_given_by_place_is_a_placeholder(told):
    (label,) = told["Member.label"]
    rows = [step for step in label["steps"] if step["kind"] == "row"]
    kept = next(step for step in label["steps"] if step.get("method") == "keep")
    assert len(rows) == 2 and kept["on"] == "#%d" % label["steps"].index(rows[0])
    assert kept["args"] == [{"made_up": "password", "n": 1}]
    assert "horse" not in json.dumps(label)


def test_a_function_that_is_given_a_row_is_a_step_of_its_own_and_no_method_of_it(program):
    conftest_with(program, "flask_sqlalchemy")
    program.write("club.py", CLUB + "\n    def rename(member, name): member.name = shown(name)\n    def shown(name): return name.title()\n")
    program.write("test_club.py", """
        from club import Member, rename

        def test_a():
            ann = Member(name="ann")
            rename(ann, "ann lee")
            assert ann.label("dear ") == "dear Ann Lee"
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_club.py")
    scenes = [json.loads(record[3]) for record in spool.of("E") if record[2] == "scene"]
    steps = max((scene["steps"] for scene in scenes), key=len)
    assert [step["kind"] for step in steps] == ["row", "function", "direct"]
    assert (steps[1]["name"], steps[1]["args"]) == (["club", "rename"], [{"row": 0}, "ann lee"])


def test_only_a_context_that_the_test_made_is_that_of_its_calls(program):
    conftest_with(program, "flask_sqlalchemy")
    program.write("page.py", """
        import flask
        app = flask.Flask(__name__)
        def page(kind): return kind + flask.request.args.get("page", "none")
    """)  # fmt: skip
    program.write("test_page.py", """
        from page import app, page

        def test_a():
            with app.test_request_context("/?page=3"):
                assert page("made ") == "made 3"
            with app.test_client() as client:
                client.get("/?page=4")
                assert page("asked ") == "asked 4"
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_page.py")
    scenes = [json.loads(record[3]) for record in spool.of("E") if record[2] == "scene"]
    found = [step["within"] for scene in scenes for step in scene["steps"] if "within" in step]
    assert found == [{"context": {"app": {"name": ["page", "app"]}, "args": ["/?page=3"], "kwargs": []}}]
