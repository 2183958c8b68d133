"""Small edits of functions: faults, refactorings, and statements that change nothing. Each is a new text of a file.

Owns how the edits are made; which of them count, a part decides that tries them (noticed.py, accepted.py, applications.py).
"""

import ast
import builtins
import re

MOVED = "moved_by_the_bench"  # the module that functions move to


def parses(text: str) -> bool:
    """Tells whether an edited text is Python."""
    try:
        compile(text, "edited", "exec")
    except SyntaxError:
        return False
    return True


def within(text: str, first: int, last: int) -> list:
    """Lists the syntax nodes of some lines, decorators and defaults left out, with where they lie in the text."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    found = []
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and first <= function.lineno <= last:
            for statement in function.body:
                for node in ast.walk(statement):
                    if hasattr(node, "lineno"):
                        at = starts[node.lineno - 1] + node.col_offset
                        found.append((node, at, starts[node.end_lineno - 1] + node.end_col_offset))
            break
    return found


def put(text: str, start: int, end: int, new: str) -> str:
    """Replaces bytes of a text."""
    data = text.encode()
    return (data[:start] + new.encode() + data[end:]).decode()


SWAPS = {ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">", ast.Is: "is not",
         ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in", ast.Add: "-", ast.Sub: "+", ast.Mult: "+",
         ast.And: "or", ast.Or: "and"}  # fmt: skip


def faults(text: str, first: int, last: int) -> list:
    """Gives variants of the text, each with one small fault in the function on the given lines."""
    out = []
    for node, start, end in within(text, first, last):
        part = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in SWAPS:
            left, right = (ast.get_source_segment(text, side) for side in (node.left, node.comparators[0]))
            out.append(put(text, start, end, "(%s %s %s)" % (left, SWAPS[type(node.ops[0])], right)))
        elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
            left, right = (ast.get_source_segment(text, side) for side in (node.left, node.right))
            out.append(put(text, start, end, "(%s %s %s)" % (left, SWAPS[type(node.op)], right)))
        elif isinstance(node, ast.BoolOp):
            sides = [ast.get_source_segment(text, side) for side in node.values]
            out.append(put(text, start, end, "(%s)" % (" %s " % SWAPS[type(node.op)]).join(map(str, sides))))
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            out.append(put(text, start, end, str(node.value + 1)))
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            out.append(put(text, start, end, str(not node.value)))
        elif isinstance(node, ast.Return) and node.value is not None and not part.endswith("None"):
            out.append(put(text, start, end, "return None"))
        elif isinstance(node, ast.If):
            test = ast.get_source_segment(text, node.test) or ""
            offset = part.index(test)
            at = start + len(part[:offset].encode())
            out.append(put(text, at, at + len(test.encode()), "not (%s)" % test))
    return out


def refactorings(text: str, first: int, last: int) -> list:
    """Gives variants of the text, each with one refactoring in the function on the given lines, or in its module."""
    out = []
    lines = text.splitlines(keepends=True)
    nodes = within(text, first, last)
    for node, start, end in nodes:
        pad = " " * getattr(node, "col_offset", 0)
        part = ast.get_source_segment(text, node) or ""
        if isinstance(node, ast.Return) and node.value is not None and "\n" not in part:
            value = ast.get_source_segment(text, node.value)
            out.append(put(text, start, end, "extracted_ = %s\n%sreturn extracted_" % (value, pad)))
            out.append(put(text, start, end, "# Laid out anew.\n%sreturn (\n%s    %s\n%s)" % (pad, pad, value, pad)))
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.test, ast.BoolOp) and type(node.test.op) is ast.And:
            sides = [ast.get_source_segment(text, side) for side in node.test.values]
            body = "".join(lines[node.body[0].lineno - 1 : node.end_lineno])
            if part.startswith("if") and node.body[0].lineno > node.test.end_lineno and '"""' not in body:
                deeper = re.sub(r"(?m)^(?=.)", "    ", body).rstrip("\n")
                inner = " and ".join(map(str, sides[1:]))
                out.append(put(text, start, end, "if %s:\n%s    if %s:\n%s" % (sides[0], pad, inner, deeper)))
    stored = sorted({n.id for n, _, _ in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})
    rebound = any(isinstance(n, (ast.Global, ast.Nonlocal, ast.FunctionDef, ast.Lambda)) for n, _, _ in nodes)
    for name in stored[:1] if not rebound else []:
        renamed = text
        uses = [(start, end) for node, start, end in nodes if isinstance(node, ast.Name) and node.id == name]
        for start, end in sorted(uses, reverse=True):
            renamed = put(renamed, start, end, name + "_renamed")
        out.append(renamed)
    imports = [n for n in ast.parse(text).body if isinstance(n, ast.Import) and n.lineno == n.end_lineno]
    for one, other in zip(imports, imports[1:]):
        if other.lineno == one.lineno + 1:
            swapped = list(lines)
            swapped[one.lineno - 1], swapped[other.lineno - 1] = lines[other.lineno - 1], lines[one.lineno - 1]
            out.append("".join(swapped))
            break
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and first <= node.lineno <= last and node.args.args:
            argument = node.args.args[0]
            if argument.annotation is None:
                line = lines[argument.lineno - 1].encode()
                at = argument.end_col_offset
                annotated = [*lines]
                annotated[argument.lineno - 1] = (line[:at] + b": object" + line[at:]).decode()
                out.append("".join(annotated))
    return out


def moved(text: str, first: int, last: int) -> list:
    """Gives, for a function that uses nothing of its module but imports, the module without it and the module it moved to."""
    tree = ast.parse(text)
    imported = {}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            imported.update({(name.asname or name.name.split(".")[0]): ast.unparse(node) for name in node.names})
    lines = text.splitlines(keepends=True)
    for function in tree.body:
        if not (isinstance(function, ast.FunctionDef) and first <= function.lineno <= last) or function.decorator_list:
            continue
        names = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
        used = names - bound - set(dir(builtins))
        if used - set(imported) or any(isinstance(node, (ast.Global, ast.ExceptHandler)) for node in ast.walk(function)):
            continue
        body = "".join(lines[function.lineno - 1 : function.end_lineno])
        back = "from .%s import %s  # noqa\n" % (MOVED, function.name)
        rest = "".join(lines[: function.lineno - 1]) + back + "".join(lines[function.end_lineno :])
        return [(rest, "".join(sorted({imported[name] + "\n" for name in used})) + "\n\n" + body)]
    return []


def unused(text: str, first: int, last: int) -> list:
    """Gives the text with a statement that changes nothing at the beginning of the function's body, after its docstring."""
    for function in ast.walk(ast.parse(text)):
        if not (isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and first <= function.lineno <= last):
            continue
        lines = text.splitlines(keepends=True)
        has_docstring = ast.get_docstring(function, clean=False) is not None
        body = function.body[has_docstring:]
        if not body:  # a docstring alone
            lines.insert(function.end_lineno, " " * function.body[0].col_offset + "_unused = None\n")
            return ["".join(lines)]
        at = min([body[0].lineno, *(d.lineno for d in getattr(body[0], "decorator_list", []))])
        column = body[0].col_offset
        before = lines[at - 1].encode()[:column].decode()
        if before.strip():  # `def f(): return 1`, on one line
            lines[at - 1] = before + "_unused = None; " + lines[at - 1][len(before) :]
        else:
            lines.insert(at - 1, before + "_unused = None\n")
        return ["".join(lines)]
    return []
