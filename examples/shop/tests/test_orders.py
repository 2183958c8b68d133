import asyncio
import random
from datetime import date
from decimal import Decimal

import pytest

from shop.cart import Cart, Item
from shop.orders import Order, OrderError, OrderStatus, cheapest, number_for
from shop.payment import Gateway, PaymentDeclined, Status
from shop.stock import OutOfStock, Stock

MUG = Item("mug", Decimal("7.50"), 2)
SOFA = Item("sofa", Decimal("480.00"))


def gateway():
    return Gateway(lambda path, fields: {"status": "ok"}, random.Random(5))


def test_numbers_carry_the_year():
    assert number_for(7, date(2024, 2, 29)) == "2024-0007"
    assert number_for(12345, date(2024, 2, 29)) == "2024-12345"
    assert number_for(1) == f"{date.today().year}-0001"


def test_lines():
    order = Order("2026-0001", Cart([MUG, SOFA]), "FR")
    assert list(order.lines()) == [
        "Order 2026-0001",
        "2 x mug             15.00",
        "1 x sofa           480.00",
        "Total 495.00, VAT 99.00",
    ]


def test_the_first_line_can_be_read_alone():
    assert next(Order("2026-0002", Cart([MUG]), "XX").lines()) == "Order 2026-0002"


def test_place_takes_goods_and_money():
    stock = Stock({"mug": 3})
    order = Order("2026-0003", Cart([MUG]), "FR")
    assert order.place(gateway(), stock, "visa") == Decimal("19.90")
    assert order.status is OrderStatus.PAID
    assert stock.pieces == {"mug": 1}
    with pytest.raises(OrderError, match="2026-0003 is paid"):
        order.place(gateway(), stock, "visa")


def test_an_empty_order_is_refused():
    with pytest.raises(OrderError, match="2026-0004 has no items"):
        Order("2026-0004", Cart(), "FR").place(gateway(), Stock(), "visa")


def test_missing_goods_cost_nothing():
    stock = Stock({"mug": 3})
    order = Order("2026-0005", Cart([MUG, SOFA]), "FR")
    with pytest.raises(OutOfStock, match="sofa: 1 missing"):
        order.place(gateway(), stock, "visa")
    assert order.status is OrderStatus.NEW
    assert stock.pieces == {"mug": 3}


def test_a_declined_card_keeps_the_goods():
    stock = Stock({"mug": 3})
    order = Order("2026-0008", Cart([MUG]), "FR")
    with pytest.raises(PaymentDeclined, match="expired"):
        order.place(Gateway(lambda path, fields: {"status": "no", "reason": "expired"}), stock, "old")
    assert stock.pieces == {"mug": 3}


def test_cancelling_gives_all_back():
    stock = Stock({"mug": 2})
    order = Order("2026-0006", Cart([MUG]), "IT")
    order.place(gateway(), stock, "visa")
    order.cancel(gateway(), stock)
    assert stock.pieces == {"mug": 2}
    assert order.receipt.status is Status.REFUNDED
    with pytest.raises(OrderError, match="2026-0006 is cancelled"):
        order.cancel(gateway(), stock)


def test_cancelling_before_paying():
    order = Order("2026-0007", Cart([MUG]), "IT")
    order.cancel(gateway(), Stock())
    assert order.status is OrderStatus.CANCELLED


def test_cheapest_country():
    assert asyncio.run(cheapest(Cart([MUG]), ["IT", "FR", "DE"])) == ("FR", Decimal("19.90"))
    assert asyncio.run(cheapest(Cart([SOFA]), ["IT", "FR"])) == ("IT", Decimal("480.00"))
