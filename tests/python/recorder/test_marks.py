"""The marks that a test of a recorded call has to bear."""

import textwrap

from shelves import shelf_of

CONFTEST = """
    import pytest

    OPTIONS = ["upper", "lower"]

    def sized(node):
        mark = node.get_closest_marker("sized")
        return mark.kwargs["pages"] if mark else []

    @pytest.fixture
    def case(request, client):
        client.sizes = sized(request.node)
        client.named = [name for name in OPTIONS if name in request.keywords]
        return client

    @pytest.fixture
    def plain(client): return client
"""
TESTS = """
    import pytest

    pytestmark = [pytest.mark.upper, pytest.mark.sized(pages=[1])]
    skipped = pytest.mark.skipif(False, reason="sized")

    @skipped
    @pytest.mark.slow
    @pytest.mark.sized(pages=[2, 3], password="hush-hush-9")
    def test_a(case): case.get("/all")
    def test_b(plain): plain.get("/all", {"page": "2"})
    @pytest.mark.lower("by name", str)
    def test_c(case): case.get("/all", {"page": "3"})
"""


def test_marks_that_fixtures_ask_for_are_told_and_others_are_not(program):
    shelf = shelf_of(program)
    program.write("conftest.py", (program.root / "conftest.py").read_text() + textwrap.dedent(CONFTEST))
    program.write("pytest.ini", "[pytest]\nmarkers =\n    upper\n    lower\n    sized\n    slow\n")
    marks = {scene["test"].rpartition("::")[2]: scene["marks"] for scene in shelf(TESTS)["every"]}
    upper, secret = ["upper", [], {}], {"made_up": "password", "n": 1}
    sized = ["sized", [], {"pages": {"list": [2, 3]}, "password": secret}]
    assert sorted(marks["test_a"]) == [sized, upper], "the closest of a name, and none that chooses tests"
    assert marks["test_b"] == [], "no fixture of this test asks for any"
    assert marks["test_c"][-1] == ["lower", ["by name", {"name": ["builtins", "str"]}], {}]


def test_parameters_that_a_test_gives_to_fixtures_are_told_and_those_of_either_alone_are_not(program):
    shelf = shelf_of(program)
    program.write("conftest.py", (program.root / "conftest.py").read_text() + textwrap.dedent(PARAMETERS))
    marks = {scene["test"].rpartition("::")[2]: scene["marks"] for scene in shelf(GIVES_PARAMETERS)["every"]}
    assert marks.pop("test_a[size0-x]") == [["parametrize", ["size", {"list": [{"dict": [["pages", 2]]}]}], {"indirect": True}]]
    assert marks == {"test_b[1]": [], "test_b[2]": []}


PARAMETERS = """
    @pytest.fixture
    def size(request): return request.param
    @pytest.fixture(params=[1, 2])
    def own(request): return request.param
"""
GIVES_PARAMETERS = """
    import pytest

    @pytest.mark.parametrize("name", ["x"])
    @pytest.mark.parametrize("size", [{"pages": 2}], indirect=True)
    def test_a(client, size, name): client.get("/all")
    def test_b(client, own): client.get("/all", {"page": own})
"""


def test_a_function_that_a_test_defines_and_passes_on_is_told_by_its_place_and_the_fixtures_that_it_names(program):
    shelf = shelf_of(program)
    program.write("conftest.py", (program.root / "conftest.py").read_text() + textwrap.dedent(GIVEN))
    program.write("keeping.py", KEEPING)
    (scene,) = shelf(GIVES)["every"]
    args = [step["args"] for step in scene["steps"] if step["method"] == "take"]
    inner = {"inner": ["test_it", "test_a.<locals>.plain"], "names": []}
    named = {"inner": ["test_it", "test_a.<locals>.named"], "names": ["book"]}
    assert args == [[inner], [named], *[[{"other": "function"}]] * 4]


KEEPING = """
    class Keeper:
        def take(self, function):
            return function
"""
GIVEN = """
    from keeping import Keeper

    @pytest.fixture
    def keeper(): return Keeper()
"""
GIVES = """
    def test_a(keeper, client, book):
        held = []

        @keeper.take
        def plain(): return 1
        @keeper.take
        def named(): return book.title
        @keeper.take
        def around(): return held
        @keeper.take
        def later(): return never
        @keeper.take
        def given(x=1): return x
        keeper.take(lambda: 1)
        client.get("/all")
        never = 1
"""
