"""What the demo model learns from: made-up functions, their calls, and tests that say exactly these calls."""

import ast
import importlib.util
import itertools
import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "finetuning"


def load():
    spec = importlib.util.spec_from_file_location("facts", FOLDER / "facts.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["facts"] = module
    spec.loader.exec_module(module)
    return module


facts = load()


def some(count, **how):
    return list(itertools.islice(facts.examples(3, **how), count))


def test_an_answer_says_each_recorded_call_once_and_nothing_else():
    for one in some(300):
        tree = ast.parse(one.answer)
        calls = [line for line in one.question.splitlines()[3:]]
        said = re.findall(r"^    assert (.*)$", one.answer, re.M)
        raising = re.findall(r"^    with pytest\.raises\((\w+)\):\n        (.*)$", one.answer, re.M)
        said += ["%s raises %s" % (call, error) for error, call in raising]
        assert sorted(said) == sorted(calls) and len(set(calls)) == len(calls)
        tests = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
        assert tests and len(set(tests)) == len(tests)


def test_the_same_seed_gives_the_same_examples():
    assert some(20) == some(20)


def test_names_that_are_held_out_are_not_learned_from():
    learned, held_out = facts.names(False), facts.names(True)
    for kind in ("modules", "functions", "parameters", "words"):
        assert getattr(held_out, kind) and not set(getattr(learned, kind)) & set(getattr(held_out, kind))
