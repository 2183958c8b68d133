"""Taking money through a gateway."""

import json
import random
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

Transport = Callable[[str, dict[str, str]], dict[str, str]]


class Status(Enum):
    """How the gateway answered."""

    PAID = "paid"
    REFUNDED = "refunded"


class PaymentDeclined(Exception):
    """The gateway said no."""


@dataclass
class Receipt:
    """Proof of a payment."""

    reference: str
    amount: Decimal
    status: Status = Status.PAID


class Gateway:
    """A payment provider behind HTTP; `transport` takes its place in tests."""

    URL = "https://api.pay.example"

    def __init__(self, transport: Transport | None = None, rng: random.Random | None = None) -> None:
        self._transport = transport or self._post
        self._rng = rng or random.Random()

    def charge(self, amount: Decimal, card: str) -> Receipt:
        """Take money from a card.

        Raises ValueError when there is nothing to charge, PaymentDeclined when the gateway refuses.
        """
        if amount <= 0:
            raise ValueError("nothing to charge")
        reference = self.new_reference()
        answer = self._transport("/charge", {"amount": str(amount), "card": card, "reference": reference})
        if answer.get("status") != "ok":
            raise PaymentDeclined(answer.get("reason", "no reason given"))
        return Receipt(reference, amount)

    def refund(self, receipt: Receipt) -> Receipt:
        """Give the money of a receipt back and mark it."""
        if receipt.status is Status.REFUNDED:
            raise ValueError(f"{receipt.reference} was refunded before")
        self._transport("/refund", {"reference": receipt.reference})
        receipt.status = Status.REFUNDED
        return receipt

    def new_reference(self) -> str:
        """A reference nobody guesses; random, so tests hand in a seeded generator."""
        return f"PAY-{self._rng.randrange(10**6):06}"

    def _post(self, path: str, fields: dict[str, str]) -> dict[str, str]:
        request = urllib.request.Request(
            self.URL + path,
            data=json.dumps(fields).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
