"""Uses marshmallow as a service does that checks what clients send: schemas, fields, validators, hooks."""

import datetime
import decimal
import enum
import uuid

from marshmallow import (
    INCLUDE,
    RAISE,
    Schema,
    ValidationError,
    class_registry,
    fields,
    post_dump,
    post_load,
    pre_load,
    utils,
    validate,
    validates,
    validates_schema,
)
from marshmallow.error_store import ErrorStore, merge_errors
from marshmallow.orderedset import OrderedSet


class Kind(enum.Enum):
    HOME = "home"
    WORK = "work"


class Address(Schema):
    street = fields.String(required=True)
    city = fields.String(load_default="Paris")
    kind = fields.Enum(Kind, by_value=True)


class User(Schema):
    name = fields.String(required=True, validate=validate.Length(min=2, max=20))
    email = fields.Email()
    age = fields.Integer(validate=validate.Range(min=0, max=150))
    born = fields.Date(allow_none=True)
    balance = fields.Decimal(places=2, as_string=True)
    tags = fields.List(fields.String())
    addresses = fields.Nested(Address, many=True)
    upper = fields.Method("shouted")
    length = fields.Function(lambda user: len(user["name"]))

    def shouted(self, user):
        return user["name"].upper()

    @pre_load
    def strip(self, data, **kwargs):
        return {key: value.strip() if isinstance(value, str) else value for key, value in data.items()}

    @validates("email")
    def known(self, value, **kwargs):
        if value.endswith("@example.org"):
            raise ValidationError("not from there")

    @validates_schema
    def grown_up(self, data, **kwargs):
        if data.get("age", 99) < 18 and "balance" in data:
            raise ValidationError("too young for a balance", "balance")

    @post_load
    def seen(self, data, **kwargs):
        return {**data, "seen": True}

    @post_dump
    def without_nothing(self, data, **kwargs):
        return {key: value for key, value in data.items() if value is not None}


ADA = {
    "name": "Ada",
    "email": "ada@example.com",
    "age": 36,
    "born": "1815-12-10",
    "balance": "12.5",
    "tags": ["a", "b"],
}


def schemas():
    user = User()
    user.load(ADA)
    user.loads('{"name": " Bob ", "age": "7"}')
    for data in ({}, {"name": "A"}, {"name": "Ann", "age": 200}, {"name": "Ann", "email": "no"}, {"name": "Ann", "x": 1},
                 {"name": "Ann", "email": "a@example.org"}, {"name": "Ann", "age": 5, "balance": "1"}):  # fmt: skip
        try:
            user.load(data)
        except ValidationError:
            pass
    user.validate({"name": 3}), user.validate(ADA)
    user.dump({"name": "Ada", "born": datetime.date(1815, 12, 10), "balance": decimal.Decimal("3"), "tags": None})
    user.dumps({"name": "Bob", "addresses": [{"street": "Main", "kind": Kind.WORK}]})
    User(only=("name",)).dump({"name": "Ada", "age": 3}), User(exclude=("name", "upper")).load({"age": 4})
    User(many=True).load([{"name": "Al"}, {"name": "Bo", "age": 3}])
    User(partial=True).load({"age": 3}), User(unknown=INCLUDE).load({"name": "Ann", "x": 1})
    Address().load({"street": "Main", "kind": "home"}), Address(unknown=RAISE).dump({"street": "S", "kind": Kind.HOME})
    Pet = Schema.from_dict({"name": fields.Str(), "legs": fields.Int()}, name="Pet")
    Pet().load({"name": "Rex", "legs": "4"})


def single_fields():
    for field, good, bad in (
        (fields.Integer(strict=True), 3, 3.5),
        (fields.Float(), "1.5", "nan"),
        (fields.Boolean(), "yes", "perhaps"),
        (fields.DateTime(), "2024-03-05T12:00:00", "then"),
        (fields.Time(), "12:30:00", "noon"),
        (fields.TimeDelta(precision="minutes"), 90, "long"),
        (fields.UUID(), "5c8dbc4f-5f3f-4d3d-a1d2-0f3d2d3c4b5a", "five"),
        (fields.Url(), "https://example.com/a", "example"),
        (fields.IP(), "10.0.0.1", "10.0.0"),
        (fields.Dict(keys=fields.Str(), values=fields.Int()), {"a": "1"}, {"a": "b"}),
        (fields.Tuple((fields.Int(), fields.Str())), [1, "a"], [1]),
        (fields.Decimal(places=1), "1.25", "x"),
        (fields.Constant(7), 1, None),
    ):
        field.deserialize(good)
        try:
            field.deserialize(bad)
        except ValidationError:
            pass
    fields.UUID().serialize("id", {"id": uuid.UUID(int=7)})
    fields.TimeDelta(precision="seconds").serialize("took", {"took": datetime.timedelta(minutes=2)})
    fields.String().serialize("a.b", {"a": {"b": 3}})


def validators():
    for check, good, bad in (
        (validate.Range(min=1, max=5, max_inclusive=False), 3, 5),
        (validate.Length(equal=3), "abc", "ab"),
        (validate.OneOf(["a", "b"], labels=["A", "B"]), "a", "c"),
        (validate.NoneOf(["x"]), "y", "x"),
        (validate.Regexp(r"\d+"), "12", "ab"),
        (validate.Equal(3), 3, 4),
        (validate.ContainsOnly([1, 2]), [1], [3]),
        (validate.ContainsNoneOf([1, 2]), [3], [1]),
        (validate.Email(), "a@b.com", "a@"),
        (validate.URL(schemes={"https"}), "https://a.com", "ftp://a.com"),
        (validate.And(validate.Range(min=0), validate.Range(max=9)), 4, 10),
        (validate.Predicate("isupper"), "AB", "ab"),
    ):
        check(good)
        try:
            check(bad)
        except ValidationError:
            pass
    list(validate.OneOf([1, 2], labels=["one"]).options())
    repr(validate.Range(min=1)), repr(validate.Length(max=2))


def helpers():
    utils.is_collection([1]), utils.is_collection("a"), utils.is_generator(iter([1]))
    utils.timestamp(datetime.datetime(2024, 3, 5, tzinfo=datetime.timezone.utc)), utils.from_timestamp(0)
    utils.get_value({"a": {"b": 1}}, "a.b"), utils.get_value({"a": 1}, "c", "none")
    target = {}
    utils.set_value(target, "a.b", 3)
    try:
        utils.set_value({"a": 1}, "a.b", 3)
    except ValueError:
        pass
    utils.pluck([{"a": 1}, {"a": 2}], "a"), utils.timedelta_to_microseconds(datetime.timedelta(seconds=2))
    merge_errors({"a": ["x"]}, {"a": ["y"], "b": ["z"]}), merge_errors(["a"], "b"), merge_errors(None, "c")
    store = ErrorStore()
    store.store_error(["bad"], "name"), store.store_error({"age": ["low"]}, index=2)
    names = OrderedSet("abcab")
    names.add("d"), names.discard("a"), names.pop(), list(reversed(names)), "b" in names
    class_registry.get_class("User")
    try:
        class_registry.get_class("Nobody")
    except Exception:
        pass
    error = ValidationError({"name": ["short"]}, data={"name": "A"})
    error.normalized_messages()


schemas()
single_fields()
validators()
helpers()
