"""Values that are too large to be told are compared by a hash of all of them."""

import array
import collections

import pytest
import shapes

from pytead_tui.recorder import values
from pytead_tui.worker import whole_values
from pytead_tui.worker.capture import tree_of

LAST = 5_000


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
