//! Clients of applications that tests make themselves, not by a fixture for others: tests made of their requests make them the same
//! way, of the application that a module of the project holds.

use crate::applications::{passes, project};

const SHOP: &str = r#"import contextlib

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

PRICES = {"tea": 4, "cake": 6}
RATES: dict = {}


@contextlib.asynccontextmanager
async def lifespan(app):
    RATES["usd"] = 2
    yield
    RATES.clear()


def price_of(name, count):
    if name not in PRICES:
        raise LookupError(name)
    return PRICES[name] * count


async def price(request):
    try:
        total = price_of(request.path_params["name"], int(request.query_params.get("count", "1")))
    except LookupError:
        return JSONResponse({"error": "not sold here"}, status_code=404)
    return JSONResponse({"total": total})


def hello(request):
    return PlainTextResponse(f"Hello {request.headers.get('x-name', 'you')}")


async def order(request):
    data = await request.json()
    return JSONResponse({"ordered": data["name"], "total": price_of(data["name"], data["count"]) * RATES["usd"]}, status_code=201)


app = Starlette(
    routes=[
        Route("/price/{name}", price),
        Route("/hello", hello),
        Route("/orders", order, methods=["POST"]),
    ],
    lifespan=lifespan,
)
"#;

const SHOP_TESTS: &str = r#"import pytest
from starlette.testclient import TestClient

from shop.web import app

client = TestClient(app)


def test_price():
    assert client.get("/price/tea?count=3").json() == {"total": 12}
    assert client.get("/price/glue").status_code == 404


@pytest.fixture
def guest():
    return TestClient(app)


def test_hello(guest):
    assert guest.get("/hello", headers={"x-name": "Ada"}).text == "Hello Ada"


def test_order():
    with TestClient(app) as running:
        answer = running.post("/orders", json={"name": "cake", "count": 2})
        assert answer.status_code == 201
"#;

const TOOL: &str = r#"import click


def greeting(name, loud):
    text = f"Hi {name}"
    return text.upper() + "!" if loud else text


@click.command()
@click.argument("name")
@click.option("--loud", is_flag=True)
def main(name, loud):
    if name == "nobody":
        raise click.ClickException("Give a name.")
    click.echo(greeting(name, loud))
"#;

const TOOL_TESTS: &str = r#"from click.testing import CliRunner

from shop.tool import main


def test_greets():
    runner = CliRunner()
    assert runner.invoke(main, ["ada", "--loud"]).output == "HI ADA!\n"


def test_nobody():
    assert CliRunner().invoke(main, ["nobody"]).exit_code == 1
"#;

const BOARD: &str = r#"import flask

app = flask.Flask(__name__)


def shout(text):
    return text.upper()


@app.get("/shout/<text>")
def shouted(text):
    return {"text": shout(text), "by": flask.request.args.get("by", "nobody")}


@app.cli.command("rooms")
def rooms():
    print("blue, red")
"#;

const BOARD_TESTS: &str = r#"import unittest

from shop.board import app


def test_shout():
    assert app.test_client().get("/shout/hey?by=bo").json["text"] == "HEY"


def test_rooms():
    assert "blue" in app.test_cli_runner().invoke(args=["rooms"]).output


class ShoutTest(unittest.TestCase):
    def setUp(self):
        self.client = app.test_client()

    def test_nobody(self):
        self.assertEqual(self.client.get("/shout/ho").json["by"], "nobody")
"#;

/// R32: requests by a client that no fixture for others gives become tests that make it of the application: one of the module, one of
/// a fixture in the test file, one that starts the application up. The same for runners of commands, and for Flask.
#[test]
fn clients_that_tests_make_themselves_are_made_again_of_the_application() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/web.py", SHOP),
        ("shop/tool.py", TOOL),
        ("shop/board.py", BOARD),
        ("tests/test_shop.py", SHOP_TESTS),
        ("tests/test_tool.py", TOOL_TESTS),
        ("tests/test_board.py", BOARD_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for function in ["web:price", "web:hello", "web:order", "tool:main", "board:shouted", "board:rooms"] {
        assert!(out.contains(&format!("shop.{function}  ready")), "{function}: {out}{err}");
    }
    let text: String = ["web", "tool", "board"]
        .iter()
        .map(|module| place.read(&format!("tests/pytead/test_pytead_shop__{module}.py")))
        .collect();
    for lines in [
        "from shop.web import app, price_of\n",
        "    client = TestClient(app)\n    response = client.get(\"/price/glue\")\n    assert response.status_code == 404\n    \
         assert response.json() == {\"error\": \"not sold here\"}\n",
        "    response = client.get(\"/hello\", headers={\"x-name\": \"Ada\"})\n    assert response.status_code == 200\n    \
         assert response.text == \"Hello Ada\"\n",
        "    with TestClient(app) as client:\n        response = client.post(\"/orders\", json={\"name\": \"cake\", \"count\": 2})\n        \
         assert response.status_code == 201\n        assert response.json() == {\"ordered\": \"cake\", \"total\": 24}\n",
        "    runner = CliRunner()\n    result = runner.invoke(main, [\"ada\", \"--loud\"])\n    assert result.exit_code == 0\n    \
         assert result.output == \"HI ADA!\\n\"\n",
        "    client = app.test_client()\n",
        "    runner = app.test_cli_runner()\n    result = runner.invoke(args=[\"rooms\"])\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    passes(&place, &python, &[]);
    passes(&place, &python, &["tests/pytead", "tests/test_shop.py"]);
    place.edit("shop/web.py", "status_code=404", "status_code=400");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "replay"]);
    assert_eq!(code, 1, "{out}{err}");
}

/// R32: what a test replaced in the application would be missing, so there is a reason and no test.
#[test]
fn a_request_to_an_application_with_something_replaced_gets_a_reason() {
    let tests = "from starlette.testclient import TestClient\n\nfrom shop.web import app\n\n\ndef test_price():\n    \
                 app.dependency_overrides = {\"prices\": {}}\n    assert TestClient(app).get(\"/price/tea\").status_code == 200\n";
    let files = [
        ("shop/__init__.py", ""),
        ("shop/web.py", SHOP),
        ("tests/test_shop.py", tests),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!out.contains("shop.web:price  ready") && out.contains("fixture-changed"), "{out}");
}

const PAGE: &str = r#"import flask

app = flask.Flask(__name__)


def page_number():
    return int(flask.request.args.get("page", "1"))


def greeting(word):
    return f"{word} {flask.request.headers.get('x-name', 'you')}"
"#;

const PAGE_TESTS: &str = r#"from shop.page import app, greeting, page_number


def test_page():
    with app.test_request_context("/?page=3"):
        assert page_number() == 3
    with app.test_request_context("/"):
        assert page_number() == 1


def test_greeting():
    with app.test_request_context("/", headers={"x-name": "Ada"}):
        assert greeting("Hi") == "Hi Ada"
"#;

/// R32: what a test calls in the context of a request is called in the same one.
#[test]
fn what_a_test_calls_in_the_context_of_a_request_is_called_in_it() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/page.py", PAGE),
        ("tests/test_page.py", PAGE_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_shop__page.py");
    for lines in [
        "    with app.test_request_context(\"/?page=3\"):\n        assert page_number() == 3\n",
        "    with app.test_request_context(\"/\", headers={\"x-name\": \"Ada\"}):\n        assert greeting(\"Hi\") == \"Hi Ada\"\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    passes(&place, &python, &[]);
}

const RATES: &str = r#"import json

RATES = {"eu": 3, "us": 5}


class Request:
    def __init__(self, scope, receive):
        self.scope = scope
        self._receive = receive


def region_of(request):
    return request.scope["path"].strip("/")


async def show(request):
    region = region_of(request)
    if region not in RATES:
        return 404, {"error": "no such region"}
    return 200, {"rate": RATES[region]}


async def app(scope, receive, send):
    status, body = await show(Request(scope, receive))
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
"#;

const RATES_CONFTEST: &str = r#"import httpx
import pytest

from shop.client import Client
from shop.rates import app


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def client():
    return Client(app)
"#;

const RATES_CLIENT: &str = r#"import httpx


class Client:
    def __init__(self, app):
        self.app = app

    async def get(self, path):
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url="http://shop") as client:
            return await client.get(path)
"#;

const RATES_TESTS: &str = r#"import pytest


@pytest.mark.anyio
async def test_rate(client):
    assert (await client.get("/eu")).status_code == 200


@pytest.mark.anyio
async def test_no_rate(client):
    assert (await client.get("/moon")).status_code == 404
"#;

/// R32: an application of ASGI without a framework, asked by a client of the project's own: what its functions do stands in the answers.
#[test]
fn an_application_without_a_framework_is_tested_by_what_it_answers() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/rates.py", RATES),
        ("shop/client.py", RATES_CLIENT),
        ("tests/conftest.py", RATES_CONFTEST),
        ("tests/test_rates.py", RATES_TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_shop__rates.py");
    for lines in [
        "@pytest.mark.anyio\nasync def test_app_is_not_found(client):\n",
        "    response = await client.get(\"/eu\")\n    assert response.status_code == 200\n    assert response.json() == {\"rate\": 3}\n",
        "    response = await client.get(\"/moon\")\n    assert response.status_code == 404\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}\n{out}");
    }
    passes(&place, &python, &[]);
}
