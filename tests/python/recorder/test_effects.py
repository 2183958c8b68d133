"""What recorded calls do besides computing is noted, once a call and kind."""

import sys

import pytest


def effects(spool, qualname):
    ids = {c.cid for c, _ in spool.calls(qualname)}
    return {(r[2], r[3]) for r in spool.of("E") if r[1] in ids}


def test_effects(program):
    program.write("data.txt", "x")
    spool = program.main("""
        import datetime, os, random, socket, subprocess, sys, tempfile, threading, time, uuid, warnings
        from time import perf_counter as tick
        from random import randint

        def reads():
            with open("data.txt") as stream:
                return stream.read()

        def writes():
            for _ in range(3):
                with open("out.txt", "w") as stream:
                    stream.write("x")

        def runs():
            subprocess.run([sys.executable, "-c", "secret argument"], capture_output=True)

        def connects():
            with socket.socket() as client:
                client.settimeout(0.1)
                try:
                    client.connect(("127.0.0.1", 9))
                except OSError:
                    pass

        def asks_the_clock():
            return time.time(), datetime.datetime.now(), tick(), datetime.date.today()

        def throws_dice():
            return random.random(), randint(1, 2), uuid.uuid4(), os.urandom(1)

        def asks_the_environment():
            os.getenv("HOME")
            os.environ.get("HOME")
            return os.environ["PATH"]

        def asks_where():
            return os.getcwd()

        def starts():
            thread = threading.Thread(target=len, args=((),))
            thread.start()
            thread.join()

        def says():
            print("said")
            warnings.warn("careful")

        def computes():
            own = random.Random(3)
            own.random()
            return time.strptime("2024", "%Y"), datetime.datetime(2024, 1, 2).isoformat()

        def calls_another():
            return asks_where()

        def takes_notes():
            with tempfile.TemporaryFile("w+") as notes:
                notes.write("x")

        def main():
            tempfile.gettempdir()
            for f in (takes_notes, reads, writes, runs, connects, asks_the_clock, throws_dice, asks_the_environment, asks_where,
                      starts, says, computes, calls_another):
                f()
    """)  # fmt: skip
    assert effects(spool, "reads") == {("file", "read data.txt"), ("content", "data.txt\0x")}
    assert effects(spool, "writes") == {("file", "write out.txt")}
    assert len([r for r in spool.of("E") if r[3] == "write out.txt"]) == 1
    assert any(kind == "process" and detail.startswith("subprocess.Popen /") for kind, detail in effects(spool, "runs"))
    assert "secret argument" not in str(spool.of("E"))
    assert ("net", "socket.connect 127.0.0.1:9") in effects(spool, "connects")
    assert effects(spool, "asks_the_clock") == {
        ("clock", d) for d in ("time.time", "datetime.datetime.now", "time.perf_counter", "datetime.date.today")
    }
    assert effects(spool, "throws_dice") == {
        ("random", d) for d in ("random.random", "random.randint", "uuid.uuid4", "os.urandom")
    }
    asked = {e for e in effects(spool, "asks_the_environment") if e[0] != "variable"}
    assert asked == {("env", "os.getenv"), ("env", "os.environ")}
    assert effects(spool, "asks_where") == {("cwd", "os.getcwd")}
    assert {kind for kind, _ in effects(spool, "starts")} == {"thread"}
    # Printing a warning reads the line it is about.
    assert {e for e in effects(spool, "says") if e[0] != "file"} == {
        ("output", "builtins.print"),
        ("warning", "warnings.warn"),
    }
    assert effects(spool, "computes") == set()
    # On Linux it is a file that no folder has.
    assert sys.platform != "linux" or not [e for e in effects(spool, "takes_notes") if e[0] == "file"]
    # The inner call is a repetition, so its effect is that of the nearest kept call.
    assert effects(spool, "calls_another") == {("cwd", "os.getcwd")}


GENERATORS = """
    import random
    from random import Random as Made, SystemRandom

    shared = random.Random(1)

    class Dice:
        def __init__(self, seed):
            self.own = random.Random(seed)

        def roll(self):
            return self.own.randint(1, 6)

    def draws_from_one_of_the_module():
        return shared.random(), shared.choice([1, 2])

    def asks_the_system():
        return SystemRandom().random()

    other_name = shared.gauss

    def draws_by_other_names():
        draw = again = shared.random
        then = draw
        return then() + other_name(0, 1)

    def makes_one_by_chance():
        return Made()

    def makes_one_that_may_be_by_chance(seed=None):
        return random.Random(seed)

    def shuffles(seed):
        items = [1, 2, 3]
        random.Random(seed).shuffle(items)
        again = Made(seed)
        return items, again.gauss(0, 1), again.random()

    def seeds_again(generator):
        generator.seed("x")
        return generator.sample(range(9), 2)

    def is_given(generator):
        return generator.uniform(1, 2)

    def main():
        draws_from_one_of_the_module()
        asks_the_system()
        draws_by_other_names()
        makes_one_by_chance()
        makes_one_that_may_be_by_chance()
        Dice(3).roll()
        shuffles(3)
        seeds_again(makes_one_that_may_be_by_chance(7))
        is_given(random.Random(4))
"""


@pytest.mark.parametrize("mechanism", ["", "rewrite"])
def test_generators_of_random_numbers_are_chance_unless_the_call_seeded_them(program, mechanism):
    spool = program.main(GENERATORS, PYTEAD_EVENTS=mechanism)
    assert effects(spool, "draws_from_one_of_the_module") == {
        ("random", "random.Random.random"),
        ("random", "random.Random.choice"),
    }
    assert effects(spool, "asks_the_system") == {("random", "random.SystemRandom.random")}
    assert effects(spool, "draws_by_other_names") == {
        ("random", "random.Random.random"),
        ("random", "random.Random.gauss"),
    }
    assert effects(spool, "makes_one_by_chance") == {("random", "random.Random")}
    made = spool.calls("makes_one_that_may_be_by_chance")
    by_seed = {c.args[0]: [r[3] for r in spool.of("E") if r[1] == c.cid] for c, _ in made}
    assert by_seed == {None: ["random.Random"], 7: []}
    assert effects(spool, "Dice.__init__") == set()
    assert effects(spool, "Dice.roll") == {("random", "random.Random.randint")}
    assert effects(spool, "shuffles") == effects(spool, "seeds_again") == set()
    assert effects(spool, "is_given") == {("random", "random.Random.uniform")}


def test_what_a_call_found_is_noted_for_all_calls_around_it(program):
    """R16: each of them may be made again alone; secrets, large files and what every process has are not kept."""
    for name, text in (("data.txt", "a,b\n"), ("large.txt", "x" * 5000), ("token.txt", "12345678"), (".env", "A=1")):
        program.write(name, text)
    spool = program.main("""
        import os

        os.environ.update(SHOP_MODE="live", SHOP_TOKEN="abcdefgh", HOME="/home/ada", LC_TIME="fr_FR", TZ="UTC")

        def inner():
            for name in ("data.txt", "large.txt", "token.txt", ".env"):
                with open(name) as stream:
                    stream.read()
            asked = os.environ.get("SHOP_MODE"), os.environ["SHOP_TOKEN"], "TZ" in os.environ, os.getenv("SHOP_MISSING")
            return *asked, os.environ.get("LC_TIME"), os.path.expanduser("~"), os.environ["PATH"]

        def outer():
            return len(inner())

        def copies():
            copied = {**os.environ, "MORE": "1"}, dict(os.environ), os.environ.copy(), list(os.environ.items())
            return len(copied), list(os.environ.values())

        def main():
            outer()
            copies()
    """)  # fmt: skip
    assert not [e for e in effects(spool, "copies") if e[0] == "variable"], "it asked for none of them"
    for name in ("inner", "outer"):
        found = {e for e in effects(spool, name) if e[0] in ("content", "variable")}
        variables = ("SHOP_MODE=live", "TZ=UTC", "LC_TIME=fr_FR", "HOME=/home/ada")
        assert found == {("content", "data.txt\0a,b\n"), *(("variable", text) for text in variables)}, name


@pytest.mark.parametrize(("database", "uri", "touched"), [
    (":memory:", False, False), ("", False, False), ("file::memory:", True, False), ("file::memory:?cache=shared", True, False),
    ("file:x?mode=memory&cache=shared", True, False), ("file:/x?vfs=memdb", True, False), ("data.db", False, True),
    ("file:data.db", True, True), ("file:data.db?mode=rwc", True, True),
])  # fmt: skip
def test_a_database_in_memory_is_no_file(program, database, uri, touched):
    pytest.importorskip("sqlite3")
    spool = program.main(f"""
        import sqlite3

        def f():
            con = sqlite3.connect({database!r}, uri={uri})
            return con.execute("select 1").fetchone()[0]

        def main():
            try:
                f()
            except sqlite3.OperationalError:
                pass  # a library without memdb
    """)  # fmt: skip
    assert any(kind == "file" for kind, _ in effects(spool, "f")) == touched


def test_what_modules_read_of_the_environment_while_they_are_imported_is_noted(program, monkeypatch):
    """They may not be imported again without it; of a secret, and of who sits where, nothing is kept."""
    values = {"APP_MODE": "x", "APP_TOKEN": "abcdefgh", "HOME": "/home/ada", "APP_LATE": "y"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    spool = program.main("""
        import os

        MODE, TOKEN = os.environ["APP_MODE"], os.getenv("APP_TOKEN")
        HOME, MISSING, ALL = os.environ.get("HOME"), os.environ.get("APP_MISSING"), dict(os.environ)

        def late():
            return os.environ["APP_LATE"], os.environ["APP_MODE"]

        main = late
    """)  # fmt: skip
    read = [record[2:] for record in spool.of("E") if record[1] is None]
    assert sorted(read) == [("variable", "APP_MODE=x"), ("variable", "APP_TOKEN=[REDACTED:token]")]
    assert ("variable", "APP_LATE=y") in effects(spool, "late")


def test_the_settings_that_django_reads_are_noted_whoever_sets_them(program):
    spool = program.main("""
        import os

        os.environ.update(DJANGO_SETTINGS_MODULE="shop.settings", OTHER="x")
        code = "import os; found = os.environ['DJANGO_SETTINGS_MODULE'], os.environ['OTHER']"
        exec(compile(code, "/site-packages/django/conf.py", "exec"), {"__name__": "django.conf"})

        def main():
            return 1
    """)  # fmt: skip
    read = [record[2:] for record in spool.of("E") if record[1] is None]
    assert read == [("variable", "DJANGO_SETTINGS_MODULE=shop.settings")]


def test_what_modules_read_that_a_function_of_the_program_imports_is_noted(program):
    """As a script does that sets Django's settings and runs its tests; what a function reads itself is its own affair."""
    program.write("settings.py", """
        import os

        LEVEL = os.environ["APP_LEVEL"]
    """)
    spool = program.main("""
        import os

        def main():
            os.environ.update(APP_LEVEL="high", APP_MODE="x", DJANGO_SETTINGS_MODULE="settings")
            code = "import os; found = os.environ['DJANGO_SETTINGS_MODULE']"
            exec(compile(code, "/site-packages/django/conf.py", "exec"), {"__name__": "django.conf"})
            import settings
            return settings.LEVEL, os.environ["APP_MODE"]
    """)  # fmt: skip
    read = [record[2:] for record in spool.of("E") if record[1] is None]
    assert read == [("variable", "DJANGO_SETTINGS_MODULE=settings"), ("variable", "APP_LEVEL=high")]


def test_what_a_test_sets_for_itself_is_nothing_that_modules_need(program):
    program.write("settings.py", """
        import os

        LEVEL = os.environ["APP_LEVEL"]
    """)
    program.write("test_mode.py", """
        import os

        def test_mode(monkeypatch):
            monkeypatch.setenv("APP_MODE", "odd")
            monkeypatch.setenv("APP_LEVEL", "high")
            assert os.environ["APP_MODE"] == "odd"
            import settings
            assert settings.LEVEL == "high"
    """)
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mode.py")
    read = [record[2:] for record in spool.of("E") if record[1] is None]
    assert read == [("variable", "APP_LEVEL=high")]
