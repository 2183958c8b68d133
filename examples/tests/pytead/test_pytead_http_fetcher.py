import asyncio

import pytest

from http_fetcher import FetchError, fetch_all, fetch_json, retry
from tour import Answers, Page


def test_fetch_all():
    """Recorded from tour.py:99 (1 call)."""
    client = Answers(
        pages={"/f": [Page(status=200, text="one")], "/g": [Page(status=500, text="")]}
    )
    assert asyncio.run(fetch_all(client, ["/f", "/g"])) == {"/f": "one"}
    assert client.pages == {"/f": [], "/g": []}


def test_fetch_json_answers():
    """Recorded from tour.py:89 (1 call)."""
    client = Answers(pages={"/a": [Page(status=200, text='{"a": [1, 2]}')]})
    assert fetch_json(client, "/a") == {"a": [1, 2]}
    assert client.pages == {"/a": []}


def test_fetch_json_raises_fetch_error():
    """Recorded from tour.py:92 (1 call)."""
    client = Answers(pages={"/b": [Page(status=404, text="")]})
    with pytest.raises(FetchError, match="/b answered with 404"):
        fetch_json(client, "/b", 1.0)
    assert client.pages == {"/b": []}


def test_fetch_json_raises_fetch_error_2():
    """Recorded from tour.py:92 (1 call)."""
    client = Answers(pages={"/b": [Page(status=200, text="no json")]})
    with pytest.raises(FetchError, match="/b did not answer with JSON"):
        fetch_json(client, "/b", 1.0)
    assert client.pages == {"/b": []}


def test_retry_raises_fetch_error():
    """Recorded from tour.py:95 (1 call)."""
    client = Answers(
        pages={"/d": [Page(status=503, text=""), Page(status=503, text="")]}
    )
    with pytest.raises(FetchError, match="/d is busy"):
        retry(client, "/d", 2)
    assert client.pages == {"/d": []}


def test_retry_raises_value_error():
    """Recorded from tour.py:97 (1 call)."""
    with pytest.raises(ValueError, match="a client is needed"):
        retry(None, "/e")


def test_retry_returns_done():
    """Recorded from tour.py:93 (1 call)."""
    client = Answers(
        pages={"/c": [Page(status=503, text=""), Page(status=200, text="done")]}
    )
    assert retry(client, "/c") == "done"
    assert client.pages == {"/c": []}
