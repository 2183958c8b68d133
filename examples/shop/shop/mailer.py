"""Mail to customers."""

import smtplib
from collections.abc import Callable
from decimal import Decimal
from email.message import EmailMessage
from typing import Protocol


class Connection(Protocol):
    """The part of `smtplib.SMTP` that is used."""

    def send_message(self, message: EmailMessage) -> object: ...

    def quit(self) -> object: ...


def money(currency: str) -> Callable[[Decimal], str]:
    """A writer of amounts in a currency."""
    sign = {"EUR": "€", "USD": "$"}.get(currency, currency)

    def write(amount: Decimal) -> str:
        return f"{amount:.2f} {sign}"

    return write


def render(template: str, values: dict[str, object], currency: str = "EUR") -> str:
    """Fill `{name}` places; amounts get their currency.

    Raises KeyError when a value is missing.
    """
    write = money(currency)
    shown = {name: write(value) if isinstance(value, Decimal) else value for name, value in values.items()}
    return template.format(**shown)


class Smtp:
    """A mail server; `connect` takes the place of the network in tests."""

    def __init__(self, host: str, connect: Callable[[], Connection] | None = None) -> None:
        self.host = host
        self.sent = 0
        self._connect = connect or self._socket

    def deliver(self, to: str, subject: str, body: str) -> int:
        """Send one mail and say how many were sent so far."""
        message = EmailMessage()
        message["To"], message["Subject"] = to, subject
        message.set_content(body)
        connection = self._connect()
        try:
            connection.send_message(message)
        finally:
            connection.quit()
        self.sent += 1
        return self.sent

    def _socket(self) -> Connection:
        return smtplib.SMTP(self.host, timeout=10)
