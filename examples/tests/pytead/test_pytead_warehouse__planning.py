import pytest

from warehouse.models import Shelf
from warehouse.planning import best_fit, store


def test_best_fit_count_20():
    """Recorded from report.py:17 (1 call)."""
    result = best_fit(
        [
            Shelf(number=1, room=10, boxes=4),
            Shelf(number=2, room=5, boxes=1),
            Shelf(number=3, room=2, boxes=2),
        ],
        20,
    )
    assert result is None


def test_best_fit_count_3():
    """Recorded from tour.py:120 (1 call)."""
    shelf = Shelf(number=2, room=5, boxes=1)
    result = best_fit(
        [Shelf(number=1, room=10, boxes=4), shelf, Shelf(number=3, room=2, boxes=2)], 3
    )
    assert result is shelf


def test_best_fit_count_9():
    """Recorded from tour.py:121 (1 call)."""
    result = best_fit(
        [
            Shelf(number=1, room=10, boxes=4),
            Shelf(number=2, room=5, boxes=1),
            Shelf(number=3, room=2, boxes=2),
        ],
        9,
    )
    assert result is None


def test_store_raises_value_error():
    """Recorded from tour.py:127 (1 call)."""
    with pytest.raises(ValueError, match="#008 has room for 1"):
        store(Shelf(number=8, room=1), 2)


def test_store_returns_007_3_of_5():
    """Recorded from tour.py:125 (1 call)."""
    shelf = Shelf(number=7, room=5, boxes=1)
    assert store(shelf, 2) == "#007: 3 of 5"
    assert shelf.boxes == 3
