"""What each line of a function may give, read from its source: the names that it assigns, and whether it returns or raises.

Runs nothing. What the lines gave is `line_values`.
"""

import ast
import tokenize

Path = tuple  # of the names from a variable to one of its attributes: ("self", "total")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SILENT = (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)  # what they assign is in sight already
_BLOCKS = ("body", "orelse", "finalbody")


class Plan:
    """The statements of a function, each known by its first line."""

    def __init__(self) -> None:
        self.statement: dict = {}  # by each line, the first line of the statement that it belongs to
        self.targets: dict = {}  # by first lines, the paths that are assigned
        self.returns: set = set()
        self.reraises: set = set()  # a bare `raise`
        self.loops: dict = {}  # by the line of a `for`, the first line of its body

    def lines(self, first: int) -> list:
        """Gives all lines of a statement; of a compound one, those of its head."""
        return [line for line, one in self.statement.items() if one == first]

    # Reading.

    def _block(self, statements: list) -> None:
        for one in statements:
            self._statement(one)

    def _statement(self, one: ast.stmt) -> None:
        first = min([one.lineno, *(decorator.lineno for decorator in getattr(one, "decorator_list", []))])
        blocks = [getattr(one, name, []) for name in _BLOCKS]
        inner = [block for block in blocks if block and isinstance(block[0], ast.stmt)]
        starts = [block[0].lineno for block in inner] + [part.lineno for part in _parts(one)]
        self._head(first, max(first, min(starts) - 1) if starts else one.end_lineno)
        if not isinstance(one, _SILENT):
            self.targets.setdefault(first, []).extend(_assigned(one))
        if isinstance(one, ast.Return):
            self.returns.add(first)
        if isinstance(one, ast.Raise) and one.exc is None:
            self.reraises.add(first)
        if isinstance(one, (ast.For, ast.AsyncFor)) and one.body[0].lineno > first:
            self.loops[first] = one.body[0].lineno
        for part in _parts(one):
            if part.body[0].lineno > part.lineno:
                self._head(part.lineno, part.body[0].lineno - 1)
            self.targets.setdefault(part.lineno, []).extend(_assigned(part))
            self._block(part.body)
        for block in inner:
            self._block(block)

    def _head(self, first: int, last: int) -> None:
        for line in range(first, last + 1):
            self.statement.setdefault(line, first)


def of(file: str, name: str, first: int, last: int) -> Plan:
    """Reads the function of this name that begins within these lines of a file; gives an empty plan where there is none."""
    plan = Plan()
    try:
        with tokenize.open(file) as stream:
            tree = ast.parse(stream.read(), file)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return plan
    found = [
        one
        for one in ast.walk(tree)
        if isinstance(one, _FUNCTIONS) and one.name == name and first <= one.lineno <= last
    ]
    if found:
        plan._block(min(found, key=lambda one: one.lineno).body)
    return plan


def _parts(one: ast.AST) -> list:
    """Gives the handlers of a `try`, and the cases of a `match`, which stand on lines of their own."""
    cases = getattr(one, "cases", [])
    for case in cases:
        case.lineno = case.pattern.lineno
    return [*getattr(one, "handlers", []), *cases]


def _assigned(one: ast.AST) -> list:
    """Gives the paths that a statement assigns, in order, without those of the statements inside it."""
    found: list = []
    if isinstance(one, ast.ExceptHandler) and one.name:
        found.append((one.name,))
    for field, value in ast.iter_fields(one):
        if field in (*_BLOCKS, "handlers", "cases"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                _collect(part, found)
    return list(dict.fromkeys(found))


def _collect(part: ast.AST, found: list) -> None:
    if isinstance(part, (ast.Lambda, ast.stmt)):
        return
    if isinstance(part, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        # Only `:=` leaves a name behind.
        found += [(one.target.id,) for one in ast.walk(part) if isinstance(one, ast.NamedExpr)]
        return
    if isinstance(getattr(part, "ctx", None), ast.Store) and not isinstance(part, (ast.Tuple, ast.List, ast.Starred)):
        path = _path(part.value if isinstance(part, ast.Subscript) else part)
        if path is not None:
            found.append(path)
        return
    for name in ("name", "rest"):  # of a pattern
        if type(part).__name__.startswith("Match") and getattr(part, name, None):
            found.append((getattr(part, name),))
    for inner in ast.iter_child_nodes(part):
        _collect(inner, found)


def _path(part: ast.AST) -> "Path | None":
    if isinstance(part, ast.Name):
        return (part.id,)
    if isinstance(part, ast.Attribute):
        path = _path(part.value)
        return None if path is None else (*path, part.attr)
    return None
