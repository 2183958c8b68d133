from decimal import Decimal

import pytest

from shop.settings import Settings, vat_rates


def test_defaults_and_what_is_given():
    assert Settings.from_mapping({}) == Settings()
    given = Settings.from_mapping({"SHOP_CURRENCY": "chf", "SHOP_RETRIES": " 5 ", "OTHER": "x"})
    assert given == Settings(currency="CHF", retries=5)


@pytest.mark.parametrize("text", ["", "two", "-1", "1.5"])
def test_retries_are_a_number(text):
    with pytest.raises(ValueError, match="not a number"):
        Settings.from_mapping({"SHOP_RETRIES": text})


def test_vat_rates():
    assert vat_rates()["FR"] == Decimal("0.20")
    assert sorted(vat_rates()) == ["DE", "FR", "IT"]
