//! `pytead-tui types` on the real binary, its stubs read by mypy.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod harness;

use harness::Place;

const LIBRARY: &str = r#"
"""A library without a single annotation."""
import re
from decimal import Decimal as D

LIMIT = 3


class Box:
    """Holds things."""

    kind = "box"

    def __init__(self, items=(), label=None):
        self.items = list(items)
        self.label = label
        self._seen = set()

    @property
    def size(self):
        return len(self.items)

    @classmethod
    def of(cls, *items, **options):
        return cls(items, **options)

    def pairs(self):
        for at, item in enumerate(self.items):
            yield at, item

    def list(self):
        return self.items


def parse(text, sep=",", strict=False):
    if strict and not text:
        raise ValueError("empty")
    return {part.strip(): len(part) for part in text.split(sep)} if text else None


def ratio(a, b):
    return a / b


def price(amount):
    return D(amount)


def first(pattern, texts):
    return next((text for text in texts if pattern.match(text)), None)


def apply(function, value):
    return function(value)


def boxed(value):
    return Box([value]).list()


async def later(x):
    return x


async def ticks(n):
    for tick in range(n):
        yield tick


def annotated(x: int) -> str:
    return str(x)


print("loaded")
"#;

const MAIN: &str = r#"
import asyncio
import re

from lib import Box, annotated, apply, boxed, first, later, parse, price, ratio, ticks


async def drain():
    return [tick async for tick in ticks(2)]


box = Box(["a", "b"], label="x")
box.size, Box.of(1, 2, label="y"), list(box.pairs()), Box().list()
parse("a,b"), parse("", strict=False), parse("a;b", sep=";")
ratio(1, 2), ratio(1.5, 2), price("1.10"), first(re.compile("a"), ["b", "ab"]), first(re.compile("a"), ["c"])
apply(len, "abc"), apply(annotated, 3), boxed(1), boxed("a")
asyncio.run(later(1)), asyncio.run(drain())
"#;

fn mypy(args: &[&str], folder: &std::path::Path) -> (bool, String) {
    let output = std::process::Command::new(harness::python_with_pytest())
        .args(["-m", "mypy", "--strict", "--no-error-summary", "--cache-dir=/dev/null"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

fn stubbed() -> (Place, String) {
    let place = Place::empty();
    place.save("lib.py", LIBRARY);
    place.save("main.py", MAIN);
    let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
    assert_eq!(code, 0, "{err}");
    let (code, out, err) = place.run(&["types", "lib", "-d", "typings"]);
    assert_eq!(code, 0, "{out}{err}");
    let stub = place.read("typings/lib.pyi");
    (place, stub)
}

#[test]
fn stubs_say_what_was_seen_and_mypy_reads_them() {
    let (place, stub) = stubbed();
    for line in [
        "    def size(self) -> int: ...",
        "    label: str | None",
        "    _seen: set[Any]",
        "def parse(text: str, sep: str = \",\", strict: bool = False) -> dict[str, int] | None: ...",
        "def ratio(a: float, b: int) -> float: ...",
        "def price(amount: str) -> D: ...",
        "def first(pattern: re.Pattern[str], texts: builtins.list[str]) -> str | None: ...",
        "def apply(function: Callable[..., Any], value: int | str) -> int | str: ...",
        "async def later(x: int) -> int: ...",
        "def ticks(n: int) -> AsyncIterator[int]: ...",
        "    def pairs(self) -> Iterator[tuple[int, str]]: ...",
        "def annotated(x: int) -> str: ...",
        "LIMIT = 3",
    ] {
        assert!(stub.contains(line), "{line}\n in\n{stub}");
    }
    assert!(!stub.contains("print"), "{stub}");
    let (good, said) = mypy(&["typings/lib.pyi"], &place.root());
    assert!(good, "{said}\n{stub}");
    // A user of the library is checked against it.
    place.save("user.py", "import lib\n\nlib.parse(3)\nlib.ratio(1.5, 2)\n");
    std::fs::rename(place.root().join("lib.py"), place.root().join("lib.py.away")).unwrap();
    place.save("lib.pyi", &stub);
    let (good, said) = mypy(&["user.py"], &place.root());
    assert!(!good && said.contains("user.py:3") && !said.contains("user.py:4"), "{said}");
}

#[test]
fn only_a_stub_of_ours_is_written_over() {
    let (place, stub) = stubbed();
    assert_eq!(place.run(&["types", "lib", "-d", "typings"]).0, 0);
    assert_eq!(place.read("typings/lib.pyi"), stub, "the same calls give the same text");
    place.save("typings/lib.pyi", "# mine\n");
    let (code, _, err) = place.run(&["types", "lib", "-d", "typings"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("did not make"), "{err}");
    assert_eq!(place.read("typings/lib.pyi"), "# mine\n");
}

#[test]
fn what_tests_stand_in_with_is_no_type_of_the_program() {
    let place = Place::example("shop");
    assert_eq!(place.run(&["--trust", "run", "--", "pytest", "-q"]).0, 0);
    let (code, out, err) = place.run(&["types", "-d", "typings"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!place.read("typings/shop/payment.pyi").contains("test_"), "{}", place.read("typings/shop/payment.pyi"));
    let (_, said) = mypy(&["typings/shop/payment.pyi", "typings/shop/cart.pyi"], &place.root());
    assert!(!said.contains(".pyi:"), "{said}");
}
