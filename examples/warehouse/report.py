"""What is told about the warehouse."""

from warehouse import models
from warehouse.planning import best_fit as find


def usage(shelves: "list[models.Shelf]") -> float:
    """Return which share of the room is used, from 0 to 1; 0 without shelves."""
    room = sum(shelf.room for shelf in shelves)
    return sum(shelf.boxes for shelf in shelves) / room if room else 0.0


def advice(shelf: models.Shelf, others: list[models.Shelf], *, boxes: int) -> str:
    """Say where boxes should go: to the shelf, to another one, or nowhere."""
    if shelf.free() >= boxes:
        return shelf.label()
    other = find(others, boxes)
    return other.label() if other else "nowhere"
