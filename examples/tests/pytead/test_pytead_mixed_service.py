import pytest

from mixed_service import Audited, refill, register, slug
from tour import is_word


def test_audited_init():
    """Recorded from tour.py:110 (1 call)."""
    audited = Audited({"pen": 3, "ink": 12})
    assert audited.counts == {"pen": 3, "ink": 12}
    assert audited.taken == []


def test_audited_take():
    """Recorded from tour.py:112 (1 call)."""
    audited = Audited(counts={"pen": 10, "ink": 12})
    audited.take("pen", 2)
    assert audited.counts == {"pen": 8, "ink": 12}
    assert audited.taken == ["pen"]


def test_refill_returns_0():
    """Recorded from tour.py:109 (1 call)."""
    assert refill(None, ["pen"]) == 0


def test_refill_returns_7():
    """Recorded from tour.py:111 (1 call)."""
    stock = Audited(counts={"pen": 3, "ink": 12})
    assert refill(stock, ["pen", "ink"]) == 7
    assert stock.counts == {"pen": 10, "ink": 12}


def test_register_ada():
    """Recorded from tour.py:106 (1 call)."""
    assert register("ada", is_word, str.upper) == {"name": "ada", "key": "ADA"}


def test_register_raises_value_error():
    """Recorded from tour.py:108 (1 call)."""
    with pytest.raises(ValueError, match="'a b' is no valid name"):
        register("a b", is_word, str.upper)


def test_slug_a_b():
    """Recorded from tour.py:105 (1 call)."""
    assert slug("a b", "_") == "a_b"


def test_slug_hello_world_2():
    """Recorded from tour.py:104 (1 call)."""
    assert slug("Hello, World! 2") == "hello-world-2"
