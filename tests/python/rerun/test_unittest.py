"""Tests of unittest run again inside of the program that ran them."""

import pytest

MODULE = {"runner": "unittest", "how": "module", "what": "unittest", "arguments": []}
TESTS = """
    import os, unittest

    def log(word):
        with open("log", "a") as stream:
            stream.write(word + "\\n")

    def setUpModule():
        log("module")

    class All(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            log("class")

        def tearDown(self):
            log("down")

        def test_passes(self): pass
        def test_fails(self): self.assertEqual(1, 2)
        def test_raises(self): raise KeyError("x")
        def test_parts(self):
            for at in range(3):
                with self.subTest(at=at):
                    self.assertEqual(at % 2, 0)
        def test_skips(self): self.skipTest("not  now")
        @unittest.expectedFailure
        def test_expected(self): self.fail("known")
        @unittest.expectedFailure
        def test_unexpected(self): pass
        def test_exits(self): os._exit(3)
        def test_hangs(self):
            import time
            time.sleep(60)
        def test_of_tests(self):
            class Inner(unittest.TestCase):
                def test_it(self): log("inner")
            unittest.TextTestRunner(stream=open(os.devnull, "w")).run(Inner("test_it"))

    class Broken(unittest.TestCase):
        @classmethod
        def setUpClass(cls): raise ValueError("no class")
        def test_it(self): pass

    class Skipped(unittest.TestCase):
        @classmethod
        def setUpClass(cls): raise unittest.SkipTest("no class")
        def test_it(self): pass

    class Awaited(unittest.IsolatedAsyncioTestCase):
        async def test_it(self): pass

    if __name__ == "__main__":
        unittest.main()
"""


@pytest.fixture
def suite(project):
    project.write("tests/__init__.py", "")
    project.write("tests/test_all.py", TESTS)
    return project


def rerun(project, *tests, **changed):
    program = {**MODULE, **changed.pop("program", {})}
    return project.rerun(*tests, program=program, path=[str(project.root)], **changed)


def named(*names, of="tests.test_all.All"):
    return [f"{of}.test_{name}" for name in names]


def test_a_test_ends_as_it_ends_under_pytest(suite):
    names = named("passes", "fails", "raises", "parts", "skips", "expected", "unexpected", "exits", "of_tests")
    names += [f"tests.test_all.{name}.test_it" for name in ("Broken", "Skipped", "Awaited")]
    found = rerun(suite, *names)
    assert [found[name]["outcome"] for name in names] == [
        "passed", "failed", "failed", "failed", "skipped", "xfailed", "failed", "died", "passed", "error", "skipped",
        "passed",
    ]  # fmt: skip
    assert suite.status == 0
    assert found[names[1]]["said"].startswith("AssertionError: 1 != 2") and found[names[1]]["path"].endswith(
        "test_all.py"
    )
    assert found[names[4]]["said"] == "not now"
    assert found[names[7]]["said"] == "exit 3"
    assert found[names[9]]["said"] == "ValueError: no class"
    assert len({line["pid"] for line in found.values()}) == len(names), "each has a process of its own"
    assert suite.log()[:3] == ["module", "class", "down"], "with what is set up for it"
    assert suite.log().count("inner") == 1, "a test may run tests"


def test_a_test_that_takes_too_long_is_ended(suite):
    names = named("hangs", "passes")
    found = rerun(suite, *names, test_seconds=1.0)
    assert [found[name]["outcome"] for name in names] == ["timed-out", "passed"]


@pytest.mark.parametrize(
    "program, prefix",
    [
        ({"arguments": ["discover", "-v", "-f", "--buffer", "-s", "tests", "-t", "."]}, "tests.test_all."),
        ({"arguments": ["discover", "-s", "tests", "-t", ".", "-k", "passes"]}, "tests.test_all."),
        ({"how": "script", "what": "tests/test_all.py"}, "__main__."),
        ({"what": "tests.test_all"}, "__main__."),
        ({"how": "code", "what": "import unittest; unittest.main('tests.test_all')"}, "tests.test_all."),
        ({"how": "script", "what": "run.py", "arguments": ["x"]}, "tests.test_all."),
        ({"how": "script", "what": "each.py"}, "tests.test_all."),
    ],
)
def test_the_program_is_started_as_it_was(suite, program, prefix):
    suite.write(
        "run.py",
        """
        import sys, unittest
        assert sys.argv == ["run.py", "x"] and __name__ == "__main__"
        class Empty(unittest.TestCase):
            def test_it(self): pass
        unittest.TextTestRunner().run(Empty("test_it"))
        found = unittest.defaultTestLoader.loadTestsFromName("tests.test_all")
        sys.exit(not unittest.TextTestRunner().run(found).wasSuccessful())
        """,
    )
    suite.write(
        "each.py",
        """
        import unittest
        for suite in unittest.defaultTestLoader.loadTestsFromName("tests.test_all"):
            for test in suite:
                test(unittest.TestResult())
        """,
    )
    name = prefix + "All.test_passes"
    found = rerun(suite, name, program=program)
    assert found[name]["outcome"] == "passed", suite.lines
    assert suite.log() == ["module", "class", "down"] and suite.status == 0


def test_the_start_is_what_runs_before_the_first_suite(suite):
    (name,) = named("passes")
    found = rerun(suite, "", name, program={"arguments": ["tests.test_all"]})
    assert [found[test]["outcome"] for test in ("", name)] == ["passed"] * 2 and suite.status == 0
    rerun(suite, "", name, program={"arguments": ["tests.absent"]})
    assert [(line["kind"], line["test"], line.get("outcome")) for line in suite.lines] == [
        ("test", "", "failed"), ("missing", name, None),
    ]  # fmt: skip
    assert suite.lines[0]["said"] == "ModuleNotFoundError: No module named 'tests.absent'"
    rerun(suite, "", name, program={"what": "absent"})
    assert [(line["kind"], line["tests"]) for line in suite.lines] == [("broken", ["", name])]


def test_what_is_not_there_is_missing(suite):
    rerun(suite, *named("passes", "gone"), program={"arguments": ["tests.test_all"]})
    assert [line["kind"] for line in suite.lines] == ["test", "missing"]


def test_a_file_that_cannot_be_imported_keeps_its_own_tests_alone(suite):
    suite.write("tests/test_bad.py", "import os\nimport absent\n")
    suite.write("tests/test_not.py", "import unittest\nraise unittest.SkipTest('not  here')\n")
    for arguments in (
        ["discover", "-s", "tests", "-t", "."],
        ["tests.test_all", "tests.test_bad"],
    ):
        names = [*named("passes"), "tests.test_bad.B.test_it", "tests.test_not.N.test_it"]
        found = rerun(suite, *names[: 3 if arguments[0] == "discover" else 2], program={"arguments": arguments})
        assert found[names[0]]["outcome"] == "passed"
        (broken,) = [line for line in suite.lines if line["kind"] == "broken"]
        assert broken["why"] == "ModuleNotFoundError: No module named 'absent'" and broken["tests"] == [names[1]]
        assert broken["path"].endswith("tests/test_bad.py") and broken["line"] == 2
        if arguments[0] == "discover":
            assert (found[names[2]]["outcome"], found[names[2]]["said"]) == ("skipped", "not here")
        assert suite.status == 3


@pytest.mark.parametrize(
    "source, why, line",
    [
        ("import os\nos.environ['SHOP_KEY']", "KeyError: 'SHOP_KEY' (set the environment variable SHOP_KEY)", 2),
        ("import sys\nsys.exit('no database')", "no database", None),
        ("import argparse\nargparse.ArgumentParser(prog='x').error('bad')", "x: error: bad", None),
        ("import os\nos._exit(4)", "the program ended before the tests: exit 4", None),
        ("pass", "the program ended before its tests", None),
    ],
)
def test_a_program_that_ends_before_its_tests_is_told(suite, source, why, line):
    suite.write("run.py", source)
    rerun(suite, *named("passes", "fails"), program={"how": "script", "what": "run.py"})
    (broken,) = suite.lines
    assert (broken["kind"], broken["why"], broken["line"]) == ("broken", why, line)
    assert broken["tests"] == named("passes", "fails")


def test_where_the_program_has_threads_each_test_has_a_program_of_its_own(suite):
    suite.write(
        "run.py",
        """
        import threading, time, unittest
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        open("log", "a").write("started\\n")
        unittest.main("tests.test_all")
        """,
    )
    names = named("passes", "fails", "exits")
    found = rerun(suite, *names, program={"how": "script", "what": "run.py"})
    assert [found[name]["outcome"] for name in names] == ["passed", "failed", "died"]
    assert suite.log().count("started") == 4


def test_the_clock_is_put_forward(suite):
    suite.write(
        "tests/test_clock.py",
        """
        import time, unittest
        class Clock(unittest.TestCase):
            def test_it(self): self.assertGreater(time.time(), 4e9)
        """,
    )
    found = rerun(
        suite, "tests.test_clock.Clock.test_it", program={"arguments": ["tests.test_clock"]}, shift_seconds=4e9
    )
    assert [line["outcome"] for line in found.values()] == ["passed"]


def test_an_example_of_a_docstring_runs_again(suite):
    suite.write(
        "shown.py",
        'def show():\n    """\n    >>> 1 + 1\n    2\n    """\n\ndef not_so():\n    """\n    >>> 1\n    2\n    """\n',
    )
    suite.write(
        "test_docs.py",
        """
        import doctest
        import shown
        def load_tests(loader, tests, pattern):
            return doctest.DocTestSuite(shown)
        """,
    )
    found = rerun(suite, "shown.show", "shown.not_so", program={"arguments": ["test_docs"]})
    assert [line["outcome"] for line in found.values()] == ["passed", "failed"]
