"""What the warehouse talks about."""

from __future__ import annotations

from dataclasses import dataclass


class Entity:
    """Something with a number."""

    number: int

    def label(self, prefix: str = "#") -> str:
        """Return the number with a prefix, at least three digits long."""
        return f"{prefix}{self.number:03d}"


@dataclass
class Shelf(Entity):
    """A place for a limited number of boxes."""

    number: int
    room: int
    boxes: int = 0

    def free(self) -> int:
        """Return how many boxes still fit."""
        return self.room - self.boxes

    def put(self, count: int) -> Shelf:
        """Put boxes on the shelf.

        Raises:
            ValueError: if they do not fit.
        """
        if count > self.free():
            raise ValueError(f"{self.label()} has room for {self.free()}")
        self.boxes += count
        return self
