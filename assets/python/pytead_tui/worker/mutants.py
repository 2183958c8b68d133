"""Small faults put into one function in memory, to see whether its tests notice; the file is never touched.

A mutant is a code object that takes the place of the function's own in a process that runs the tests and ends.
"""

import __future__

import ast
import functools
import inspect
import itertools
import tokenize
import types
from collections.abc import Iterator

from pytead_tui.worker import defaults
from pytead_tui.worker.defaults import Field, Parameter

Edit = Parameter | Field

MAKER = "<maker>"
ENTRIES = 20  # a dict with more of them is data, and no choice that a function makes
FUTURE = 0
for _feature in __future__.all_feature_names:
    FUTURE |= getattr(__future__, _feature).compiler_flag

_INVERTED = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_BOUNDARY = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
_SIGNS = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip


_READS = ("get", "items", "values")


class Mutant:
    """A fault: what it is, on which line, and the code with it, or the edit of a default; and the lines of the statement that
    it changes, where it changes no more than one: who runs through none of them cannot notice it."""

    def __init__(
        self, label: str, line: int, code: types.CodeType, default: "Edit | None" = None, within: "range | None" = None
    ) -> None:
        self.label = label
        self.line = line
        self.code = code
        self.default = default
        self.within = within

    def is_out_of_reach(self, lines: "set[int] | None") -> bool:
        """Tells whether who ran through these lines, if that is known, came nowhere near it."""
        return lines is not None and self.within is not None and lines.isdisjoint(self.within)


class Own:
    """A function as it is: what a fault is put into and taken out of."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.code = function.__code__
        self.defaults = function.__defaults__
        self.named = function.__kwdefaults__
        self.edit: "Edit | None" = None

    def put(self, code: types.CodeType, default: "Edit | None" = None) -> None:
        """Has the function run this code, with this default in the place of its own."""
        if self.edit is not None:
            self.edit.take_back()
        self.edit = default
        self.function.__code__ = code
        self.function.__defaults__, self.function.__kwdefaults__ = self.defaults, self.named
        if default is not None:
            default.put(self.function)


def of(function: types.FunctionType, most: int) -> "list[Mutant]":
    """Gives up to so many mutants of a function, of different kinds first; none when its source is not found."""
    own = function.__code__
    definition = _Definition(own, getattr(own, "co_qualname", function.__qualname__))
    node = definition.tree()
    if node is None:
        return []
    mutants: list = []
    seen = {_key(own)}
    node.decorator_list = []
    constants = _constants(function)
    for label, line, place, change, within in _spread(definition, node, constants, most * 3, function):
        if place is None:
            mutants.append(Mutant(label, line, own, change))
            if len(mutants) == most:
                break
            continue
        # Taken back afterwards: to copy a tree, or to parse it again, takes longer than to compile it.
        fields = {name: list(held) if isinstance(held, list) else held for name, held in ast.iter_fields(place)}
        change(place)
        code = definition.compiled(node)
        for name, held in fields.items():
            setattr(place, name, held)
        # What comes out as the same code, or needs other cells, is no mutant.
        if code is None or code.co_freevars != own.co_freevars:
            continue
        key = _key(code)
        if key not in seen:
            seen.add(key)
            mutants.append(Mutant(label, line, code, within=within))
        if len(mutants) == most:
            break
    return mutants


def _key(code: types.CodeType) -> tuple:
    """Gives what tells one code from another, wherever it lies."""
    consts = tuple(_key(const) if isinstance(const, types.CodeType) else repr(const) for const in code.co_consts)
    return code.co_code, consts


class _Definition:
    """The text that a code object was made from."""

    def __init__(self, code: types.CodeType, qualname: str) -> None:
        self.code = code
        parts = qualname.split(".")
        inner = zip(parts, parts[1:])
        self.classes = [name for name, below in inner if name != "<locals>" and below != "<locals>"]
        self.text = _text(code.co_filename, code.co_firstlineno)

    def tree(self) -> "ast.FunctionDef | ast.AsyncFunctionDef | None":
        """Parses the definition; None when it is not there."""
        try:
            (node,) = ast.parse(self.text).body
        except (SyntaxError, ValueError):
            return None
        if isinstance(node, ast.If):
            node = node.body[0]
        is_it = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == self.code.co_name
        return node if is_it else None

    def compiled(self, node: ast.AST) -> "types.CodeType | None":
        """Compiles a tree as what it is where it stands; None when that cannot be."""
        # In its classes, for private names and `super()`, and in a function that has what it closes over.
        body: ast.AST = node
        for name in reversed(self.classes):
            home = ast.ClassDef(name=name, bases=[], keywords=[], body=[body], decorator_list=[], type_params=[])
            body = ast.copy_location(home, node)
        around = [name for name in self.code.co_freevars if name != "__class__"]
        if around:
            given = ast.arguments(
                posonlyargs=[], args=[ast.arg(arg=name) for name in around], kwonlyargs=[], kw_defaults=[], defaults=[]
            )
            maker = ast.FunctionDef(name=MAKER, args=given, body=[body], decorator_list=[], type_params=[])
            body = _placed(maker, node)
        module = ast.Module(body=[body], type_ignores=[])
        try:
            flags = self.code.co_flags & FUTURE
            code = compile(module, self.code.co_filename, "exec", flags=flags, dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
        for name in [*([MAKER] if around else []), *self.classes, self.code.co_name]:
            inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
            code = next((const for const in inner if const.co_name == name), None)
            if code is None and len(inner) == 1:  # type parameters have a scope of their own
                code = next((c for c in inner[0].co_consts if isinstance(c, types.CodeType) and c.co_name == name), None)
            if code is None:
                return None
        return code


@functools.lru_cache(maxsize=64)
def _lines(file: str) -> "list[str]":
    try:
        with tokenize.open(file) as text:
            return text.readlines()
    except (OSError, SyntaxError, ValueError):
        return []


def _text(file: str, first: int) -> str:
    """Gives the text of a definition that begins on a line, on the same lines as in its file; what is no definition, for
    the file is another by now, need not be whole."""
    try:
        block = inspect.getblock(_lines(file)[first - 1 :])
    except (SyntaxError, tokenize.TokenError):
        return ""
    if block and block[0][0].isspace():
        return "\n" * (first - 2) + "if 1:\n" + "".join(block)
    return "\n" * (first - 1) + "".join(block)


def _constants(function: types.FunctionType) -> "dict[str, list]":
    """Lists what may be otherwise in the constants of its module, by their names: (the key or None, the expression,
    that of what it is then), of numbers and of dicts with some."""
    own = function.__code__
    local = {*own.co_varnames, *own.co_cellvars, *own.co_freevars}
    found: dict = {}
    for name, held in function.__globals__.items():
        if type(name) is not str or name in local or not name.isupper():
            continue
        if _is_number(held) and _has_other(held):
            found[name] = [(None, name, _other(name, held))]
        elif type(held) is dict and 0 < len(held) <= ENTRIES and all(type(key) in (str, int) for key in held):
            entries = [(key, f"{name}[{key!r}]", value) for key, value in held.items() if _is_number(value) and _has_other(value)]
            found[name] = [(key, entry, _other(entry, value)) for key, entry, value in entries]
    return found


def _other(name: str, held: object) -> str:
    # Of the same sign, which a change of a rate or a limit has as well; half of a whole number may be none.
    return f"{name} / 2" if type(held) is not int and held else f"{name} + 1"


def _has_other(held: object) -> bool:
    return held == held and (not held or held / 2 != held)  # not the infinite, nor what is no number


def _is_number(held: object) -> bool:
    # Named, for nothing is to be imported here before the project imports it.
    kind = type(held)
    return kind in (int, float) or (kind.__module__, kind.__name__) in (("decimal", "Decimal"), ("fractions", "Fraction"))


def _spread(
    definition: _Definition, node: ast.AST, constants: "dict[str, list]", most: int, function: types.FunctionType
) -> "Iterator[tuple]":
    """Takes the faults of all kinds by turns: (label, line, node, what changes that node's own fields, the lines of the only
    statement that it changes); of a default without a node, and with its edit."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None and len(node.body) > 1 else node.body
    line = body[0].lineno
    yield "returns nothing", line, node, _return_at_once, None
    yield "returns something else", line, node, lambda root: _return_else(root, definition.tree().body), None
    kinds: dict = {}
    for label, number, edit, is_common in defaults.of_parameters(node, function):
        kinds.setdefault("b" if is_common else "h", []).append((label, number, None, edit, None))
    for label, number, edit in defaults.of_fields(node, function, definition.classes, _lines):
        kinds.setdefault("h", []).append((label, number, None, edit, None))
    statements = _statements(node)
    for inner in itertools.chain([node], *map(ast.walk, node.body)):
        for kind, label, number, change in (*_faults(inner), *_other_constants(inner, constants)):
            left_out = [one for one in inner.body if one.lineno == number] if kind == "e" else []
            within = _lines_of(left_out or [statements[inner]])
            kinds.setdefault(kind, []).append((label, number, inner, change, within))
    lists = [sorted(kinds[kind], key=lambda fault: fault[1]) for kind in sorted(kinds)]
    given = 2
    for turn in range(max(map(len, lists), default=0)):
        for faults in lists:
            if turn < len(faults) and given < most:
                given += 1
                yield faults[turn]


def _statements(root: ast.AST) -> "dict[ast.AST, ast.stmt]":
    """Gives the innermost statement around each node."""
    found = {root: root}
    for node in ast.walk(root):
        found.update((inner, inner if isinstance(inner, ast.stmt) else found[node]) for inner in ast.iter_child_nodes(node))
    return found


def _lines_of(statements: "list[ast.stmt]") -> range:
    """Gives the lines of statements, with all that is in them."""
    decorated = [made.lineno for one in statements for made in getattr(one, "decorator_list", [])]
    return range(min([one.lineno for one in statements] + decorated), max(one.end_lineno for one in statements) + 1)


def _return_at_once(root: ast.AST) -> None:
    """Returns before anything is done; what follows stays, so that the cells stay the same."""
    skip = 1 if ast.get_docstring(root, clean=False) is not None else 0
    root.body.insert(skip, ast.copy_location(ast.Return(value=None), root))


def _return_else(root: ast.AST, body: "list[ast.stmt]") -> None:
    """Returns `...` in place of each value, after all work was done; `body` is the same as the root's, and not used by it."""

    class Returns(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> ast.AST:  # noqa: N802
            pair = ast.Tuple(elts=[node.value or ast.Constant(value=None), ast.Constant(value=...)], ctx=ast.Load())
            index = ast.Subscript(value=pair, slice=ast.Constant(value=1), ctx=ast.Load())
            return _placed(ast.Return(value=index), node)

        def visit_FunctionDef(self, node: ast.AST) -> ast.AST:  # noqa: N802
            return node

        visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef  # noqa: N815

    root.body = [Returns().visit(statement) for statement in body]
    root.body.append(_placed(ast.Return(value=ast.Constant(value=...)), root))


def _faults(node: ast.AST) -> "Iterator[tuple]":
    """Gives the faults a node can have: (kind, label, line, change); kinds come by turns in the order of their letters."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = type(node.ops[0])
        if sign in _INVERTED:
            other = _INVERTED[sign]
            yield "a", f"{_SIGNS[sign]} → {_SIGNS[other]}", line, lambda n, other=other: n.ops.__setitem__(0, other())
        if sign in _BOUNDARY:
            other = _BOUNDARY[sign]
            yield "c", f"{_SIGNS[sign]} → {_SIGNS[other]}", line, lambda n, other=other: n.ops.__setitem__(0, other())
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "b", f"{node.value} → {node.value + 1}", line, lambda n: setattr(n, "value", n.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "d", f"{node.value} → {not node.value}", line, lambda n: setattr(n, "value", not n.value)
    elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in _ARITHMETIC:
        other = _ARITHMETIC[type(node.op)]
        yield "b", f"{_SIGNS[type(node.op)]} → {_SIGNS[other]}", line, lambda n: setattr(n, "op", other())
    elif isinstance(node, ast.BoolOp):
        is_and = isinstance(node.op, ast.And)
        label = "and → or" if is_and else "or → and"
        yield "d", label, line, lambda n: setattr(n, "op", ast.Or() if is_and else ast.And())
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield "d", "a condition is the other way round", line, _negate
    body = getattr(node, "body", None)
    if isinstance(body, list):
        for at, statement in enumerate(body):
            if isinstance(statement, (ast.AugAssign, ast.Raise)) or (
                isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Call, ast.Await))
            ):
                number = statement.lineno
                yield "e", f"line {number} is left out", number, lambda n, at=at: _leave_out(n, at)


def _other_constants(node: ast.AST, constants: "dict[str, list]") -> "Iterator[tuple]":
    """Gives the faults of constants that a node holds, as `_faults` does."""
    for field, held in ast.iter_fields(node):
        for at, inner in enumerate(held if isinstance(held, list) else [held]):
            if not isinstance(inner, ast.Name) or not isinstance(inner.ctx, ast.Load):
                continue
            for key, what, other in constants.get(inner.id, ()):
                # Whether a key is in there does not follow from what it stands for.
                is_item = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
                if key is None or is_item or (isinstance(node, ast.Attribute) and node.attr in _READS):
                    place = at if isinstance(held, list) else None
                    put = functools.partial(_put_other, field=field, place=place, name=inner, key=key, other=other)
                    yield "f" if key is None else "g", f"{what} → {other}", inner.lineno, put


def _put_other(node: ast.AST, field: str, place: "int | None", name: ast.Name, key: object, other: str) -> None:
    text = other if key is None else f"{{**{name.id}, {key!r}: {other}}}"
    put = ast.parse(text, mode="eval").body
    for inner in ast.walk(put):
        ast.copy_location(inner, name)
    if place is None:
        setattr(node, field, put)
    else:
        getattr(node, field)[place] = put


def _negate(node: ast.AST) -> None:
    node.test = ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=node.test), node.test)


def _leave_out(node: ast.AST, at: int) -> None:
    statement = node.body[at]
    node.body[at] = _placed(ast.If(test=ast.Constant(value=0), body=[statement], orelse=[]), statement)


def _placed(node: ast.AST, like: ast.AST) -> ast.AST:
    """Gives a new node, and what is new in it, the place of another."""
    return ast.fix_missing_locations(ast.copy_location(node, like))
