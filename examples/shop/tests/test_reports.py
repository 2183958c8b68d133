import random
from decimal import Decimal

import pytest

from shop.cart import Cart, Item
from shop.orders import Order
from shop.payment import Gateway
from shop.reports import Report
from shop.stock import Stock

MUG = Item("mug", Decimal("7.50"), 2)
PEN = Item("pen", Decimal("1.20"), 5)


@pytest.fixture
def orders():
    gateway = Gateway(lambda path, fields: {"status": "ok"}, random.Random(9))
    stock = Stock({"mug": 10, "pen": 10})
    paid = [Order("1", Cart([MUG]), "FR"), Order("2", Cart([MUG, PEN], "TEN"), "DE")]
    for order in paid:
        order.place(gateway, stock, "visa")
    return [*paid, Order("3", Cart([PEN]), "IT")]


def test_only_paid_orders_count(orders):
    assert len(Report(orders).orders) == 2
    assert Report([]).rows() == []


def test_rows_and_revenue(orders):
    report = Report(orders)
    assert report.rows() == [("pen", 5), ("mug", 4)]
    assert report.revenue() == Decimal("43.70")


def test_render(orders):
    assert Report(orders).render(10).splitlines() == ["pen          5", "mug          4", "revenue   43.70"]
    assert Report([]).render() == "revenue             0"


def test_to_csv(orders):
    assert Report(orders).to_csv() == "pen,5\nmug,4\n"
    assert Report(orders).to_csv(";") == "pen;5\nmug;4\n"
