"""Edits of defaults in memory do what the same edit of the file does."""

import importlib.util
import itertools
import sys
import types
from pathlib import Path

import pytest

from pytead_tui.worker import mutants

SOURCE = """
import functools
import inspect
from dataclasses import dataclass
from typing import NamedTuple


def cut(x, limit=200):
    return len(x[:limit])


def large(x, limit=2000):
    return x * limit


def joined(x, sep=","):
    return sep.join(x)


def flag(x, deep=True, at=-1, by=0.5, other=None):
    return x, deep, at, by, other


def named(x, *, limit=20, sep="-"):
    return f"{x}{sep}{limit}"


@dataclass
class Box:
    size: int = 200
    name: str = "box"
    tags: tuple = ()

    def area(self):
        return self.size * 2, self.name


@dataclass
class Large(Box):
    deep: bool = True

    def all(self):
        return self.area(), self.deep


class Pair(NamedTuple):
    left: int
    right: int = 7

    def total(self):
        return self.left + self.right


class Plain:
    limit = 200
    quiet = False
    own = 3

    def __init__(self, own=4):
        self.own = own

    def of(self):
        return self.limit, self.quiet, self.own


def early(function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def inner(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return function(*bound.args, **bound.kwargs)

    return inner


def late(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@early
def bound(x, n=9):
    return x + n


@late
def passed(x, n=9):
    return x + n
"""

COUNT = itertools.count()


def loaded(folder: Path, source: str) -> types.ModuleType:
    name = f"defaults_{next(COUNT)}"
    file = folder / f"{name}.py"
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def function_of(module: types.ModuleType, name: str) -> types.FunctionType:
    held = module
    for part in name.split("."):
        held = vars(held)[part]
    return getattr(held, "__wrapped__", held)


CALLS = [
    ("cut", "limit=200 → 201", "cut('x' * 300)", "cut('x')"),
    ("large", "limit=2000 → 2001", "large(1)", "large(1, 5)"),
    ("joined", "sep=',' → 'XX,XX'", "joined('ab')", "joined('a')"),
    ("flag", "deep=True → False", "flag(1)", "flag(1, False)"),
    ("flag", "at=-1 → 0", "flag(1)", "flag(1, at=3)"),
    ("flag", "by=0.5 → 1.5", "flag(1)", "flag(1, by=0.1)"),
    ("named", "limit=20 → 21", "named(1)", "named(1, limit=2)"),
    ("named", "sep='-' → 'XX-XX'", "named(1)", "named(1, sep='')"),
    ("Box.area", "size=200 → 201", "Box().area()", "Box(3).area()"),
    ("Box.area", "size=200 → 201", "Large().area()", "Large(3).all()"),
    ("Box.area", "name='box' → 'XXboxXX'", "Box(1).area()", "Box(1, 'a').area()"),
    ("Large.all", "deep=True → False", "Large().all()", "Large(deep=False).all()"),
    ("Pair.total", "right=7 → 8", "Pair(1).total()", "Pair(1, 2).total()"),
    ("Plain.of", "limit=200 → 201", "Plain().of()", "cut('')"),
    ("Plain.of", "quiet=False → True", "Plain().of()", "cut('')"),
    ("Plain.of", "own=3 → 4", "Plain.own", "Plain().of()"),
    ("Plain.__init__", "own=4 → 5", "Plain().of()", "Plain(9).of()"),
    ("passed", "n=9 → 10", "passed(1)", "passed(1, 2)"),
]


@pytest.mark.parametrize(("name", "label", "differs", "equals"), CALLS)
def test_an_edit_in_memory_does_what_it_does_in_the_file(tmp_path, name, label, differs, equals):
    module = loaded(tmp_path, SOURCE)
    function = function_of(module, name)
    before = [eval(call, vars(module)) for call in (differs, equals)]
    found = {mutant.label: mutant for mutant in mutants.of(function, 60)}
    mutant = found[label]

    lines = SOURCE.splitlines(keepends=True)
    own, _, other = label.partition("=")[2].partition(" → ")
    text = own.replace("'", '"')
    assert text in lines[mutant.line - 1], "the line is that of the default"
    lines[mutant.line - 1] = lines[mutant.line - 1].replace(f"= {text}", f"= {other}").replace(f"={text}", f"={other}")
    edited = loaded(tmp_path, "".join(lines))
    in_file = [eval(call, vars(edited)) for call in (differs, equals)]

    mutated = mutants.Own(function)
    mutated.put(mutant.code, mutant.default)
    in_memory = [eval(call, vars(module)) for call in (differs, equals)]
    assert in_memory == in_file and in_memory[0] != before[0] and in_memory[1] == before[1]
    mutated.put(mutated.code)
    assert [eval(call, vars(module)) for call in (differs, equals)] == before


def test_what_a_decorator_took_before_is_not_said_to_be_unnoticed(tmp_path):
    module = loaded(tmp_path, SOURCE)
    assert not [one for one in mutants.of(function_of(module, "bound"), 60) if one.default is not None]


def test_a_default_that_is_no_plain_value_has_no_edit(tmp_path):
    module = loaded(tmp_path, SOURCE)
    labels = [one.label for one in mutants.of(function_of(module, "flag"), 60) if one.default is not None]
    assert sorted(labels) == ["at=-1 → 0", "by=0.5 → 1.5", "deep=True → False"]
    assert not [one for one in mutants.of(function_of(module, "Box.area"), 60) if "tags" in one.label]


def test_defaults_come_beside_other_faults(tmp_path):
    module = loaded(tmp_path, SOURCE)
    found = [mutant.label for mutant in mutants.of(function_of(module, "passed"), 4)]
    assert found == ["returns nothing", "returns something else", "n=9 → 10", "+ → -"]
