"""R17: functions that left their process give again what they gave, in order, and ask nobody."""

import asyncio
import base64
import marshal
import types

import pytest

from pytead_tui.recorder.values import TAG
from pytead_tui.worker import stand_ins
from pytead_tui.worker.rebuild import Broken, Builder


class Client:
    def get(self, path):
        raise AssertionError("it asked")

    @classmethod
    def made(cls):
        raise AssertionError("it asked")


def fetch(name):
    raise AssertionError("it asked")


@pytest.fixture
def module(monkeypatch):
    """A module that other code reads, with the functions that ask."""
    made = types.ModuleType("asking")
    made.fetch, made.Client = fetch, type("Client", (Client,), dict(Client.__dict__))
    monkeypatch.setitem(__import__("sys").modules, "asking", made)
    return made


def put(qualname, *outcomes, awaited=False):
    texts = [base64.b64encode(marshal.dumps(outcome, 2)).decode() for outcome in outcomes]
    one = {"module": "asking", "qualname": qualname, "awaited": awaited, "outcomes": texts}
    stand_ins.put([one], Builder(), None)


def test_answers_come_in_order_and_no_more_than_were_recorded(module):
    put("fetch", ("R", [1], {}), ("X", (TAG, "exc", 1, "builtins", "ValueError", ("no",), {}), {}), ("R", None, {}))
    assert module.fetch("a") == [1]
    with pytest.raises(ValueError, match="no"):
        module.fetch("b")
    assert module.fetch("c") is None
    with pytest.raises(LookupError, match="fetch is asked more often than when it was recorded"):
        module.fetch("d")


def test_methods_are_given_no_receiver_and_coroutines_are_awaited(module):
    put("Client.get", ("R", 1, {}))
    put("Client.made", ("R", 2, {}))
    assert (module.Client().get("/"), module.Client.made()) == (1, 2)
    put("fetch", ("R", 3, {}), awaited=True)
    assert asyncio.run(module.fetch("a")) == 3


def test_what_is_gone_cannot_be_replaced(module):
    for name in ("gone", "Client.gone", "Gone.get"):
        with pytest.raises(Broken, match="any more"):
            put(name, ("R", 1, {}))
