"""Calls are recorded with the test of unittest that makes them, and with what it takes to run that test again."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
APP = """
    def load(name):
        return name

    def double(x):
        return 2 * x
"""
TESTS = """
    import asyncio
    import unittest

    import app

    def setUpModule():
        app.load("module")

    class Named(unittest.TestCase):
        def id(self):
            raise SystemExit("the recorder asks nobody")

        @classmethod
        def setUpClass(cls):
            app.load("class")

        def setUp(self):
            app.load("test")

        def test_parts(self):
            for at in range(3):
                with self.subTest(at=at):
                    self.assertEqual(app.double(at), 2 * at)

        def test_of_tests(self):
            class Inner(unittest.TestCase):
                def test_it(self):
                    app.double(10)

            unittest.TestSuite([Inner("test_it")]).run(unittest.TestResult())
            app.double(11)

        @classmethod
        def tearDownClass(cls):
            app.load("end")

    class Awaited(unittest.IsolatedAsyncioTestCase):
        async def test_later(self):
            await asyncio.sleep(0)
            self.assertEqual(app.double(20), 40)

    if __name__ == "__main__":
        unittest.main()
"""


def record(program, mechanism, *words):
    program.write("app.py", APP)
    program.write("tests/__init__.py", "")
    program.write("tests/test_app.py", TESTS)
    events = {"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}
    return program.record(*words, **events)


def in_tests(spool):
    """Gives the arguments of calls by the last words of their test's name."""
    found = {}
    for records in spool.files.values():
        test = None
        for one in records:
            if one[0] == "B":
                test = one[1]
            elif one[0] == "C":
                found.setdefault(test, []).extend(one.args)
    return found


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_call_has_its_test_with_what_is_set_up_for_it(program, mechanism):
    found = in_tests(
        record(program, mechanism, "-m", "unittest", "-q", "tests.test_app.Named", "tests.test_app.Awaited")
    )
    named = "tests.test_app.Named."
    assert found == {
        named + "test_of_tests": ["module", "class", "test", 10, 11],
        named + "test_parts": [0, 1, 2, "end"],
        "tests.test_app.Awaited.test_later": [20],
    }


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    "words, started, args, prefix",
    [
        (
            ["-m", "unittest", "-v", "tests.test_app"],
            ("module", "unittest"),
            ("-v", "tests.test_app"),
            "tests.test_app.",
        ),
        (["-Bm", "unittest", "discover", "-s", "tests", "-t", "."], ("module", "unittest"), None, "tests.test_app."),
        (["-W", "ignore", "-B", "test_script.py"], ("script", "test_script.py"), (), "__main__."),
        (["-mtests.test_app"], ("module", "tests.test_app"), (), "__main__."),
        (
            ["-c", "import unittest; unittest.main('tests.test_app', argv=['', '-f'])"],
            ("code", None),
            (),
            "tests.test_app.",
        ),
    ],
)
def test_the_session_says_how_its_program_was_started(program, mechanism, words, started, args, prefix):
    program.write("test_script.py", TESTS)
    spool = record(program, mechanism, *words)
    ((_, _, root, ini, given, cwd, path, (runner, how, what, settings)),) = spool.of("K")
    assert (root, ini, cwd, runner, settings) == (str(program.root.resolve()), None, root, "unittest", None)
    assert how == started[0]
    if how == "script":
        assert what == str(program.root.resolve() / started[1])
    elif how == "module":
        assert what == started[1]
    assert args is None or given == args
    assert root in path and not any("pytead_tui" in folder for folder in path)
    assert all(name.startswith(prefix) for name in in_tests(spool))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_under_pytest_the_node_id_stays(program, mechanism):
    found = in_tests(record(program, mechanism, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"))
    assert set(found) <= {f"tests/test_app.py::{name}" for name in
                          ("Named::test_parts", "Named::test_of_tests", "Awaited::test_later")}  # fmt: skip
    assert found["tests/test_app.py::Named::test_of_tests"][-2:] == [10, 11]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_workers_of_django_write_their_tests(program, mechanism):
    pytest.importorskip("django")
    program.write("app.py", APP)
    program.write("settings.py", 'SECRET_KEY = "x"\n')
    program.write("tests/__init__.py", "")
    for letter in "ab":
        program.write(
            f"tests/test_{letter}.py",
            f"""
            import app
            from django.test import SimpleTestCase
            class Some(SimpleTestCase):
                def test_it(self): app.load("{letter}")
            """,
        )
    events = {"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}
    spool = program.record("-m", "django", "test", "--settings=settings", "--parallel=2", **events)
    assert in_tests(spool) == {"tests.test_a.Some.test_it": ["a"], "tests.test_b.Some.test_it": ["b"]}
    sessions = {record[7] for record in spool.of("K")}
    assert sessions == {("django", "module", "django", "settings")}
    workers = [records for records in spool.files.values() if any(one[0] == "B" for one in records)]
    assert len({record[4] for record in spool.of("K")}) == 1
    assert len(spool.of("K")) == len(workers) in (1, 2), "one for each worker; on a busy machine one may run all tests"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_an_example_of_a_docstring_is_a_test(program, mechanism):
    program.write("app.py", APP)
    program.write("shown.py", 'import app\n\ndef show():\n    """\n    >>> app.load("shown")\n    \'shown\'\n    """\n')
    program.write(
        "test_docs.py",
        """
        import doctest
        import shown
        def load_tests(loader, tests, pattern):
            tests.addTests(doctest.DocTestSuite(shown))
            return tests
        """,
    )
    events = {"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}
    spool = program.record("-m", "unittest", "test_docs", **events)
    assert in_tests(spool) == {"shown.show": ["shown"]}
