"""Fetching over HTTP with a client that is given: nothing here opens a connection by itself."""

import asyncio
import json
from typing import Any, Optional, Protocol


class Response(Protocol):
    """What a client gives back."""

    status: int
    text: str


class Client(Protocol):
    """What can fetch; `urllib`, `httpx` and a mock all fit behind it."""

    def get(self, url: str, timeout: float) -> Response:
        """Fetch an address."""
        ...

    async def aget(self, url: str) -> Response:
        """Fetch an address without waiting for it."""
        ...


class FetchError(Exception):
    """A server did not answer as it should."""


def fetch_json(client: Client, url: str, timeout: float = 5.0) -> Any:
    """Fetch an address and read its answer as JSON.

    Raises:
        FetchError: if the status is not 200, or the answer is no JSON.
    """
    response = client.get(url, timeout)
    if response.status != 200:
        raise FetchError(f"{url} answered with {response.status}")
    try:
        return json.loads(response.text)
    except ValueError as error:
        raise FetchError(f"{url} did not answer with JSON") from error


async def fetch_all(client: "Client", urls: list[str]) -> dict[str, str]:
    """Fetch several addresses at once; those that fail are left out."""
    answers = await asyncio.gather(*(client.aget(url) for url in urls))
    return {url: answer.text for url, answer in zip(urls, answers) if answer.status == 200}


def retry(client: Optional[Client], url: str, attempts: int = 3) -> str:
    """Fetch an address, several times where the server is busy (503).

    Raises:
        ValueError: if there is no client.
        FetchError: if it never answers.
    """
    if client is None:
        raise ValueError("a client is needed")
    for _ in range(attempts):
        response = client.get(url, 5.0)
        if response.status != 503:
            return response.text
    raise FetchError(f"{url} is busy")
