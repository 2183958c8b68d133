//! A Django project whose `manage.py` stands in a folder of its own, which is a package: what `manage.py test` recorded gets tests that
//! plain pytest runs from the root.

use crate::applications::passes;
use crate::harness::{Place, environment_with};

const SETTINGS: &str = r#"SECRET_KEY = "for tests"
ROOT_URLCONF = "urls"
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "shelf"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shelf.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"#;

const MANAGE: &str = r#"import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
"#;

const MODELS: &str = r#"from django.db import models
from django.db.models.signals import post_save


class Book(models.Model):
    title = models.CharField(max_length=80)

    def label(self):
        return f"“{self.title}”"


class Visit(models.Model):
    text = models.CharField(max_length=80)


def noted(sender, instance, created, **kwargs):
    if created:
        Visit.objects.create(text=f"new: {instance.title}")


post_save.connect(noted, sender=Book)
"#;

const VIEWS: &str = r#"from django.http import HttpResponseForbidden, JsonResponse

from shelf.models import Book, Visit


def books(request):
    if not request.user.is_staff:
        return HttpResponseForbidden("staff only")
    return JsonResponse({"books": [book.label() for book in Book.objects.order_by("title")], "visits": Visit.objects.count()})
"#;

const TESTS: &str = r#"from django.contrib.auth.models import User
from django.test import TestCase

from shelf.models import Book


class ShelfTest(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.user = User.objects.create_user("ann", is_staff=True)

    def setUp(self):
        Book.objects.create(title="Odes")

    def test_books(self):
        self.client.force_login(self.user)
        self.assertEqual(self.client.get("/books/").json()["visits"], 1)

    def test_strangers(self):
        self.assertEqual(self.client.get("/books/").status_code, 403)
"#;

/// R32: the tests of Django's own runner are scenes as those that pytest runs, and rows that come with another row are made by it.
#[test]
fn what_manage_py_test_recorded_gets_tests_that_pytest_runs() {
    let place = Place::empty();
    let python = environment_with(&["web"]);
    for (path, text) in [
        ("pyproject.toml", "[project]\nname = \"shelves\"\nversion = \"1\"\n"),
        ("backend/__init__.py", ""),
        ("backend/manage.py", MANAGE),
        ("backend/settings.py", SETTINGS),
        (
            "backend/urls.py",
            "from django.urls import path\n\nfrom shelf.views import books\n\nurlpatterns = [path(\"books/\", books)]\n",
        ),
        ("backend/shelf/__init__.py", ""),
        ("backend/shelf/models.py", MODELS),
        ("backend/shelf/views.py", VIEWS),
        ("backend/shelf/tests.py", TESTS),
    ] {
        place.save(path, text);
    }
    let mut run = place.command(&["--trust", "run", "--root", "..", "--python", &python, "--", &python, "manage.py", "test"]);
    let output = run.current_dir(place.root().join("backend")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (code, out, err) = place.run(&["--trust", "--python", &python, "replay"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    let text = place.read("tests/pytead/test_pytead_shelf__views.py");
    for lines in [
        "    Book.objects.create(title=\"Odes\")\n    client.force_login(user)\n    response = client.get(\"/books/\")\n",
        "    assert response.json() == {\"books\": [\"“Odes”\"], \"visits\": 1}\n",
        "    assert response.status_code == 403\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}\n{out}");
    }
    assert!(!text.contains("Visit"), "a receiver makes it:\n{text}");
    passes(&place, &python, &["tests/pytead"]);
    let views = VIEWS.replace("not request.user.is_staff", "request.user.is_staff");
    place.save("backend/shelf/views.py", &views);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "replay"]);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("shelf.views:books"), "{out}{err}");
}
