"""Uses all the other examples, so that there is something to record: `pytead-tui run -- python tour.py`."""

import asyncio
import contextlib
from dataclasses import dataclass, field

import calculator
import http_fetcher
import mixed_service
import order_service
from warehouse import planning, report
from warehouse.models import Shelf


class Inbox(order_service.Mailer):
    """Keeps what would be sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def send(self, to: str, subject: str) -> None:
        """Keep a message."""
        self.sent.append((to, subject))


@dataclass
class Page:
    """An answer that is there already."""

    status: int
    text: str


@dataclass
class Answers:
    """A client whose answers are laid out before, one after the other for each address."""

    pages: dict[str, list[Page]] = field(default_factory=dict)

    def get(self, url: str, timeout: float) -> Page:
        """Give the next answer."""
        return self.pages[url].pop(0)

    async def aget(self, url: str) -> Page:
        """Give the next answer."""
        return self.pages[url].pop(0)


def is_word(name: str) -> bool:
    """Tell whether a name is one word."""
    return name.isalpha()


def calculate() -> None:
    """Use the calculator, its mistakes included."""
    calculator.add(2, 3)
    calculator.add(0.5, -0.25)
    for value in (5, -1, 2):
        calculator.clamp(value, 0, 3)
    for n in (0, 1, 5):
        calculator.factorial(n)
    calculator.divide(7, 2)
    calculator.mean([1, 2, 6])
    calculator.percent(1, 8)
    calculator.percent(2, 3, digits=0)
    calculator.compound(100, 0.05)
    calculator.compound(100, 0.05, 10)
    with contextlib.suppress(ZeroDivisionError):
        calculator.divide(1, 0)
    for wrong in (lambda: calculator.clamp(1, 3, 0), lambda: calculator.factorial(-1), lambda: calculator.mean([])):
        with contextlib.suppress(ValueError):
            wrong()


def order() -> None:
    """Take orders in, one of which cannot be filled."""
    stock = order_service.Stock({"pen": 5, "ink": 1})
    service = order_service.OrderService(stock, Inbox())
    service.place(order_service.Order("ada", [("pen", 2), ("ink", 1)]))
    with contextlib.suppress(order_service.OutOfStock):
        service.place(order_service.Order("bob", [("ink", 1)]))
    with contextlib.suppress(ValueError):
        service.place(order_service.Order("cy"))
    order_service.restock(stock, {"ink": 4, "pad": 2})


def fetch() -> None:
    """Fetch pages that are laid out before."""
    http_fetcher.fetch_json(Answers({"/a": [Page(200, '{"a": [1, 2]}')]}), "/a")
    for page in (Page(404, ""), Page(200, "no json")):
        with contextlib.suppress(http_fetcher.FetchError):
            http_fetcher.fetch_json(Answers({"/b": [page]}), "/b", 1.0)
    http_fetcher.retry(Answers({"/c": [Page(503, ""), Page(200, "done")]}), "/c")
    with contextlib.suppress(http_fetcher.FetchError):
        http_fetcher.retry(Answers({"/d": [Page(503, ""), Page(503, "")]}), "/d", 2)
    with contextlib.suppress(ValueError):
        http_fetcher.retry(None, "/e")
    pages = {"/f": [Page(200, "one")], "/g": [Page(500, "")]}
    asyncio.run(http_fetcher.fetch_all(Answers(pages), ["/f", "/g"]))


def mix() -> None:
    """Use what is left of the single files."""
    mixed_service.slug("Hello, World! 2")
    mixed_service.slug("a b", "_")
    mixed_service.register("ada", is_word, str.upper)
    with contextlib.suppress(ValueError):
        mixed_service.register("a b", is_word, str.upper)
    mixed_service.refill(None, ["pen"])
    audited = mixed_service.Audited({"pen": 3, "ink": 12})
    mixed_service.refill(audited, ["pen", "ink"])
    audited.take("pen", 2)


def arrange() -> None:
    """Use the warehouse."""
    shelves = [Shelf(1, 10, 4), Shelf(2, 5, 1), Shelf(3, 2, 2)]
    report.usage(shelves)
    report.usage([])
    planning.best_fit(shelves, 3)
    planning.best_fit(shelves, 9)
    report.advice(shelves[2], shelves, boxes=1)
    report.advice(shelves[0], shelves, boxes=2)
    report.advice(shelves[0], shelves, boxes=20)
    planning.store(Shelf(7, 5, 1), 2)
    with contextlib.suppress(ValueError):
        planning.store(Shelf(8, 1), 2)


if __name__ == "__main__":
    for use in (calculate, order, fetch, mix, arrange):
        use()
