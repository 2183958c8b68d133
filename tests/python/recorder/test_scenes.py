"""What a recorded test did with the fixtures of its project until it made a call."""

import json
import sqlite3
import textwrap

import pytest
from shelves import conftest_with, recorded, shelf_of


@pytest.fixture
def shelf(program):
    return shelf_of(program)


def test_a_request_is_told_with_its_fixtures_and_its_answer(shelf):
    (scene,) = shelf("def test_a(client, book): client.get(f'/books/{book.pk}/')")["show"]
    assert (scene["test"], scene["direct"]) == ("test_it.py::test_a", ["client", "book"])
    assert scene["fixtures"]["client"]["where"] == "conftest"
    assert scene["fixtures"]["book"]["pk"] == "1" and scene["fixtures"]["book"]["needs"] == ["author"]
    (step,) = scene["steps"]
    assert (step["on"], step["method"], step["args"], step["kwargs"]) == ("client", "get", ["/books/1/"], [])
    answer = step["answer"]
    assert (answer["by"], answer["status"], answer["body"]) == ("django", 200, "<h1>Odes</h1>")


def test_what_a_helper_of_a_fixture_does_is_one_step_and_a_secret_is_a_placeholder(shelf):
    told = shelf("def test_a(client, shelf): shelf.add(); client.post('/add', data={'title': 'x', 'password': 'hush-hush-9'})")
    helper, plain = told["add"]
    assert [(step["on"], step["method"], step["args"]) for step in helper["steps"]] == [("shelf", "add", [])]
    assert helper["steps"][0]["answer"]["location"] == "/all"
    assert [step["method"] for step in plain["steps"]] == ["add", "post"]
    ((_, data),) = plain["steps"][1]["kwargs"]
    assert data["dict"][0] == ["title", "x"] and data["dict"][1][1]["made_up"] == "password"
    assert "hush-hush-9" not in json.dumps(told)


def test_rows_that_the_test_saves_are_steps_and_those_of_the_program_are_not(shelf):
    told = shelf(
        """
        from books.models import Author, Book

        def test_a(client, author):
            other = Author.objects.create(name="Alcaeus")
            Book.objects.create(title="Hymns", author=other)
            Book(title="Odes", author=author).save()
            client.post("/add", data={"title": "Iambi"})
            client.get("/all")
        """
    )
    steps = told["every"][0]["steps"]
    assert [step.get("model", step.get("method")) for step in steps] == [
        ["books.models", "Author"], ["books.models", "Book"], ["books.models", "Book"], "post", "get",
    ]  # fmt: skip
    assert steps[1]["kwargs"] == [["title", "Hymns"], ["author", {"row": 0}]] and steps[0]["pk"] == "2"
    assert steps[2]["kwargs"] == [["title", "Odes"], ["author", {"way": "author"}]]


def test_a_call_that_the_test_makes_itself_tells_which_arguments_fixtures_gave(shelf):
    told = shelf(
        """
        from django.test import RequestFactory
        from urls import page_of

        def test_a(book): assert book.label() == "Odes!"
        def test_b(book):
            book.title = "Hymns"
            assert book.label() == "Hymns!"
        def test_c(): assert page_of(RequestFactory().get("/x", {"page": "3"})) == 3
        """
    )
    plain, changed = [scene["steps"][-1] for scene in told["Book.label"]]
    assert (plain["kind"], plain["given"], plain["changed"]) == ("direct", {"self": {"way": "book"}}, [])
    assert changed["changed"] == ["book"]
    (made,) = told["page_of"]
    request = made["steps"][-1]["given"]["request"]["request"]
    assert (request["factory"], request["method"], request["args"]) == (["django.test.client", "RequestFactory"], "get", ["/x"])
    assert request["kwargs"] == [["data", {"dict": [["page", "3"]]}]]


def test_equal_calls_of_other_requests_are_told_of_the_call_that_is_kept(shelf):
    told = shelf(
        """
        def test_a(client): client.get("/all")
        def test_b(client, book): client.get("/all")
        """
    )
    assert {scene["test"] for scene in told["every"]} >= {"test_it.py::test_a"}


def test_classes_of_django_are_told_by_their_attributes_and_what_sets_them_up(shelf):
    told = shelf(
        """
        from django.test import TestCase
        from books.models import Author, Book

        class Shelf(TestCase):
            @classmethod
            def setUpTestData(cls):
                cls.author = Author.objects.create(name="Sappho")

            def setUp(self):
                self.book = Book.objects.create(title="Odes", author=self.author)

            def test_one(self): self.client.get(f"/books/{self.book.pk}/")
            def test_two(self): self.client.get("/all")
        """
    )
    for name in ("show", "every"):
        (scene,) = told[name]
        assert scene["case"] == "django.test.testcases.TestCase"
        assert [step.get("model", [0, step.get("on")])[1] for step in scene["steps"]] == ["Author", "Book", "self.client"]
        assert scene["steps"][1]["kwargs"] == [["title", "Odes"], ["author", {"row": 0}]]


def test_plain_values_are_no_fixtures_and_fixtures_of_a_test_file_are_told_as_such(shelf):
    told = shelf(
        """
        import pytest
        from books.models import Book

        @pytest.fixture
        def number(): return 1
        @pytest.fixture
        def own(book): return book

        def test_a(client, own, number): client.get(f"/books/{number}/")
        """
    )
    (scene,) = told["show"]
    assert scene["fixtures"]["own"]["where"] == "module"
    assert scene["steps"][0]["args"] == ["/books/1/"]


def test_what_a_test_replaces_is_told(shelf):
    told = shelf(
        """
        import urls

        def test_a(client, monkeypatch): client.get("/all")
        def test_b(client, monkeypatch):
            monkeypatch.setattr(urls, "page_of", int)
            client.get("/all", {"page": "2"})
        """
    )
    assert [scene["patched"] for scene in told["every"]] == [[], ["monkeypatch"]]


def test_what_fixtures_replace_is_no_change_by_the_test(shelf):
    told = shelf(
        """
        import pytest, urls

        @pytest.fixture(autouse=True)
        def quiet(monkeypatch): monkeypatch.setenv("QUIET", "1")
        @pytest.fixture
        def first_page(monkeypatch): monkeypatch.setattr(urls, "page_of", lambda request: 1)
        @pytest.fixture
        def plain(): return 1

        def test_a(client, plain): client.get("/all")
        @pytest.mark.usefixtures("first_page")
        def test_b(client): client.get("/all", {"page": "2"})
        def test_c(client, monkeypatch):
            monkeypatch.setenv("LOUD", "1")
            client.get("/all", {"page": "3"})
        """
    )
    of = {scene["test"].rpartition("::")[2]: (scene["patched"], scene["replacing"]) for scene in told["every"]}
    assert of["test_a"] == ([], {"quiet": True})
    assert of["test_b"] == ([], {"first_page": False, "quiet": True})
    assert of["test_c"] == (["monkeypatch"], {"quiet": True})


def test_values_of_classes_whose_metaclass_compares_run_none_of_its_code(shelf, program):
    shelf(
        """
        import pathlib

        class Meta(type):
            def __eq__(cls, other):
                pathlib.Path("ran").touch()
                return cls is other
            __hash__ = type.__hash__
        class Odd(metaclass=Meta): pass

        def test_a(client): client.get("/all", {"page": "1"}, odd=Odd(), many=[Odd()])
        """
    )
    assert not (program.root / "ran").exists()


def test_values_of_fixtures_die_when_pytest_lets_go_of_them(shelf):
    shelf(
        """
        import gc, weakref, pytest
        seen = []

        class Thing:
            def __init__(self): self.part = Part()
        class Part: pass

        @pytest.fixture
        def thing(): return Thing()

        def test_a(thing, client):
            client.get("/all")
            seen.append(weakref.ref(thing))
        def test_b():
            gc.collect()
            assert seen[0]() is None
        """
    )


def test_commands_of_click_are_told_with_what_they_printed(program):
    program.write("tool.py", "import click\n@click.command()\n@click.argument('name')\ndef main(name): click.echo(hello(name))\n"
                             "def hello(name): return 'hi ' + name\n")  # fmt: skip
    conftest_with(program, "click", """
        import pytest
        from click.testing import CliRunner
        @pytest.fixture
        def runner(): return CliRunner()
    """)  # fmt: skip
    program.write("test_it.py", "import tool\ndef test_a(runner): runner.invoke(tool.main, ['ada'])\n")
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
    told = [json.loads(record[3]) for record in spool.of("E") if record[2] == "scene"]
    assert told and told[0]["steps"][-1]["answer"] == {"by": "click", "exit": 0, "body": "hi ada\n"}


APP = """
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, RedirectResponse
    from starlette.routing import Route

    def wanted(query): return query.get("q", "all")
    async def found(request): return JSONResponse({"found": wanted(request.query_params)})
    def gone(request): return RedirectResponse("/found")

    app = Starlette(routes=[Route("/found", found), Route("/gone", gone)])
"""


@pytest.fixture
def asgi(program):
    conftest_with(program, "starlette")
    program.write("shop/__init__.py", "from shop.web import app\n")
    program.write("shop/web.py", APP)

    return lambda tests: recorded(program, tests)


def test_a_client_that_the_test_makes_is_told_by_its_application(asgi):
    told = asgi(
        """
        from starlette.testclient import TestClient
        from shop.web import app
        client = TestClient(app, follow_redirects=False)

        def test_a(): client.get("/found", params={"q": "tea"})
        def test_b(): client.get("/gone")
        """
    )
    (scene,) = told["wanted"]  # in a thread of its own
    (step,) = scene["steps"]
    assert (step["method"], step["args"], step["kwargs"]) == ("get", ["/found"], [["params", {"dict": [["q", "tea"]]}]])
    assert (step["on"], step["client"]["class"]) == ("@0", ["starlette.testclient", "TestClient"])
    assert step["client"]["kwargs"] == [["follow_redirects", False]] and not step["client"]["entered"]
    assert step["client"]["app"]["name"] in (["shop", "app"], ["shop.web", "app"])
    assert (step["answer"]["by"], step["answer"]["status"], step["answer"]["body"]) == ("starlette", 200, '{"found":"tea"}')
    (scene,) = told["gone"]
    assert (scene["steps"][-1]["answer"]["status"], scene["steps"][-1]["answer"]["location"]) == (307, "/found")


def test_an_application_that_starts_up_is_told(asgi):
    told = asgi(
        """
        from starlette.testclient import TestClient
        from shop.web import app

        def test_a():
            with TestClient(app) as client:
                client.get("/found")
        """
    )
    assert told["found"][0]["steps"][-1]["client"]["entered"] is True


def test_awaited_requests_are_told_as_such(asgi):
    pytest.importorskip("pytest_asyncio")
    told = asgi(
        """
        import httpx
        import pytest
        from shop.web import app

        @pytest.mark.asyncio
        async def test_a():
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://shop") as client:
                await client.get("/found", params={"q": "tea"})
        """
    )
    (scene,) = told["wanted"]
    (step,) = scene["steps"]
    assert scene["is_async"] and step["awaited"] and step["method"] == "get"
    assert step["client"]["transport"] == ["httpx", "ASGITransport"]
    assert step["client"]["kwargs"] == [["base_url", "http://shop"]]
    assert step["answer"]["body"] == '{"found":"tea"}'


def test_a_runner_that_the_test_makes_is_told_and_the_command_by_its_name(program):
    conftest_with(program, "click")
    program.write("tool.py", "import click\n@click.command()\n@click.argument('name')\ndef main(name): click.echo(hello(name))\n"
                             "def hello(name): return 'hi ' + name\n")  # fmt: skip
    program.write("test_it.py", "import tool\nfrom click.testing import CliRunner\n"
                                "def test_a(): CliRunner().invoke(tool.main, ['ada'])\n")  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
    told = [json.loads(record[3]) for record in spool.of("E") if record[2] == "scene"]
    step = told[0]["steps"][-1]
    assert step["client"] == {"name": "runner", "class": ["click.testing", "CliRunner"]}
    assert step["args"] == [{"name": ["tool", "main"]}, {"list": ["ada"]}]
    assert step["answer"] == {"by": "click", "exit": 0, "body": "hi ada\n"}


NOTES = """
    import click
    @click.command()
    @click.argument("path")
    def main(path):
        with open(path, "a") as stream:
            stream.write(told(path))
    def told(path): return "more"
"""


def _commands(program, test, conftest=""):
    program.write("tool.py", NOTES)
    conftest_with(program, "click", conftest)
    program.write("test_it.py", "import sqlite3\nimport tool\nfrom click.testing import CliRunner\n" + textwrap.dedent(test))
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
    return [json.loads(record[3])["steps"][-1] for record in spool.of("E") if record[2] == "scene"]


def test_a_command_is_told_with_the_files_that_its_words_name_and_what_it_left_there(program):
    (step, *_) = _commands(program, """
        def test_a(tmp_path):
            (tmp_path / "a.txt").write_text("one, ")
            (tmp_path / "other.txt").write_text("not named")
            CliRunner().invoke(tool.main, [str(tmp_path / "a.txt")])
    """)  # fmt: skip
    folder = step["folder"]
    assert step["args"][1] == {"list": [{"below": "a.txt"}]} and not folder["inside"]
    assert (folder["before"], folder["after"]) == ([["a.txt", {"text": "one, "}]], [["a.txt", {"text": "one, more"}]])


def test_a_path_that_a_fixture_gives_is_told_as_such_and_its_file_left_out(program):
    conftest = """
        import pytest
        @pytest.fixture
        def note(tmp_path):
            (tmp_path / "note.txt").write_text("one, ")
            return str(tmp_path / "note.txt")
    """
    (step, *_) = _commands(program, "def test_a(note): CliRunner().invoke(tool.main, [note])", conftest)
    assert step["args"][1] == {"list": [{"below": "note.txt", "by": "note"}]}
    assert step["folder"]["before"] == [] and step["folder"]["after"] == [["note.txt", {"text": "one, more"}]]


def test_a_command_in_a_folder_of_its_own_is_told_with_all_files_there(program):
    (step, *_) = _commands(program, """
        def test_a(tmp_path):
            runner = CliRunner()
            with runner.isolated_filesystem():
                with open("a.txt", "w") as stream: stream.write("one")
                runner.invoke(tool.main, ["b.txt"])
    """)  # fmt: skip
    folder = step["folder"]
    assert folder["inside"] and "pytest-of" not in folder["base"]
    assert (folder["before"], folder["after"]) == ([["a.txt", {"text": "one"}]], [["b.txt", {"text": "more"}]])


@pytest.mark.skipif(not hasattr(sqlite3.Connection, "serialize"), reason="Python 3.10 cannot read a database from its bytes")
def test_a_database_in_a_file_is_told_by_its_tables_without_secrets(program):
    (step, *_) = _commands(program, """
        def test_a(tmp_path):
            db = sqlite3.connect(tmp_path / "a.db")
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("CREATE TABLE users (name TEXT, password TEXT)")
            db.execute("INSERT INTO users VALUES ('bo', 'kX9v-Q2z7-pp41')")
            db.commit()
            db.close()
            CliRunner().invoke(tool.main, [str(tmp_path / "a.db")])
    """)  # fmt: skip
    ((name, held),) = step["folder"]["before"]
    tables, ((table, ((name_cell, password_cell),)),), rest = held["database"]
    assert (name, table, name_cell, rest) == ("a.db", "users", ["name", "bo"], [])
    assert tables == [["users", "CREATE TABLE users (name TEXT, password TEXT)"]] and "made_up" in password_cell[1]


def test_a_command_with_a_private_name_is_told_by_it(program):
    conftest_with(program, "click")
    program.write("tool.py", "import click\n@click.command()\ndef _main(): click.echo(hello())\ndef hello(): return 'hi'\n")
    program.write("test_it.py", "from tool import _main\nfrom click.testing import CliRunner\n"
                                "def test_a(): CliRunner().invoke(_main, [])\n")  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
    told = [json.loads(record[3]) for record in spool.of("E") if record[2] == "scene"]
    assert told[0]["steps"][-1]["args"][0] == {"name": ["tool", "_main"]}


@pytest.mark.parametrize("name", ["password.txt", ".env"])
def test_what_lies_in_a_file_of_secrets_is_not_recorded(program, name):
    (step, *_) = _commands(program, f"""
        def test_a(tmp_path):
            (tmp_path / {name!r}).write_text("swordfish, ")
            CliRunner().invoke(tool.main, [str(tmp_path / {name!r})])
    """)  # fmt: skip
    assert step["folder"]["before"] == step["folder"]["after"] == [[name, {"long": True}]]
    assert not [path for path in program.spool.rglob("*") if path.is_file() and b"swordfish" in path.read_bytes()]
