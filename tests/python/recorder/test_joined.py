"""A call of a test that runs a line which no kept call ran is kept from there on, though it was not copied when it began."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="lines are not followed")

CODE = """
    class Order:
        def __init__(self, number):
            self.number = number
            self.lines = [[str(n), n + number] for n in range(6)]

    def check(order):
        number = order.number
        if number == 70:
            order = None
            return "rare"
        if number == 86:
            raise ValueError(number)
        return 0

    def walk(order):
        if order.number == 70:
            yield "rare"
        yield order.number

    def check_all():
        found = []
        for number in range(1, 90):
            try:
                found.append(check(Order(number)))
            except ValueError:
                found.append(None)
            list(walk(Order(number)))
        return found
"""
TEST = """
    import core

    def test_all():
        assert core.check_all().count(0) == 87
"""


def recorded(program):
    program.write("core.py", CODE)
    program.write("test_core.py", TEST)
    return program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_core.py")


def test_a_line_that_one_call_of_a_test_runs_is_in_a_kept_call_with_how_it_ended(program):
    spool = recorded(program)
    late = [(call, end) for call, end in spool.calls("check") if call.args[0][1:] == ("cut", "object", None, "", "", "")]
    assert [end[0] for _, end in late] == ["R", "X"]
    assert late[0][1][3] == "rare", "what it was given is not told: it is another value by then"
    assert spool.counts("check")[6] == (), "no line is left that only calls ran which were not kept"
    assert spool.counts("check")[2] == 89, "and no call is counted twice"


def test_a_generator_is_not_kept_from_the_middle(program):
    spool = recorded(program)
    assert not [call for call, _ in spool.calls("walk") if call.args[0][1:2] == ("cut",)]


def test_without_a_test_that_shows_it_again_such_a_call_is_not_kept(program):
    spool = program.main(CODE + "\n    def main():\n        check_all()\n")
    assert not [call for call, _ in spool.calls("check") if call.args[0][1:2] == ("cut",)]
    assert spool.counts("check")[6] != ()
