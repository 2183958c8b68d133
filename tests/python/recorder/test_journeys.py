"""What a journey tells of the calls of a test, and what it leaves out."""

import sys

import pytest

MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_short_journey_lacks_nothing(program, mechanism):
    spool = program.main("""
        def f(x):
            return x

        def main():
            for _ in range(1_995):
                f(1)
    """, PYTEAD_MODE="journey", PYTEAD_EVENTS=mechanism)  # fmt: skip
    assert len(spool.calls("f")) == 1_995
    assert not spool.of("G")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_long_journey_leaves_out_the_repeats_of_a_function_and_nothing_else(program, mechanism):
    spool = program.main("""
        def f(x):
            return x

        def often(x):
            return x

        def once(x):
            return x

        def main():
            for _ in range(30_000):
                f(1)
            for _ in range(150):
                often(2)
            once(3)
    """, PYTEAD_MODE="journey", PYTEAD_EVENTS=mechanism)  # fmt: skip
    assert len(spool.calls("f")) == 2_000
    assert len(spool.calls("often")) == 50
    assert [g[1] for g in spool.of("G")] == ["repeats of app:f", "repeats of app:often"]
    assert spool.one("once")[1].value == 3
    assert spool.one("main")[1][0] == "R" and spool.of("Z")


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_recursion_that_is_left_out_of_a_journey_leaves_the_ends_right(program, mechanism):
    spool = program.main("""
        def down(n):
            return n and down(n - 1)

        def main():
            for _ in range(50):
                down(60)
            return "done"
    """, PYTEAD_MODE="journey", PYTEAD_EVENTS=mechanism)  # fmt: skip
    assert [g[1] for g in spool.of("G")] == ["repeats of app:down"]
    calls = spool.calls("down")
    assert all(end and end.value == 0 for _, end in calls)
    ends = [r.cid for r in spool.of("R")]
    assert len(ends) == len(set(ends)) == len(calls) + 1
    starts = {c.cid: c.ns for c, _ in calls}
    assert all(end.ns > starts[c.cid] for c, end in calls)
    assert spool.one("main")[1].value == "done"


def test_a_journey_of_many_functions_is_cut_after_20_000_events(program):
    source = "".join("\ndef f%d(x):\n    return x\n" % i for i in range(300))
    source += "\ndef main():\n    for i in range(120):\n        " + "; ".join("f%d(i)" % i for i in range(300)) + "\n"
    spool = program.main(source, PYTEAD_MODE="journey")
    events = sum(r[0] in "CRXYST" for r in spool.records)
    assert 20_000 <= events <= 20_005
    assert [g[1] for g in spool.of("G")] == ["journey cut"]
    assert spool.one("main")[1][0] == "R" and spool.of("Z"), "the ends of what had begun are there"


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_what_a_journey_tells_in_brief_says_that_state_was_not_looked_at(program, mechanism):
    spool = program.main("""
        class Cart:
            def __init__(self):
                self.items = []

            def add(self, item, tags):
                if item == 1_500:
                    self.items.clear()
                self.items.append(item)
                return self

        def main():
            cart = Cart()
            for i in range(1_900):
                cart.add(i, ["a", [cart]])
    """, PYTEAD_MODE="journey", PYTEAD_EVENTS=mechanism)  # fmt: skip
    calls = spool.calls("Cart.add")
    brief = [(c, end) for c, end in calls if len(c) == 12]
    full = [(c, end) for c, end in calls if len(c) == 11]
    assert calls == full + brief and len(full) == 499 and len(brief) == 1_401, (
        "1,000 events in full, one of them main's"
    )
    assert all(end.changed["self"][1] == "obj" for _, end in full)
    cart = full[0][0].receiver
    for c, end in brief:
        assert c[11] is True and c.receiver == cart
        assert c.args[0][1:] == ("opaque", cart, "app", "Cart") and type(c.args[1]) is int
        assert c.args[2][0] == "a" and c.args[2][1][0][1] == "cut", "one level of a container"
        assert end.changed is None and end.value[1:] == ("opaque", cart, "app", "Cart")
    lines = [(r[1], r[2]) for r in spool.of("L")]
    clears = next(c.cid for c, _ in brief if c.args[1] == 1_500)
    assert [found for found in lines if found[0] in {c.cid for c, _ in brief}] == [(clears, (8,))], "new lines are told"


def test_a_journey_tells_every_name_of_a_dict_whatever_it_cuts_of_the_values(program):
    spool = program.main("""
        def load():
            return {"small": "S", "rows": [{"i": i, "t": "y", "end": "E"} for i in range(14)], "tail": "T"}

        def main():
            load()
    """, PYTEAD_MODE="journey")  # fmt: skip
    [(_, end)] = spool.calls("load")
    assert list(end.value) == ["small", "rows", "tail"]
    assert end.value["rows"][0] == {"i": 0, "t": "y", "end": "E"} and end.value["tail"][1] == "cut"


def test_a_journey_of_yields_is_cut_too(program):
    spool = program.main("""
        def numbers():
            yield from range(30_000)

        def main():
            for i in numbers():
                pass
    """, PYTEAD_MODE="journey")  # fmt: skip
    assert len(spool.of("Y")) == 19_998
    assert [g[1] for g in spool.of("G")] == ["journey cut"]
    assert spool.one("numbers")[1].value is None


def test_a_journey_tells_an_object_once_and_then_what_changed(program):
    spool = program.main("""
        class Stock:
            def __init__(self, name):
                self.name = name
                self.pieces = {"pen": 3}
                self.sold = []
                self.open = True

            def sell(self, what):
                self.pieces[what] -= 1

            def note(self, what):
                self.sold.append(what)

            def rename(self, what):
                self.sold[0] = what

            def look(self):
                return self.open

            def close(self):
                self.open = 0 if self.open is False else False

        class Big(str):
            pass

        def take(stock, word, numbers):
            numbers[0] += 1
            return stock

        def main():
            stock = Stock("north")
            stock.look()
            stock.sell("pen")
            stock.note("pen")
            stock.rename("ink")
            stock.close()
            stock.close()
            stock.look()
            stock.open = True
            stock.look()
            word = Big("word")
            numbers = [300, 301]
            take(stock, word, numbers)
            take(stock, word, numbers)
    """, PYTEAD_MODE="journey")  # fmt: skip
    (_, made), *_ = spool.calls("Stock.__init__")
    ordinal = spool.calls("Stock.look")[0][0].receiver
    assert made.changed["self"][-1] == {"name": "north", "pieces": {"pen": 3}, "sold": [], "open": True}
    assert spool.calls("Stock.look")[0][0].args[0][1:] == ("ref", ordinal)
    changes = [end.changed for name in ("sell", "note", "rename", "close") for _, end in spool.calls("Stock." + name)]
    assert [c["self"][-1] for c in changes] == [
        {"pieces": {"pen": 2}}, {"sold": ["pen"]}, {"sold": ["ink"]}, {"open": False}, {"open": 0},
    ]  # fmt: skip
    assert [c.receiver for c, _ in spool.calls("Stock.look")] == [ordinal] * 3
    assert [c.args[0][1:] for c, _ in spool.calls("Stock.look")][1:] == [
        ("ref", ordinal), ("obj", ordinal, "app", "Stock", "plain", {"open": True}),
    ]  # fmt: skip
    (first, one), (second, two) = spool.calls("take")
    assert first.args[1][1] == "sub" and second.args[1][1:] == ("ref", first.args[1][2])
    assert [c.args[2] for c in (first, second)] == [[300, 301], [301, 301]]
    assert [end.changed for end in (one, two)] == [{"numbers": [301, 301]}, {"numbers": [302, 301]}]
    assert one.value[1:] == ("ref", ordinal)
