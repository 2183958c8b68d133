"""Calls are recorded with the test of pytest that makes them, and with what it takes to run that test again."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
APP = """
    state = {"method": "GET"}

    def view():
        if state["method"] == "POST":
            return ["sent"]
        return "form"

    def double(x):
        return 2 * x
"""
TESTS = """
    import app

    def test_get():
        assert app.view() == "form"

    def test_post():
        app.state["method"] = "POST"
        assert app.view() == ["sent"]
        assert app.view() == ["sent"]

    def test_double():
        assert [app.double(2) for _ in range(5)] == [4] * 5
"""


def record(program, mechanism, mode, *options):
    program.write("app.py", APP)
    program.write("tests/test_app.py", TESTS)
    program.write("pytest.ini", "[pytest]\npythonpath = .\n")
    events = {"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}
    return program.record("-m", "pytest", "-p", "no:cacheprovider", *options, PYTEAD_MODE=mode, **events)


def in_tests(spool, qualname):
    """Gives the test of each call of a function, and what the call gave."""
    found = []
    for records in spool.files.values():
        test = None
        fids = {f[1] for f in records if f[0] == "F" and f[3] == qualname}
        ends = {r[1]: r.value for r in records if r[0] == "R"}
        for one in records:
            if one[0] == "B":
                test = one[1]
            elif one[0] == "C" and one.fid in fids:
                found.append((test, ends[one.cid]))
    return found


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_call_has_its_test_and_the_session_what_it_was_started_with(program, mechanism):
    spool = record(program, mechanism, "calls", "-q", "tests")
    assert in_tests(spool, "double") == [("tests/test_app.py::test_double", 4)]
    ((_, number, root, ini, options, cwd, path),) = spool.of("K")
    assert root == cwd == str(program.root.resolve()) and ini.endswith("pytest.ini")
    assert options == ("-p", "no:cacheprovider", "-q"), "without what was run"
    assert str(program.root.resolve()) in path and not any("pytead_tui" in folder for folder in path)
    assert {record[2] for record in spool.of("B")} == {number}


def test_options_of_the_environment_come_first(program):
    program.write("app.py", APP)
    program.write("test_app.py", "import app\n\ndef test_double():\n    app.double(1)\n")
    spool = program.record("-m", "pytest", "-q", "test_app.py", PYTEST_ADDOPTS="-p no:cacheprovider --tb 'short'")
    (session,) = spool.of("K")
    assert session[4] == ("-p", "no:cacheprovider", "--tb", "short", "-q")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_equal_arguments_with_another_end_are_kept_once(program, mechanism):
    spool = record(program, mechanism, "calls")
    assert in_tests(spool, "view") == [("tests/test_app.py::test_get", "form"), ("tests/test_app.py::test_post", ["sent"])]
    variants = [tuple(call)[14:] for call, _ in spool.calls("view")]
    assert variants == [(), (1,)]
    times = dict(spool.counts("view")[4])
    assert sum(times.values()) == 1, "the third call is the second one's again"
    assert len(spool.calls("double")) == 1, "equal ends are counted"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_call_is_kept_where_two_runs_are_compared(program, mechanism):
    spool = record(program, mechanism, "every")
    assert [test for test, _ in in_tests(spool, "view")] == ["tests/test_app.py::test_get"] + ["tests/test_app.py::test_post"] * 2
    assert in_tests(spool, "double") == [("tests/test_app.py::test_double", 4)] * 5


def test_equal_arguments_with_another_value_are_kept_once_each(program):
    """What a web application answers follows from the request, which no argument shows."""
    program.write("app.py", """
        LANGUAGE = ["en"]

        def hi():
            return "hello" if LANGUAGE[0] == "en" else "salut"
    """)  # fmt: skip
    program.write("test_app.py", """
        import app

        def test_en():
            assert app.hi() == "hello"

        def test_fr():
            app.LANGUAGE[0] = "fr"
            assert app.hi() == "salut"
            assert app.hi() == "salut"
    """)  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_app.py")
    assert in_tests(spool, "hi") == [("test_app.py::test_en", "hello"), ("test_app.py::test_fr", "salut")]
