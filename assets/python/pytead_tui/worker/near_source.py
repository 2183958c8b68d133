"""What an edit says of inputs that are worth a try: the lines that differ, and the constants there and around."""

import ast
import difflib
from collections.abc import Iterator

LONGEST = 80  # characters of a constant that is worth a try
MOST = 60


def edited_lines(old: str, new: str) -> "tuple[set, set]":
    """Gives the lines of each text that are not in the other, and those beside a place where lines are gone."""
    before, after = old.splitlines(), new.splitlines()
    lines: tuple = (set(), set())
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for found, first, last in ((lines[0], a, b), (lines[1], c, d)):
            found.update(range(first + 1, last + 1) if last > first else (first, first + 1))
    return lines


def constants(texts: "list[tuple[str, set]]", qualname: str) -> list:
    """Lists constants, those of the edited lines first, then those of the function, then those of what it names in its module:
    functions and tables. `texts` has each version of the module, with its edited lines."""
    ranks: dict = {}
    for text, lines in texts:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        own = _definition(tree, qualname)
        named = {node.id for node in ast.walk(own) if isinstance(node, ast.Name)} if own is not None else set()
        named |= {node.attr for node in ast.walk(own) if isinstance(node, ast.Attribute)} if own is not None else set()
        for node, rank in [(own, 1), *((one, 2) for one in tree.body if _names(one) & named)]:
            if node is None:
                continue
            for value, line in _of(node):
                key = type(value).__name__, value
                ranks[key] = min(ranks.get(key, 9), 0 if line in lines else rank)
    order = {key: at for at, key in enumerate(ranks)}
    return [value for _, value in sorted(ranks, key=lambda key: (ranks[key], order[key]))][:MOST]


def expected(texts: "list[str]", qualname: str) -> dict:
    """Gives, for parameters of a function, values that its text names for them: defaults, and what they are compared with."""
    found: dict = {}

    def add(name: str, node: "ast.AST | None") -> None:
        items = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
        for one in items:
            if isinstance(one, ast.Constant) and type(one.value) in (type(None), bool, int, float, str, bytes):
                held = found.setdefault(name, [])
                if not any(type(one.value) is type(other) and one.value == other for other in held):
                    held.append(one.value)

    for text in texts:
        try:
            own = _definition(ast.parse(text), qualname)
        except (SyntaxError, ValueError):
            continue
        if not isinstance(own, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        ordinary = [*own.args.posonlyargs, *own.args.args]
        named = {one.arg for one in [*ordinary, *own.args.kwonlyargs]}
        for one, default in zip(reversed(ordinary), reversed(own.args.defaults)):
            add(one.arg, default)
        for one, default in zip(own.args.kwonlyargs, own.args.kw_defaults):
            add(one.arg, default)
        for node in ast.walk(own):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id in named:
                add(node.left.id, node.comparators[0])
    return found


def _definition(tree: ast.Module, qualname: str) -> "ast.AST | None":
    body: list = tree.body
    found = None
    for name in qualname.replace(".<locals>", "").split("."):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        found = next((one for one in _within(body) if isinstance(one, kinds) and one.name == name), None)
        if found is None:
            return None
        body = found.body
    return found


def _within(body: list) -> "Iterator[ast.AST]":
    """Gives statements, those of branches too."""
    for one in body:
        yield one
        for name in ("body", "orelse", "finalbody"):
            if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _within(getattr(one, name, []))


def _names(node: ast.AST) -> set:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _of(node: ast.AST) -> "Iterator[tuple[object, int]]":
    """Gives the constants below a node, each with its line; what is written about the code is none of it."""
    prose = {id(one.value) for one in ast.walk(node) if isinstance(one, ast.Expr)}
    for one in ast.walk(node):
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub) and isinstance(one.operand, ast.Constant):
            if type(one.operand.value) in (int, float):
                yield -one.operand.value, one.lineno
        if isinstance(one, ast.Constant) and id(one) not in prose and type(one.value) in (int, float, str, bytes):
            if type(one.value) in (int, float) or 0 < len(one.value) <= LONGEST:
                yield one.value, one.lineno
