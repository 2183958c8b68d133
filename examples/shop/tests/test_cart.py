from decimal import Decimal

import pytest

from shop.cart import Cart, Item

LAMP = Item("lamp", Decimal("100.00"))
HALF_LAMP = Item("half lamp", Decimal("50.00"), 2)
MUG = Item("mug", Decimal("7.50"), 2)
CHAIR = Item("chair", Decimal("59.90"))


def test_a_new_cart_is_empty():
    assert Cart().is_empty()
    assert not Cart([MUG]).is_empty()


def test_the_same_article_twice_adds_pieces():
    cart = Cart([MUG])
    cart.add(Item("mug", Decimal("7.50"), 3))
    assert cart.items["mug"].pieces == 5
    assert cart.items["mug"].amount == Decimal("37.50")


def test_removing():
    cart = Cart([MUG, CHAIR])
    assert cart.remove("mug") == MUG
    assert cart.remove("mug") is None
    assert list(cart.items) == ["chair"]


@pytest.mark.parametrize(("items", "country"), [([LAMP], "FR"), ([LAMP], "DE"), ([HALF_LAMP], "FR")])
def test_a_total_is_never_below_the_price_of_its_items(items, country):
    assert Cart(items).total(country) >= sum(item.amount for item in items)


@pytest.mark.parametrize(
    ("items", "code", "country", "expected"),
    [
        ([MUG], None, "FR", "19.90"),
        ([MUG], None, "IT", "22.50"),
        ([CHAIR], None, "DE", "64.80"),
        ([CHAIR], "HALF", "DE", "34.85"),
        ([CHAIR, MUG], None, "FR", "79.80"),
        ([CHAIR, MUG], "TEN", "IT", "74.91"),
        ([LAMP, MUG], None, "FR", "115.00"),
        ([LAMP, MUG], "TEN", "FR", "103.50"),
        ([LAMP, CHAIR], "HALF", "FR", "84.85"),
        ([LAMP], "TEN", "DE", "94.90"),
        ([], None, "FR", "4.90"),
    ],
)
def test_total(items, code, country, expected):
    assert Cart(items, code).total(country) == Decimal(expected)


def test_total_just_below_and_above_the_threshold():
    assert Cart([Item("pen", Decimal("99.99"))]).total("FR") == Decimal("104.89")
    assert Cart([Item("pen", Decimal("100.01"))]).total("FR") == Decimal("100.01")


def test_unknown_country():
    with pytest.raises(LookupError, match="no shipping to US"):
        Cart([MUG]).total("US")
