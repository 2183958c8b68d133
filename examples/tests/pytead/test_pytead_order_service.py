import pytest

from mixed_service import Audited
from order_service import Order, OrderService, OutOfStock, Stock, restock
from tour import Inbox


def test_order_pieces():
    """Recorded from order_service.py:74 (1 call)."""
    order = Order(customer="ada", lines=[("pen", 2), ("ink", 1)], state="placed")
    assert order.pieces() == 3


def test_order_service_init():
    """Recorded from tour.py:78 (1 call)."""
    stock = Stock(counts={"pen": 5, "ink": 1})
    inbox = Inbox()
    order_service_2 = OrderService(stock, inbox)
    assert order_service_2.stock is stock
    assert order_service_2.mailer is inbox


def test_order_service_place_order():
    """Recorded from tour.py:79 (1 call)."""
    stock = Stock(counts={"pen": 5, "ink": 1})
    inbox = Inbox()
    order_service_2 = OrderService(stock=stock, mailer=inbox)
    order = Order(customer="ada", lines=[("pen", 2), ("ink", 1)])
    assert order_service_2.place(order) is order
    assert order_service_2.stock is stock
    assert order_service_2.mailer is inbox
    assert order.state == "placed"


def test_order_service_place_raises_out_of_stock():
    """Recorded from tour.py:81 (1 call)."""
    inbox = Inbox()
    inbox.send("ada", "Your order of 3 pieces")
    order_service_2 = OrderService(
        stock=Stock(counts={"pen": 3, "ink": 0}), mailer=inbox
    )
    with pytest.raises(OutOfStock, match="ink"):
        order_service_2.place(Order(customer="bob", lines=[("ink", 1)]))


def test_order_service_place_raises_value_error():
    """Recorded from tour.py:83 (1 call)."""
    inbox = Inbox()
    inbox.send("ada", "Your order of 3 pieces")
    order_service_2 = OrderService(
        stock=Stock(counts={"pen": 3, "ink": 0}), mailer=inbox
    )
    with pytest.raises(ValueError, match="an order needs at least one line"):
        order_service_2.place(Order(customer="cy"))


def test_restock_audited():
    """Recorded from mixed_service.py:43 (1 call)."""
    stock = Audited(counts={"pen": 3, "ink": 12})
    assert restock(stock, {"pen": 7}) == 7
    assert stock.counts == {"pen": 10, "ink": 12}


def test_restock_stock():
    """Recorded from tour.py:84 (1 call)."""
    stock = Stock(counts={"pen": 3, "ink": 0})
    assert restock(stock, {"ink": 4, "pad": 2}) == 6
    assert stock.counts == {"pen": 3, "ink": 4, "pad": 2}


def test_stock_available_ink():
    """Recorded from order_service.py:69 (1 call)."""
    stock = Stock(counts={"pen": 5, "ink": 1})
    assert stock.available("ink") == 1


def test_stock_available_pen():
    """Recorded from order_service.py:69 (2 calls)."""
    stock = Stock(counts={"pen": 5, "ink": 1})
    assert stock.available("pen") == 5


def test_stock_available_returns_0():
    """Recorded from order_service.py:81 (1 call)."""
    stock = Stock(counts={"pen": 3, "ink": 4})
    assert stock.available("pad") == 0


def test_stock_init():
    """Recorded from tour.py:77 (1 call)."""
    stock = Stock({"pen": 5, "ink": 1})
    assert stock.counts == {"pen": 5, "ink": 1}


def test_stock_take_empty_taken():
    """Recorded from mixed_service.py:17 (1 call)."""
    stock = Audited(counts={"pen": 10, "ink": 12})
    Stock.take(stock, "pen", 2)
    assert stock.counts == {"pen": 8, "ink": 12}


def test_stock_take_ink():
    """Recorded from order_service.py:72 (1 call)."""
    stock = Stock(counts={"pen": 3, "ink": 1})
    stock.take("ink", 1)
    assert stock.counts == {"pen": 3, "ink": 0}


def test_stock_take_pen():
    """Recorded from order_service.py:72 (1 call)."""
    stock = Stock(counts={"pen": 5, "ink": 1})
    stock.take("pen", 2)
    assert stock.counts == {"pen": 3, "ink": 1}
