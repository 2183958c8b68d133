import pytest

from warehouse.models import Shelf


def test_entity_label_number_2():
    """Recorded from report.py:18 (1 call)."""
    entity = Shelf(number=2, room=5, boxes=1)
    assert entity.label() == "#002"


def test_entity_label_number_7():
    """Recorded from planning.py:15 (1 call)."""
    entity = Shelf(number=7, room=5, boxes=3)
    assert entity.label() == "#007"


def test_entity_label_number_8():
    """Recorded from models.py:37 (1 call)."""
    entity = Shelf(number=8, room=1)
    assert entity.label() == "#008"


def test_shelf_free_number_2():
    """Recorded from planning.py:8 (6 calls)."""
    shelf = Shelf(number=2, room=5, boxes=1)
    assert shelf.free() == 4


def test_shelf_free_number_8():
    """Recorded from models.py:36 (2 calls)."""
    shelf = Shelf(number=8, room=1)
    assert shelf.free() == 1


def test_shelf_free_returns_0():
    """Recorded from planning.py:8 (5 calls)."""
    shelf = Shelf(number=3, room=2, boxes=2)
    assert shelf.free() == 0


def test_shelf_put_number_7():
    """Recorded from planning.py:14 (1 call)."""
    shelf = Shelf(number=7, room=5, boxes=1)
    assert shelf.put(2) is shelf
    assert shelf.boxes == 3


def test_shelf_put_raises_value_error():
    """Recorded from planning.py:14 (1 call)."""
    shelf = Shelf(number=8, room=1)
    with pytest.raises(ValueError, match="#008 has room for 1"):
        shelf.put(2)
