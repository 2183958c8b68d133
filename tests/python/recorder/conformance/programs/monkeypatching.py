"""Functions that are replaced, patched and moved while the program runs."""

from unittest import mock


class Service:
    def ask(self, x):
        return "real"

    def use(self):
        return self.ask(1)


def fake(self, x):
    return "fake"


def one():
    return 1


def two():
    return 2


def caller():
    return one()


def main():
    global one
    service = Service()
    service.use()
    Service.ask = fake
    service.use()
    service.ask = lambda x: "own"
    service.use()
    caller()
    one = two
    caller()
    with mock.patch.object(Service, "use", lambda self: two()):
        service.use()
    with mock.patch(f"{__name__}.two", return_value=3) as patched:
        print(two(), patched.call_count)
    fake.__code__ = (lambda self, x: "moved").__code__
    print(fake(None, 2))
    fake.__defaults__ = (5,)
    print(fake(None), Service.ask.__name__)


main()
