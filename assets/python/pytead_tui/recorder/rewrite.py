"""Rewrites a module's functions so that they report to a hook: Python 3.10 and 3.11.

Owns the syntax tree only; what the hooks do is inject.py's affair. A hook is written as a constant
that becomes an object after compilation, and the added code loses its line numbers then (lines.py), so
that tracebacks, coverage, `locals()` and the module's names stay as they are. A function becomes:

    H.on and H.enter(a, b)
    try: <body, in a journey `L.on and L.at()` before each statement, with `return H.value(x) if H.ends else x`>
    except BaseException: H.busy and H.raised(); raise
    finally: H.ends and H.left()
"""

import _ast as ast
import _warnings

from pytead_tui.recorder.own import __builtins__, gc, sys

CLOSING = 12  # lines of brackets and empty ones that may follow the last line of a function's code
MARK = "\0pytead hook "
_ONLY_AST = 0x400
_STARTERS = ("breakpoint", "set_trace")
_PLACE = ("lineno", "end_lineno", "col_offset", "end_col_offset")


class Quiet:
    """Silences warnings: the program's own compilation gave them already. Nor are cycles looked for meanwhile: among the
    nodes of a tree there are none, and looking takes longer than all else.
    """

    rule = ("ignore", None, Warning, None, 0)

    def __enter__(self) -> None:
        self.filters = getattr(sys.modules.get("warnings"), "filters", _warnings.filters)
        self.filters.insert(0, self.rule)
        _warnings._filters_mutated()
        self.collects = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self.collects:
            gc.enable()
        self.filters.remove(self.rule)
        _warnings._filters_mutated()


class Found:
    """A function that was rewritten."""

    __slots__ = ("qualname", "receiver")

    def __init__(self, qualname: str, receiver: bool) -> None:
        self.qualname = qualname
        self.receiver = receiver


def rewrite(source: bytes, filename: str, effects: frozenset, imports: object, lines: bool) -> tuple:
    """Gives (tree, the functions rewritten, the names of those that were left as they are, the line of all that was added:
    past the source's end).

    `imports(module, name)` says whether an import is of a known effect; `lines`, whether each statement reports, too.
    """
    tree = compile(source, filename, "exec", _ONLY_AST, dont_inherit=True)
    nowhere = tree.body[-1].end_lineno + 1 if tree.body else 1
    walk = _Rewriter(effects, imports, nowhere, lines)
    walk.block(tree.body, _Scope(None, "", False))
    return tree, walk.found, walk.left, nowhere


def announced(source: bytes, filename: str, first: int, last: int, home: str) -> tuple:
    """Gives (tree, the line of what was added) of the one function on these lines, which reports its start: at the top
    level, or in its class `home`.
    """
    lines = source.split(b"\n")
    above = b"class %b:\n" % home.encode() if home else b"\n"
    tree = None
    for end in range(last, min(last + CLOSING, len(lines) + 1)):  # no code tells where its last statement ends
        own = b"\n" * (first - 2) + above + b"\n".join(lines[first - 1 : end]) + b"\n"
        try:
            tree, last = compile(own, filename, "exec", _ONLY_AST, dont_inherit=True), end
            break
        except SyntaxError:
            if end == last + CLOSING - 1:
                raise
    walk = _Rewriter(frozenset(), None, last + 1, False)
    node = tree.body[0].body[0] if home else tree.body[0]
    node.body.insert(0, walk.guarded(0, "on", "enter", walk.parameters(node.args)))
    return tree, last + 1


def is_definition(node: object) -> bool:
    """Whether a statement defines a function or a class."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def has_code(node: object) -> bool:
    """Whether a statement is there at run time: no declaration, no docstring."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant)
    return not (isinstance(node, (ast.Global, ast.Nonlocal)) or isinstance(node, ast.AnnAssign) and node.value is None)


def statements(source: bytes, filename: str) -> dict:
    """Gives each function's own statements by the first line of its code: line → line where the statement begins."""
    found: dict = {}

    def walk(node: object, lines: "dict | None") -> None:
        decorators = getattr(node, "decorator_list", [])
        first = min([getattr(node, "lineno", 0), *(d.lineno for d in decorators)])
        if isinstance(node, ast.stmt) and lines is not None:
            for line in range(first, node.end_lineno + 1):
                lines[line] = node.lineno if has_code(node) else None
        elif isinstance(node, (ast.excepthandler, ast.match_case)) and lines is not None:
            for line in range(getattr(node, "lineno", node.body[0].lineno - 1), node.body[0].lineno):
                lines[line] = None
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = found.setdefault(first, {})
        elif isinstance(node, ast.ClassDef):
            lines = None
        for name in node._fields:
            held = getattr(node, name, None)
            for part in held if isinstance(held, list) else ():
                if isinstance(part, (ast.stmt, ast.excepthandler, ast.match_case)):
                    walk(part, lines)

    walk(compile(source, filename, "exec", _ONLY_AST, dont_inherit=True), None)
    return found


def statements_between(lines: list, first: int, last: int, filename: str) -> dict:
    """Gives the same for the function that begins and ends on these lines, and for those in it. Raises SyntaxError
    where the lines cannot be read without the others.
    """
    inside = lines[first - 1][:1] in (b" ", b"\t")
    part = b"\n".join([b"if 1:", *lines[first - 1 : last], b""] if inside else [*lines[first - 1 : last], b""])
    off = first - 1 - inside
    found = statements(part, filename)
    if 1 + inside not in found:
        raise SyntaxError
    return {
        line + off: {n + off: None if begin is None else begin + off for n, begin in begins.items()}
        for line, begins in found.items()
    }


class _Scope:
    __slots__ = ("hook", "prefix", "is_class", "is_async", "globals")

    def __init__(self, hook: "int | None", prefix: str, is_class: bool, is_async: bool = False) -> None:
        self.hook = hook
        self.prefix = prefix
        self.is_class = is_class
        self.is_async = is_async
        self.globals: set = set()


class _Rewriter:
    def __init__(self, effects: frozenset, imports: object, nowhere: int, lines: bool) -> None:
        self.lines = lines
        self.effects = effects
        self.imports = imports
        self.place = dict(zip(_PLACE, (nowhere, nowhere, 0, 0)))
        self.aliases: set = set()
        self.found: list = []
        self.left: list = []

    # Statements.

    def block(self, body: list, scope: _Scope) -> None:
        for node in body:
            if isinstance(node, ast.Global):
                scope.globals.update(node.names)
        done = []
        for node in body:
            line = node.lineno
            noted = self.lines and scope.hook is not None and has_code(node)
            node = self.node(node, scope)
            if noted:
                done.append(self.guarded("%d %d" % (scope.hook, line), "on", "at", []))
            done.append(node)
        body[:] = done

    def node(self, node: object, scope: _Scope) -> object:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return self.function(node, scope)
        if isinstance(node, ast.ClassDef):
            node.decorator_list = [self.node(d, scope) for d in node.decorator_list]
            node.bases = [self.node(b, scope) for b in node.bases]
            node.keywords = [self.node(k, scope) for k in node.keywords]
            self.block(node.body, _Scope(None, self.qualname(node.name, scope) + ".", True))
            return node
        if isinstance(node, ast.Lambda):
            node.args = self.node(node.args, scope)
            return node  # not recorded, and a `yield` in it is its own
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if self.imports(node.module, alias.name):
                    self.aliases.add(alias.asname or alias.name)
            return node
        if isinstance(node, ast.Assign) and self.is_effect(node.value):
            self.aliases.update(target.id for target in node.targets if isinstance(target, ast.Name))
        for name in node._fields:
            held = getattr(node, name, None)
            if isinstance(held, list):
                if held and isinstance(held[0], ast.stmt):
                    self.block(held, scope)
                else:
                    held[:] = [self.node(x, scope) if isinstance(x, ast.AST) else x for x in held]
            elif isinstance(held, ast.AST):
                setattr(node, name, self.node(held, scope))
        return self.changed(node, scope) if scope.hook is not None else node

    def qualname(self, name: str, scope: _Scope) -> str:
        return name if name in scope.globals else scope.prefix + name

    def function(self, node: object, scope: _Scope) -> object:
        node.decorator_list = [self.node(d, scope) for d in node.decorator_list]
        node.args = self.node(node.args, scope)
        if node.returns is not None:
            node.returns = self.node(node.returns, scope)
        qualname = self.qualname(node.name, scope)
        positional = node.args.posonlyargs + node.args.args
        if any(map(_starts_debugger, node.body)):
            # It would see what was added; and when it starts, the recording ends.
            self.left.append(qualname)
            self.block(node.body, _Scope(None, qualname + ".<locals>.", False))
            return node
        static = node.name == "__new__" or any(_last_name(d) == "staticmethod" for d in node.decorator_list)
        hook = len(self.found)
        self.found.append(Found(qualname, scope.is_class and bool(positional) and not static))
        inner = _Scope(hook, qualname + ".<locals>.", False, isinstance(node, ast.AsyncFunctionDef))
        self.block(node.body, inner)
        body = node.body
        start = 0
        if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            start = int(isinstance(body[0].value.value, str))
        node.body = body[:start] + self.wrapped(hook, node.args, body[start:])
        return node

    def parameters(self, args: object) -> list:
        names = [a.arg for a in args.posonlyargs + args.args]
        if args.vararg:
            names.append(args.vararg.arg)
        names += [a.arg for a in args.kwonlyargs]
        if args.kwarg:
            names.append(args.kwarg.arg)
        return [ast.Name(n, ast.Load(), **self.place) for n in names]

    def wrapped(self, hook: int, args: object, body: list) -> list:
        handler = ast.ExceptHandler(
            self.get(hook, "Every"), None,
            [self.guarded(hook, "busy", "raised", []), ast.Raise(None, None, **self.place)], **self.place,
        )  # fmt: skip
        return [
            self.guarded(hook, "on", "enter", self.parameters(args)),
            ast.Try(body or [ast.Pass(**self.place)], [handler],
                    [self.guarded(hook, "ends", "value", [ast.Constant(None, None, **self.place)])],
                    [self.guarded(hook, "ends", "left", [])], **self.place),
            ast.Return(None, **self.place),
        ]  # fmt: skip

    # Expressions and returns in a function's own body.

    def changed(self, node: object, scope: _Scope) -> object:
        hook = scope.hook
        if isinstance(node, ast.Return):
            if node.value is not None:
                node.value = self.when(hook, "ends", self.call(hook, "value", [node.value]), node.value)
            elif not scope.is_async:  # it may be an async generator, whose returns have no value
                none = ast.Constant(None, None, **self.place)
                node.value = self.when(hook, "ends", self.call(hook, "value", [none]), none)
        elif isinstance(node, ast.Yield):
            given = node.value or ast.Constant(None, None, **self.place)
            place = {name: getattr(node, name) for name in _PLACE}
            reported = ast.Yield(self.call(hook, "yielded", [given]), **place)
            return self.when(hook, "ends", self.call(hook, "sent", [reported]), node)
        elif isinstance(node, ast.YieldFrom):
            place = {name: getattr(node, name) for name in _PLACE}
            made = ast.Call(self.call(hook, "given", [node.value]), [], [], **place)
            node.value = self.when(hook, "ends", self.call(hook, "through", [made]), node.value)
        elif isinstance(node, ast.Call) and self.is_effect(node.func):
            node.func = self.when(hook, "busy", self.call(hook, "seen", [node.func]), node.func)
        elif isinstance(node, ast.Attribute) and node.attr == "environ" and isinstance(node.ctx, ast.Load):
            return self.when(hook, "busy", self.call(hook, "environment", [node]), node)
        return node

    def is_effect(self, node: object) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr in self.effects
        return isinstance(node, ast.Name) and (node.id in self.aliases or node.id == "print")

    # Pieces of added code.

    def get(self, hook: object, name: str) -> object:
        """Gives an attribute of a hook by its number; of one of its lines, by both."""
        mark = ast.Constant(MARK + str(hook), None, **self.place)
        return ast.Attribute(mark, name, ast.Load(), **self.place)

    def call(self, hook: object, name: str, args: list) -> object:
        return ast.Call(self.get(hook, name), args, [], **self.place)

    def when(self, hook: int, flag: str, then: object, otherwise: object) -> object:
        return ast.IfExp(self.get(hook, flag), then, otherwise, **self.place)

    def guarded(self, hook: object, flag: str, name: str, args: list) -> object:
        """Calls a hook's method where its flag asks for it; at the recursion limit, nothing."""
        deep = ast.ExceptHandler(self.get(hook, "Deep"), None, [ast.Pass(**self.place)], **self.place)
        call = ast.Expr(self.call(hook, name, args), **self.place)
        return ast.If(self.get(hook, flag), [ast.Try([call], [deep], [], [], **self.place)], [], **self.place)


def _starts_debugger(node: object) -> bool:
    """Whether a debugger is started in a statement or an expression, not counting what only defines a function or class."""
    if isinstance(node, ast.Call) and _last_name(node.func) in _STARTERS:
        return True
    if is_definition(node) or isinstance(node, ast.Lambda):
        return False
    for name in node._fields:
        held = getattr(node, name, None)
        for part in held if isinstance(held, list) else (held,):
            if isinstance(part, ast.AST) and _starts_debugger(part):
                return True
    return False


def _last_name(node: object) -> "str | None":
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
