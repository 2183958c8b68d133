//! `pytead-tui doc` on the real binary, its examples run by the real doctest.

use crate::harness::Place;

const LIBRARY: &str = r#""""A library whose docstrings are written in every style."""
import asyncio
import random
from decimal import Decimal

CALLS = 0


def clamp(value, low=0, high=10):
    """Keep a value between two others.

    Args:
        value: What is kept.

    Raises:
        ValueError: The limits are the wrong way round.
    """
    if low > high:
        raise ValueError("low is above high")
    return min(max(value, low), high)


def words(text):
    """Split a text.

    Parameters
    ----------
    text : str
        What is split.

    Returns
    -------
    list of str
    """
    return text.split()


def price(amount):
    """Read a price.

    :param amount: as written
    :returns: the number
    """
    return Decimal(amount)


def back(path):
    r"""Turn \ around."""
    return path.replace("\\", "/").replace("/", "\\")


def join(parts):
    'Join with a line break.'
    return "\n".join(parts)


def push(stack, item):
    """Put an item on a stack."""
    stack.append(item)


def count(n):
    """Count up."""
    for i in range(n):
        yield i


async def later(x):
    """Give it back, later."""
    return x


def shown(x):
    """Double.

    >>> shown(2)
    4
    """
    return x * 2


def described(x):
    """Triple.

    Example:
        described(2) is 6
    """
    return x * 3


def bare(x):
    return x


def chance():
    """Roll."""
    return random.random()


def letters(text):
    """Collect letters."""
    return set(text)


def _private(x):
    """Not for readers."""
    return x


class Box:
    """Holds things."""

    def __init__(self, *items):
        self.items = list(items)

    def first(self):
        """Give the first thing."""
        return self.items[0]

    def copy(self):
        """Give another box."""
        return Box(*self.items)

    @property
    def size(self):
        """How many there are."""
        return len(self.items)

    @classmethod
    def of(cls, n):
        """Make a box of numbers."""
        return cls(*range(n)).size
"#;

const MAIN: &str = r#"
import asyncio

from lib import *
from lib import _private

clamp(5), clamp(-3), clamp(99), clamp(1, low=2), clamp(7, 1, 9)
try:
    clamp(1, 5, 2)
except ValueError:
    pass
words("a b"), words(""), price("1.10"), back("a/b"), join(["a", "b"]), push([1], 2), list(count(3))
asyncio.run(later(1))
shown(2), described(2), bare(1), chance(), letters("abcdefgh"), _private(1)
box = Box("a", "b")
box.first(), box.copy(), box.size, Box.of(3)
"#;

fn recorded() -> Place {
    Place::prepared("doc", || {
        let place = Place::empty();
        place.save("pyproject.toml", "");
        place.save("lib.py", LIBRARY);
        place.save("main.py", MAIN);
        let (code, _, err) = place.run(&["--trust", "run", "main.py"]);
        assert_eq!(code, 0, "{err}");
        place
    })
}

fn doctest(place: &Place, seed: &str) -> (bool, String) {
    let output = std::process::Command::new(crate::harness::python_with_pytest())
        .args(["-m", "doctest", "-v", "lib.py"])
        .current_dir(place.root())
        .env("PYTHONHASHSEED", seed)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn examples_are_shown_first_and_written_in_each_docstring_s_own_style() {
    let place = recorded();
    let (code, out, err) = place.run(&["--trust", "doc"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("+    Examples:\n") && out.contains("Nothing was written: doc --write does."), "{out}");
    assert_eq!(place.read("lib.py"), LIBRARY, "it is only shown");
    let (code, out, err) = place.run(&["--trust", "doc", "--write"]);
    assert_eq!(code, 0, "{out}{err}");
    let written = place.read("lib.py");
    for part in [
        "    Examples:\n        >>> clamp(5)\n        5\n",
        "        >>> clamp(1, 5, 2)\n        Traceback (most recent call last):\n            ...\n        ValueError: low is above high\n    \"\"\"\n",
        "    list of str\n\n    Examples\n    --------\n    >>> words(\"a b\")\n    ['a', 'b']\n    >>> words(\"\")\n    []\n",
        "Read a price.\n\n    >>> price(\"1.10\")\n    Decimal('1.10')\n\n    :param amount: as written\n",
        "r\"\"\"Turn \\ around.\n\n    >>> back(\"a/b\")\n    'a\\\\b'\n    \"\"\"\n",
        "\"\"\"Join with a line break.\n\n    >>> join([\"a\", \"b\"])\n    'a\\\\nb'\n    \"\"\"\n",
        ">>> push(stack, 2)\n    >>> stack\n    [1, 2]\n",
        ">>> list(count(3))\n    [0, 1, 2]\n",
        ">>> import asyncio\n    >>> asyncio.run(later(1))\n    1\n",
        "        >>> box = Box(\"a\", \"b\")\n        >>> box.first()\n        'a'\n        \"\"\"\n",
        "        >>> Box.of(3)\n        3\n",
    ] {
        assert!(written.contains(part), "{part}\n in\n{written}");
    }
    // Everything but docstrings is as it was.
    let code_of = |text: &str| text.lines().filter(|line| line.contains("return ")).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(code_of(&written), code_of(LIBRARY));
    for seed in ["0", "1", "77"] {
        let (good, said) = doctest(&place, seed);
        assert!(good && said.contains("passed"), "{said}");
    }
    let (_, out, _) = place.run(&["--trust", "doc", "--write"]);
    assert!(out.contains("Nothing to add."), "examples are never doubled: {out}");
    assert_eq!(place.read("lib.py"), written);
}

#[test]
fn functions_that_no_example_explains_are_named_with_the_reason() {
    let place = recorded();
    for (function, why) in [
        ("shown", "it has examples already"),
        ("described", "it has examples already"),
        ("bare", "it has no docstring"),
        ("_private", "it is not called by readers of its documentation"),
        ("letters", ""),
        ("Box.copy", ""),
        ("chance", ""),
    ] {
        let (code, out, err) = place.run(&["--trust", "doc", &format!("lib:{function}")]);
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("Nothing to add.") && out.contains(why), "{function}: {out}");
    }
}

#[test]
fn what_was_written_can_be_taken_back_as_long_as_nobody_changed_it() {
    let place = recorded();
    assert_eq!(place.run(&["--trust", "doc", "--undo"]).0, 2, "nothing was written yet");
    assert_eq!(place.run(&["--trust", "doc", "lib:words", "--write"]).0, 0);
    let written = place.read("lib.py");
    assert_ne!(written, LIBRARY);
    place.save("lib.py", &format!("{written}# mine\n"));
    let (code, _, err) = place.run(&["--trust", "doc", "--undo"]);
    assert_eq!(code, 3);
    assert!(err.contains("lib.py changed since. Nothing was written."), "{err}");
    place.save("lib.py", &written);
    let (code, out, err) = place.run(&["--trust", "doc", "--undo"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(place.read("lib.py"), LIBRARY);
    assert_eq!(place.run(&["--trust", "doc", "--undo"]).0, 2, "once");
    assert_eq!(place.run(&["doc"]).0, 3, "examples run, so the folder has to be trusted");
}

#[test]
fn line_ends_stay_as_they_are_and_what_a_program_prints_cannot_break_out() {
    let place = Place::empty();
    place.save("pyproject.toml", "");
    let text = "def f(x):\n    \"\"\"Shout.\"\"\"\n    return x.upper()\n\n\ndef g(x):\n    \"\"\"Quote.\"\"\"\n    return Odd()\n\n\nclass Odd:\n    def __eq__(self, other):\n        return isinstance(other, Odd)\n\n    def __repr__(self):\n        return '\"' * 3 + '\\nimport os'\n";
    place.save("lib.py", &text.replace('\n', "\r\n"));
    place.save("main.py", "import lib\nlib.f('a')\nlib.g(1)\n");
    assert_eq!(place.run(&["--trust", "run", "main.py"]).0, 0);
    let (code, out, err) = place.run(&["--trust", "doc", "--write"]);
    assert_eq!(code, 0, "{out}{err}");
    let written = place.read("lib.py");
    assert_eq!(written, text.replace("Shout.\"\"\"", "Shout.\n\n    >>> f(\"a\")\n    'A'\n    \"\"\"").replace('\n', "\r\n"));
}
