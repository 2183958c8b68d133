"""Looks at calls closely: which ways they take, and which faults in their function they notice."""

import base64
import marshal

import pytest
from test_shop_replayed import Worker

from pytead_tui.worker import closely, mutants

SOURCE = """\
import threading


def grade(points, bonus=0):
    total = points + bonus
    if total >= 50:
        return "pass"
    return "fail"


def forever(count):
    while count > 0:
        count = count - 1
    return count


def weigh(n):
    return n * 3 + 1


def is_heavy(n):
    return weigh(n) > 10


def charged(n):
    def fee(amount):
        return amount * 2 + 1

    return n + fee(n)


SEEN = []


def ratio(total, parts):
    return total / parts


def remember(item):
    SEEN.append(item)
    return len(SEEN) + 1


KEPT = {}


def doubled(n):
    if n in KEPT:
        return KEPT[n] + 0
    KEPT[n] = 2 * n
    return KEPT[n]


def in_thread(n):
    found = []

    def work():
        if n > 2:
            found.append(n * 3)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found


def shared_out(total, heads):
    if heads == 0:
        raise ValueError(
            "nobody"
            + str(total * 7)
        )
    return total / heads
"""


@pytest.fixture
def looked(tmp_path):
    """Gives what calls of a function, each with these arguments, were seen to reach and to notice."""
    project, scratch = tmp_path / "project", tmp_path / "scratch"
    project.mkdir()
    scratch.mkdir()
    (project / "m.py").write_text(SOURCE)
    worker = Worker(scratch)
    worker.ask(op="hello")

    def look(name: str, *calls: list, faults: bool = True, also: "str | None" = None) -> list:
        asked = [
            {
                "key": key, "module": "m", "path": "m.py", "qualname": name, "wait_ms": 2000, "closely": True,
                "faults": faults, "also": [{"module": "m", "path": "m.py", "qualname": also}] if also else [],
                "args": base64.b64encode(marshal.dumps(tuple(args), 2)).decode(),
            }
            for key, args in enumerate(calls)
        ]  # fmt: skip
        place = {"root": str(project), "paths": [str(project)]}
        replies = worker.ask(op="replay", track=False, calls=asked, **place)
        found = [reply for reply in replies if "key" in reply]
        silent[:] = [reply.get("silent") for reply in found]
        noticed[:] = [reply.get("noticed") for reply in found]
        return [set(reply["arcs"]) for reply in found]

    silent: list = []
    noticed: list = []
    look.silent, look.noticed = silent, noticed
    yield look
    worker.close()


def points(number: int, bonus: int = 0) -> list:
    return [("points", 1, number), ("bonus", 1, bonus)]


def test_a_call_at_the_edge_notices_faults_that_others_of_the_same_way_do_not(looked):
    far, edge, low = looked("grade", points(90), points(50), points(10))
    assert edge > far, "the same way, and `>=` turned to `>`"
    plain = looked("grade", points(90), points(50), faults=False)
    assert plain[0] == plain[1], "the ways are the same"
    assert low - edge and edge - low
    assert looked("grade", points(90), points(50), points(10)) == [far, edge, low], "the same numbers each time"


def test_what_a_call_does_not_notice_is_told_for_each_that_it_was_tried_with(looked):
    looked("grade", points(90), points(50), points(51))
    far, edge, near = map(set, looked.silent)
    assert edge < far == near, "`>=` turned to `>` shows at the edge alone"
    assert far & edge & near, "that a bonus of 1 was the default shows nowhere, for all of them give one"
    looked("grade", points(90), faults=False)
    assert looked.silent == [None]
    looked("remember", [("item", 1, "a")])
    assert looked.silent == [None], "nobody knows"


def test_what_a_test_would_compare_as_equal_is_no_difference(looked):
    by_one, by_two = looked("ratio", *([("total", 1, 8), ("parts", 1, parts)] for parts in (1, 2)))
    assert by_one < by_two, "8 * 1 is 8, and equals 8.0"


def labels(tmp_path, name: str) -> list:
    """Lists the faults of a function, by the numbers that a reply gives them."""
    space: dict = {"__name__": "m"}
    file = tmp_path / "project" / "m.py"
    exec(compile(file.read_text(), str(file), "exec"), space)
    return [fault.label for fault in mutants.of(space[name], closely.FAULTS)]


def test_a_fault_in_what_a_call_does_not_come_to_is_not_noticed_by_it(looked, tmp_path):
    looked("shared_out", [("total", 1, 8), ("heads", 1, 2)], [("total", 1, 8), ("heads", 1, 0)])
    shares, refuses = ([labels(tmp_path, "shared_out")[at] for at in silent] for silent in looked.silent)
    assert {"7 → 8", "* → //"} <= set(shares)
    assert "/ → *" in refuses and "/ → *" not in shares
    assert not {"7 → 8", "* → //"} & set(refuses), "its own message is another one then"


def test_a_fault_where_a_call_comes_to_once_something_is_kept_is_noticed(looked, tmp_path):
    looked("doubled", [("n", 1, 4)])
    assert looked.silent != [None]
    assert "0 → 1" not in [labels(tmp_path, "doubled")[at] for at in looked.silent[0]]


def test_what_runs_in_another_thread_is_not_taken_for_out_of_reach(looked, tmp_path):
    looked("in_thread", [("n", 1, 4)])
    silent = [labels(tmp_path, "in_thread")[at] for at in looked.silent[0]]
    assert "3 → 4" not in silent and "a condition is the other way round" not in silent


def test_a_loop_that_runs_again_shows_more_than_one_that_runs_once(looked):
    once, twice, more = looked("forever", *([("count", 1, count)] for count in (1, 2, 7)), faults=False)
    assert once < twice == more


def test_a_fault_that_four_calls_noticed_is_not_tried_with_more(looked):
    (ways,) = looked("grade", points(90), faults=False)
    *four, fifth, edge = looked("grade", *(points(90 + more) for more in range(5)), points(50))
    assert all(one == four[0] > ways for one in four)
    assert fifth == ways
    assert edge > ways, "what none of them noticed is still tried"


def test_faults_without_an_end_are_noticed_and_cost_no_other(looked):
    (ways,) = looked("forever", [("count", 1, 3)], faults=False)
    (found,) = looked("forever", [("count", 1, 3)])
    assert len(found - ways) > 2


def test_where_faults_leave_something_behind_none_counts(looked):
    ways = looked("remember", [("item", 1, "a")], faults=False)
    assert looked("remember", [("item", 1, "a")]) == ways


def test_a_caller_notices_some_of_the_faults_in_what_it_runs(looked):
    """R22: a test of the caller shows less than one of the function itself."""
    (own,) = looked("weigh", [("n", 1, 20)])
    (ways,) = looked("is_heavy", [("n", 1, 20)], faults=False)
    (seen,) = looked("is_heavy", [("n", 1, 20)], faults=False, also="weigh")
    assert ways < seen, "that it returns nothing is noticed"
    assert own - seen, "that it weighs one more is not"
    ((found,),) = looked.noticed
    assert set(found) == seen - ways, "apart from the ways"
    assert looked("is_heavy", [("n", 1, 20)], faults=False, also="gone") == [ways]
    assert looked.noticed == [[None]], "none was tried"


def test_a_caller_notices_faults_in_a_function_that_another_one_defines(looked):
    looked("charged", [("n", 1, 20)], faults=False, also="charged.<locals>.fee")
    ((fee,),) = looked.noticed
    assert fee, "its code is a part of the one that makes it"
    looked("charged", [("n", 1, 20)], faults=False)
    assert looked.noticed == [None], "nothing was asked"
