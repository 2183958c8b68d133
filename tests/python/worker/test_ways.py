"""Arguments that make an object, found in what it says of itself."""

import ast
import functools
import io

from pytead_tui.worker import ways
from pytead_tui.worker.capture import tree_of


class Length:
    def __init__(self, text, unit="m"):
        self._metres = float(text.removesuffix("m"))

    def __str__(self):
        return f"{self._metres}m"


class Told(Length):
    def __repr__(self):
        return f"<Told({self._metres}, unit='cm')>"

    def __init__(self, metres, unit="m"):
        self._metres, self.unit = metres, unit


class Loud(Length):
    def __str__(self):
        raise RuntimeError("not now")

    def __repr__(self):
        return "Loud(" * 200


class Silent:
    pass


def arguments(value):
    return [(args, named) for args, named, _ in ways.of(value)]


def test_a_text_is_the_only_argument():
    found = ways.of(Length("2.5"))
    assert [(args, named) for args, named, _ in found] == [(("2.5m",), {})]
    assert found[0][2][5:] == tree_of(Length("2.5"))[5:]


def test_a_repr_is_read_as_the_call_it_shows():
    assert arguments(Told(2.5, "cm"))[0] == ((2.5,), {"unit": "cm"})


def test_what_says_nothing_may_be_made_without_arguments():
    assert arguments(Silent()) == [((), {})]
    assert arguments(Loud("1")) == []


def test_only_literals_and_calls_of_the_class_are_read():
    for text in ("Length(open('x'))", "Other('1')", "Length('1'", "Length(*a)", "1 + 1", "Length(" * 300):
        assert ways._called(text, "Length") == []
    assert ways._called("pkg.Length('1', unit=None)", "Length") == [(("1",), {"unit": None})]


class Moment:
    def __init__(self, year, month, day=1, zone=None, **more):
        self._held = (year, month, day, zone or "UTC")

    year = property(lambda self: self._held[0])
    day = property(lambda self: self._held[2])

    def __getattr__(self, name):
        if name == "month":
            return self._held[1]
        raise AttributeError(name)

    @property
    def zone(self):
        return self._held[3]


class Parcel:
    def __init__(self, x, y, z, weight, fragile=False, *, code=""):
        self._held = {"x": x, "y": y, "z": z, "weight": weight, "fragile": fragile, "code": code}

    def __getattr__(self, name):
        return self.__dict__["_held"][name]


class Method:
    def __init__(self, size):
        self._held = size

    def size(self):
        return self._held


def test_attributes_with_the_names_of_parameters_are_arguments_the_fewest_first():
    assert arguments(Moment(2013, 2)) == [((2013, 2), {}), ((2013, 2), {"zone": "UTC"})]
    assert arguments(Moment(2013, 2, 3, "CET")) == [((2013, 2, 3), {}), ((2013, 2, 3), {"zone": "CET"})]


def test_a_method_is_no_argument():
    assert arguments(Method(3)) == []


def test_flags_and_many_arguments_are_given_by_name():
    assert arguments(Parcel(1, 2, 3, 4)) == [((1, 2, 3), {"weight": 4})]
    assert arguments(Parcel(1, 2, 3, 4, True, code="x")) == [((1, 2, 3), {"weight": 4, "fragile": True, "code": "x"})]


class Mark:
    def __init__(self, at):
        self.at = at


class Token:
    def __init__(self, start, end, *, around=None):
        self.start, self.end, self.around = start, end, around


def test_two_objects_among_the_arguments_are_two_and_one_is_one():
    mark = Mark(1)
    (way,) = [way for way in ways.of(Token(mark, Mark(2), around=mark)) if "around" in way[1]]
    (start, end), around = way[0], way[1]["around"]
    assert start[2] != end[2]
    assert around[1:3] == ("ref", start[2]) or around[2] == start[2]


class Row:
    """As models of Django and SQLAlchemy: any field by its name."""

    def __init__(self, *args, **fields):
        self._state = "new"
        self.id = None
        self.__dict__.update(fields)


class More:
    def __init__(self, first, **more):
        self.title = first


def test_what_takes_any_name_is_made_of_its_public_fields():
    assert arguments(Row(text="x", votes=11)) == [((), {"text": "x", "votes": 11}), ((), {})]
    ((_, _, made), _) = ways.of(Row(text="x"))
    assert made == tree_of(Row(text="x"))
    assert arguments(Row()) == [((), {})]
    assert arguments(More("a")) == []


class Upload:
    """As those of frameworks: what one argument tells, another one tells again, and a file keeps its content to itself."""

    def __init__(self, name, content, size=None, kind="text"):
        self._name, self.kind, self.size = name, kind, len(content) if size is None else size
        self.file = io.BytesIO(content)

    def __getattr__(self, name):
        return getattr(self.__dict__["file"], name)


class Answer:
    def __init__(self, status, headers=None, content=None, text=None, json=None):
        self.status, self._data, self._headers = status, content, dict(headers or {})
        if content is None:
            self._data = (text if json is None else "%r" % json).encode()
            self._headers["type"] = "text" if json is None else "data"

    headers = property(lambda self: self._headers)
    content = property(lambda self: self._data)
    text = property(lambda self: self._data.decode())

    def json(self):
        return ast.literal_eval(self.text)


class Query(dict):
    def __init__(self, text="", frozen=True):
        super().__init__(pair.split("=") for pair in text.split("&") if pair)
        self._frozen = frozen

    def urlencode(self):
        return "&".join(map("=".join, self.items()))


def same(value):
    return [(args, named) for args, named, made in ways.of(value) if made == tree_of(value)]


def test_what_a_file_was_made_of_is_read_and_stays_where_it_was():
    upload = Upload("a.txt", b"tea")
    upload.file.seek(2)
    assert [way for way in arguments(upload) if way[0][:2] == ("a.txt", b"tea")]
    assert upload.file.tell() == 2
    assert same(Upload("a.txt", b"tea"))[0] == (("a.txt", b"tea"), {})


def test_of_arguments_that_tell_the_same_a_person_gives_the_one_that_is_read_best():
    assert same(Answer(200, json={"a": 1}))[0] == ((200,), {"json": {"a": 1}})
    assert same(Answer(404, text="tea"))[0] == ((404,), {"text": "tea"})


def test_a_text_that_spells_an_object_is_its_first_argument():
    assert same(Query("a=1&b=2"))[0] == (("a=1&b=2",), {})
    assert (("a=1&b=2",), {"frozen": False}) in same(Query("a=1&b=2", frozen=False))


class Rows:
    def __init__(self, rows):
        self.rows = rows

    @functools.cached_property
    def count(self):
        return len(self.rows)


def test_what_a_cached_property_keeps_is_named():
    rows = Rows([1])
    assert ways.cached(rows) == []
    assert rows.count == 1 and ways.cached(rows) == ["count"]
    assert ways.cached(3) == []


class Greedy:
    def __init__(self, items, more=()):
        self.items, self.more = items, more
        items.append("taken")


def test_what_a_constructor_does_to_its_arguments_is_done_to_others():
    greedy = Greedy([])
    arguments(greedy)
    assert greedy.items == ["taken"]
