"""Prints, as JSON, changed versions of a project's files: one small change each, on lines that were run.

mutate.py ROOT LINES N       LINES: {"path": [line, …]} as JSON
"""

import ast
import copy
import json
import random
import sys
from pathlib import Path

SWAPPED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult, ast.Mod: ast.Add, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def changed(node: ast.AST) -> "ast.AST | None":
    """Gives a node with one small change; None where there is none to make."""
    new = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        new.ops[0] = SWAPPED[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign) and type(node.op) in SWAPPED:
        new.op = SWAPPED[type(node.op)]()
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        new.value = node.value + 1
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        new.value = not node.value
    elif isinstance(node, ast.Constant) and type(node.value) is str and node.value:
        new.value = node.value + "x"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return new.operand
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        new.value = ast.Constant(None)
    elif isinstance(node, ast.If | ast.While):
        new.test = ast.UnaryOp(ast.Not(), node.test)
    else:
        return None
    return new


def is_docstring(node: ast.AST, parents: dict) -> bool:
    return isinstance(node, ast.Constant) and isinstance(
        parents.get(node), ast.Expr | ast.JoinedStr | ast.FormattedValue
    )


def main() -> None:
    root, lines, wanted = Path(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
    places = []
    for path in sorted(lines):
        run = set(lines[path])
        source = (root / path).read_text()
        tree = ast.parse(source)
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if getattr(node, "lineno", None) not in run or is_docstring(node, parents):
                continue
            new = changed(node)
            if new is None:
                continue
            # A statement is written again whole; of an `if` only its head.
            head = node.test if isinstance(node, ast.If | ast.While) else node
            text = ast.unparse(new.test if isinstance(node, ast.If | ast.While) else new)
            if isinstance(node, ast.expr):
                text = f"({text})"
            elif head is not node:
                text = f"({text})"
            places.append((path, source, head, text))
    random.Random(1).shuffle(places)
    found = []
    for path, source, node, text in places:
        if len(found) >= wanted:
            break
        rows = source.encode().splitlines(keepends=True)
        starts = [0]
        for one in rows:
            starts.append(starts[-1] + len(one))
        data = source.encode()
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        mutated = (data[:start] + text.encode() + data[end:]).decode()
        try:
            compile(mutated, path, "exec")
        except (SyntaxError, ValueError):
            continue
        what = f"{path}:{node.lineno}: {data[start:end].decode()[:60]} -> {text[:60]}"
        found.append({"path": path, "text": mutated, "what": what})
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
