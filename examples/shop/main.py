"""An afternoon in the shop: `python main.py`."""

import asyncio
import random
from datetime import date
from decimal import Decimal

from shop.cart import Cart, Item
from shop.mailer import Smtp
from shop.orders import Order, cheapest, number_for
from shop.payment import Gateway, PaymentDeclined
from shop.registration import Database, RegistrationService
from shop.reports import Report
from shop.stock import OutOfStock, Stock

LAMP = Item("lamp", Decimal("100.00"))
MUG = Item("mug", Decimal("7.50"), 2)
CHAIR = Item("chair", Decimal("59.90"))


class Paper:
    """A mail connection that prints."""

    def send_message(self, message):
        print(f"mail to {message['To']}: {message['Subject']}")

    def quit(self):
        pass


def bank(path, fields):
    """A payment gateway that knows one bad card."""
    if fields.get("card") == "expired":
        return {"status": "no", "reason": "card expired"}
    return {"status": "ok"}


def main() -> None:
    stock = Stock.from_rows(["lamp,5", "mug,4", "chair,1"])
    gateway = Gateway(bank, random.Random(7))
    customers = RegistrationService(Database(), Smtp("localhost", Paper))
    customers.register("Ada@Example.org", "Ada", "correct horse")

    wishes = [
        ("FR", Cart([MUG]), "visa"),
        ("DE", Cart([LAMP, MUG], "TEN"), "visa"),
        ("IT", Cart([CHAIR, MUG]), "expired"),
        ("FR", Cart([CHAIR], "HALF"), "visa"),
    ]
    orders = []
    for sequence, (country, cart, card) in enumerate(wishes, start=1):
        order = Order(number_for(sequence, date(2026, 5, 4)), cart, country)
        orders.append(order)
        print(*order.lines(), sep="\n")
        try:
            print("paid", order.place(gateway, stock, card))
        except (PaymentDeclined, OutOfStock) as error:
            print("not sold:", error)

    print("cheapest for a lamp and a mug:", *asyncio.run(cheapest(Cart([LAMP, MUG]), ["IT", "FR"])))
    orders[0].cancel(gateway, stock)
    print("running low:", ", ".join(map(Stock.sku, stock.low)))
    print(Report(orders).render())


if __name__ == "__main__":
    main()
