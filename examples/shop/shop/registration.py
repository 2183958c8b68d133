"""New customers."""

from dataclasses import dataclass, field

from shop.mailer import Smtp, render

WELCOME = "Hello {name}, your account is ready."


class AlreadyRegistered(Exception):
    """The address is taken."""


@dataclass
class Database:
    """Customers by address, in memory."""

    names: dict[str, str] = field(default_factory=dict)

    def exists(self, email: str) -> bool:
        """Whether the address is taken."""
        return email in self.names

    def save(self, email: str, name: str) -> int:
        """Keep a customer and say how many there are."""
        self.names[email] = name
        return len(self.names)


def normalise(email: str) -> str:
    """The address in the one form that is stored."""
    local, at, host = email.strip().partition("@")
    if not (local and at and "." in host):
        raise ValueError(f"not an address: {email.strip()}")
    return f"{local}@{host.lower()}"


class RegistrationService:
    """Takes new customers in: first kept, then greeted."""

    def __init__(self, database: Database, smtp: Smtp) -> None:
        self.database = database
        self.smtp = smtp

    def register(self, email: str, name: str, password: str) -> str:
        """Take a customer in and give the address as stored."""
        if len(password) < 8:
            raise ValueError("password too short")
        address = normalise(email)
        if self.database.exists(address):
            raise AlreadyRegistered(address)
        self.database.save(address, name)
        self.smtp.deliver(address, "Welcome", render(WELCOME, {"name": name}))
        return address
