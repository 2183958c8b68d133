//! Functions whose own calls give no test: tests of the functions that call them (R33). And functions that others define, as arguments.

use crate::applications::{passes, project};

const PRICES: &str = r#"import xml.etree.ElementTree as ET


def check_price(element):
    price = int(element.get("price", "0"))
    name = element.get("name")
    if price < 0:
        return f"{name}: below zero"
    if price > 1000:
        return f"{name}: too dear"
    return None


def problems(text):
    found = [check_price(element) for element in ET.fromstring(text)]
    return [one for one in found if one]


def bill(amounts, step):
    def to_step(amount):
        return round(amount / step) * step

    return [to_step(amount) for amount in amounts]


def at_least(limit):
    def wanted(amount):
        return amount >= limit

    return wanted


def chosen(amounts, wanted):
    return [amount for amount in amounts if wanted(amount)]


def total(basket):
    return sum(price * count for price, count in basket.lines)


class Pages:
    size = 10

    def count(self, amount):
        return -(-amount // self.size)
"#;

const TESTS: &str = r#"import pytest

from shop import prices


class Basket:
    def __init__(self, lines):
        self.lines = lines


@pytest.mark.parametrize("price", [-7, -1, 0, 3, 5, 8, 21, 400, 999, 1000, 1001, 5000])
def test_problems(price):
    for name in ("tea", "cake", "ink"):
        found = prices.problems(f'<all><item name="{name}" price="{price}"/><item name="pen" price="2"/></all>')
        assert len(found) == (price < 0 or price > 1000)


@pytest.mark.parametrize("step", [2, 5, 10, 25])
def test_bill(step):
    for amounts in ([], [1], [7, 12], [13, 26, 49], [99, 1, 3], [55], [8, 8], [120, 3]):
        assert len(prices.bill(amounts, step)) == len(amounts)


def test_chosen():
    limit = 4

    def is_small(amount):
        return amount < limit

    assert prices.chosen([1, 9, 3], is_small) == [1, 3]
    assert prices.chosen([1, 9, 3], prices.at_least(3)) == [9, 3]


def test_total():
    assert prices.total(Basket([(4, 2), (1, 3)])) == 11


def test_pages():
    class Small(prices.Pages):
        size = 3

    class Smaller(Small):
        """A page of a notebook."""

        size = 2

    assert Smaller().count(7) == 4
"#;

/// R33, R3: an element of a parser cannot be written, and neither can a function inside of another one be called: the calls of what
/// calls them can. A function or a class that a test defines is repeated
/// with its lines, a class of a test file is imported where the file lies in a package.
#[test]
fn what_no_test_can_call_is_tested_by_what_calls_it() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/prices.py", PRICES),
        ("tests/__init__.py", ""),
        ("tests/test_prices.py", TESTS),
        ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n"),
    ];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for function in ["check_price", "problems", "bill.<locals>.to_step", "bill", "chosen", "total", "Pages.count"] {
        assert!(out.contains(&format!("shop.prices:{function}  ready")), "{function}: {out}{err}");
    }
    let text = place.read("tests/pytead/test_pytead_shop__prices.py");
    for lines in [
        "def test_check_price_in_problems",
        "def test_bill_to_step_in_bill",
        "    limit = 4\n\n    def is_small(amount):\n        return amount < limit\n\n    assert chosen([1, 9, 3], is_small) == [1, 3]\n",
        "    assert chosen([1, 9, 3], at_least(3)) == [9, 3]\n",
        "from tests.test_prices import Basket\n",
        "    class Small(prices.Pages):\n        size = 3\n",
        "    class Smaller(Small):\n        size = 2\n",
        "    assert pages.count(7) == 4\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    passes(&place, &python, &[]);
    passes(&place, &python, &["tests/pytead", "tests/test_prices.py"]);
    // By its name a function gets the same test, with nothing else gathered.
    let (code, again, err) = place.run(&["--trust", "--python", &python, "gen", "--check"]);
    assert_eq!(code, 0, "{again}{err}");
    // Its tests notice a mistake in it.
    place.edit("shop/prices.py", "name = element.get(\"name\")", "name = element.get(\"price\")");
    let mut pytest = std::process::Command::new(&python);
    let only = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/pytead", "-k", "check_price_in_problems"];
    let done = pytest.args(only).current_dir(place.root()).output().unwrap();
    assert!(!done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
