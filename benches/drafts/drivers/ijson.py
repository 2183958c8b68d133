"""Uses ijson as a program does that reads long reports piece by piece: generators, coroutines, push parsers."""

import io

import ijson
from ijson import common, utils
from ijson.backends import python as backend

REPORT = b'{"shop": "north", "open": true, "sales": [{"item": "lamp", "price": 19.5}, {"item": "desk", "price": 120}], "note": null}'
NESTED = b'{"a": {"b": [1, [2, {"c": "d"}]]}, "e": "\\u00e4\\n"}'


def pulled():
    list(backend.basic_parse(io.BytesIO(REPORT)))
    list(backend.parse(io.BytesIO(REPORT)))
    list(backend.items(io.BytesIO(REPORT), "sales.item"))
    list(backend.items(io.BytesIO(REPORT), "sales.item.price", use_float=True))
    list(backend.kvitems(io.BytesIO(REPORT), ""))
    list(backend.kvitems(io.BytesIO(NESTED), "a"))
    list(backend.items(b"[1, 2, 3]", "item"))
    list(backend.items(io.BytesIO(b"1 2 [3]"), "", multiple_values=True))
    next(backend.items(io.BytesIO(REPORT), "shop"))
    list(ijson.items(io.BytesIO(NESTED), "a.b.item"))
    list(ijson.parse(io.BytesIO(b"[]")))


def pushed():
    for maker, args in (
        (backend.basic_parse_coro, ()),
        (backend.parse_coro, ()),
        (backend.items_coro, ("sales.item",)),
        (backend.kvitems_coro, ("",)),
    ):
        found = ijson.sendable_list()
        coroutine = maker(found, *args)
        for start in range(0, len(REPORT), 16):
            coroutine.send(REPORT[start : start + 16])
        coroutine.close()
    sink = utils.sendable_list()
    sink.send(1), sink.send("two")


def broken():
    for text in (b"{", b"[1, 2", b"[1 2]", b'{"a" 1}', b"nul", b'"open', b"[1,]", b"", b"{1: 2}"):
        try:
            list(backend.basic_parse(io.BytesIO(text)))
        except common.JSONError:
            pass
    try:
        list(backend.items(io.BytesIO(b"1 2"), ""))
    except common.JSONError:
        pass


def numbers():
    common.integer_or_decimal("12"), common.integer_or_decimal("1.50"), common.integer_or_decimal("-3e2")
    common.integer_or_float("12"), common.integer_or_float("1.5")
    backend.parse_string('"a\\tb"')


def built():
    builder = common.ObjectBuilder()
    for event, value in backend.basic_parse(io.BytesIO(NESTED)):
        builder.event(event, value)
    builder = common.ObjectBuilder(map_type=dict)
    builder.event("start_map", None)
    builder.event("map_key", "a")
    builder.event("number", 1)
    builder.event("end_map", None)
    list(common.items(backend.parse(io.BytesIO(REPORT)), "sales.item"))
    list(common.kvitems(backend.parse(io.BytesIO(REPORT)), ""))
    list(common.parse(backend.basic_parse(io.BytesIO(NESTED))))


def asked():
    common.is_file(io.BytesIO()), common.is_file("text"), common.is_file(3)
    common.is_iterable([1]), common.is_iterable(3)
    common.is_async_file(io.BytesIO())
    source = common.file_source(io.BytesIO(b"abcdef"), buf_size=4)
    list(source)


pulled()
pushed()
broken()
numbers()
built()
asked()
