"""How a request is written that Django's test client or a factory made: as the call of a factory, and what was set on it since.

A request of a server is written as any object. Nothing of the request's class is called: its state and the exact strings, dicts and
buffers in it are read.
"""

from pytead_tui.recorder import kinds, plans
from pytead_tui.recorder.arrays import new
from pytead_tui.recorder.objects import mro_of, names_of, oid
from pytead_tui.recorder.objects import state as held_by
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.plans import isinstance_type, looker, state, state_readers
from pytead_tui.recorder.values import TAG

REQUEST = ("django.core.handlers.wsgi", "WSGIRequest")
_PAYLOAD = ("django.test.client", "FakePayload")
_VERBS = frozenset(("get", "post", "put", "patch", "delete", "head", "options", "trace"))
# Of a path as it is written in a request; other signs stand there in another way.
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~@+:,=!$&'()*")
# What a request holds of itself, or computes when it is asked.
_OWN = frozenset((
    "environ", "path_info", "path", "META", "method", "content_type", "content_params", "_stream", "_read_started", "GET", "COOKIES",
    "_post", "_files", "_body", "headers", "_encoding", "accepted_types", "accepted_types_by_precedence", "_upload_handlers",
))  # fmt: skip
_DEFAULTS = {
    "HTTP_COOKIE": "", "REMOTE_ADDR": "127.0.0.1", "SCRIPT_NAME": "", "SERVER_NAME": "testserver", "SERVER_PROTOCOL": "HTTP/1.1",
}  # fmt: skip
_TOLD = frozenset(("PATH_INFO", "QUERY_STRING", "REQUEST_METHOD", "CONTENT_LENGTH", "CONTENT_TYPE", "SERVER_PORT"))
_ANY = "application/octet-stream"  # what a factory says that was not told
_FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


def handler(cls: type) -> object:
    """Gives the handler of the class of requests."""
    readers = state_readers(cls, ())
    if readers is None:
        return None
    plain = plans._object(cls, mro_of(cls), readers)
    seen = looker(readers)

    def write(w, v, d):
        held = dict(state(readers, v))
        made = _call(held)
        if made is None:
            return plain(w, v, d)
        if w.names_only:
            return w.named(v)
        if w.brief and w.objects.told(v) is not None and oid(v) not in w.memo:
            return (TAG, "ref", w.entry(v, "ref"))
        ordinal = w.entry(v, "sub")
        if ordinal is None:
            return w.again(v)
        w.mutable = True
        if w.brief:
            w.met[-1].tell(seen, seen(v))
        (module, factory), verb, args, named, extra = made
        maker = new(module, factory, ())
        args = (maker, *[w.value(arg, d + 1) for arg in args])
        call = new(module, factory + "." + verb, args, w.fields(list(named.items()), d))
        return (TAG, "sub", ordinal, *names_of(cls), call, w.fields(extra, d))

    write.by_state = True
    return write


def _call(held: dict) -> "tuple | None":
    """Gives the factory, its method, the arguments and what was set since; None if no factory makes such a request."""
    environ = held.get("environ")
    if type(environ) is not dict or set(map(type, environ)) != {str} or held.get("META") is not environ:
        return None
    body = _body(held, environ.get("wsgi.input"))
    told = [environ.get(name, "") for name in ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE")]
    if body is None or set(map(type, told)) != {str}:
        return None
    method, path, query, kind = told
    if not path.startswith("/") or not _PLAIN.issuperset(path) or "#" in query or not query.isascii():
        return None
    named = {}
    for name, value in environ.items():
        if name in _TOLD or name.startswith("wsgi.") or _DEFAULTS.get(name) == value:
            continue
        if type(value) is not str or not name.isidentifier():
            return None
        named[name] = value
    if environ.get("wsgi.url_scheme") == "https":
        named["secure"] = True
    extra = [(name, value) for name, value in held.items() if name not in _OWN]
    extra = [(name, value) for name, value in extra if name != "resolver_match" or value is not None]
    factory = ("django.test", "RequestFactory")
    if held.get("_dont_enforce_csrf_checks") is True and _has(("rest_framework.test", "APIRequestFactory")):
        factory = ("rest_framework.test", "APIRequestFactory")
        extra = [(name, value) for name, value in extra if name != "_dont_enforce_csrf_checks"]
    verb = method.lower()
    args: tuple = (path + "?" + query if query else path,)
    if verb not in _VERBS or method != method.upper():
        verb, args = "generic", (method, *args)
    if body:
        form = _form(body) if kind.startswith(_FORM) and (verb == "post" or factory[0] == "rest_framework.test") else None
        if form is not None:
            return factory, verb, (*args, form), named, extra
        named = {"content_type": kind, **named}
        try:
            args = (*args, body.decode())
        except UnicodeDecodeError:
            args = (*args, body)
    elif kind and not (factory[0] == "rest_framework.test" and verb in ("get", "head", "trace") and kind == _ANY):
        named = {"CONTENT_TYPE": kind, **named}
    return factory, verb, args, named, extra


def _body(held: dict, payload: object) -> "bytes | None":
    """Gives what was sent; None where no factory made it."""
    if names_of(type(payload)) != _PAYLOAD:
        return None
    content = held_by(payload).get("_FakePayload__content")
    read = held.get("_body")
    if type(read) is bytes:
        return read
    if names_of(type(content)) != ("_io", "BytesIO"):
        return None
    try:
        return content.getvalue()
    except ValueError:  # closed
        return None


def _form(body: bytes) -> "dict | None":
    """Gives the fields of a form as a factory encodes it; None if it holds a file, or a name twice."""
    found: dict = {}
    parts = body.split(b"--BoUnDaRyStRiNg")
    if parts[0] or parts[-1] not in (b"--\r\n", b"--"):
        return None
    for part in parts[1:-1]:
        head, gap, value = part.strip(b"\r\n").partition(b"\r\n\r\n") if part.count(b"\r\n") else (part, b"", b"")
        start = b'Content-Disposition: form-data; name="'
        name = head[len(start):-1]
        if not gap or not head.startswith(start) or not head.endswith(b'"') or b'"' in name:
            return None
        try:
            key = name.decode()
            if key in found:
                return None
            found[key] = value.decode()
        except UnicodeDecodeError:
            return None
    return found


def _has(name: tuple) -> bool:
    module = sys.modules.get(name[0])
    return type(module) is kinds.Module and isinstance_type(module.__dict__.get(name[1]))
