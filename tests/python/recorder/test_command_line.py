"""The command line that a call reads is noted for it and for the calls around it; that of whoever runs the tests is not."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]
APP = """
    import argparse
    import sys

    def first():
        return sys.argv[1]

    def parsed():
        parser = argparse.ArgumentParser()
        parser.add_argument("name")
        return parser.parse_args().name

    def around():
        return parsed().upper()

    def given():
        parser = argparse.ArgumentParser()
        parser.add_argument("name")
        return parser.parse_args(["own"]).name

    def none(x):
        return x
"""


def read(spool, qualname):
    ids = {call.cid for call, _ in spool.calls(qualname)}
    return {r[3] for r in spool.of("E") if r[1] in ids and r[2] == "argv"}


def record(program, mechanism, *args):
    program.write("app.py", APP)
    return program.record(*args, **({"PYTEAD_EVENTS": "rewrite"} if mechanism == "rewrite" else {}))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_program_reads_what_it_was_started_with(program, mechanism):
    program.write("main.py", "import app\napp.first(), app.around(), app.given(), app.none(1)\n")
    spool = record(program, mechanism, "main.py", "tea")
    assert {name: read(spool, name) for name in ("first", "parsed", "around", "given", "none")} == {
        "first": {"main.py\0tea"}, "parsed": {"main.py\0tea"}, "around": {"main.py\0tea"}, "given": set(), "none": set(),
    }  # fmt: skip


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_of_tests_only_a_command_line_that_a_test_put_in_place_is_noted(program, mechanism, runner):
    program.write("test_app.py", """
        import sys, unittest
        from unittest.mock import patch
        import app

        class TestApp(unittest.TestCase):
            def test_its_own(self):
                with patch.object(sys, "argv", ["app", "tea"]):
                    assert (app.first(), app.around()) == ("tea", "TEA")

            def test_the_runners(self):
                app.given()
                for _ in range(30):
                    app.first() if len(sys.argv) > 1 else app.none(2)
    """)  # fmt: skip
    options = ["-q", "-p", "no:cacheprovider", "-k", "its_own or runners", "test_app.py"] if runner == "pytest" else ["test_app"]
    spool = record(program, mechanism, "-m", runner, *options)
    assert {name: read(spool, name) for name in ("first", "parsed", "around", "given", "none")} == {
        "first": {"app\0tea"}, "parsed": {"app\0tea"}, "around": {"app\0tea"}, "given": set(), "none": set(),
    }  # fmt: skip


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_call_whose_inner_one_is_not_kept_yet_has_what_that_one_reads(program, mechanism):
    program.write("main.py", "import app\nfor n in range(40): app.parsed()\napp.around()\n")
    spool = record(program, mechanism, "main.py", "tea")
    assert read(spool, "around") == {"main.py\0tea"}


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_command_line_with_a_secret_is_not_noted(program, mechanism):
    program.write("main.py", "import app\napp.first()\n")
    spool = record(program, mechanism, "main.py", "tea", "--password", "kettle-and-pot")
    assert read(spool, "first") == set()
