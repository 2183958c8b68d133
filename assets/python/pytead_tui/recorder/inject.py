"""Feeds the recorder from rewritten source: Python 3.10 and 3.11, and where no monitoring tool id is free.

Modules are rewritten where they are loaded. A script that the interpreter runs, and other code that is
executed without a loader, cannot be replaced any more: while its definitions run, a trace function
gives the functions they made their rewritten code; then tracing ends.
"""

import gc
import sys
from _functools import partial

from pytead_tui.recorder import debugger, effects, functions, kinds, lines, rewrite
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import dict_of, oid
from pytead_tui.recorder.plans import isinstance_type
from pytead_tui.recorder.project import File
from pytead_tui.recorder.state import Recorder

_getframe = sys._getframe


class Hook:
    """What a rewritten function reports to."""

    __slots__ = ("on", "busy", "ends", "recorder", "file", "qualname", "receiver", "code", "function", "module")

    Every = BaseException
    Deep = RecursionError

    def __init__(self, recorder: Recorder, file: File, found: rewrite.Found) -> None:
        self.on = self.busy = True
        self.ends = False
        self.recorder = recorder
        self.file = file
        self.qualname = found.qualname
        self.receiver = found.receiver
        self.code: object = None
        self.function: "Function | None" = None
        self.module: "str | None" = None

    def enter(self, *args: object) -> None:
        try:
            frame = _getframe(1)
            function = self.function
            if function is None:
                function = self.adopt(frame)
                if function is None or not function.on:
                    self.on = self.busy = False
                    return
            self.recorder.begin(function, frame, args)
        except RecursionError:
            if self.function is not None:
                self.function.sure = False
        except BaseException as error:
            if self.function is not None:
                self.function.sure = False
            self.recorder.failed(error)

    def only(self) -> object:
        """Gives the call of a journey that is the only one of its function in flight, when that is sure: looking for it
        by its frame would be felt.
        """
        function = self.function
        if function is None or function.inflight != 1 or not function.on or not function.sure:
            return None
        call = function.last
        return None if call is None or call.done else call

    def adopt(self, frame: object) -> "Function | None":
        code = frame.f_code
        module = dict.get(frame.f_globals, "__name__")
        if type(module) is not str or not self.recorder.on:
            return None
        if self.recorder.sleeping:
            self.recorder.wake()
        names, parameter_kinds = functions.parameters(code)
        flags = functions.flags_of(code, self.qualname) | (functions.RECEIVER if self.receiver else 0)
        function = self.recorder.function(
            self.file, module, self.qualname, code.co_firstlineno, flags, names, parameter_kinds
        )
        if function is not None:
            function.hooks.append(self)
            self.recorder.infos[oid(code)] = function
            self.code = code
            self.function = function
        return function

    def value(self, value: object) -> object:
        call = self.only() or self.recorder.live.get(oid(_getframe(1)))
        if call is not None:
            call.value = value
        return value

    def left(self) -> None:
        frame = _getframe(1)
        call = self.recorder.live.get(oid(frame))
        if call is None or call.code is not frame.f_code:
            return
        try:
            if call.suspended:
                self.recorder.thrown(call, True)
            self.recorder.returned(call, call.value, frame.f_globals)
        except RecursionError:
            self.recorder.unended.append((call, frame, None, call.value))
        except BaseException as error:
            self.recorder.failed(error)

    def raised(self) -> None:
        frame = _getframe(1)
        error = sys.exc_info()[1]
        function = self.function
        call = self.recorder.live.get(oid(frame))
        if call is not None and call.code is not frame.f_code:
            call = None
        if function is not None and (self.on or call is not None):
            function.raised += type(error) is not GeneratorExit
            function.dirty = True
        if call is None:
            return
        try:
            self.recorder.ended_by(call, _outcome(call.function.flags, error), frame)
        except RecursionError:
            self.recorder.unended.append((call, frame, error, None))
            if self.recorder.live.pop(call.key, None) is not None:  # no return follows
                call.function.inflight -= 1
        except BaseException as other:
            self.recorder.failed(other)

    def yielded(self, value: object) -> object:
        self._note_yield(_getframe(1), value)
        return value

    def _note_yield(self, frame: object, value: object) -> None:
        try:
            call = self.recorder.live.get(oid(frame))
            if call is not None and call.code is frame.f_code:
                if call.suspended:
                    self.recorder.thrown(call, False)  # and it was caught
                self.recorder.yielded(call, value)
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error)

    def sent(self, value: object) -> object:
        try:
            call = self.recorder.live.get(oid(_getframe(1)))
            if call is not None:
                self.recorder.resumed(call)
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error)
        return value

    def given(self, value: object) -> object:
        """Gives what makes the iterator of a `yield from`: called by the program, it leaves no frame of ours."""
        return partial(_same if type(value) is kinds.Coroutine else iter, value)

    def through(self, inner: object) -> object:
        """Gives what `yield from` should go through, to see the values on their way."""
        call = self.recorder.live.get(oid(_getframe(1)))
        if call is None or not call.function.flags & functions.GENERATOR or type(inner) is kinds.Coroutine:
            return inner
        return _through(self.recorder, call, inner)

    def seen(self, callee: object) -> object:
        """Notes a call of the effects' table."""
        try:
            found = effects.of(callee)
            if found is not None:
                effects.note(self.recorder, _getframe(1), *found)
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error)
        return callee

    def environment(self, value: object) -> object:
        """Notes a use of os.environ."""
        try:
            if effects.is_environ(value):
                effects.note(self.recorder, _getframe(1), "env", "os.environ")
        except RecursionError:
            pass
        except BaseException as error:
            self.recorder.failed(error)
        return value


class Line:
    """What a statement of a rewritten function reports to, in a journey."""

    __slots__ = ("on", "hook", "number")

    Deep = RecursionError

    def __init__(self, hook: Hook, number: int) -> None:
        self.on = True
        self.hook = hook
        self.number = number

    def at(self) -> None:
        """Notes that the statement begins."""
        hook = self.hook
        recorder = hook.recorder
        try:
            call = hook.only()
            if call is None:
                frame = _getframe(1)
                call = recorder.live.get(oid(frame))
                if call is None or call.code is not frame.f_code:
                    self.on = hook.on
                    return
            if call.suspended:
                recorder.woken(call)
            function = call.function
            if self.number not in (function.lines if function.brief else call.lines):
                recorder.reached(call, self.number)
            self.on = not function.brief
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error)


def _outcome(flags: int, error: BaseException) -> BaseException:
    """Gives what the interpreter makes of an exception that leaves a function of this kind."""
    kind = next((name for bit, name in _GENERATING if flags & bit), None)
    raised = "StopIteration" if type(error) is StopIteration else "StopAsyncIteration"
    if kind is None or type(error) is not StopIteration and not (
        type(error) is StopAsyncIteration and flags & functions.ASYNC_GENERATOR
    ):
        return error
    outcome = RuntimeError(kind + " raised " + raised)
    outcome.__cause__ = error
    return outcome


_GENERATING = (
    (functions.GENERATOR, "generator"), (functions.COROUTINE, "coroutine"),
    (functions.ASYNC_GENERATOR, "async generator"),
)  # fmt: skip


class _Through(map):
    """An iterator that shows its values on their way and leaves no frame in a traceback of the inner one."""

    __slots__ = ("inner", "show")

    def send(self, value: object) -> object:
        return self.show(self.inner.send(value))

    def throw(self, *error: object) -> object:
        inner = getattr(self.inner, "throw", None)
        if inner is None:
            raise error[0]
        return inner(*error)  # not shown: from 3.12 on, no event tells of it

    def close(self) -> None:
        close = getattr(self.inner, "close", None)
        if close is not None:
            close()


class _Given:
    """Gives the iterator that was made already: making one more may run the program's code."""

    __slots__ = ("inner",)

    def __init__(self, inner: object) -> None:
        self.inner = inner

    def __iter__(self) -> object:
        return self.inner


def _through(recorder: Recorder, call: object, inner: object) -> object:
    def show(item: object) -> object:
        try:
            if not call.done:
                recorder.yielded(call, item)
                call.suspended = False
        except RecursionError:
            pass
        except BaseException as error:
            recorder.failed(error)
        return item

    made = _Through(show, _Given(inner))
    made.inner = inner
    made.show = show
    return made


def _same(value: object) -> object:
    return value


class Injector:
    """Makes rewritten code."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.made: dict = {}  # module code objects that are ours
        self.plain: dict = {}  # by identity of a rewritten function's code: (it, the program's own)
        self.twins: dict = {}  # by path, of single functions: (code, rewritten code)

    def compile(self, file: File, source: bytes, filename: str) -> object:
        """Gives the rewritten code of a module's source. Raises what compiling may raise."""
        with rewrite.Quiet():
            try:
                code, found, nowhere = _rewritten(source, filename, self.recorder.journey)
            except SyntaxError:  # too many blocks in one another
                code, found, nowhere = _rewritten(source, filename, False)
        hooks = [Hook(self.recorder, file, f) for f in found]
        effects.install(self.recorder)
        file.digest(source)
        code = _finished(code, hooks, nowhere)
        self.made[oid(code)] = code
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

    def function(self, held: object) -> None:
        """Gives one function its rewritten code, when its file is as it was when it was loaded."""
        file = self.recorder.project.file(held.__code__.co_filename)
        if file is None or file.test:
            return
        twins = self.twins.get(file.path)
        if twins is None:
            with open(file.path, "rb") as stream:
                source = stream.read()
            filename = held.__code__.co_filename
            with rewrite.Quiet():
                plain = compile(source, filename, "exec", dont_inherit=True)
            pairs = _twins(plain, self.compile(file, source, filename))
            self._remember(pairs)
            twins = self.twins[file.path] = [pair for _, pair in pairs]
        for plain, rewritten in twins:
            if plain == held.__code__:
                held.__code__ = rewritten
                return

    def script(self, code: object) -> None:
        """Follows the definitions of executed code that no loader gave."""
        if oid(code) in self.made or not self.recorder.on:
            return
        file = self.recorder.project.file(code.co_filename)
        if file is None or file.test:
            return
        if sys.gettrace() is not None:
            self.recorder.gap("another tracer runs: not recorded is " + file.relative, 1)
            return
        with open(file.path, "rb") as stream:
            source = stream.read()
        with rewrite.Quiet():
            own = compile(source, code.co_filename, "exec", dont_inherit=True)
        if own != code:
            return  # not the file as it is: another tool's rewriting
        pairs = _twins(code, self.compile(file, source, code.co_filename))
        self._remember(pairs)
        twins = dict(pairs)
        definitions = _definitions(source, code.co_filename)
        if twins and definitions:
            sys.settrace(_follow(code, twins, definitions))


def _rewritten(source: bytes, filename: str, lines: bool) -> tuple:
    tree, found, nowhere = rewrite.rewrite(source, filename, effects.NAMES, effects.imports, lines)
    return compile(tree, filename, "exec", dont_inherit=True), found, nowhere


def _finished(code: object, hooks: list, nowhere: int) -> object:
    """Puts the hooks in place of their marks, and takes the added code off the lines."""
    consts = []
    for const in code.co_consts:
        if type(const) is kinds.Code:
            const = _finished(const, hooks, nowhere)
        elif type(const) is str and const.startswith(rewrite.MARK):
            number, _, line = const[len(rewrite.MARK) :].partition(" ")
            hook = hooks[int(number)]
            const = Line(hook, int(line)) if line else hook
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


def _definitions(source: bytes, filename: str) -> dict:
    """Gives the names that module-level definitions bind, and the last line of any of each name."""
    found: dict = {}

    def walk(body: list) -> None:
        for node in body:
            if rewrite.is_definition(node):
                found[node.name] = max(node.end_lineno, found.get(node.name, 0))
            else:
                for name in ("body", "orelse", "finalbody", "handlers", "cases"):
                    walk(getattr(node, name, []))

    with rewrite.Quiet():
        walk(compile(source, filename, "exec", 0x400, dont_inherit=True).body)
    return found


def _follow(code: object, twins: dict, definitions: dict) -> object:
    """Makes the trace function that gives what a module defines its rewritten code."""
    last = max(definitions.values())

    def outer(frame: object, event: str, arg: object) -> object:
        return inner if frame.f_code is code else None

    def inner(frame: object, event: str, arg: object) -> object:
        try:
            if event == "line" and frame.f_lineno <= last:
                for name in definitions:
                    _swap(frame.f_globals.get(name), twins, 4)
            elif event != "exception":
                sys.settrace(None)
                for held in gc.get_objects():
                    if type(held) is kinds.Function:
                        _swap(held, twins, 0)
                return None
        except Exception:
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


def install(recorder: Recorder) -> None:
    """Rewrites project modules as they are loaded, and follows scripts."""
    injector = Injector(recorder)
    external = sys.modules["_frozen_importlib_external"]
    loader_class = external.SourceFileLoader
    original = loader_class.get_code
    source_to_code = external.SourceLoader.__dict__["source_to_code"]

    def get_code(self, fullname):  # type: ignore[no-untyped-def]
        code = original(self, fullname)
        if code is not None and type(self).source_to_code is source_to_code:
            return injector.module(self, fullname, code)
        return code

    # Under this name the import system takes the frame out of tracebacks, as it does with its own.
    get_code.__code__ = get_code.__code__.replace(co_filename=original.__code__.co_filename)
    get_code.__module__, get_code.__qualname__ = original.__module__, original.__qualname__
    loader_class.get_code = get_code

    def hook(event: str, args: tuple) -> None:
        if event == "sys.settrace":
            frame = _getframe(1)
            if recorder.on and debugger.starts(frame):
                recorder.gap("a debugger runs: nothing is recorded from here on", 1)
                recorder.switch_off()
                debugger.step_aside(frame, injector.plain)
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
