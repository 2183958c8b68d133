"""Which steps a test has: rows that come with another row are none, and what tests of unittest do are some."""

import pytest
from shelves import MODELS, conftest_with, scenes_of, shelf_of


@pytest.fixture
def shelf(program):
    return shelf_of(program)


BY_SIGNAL = """
    from django.db.models.signals import post_save

    def noted(sender, instance, **kwargs):
        Author.objects.create(name="of " + instance.title)

    post_save.connect(noted, sender=Book)
"""
BY_SAVE = """
        def save(self, *args, **kwargs):
            super().save(*args, **kwargs)
            Author.objects.create(name="of " + self.title)
"""


@pytest.mark.parametrize("more", [BY_SIGNAL, BY_SAVE], ids=["signal", "save"])
def test_rows_that_come_with_another_row_are_no_steps(shelf, program, more):
    program.write("books/models.py", MODELS + more)
    told = shelf(
        """
        from books.models import Book

        def test_a(client):
            for title in ("Hymns", "Odes"):
                Book.objects.create(title=title)
            client.get("/all")
        """
    )
    steps = told["every"][0]["steps"]
    assert [(step.get("model", step.get("method")), step["kwargs"]) for step in steps] == [
        (["books.models", "Book"], [["title", "Hymns"]]), (["books.models", "Book"], [["title", "Odes"]]), ("get", []),
    ]  # fmt: skip


def test_tests_of_unittest_tell_what_they_do_as_those_that_pytest_runs(shelf, program):
    tests = """
        import configured
        from django.db import connection
        from django.test import TestCase
        from books.models import Author, Book

        def setUpModule():
            with connection.schema_editor() as editor:
                for model in (Author, Book):
                    editor.create_model(model)

        class ShelfTest(TestCase):
            @classmethod
            def setUpTestData(cls):
                cls.author = Author.objects.create(name="Sappho")

            def setUp(self):
                self.book = Book.objects.create(title="Odes", author=self.author)

            def test_a(self):
                self.client.get(f"/books/{self.book.pk}/")

            def test_b(self):
                self.assertEqual(self.book.label(), "Odes!")
    """
    program.write("test_it.py", tests)
    scenes = scenes_of(program.record("-m", "unittest", "-q", "test_it"))
    (shown,) = scenes["show"]
    assert shown["case"] == "django.test.testcases.TestCase" and shown["test"].endswith("ShelfTest.test_a")
    assert [step.get("model", step.get("method")) for step in shown["steps"]] == [
        ["books.models", "Author"], ["books.models", "Book"], "get",
    ]  # fmt: skip
    assert shown["steps"][-1]["answer"]["status"] == 200
    assert scenes["Book.label"][-1]["steps"][-1]["given"] == {"self": {"row": 1}}, "the last test counts, too"


def test_equal_requests_are_told_once_but_not_if_something_was_called_before(shelf):
    told = shelf(
        """
        def test_a(client): client.get("/all")
        def test_b(client): client.get("/all")
        def test_c(client):
            client.post("/add", data={"title": "Iambi"})
            client.get("/all")
        """
    )
    assert [(scene["test"][-1], len(scene["steps"])) for scene in told["every"]] == [("a", 1), ("c", 2)]


def test_what_a_test_sets_on_a_row_before_it_does_anything_else_is_how_the_row_is_made(shelf):
    told = shelf(
        """
        from books.models import Author, Book

        def test_a(client, author):
            book = Book.objects.create(title="Odes")
            book.title = "Hymns"
            book.author = author
            book.save()
            client.get(f"/books/{book.pk}/")
            book.title = "Iambi"
            book.save()
            client.get("/all")
        """
    )
    (row,) = [step for step in told["show"][0]["steps"] if step["kind"] == "row"]
    assert row["kwargs"] == [["title", "Hymns"], ["author", {"way": "author"}]]
    (row,) = [step for step in told["every"][0]["steps"] if step["kind"] == "row"]
    assert dict(map(tuple, row["kwargs"]))["title"] == "Hymns"


def test_files_that_a_test_gives_are_described_by_what_they_hold(shelf):
    told = shelf(
        """
        import io
        from django.core.files.uploadedfile import SimpleUploadedFile

        def test_a(client, tmp_path):
            (tmp_path / "list.csv").write_text("a,b")
            (tmp_path / ".env").write_text("KEY=1")
            (tmp_path / "long.csv").write_text("a" * 3000)
            with open(tmp_path / "list.csv", "rb") as opened, open(tmp_path / ".env", "rb") as secret:
                with open(tmp_path / "long.csv", "rb") as long:
                    given = SimpleUploadedFile("b.txt", b"cd")
                    client.post("/add", data={"title": "x", "a": opened, "b": given, "c": io.BytesIO(b"ef"), "d": secret, "e": long})
        """
    )
    ((_, data),) = told["add"][0]["steps"][-1]["kwargs"]
    files = dict(map(tuple, data["dict"]))
    assert files["a"] == {"upload": ["list.csv", "a,b", "text/csv"]} and files["b"] == {"upload": ["b.txt", "cd", "text/plain"]}
    assert files["c"] == {"io": "ef"} and files["d"] == files["e"] == {"other": "_io.BufferedReader"}


def test_a_runner_of_a_class_of_the_test_file_is_clicks_own_with_the_words_that_its_class_adds(program):
    conftest_with(program, "click")
    program.write("tool.py", "import click\n@click.command()\n@click.argument('names', nargs=-1)\ndef main(names): click.echo(hello(names))\n"
                             "def hello(names): return ' '.join(names)\n")  # fmt: skip
    program.write("test_it.py", """
        import pytest
        import tool
        from click.testing import CliRunner

        class Runner(CliRunner):
            def invoke(self, cli, args=None, *a, **kw): return super().invoke(cli, ["hi"] + args, *a, **kw)

        @pytest.fixture
        def runner(tmp_path): return lambda **settings: Runner(**settings)

        def test_a(runner): runner().invoke(tool.main, ["ada"])
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
    (step,) = scenes_of(spool)["hello"][0]["steps"]
    assert (step["client"], step["kwargs"]) == ({"name": "runner", "class": ["click.testing", "CliRunner"]}, [])
    assert step["args"] == [{"name": ["tool", "main"]}, {"list": ["hi", "ada"]}]


def test_a_command_is_described_with_the_files_that_its_configuration_names(program):
    conftest_with(program, "click")
    program.write("tool.py", """
        import click
        @click.command()
        @click.argument("config")
        def main(config): click.echo(joined(open(config).read()))
        def joined(config): return open(config.split()[-1] + "/a.txt").read()
    """)  # fmt: skip
    program.write("test_it.py", """
        import tool
        from click.testing import CliRunner

        def test_a(tmp_path):
            for name in ("notes", "empty", "other"):
                (tmp_path / name).mkdir()
            (tmp_path / "notes/a.txt").write_text("tea")
            (tmp_path / "other/b.txt").write_text("cake")
            (tmp_path / "void.txt").write_text("")
            (tmp_path / "config").write_text(f"skip = {tmp_path}/empty\\nread = {tmp_path}/notes\\n")
            CliRunner().invoke(tool.main, [str(tmp_path / "config")])
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
    folder = scenes_of(spool)["joined"][0]["steps"][-1]["folder"]
    assert [name for name, _ in folder["before"]] == ["config", "notes/a.txt"]
    assert folder["folders"] == ["empty", "notes"]
