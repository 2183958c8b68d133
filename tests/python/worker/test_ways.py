"""Arguments that make an object, found in what it says of itself."""

from pytead_tui.worker import ways
from pytead_tui.worker.capture import tree_of


class Length:
    def __init__(self, text, unit="m"):
        self._metres = float(text.removesuffix("m"))

    def __str__(self):
        return f"{self._metres}m"


class Told(Length):
    def __repr__(self):
        return f"<Told({self._metres}, unit='cm')>"

    def __init__(self, metres, unit="m"):
        self._metres, self.unit = metres, unit


class Loud(Length):
    def __str__(self):
        raise RuntimeError("not now")

    def __repr__(self):
        return "Loud(" * 200


class Silent:
    pass


def arguments(value):
    return [(args, named) for args, named, _ in ways.of(value)]


def test_a_text_is_the_only_argument():
    found = ways.of(Length("2.5"))
    assert [(args, named) for args, named, _ in found] == [(("2.5m",), {})]
    assert found[0][2][5:] == tree_of(Length("2.5"))[5:]


def test_a_repr_is_read_as_the_call_it_shows():
    assert arguments(Told(2.5, "cm"))[0] == ((2.5,), {"unit": "cm"})


def test_what_says_nothing_or_cannot_has_no_way():
    assert arguments(Silent()) == arguments(Loud("1")) == []


def test_only_literals_and_calls_of_the_class_are_read():
    for text in ("Length(open('x'))", "Other('1')", "Length('1'", "Length(*a)", "1 + 1", "Length(" * 300):
        assert ways._called(text, "Length") == []
    assert ways._called("pkg.Length('1', unit=None)", "Length") == [(("1",), {"unit": None})]
