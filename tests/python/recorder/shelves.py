"""A project of Django's with books, for the tests of scenes."""

import json
import textwrap

import pytest
from apart import folder_of

SETTINGS = """
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="x", ROOT_URLCONF="urls", ALLOWED_HOSTS=["*"], USE_TZ=True, INSTALLED_APPS=["books"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    )
    django.setup()
"""

CONFTEST = """
    import configured
    import pytest
    from django.db import connection, transaction
    from django.test import Client

    from books.models import Author, Book

    @pytest.fixture(scope="session", autouse=True)
    def tables():
        with connection.schema_editor() as editor:
            for model in (Author, Book):
                editor.create_model(model)

    @pytest.fixture
    def db(tables):
        with transaction.atomic():
            yield
            transaction.set_rollback(True)

    @pytest.fixture
    def client(db):
        return Client()

    @pytest.fixture
    def author(db):
        return Author.objects.create(name="Sappho")

    @pytest.fixture
    def book(author):
        return Book.objects.create(title="Odes", author=author)

    class Shelf:
        def __init__(self, client):
            self.own = client

        def add(self, title="Fragments"):
            return self.own.post("/add", data={"title": title, "password": "hush-hush-9"})

    @pytest.fixture
    def shelf(client):
        return Shelf(client)
"""

MODELS = """
    from django.db import models

    class Author(models.Model):
        name = models.CharField(max_length=80)

    class Book(models.Model):
        title = models.CharField(max_length=80)
        author = models.ForeignKey(Author, on_delete=models.CASCADE, null=True)

        def label(self):
            return f"{self.title}!"
"""

URLS = """
    from django.http import HttpResponse, JsonResponse
    from django.shortcuts import redirect
    from django.urls import path
    from books.models import Book

    def page_of(request):
        return int(request.GET.get("page", "1"))

    def show(request, pk):
        return HttpResponse(f"<h1>{Book.objects.get(pk=pk).title}</h1>")

    def add(request):
        Book.objects.create(title=request.POST["title"])
        return redirect("/all")

    def every(request):
        return JsonResponse({"books": Book.objects.count()})

    urlpatterns = [path("books/<int:pk>/", show), path("add", add), path("all", every)]
"""


def scenes_of(spool) -> dict:
    """Gives the scenes of each function, in the order in which they were told."""
    functions = {record[1]: record[3] for record in spool.of("F")}
    calls = {record[1]: functions[record[2]] for record in spool.of("C")}
    found: dict = {}
    for record in spool.of("E"):
        if record[2] == "scene":
            found.setdefault(calls[record[1]], []).append(json.loads(record[3]))
    return found


def conftest_with(program, package: str, conftest: str = "") -> None:
    """Writes a `conftest.py` after which a package that is apart can be imported. Skips the test where it cannot."""
    program.write("conftest.py", f"import sys\nsys.path.append({folder_of(package)!r})\n{textwrap.dedent(conftest)}")


def recorded(program, tests: str) -> dict:
    """Records tests by pytest, and gives the scenes of each function."""
    program.write("test_it.py", tests)
    return scenes_of(program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py"))


def shelf_of(program):
    """Makes the project; gives what records tests in it, and gives the scenes of each function."""
    pytest.importorskip("django")
    program.write("configured.py", SETTINGS)
    program.write("conftest.py", CONFTEST)
    program.write("books/__init__.py", "")
    program.write("books/models.py", MODELS)
    program.write("urls.py", URLS)

    return lambda tests: recorded(program, tests)
