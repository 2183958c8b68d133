"""A request that a factory of Django's made is recorded as the call of the factory, and is made again by it."""

import pytest

pytest.importorskip("django")

SETTINGS = """
    from django.conf import settings

    settings.configure(USE_I18N=False, ROOT_URLCONF="app")
    urlpatterns = []

    from django.test import RequestFactory

    def f(request):
        return request.path

    def main():
        factory = RequestFactory()
        {lines}
"""
S = StopIteration
FACTORY = (S, "new", "django.test", "RequestFactory", (), {})


def recorded(program, *lines):
    spool = program.main(SETTINGS.format(lines="\n        ".join(lines)))
    return spool.calls("f")[0][0].args[0]


@pytest.mark.parametrize(
    ("made", "verb", "args", "named"),
    [
        ('get("/")', "get", ("/",), {}),
        ('get("/page/", {"number": 2, "of": "é"})', "get", ("/page/?number=2&of=%C3%A9",), {}),
        ('get("/", secure=True)', "get", ("/",), {"secure": True}),
        ('get("/", HTTP_ACCEPT="text/plain")', "get", ("/",), {"HTTP_ACCEPT": "text/plain"}),
        ('post("/", {"a": "b", "c": "d e"})', "post", ("/", {"a": "b", "c": "d e"}), {}),
        ('post("/", {"a": ["b", "c"]}, "application/json")', "post", ("/", '{"a": ["b", "c"]}'), {"content_type": "application/json"}),
        ('put("/x", b"\\xff")', "put", ("/x", b"\xff"), {"content_type": "application/octet-stream"}),
        ('delete("/x")', "delete", ("/x",), {}),
        ('generic("PURGE", "/x")', "generic", ("PURGE", "/x"), {}),
    ],
)
def test_a_request_is_the_call_that_makes_it(program, made, verb, args, named):
    tree = recorded(program, f"f(factory.{made})")
    assert tree[1] == "sub" and tree[3:5] == ("django.core.handlers.wsgi", "WSGIRequest")
    assert tree[5:] == ((S, "new", "django.test", f"RequestFactory.{verb}", (FACTORY, *args), named), {})


def test_what_was_set_on_it_since_stands_beside_and_what_it_computed_does_not(program):
    tree = recorded(program, 'request = factory.post("/", {"a": "b"})', "request.user = 'bo'", "request.POST, request.GET", "f(request)")
    assert tree[5][4] == (FACTORY, "/", {"a": "b"})
    assert tree[6] == {"user": "bo"}


def test_a_secret_in_a_header_is_withheld(program):
    tree = recorded(program, 'f(factory.get("/", HTTP_AUTHORIZATION="Basic c2VjcmV0LXdvcmQ="))')
    assert tree[5][5]["HTTP_AUTHORIZATION"][1] == "secret"


@pytest.mark.parametrize("path", ["/a%20b", "/ä"])
def test_what_a_factory_would_write_in_another_way_is_an_object(program, path):
    assert recorded(program, f'f(factory.get("{path}"))')[1] == "obj"


def test_a_request_of_a_server_is_an_object(program):
    lines = [
        "from django.core.handlers.wsgi import WSGIRequest",
        "import io",
        'f(WSGIRequest({"REQUEST_METHOD": "GET", "PATH_INFO": "/", "wsgi.input": io.BytesIO()}))',
    ]
    assert recorded(program, *lines)[1] == "obj"
