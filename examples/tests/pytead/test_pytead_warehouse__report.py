import pytest

from warehouse.models import Shelf
from warehouse.report import advice, usage


def test_advice_boxes_20():
    """Recorded from tour.py:124 (1 call)."""
    shelf = Shelf(number=1, room=10, boxes=4)
    result = advice(
        shelf,
        [shelf, Shelf(number=2, room=5, boxes=1), Shelf(number=3, room=2, boxes=2)],
        boxes=20,
    )
    assert result == "nowhere"


def test_advice_number_3():
    """Recorded from tour.py:122 (1 call)."""
    shelf = Shelf(number=3, room=2, boxes=2)
    result = advice(
        shelf,
        [Shelf(number=1, room=10, boxes=4), Shelf(number=2, room=5, boxes=1), shelf],
        boxes=1,
    )
    assert result == "#002"


def test_advice_shelf_boxes_2():
    """Recorded from tour.py:123 (1 call)."""
    shelf = Shelf(number=1, room=10, boxes=4)
    result = advice(
        shelf,
        [shelf, Shelf(number=2, room=5, boxes=1), Shelf(number=3, room=2, boxes=2)],
        boxes=2,
    )
    assert result == "#001"


def test_usage_empty_shelves():
    """Recorded from tour.py:119 (1 call)."""
    assert usage([]) == 0.0


def test_usage_three_in_shelves():
    """Recorded from tour.py:118 (1 call)."""
    result = usage(
        [
            Shelf(number=1, room=10, boxes=4),
            Shelf(number=2, room=5, boxes=1),
            Shelf(number=3, room=2, boxes=2),
        ]
    )
    assert result == pytest.approx(0.4117647058823529, rel=1e-9, abs=0)
