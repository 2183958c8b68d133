"""Measures a model: on made-up functions whose names it never saw, or on a project of yours by what passes the gate.

    python evaluate.py facts MODEL.gguf [--questions 100]      what the demo model is for; asks pytead-llm without a grammar
    python evaluate.py project FOLDER [FUNCTION…]              asks the chosen model for each function that has recorded calls

`project` counts answers that are Python with a test in it, that pass the gate's runs, and that notice a fault put into
their function: the same proof that every draft goes through before a person sees it. Nothing is accepted.
"""

import argparse
import ast
import itertools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import facts

SEED = 100


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    made_up = kinds.add_parser("facts")
    made_up.add_argument("model", type=Path)
    made_up.add_argument("--questions", type=int, default=100)
    made_up.add_argument("--seen", action="store_true", help="ask about names that it learned from")
    project = kinds.add_parser("project")
    project.add_argument("folder", type=Path)
    project.add_argument("functions", nargs="*")
    given = parser.parse_args()
    if given.kind == "facts":
        on_facts(given.model, given.questions, given.seen)
    else:
        on_project(given.folder, given.functions)


def on_facts(model: Path, count: int, seen: bool) -> None:
    """Asks about made-up functions and compares with the one right answer."""
    asked = list(itertools.islice(facts.examples(SEED, held_out=not seen), count))
    answers = answered(model, [one.question for one in asked])
    python = exact = lines = right = 0
    for one, answer in zip(asked, answers, strict=True):
        python += parses(answer)
        exact += answer == one.answer
        wanted = [line for line in one.answer.splitlines() if line.startswith("    ")]
        lines += len(wanted)
        right += sum(line in answer.splitlines() for line in wanted)
    print(
        f"{count} questions: {python} answers are Python, {exact} are exactly right; {right} of {lines} lines are there"
    )


def answered(model: Path, questions: list[str]) -> Iterator[str]:
    """Asks `pytead-llm`, one question after the other."""
    program = os.environ.get("PYTEAD_LLM", "pytead-llm")
    if shutil.which(program) is None:
        install = "cargo install --path src/pytead-llm"
        sys.exit(f"There is no program {program}. Install it ({install}), or name it: PYTEAD_LLM=…")
    with subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as running:

        def order(**words: object) -> None:
            running.stdin.write(json.dumps(words) + "\n")
            running.stdin.flush()

        order(load={"path": str(model.resolve()), "context": 1024, "threads": 1})
        for number, question in enumerate(questions, 1):
            sampling = {"temperature": 0.0, "top_p": 1.0, "repeat_penalty": 1.0, "seed": 0}
            order(generate={"id": number, "system": "", "user": question, "max_tokens": 500, "sampling": sampling})
            text = ""
            for line in running.stdout:
                report = json.loads(line)
                if "text" in report:
                    text += report["text"]["text"]
                elif "end" in report:
                    break
                elif "failed" in report:
                    sys.exit(f"pytead-llm: {report['failed']}")
            yield text
        running.stdin.close()


def parses(text: str) -> bool:
    """Tells whether a text is Python."""
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def on_project(folder: Path, functions: list[str]) -> None:
    """Asks for drafts, and counts how far each came."""
    program = os.environ.get("PYTEAD_TUI", "pytead-tui")
    base = [program, "--root", str(folder), "--format", "json"]
    if not functions:
        listed = subprocess.run([*base, "index"], capture_output=True, text=True, check=True)
        functions = [one["id"] for every in results(listed.stdout, "functions") for one in every if one["calls"]]
    counts = dict.fromkeys(["asked", "Python", "passed", "noticed a fault", "ready"], 0)
    for function in functions:
        done = subprocess.run([*base, "draft", function], capture_output=True, text=True, check=False)
        counts["asked"] += 1
        for result in results(done.stdout, "proposal"):
            proposal = result["proposal"]
            found = {one["what"]: one["finding"] for one in proposal["evidence"]}
            counts["Python"] += "no test" not in found
            counts["passed"] += found.get("passes") == "pass"
            counts["noticed a fault"] += found.get("can fail") == "pass"
            counts["ready"] += proposal["state"] == "ready"
    print(", ".join(f"{count} {name}" for name, count in counts.items()))


def results(output: str, name: str) -> Iterator:
    """Reads the results of one kind from lines of JSON."""
    for line in output.splitlines():
        event = json.loads(line)
        if event.get("result") == name:
            yield event["value"]


if __name__ == "__main__":
    main()
