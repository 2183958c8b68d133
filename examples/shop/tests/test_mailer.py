from decimal import Decimal

import pytest

from shop.mailer import Smtp, money, render


class Connection:
    def __init__(self):
        self.messages = []
        self.open = True

    def send_message(self, message):
        self.messages.append((message["To"], message["Subject"], message.get_content()))

    def quit(self):
        self.open = False


@pytest.mark.parametrize(
    ("currency", "amount", "shown"),
    [("EUR", "3", "3.00 €"), ("USD", "19.999", "20.00 $"), ("CHF", "0.5", "0.50 CHF")],
)
def test_money(currency, amount, shown):
    assert money(currency)(Decimal(amount)) == shown


def test_render():
    assert render("Hi {name}", {"name": "Ada"}) == "Hi Ada"
    assert render("{n} for {sum}", {"n": 2, "sum": Decimal("5")}) == "2 for 5.00 €"
    assert render("{sum}", {"sum": Decimal("5")}, "USD") == "5.00 $"
    with pytest.raises(KeyError, match="name"):
        render("Hi {name}", {})


def test_deliver_counts_and_hangs_up():
    connection = Connection()
    smtp = Smtp("localhost", lambda: connection)
    assert smtp.deliver("ada@example.org", "Hi", "text") == 1
    assert smtp.deliver("bob@example.org", "Hi", "text") == 2
    assert connection.messages[1] == ("bob@example.org", "Hi", "text\n")
    assert not connection.open


def test_a_dead_server_is_not_counted():
    class Dead(Connection):
        def send_message(self, message):
            raise ConnectionError("gone")

    dead = Dead()
    smtp = Smtp("localhost", lambda: dead)
    with pytest.raises(ConnectionError, match="gone"):
        smtp.deliver("ada@example.org", "Hi", "text")
    assert (smtp.sent, dead.open) == (0, False)
