"""How a client of a framework's tests, or a runner of its commands, was made that no fixture which others can take gives: of
which application, with what.

Owns the forms of clients, and the module that holds an object. What a test does with a client is in scenes.py.
"""

from pytead_tui.recorder import kinds
from pytead_tui.recorder.objects import mro_of, names_of, state
from pytead_tui.recorder.own import __builtins__, sys

_STARLETTE = ("starlette.testclient", "TestClient")
_ASYNC = (("httpx", "AsyncClient"), ("httpx2", "AsyncClient"))
_FLASK = {("flask.testing", "FlaskClient"): "test_client", ("flask.testing", "FlaskCliRunner"): "test_cli_runner"}
_RUNNERS = (("click.testing", "CliRunner"), ("typer.testing", "CliRunner"))


def told(client: object, give: object) -> "dict | None":
    """Tells how a client is made anew; None for what is no client. `give` tells its application."""
    kind, held = names_of(type(client)), state(client)
    if kind == _STARLETTE:
        app = held.get("app")
        is_fastapi = names_of(type(app))[0].split(".")[0] == "fastapi"
        kwargs = []
        if state(held.get("_transport")).get("raise_server_exceptions") is False:
            kwargs.append(["raise_server_exceptions", False])
        if held.get("follow_redirects") is False:
            kwargs.append(["follow_redirects", False])
        return {
            "name": "client", "class": ["fastapi.testclient" if is_fastapi else kind[0], kind[1]], "app": give(app),
            "kwargs": kwargs, "entered": held.get("portal") is not None,
            "replaced": bool(state(app).get("dependency_overrides")),
        }  # fmt: skip
    if kind in _ASYNC and names_of(type(held.get("_transport"))) == (kind[0], "ASGITransport"):
        at = state(held.get("_base_url")).get("_uri_reference")
        scheme, host = getattr(at, "scheme", ""), getattr(at, "host", "")
        return {
            "name": "client", "class": list(kind), "app": give(state(held["_transport"]).get("app")), "awaited": True,
            "transport": [kind[0], "ASGITransport"], "entered": True,
            "kwargs": [["base_url", "%s://%s" % (scheme, host)]] if type(scheme) is type(host) is str and host else [],
            "replaced": bool(state(state(held["_transport"]).get("app")).get("dependency_overrides")),
        }  # fmt: skip
    for base in mro_of(type(client)):
        if names_of(base) in _RUNNERS:
            # Of a class that a test file derives, too: what its `invoke` adds to the words is in them by now. The environment of its
            # commands would have to be given.
            return None if held.get("env") else {"name": "runner", "class": list(names_of(base))}
        method = _FLASK.get(names_of(base))
        if method is not None:
            app = held.get("application", held.get("app"))
            return {"name": "client" if method == "test_client" else "runner", "method": method, "app": give(app)}
    return None


def place_of_session(value: object, is_own: object) -> "list | None":
    """Gives the module of the project, the name in it and the attributes by which tests reach a session of SQLAlchemy's, or what
    Flask-SQLAlchemy keeps one in (`db.session`).
    """
    if not names_of(type(value))[0].startswith(("sqlalchemy.orm.", "sqlalchemy.ext.asyncio.", "flask_sqlalchemy")):
        return None
    found = place(value, is_own)
    if found is not None:
        return [*found, []]
    for name, space in _spaces(is_own):
        for key, held in list(space.items()):
            if type(key) is str and names_of(type(held))[0].startswith("flask_sqlalchemy") and state(held).get("session") is value:
                return [name, key, ["session"]]
    return None


def place(value: object, is_own: object) -> "list | None":
    """Gives the module of the project and the name in it by which a value is imported, a public one where there is any; never one of a
    test file.
    """
    private = None
    for name, space in _spaces(is_own):
        for key, held in list(space.items()):
            if held is not value or type(key) is not str:
                continue
            if not key.startswith("_"):
                return [name, key]
            private = private or [name, key]
    return private


def _spaces(is_own: object) -> list:
    """Lists the namespaces of the project's modules."""
    if _known[0] != len(sys.modules):
        found = []
        for name, module in list(sys.modules.items()):
            if type(module) is kinds.Module and type(name) is str and name != "__main__":
                file = module.__dict__.get("__file__")
                known = is_own(file) if type(file) is str else None
                if known is not None and not known.test:
                    found.append((name, module.__dict__))
        _known[:] = [len(sys.modules), found]
    return _known[1]


_known: list = [0, []]  # how many modules there were, and the namespaces of the project's
