"""Chance is the same in each run of a test, and begins anew for each of them."""

DRAWS = """
    import os, random, secrets, uuid
    from os import urandom
    from random import SystemRandom

    AT_IMPORT = secrets.token_hex(4)

    def drawn():
        return [AT_IMPORT, secrets.token_hex(4), str(uuid.uuid4()), urandom(3).hex(), os.urandom(0), os.urandom(2).hex(),
                SystemRandom().randrange(10**9), secrets.choice("abcdefgh"), random.random()]
"""
TESTS = """
    import json, os, pytest
    import app

    @pytest.mark.parametrize("name", ["one", "two"])
    def test_it(name):
        with open(os.environ["DRAWN"] + name, "w") as file:
            file.write(repr(app.drawn()))

    def test_a_size_below_zero():
        with pytest.raises(ValueError):
            os.urandom(-1)
"""


def test_random_bytes_and_numbers_are_the_same_in_each_run(project, tmp_path):
    project.write("app.py", DRAWS)
    project.write("test_it.py", TESTS)
    tests = ["test_it.py::test_it[one]", "test_it.py::test_it[two]", "test_it.py::test_a_size_below_zero"]
    seen = []
    for run in ("a", "b"):
        found = project.rerun(*tests, env={"DRAWN": str(tmp_path / run)})
        assert [found[test]["outcome"] for test in tests] == ["passed"] * 3, found
        seen += [(tmp_path / (run + name)).read_text() for name in ("one", "two")]
    assert len(set(seen)) == 1, seen
