"""A bit of everything: free functions, a callable parameter, inheritance, a coroutine, an untyped parameter."""

from collections.abc import Callable

from order_service import Stock, restock


class Audited(Stock):
    """A stock that remembers what was taken."""

    def __init__(self, counts: dict[str, int]) -> None:
        super().__init__(counts)
        self.taken: list[str] = []

    def take(self, article: str, count: int) -> None:
        """Take pieces off the shelf and note the article."""
        super().take(article, count)
        self.taken.append(article)


def slug(title: str, separator: str = "-") -> str:
    """Make a title fit for an address: small letters and digits, other runs become one separator."""
    words = "".join(char if char.isalnum() else " " for char in title.lower()).split()
    return separator.join(words)


def register(name: str, validator: Callable[[str], bool], hasher: Callable[[str], str]) -> dict[str, str]:
    """Make the record of a user.

    Raises:
        ValueError: if the validator refuses the name.
    """
    if not validator(name):
        raise ValueError(f"{name!r} is no valid name")
    return {"name": name, "key": hasher(name)}


def refill(stock: Audited | None, articles: list[str], each: int = 10) -> int:
    """Bring articles back to a number of pieces and return how many came in; 0 without a stock."""
    if stock is None:
        return 0
    missing = {article: each - stock.available(article) for article in articles}
    return restock(stock, {article: count for article, count in missing.items() if count > 0})


async def notify(channel, message: str) -> bool:
    """Publish a message on a channel; tells whether anybody heard it."""
    listeners = await channel.publish(message)
    return listeners > 0
