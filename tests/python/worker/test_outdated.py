"""A call whose objects lack what today's constructor sets says nothing; any other missing attribute is a result."""

import dataclasses

import pytest

from pytead_tui.worker import outdated
from pytead_tui.worker.lookup import Broken


class Cart:
    def __init__(self):
        self._count = 0

    def add(self):
        self._count += 1

    def misspelt(self):
        return self._coutn


class Hasty:
    def __init__(self):
        self.start()
        self.ready = True

    def start(self):
        return self.ready


@dataclasses.dataclass
class Item:
    price: int


def failure(run):
    with pytest.raises(AttributeError) as caught:
        run()
    return caught.value


def test_an_attribute_that_only_todays_constructor_sets_is_missing_because_of_the_recording():
    for made, run in ((object.__new__(Cart), Cart.add), (object.__new__(Item), lambda item: item.price)):
        with pytest.raises(Broken) as told:
            outdated.check(failure(lambda made=made, run=run: run(made)))
        assert told.value.code == "class-changed"


def test_a_mistake_stays_a_result():
    outdated.check(failure(Cart().misspelt))
    outdated.check(failure(Hasty))
    outdated.check(failure(lambda: (1).missing))
    outdated.check(ValueError("no"))
