"""Uses cattrs as a service that reads and writes its messages does."""

import datetime
import enum
from typing import Any, Literal, Optional, Union

import attrs
import cattrs
from cattrs import Converter, GenConverter
from cattrs.fns import identity, raise_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override
from cattrs.preconf import json as json_preconf
from cattrs.strategies import configure_tagged_union, include_subclasses, use_class_methods
from cattrs.v import format_exception, transform_error


class Kind(enum.Enum):
    CAT = "cat"
    DOG = "dog"


@attrs.define
class Tag:
    name: str
    weight: float = 1.0


@attrs.define
class Pet:
    name: str
    kind: Kind
    tags: list[Tag] = attrs.field(factory=list)
    owner: Optional[str] = None


@attrs.frozen
class Circle:
    radius: float


@attrs.frozen
class Square:
    side: float


@attrs.define
class Parent:
    a: int


@attrs.define
class Child(Parent):
    b: int


@attrs.define
class Money:
    cents: int

    @classmethod
    def _structure(cls, data):
        return cls(int(data * 100))

    def _unstructure(self):
        return self.cents / 100


def plain():
    cattrs.structure({"name": "Tom", "kind": "cat"}, Pet)
    cattrs.unstructure(Pet("Rex", Kind.DOG, [Tag("big", 2.5)], "ann"))
    cattrs.structure(["1", 2], list[int])
    cattrs.structure({"a": "1"}, dict[str, int])
    cattrs.structure(None, Optional[int])
    cattrs.structure("3", Union[int, None])
    cattrs.structure(("a", "2"), tuple[str, int])
    cattrs.structure("x", Literal["x", "y"])
    cattrs.structure([1, 1, 2], set[int])
    cattrs.unstructure({"k": {1, 2}})
    cattrs.structure_attrs_fromdict({"name": "t"}, Tag)
    cattrs.structure_attrs_fromtuple(["t", 2.0], Tag)


def strict():
    converter = Converter(forbid_extra_keys=True)
    for data in ({"name": "a", "weight": "x"}, {"name": "a", "more": 1}, {"weight": 1}):
        try:
            converter.structure(data, Tag)
        except Exception as error:
            transform_error(error)
    simple = Converter(detailed_validation=False, prefer_attrib_converters=True)
    try:
        simple.structure({"weight": 1}, Tag)
    except Exception as error:
        format_exception(error, None)
    simple.structure([{"name": "b"}], list[Tag])
    simple.unstructure([Tag("c", 3)])


def hooks():
    converter = Converter()
    converter.register_structure_hook(datetime.date, lambda value, _: datetime.date.fromisoformat(value))
    converter.register_unstructure_hook(datetime.date, lambda value: value.isoformat())
    converter.structure("2024-02-29", datetime.date), converter.unstructure(datetime.date(2024, 1, 1))
    converter.register_structure_hook(Tag, make_dict_structure_fn(Tag, converter, weight=override(rename="w")))
    converter.register_unstructure_hook(Tag, make_dict_unstructure_fn(Tag, converter, weight=override(omit_if_default=True)))
    converter.structure({"name": "a", "w": 3}, Tag), converter.unstructure(Tag("a")), converter.unstructure(Tag("a", 2.0))
    converter.register_structure_hook_func(lambda cl: cl is complex, lambda value, _: complex(value))
    converter.structure("1+2j", complex)
    converter.get_structure_hook(int), converter.get_unstructure_hook(int)
    converter.copy().structure({"name": "z", "w": 1}, Tag)
    identity(5)
    try:
        raise_error(None, int)
    except Exception:
        pass
    override(omit=True)


def strategies():
    converter = Converter()
    configure_tagged_union(Union[Circle, Square], converter)
    converter.unstructure(Circle(1.0), unstructure_as=Union[Circle, Square])
    converter.structure({"side": 2.0, "_type": "Square"}, Union[Circle, Square])
    family = Converter()
    include_subclasses(Parent, family)
    family.structure({"a": 1, "b": 2}, Parent), family.unstructure(Child(1, 2), unstructure_as=Parent)
    money = Converter()
    use_class_methods(money, "_structure", "_unstructure")
    money.structure(1.5, Money), money.unstructure(Money(250))
    unions = GenConverter()
    unions.structure({"radius": 3}, Union[Circle, Square])
    packed = json_preconf.make_converter()
    packed.dumps(Pet("Tom", Kind.CAT)), packed.loads('{"name": "Tom", "kind": "dog"}', Pet)
    packed.unstructure({"when": datetime.datetime(2024, 1, 1), "raw": b"x"}), packed.structure("eA==", bytes)
    cattrs.structure(5, Any)


def main():
    plain()
    strict()
    hooks()
    strategies()


if __name__ == "__main__":
    main()
