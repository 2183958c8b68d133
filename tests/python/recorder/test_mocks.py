"""Mocks are recorded by their configuration and their calls; no method of a mock is called."""

import pytest

MOCKS = """
from unittest.mock import AsyncMock, MagicMock, Mock, NonCallableMock, create_autospec, seal

class Client:
    def get(self, url):
        return url

class Own(Mock):
    pass

def use(client):
    return client.get("/", timeout=3)

def keep(client):
    return None
"""


def _told(value):
    tag, kind, _, module, name, made, fields = value
    assert (kind, module) == ("sub", "unittest.mock") and made[:4] == (StopIteration, "new", "unittest.mock", name)
    return name, made[5], fields


@pytest.mark.parametrize(
    ("made", "name", "told"),
    [
        ("Mock()", "Mock", {}),
        ("MagicMock(return_value=[1])", "MagicMock", {"return_value": [1]}),
        ("Mock(spec=['get', 'post'])", "Mock", {"spec": ["get", "post"]}),
        ("Mock(name='client', size=3)", "Mock", {"name": "client", "size": 3}),
        ("Mock(**{'get.return_value.json.return_value': {'n': 1}})", "Mock", {"get.return_value.json.return_value": {"n": 1}}),
        ("Mock(**{'get.side_effect': KeyError})", "Mock", {"get.side_effect": (StopIteration, "name", "builtins", "KeyError")}),
        ("AsyncMock(return_value=2)", "AsyncMock", {"return_value": 2}),
        ("NonCallableMock(rate=0.5)", "NonCallableMock", {"rate": 0.5}),
        ("Mock(spec=Client)", "Mock", {"spec": (StopIteration, "name", "app", "Client")}),
    ],
)
def test_a_mock_is_told_by_what_it_was_told(program, made, name, told):
    spool = program.main(MOCKS + f"\ndef main():\n    keep({made})\n")
    call, _ = spool.one("keep")
    assert _told(call.args[0]) == (name, told, {})


def test_calls_are_told_as_tests_write_them(program):
    spool = program.main(MOCKS + "\ndef main():\n    use(Mock(**{'get.return_value': 5}))\n")
    call, end = spool.one("use")
    assert _told(call.args[0]) == ("Mock", {"get.return_value": 5}, {}) and end.value == 5
    calls = _told(end.changed["client"])[2]["mock_calls"]
    assert calls == [(StopIteration, "new", "unittest.mock", "call.get", ("/",), {"timeout": 3})]


@pytest.mark.parametrize(
    "made",
    ["Mock(wraps=Client())", "create_autospec(Client)", "Own()", "Mock().child", "Mock(**{'get.side_effect': [1, 2]})"],
)
def test_a_mock_that_is_more_than_its_state_says_has_no_form(program, made):
    spool = program.main(MOCKS + f"\ndef main():\n    keep({made})\n")
    call, _ = spool.one("keep")
    if made.endswith("[1, 2]})"):
        # What is left of an iterator is not known without asking it.
        assert call.args[0][1] == "opaque" or call.args[0][5][5]["get.side_effect"][1] in ("opaque", "new")
    else:
        assert call.args[0][1] == "opaque"


def test_nothing_of_a_mock_is_called(program):
    spool = program.main(MOCKS + """
def main():
    client = Mock()
    keep(client)
    assert client.mock_calls == [] and client._mock_children == {}, client._mock_children
    print("untouched")
""")
    assert spool.process.stdout == "untouched\n"
