"""Prices, discounts and shipping."""

from decimal import ROUND_HALF_UP, Decimal

from shop.settings import vat_rates

RATES = {
    "TEN": Decimal("0.1"),
    "HALF": Decimal("0.5"),
}
COUNTRIES = {
    "FR": Decimal("4.90"),
    "DE": Decimal("4.90"),
    "IT": Decimal("7.50"),
}
CENT = Decimal("0.01")
FREE_FROM = Decimal("100")


def round_price(amount: Decimal) -> Decimal:
    """Round half up to the cent."""
    return amount.quantize(CENT, ROUND_HALF_UP)


def apply_discount(
    price: Decimal,
    code: str | None = None,
) -> Decimal:
    """Price after the discount of a code."""
    if price < 0:
        raise ValueError("negative price")
    rate = RATES.get(code, Decimal("0"))
    amount = price * (1 - rate)
    return round_price(amount)


def shipping_for(
    total: Decimal,
    country: str,
) -> Decimal:
    """Shipping for a country, free above a threshold."""
    if country not in COUNTRIES:
        raise LookupError(f"no shipping to {country}")
    if total > FREE_FROM:
        return Decimal("0")
    return COUNTRIES[country]


def tax_for(
    total: Decimal,
    country: str,
) -> Decimal:
    """VAT on a total, to the cent."""
    rate = vat_rates()[country]
    return round_price(total * rate)


def bulk_price(
    price: Decimal,
    pieces: int,
) -> Decimal:
    """Price of many pieces: a tenth off from 10, a fifth off from 100.

    Raises ValueError for fewer than one piece.
    """
    if pieces < 1:
        raise ValueError("at least one piece")
    if pieces >= 100:
        price *= Decimal("0.8")
    elif pieces >= 10:
        price *= Decimal("0.9")
    return round_price(price * pieces)
