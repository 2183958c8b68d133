//! What the fixtures of an application are told by a recorded test: marks that they ask for, functions that it defines and passes on.

use crate::applications::{passes, project};

const WEB: &str = r#"import flask

pages = flask.Blueprint("pages", __name__)


class Greeter:
    def __init__(self):
        self.words = []

    def word(self, function):
        self.words.append(function)
        return function


@pages.get("/")
def hello():
    settings = flask.current_app.config
    text = "please" if settings["POLITE"] else "now"
    return {"says": text.upper() if settings["LOUD"] else text}


@pages.get("/words")
def words():
    return {"says": [word() for word in flask.current_app.greeter.words]}


@pages.get("/count")
def count():
    return {"count": len(flask.current_app.greeter.words)}


def create_app(polite=False):
    app = flask.Flask(__name__)
    app.greeter = Greeter()
    app.config["POLITE"] = polite
    app.config["LOUD"] = False
    app.register_blueprint(pages)
    return app
"#;

const CONFTEST: &str = r#"import pytest

from shop.web import create_app


def settings(node):
    mark = node.get_closest_marker("settings")
    return mark.kwargs if mark else {}


@pytest.fixture
def app(request):
    app = create_app(**settings(request.node))
    app.greeter.words.extend(getattr(request, "param", []))
    for name in ["loud"]:
        app.config[name.upper()] = name in request.keywords
    return app


@pytest.fixture(params=["plain", "lite"])
def client(app, request):
    if request.param == "lite":
        pytest.importorskip("not_there")
    return app.test_client()
"#;

const TESTS: &str = r#"import datetime

import pytest

pytestmark = pytest.mark.loud


@pytest.mark.slow
@pytest.mark.settings(polite=True)
def test_polite(client):
    assert client.get("/").json["says"] == "PLEASE"


def test_words(app, client):
    @app.greeter.word
    def day():
        return datetime.date(2026, 1, 5).strftime("%A") + " " + app.name.split(".")[0]

    assert client.get("/words").json["says"] == ["Monday shop"]


@pytest.mark.parametrize("app", [[str]], indirect=True, ids=["empty"])
def test_given(client):
    assert client.get("/count").json["count"] == 1


def test_heard(app, client):
    heard = []

    @app.greeter.word
    def listen():
        heard.append(1)
        return "heard"

    assert client.get("/words?a=1").json["says"] == ["heard"]
    assert heard == [1]
"#;

/// R32: a test bears the marks that fixtures ask for, and no mark that chooses tests; a function that the recorded test passed on stands in
/// it by its lines, unless these use what the test alone has. A value of a fixture with which the test is skipped says nothing.
#[test]
fn fixtures_are_told_by_a_test_what_they_were_told_by_the_recorded_one() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/web.py", WEB),
        ("tests/conftest.py", CONFTEST),
        ("tests/test_web.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\nmarkers =\n    loud\n    settings\n    slow\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen"]);
    assert!(code == 0 && out.contains("skipped here: test_hello[lite]"), "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_shop__web.py");
    for lines in [
        "@pytest.mark.loud\n@pytest.mark.parametrize(\"app\", [[str]], indirect=True)\ndef test_count(client):\n",
        "@pytest.mark.loud\n@pytest.mark.settings(polite=True)\ndef test_hello(client):\n",
        "    def day():\n        return datetime.date(2026, 1, 5).strftime(\"%A\") + \" \" + app.name.split(\".\")[0]\n\n",
        "    app.greeter.word(day)\n    response = client.get(\"/words\")\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    assert!(!text.contains("mark.slow") && !text.contains("listen"), "{text}");
    passes(&place, &python, &[]);
}
