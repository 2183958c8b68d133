"""What edits of applications give: each is recorded by its own suite, and then edited, one function at a time.

    applications.py --binary PATH [--python PATH] [--only NAME] [--minutes N] [--rounds N] [--keep FOLDER] [--page]

Their functions need a request, a session or a database, so that most of their calls are compared inside the recorded test that
made them. Owns the applications and what is counted; applications_page.py writes it.
"""

import argparse
import contextlib
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from applications_page import page
from bench import Bench, middle
from projects import Project, Replayed, is_compared
from small_edits import faults, unused

TITLE = "Edits of applications"
SETTINGS = """\
SECRET_KEY = "for tests"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = ["django.contrib." + name for name in ("admin", "auth", "contenttypes", "sessions", "messages", "sites", "staticfiles")]
INSTALLED_APPS += ["todo", "dal", "dal_select2"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware"]
MIDDLEWARE += ["django.contrib.auth.middleware.AuthenticationMiddleware"]
MIDDLEWARE += ["django.contrib.messages.middleware.MessageMiddleware"]
PROCESSORS = ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"]
PROCESSORS += ["django.contrib.messages.context_processors.messages"]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": ["templates"], "APP_DIRS": True,
              "OPTIONS": {"context_processors": PROCESSORS}}]
ROOT_URLCONF = "base_urls"
STATIC_URL = "/static/"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SITE_ID = 1
"""
URLS = """\
from django.contrib import admin
from django.contrib.auth import views
from django.urls import include, path

urlpatterns = [path("login/", views.LoginView.as_view(), name="login"), path("admin/", admin.site.urls)]
urlpatterns += [path("todo/", include("todo.urls", namespace="todo"))]
"""
REST = " ".join("tests/test_%s.py" % name for name in ("generics", "model_serializer", "pagination", "permissions", "viewsets"))
TUTORIALS = ("body", "query_params", "path_params", "security")
# What a project needs beside pytest; the folder of its sources; folders to leave out, for what is installed; files that it lacks.
APPLICATIONS = (
    {"name": "flask", "version": "3.1.3", "tests": "tests", "needs": ("flask==3.1.3",), "below": "examples/tutorial"},
    {"name": "tenacity", "version": "9.0.0", "tests": "tests", "needs": ("tornado", "typeguard", "pytest-asyncio")},
    {"name": "yamllint", "version": "1.37.1", "tests": "tests", "needs": ("PyYAML", "pathspec")},
    {"name": "djangorestframework", "version": "3.15.2", "tests": REST, "needs": ("django<5.1", "pytest-django", "pytz")},
    {"name": "fastapi", "version": "0.115.6", "tests": " ".join(["-o filterwarnings=", *("tests/test_tutorial/test_" + name for name in TUTORIALS)]),
     "needs": ("fastapi[standard]==0.115.6", "httpx<0.28", "dirty-equals", "passlib", "bcrypt<4.1", "PyJWT", "inline-snapshot"),
     "without": ("fastapi",)},
    {"name": "cookiecutter", "version": "2.6.0", "tests": "tests --ignore=tests/vcs",
     "needs": ("cookiecutter==2.6.0", "pytest-mock", "freezegun")},
    {"name": "ihatemoney", "version": "7.2.1", "tests": "ihatemoney/tests",
     "needs": ("ihatemoney==7.2.1", "pytest-flask", "Babel", "setuptools")},
    {"name": "django-todo", "version": "2.7.0", "tests": "--ds=test_settings todo/tests",
     "needs": ("django<5.3", "pytest-django", "django-todo==2.7.0"),
     "files": {"test_settings.py": SETTINGS, "base_urls.py": URLS, "templates/base.html": "{% block content %}{% endblock %}"}},
)  # fmt: skip
ROUNDS = 3  # of the suite, plain and recorded, where it is run alone
FUNCTIONS = 60  # that get a statement which changes nothing
FAULTS = 20  # that the suite catches
TRIED = 80  # to find these
REFACTORINGS = 15
MINUTES = 5.0  # of edits, for each application; set-up and recording are not among them
# The share of the time after which no more edits of a kind are tried.
SHARES = {"unused": 0.55, "faults": 0.85, "refactorings": 1.0}
COUNTED = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed|xpassed)")


class Application(Project):
    """One application, recorded, and edited within its time."""

    def __init__(self, bench: Bench, folder: Path, minutes: float, given: dict) -> None:
        super().__init__(bench, folder, **given)
        self.name, self.minutes = given["name"], minutes
        self.found: dict = {"name": "%s %s" % (given["name"], given["version"]), "unused": [], "faults": [], "refactorings": []}
        self.callers: dict = {}
        self.differing: set = set()  # functions with a change although nothing is edited

    def measure(self) -> dict:
        """Records, edits, and gives what was found."""
        self.record()
        functions = self.functions()
        self.found["functions"] = len(functions)
        self.callers = self.who_calls()
        began = time.monotonic()
        for kind, tried in (("unused", self.unused), ("faults", self.faults), ("refactorings", self.refactorings)):
            self.chance = random.Random(self.name + kind)  # whatever time the kinds before had
            with contextlib.closing(tried(functions)) as rows:
                for row in rows:
                    self.found[kind].append(row)
                    self.bench.say("%-12s %s" % (row["told"], row["function"]))
                    if time.monotonic() > began + self.minutes * 60 * SHARES[kind]:
                        break
        return self.found

    def record(self) -> None:
        """Runs the suite unrecorded and recorded by turns, and compares what was recorded for the first time."""
        first = self.run([self.python, *self.suite("-rfE")], self.root)  # fills caches, too
        self.failing = re.findall(r"(?m)^(?:FAILED|ERROR) (\S+)", first.stdout)
        plain, recorded, ends = [], [], set()
        for _ in range(self.bench.rounds):
            shutil.rmtree(self.root / ".pytead", ignore_errors=True)
            for seconds, command in ((plain, [self.python, *self.suite()]), (recorded, None)):
                began = time.monotonic()
                done = self.run(command, self.root) if command else self.product("run", "--", str(self.python), *self.suite())
                seconds.append(time.monotonic() - began)
                ends.add((command is None, *outcome(done.stdout, done.returncode)))
        now = self.replayed()
        self.found["suite"] = sorted(ends)
        self.found["plain"], self.found["recorded"] = middle(plain), middle(recorded)
        self.found["first"] = {"code": now.code, "seconds": now.seconds}
        self.found["first"] |= {key: now.summary.get(key) for key in ("calls", "same", "changed", "not_compared")}
        again = self.replayed()
        self.differing = {one["function"] for one in again.changes}
        self.found["again"] = {"code": again.code, "seconds": again.seconds, "differ": sorted(self.differing)}
        self.bench.say(json.dumps(self.found))

    def who_calls(self) -> dict:
        """Gives for each function those that call it in the recording, also by way of others."""
        direct: dict = {}
        numbers, pairs = {}, []
        for line in self.product("export", "1").stdout.splitlines():
            one = json.loads(line) if line.startswith("{") else {}
            if one.get("result") == "call":
                call = one["value"]
                numbers[call["id"]] = call["function"]
                pairs.append((call["function"], call.get("caller"), call.get("parent")))
        for function, caller, parent in pairs:
            direct.setdefault(function, set()).update({caller, numbers.get(parent)} - {None})
        everyone: dict = {}
        for function in direct:
            todo, seen = [function], set()
            while todo:
                new = direct.get(todo.pop(), set()) - seen
                seen |= new
                todo += new
            everyone[function] = seen
        return everyone

    def unused(self, functions: list) -> Iterator[dict]:
        """Puts a statement that changes nothing into functions."""
        places = self.chosen(functions, unused, len(functions))
        for path, new, function in places[:FUNCTIONS]:
            with self.edited({path: new}):
                yield self.row(path, function, self.diff(), self.replayed())

    def faults(self, functions: list) -> Iterator[dict]:
        """Puts faults in and gives those that the suite catches."""
        limit = max(60.0, 5 * self.found["plain"])
        edits = self.chosen(functions, faults, TRIED)
        for (path, function, diff), _ in zip(self.caught(edits, limit), range(FAULTS)):
            now = self.replayed()
            row = self.row(path, function, diff, now)
            if now.code == 1:
                row["told"] = "value" if any(self.concerns(one, function) for one in now.changes) else "otherwise"
            elif now.code == 4 and any(not is_compared(e) for e in now.of(function)):
                row["told"] = "named"
            elif now.code in (0, 4):
                row["told"] = "silent"
            yield row

    def concerns(self, change: dict, function: str) -> bool:
        """Tells whether a change is one of a function, of one defined in it, or of one that calls it, or is said to be its doing."""
        causes = [one["function"] for one in change["body"].get("because") or ()]
        inner = function + ".<locals>."
        own = any(one == function or one.startswith(inner) for one in [change["function"], *causes])
        return own or change["function"] in self.callers.get(function, ())

    def refactorings(self, functions: list) -> Iterator[dict]:
        """Tries refactorings."""
        for path, function, diff in self.refactored(functions, REFACTORINGS):
            yield self.row(path, function, diff, self.replayed())

    def row(self, path: str, function: str, diff: str, now: Replayed) -> dict:
        """Gives what `replay` says of an edit that changes nothing: `same`, `unseen`, `not compared`, `alarm`, `before` where the
        same functions differ with nothing edited, or its exit code."""
        named = {0: "same", 4: "not compared", 1: "alarm"}
        told = named.get(now.code, "exit %d" % now.code)
        if told == "same" and not any(e["compared"] or e["through"] for e in now.of(function)):
            told = "unseen"
        if told == "alarm" and now.changes and {one["function"] for one in now.changes} <= self.differing:
            told = "before"
        row = {"path": path, "function": function, "diff": diff, "told": told, "code": now.code, "seconds": now.seconds}
        row["reasons"] = reasons(now)
        row["lines"] = [e["line"] for e in now.events if e["event"] == "behaviour_changed"]
        row["edits"] = now.edits
        if told in ("alarm", "before"):
            row["changes"] = now.changes[:3]
        if now.code not in named:
            row["output"] = now.output[-2000:]
        return row


def reasons(now: Replayed) -> list:
    """Gives why something was not compared, or what differs: (code, of which code or where)."""
    if now.code == 1:
        found = [("differs", one["function"]) for one in now.changes]
        return found or [("no change", ", ".join(key for key, value in now.edits.items() if value))]
    found = []
    for edit in now.edited:
        if not is_compared(edit):
            groups = sorted(edit["not_compared"], key=lambda one: -one["calls"])
            code = groups[0]["reason"]["why"]["code"] if groups else "unrun" if edit["unrun"] else "none"
            found.append((code, edit["subject"]))
    return found


def outcome(text: str, code: int) -> tuple:
    """Reads pytest's last line: how many tests ended how, and its exit code."""
    last = next((line for line in reversed(text.splitlines()) if COUNTED.search(line)), "")
    counts = {word.rstrip("s") if word.startswith("error") else word: int(n) for n, word in COUNTED.findall(last)}
    return tuple(counts.get(word, 0) for word in ("passed", "failed", "error", "skipped", "xfailed", "xpassed")) + (code,)


def examine(bench: Bench, folder: Path, applications: list, minutes: float) -> list:
    """Measures applications one after the other; what stops one is said in its place."""
    everything = []
    for given in applications:
        place = folder / given["name"]
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        bench.say("%s %s" % (given["name"], given["version"]))
        application = None
        try:
            application = Application(bench, place, minutes, given)
            found = application.measure()
        except (RuntimeError, OSError, ValueError) as error:
            found = dict(application.found if application else {"name": given["name"]}, stopped=str(error))
            bench.say("stopped: %s" % error)
        (place / "found.json").write_text(json.dumps(found, indent=1))
        everything.append(found)
    return everything


def measure(bench: Bench) -> str:
    """Gives the section: a row for each application."""
    if bench.binary is None:
        return "Not measured: there was no release build."
    with bench.empty_folder() as folder:
        return page(examine(bench, folder, list(APPLICATIONS), MINUTES))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--only", action="append", choices=[one["name"] for one in APPLICATIONS])
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of edits, for each application")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the suite, plain and recorded")
    parser.add_argument("--keep", type=Path, help="where projects and findings are left")
    parser.add_argument("--page", action="store_true", help="write the page from what --keep has, and measure nothing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (args.keep or Path(temporary)).resolve()
        folder.mkdir(exist_ok=True)
        chosen = [one for one in APPLICATIONS if not args.only or one["name"] in args.only]
        if args.page:
            there = [folder / one["name"] / "found.json" for one in chosen]
            print(page([json.loads(path.read_text()) for path in there if path.exists()]))
            return
        bench = Bench(args.rounds, [("", args.python.absolute())], args.binary.resolve(), None, folder)
        print(page(examine(bench, folder, chosen, args.minutes)))


if __name__ == "__main__":
    main()
