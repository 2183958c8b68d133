import random
from decimal import Decimal

import pytest

from shop.payment import Gateway, PaymentDeclined, Receipt, Status


class Bank:
    def __init__(self, **answer):
        self.answer = answer or {"status": "ok"}
        self.asked = []

    def __call__(self, path, fields):
        self.asked.append((path, fields))
        return self.answer


@pytest.mark.parametrize("amount", ["10.00", "0.01", "999.99"])
def test_charge(amount):
    bank = Bank()
    receipt = Gateway(bank, random.Random(1)).charge(Decimal(amount), "visa")
    assert receipt.amount == Decimal(amount)
    assert receipt.status is Status.PAID
    assert bank.asked == [("/charge", {"amount": amount, "card": "visa", "reference": receipt.reference})]


def test_a_declined_card():
    with pytest.raises(PaymentDeclined, match="card expired"):
        Gateway(Bank(status="no", reason="card expired")).charge(Decimal("1"), "old")
    with pytest.raises(PaymentDeclined, match="no reason given"):
        Gateway(Bank(status="no")).charge(Decimal("1"), "old")


def test_nothing_to_charge():
    with pytest.raises(ValueError, match="nothing to charge"):
        Gateway(Bank()).charge(Decimal("0"), "visa")


def test_a_refund_happens_once():
    gateway = Gateway(Bank())
    receipt = gateway.refund(Receipt("PAY-1", Decimal("5")))
    assert receipt.status is Status.REFUNDED
    with pytest.raises(ValueError, match="PAY-1 was refunded before"):
        gateway.refund(receipt)


def test_references_follow_the_seed():
    first, second = Gateway(Bank(), random.Random(3)), Gateway(Bank(), random.Random(3))
    assert [first.new_reference() for _ in range(3)] == [second.new_reference() for _ in range(3)]


def test_the_network_is_used_when_nothing_takes_its_place(monkeypatch):
    def refuse(request, timeout):
        raise OSError(f"no network: {request.full_url}")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(OSError, match="no network: https://api.pay.example/charge"):
        Gateway().charge(Decimal("1"), "visa")
