"""Session fixtures are set up once, above the processes of the tests, where a fork can take them along."""

import pytest

CONFTEST = """
    import asyncio, os, socket, subprocess, sys, threading, time
    import pytest

    def note(word):
        with open("log", "a") as stream:
            stream.write(f"{word}\\n")

    @pytest.fixture(scope="session", autouse=True)
    def always():
        note("always")
        yield
        note("always ends")

    @pytest.fixture(scope="session")
    def app(always):
        note("app")
        yield {"visits": 0}
        note("app ends")

    @pytest.fixture(scope="session")
    def late(app):
        note("late")
        yield app
        note("late ends")

    @pytest.fixture(scope="module")
    def of_module(app):
        note("module")
        return []

    @pytest.fixture(scope="class")
    def of_class(app):
        note("class")
        return []

    @pytest.fixture(scope="session", params=["a", "b"])
    def either(request):
        note(f"either {request.param}")
        return request.param

    @pytest.fixture(scope="session")
    def of_either(either):
        note(f"of {either}")
        return either

    @pytest.fixture(scope="session")
    def has_socket():
        note("socket")
        with socket.socket() as held:
            yield held

    @pytest.fixture(scope="session")
    def has_thread():
        note("thread")
        wake = threading.Event()
        thread = threading.Thread(target=wake.wait)
        thread.start()
        yield thread
        wake.set()
        thread.join()

    @pytest.fixture(scope="session")
    def has_loop():
        note("loop")
        loop = asyncio.new_event_loop()
        yield loop
        loop.close()

    @pytest.fixture(scope="session")
    def has_process():
        note("process")
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        yield child
        child.kill()
        child.wait()

    @pytest.fixture(scope="session")
    def fails():
        note("fails")
        raise ValueError("never")

    @pytest.fixture(scope="session")
    def hangs():
        note("hangs")
        time.sleep(60)
"""


@pytest.fixture
def shop(project):
    project.write("conftest.py", CONFTEST)
    return project


def run(shop, source, *names, **changed):
    shop.write("test_it.py", source)
    return shop.outcomes(*(f"test_it.py::{name}" for name in names), **changed)


VISITS = """
    def test_a(app):
        app["visits"] += 1
        assert app["visits"] == 1

    def test_b(app):
        app["visits"] += 1
        assert app["visits"] == 1

    def test_c():
        pass
"""


def test_they_are_set_up_once_and_each_test_finds_them_as_they_were(shop):
    assert run(shop, VISITS, "test_a", "test_b", "test_c") == ["passed"] * 3
    assert shop.log() == ["always", "app", "app ends", "always ends", "always", "always ends"]


def test_those_that_a_test_asks_for_as_it_runs_are_set_up_once_more_for_all_others(shop):
    source = """
        def test_a(request): assert request.getfixturevalue("late")["visits"] == 0
        def test_b(request): request.getfixturevalue("late")["visits"] += 1
        def test_c(request): assert request.getfixturevalue("late")["visits"] == 0
    """
    assert run(shop, source, "test_a", "test_b", "test_c") == ["passed"] * 3
    # The first test tears down what is its own.
    once = ["always", "app", "late", "late ends", "app ends", "app", "late"]
    assert shop.log() == [*once, "late ends", "app ends", "always ends"]
    # What is learned in a run serves the first test of the next one, too.
    (learned,) = [line["fixtures"] for line in shop.lines if line["kind"] == "learned"]
    (shop.root / "log").unlink()
    assert run(shop, source, "test_a", "test_b", "test_c", fixtures=learned) == ["passed"] * 3
    assert shop.log() == ["always", "app", "late", "late ends", "app ends", "always ends"]
    (shop.root / "log").unlink()
    fixtures = {"gone@": "gone", **learned}
    assert run(shop, "def test_d(): pass", "test_d", fixtures=fixtures) == ["passed"], "what is not there is not missed"


def test_fixtures_of_a_module_or_class_belong_to_each_test(shop):
    source = """
        class TestIt:
            def test_a(self, of_module, of_class): of_module.append(1); assert of_module == [1]
            def test_b(self, of_module, of_class): of_module.append(1); assert of_module == [1]
    """
    assert run(shop, source, "TestIt::test_a", "TestIt::test_b") == ["passed", "passed"]
    assert [shop.log().count(word) for word in ("app", "module", "class")] == [1, 2, 2]


def test_those_with_parameters_are_left_to_the_tests_and_what_needs_them_too(shop):
    source = """
        def test_a(of_either, app): assert of_either in ("a", "b")
    """
    assert run(shop, source, "test_a[a]", "test_a[b]", "test_a[a]") == ["passed"] * 3
    log = shop.log()
    assert [log.count(word) for word in ("app", "of a", "of b")] == [1, 2, 1]


def test_a_fixture_that_a_test_gives_a_parameter_is_left_to_it(shop):
    shop.write(
        "conftest.py",
        CONFTEST + "\n    @pytest.fixture(scope='session')\n    def given(request): note(f'given {request.param}')",
    )
    source = """
        import pytest
        @pytest.mark.parametrize("given", ["x", "y"], indirect=True)
        def test_a(given, app): pass
    """
    assert run(shop, source, "test_a[x]", "test_a[y]") == ["passed"] * 2
    assert [shop.log().count(word) for word in ("app", "given x", "given y")] == [1, 1, 1]


@pytest.mark.parametrize("name", ["has_socket", "has_thread", "has_loop", "has_process"])
def test_those_that_a_fork_cannot_take_along_are_left_to_the_tests(shop, name):
    check = {
        "has_socket": "held.bind(('127.0.0.1', 0))", "has_thread": "assert held.is_alive()",
        "has_loop": "import asyncio; held.run_until_complete(asyncio.sleep(0))", "has_process": "assert held.poll() is None",
    }[name]  # fmt: skip
    tests = "\n".join(f"def test_{letter}({name}, app):\n    held = {name}; {check}" for letter in "abc")
    assert run(shop, tests, "test_a", "test_b", "test_c") == ["passed"] * 3
    log = shop.log()
    assert log.count(name.removeprefix("has_")) == 4, "once above, and once for each test"
    assert log.count("always ends") == log.count("always"), "what was set up beside it is torn down"


def test_those_that_need_one_that_is_left_are_left_too(shop):
    source = """
        import pytest
        @pytest.fixture(scope="session")
        def needs_it(has_socket):
            open("log", "a").write("needs\\n")
            return has_socket
        def test_a(needs_it, app): pass
        def test_b(needs_it, app): pass
    """
    assert run(shop, source, "test_a", "test_b") == ["passed"] * 2
    assert [shop.log().count(word) for word in ("socket", "needs", "always")] == [3, 2, 2]


def test_those_that_fail_fail_in_the_tests(shop):
    source = """
        def test_a(fails): pass
        def test_b(app): pass
        def test_c(fails): pass
    """
    assert run(shop, source, "test_a", "test_b", "test_c") == ["error", "passed", "error"]
    assert shop.rerun("test_it.py::test_c")["test_it.py::test_c"]["said"] == "ValueError: never"


def test_those_that_hang_are_the_fault_of_the_tests(shop):
    source = """
        def test_a(hangs): pass
        def test_b(app): pass
    """
    assert run(shop, source, "test_a", "test_b", test_seconds=1.0) == ["timed-out", "passed"]


def test_a_warning_that_is_an_error_is_one_above_the_tests_too(shop):
    shop.write("pytest.ini", "[pytest]\nfilterwarnings =\n    error::RuntimeWarning\n")
    shop.write(
        "conftest.py",
        CONFTEST
        + "\n    @pytest.fixture(scope='session')\n    def warns():\n        import warnings; warnings.warn('old', RuntimeWarning)",
    )
    assert run(shop, "def test_a(warns): pass\ndef test_b(): pass", "test_a", "test_b") == ["error", "passed"]


def test_files_that_a_fixture_writes_stay_until_the_last_test(shop):
    source = """
        import pytest
        @pytest.fixture(scope="session")
        def data(tmp_path_factory):
            path = tmp_path_factory.mktemp("data") / "rows"
            path.write_text("1")
            yield path
            path.unlink()
        def test_a(data): assert data.read_text() == "1"
        def test_b(data, tmp_path):
            assert data.exists()
            assert tmp_path.parent == data.parent.parent
    """
    assert run(shop, source, "test_a", "test_b") == ["passed"] * 2


def test_a_fixture_that_ends_by_itself_when_it_is_let_go_of_stays(shop):
    source = """
        import contextlib, pytest
        @contextlib.contextmanager
        def opened():
            try:
                yield {}
            finally:
                open("log", "a").write("closed\\n")
        @pytest.fixture(scope="session")
        def shared():
            with opened() as found:
                yield found
        @pytest.fixture
        def of_test(shared): yield shared
        def test_a(of_test): pass
        def test_b(request): request.getfixturevalue("of_test")
        def test_c(shared): pass
    """
    assert run(shop, source, "test_a", "test_c", "test_b") == ["passed"] * 3
    assert shop.log() == ["always", "closed", "always ends", "always", "closed", "always ends"], "test_b names none"


def test_classes_of_unittest_set_up_for_each_test(shop):
    source = """
        import unittest
        import pytest
        class TestIt(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                open("log", "a").write("class\\n")
                cls.seen = []
            def test_a(self): self.seen.append(1); assert self.seen == [1]
            def test_b(self): self.seen.append(1); assert self.seen == [1]
            def test_fails(self): self.assertEqual(1, 2)
        def setup_module():
            open("log", "a").write("module\\n")
    """
    assert run(shop, source, "TestIt::test_a", "TestIt::test_b") == ["passed"] * 2
    assert [shop.log().count(word) for word in ("always", "module", "class")] == [1, 2, 2]
    failed = shop.rerun("test_it.py::TestIt::test_fails")["test_it.py::TestIt::test_fails"]
    assert (failed["outcome"], failed["said"]) == ("failed", "AssertionError: 1 != 2")


def test_a_test_finds_the_fixtures_that_it_needs_and_no_others(project: object) -> None:
    project.write("conftest.py", CONFTEST)
    project.write(
        "test_it.py",
        """
        import conftest

        def test_late(late):
            conftest.note("test late")

        def test_bare():
            conftest.note("test bare")

        def test_app(app):
            conftest.note("test app")

        def test_late_again(late):
            conftest.note("test late again")
        """,
    )
    tests = [f"test_it.py::test_{name}" for name in ("late", "bare", "app", "late_again")]
    assert project.outcomes(*tests) == ["passed"] * 4
    assert project.log() == [
        "always", "app", "late", "test late", "test late again", "late ends", "app ends", "always ends",
        "always", "test bare", "app", "test app", "app ends", "always ends",
    ]  # fmt: skip


def test_tests_that_are_waited_for_run_before_those_with_the_same_fixtures(shop: object) -> None:
    source = """
        import conftest
        def test_a(app): conftest.note("a")
        def test_b(): conftest.note("b")
        def test_c(app): conftest.note("c")
    """
    assert run(shop, source, "test_a", "test_b", "test_c", first=2) == ["passed"] * 3
    assert [word for word in shop.log() if len(word) == 1] == ["a", "b", "c"]
    assert run(shop, source, "test_a", "test_b", "test_c") == ["passed"] * 3
    assert [word for word in shop.log() if len(word) == 1][3:] == ["a", "c", "b"]


def test_a_fixture_that_was_found_to_stay_with_the_tests_is_told_and_not_tried_again(shop: object) -> None:
    source = """
        def test_a(has_thread): assert has_thread.is_alive()
        def test_b(has_thread): assert has_thread.is_alive()
    """
    assert run(shop, source, "test_a", "test_b") == ["passed"] * 2
    (learned,) = [line["fixtures"] for line in shop.lines if line["kind"] == "learned"]
    assert list(learned.values()) == [""] and shop.log().count("thread") == 3
    assert run(shop, source, "test_a", "test_b", fixtures=learned) == ["passed"] * 2
    assert shop.log().count("thread") == 5


def test_a_test_finds_the_temporary_folder_as_it_was_before_the_others(shop: object) -> None:
    source = """
        import conftest
        def test_a(tmp_path_factory): conftest.note(tmp_path_factory.mktemp("made").name)
        def test_b(tmp_path_factory): conftest.note(tmp_path_factory.mktemp("made").name)
    """
    assert run(shop, source, "test_a", "test_b") == ["passed"] * 2
    assert [word for word in shop.log() if word.startswith("made")] == ["made0"] * 2


def test_a_teardown_that_ends_its_process_takes_no_test_along(shop: object) -> None:
    source = """
        import os, pytest
        @pytest.fixture(scope="session")
        def rude():
            yield
            os._exit(3)
        def test_a(rude): pass
        def test_b(): pass
        def test_c(app): pass
    """
    assert run(shop, source, "test_a", "test_b", "test_c") == ["passed"] * 3


def test_a_fixture_that_fails_is_not_remembered(shop: object) -> None:
    source = """
        import pytest
        @pytest.fixture(scope="session")
        def fails(): raise NameError("typo")
        def test_a(fails): pass
    """
    assert run(shop, source, "test_a") == ["error"]
    assert [line for line in shop.lines if line["kind"] == "learned"] == []


def test_fixtures_are_set_up_in_the_order_of_each_test(shop: object) -> None:
    source = """
        import conftest, pytest
        made = []
        @pytest.fixture(scope="session")
        def one(): made.append("one")
        @pytest.fixture(scope="session")
        def two(): made.append("two")
        def test_a(two): conftest.note(" ".join(made))
        def test_b(one, two): conftest.note(" ".join(made))
    """
    assert run(shop, source, "test_a", "test_b") == ["passed"] * 2
    assert [word for word in shop.log() if "always" not in word] == ["two", "one two"]
