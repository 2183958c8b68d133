"""What was sold."""

from collections import Counter
from collections.abc import Iterable
from decimal import Decimal

from shop.orders import Order, OrderStatus


class Report:
    """Figures over some orders; only paid ones count."""

    def __init__(self, orders: Iterable[Order]) -> None:
        self.orders = [order for order in orders if order.status is OrderStatus.PAID]

    def rows(self) -> list[tuple[str, int]]:
        """Pieces by article, most sold first."""
        pieces: Counter[str] = Counter()
        for order in self.orders:
            for item in order.cart.items.values():
                pieces[item.name] += item.pieces
        return sorted(pieces.items(), key=lambda row: (-row[1], row[0]))

    def revenue(self) -> Decimal:
        """All money taken."""
        return sum((order.receipt.amount for order in self.orders if order.receipt), Decimal("0"))

    def render(self, width: int = 20) -> str:
        """The report as a table."""
        lines = [f"{name:<{width}}{pieces:>4}" for name, pieces in self.rows()]
        return "\n".join([*lines, f"{'revenue':<{width}}{self.revenue()}"])

    def to_csv(self, separator: str = ",") -> str:
        """The report for a spreadsheet."""
        return "".join(f"{name}{separator}{pieces}\n" for name, pieces in self.rows())
