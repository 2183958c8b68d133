"""Values that are too large to be told are compared by a hash of all of them."""

import array
import collections

import pytest
import shapes

from pytead_tui.recorder import changes, values
from pytead_tui.recorder.objects import Objects
from pytead_tui.worker import whole_values
from pytead_tui.worker.capture import tree_of

LAST = 5_000
SMALL = values.Limits(60, 1000, 100, 10, 60)


def items(last):
    return [*range(LAST), last]


LARGE = {
    "list": items,
    "tuple": lambda last: tuple(items(last)),
    "dict": lambda last: dict(enumerate(items(last))),
    "set": lambda last: {str(item) for item in items(last)},
    "deque": lambda last: collections.deque(items(last)),
    "array": lambda last: array.array("l", items(last)),
    "list of dicts": lambda last: [{"a": number, "b": str(number)} for number in items(last)],
    "objects": lambda last: [shapes.Item(str(number)) for number in items(last)],
    "text": lambda last: "x" * 2_000_000 + str(last),
    "number": lambda last: 10**6_000 + last,
}


@pytest.mark.parametrize("path", ['File "/srv/shop.py"', "File &quot;/srv/shop.py&quot;"])
def test_the_number_of_a_line_in_a_large_traceback_does_not_count(path):
    def text(line, name="total"):
        return "x" * 10_000 + f" {path}, line {line}, in {name}\n" + "x" * 10_000

    assert tree_of(text(81)) == tree_of(text(82)) != tree_of(text(82, "other"))
    assert whole_values.digest(text(81)) == whole_values.digest(text(82)) != whole_values.digest(text(82, "other"))


def test_a_number_of_a_line_elsewhere_counts():
    around = "x" * 10_000 + "menu, line %d, in total" + "x" * 10_000
    assert tree_of(around % 81) != tree_of(around % 82)


@pytest.mark.parametrize("kind", LARGE)
def test_of_a_large_value_also_the_last_part_counts(kind):
    make = LARGE[kind]
    assert tree_of(make(-1)) == tree_of(make(-1)) != tree_of(make(-2))


def test_a_deep_value_counts_to_its_ground():
    def deep(ground):
        for _ in range(80):
            ground = [ground]
        return ground

    assert tree_of(deep(1)) == tree_of(deep(1)) != tree_of(deep(2))


def test_arrays_and_frames_count_as_a_whole():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")

    def numbers(last):
        made = numpy.arange(100_000) ** 2
        made[-1] = last
        return made

    def frame(last):
        return pandas.DataFrame({"a": numbers(last), "b": [str(n) for n in range(100_000)]})

    def mixed(last):
        return numpy.array([*map(str, range(5_000)), last], dtype=object)

    for make in (numbers, frame, mixed, lambda last: frame(1).rename(index={99_999: last}), lambda last: frame(last)["a"]):
        assert tree_of(make(3)) == tree_of(make(3)) != tree_of(make(4))


def test_a_recording_does_not_wait_for_it(monkeypatch):
    monkeypatch.setattr(values, "whole", [])
    assert tree_of(items(1)) == tree_of(items(2))


def test_objects_that_hold_one_another_are_not_walked_for_each_of_them(monkeypatch):
    class Node:
        def __init__(self):
            self.others = []

    nodes = [Node() for _ in range(3_000)]
    for node in nodes:
        node.others = nodes[:5]
        node.all = nodes
    walked = []
    real = values.capture
    monkeypatch.setattr(values, "capture", lambda objects, *rest: (real(objects, *rest), walked.append(objects.walked))[0])
    monkeypatch.setattr(whole_values, "digest", whole_values._Digest())
    monkeypatch.setattr(values, "whole", [whole_values.digest])
    for _ in range(20):
        tree_of(nodes[0])
    assert sum(walked) < whole_values._OF_PROCESS + 20 * 3_000 + whole_values._OF_ONE


def test_what_there_was_no_time_to_hash_once_more_did_not_change(monkeypatch):
    class Node:
        def __init__(self, number):
            self.number = number
            self.names = {str(item): Node(item) for item in range(300)} if number < 0 else {}

    def changed(left, change):
        node = Node(-1)
        objects = Objects()
        digest = whole_values._Digest()
        monkeypatch.setattr(whole_values, "digest", digest)
        monkeypatch.setattr(values, "whole", [digest])
        trees, walk = values.capture(objects, SMALL, (node,))
        watched = changes.watch((node,), trees, walk)
        assert watched
        digest.of_process = left
        change(node)
        return bool(changes.changed(watched, objects, SMALL, (), None)[0])

    whole = whole_values._OF_PROCESS
    assert not changed(whole, lambda node: None) and changed(whole, lambda node: node.names["299"].names.update(a=1))
    assert not changed(0, lambda node: None) and changed(0, lambda node: node.names.pop("299"))


def test_of_secrets_in_a_large_value_only_which_are_equal_counts():
    def settings(*secrets):
        held = [{"password": secret, "at": shapes.Item(str(at))} for at, secret in enumerate(secrets)]
        return [*held, [shapes.Item("")] * LAST]

    before = whole_values.digest(settings("correct-horse-1", "correct-horse-2", "correct-horse-1"))
    assert whole_values.digest(settings("battery-staple-1", "battery-staple-2", "battery-staple-1")) == before
    assert whole_values.digest(settings("battery-staple-3", "battery-staple-4", "battery-staple-4")) != before
