"""Orders: a service whose parts are given to it, so that each can be replaced."""

from dataclasses import dataclass, field


class OutOfStock(Exception):
    """There is not enough of an article."""


@dataclass
class Order:
    """What a customer wants, and how far it got."""

    customer: str
    lines: list[tuple[str, int]] = field(default_factory=list)
    state: str = "new"

    def pieces(self) -> int:
        """Return how many pieces are ordered."""
        return sum(count for _, count in self.lines)


class Stock:
    """What lies on the shelves."""

    def __init__(self, counts: dict[str, int]) -> None:
        self.counts = dict(counts)

    def available(self, article: str) -> int:
        """Return how many pieces of an article are there."""
        return self.counts.get(article, 0)

    def take(self, article: str, count: int) -> None:
        """Take pieces off the shelf.

        Raises:
            OutOfStock: if there are fewer.
        """
        if self.available(article) < count:
            raise OutOfStock(article)
        self.counts[article] -= count


class Mailer:
    """Writes to customers."""

    def send(self, to: str, subject: str) -> None:
        """Send a message."""
        raise NotImplementedError("examples send no mail")


class OrderService:
    """Takes orders in."""

    def __init__(self, stock: Stock, mailer: Mailer) -> None:
        self.stock = stock
        self.mailer = mailer

    def place(self, order: Order) -> Order:
        """Take everything an order wants off the shelf, then tell the customer.

        Raises:
            ValueError: if the order is empty.
            OutOfStock: if an article is missing; nothing is taken then.
        """
        if not order.lines:
            raise ValueError("an order needs at least one line")
        for article, count in order.lines:
            if self.stock.available(article) < count:
                raise OutOfStock(article)
        for article, count in order.lines:
            self.stock.take(article, count)
        order.state = "placed"
        self.mailer.send(order.customer, f"Your order of {order.pieces()} pieces")
        return order


def restock(stock: Stock, delivery: dict[str, int]) -> int:
    """Add a delivery to the stock and return the number of new pieces."""
    for article, count in delivery.items():
        stock.counts[article] = stock.available(article) + count
    return sum(delivery.values())
