"""Feeds the recorder from rewritten source: Python 3.10 and 3.11, and where no monitoring tool id is free.

Modules are rewritten where they are loaded. A script that the interpreter runs, and other code that is
executed without a loader, cannot be replaced any more: while its definitions run, a trace function
gives the functions they made their rewritten code; then tracing ends.
"""

from pytead_tui.recorder import budget, debugger, effects, functions, kinds, library, lines, rewrite
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.hooks import Hook, Library, Line
from pytead_tui.recorder.objects import dict_of, oid
from pytead_tui.recorder.own import __builtins__, gc, os, sys
from pytead_tui.recorder.plans import isinstance_type, lookup
from pytead_tui.recorder.project import File, read
from pytead_tui.recorder.state import Recorder

_getframe = sys._getframe
MOST_OTHERS = 10_000
AGAIN = 4  # calls that bring nothing, of a function that a test may call, before its events go off again
# What it means that a file cannot be read, or is no Python.
_NO_SOURCE = (OSError, SyntaxError, ValueError, MemoryError)


class Injector:
    """Makes rewritten code."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.made: dict = {}  # module code objects that are ours
        self.plain: dict = {}  # by identity of a rewritten function's code: (it, the program's own)
        self.twins: dict = {}  # by path, of single functions: their rewritten code by their own
        self.hooks: list = []
        self.others: dict = {}  # by path: when a file was found to be no Python, and its size then
        self.off: list = []  # functions whose start events went off
        if not recorder.journey:
            recorder.when_test.append(self.look_again)
        recorder.when_paused.append(self.pause)
        recorder.when_renewed.append(self.renew)
        recorder.when_on.append(self.put_in)
        recorder.when_off.append(self.put_back)
        recorder.stops.append(self.stop)

    def compile(self, file: File, source: bytes, filename: str) -> object:
        """Gives the rewritten code of a module's source. Raises what compiling may raise."""
        with rewrite.Quiet():
            try:
                code, found, left, nowhere = _rewritten(source, filename, self.recorder.journey)
            except SyntaxError:  # too many blocks in one another
                code, found, left, nowhere = _rewritten(source, filename, False)
            hooks = [Hook(self.recorder, file, f) for f in found]
            code = _finished(code, hooks, nowhere)
        self.hooks += hooks
        self.made[oid(code)] = code
        for qualname in left:
            self.recorder.gap("no calls of %s:%s, which starts a debugger" % (file.dotted, qualname), 1)
        effects.install(self.recorder)
        file.digest(source)
        return code

    def module(self, loader: object, name: object, plain: object) -> object:
        """Gives a loaded module's rewritten code, or its own where it cannot or need not be rewritten."""
        path = getattr(loader, "path", None)
        file = self.recorder.project.file(path)
        if file is None or file.test or not self.recorder.on or not path.endswith(".py"):
            return plain
        if type(name) is str:
            self.recorder.imported(file, name, _getframe(1))
        try:
            code = self.compile(file, loader.get_data(path), plain.co_filename)
            self._remember(_twins(plain, code))
            return code
        except BaseException as error:
            if not isinstance(error, Exception):
                raise
            self.recorder.gap("cannot rewrite " + file.relative, 1)
            self.made[oid(plain)] = plain
            return plain

    def _remember(self, pairs: list) -> None:
        for _, (plain, code) in pairs:
            self.plain[oid(code)] = (code, plain)

    def library(self, module: str, name: str, code: object, read: object) -> object:
        """Gives the code of one of the standard library's modules, or of the function `name` of it, in which that
        function reports its start; as it is, where that cannot be done. `read` gives its source.
        """
        count, look = library.HANDLERS[module, name]
        home, _, own = name.rpartition(".")

        def changed(code: object, path: tuple) -> object:
            if path:
                consts = [
                    changed(c, path[1:]) if type(c) is kinds.Code and c.co_name == path[0] else c
                    for c in code.co_consts
                ]
                return code.replace(co_consts=tuple(consts))
            first, last = code.co_firstlineno, max(line or 0 for _, _, line in code.co_lines())
            tree, nowhere = rewrite.announced(read(), code.co_filename, first, last, home)
            made = compile(tree, code.co_filename, "exec", dont_inherit=True)
            (made,) = _inner(_inner(made)[0] if home else made)
            if made.co_name != own or made.co_freevars != code.co_freevars:
                return code
            return _finished(made, [Library(self.recorder, count, look, look in library.ALWAYS)], nowhere)

        try:
            with rewrite.Quiet():
                return changed(code, () if code.co_name == own else tuple(name.split(".")))
        except Exception:
            return code

    def look_again(self) -> None:
        """Makes functions report their starts for a few calls more: a test begins, which may call them itself."""
        recorder = self.recorder
        off, self.off = self.off, []
        for function in off if recorder.on and not recorder.full else ():
            if function.errors or function.beyond >= budget.OUTSIDE or function.kept >= 2 * recorder.most:
                continue
            if not function.for_tests:
                self.put_in(function)
            function.for_tests = function.on = True
            function.misses = (functions.HURRY if function.over else functions.PATIENCE) - AGAIN
            for hook in function.hooks:
                hook.on = hook.busy = True

    def put_back(self, function: Function) -> None:
        """Gives a function of which nothing more is wanted the program's own code, where it is found by its name. One that
        tests looked at again keeps ours, for they will again.
        """
        self.off.append(function)
        if not function.for_tests and not function.asks:
            self.own_code(function)

    def own_code(self, function: Function) -> None:
        """Gives a function the program's own code, where it is found by its name."""
        self._exchange(function, lambda code: self.plain.get(oid(code)))

    def stop(self) -> None:
        """Gives all functions their own code back, when the recording ends."""
        for function in list(self.recorder.numbered.values()):
            self.own_code(function)

    def put_in(self, function: Function) -> None:
        """Gives it the rewritten code again."""

        def reported(code: object) -> "tuple | None":
            pair = self.plain.get(oid(code))
            return None if pair is None else (pair[1], code)

        self._exchange(function, reported)

    def _exchange(self, function: Function, of: object) -> None:
        held = lookup(function.module, function.qualname)
        pairs = [of(hook.code) for hook in function.hooks]
        _swap(held, {oid(pair[0]): pair for pair in pairs if pair is not None}, 4)

    def pause(self) -> None:
        """Makes what was rewritten report nothing."""
        for hook in self.hooks:
            hook.on = hook.busy = hook.ends = False
            for line in hook.lines:
                line.on = False

    def renew(self) -> None:
        """Makes all that was rewritten report again."""
        for hook in self.hooks:
            hook.on = hook.busy = True
            hook.ends = False
            hook.dim.clear()
            for line in hook.lines:
                line.on = True

    def function(self, held: object) -> bool:
        """Gives one function its rewritten code, when its file is as it was when it was loaded; tells whether it has it."""
        file = self.recorder.project.file(held.__code__.co_filename)
        if file is None or file.test and not self.recorder.project.tests:
            return False
        twins = self.twins.get(file.path)
        if twins is None:
            twins = self.twins[file.path] = self._by_own_code(file, held.__code__.co_filename)
        rewritten = twins.get(held.__code__)
        if rewritten is not None:
            held.__code__ = rewritten
        return rewritten is not None

    def _by_own_code(self, file: File, filename: str) -> dict:
        """Gives the rewritten code of a file's functions by their own; none where the file is no Python."""
        try:
            source = read(file.path)
            pairs = _twins(_plain(source, filename), self.compile(file, source, filename))
        except _NO_SOURCE:
            return {}
        self._remember(pairs)
        return {pair[0]: pair[1] for _, pair in pairs}

    def script(self, code: object) -> None:
        """Follows the definitions of executed code that no loader gave."""
        if oid(code) in self.made or not self.recorder.on:
            return
        file = self.recorder.project.file(code.co_filename)
        if file is None or file.test:
            return
        source = self._source(file, code)
        if source is None:
            return
        if sys.gettrace() is not None:
            self.recorder.gap("another tracer runs: not recorded is " + file.relative, 1)
            return
        try:
            rewritten = self.compile(file, source, code.co_filename)
        except _NO_SOURCE:
            self.recorder.gap("cannot rewrite " + file.relative, 1)
            return
        pairs = _twins(code, rewritten)
        self._remember(pairs)
        twins = dict(pairs)
        heads, last = _definitions(source, code.co_filename)
        if twins and heads:
            sys.settrace(_follow(code, twins, heads, last))

    def _source(self, file: File, code: object) -> "bytes | None":
        """Gives the source of executed code; None where its file is not that: a template that an engine made code of, a file
        that is not there, one that another tool rewrote.
        """
        try:
            stat = os.stat(file.path)
        except OSError:
            return None
        seen = stat.st_mtime_ns, stat.st_size
        if self.others.get(file.path) == seen:
            return None
        try:
            source = read(file.path)
            return source if _plain(source, code.co_filename) == code else None
        except _NO_SOURCE:
            if len(self.others) < MOST_OTHERS:
                self.others[file.path] = seen
        return None


def _plain(source: bytes, filename: str) -> object:
    with rewrite.Quiet():
        return compile(source, filename, "exec", dont_inherit=True)


def _rewritten(source: bytes, filename: str, lines: bool) -> tuple:
    tree, found, left, nowhere = rewrite.rewrite(source, filename, effects.NAMES, effects.imports, lines)
    return compile(tree, filename, "exec", dont_inherit=True), found, left, nowhere


def _finished(code: object, hooks: list, nowhere: int) -> object:
    """Puts the hooks in place of their marks, and takes the added code off the lines."""
    consts = []
    for const in code.co_consts:
        if type(const) is kinds.Code:
            const = _finished(const, hooks, nowhere)
        elif type(const) is str and const.startswith(rewrite.MARK):
            number, _, line = const[len(rewrite.MARK) :].partition(" ")
            hook = hooks[int(number)]
            const = hook
            if line:
                const = Line(hook, int(line))
                hook.lines.append(const)
        consts.append(const)
    return code.replace(co_consts=tuple(consts), co_linetable=lines.without(code, nowhere))


def _is_scope(name: str) -> bool:
    return not name.startswith("<") or name.startswith("<generic parameters")


def _inner(code: object) -> list:
    return [c for c in code.co_consts if type(c) is kinds.Code and _is_scope(c.co_name)]


def _twins(plain: object, rewritten: object) -> list:
    """Pairs the function code objects of a module with their rewritten ones."""
    pairs = []
    for one, other in zip(_inner(plain), _inner(rewritten)):
        if (one.co_name, one.co_firstlineno) == (other.co_name, other.co_firstlineno):
            if one.co_flags & 1 and one.co_freevars == other.co_freevars:
                pairs.append((oid(one), (one, other)))
            pairs += _twins(one, other)
    return pairs


def _definitions(source: bytes, filename: str) -> tuple:
    """Gives the names that module-level definitions bind, by the lines of what stands before their bodies, and the last
    line of all.
    """
    heads: dict = {}
    last = 0

    def walk(body: list) -> None:
        nonlocal last
        for node in body:
            if rewrite.is_definition(node):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                for line in range(first, max(node.lineno, node.body[0].lineno) + 1):
                    heads[line] = node.name
                last = max(node.end_lineno, last)
            else:
                for name in ("body", "orelse", "finalbody", "handlers", "cases"):
                    walk(getattr(node, name, []))

    with rewrite.Quiet():
        walk(compile(source, filename, "exec", 0x400, dont_inherit=True).body)
    return heads, last


def _follow(code: object, twins: dict, heads: dict, last: int) -> object:
    """Makes the trace function that gives what a module defines its rewritten code, once it is left behind."""
    before = 0

    def outer(frame: object, event: str, arg: object) -> object:
        return inner if frame.f_code is code else None

    def inner(frame: object, event: str, arg: object) -> object:
        nonlocal before
        try:
            if event == "line" and frame.f_lineno <= last:
                if before in heads:
                    _swap(frame.f_globals.get(heads[before]), twins, 4)
                before = frame.f_lineno
            elif event != "exception":
                if sys.gettrace() is outer:
                    sys.settrace(None)
                for held in gc.get_objects():
                    if type(held) is kinds.Function:
                        _swap(held, twins, 0)
                return None
        except Exception:
            if sys.gettrace() is outer:
                sys.settrace(None)
            return None
        return inner

    return outer


def _swap(held: object, twins: dict, depth: int) -> None:
    """Gives a function, and those that it or a class holds, the rewritten code."""
    if type(held) is kinds.Function:
        twin = twins.get(oid(held.__code__))
        if twin is not None and twin[0] is held.__code__:
            held.__code__ = twin[1]
        elif depth:
            for cell in held.__closure__ or ():
                try:
                    _swap(cell.cell_contents, twins, depth - 1)
                except ValueError:  # an empty cell
                    pass
    elif held is None or not depth:
        return
    elif type(held) is staticmethod or type(held) is classmethod:
        _swap(held.__func__, twins, depth - 1)
    elif type(held) is property:
        for part in (held.fget, held.fset, held.fdel):
            _swap(part, twins, depth - 1)
    elif isinstance_type(held):
        for part in list(dict_of(held).values()):
            _swap(part, twins, depth - 1)
    elif type(held).__module__ == "functools" and type(held).__name__ == "_lru_cache_wrapper":
        _swap(held.__wrapped__, twins, depth - 1)


def install(recorder: Recorder) -> Injector:
    """Rewrites project modules as they are loaded, and follows scripts."""
    injector = Injector(recorder)
    external = sys.modules["_frozen_importlib_external"]
    loader_class = external.SourceFileLoader
    original = loader_class.get_code
    source_to_code = external.SourceLoader.__dict__["source_to_code"]

    def get_code(self, fullname):  # type: ignore[no-untyped-def]
        code = original(self, fullname)
        if fullname in library.REWRITTEN and recorder.on:
            for name in library.REWRITTEN[fullname]:
                code = injector.library(fullname, name, code, lambda: self.get_data(self.path))
            return code
        if code is not None and type(self).source_to_code is source_to_code:
            return injector.module(self, fullname, code)
        return code

    # Under this name the import system takes the frame out of tracebacks, as it does with its own.
    get_code.__code__ = get_code.__code__.replace(co_filename=original.__code__.co_filename)
    get_code.__module__, get_code.__qualname__ = original.__module__, original.__qualname__
    loader_class.get_code = get_code
    for module, name in [(module, name) for module, names in library.REWRITTEN.items() for name in names]:
        held = lookup(module, name)
        if type(held) is kinds.Function:  # loaded before us, maybe frozen: what lies in the file is the same
            held.__code__ = injector.library(
                module, name, held.__code__, lambda space=held.__globals__: read(space["__file__"])
            )

    def hook(event: str, args: tuple) -> None:
        if event == "sys.settrace":
            frame = _getframe(1)
            if recorder.on and debugger.starts(frame):
                recorder.gap("a debugger runs: nothing is recorded from here on", 1)
                recorder.switch_off()
                injector.pause()
                debugger.give_back(injector.plain)
                debugger.hide(frame.f_globals.get("Bdb"), frame, injector.plain)
        elif event == "sys.addaudithook" and recorder.on:
            frame = _getframe(1)
            if recorder.project.file(frame.f_code.co_filename) is not None:
                recorder.gap("the program audits itself: nothing is recorded from here on", 1)
                recorder.switch_off()
                injector.pause()
                debugger.give_back(injector.plain)
        elif event == "exec":
            code = args[0]
            if type(code) is kinds.Code and code.co_name == "<module>" and recorder.on:
                try:
                    injector.script(code)
                except RecursionError:
                    pass
                except BaseException as error:
                    recorder.failed(error)

    sys.addaudithook(hook)
    return injector
