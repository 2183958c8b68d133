"""What the shop can be told from outside, and tables that are read once."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

VAT_TABLE = """\
FR 0.20
DE 0.19
IT 0.22
"""


@dataclass(frozen=True)
class Settings:
    """How the shop runs."""

    currency: str = "EUR"
    sender: str = "shop@example.org"
    retries: int = 2

    @classmethod
    def from_mapping(cls, values: Mapping[str, str]) -> "Settings":
        """Read `SHOP_…` entries; what is missing keeps its default."""
        retries = cls._number(values.get("SHOP_RETRIES", "2"))
        return cls(
            currency=values.get("SHOP_CURRENCY", "EUR").upper(),
            sender=values.get("SHOP_SENDER", "shop@example.org"),
            retries=retries,
        )

    @staticmethod
    def _number(text: str) -> int:
        if not text.strip().isdigit():
            raise ValueError(f"not a number: {text}")
        return int(text)


@lru_cache(maxsize=1)
def vat_rates() -> dict[str, Decimal]:
    """VAT by country."""
    return {country: Decimal(rate) for country, rate in map(str.split, VAT_TABLE.splitlines())}
