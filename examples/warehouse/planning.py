"""Where boxes go."""

from .models import Shelf


def best_fit(shelves: list[Shelf], count: int) -> Shelf | None:
    """Return the shelf that is fullest after taking so many boxes; nothing where none has room."""
    fitting = [shelf for shelf in shelves if shelf.free() >= count]
    return min(fitting, key=lambda shelf: (shelf.free(), shelf.number), default=None)


def store(shelf: "Shelf", count: int) -> str:
    """Put boxes on a shelf and say so, as in '#007: 3 of 5'."""
    shelf.put(count)
    return f"{shelf.label()}: {shelf.boxes} of {shelf.room}"
