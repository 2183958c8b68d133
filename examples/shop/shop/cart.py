"""The cart and its items."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from shop.pricing import apply_discount, shipping_for


@dataclass(frozen=True)
class Item:
    """Some pieces of one article."""

    name: str
    price: Decimal
    pieces: int = 1

    @property
    def amount(self) -> Decimal:
        """Price of all pieces."""
        return self.price * self.pieces


class Cart:
    """Items by name, and perhaps a discount code."""

    def __init__(self, items: Iterable[Item] = (), code: str | None = None) -> None:
        self.items: dict[str, Item] = {}
        self.code = code
        for item in items:
            self.add(item)

    def add(self, item: Item) -> None:
        """Put an item in; more of the same adds to its pieces."""
        old = self.items.get(item.name)
        if old is not None:
            item = Item(item.name, item.price, old.pieces + item.pieces)
        self.items[item.name] = item

    def remove(self, name: str) -> Item | None:
        """Take an item out; one that is not there is no error."""
        return self.items.pop(name, None)

    def is_empty(self) -> bool:
        """Whether nothing is in it."""
        return not self.items

    def total(self, country: str) -> Decimal:
        """What the customer pays: items, discount, shipping."""
        amount = sum((item.amount for item in self.items.values()), Decimal("0"))
        price = apply_discount(amount, self.code)
        return price + shipping_for(price, country)
