//! `pytead-tui types` on the real binary, its stubs read by mypy.

use crate::harness::Place;

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
    let output = std::process::Command::new(crate::harness::python_with_pytest())
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
        "LIMIT: int",
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
    let place = Place::recorded_shop();
    let (code, out, err) = place.run(&["types", "-d", "typings"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(!place.read("typings/shop/payment.pyi").contains("test_"), "{}", place.read("typings/shop/payment.pyi"));
    let (_, said) = mypy(&["typings/shop/payment.pyi", "typings/shop/cart.pyi"], &place.root());
    assert!(!said.contains(".pyi:"), "{said}");
}

/// Modules written as nobody should; each gets a function `used` that is recorded.
const AWKWARD: &[(&str, &str)] = &[
    ("doc", "class A:\n    '''Doc.'''\n    LIMIT = 3\n    '''Of LIMIT.'''\n    def f(self): return 1\n"),
    (
        "tabs",
        "class A:\n\t\"\"\"Doc.\n\n\tMore.\"\"\"\n\t@property\n\tdef f(self):\n\t\treturn 1\n\n\tclass B:\n\t\t\"\"\"B.\"\"\"\n\t\tx = 1\n",
    ),
    (
        "crlf",
        "class A:\r\n    \"\"\"Doc.\r\n    More.\"\"\"\r\n    # why\r\n    x = 1\r\n    def f(self):\r\n        return 1\r\n",
    ),
    (
        "tables",
        "TABLE = str.maketrans(\n    'a',\n    'b',\n)\nWORDS = {\n    # why\n    'a': [1, 2],\n}\nTEXT = '''\n# no comment\n    text\n'''\n",
    ),
    (
        "lines",
        "class A: pass\nclass B: x = 1; y = 2\nif True: z = 3\nclass C(A,\n        B):\n  def f(self, a=(1,\n   2)): return a\n",
    ),
    (
        "blocks",
        "import sys\ntry:\n    import tomllib\nexcept ImportError:\n    tomllib = None\nif sys.version_info >= (3, 5):\n    'doc'\nelse:\n    def g(): pass\nfor i in range(2):\n    pass\n",
    ),
    (
        "iterators",
        "def keys(d):\n    return iter(d)\n\ndef items(d):\n    return d.items()\n\ndef both(a, b):\n    return zip(a, b)\n",
    ),
];

#[test]
fn every_stub_parses_and_mypy_takes_it() {
    let place = Place::empty();
    let mut main = String::new();
    for (name, text) in AWKWARD {
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        place.save(&format!("src/odd/{name}.py"), &format!("{text}def used():{end}    return 1{end}"));
        main.push_str(&format!("from odd import {name}\n{name}.used()\n"));
    }
    main.push_str("iterators.keys({1: 2}), iterators.items({1: 2}), iterators.both([1], [2])\n");
    place.save("src/odd/__init__.py", "");
    place.save("src/odd/beside.py", "def twice(): return 2\n");
    place.save("src/main.py", &main);
    let (code, out, err) = place.run(&["--trust", "run", "src/main.py"]);
    assert_eq!(code, 0, "{out}{err}");
    let (code, out, err) = place.run(&["types", "-d", "typings"]);
    assert_eq!(code, 0, "{out}{err}");
    let parse = "import ast, sys\nfor path in sys.argv[1:]: ast.parse(open(path).read(), path)";
    for (name, _) in AWKWARD {
        // Below the folder that the package is imported from, where checkers look.
        let path = format!("typings/odd/{name}.pyi");
        let output = std::process::Command::new(crate::harness::python_with_pytest())
            .args(["-c", parse, &path])
            .current_dir(place.root())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), place.read(&path));
        let (_, said) = mypy(&["--allow-untyped-defs", "--allow-incomplete-defs", &path], &place.root());
        assert!(!said.contains(".pyi:"), "{said}\n{}", place.read(&path));
    }
    // Whole packages: of one that lacks a module mypy would take nothing.
    place.save("user.py", "from odd.iterators import keys\nfrom odd.beside import twice\nkeys(3)\ntwice()\n");
    place.save("mypy.ini", "[mypy]\nmypy_path = typings\n");
    let (good, said) = mypy(&["user.py"], &place.root());
    assert!(!good && said.contains("user.py:3") && !said.contains("user.py:2"), "{said}");
    let iterators = place.read("typings/odd/iterators.pyi");
    for line in ["def keys(d: dict[int, int]) -> Iterator[Any]: ...", "def items(d: dict[int, int]) -> ItemsView[Any, Any]: ..."]
    {
        assert!(iterators.contains(line), "{line}\n in\n{iterators}");
    }
}
