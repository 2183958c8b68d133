"""From a full cart to a paid order."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum

from shop.cart import Cart
from shop.payment import Gateway, PaymentDeclined, Receipt
from shop.pricing import tax_for
from shop.stock import OutOfStock, Stock


class OrderStatus(Enum):
    """Where an order stands."""

    NEW = "new"
    PAID = "paid"
    CANCELLED = "cancelled"


class OrderError(Exception):
    """A step that the order's state does not allow."""


def number_for(sequence: int, day: date | None = None) -> str:
    """Order number: the year and a running number; today's year when no day is given."""
    day = day or date.today()
    return f"{day.year}-{sequence:04}"


@dataclass
class Order:
    """A cart that somebody wants to have."""

    number: str
    cart: Cart
    country: str
    status: OrderStatus = OrderStatus.NEW
    receipt: Receipt | None = None

    def lines(self) -> Iterator[str]:
        """The order as text, line by line."""
        yield f"Order {self.number}"
        for item in self.cart.items.values():
            yield f"{item.pieces} x {item.name:<12} {item.amount:>8}"
        total = self.cart.total(self.country)
        yield f"Total {total}, VAT {tax_for(total, self.country)}"

    def place(self, gateway: Gateway, stock: Stock, card: str) -> Decimal:
        """Reserve the goods, take the money, and say how much it was; all or nothing."""
        if self.status is not OrderStatus.NEW:
            raise OrderError(f"{self.number} is {self.status.value}")
        if self.cart.is_empty():
            raise OrderError(f"{self.number} has no items")
        taken = []
        try:
            for item in self.cart.items.values():
                stock.reserve(item.name, item.pieces)
                taken.append(item)
            self.receipt = gateway.charge(self.cart.total(self.country), card)
        except (OutOfStock, PaymentDeclined):
            for item in taken:
                stock.fill(item.name, item.pieces)
            raise
        self.status = OrderStatus.PAID
        return self.receipt.amount

    def cancel(self, gateway: Gateway, stock: Stock) -> None:
        """Undo an order: goods and money go back."""
        if self.status is OrderStatus.CANCELLED:
            raise OrderError(f"{self.number} is cancelled")
        if self.receipt is not None:
            gateway.refund(self.receipt)
            for item in self.cart.items.values():
                stock.fill(item.name, item.pieces)
        self.status = OrderStatus.CANCELLED


async def quote(cart: Cart, country: str) -> Decimal:
    """The total for one country, as a slow service would answer."""
    await asyncio.sleep(0)
    return cart.total(country)


async def cheapest(cart: Cart, countries: Iterable[str]) -> tuple[str, Decimal]:
    """The country with the lowest total, the first one of several."""
    names = list(countries)
    totals = await asyncio.gather(*(quote(cart, name) for name in names))
    return min(zip(names, totals), key=lambda pair: pair[1])
