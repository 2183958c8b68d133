"""Faults of functions whose files are as they were, or are not."""

import importlib.util
import types
from pathlib import Path

import pytest

from pytead_tui.worker import made, mutants
from pytead_tui.worker.lookup import Broken

SOURCE = "class Cart:\n    @staticmethod\n    def total(n):\n        return n + 1\n"


CLOSURES = """
def comparer(sign, by):
    class Comparer:
        def compare(self, other):
            return sign(self.n, other.n + by) and self.__private

    def compare(self, other):
        return sign(self.n, other.n + by)

    return Comparer.compare, compare


class Made:
    _, __gt__ = comparer(max, 1)
    _, __lt__ = comparer(min, 1)


inner, _ = comparer(min, 2)
"""


def loaded(file: Path, source: str) -> types.ModuleType:
    file.write_text(source)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CONSTANTS = """
from decimal import Decimal

RATES = {"TEN": Decimal("0.1"), "HALF": Decimal("0.5")}
LARGE = dict.fromkeys(range(50), 1)
WORDS = {"a": "b"}
FREE_FROM = 100
rates = {"x": 1}


def price(amount, code):
    if code not in RATES or code in rates or code in LARGE:
        raise LookupError(code)
    return WORDS["a"], amount * RATES[code], amount * RATES.get(code, 0), amount > FREE_FROM


def shadowed(FREE_FROM):
    return FREE_FROM
"""


@pytest.fixture
def total(tmp_path: Path) -> types.FunctionType:
    return loaded(tmp_path / "cart.py", SOURCE).Cart.total


def test_what_closes_over_something_has_faults(tmp_path):
    module = loaded(tmp_path / "closures.py", CLOSURES)
    for function in module.inner, module.Made.__gt__:
        found = mutants.of(function, 8)
        assert {"1 → 2", "+ → -"} & {mutant.label for mutant in found} == {"+ → -"}
        assert all(mutant.code.co_freevars == ("by", "sign") for mutant in found)


def test_all_that_a_factory_made_is_found_where_classes_and_modules_keep_it(tmp_path):
    module = loaded(tmp_path / "closures.py", CLOSURES)
    assert made.find(module, "comparer.<locals>.compare", [module]) == [module._, module.Made.__gt__, module.Made.__lt__]
    assert made.find(module, "comparer.<locals>.Comparer.compare", [module]) == [module.inner, module.Made._]
    for gone in "comparer.<locals>.other", "compared.<locals>.compare":
        with pytest.raises(Broken, match="there is no"):
            made.find(module, gone, [module])
    with pytest.raises(Broken, match="no name leads to what comparer makes"):
        made.find(module, "comparer.<locals>.compare", [])


FACTORY = """
class App:
    def __init__(self):
        self.views = {}

    def route(self, view):
        self.views[view.__name__] = view


def create_app(sign):
    app = App()

    def hello(name, times=1):
        return sign + name * times

    class Later:
        def bye(self):
            return sign + "bye"

    app.route(hello)
    app.route(Later().bye)
    return app


app = create_app("?")
"""


def test_a_fault_of_a_function_that_nothing_keeps_is_in_all_that_are_made_and_there(tmp_path):
    module = loaded(tmp_path / "factory.py", FACTORY)
    calls = lambda app: (app.views["hello"]("a"), app.views["bye"]())  # noqa: E731
    of_hello, of_bye = (made.within(module, f"create_app.<locals>.{name}") for name in ("hello", "Later.bye"))
    assert calls(module.app) == ("?a", "?bye")
    for own, other in (of_hello, 1), (of_bye, 0):
        faults = mutants.of(own.function, 8)
        assert {"returns nothing", "+ → -"} <= {mutant.label for mutant in faults}
        nothing = next(mutant for mutant in faults if mutant.label == "returns nothing")
        own.put(nothing.code)
        for app in module.create_app("!"), module.app:
            ends = calls(app)
            assert ends[1 - other] is None and ends[other] is not None
        own.put(own.code)
        assert calls(module.create_app("!")) == ("!a", "!bye") and calls(module.app) == ("?a", "?bye")
    with pytest.raises(Broken, match="there is no"):
        made.within(module, "create_app.<locals>.gone")


def test_constants_of_the_module_are_otherwise_where_a_function_computes_with_them(tmp_path):
    module = loaded(tmp_path / "constants.py", CONSTANTS)
    found = [mutant for mutant in mutants.of(module.price, 60) if "→ RATES[" in mutant.label or "+ 1" in mutant.label]
    entries = ["RATES['TEN'] → RATES['TEN'] / 2", "RATES['HALF'] → RATES['HALF'] / 2"]
    assert sorted(mutant.label for mutant in found) == sorted([*entries, *entries, "FREE_FROM → FREE_FROM + 1"])
    kept = module.price.__code__
    ends = set()
    for mutant in found:
        module.price.__code__ = mutant.code
        ends.add((module.price(100, "TEN"), module.price(101, "HALF")))
    module.price.__code__ = kept
    assert (module.price(100, "TEN"), module.price(101, "HALF")) not in ends, "each is noticed by one of the two"
    assert len(ends) == len(found)
    assert all(end[0][1] > 0 for end in ends), "a sign that changes is noticed by zero, which shows nothing else"
    assert [mutant for mutant in mutants.of(module.shadowed, 8) if "+ 1" in mutant.label] == []


def test_faults_stand_on_the_lines_of_the_file(total):
    found = {mutant.label: mutant.line for mutant in mutants.of(total, 8)}
    assert found["1 → 2"] == found["+ → -"] == 4
    assert all(mutant.code.co_firstlineno in (2, 3) for mutant in mutants.of(total, 8))


@pytest.mark.parametrize(
    "text", ["", "a = 1\n", 'a = """\n\n\n\n', "a = (\n\n(\n\n", "\n  (\n)]\n", "def f(:\n" * 4, SOURCE.replace("total", "sum")]
)
def test_a_file_that_is_another_by_now_has_no_faults(total, text):
    Path(total.__code__.co_filename).write_text(text)
    assert mutants.of(total, 8) == []


STATEMENTS = """\
def price(lines, rate):
    total = 0
    for line in lines:
        total += (
            line
            * 3
        )
    if rate > 1:
        @cached(4)
        def by(n):
            return n + 5
        print(by(6))
    return total
"""


def test_a_fault_is_within_the_lines_of_its_innermost_statement(tmp_path):
    module = loaded(tmp_path / "m.py", STATEMENTS)
    found = {fault.label: fault for fault in mutants.of(module.price, 30)}
    within = {label: (fault.within.start, fault.within.stop - 1) for label, fault in found.items() if fault.within}
    assert within["3 → 4"] == within["* → //"] == within["line 4 is left out"] == (4, 7)
    assert within["1 → 2"] == (8, 12), "with all that follows from a condition"
    assert within["4 → 5"] == (9, 11), "with its decorators"
    assert within["5 → 6"] == (11, 11)
    assert within["line 12 is left out"] == within["6 → 7"] == (12, 12)
    assert found["returns nothing"].within is found["returns something else"].within is None
    ran = {2, 3, 8, 13}
    assert found["5 → 6"].is_out_of_reach(ran) and not found["1 → 2"].is_out_of_reach(ran)
    assert not found["returns nothing"].is_out_of_reach(ran) and not found["5 → 6"].is_out_of_reach(None)
