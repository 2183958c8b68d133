"""Items of what a call returned are read after its own effects, and only where nobody can see it."""

import itertools

import pytest

from pytead_tui.recorder.values import TAG
from pytead_tui.worker import reading
from pytead_tui.worker.capture import Eyes


def read(value, given=()):
    """Reads what a call gave that was given these arguments."""
    eyes = Eyes([f"a{at}" for at in range(len(given))], list(given), {})
    tree, _ = eyes.end(value)
    found = reading.wanted(value, tree, list(given))
    return reading.read(found, eyes) if found else None


class Own:
    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise StopIteration
        return self.left


def failing():
    yield 1
    raise ValueError("no")


async def later(items):
    for item in items:
        yield item


async def given(item):
    if item is None:
        raise ValueError("no")
    return [item]


def test_what_is_awaited_is_read_too():
    assert read(given(1)) == {reading.KEY: (TAG, "new", "builtins", "await", ([1],), {})}
    assert read(later([1, 2])) == {reading.KEY: (TAG, "new", "builtins", "aiter", ([1, 2],), {})}
    failed = read(given(None))
    assert failed[reading.KEY] == [] and failed[reading.END][0][:2] == (TAG, "exc")
    begun = given(2)
    with pytest.raises(StopIteration):
        begun.send(None)
    assert read(begun) is None


@pytest.mark.parametrize(
    ("value", "items"),
    [
        (map(str, [1, 2]), ["1", "2"]),
        (zip([1], "a"), [(1, "a")]),
        (itertools.count(), list(range(reading.MOST))),
        ((x for x in [3]), [3]),
        ({"a": 1}.values(), [1]),
        (Own(), [1, 0]),
        ((map(str, [1]), filter(None, [0, 2])), [["1"], [2]]),
    ],
)
def test_items_are_read(value, items):
    assert read(value) == {reading.KEY: items}


def test_how_a_reading_ends_is_told():
    found = read(failing())
    assert found[reading.KEY] == [1] and found[reading.END][0][:2] == (TAG, "exc")


def test_what_is_there_already_is_not_read():
    for value in ([1], "ab", {"a": 1}, iter([1, 2]), range(3), None):
        assert read(value) is None
    given = map(str, [1])
    assert read(given, [given]) is None and next(given) == "1"


def test_a_reading_with_effects_says_so(tmp_path):
    items = [1]
    assert read((items.append(x) or x for x in [2]), [items]) == reading.unread("reading it changes an argument")

    def writes(path):
        path.write_text("x")
        return path

    found = read(map(writes, [tmp_path / "new"]))
    assert found == reading.unread("reading it has effects: write")
    assert not reading.is_read(found)
