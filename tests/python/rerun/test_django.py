"""Tests of Django run again inside of `manage.py test`, or of the script that ran them."""

import pytest
from spools import read_folder

pytest.importorskip("django")

MANAGE = """
    import os, sys
    from django.core.management import execute_from_command_line
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
    execute_from_command_line(sys.argv)
"""
SCRIPT = """
    import sys
    import django
    from django.conf import settings
    settings.configure(SECRET_KEY="x", INSTALLED_APPS=["shop"], DATABASES={
        "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}})
    django.setup()
    from django.test.utils import get_runner
    sys.exit(bool(get_runner(settings)().run_tests(["shop"])))
"""
RUNNER = """
    from django.test.runner import DiscoverRunner

    class Runner(DiscoverRunner):
        def setup_databases(self, **options):
            made = super().setup_databases(**options)
            from shop.models import Item
            Item.objects.create(name="of the runner")
            return made
"""
TESTS = """
    from django.test import TestCase, TransactionTestCase
    from shop import models

    class Items(TestCase):
        @classmethod
        def setUpTestData(cls):
            models.make("of the class")

        def test_rows(self):
            self.assertEqual(models.names(), ["of the runner", "of the class"])

        def test_more(self):
            models.make("mine")
            self.assertEqual(len(models.names()), 3)

        def test_client(self):
            self.assertEqual(self.client.get("/absent/").status_code, 404)

    class Kept(TransactionTestCase):
        def test_kept(self):
            models.make("kept")
            self.assertIn("kept", models.names())
"""


@pytest.fixture(params=["memory", "file"])
def shop(project, request):
    test = {"memory": "{}", "file": "{'NAME': 'test.sqlite3'}"}[request.param]
    project.write(
        "settings.py",
        f"""
        SECRET_KEY = "x"
        INSTALLED_APPS = ["shop"]
        ROOT_URLCONF = "shop"
        TEST_RUNNER = "runner.Runner"
        DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3", "TEST": {test}}}}}
        DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
        """,
    )
    project.write("manage.py", MANAGE)
    project.write("runner.py", RUNNER)
    project.write("shop/__init__.py", "urlpatterns = []\n")
    project.write(
        "shop/models.py",
        """
        from django.db import models

        class Item(models.Model):
            name = models.CharField(max_length=99)

        def make(name):
            Item.objects.create(name=name)

        def names():
            return [item.name for item in Item.objects.order_by("pk")]
        """,
    )
    project.write("shop/tests.py", TESTS)
    return project


def program(*arguments, how="script", what="manage.py", settings=None):
    return {"runner": "django", "how": how, "what": what, "arguments": list(arguments), "settings": settings}


NAMES = [
    "shop.tests.Items.test_rows",
    "shop.tests.Items.test_more",
    "shop.tests.Items.test_client",
    "shop.tests.Kept.test_kept",
]


@pytest.mark.parametrize(
    "started",
    [
        program("test", "--parallel", "4", "--shuffle", "3", "--failfast"),
        program("test", "--parallel=auto", "--settings", "settings", "--debug-sql", "shop"),
        program("test", how="module", what="django", settings="settings"),
    ],
)
def test_the_database_is_made_once_by_the_runner_of_the_project(shop, started):
    found = shop.rerun(*NAMES, program=started, path=[str(shop.root)])
    assert [found[name]["outcome"] for name in NAMES] == ["passed"] * 4, shop.lines


def test_each_test_writes_its_own_calls(shop):
    found = shop.rerun(*NAMES, recorded=True, program=program("test"), path=[str(shop.root)])
    calls = {}
    for pid, records in read_folder(shop.spool).by_process().items():
        made = {one[1] for one in records if one[0] == "F" and one[3] == "make"}
        calls[int(pid)] = [one.args for one in records if one[0] == "C" and one.fid in made]
    assert calls[found[NAMES[1]]["pid"]] == [("of the class",), ("mine",)]
    assert calls[found[NAMES[3]]["pid"]] == [("kept",)]


def test_a_script_that_configures_settings_is_run_up_to_its_suite(shop):
    shop.write("runtests.py", SCRIPT)
    names = NAMES[1:2] + NAMES[3:]
    found = shop.rerun(*names, program=program(what="runtests.py"), path=[str(shop.root)])
    assert [found[name]["outcome"] for name in names] == ["failed", "passed"], "without the project's runner"


def test_what_keeps_django_from_starting_is_told(shop):
    shop.rerun(*NAMES, program=program("test", "--nonsense"), path=[str(shop.root)])
    (broken,) = shop.lines
    assert "unrecognized arguments: --nonsense" in broken["why"] and broken["path"] is None
    (shop.root / "settings.py").write_text('import os\nSECRET_KEY = os.environ["SHOP_SECRET"]\n')
    shop.rerun(*NAMES, program=program("test"), path=[str(shop.root)])
    (broken,) = shop.lines
    assert broken["why"] == "KeyError: 'SHOP_SECRET' (set the environment variable SHOP_SECRET)"
    assert broken["path"].endswith("settings.py") and broken["tests"] == NAMES
