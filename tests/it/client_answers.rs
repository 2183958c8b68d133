//! What the clients of recorded tests are answered is compared, whatever the tests assert: routes, decorators, middleware and what a
//! framework makes of a view's result show there alone.

use crate::applications::project_with;
use crate::harness::Place;

const WEB: &str = r#"import enum

from pricing import RATE
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route


class Stamp:
    NAME = b"x-shop"

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        async def stamped(message):
            if message["type"] == "http.response.start":
                message["headers"].append((self.NAME, b"1"))
            await send(message)

        await self.app(scope, receive, stamped)


def rate():
    return RATE


async def price(request):
    return JSONResponse({"price": rate() * int(request.path_params["n"])})


routes = [Mount("/shop", routes=[Route("/price/{n}", price), Route("/list", price, methods=["POST"])])]
app = Starlette(routes=routes, middleware=[Middleware(Stamp)])
"#;

const SITE: &str = r#"from flask import Blueprint, Flask

shop = Blueprint("shop", __name__)


@shop.get("/hours")
def hours():
    return {"open": 9}


app = Flask(__name__)
app.register_blueprint(shop, url_prefix="/shop")
"#;

const TOOL: &str = r#"import click


@click.group()
def cli():
    pass


@cli.command()
@click.option("--count", default=1)
@click.argument("name")
def greet(count, name):
    for _ in range(count):
        click.echo(f"Hello {name}")
"#;

// No test asserts anything of what it gets.
const TESTS: &str = r#"import httpx
import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import site_app
import tool
import web


def test_price():
    TestClient(web.app).get("/shop/price/3")


@pytest.mark.asyncio
async def test_awaited():
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=web.app), base_url="http://shop") as client:
        await client.get("/shop/price/4?tax=1")


def test_hours():
    site_app.app.test_client().get("/shop/hours")


def test_greet():
    CliRunner().invoke(tool.cli, ["greet", "Ada"])
"#;

fn recorded() -> (Place, String) {
    let files = [
        ("pricing.py", "RATE = 2\n"),
        ("web.py", WEB),
        ("site_app.py", SITE),
        ("tool.py", TOOL),
        ("tests/test_all.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\nasyncio_default_fixture_loop_scope = function\n"),
    ];
    project_with(&["web", "plugins"], &files)
}

/// Edits a file, says what `replay` says then, and takes the edit back.
fn told(place: &Place, python: &str, path: &str, old: &str, new: &str) -> (i32, String) {
    let before = place.read(path);
    place.edit(path, old, new);
    let (code, out, err) = place.run(&["--trust", "--python", python, "replay"]);
    place.save(path, &before);
    (code, out + &err)
}

#[test]
fn what_a_client_gets_is_compared_though_no_test_asserts_it() {
    let (place, python) = recorded();
    for (path, old, new, says) in [
        ("web.py", "Mount(\"/shop\"", "Mount(\"/store\"", "answer to GET /shop/price/3['status']: 200 → 404"),
        ("web.py", "NAME = b\"x-shop\"", "NAME = b\"x-store\"", "['headers']['x-shop']: '1' → nothing"),
        ("web.py", "middleware=[Middleware(Stamp)]", "middleware=[]", "['headers']['x-shop']: '1' → nothing"),
        ("web.py", "Mount(\"/shop\"", "Mount(\"/store\"", "answer to GET /shop/price/4?tax=1['status']: 200 → 404"),
        ("site_app.py", "url_prefix=\"/shop\"", "url_prefix=\"/store\"", "answer to GET /shop/hours['status']: 200 → 404"),
        ("site_app.py", "get(\"/hours\")", "get(\"/open\")", "answer to GET /shop/hours['status']: 200 → 404"),
        ("tool.py", "default=1", "default=2", "Hello Ada\\nHello Ada"),
        ("tool.py", "@cli.command()", "@cli.command(name='hello')", "answer to greet Ada['exit']: 0 → 2"),
    ] {
        let (code, said) = told(&place, &python, path, old, new);
        assert!(code == 1 && said.contains(says), "{path}: {old} to {new}, {says}: {code} {said}");
    }
    for (path, old, new) in [
        ("web.py", "import enum\n\n", ""),
        ("web.py", "    return RATE", "    found = RATE\n    return found"),
        ("site_app.py", "app = Flask(__name__)", "name = __name__\napp = Flask(name)"),
        ("site_app.py", "def hours():\n    return {\"open\": 9}", "def hours():\n    answer = {\"open\": 9}\n    return answer"),
        ("tool.py", "for _ in range(count)", "for _turn in range(count)"),
    ] {
        let (code, said) = told(&place, &python, path, old, new);
        assert_eq!(code, 0, "{path}: {old} to {new} changes nothing: {said}");
    }
}

/// Tests of what answers a client rest on the values that were recorded, and not on answers.
#[test]
fn a_view_that_is_compared_by_its_answers_has_tests_all_the_same() {
    let (place, python) = recorded();
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept", "web:rate", "site_app:hours"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(place.read("tests/pytead/test_pytead_site_app.py").contains("\"open\": 9"), "{out}{err}");
}
