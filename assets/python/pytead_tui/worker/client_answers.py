"""What a test's client is answered, and what a command prints for it: two runs of a test are compared by that, too.

A view is only a part of an answer. Routes, decorators, response models, middleware and templates make the rest, often in code that
runs on import. Each answer is noted for the last kept call that a framework made for it, most often that of the view.
"""

import functools
import json
import sys
from collections.abc import Callable
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from pytead_tui.recorder.objects import names_of, state

KIND = "answer"  # of the record
LONGEST = 20_000  # characters of a body

# Of no interest: they say when, by which server, or again how long the body is.
_LEFT_OUT = frozenset({"date", "server", "content-length"})


class _Asked:
    """A request that has no answer yet."""

    def __init__(self) -> None:
        self.call: object = None  # the last kept one that was made for it


_current: "ContextVar[_Asked | None]" = ContextVar("asked", default=None)
_open: list = []  # requests, the newest last: some clients run the application in a thread that has no context of theirs


def called(call: object) -> None:
    """Takes a kept call that begins for the request that waits."""
    asked = _current.get() or (_open[-1] if _open else None)
    if asked is not None:
        asked.call = call


def listen(write: "Callable[[object, str, str], None]", shorten: "Callable[[str], str]") -> None:
    """Notes the answers to all clients that are imported by now: calls `write` with a call or None, the kind of the record and its text.
    `shorten` gives a text that is not too long, without folders of this run.
    """
    for home, name, method, tell in _CLIENTS:
        cls = getattr(sys.modules.get(home), name, None)
        held = vars(cls).get(method) if isinstance(cls, type) else None
        if held is not None and not getattr(held, "is_heard", False):
            note = functools.partial(_note, write, shorten, tell)
            ask = (_awaited if name.startswith("Async") else _plain)(held, note)
            ask.is_heard = True
            setattr(cls, method, ask)


@contextmanager
def _asking(note: "Callable") -> object:
    """Is around a request; one that another makes, such as for a redirect, is a part of that."""
    if _current.get() is not None:
        yield lambda answer: None
        return
    asked = _Asked()
    _open.append(asked)
    token = _current.set(asked)
    got: list = []
    raised = ""
    try:
        yield got.append
    except BaseException as error:
        raised = names_of(type(error))[1]
        raise
    finally:
        _open.remove(asked)
        with suppress(ValueError):  # another context ends it
            _current.reset(token)
        with suppress(Exception):  # an answer of a form that nobody knows
            note(asked.call, got[0] if got else None, raised)


def _plain(held: "Callable", note: "Callable") -> "Callable":
    @functools.wraps(held)
    def ask(*args: object, **named: object) -> object:
        with _asking(functools.partial(note, (args, named))) as take:
            answer = held(*args, **named)
            take(answer)
            return answer

    return ask


def _awaited(held: "Callable", note: "Callable") -> "Callable":
    @functools.wraps(held)
    async def ask(*args: object, **named: object) -> object:
        with _asking(functools.partial(note, (args, named))) as take:
            answer = await held(*args, **named)
            take(answer)
            return answer

    return ask


def _note(
    write: "Callable", shorten: "Callable", tell: "Callable", given: tuple, call: object, answer: object, raised: str
) -> None:
    told = {"raised": raised} if raised else tell(answer, given)
    body = told.get("body")
    if type(body) is bytes:
        told["body"] = body = body.decode("utf-8", "replace")
    if type(body) is str:
        with suppress(ValueError, RecursionError):
            if body[:1] in "{[" and len(body) <= LONGEST:
                told["body"] = json.loads(body)
                body = None
        if type(body) is str:
            told["body"] = shorten(body)
    told = {key: shorten(held) if type(held) is str else held for key, held in told.items()}
    told = {key: held for key, held in told.items() if key == "body" or held not in (None, "", {}, [])}
    write(call, KIND, json.dumps(told))


def _headers(pairs: object) -> dict:
    found: dict = {}
    for name, value in pairs:
        name = str(name).lower()
        if name not in _LEFT_OUT:
            found[name] = found[name] + ", " + str(value) if name in found else str(value)
    return found


# What is told of an answer.


def _line(method: object, path: object, query: object) -> str:
    query = query.decode("ascii", "replace") if type(query) is bytes else query
    return "%s %s%s" % (method, path, "?%s" % query if query else "")


def _of_werkzeug(answer: object, given: tuple) -> dict:
    response = answer[0] if type(answer) is tuple else answer
    asked = response.request
    return {
        "asked": _line(asked.method, asked.path, asked.query_string), "status": response.status_code,
        "headers": _headers(response.headers.items()),
        # A body of unknown length may be a stream that the test reads itself.
        "body": response.get_data() if "content-length" in response.headers else None,
    }  # fmt: skip


def _of_django(answer: object, given: tuple) -> dict:
    asked = answer.request
    return {
        "asked": _line(asked.get("REQUEST_METHOD", asked.get("method")), asked.get("PATH_INFO", asked.get("path")), asked.get("QUERY_STRING")),
        "status": answer.status_code, "headers": _headers(answer.headers.items()),
        "body": None if getattr(answer, "streaming", False) else answer.content,
    }  # fmt: skip


def _of_httpx(answer: object, given: tuple) -> dict:
    past = [*answer.history, answer][0].request
    return {
        "asked": _line(past.method, past.url.path, past.url.query), "status": answer.status_code,
        "headers": _headers(answer.headers.items()), "body": state(answer).get("_content"),
        "redirected": [past.status_code for past in answer.history],
    }  # fmt: skip


def _of_websocket(answer: object, given: tuple) -> dict:
    held = {key: held for key, held in answer.items() if type(held) in (str, int)}
    return {"asked": "websocket", **held, "body": answer.get("text", answer.get("bytes"))}


def _of_click(answer: object, given: tuple) -> dict:
    args, named = given
    words = named.get("args", args[2] if len(args) > 2 else None) or ()
    raised = answer.exception
    is_exit = raised is None or isinstance(raised, SystemExit)
    return {
        "asked": words if type(words) is str else " ".join(map(str, words)), "exit": answer.exit_code, "body": answer.output,
        "raised": None if is_exit else names_of(type(raised))[1],
    }  # fmt: skip


# Module, class, method, and what tells of its answer.
_CLIENTS = (
    ("werkzeug.test", "Client", "open", _of_werkzeug),
    ("django.test.client", "Client", "request", _of_django),
    ("django.test.client", "AsyncClient", "request", _of_django),
    ("httpx", "Client", "send", _of_httpx),
    ("httpx", "AsyncClient", "send", _of_httpx),
    ("httpx2", "Client", "send", _of_httpx),
    ("httpx2", "AsyncClient", "send", _of_httpx),
    ("starlette.testclient", "WebSocketTestSession", "receive", _of_websocket),
    ("click.testing", "CliRunner", "invoke", _of_click),
)
