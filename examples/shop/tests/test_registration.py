import pytest

from shop.mailer import Smtp
from shop.registration import AlreadyRegistered, Database, RegistrationService, normalise


class Outbox:
    def __init__(self):
        self.to = []

    def send_message(self, message):
        self.to.append(message["To"])

    def quit(self):
        pass


@pytest.fixture
def outbox():
    return Outbox()


@pytest.fixture
def service(outbox):
    return RegistrationService(Database(), Smtp("localhost", lambda: outbox))


def test_a_customer_is_kept_and_greeted(service, outbox):
    assert service.register(" Ada@Example.ORG ", "Ada", "correct horse") == "Ada@example.org"
    assert service.database.names == {"Ada@example.org": "Ada"}
    assert outbox.to == ["Ada@example.org"]


def test_an_address_is_taken_once(service, outbox):
    service.register("ada@example.org", "Ada", "correct horse")
    with pytest.raises(AlreadyRegistered, match="ada@example.org"):
        service.register("ada@EXAMPLE.org", "Eve", "battery staple")
    assert len(outbox.to) == 1


def test_short_passwords_are_refused(service):
    with pytest.raises(ValueError, match="password too short"):
        service.register("ada@example.org", "Ada", "1234")
    assert not service.database.exists("ada@example.org")


@pytest.mark.parametrize("email", ["", "ada", "@example.org", "ada@", "ada@host"])
def test_what_is_no_address(email):
    with pytest.raises(ValueError, match="not an address"):
        normalise(email)
