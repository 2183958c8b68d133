"""Makes what the demo model learns from: functions that do not exist, calls of them, and the tests that say these calls.

The names come from the standard library's own sources; every fifth is held out, so that a model can be asked about names
it never saw. A question has the form that `pytead-tui` asks the demo model in (src/generate/demo.rs): import, head of the
function, first words of its docstring, then one recorded call a line. The answer is a whole test file.

    python facts.py --questions 5            print five questions with their answers
"""

import argparse
import ast
import builtins
import functools
import keyword
import random
import string
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CALLS_MAX = 5
#: Of the held-out names; the others are learned from.
HELD_OUT = 5
ERRORS = sorted(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, Exception) and name.endswith("Error")
)


@dataclass(frozen=True)
class Names:
    """Names of one side, learned from or held out."""

    modules: list[str]
    functions: list[str]
    parameters: list[str]
    words: list[str]


@dataclass(frozen=True)
class Example:
    """A question and the answer that is right."""

    question: str
    answer: str


@functools.cache
def names(held_out: bool) -> Names:
    """Gathers the names of the standard library's public functions, in a fixed order."""
    modules, functions, parameters, words = set(), set(), set(), set()
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):
            continue
        modules.add(path.stem)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                functions.add(node.name)
                parameters.update(argument.arg for argument in node.args.args)
                words.update((ast.get_docstring(node) or "").split())
    return Names(*(_side(found, held_out) for found in (modules, functions, parameters, words)))


def _side(found: set[str], held_out: bool) -> list[str]:
    plain = sorted(
        one for one in found if one.isidentifier() and one.isascii() and one[0].isalpha() and 2 < len(one) < 18
    )
    plain = [one for one in plain if one not in ("self", "cls") and not keyword.iskeyword(one)]
    # A name's own letters decide, so that it stays on its side when the library grows.
    return [one for one in plain if (sum(one.encode()) % HELD_OUT == 0) == held_out]


def examples(seed: int, held_out: bool = False) -> Iterator[Example]:
    """Gives examples without end, the same ones for the same seed."""
    dice, known = random.Random(seed), names(held_out)
    while True:
        yield _example(dice, known)


def _example(dice: random.Random, known: Names) -> Example:
    module = ".".join(dice.sample(known.modules, dice.choice([1, 1, 2])))
    name = dice.choice(known.functions).lower()
    parameters = dice.sample(known.parameters, dice.choice([1, 1, 2, 2, 3]))
    kinds = [dice.choice(list(KINDS)) for _ in parameters]
    result = dice.choice(list(KINDS))
    question = [f"from {module} import {name}", f"def {name}({', '.join(parameters)}):"]
    question.append('    """' + " ".join(dice.sample(known.words, dice.randint(2, 6))).capitalize() + '."""')
    error = dice.choice(ERRORS)
    returned, raised = [], []
    keyword_last = len(kinds) > 1 and dice.random() < 0.15
    for _ in range(dice.randint(1, CALLS_MAX)):
        given = [KINDS[kind](dice, known) for kind in kinds]
        if keyword_last:
            given[-1] = f"{parameters[-1]}={given[-1]}"
        call = f"{name}({', '.join(given)})"
        if any(call in line for line in question):
            continue
        if dice.random() < 0.2:
            question.append(f"{call} raises {error}")
            raised.append(call)
        else:
            line = _equals(call, KINDS[result](dice, known))
            question.append(line)
            returned.append(line)
    return Example("\n".join(question) + "\n", _file(module, name, returned, raised, error))


def _equals(call: str, value: str) -> str:
    return f"{call} is {value}" if value in ("None", "True", "False") else f"{call} == {value}"


def _file(module: str, name: str, returned: list[str], raised: list[str], error: str) -> str:
    parts = (["import pytest\n"] if raised else []) + [f"from {module} import {name}\n"]
    text = "\n".join(parts)
    if returned:
        text += f"\n\ndef test_{name}():\n" + "".join(f"    assert {line}\n" for line in returned)
    if raised:
        text += f"\n\ndef test_{name}_raises_{_snake(error)}():\n"
        text += "".join(f"    with pytest.raises({error}):\n        {call}\n" for call in raised)
    return text


def _snake(name: str) -> str:
    return "".join(
        "_" + letter.lower() if letter.isupper() and at else letter.lower() for at, letter in enumerate(name)
    )


def _number(dice: random.Random, _known: Names) -> str:
    return str(dice.choice([dice.randint(-9, 9), dice.randint(0, 99), dice.randint(-999, 9999)]))


def _fraction(dice: random.Random, _known: Names) -> str:
    return repr(round(dice.uniform(-50, 500), dice.choice([1, 2])))


def _text(dice: random.Random, known: Names) -> str:
    if dice.random() < 0.3:
        return repr("".join(dice.choices(string.ascii_letters + string.digits + "-_.@/: ", k=dice.randint(1, 8))))
    return repr(" ".join(dice.sample(known.words, dice.choice([0, 1, 1, 1, 2, 3])))[:24])


def _constant(dice: random.Random, _known: Names) -> str:
    return dice.choice(["None", "True", "False"])


def _list(dice: random.Random, known: Names) -> str:
    of = dice.choice([_number, _text])
    return "[" + ", ".join(of(dice, known) for _ in range(dice.randint(0, 3))) + "]"


def _pair(dice: random.Random, known: Names) -> str:
    return f"({_number(dice, known)}, {_text(dice, known)})"


def _mapping(dice: random.Random, known: Names) -> str:
    keys = dice.sample(known.parameters, dice.randint(0, 2))
    return "{" + ", ".join(f"{key!r}: {_number(dice, known)}" for key in keys) + "}"


#: How a value of each kind is written.
KINDS = {
    "number": _number,
    "fraction": _fraction,
    "text": _text,
    "constant": _constant,
    "list": _list,
    "pair": _pair,
    "mapping": _mapping,
}


def main() -> None:
    """Prints examples."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    given = parser.parse_args()
    for _, example in zip(range(given.questions), examples(given.seed, given.held_out), strict=False):
        sys.stdout.write(f"--- question\n{example.question}--- answer\n{example.answer}")


if __name__ == "__main__":
    main()
