"""Tests of web applications and of coroutines run again as they ran."""

import pytest


def test_a_flask_application(project):
    project.needs("flask")
    project.write(
        "app.py",
        """
        import flask

        def create_app():
            with open("log", "a") as stream:
                stream.write("made\\n")
            app = flask.Flask(__name__)
            app.visits = 0

            @app.get("/")
            def index():
                app.visits += 1
                return {"visits": app.visits}

            return app
        """,
    )
    project.write(
        "conftest.py",
        "import pytest, app as made\n@pytest.fixture(scope='session')\ndef app(): return made.create_app()\n",
    )
    project.write(
        "test_it.py",
        """
        def test_a(app): assert app.test_client().get("/").json == {"visits": 1}
        def test_b(app): assert app.test_client().get("/").json == {"visits": 1}
        """,
    )
    names = ("test_it.py::test_a", "test_it.py::test_b")
    assert project.outcomes(*names, path=[str(project.root)]) == ["passed"] * 2
    assert project.log() == ["made"]


@pytest.mark.parametrize("database", ["memory", "file"])
def test_a_django_database(project, database):
    pytest.importorskip("django")
    project.needs("pytest_django")
    file = "" if database == "memory" else "'TEST': {'NAME': ROOT + '/test.sqlite3'}"
    project.write(
        "settings.py",
        f"""
        import os
        ROOT = os.path.dirname(os.path.abspath(__file__))
        SECRET_KEY = "x"
        USE_TZ = True
        INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "shop"]
        DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ROOT + "/db.sqlite3", {file}}}}}
        """,
    )
    project.write("shop/__init__.py", "")
    project.write(
        "shop/models.py",
        "from django.db import models\nclass Item(models.Model):\n    name = models.CharField(max_length=9)\n",
    )
    project.write(
        "test_it.py",
        """
        import pytest
        from django.test import TestCase, TransactionTestCase
        from django.db.models.signals import post_migrate

        def add_one():
            from shop.models import Item
            Item.objects.create(name="one")
            assert list(Item.objects.values_list("name")) == [("one",)]

        def migrated(**named):
            open("log", "a").write("migrated\\n")

        post_migrate.connect(migrated)

        def test_needs_none(): pass

        @pytest.mark.django_db
        def test_a(): add_one()

        @pytest.mark.django_db
        def test_b(): add_one()

        @pytest.mark.django_db(transaction=True)
        def test_commits(transactional_db): add_one()

        def test_is_refused():
            from shop.models import Item
            with pytest.raises(RuntimeError):
                Item.objects.count()

        class TestItems(TestCase):
            @classmethod
            def setUpTestData(cls):
                from shop.models import Item
                Item.objects.create(name="two")

            def test_c(self):
                from shop.models import Item
                assert Item.objects.count() == 1
                Item.objects.create(name="three")

            def test_d(self):
                from shop.models import Item
                assert Item.objects.count() == 1

        @pytest.mark.django_db
        def test_e(client): add_one()
        """,
    )
    project.write("pytest.ini", "[pytest]\nDJANGO_SETTINGS_MODULE = settings\npythonpath = .\n")
    names = ["needs_none", "a", "b", "commits", "is_refused", "e", "a"]
    tests = [f"test_it.py::test_{name}" for name in names] + [f"test_it.py::TestItems::test_{name}" for name in "cdc"]
    assert project.outcomes(*tests) == ["passed"] * len(tests)
    assert not list(project.root.glob("test.sqlite3*")), "it was torn down in the end"
    # One for each app, in the first test that asks for the database and once above the others; `commits` flushes.
    assert project.log().count("migrated") <= 3 * 3


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_coroutines_under_pytest_asyncio(project, mode):
    pytest.importorskip("pytest_asyncio", minversion="0.24")
    project.write("pytest.ini", f"[pytest]\nasyncio_mode = {mode}\nasyncio_default_fixture_loop_scope = session\n")
    project.write(
        "test_it.py",
        """
        import asyncio
        import pytest
        import pytest_asyncio

        @pytest_asyncio.fixture(scope="session", loop_scope="session")
        async def queue():
            await asyncio.sleep(0)
            yield asyncio.Queue()

        @pytest.fixture(scope="session")
        def settings():
            open("log", "a").write("settings\\n")
            return {}

        @pytest.mark.asyncio(loop_scope="session")
        async def test_a(queue, settings):
            await queue.put(1)
            assert queue.qsize() == 1

        @pytest.mark.asyncio(loop_scope="session")
        async def test_b(queue, settings):
            await queue.put(1)
            assert queue.qsize() == 1

        @pytest.mark.asyncio
        async def test_c():
            await asyncio.sleep(0)

        def test_d(settings):
            asyncio.run(asyncio.sleep(0))
        """,
    )
    names = [f"test_it.py::test_{name}" for name in "abcd"]
    assert project.outcomes(*names) == ["passed"] * 4
    assert project.log().count("settings") <= 2, "once more beside the loop, which no fork can take along"


def test_coroutines_under_anyio(project):
    project.needs("anyio")
    project.write(
        "test_it.py",
        """
        import anyio
        import pytest

        @pytest.fixture(scope="session")
        def anyio_backend():
            return "asyncio"

        @pytest.fixture(scope="session")
        async def shared(anyio_backend):
            await anyio.sleep(0)
            yield []

        @pytest.mark.anyio
        async def test_a(shared):
            shared.append(1)
            await anyio.sleep(0)
            assert shared == [1]

        @pytest.mark.anyio
        async def test_b(shared):
            shared.append(1)
            assert shared == [1]
        """,
    )
    assert project.outcomes("test_it.py::test_a", "test_it.py::test_b") == ["passed"] * 2


def test_a_server_in_a_thread_of_a_fixture(project):
    project.write(
        "test_it.py",
        """
        import http.server, threading, urllib.request
        import pytest

        @pytest.fixture(scope="session")
        def server():
            server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}/"
            server.shutdown()
            thread.join()
            server.server_close()

        def test_a(server): assert urllib.request.urlopen(server, timeout=5).status == 200
        def test_b(server): assert urllib.request.urlopen(server, timeout=5).status == 200
        """,
    )
    assert project.outcomes("test_it.py::test_a", "test_it.py::test_b") == ["passed"] * 2
