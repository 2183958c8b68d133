"""What is on the shelves."""

from collections.abc import Iterable


class OutOfStock(Exception):
    """More was asked for than is there."""

    def __init__(self, name: str, missing: int) -> None:
        super().__init__(f"{name}: {missing} missing")
        self.name = name
        self.missing = missing


class Stock:
    """Pieces by article."""

    LOW = 3

    def __init__(self, pieces: dict[str, int] | None = None) -> None:
        self.pieces = dict(pieces or {})

    @classmethod
    def from_rows(cls, rows: Iterable[str]) -> "Stock":
        """Read `name,pieces` lines; the same name twice adds up."""
        stock = cls()
        for row in rows:
            name, _, pieces = row.partition(",")
            stock.fill(name.strip(), int(pieces))
        return stock

    @staticmethod
    def sku(name: str) -> str:
        """Article number of a name."""
        return name.strip().upper().replace(" ", "-")

    @property
    def low(self) -> list[str]:
        """Names of the articles that run out, in order."""
        return sorted(name for name, pieces in self.pieces.items() if pieces < self.LOW)

    def fill(self, name: str, pieces: int) -> int:
        """Put pieces on the shelf and say how many are there now."""
        self.pieces[name] = self.pieces.get(name, 0) + pieces
        return self.pieces[name]

    def reserve(self, name: str, pieces: int = 1) -> int:
        """Take pieces off the shelf and say how many are left."""
        left = self.pieces.get(name, 0) - pieces
        if left < 0:
            raise OutOfStock(name, -left)
        self.pieces[name] = left
        return left
