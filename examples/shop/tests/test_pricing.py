from decimal import Decimal

import pytest

from shop.pricing import apply_discount, round_price, shipping_for, tax_for


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("1.004", "1.00"), ("1.005", "1.01"), ("2.675", "2.68"), ("-1.005", "-1.01"), ("3", "3.00")],
)
def test_round_price(amount, expected):
    assert str(round_price(Decimal(amount))) == expected


@pytest.mark.parametrize(
    ("price", "code", "expected"),
    [
        ("100.00", "TEN", "90.00"),
        ("100.00", None, "100.00"),
        ("19.99", "HALF", "10.00"),
        ("19.99", "UNKNOWN", "19.99"),
        ("0", "TEN", "0.00"),
    ],
)
def test_apply_discount(price, code, expected):
    assert str(apply_discount(Decimal(price), code)) == expected


def test_a_negative_price_is_refused():
    with pytest.raises(ValueError, match="negative price"):
        apply_discount(Decimal("-1"))


@pytest.mark.parametrize(
    ("total", "country", "expected"),
    [("20.00", "FR", "4.90"), ("20.00", "IT", "7.50"), ("250.00", "FR", "0"), ("100.01", "DE", "0")],
)
def test_shipping(total, country, expected):
    assert shipping_for(Decimal(total), country) == Decimal(expected)


def test_no_shipping_to_unknown_countries():
    with pytest.raises(LookupError, match="no shipping to XX"):
        shipping_for(Decimal("1"), "XX")


@pytest.mark.parametrize(("country", "expected"), [("FR", "20.00"), ("DE", "19.00"), ("IT", "22.00")])
def test_tax(country, expected):
    assert tax_for(Decimal("100"), country) == Decimal(expected)
