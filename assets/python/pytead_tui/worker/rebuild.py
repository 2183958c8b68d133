"""Makes a value again from its tree in docs/spool.md.

Objects get their state without `__init__` or `__setattr__`, as it was recorded. Code of the project runs only where
Python cannot do without: the hash of a dict's keys.
"""

import contextlib
import functools
import importlib
import operator
import sys
import threading
import types

from pytead_tui.recorder import kinds, lambdas, redact
from pytead_tui.recorder.databases import REST, ROWS, TABLES
from pytead_tui.recorder.mocks import CALLS, KEPT
from pytead_tui.worker.lookup import Broken, find
from pytead_tui.worker.unavailable import Unavailable

TAG = StopIteration
_LOCAL = threading.local
_BUILTINS = (str, bytes, bytearray, int, float, complex, list, dict, set, frozenset, tuple)


def resolve(module: str, qualname: str, main: object = None, failed: "dict | None" = None) -> object:
    """Finds what a name means today; `__main__` is the module of the call itself. Modules whose import `failed` are not imported
    again."""
    if module == "__main__" and main is not None:
        found = main
    else:
        found = sys.modules.get(module)
        if found is None:
            if failed is not None and module in failed:
                raise Broken(*failed[module])
            try:
                found = importlib.import_module(module)
            except BaseException as error:
                why = type(error).__name__
                told = f"{module} cannot be imported: {why}", "import-fails", module, why
                if failed is not None:
                    failed[module] = told
                raise Broken(*told) from error
    if not qualname:
        return found
    for part in qualname.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Broken(f"there is no {qualname} in {module} any more", "removed", qualname, module) from None
    return found


def native(cls: type) -> type:
    """Gives the nearest base that is not written in Python: the one that makes instances."""
    return next(base for base in cls.__mro__ if not base.__flags__ & (1 << 9) or base in (object, _LOCAL))


class Builder:
    """Makes the values of one call; objects that were one are one again."""

    def __init__(
        self, main: object = None, unavailable: "Unavailable | None" = None, failed: "dict | None" = None
    ) -> None:
        self.main = main
        self.failed = failed  # modules whose import failed for other values
        self.unavailable = unavailable  # what stands in for parts that cannot be made
        self.objects: dict = {}
        self.secrets: dict = {}  # by ordinal: the number that tells a stand-in from others
        self.slots: dict = {}  # of the classes met, with the class, by its identity

    def value(self, tree: object) -> object:
        """Makes a value. Raises Broken."""
        t = type(tree)
        if t is tuple:
            if len(tree) >= 2 and tree[0] is TAG:
                make = getattr(self, "make_" + tree[1], None)
                if make is None:
                    raise Broken(f"there is no way to make a {tree[1]}")
                return make(*tree[2:])
            return tuple(map(self.value, tree))
        if t in (list, dict, set):
            return self._fill(t(), tree)
        if t is frozenset:
            return frozenset(map(self.value, tree))
        return tree

    def _fill(self, made: object, tree: object) -> object:
        """Fills a container of a builtin kind, without methods that a subclass may have replaced."""
        if isinstance(made, dict):
            for key, held in tree.items():
                dict.__setitem__(made, self.value(key), self.value(held))
        elif isinstance(made, list):
            for item in tree:
                list.append(made, self.value(item))
        else:
            for item in tree:
                set.add(made, self.value(item))
        return made

    def _class(self, module: str, qualname: str) -> type:
        found = resolve(module, qualname, self.main, self.failed)
        if not isinstance(found, type):
            raise Broken(f"{module}:{qualname} is no class any more", "removed", qualname, module)
        return found

    # Objects.

    def make_obj(self, ordinal: int, module: str, qualname: str, kind: str, fields: dict) -> object:
        cls = self._class(module, qualname)
        try:
            made = native(cls).__new__(cls)
        except TypeError as error:
            raise Broken(f"{qualname} cannot be made: {error}", "argument-raises", None, error) from error
        self.objects[ordinal] = made
        self._state(made, fields)
        if kind == "pydantic":
            self._pydantic(made, fields)
        return made

    def _state(self, made: object, fields: dict) -> None:
        for name, tree in fields.items():
            value = self.value(tree)
            slot = self._slots(type(made)).get(name)
            if slot is not None:
                slot.__set__(made, value)
                continue
            try:
                read = _LOCAL if type(made) is _LOCAL else object
                space = read.__getattribute__(made, "__dict__")
            except AttributeError:
                what = type(made).__qualname__
                raise Broken(f"{what} has no place for {name} any more", "class-changed", what) from None
            dict.__setitem__(space, name, value)

    def _slots(self, cls: type) -> dict:
        """Gives the slots of a class and its bases, those of the nearest first."""
        if id(cls) not in self.slots:
            self.slots[id(cls)] = cls, {name: slot for base in reversed(cls.__mro__) for name, slot in _slots(base).items()}
        return self.slots[id(cls)][1]

    def _pydantic(self, made: object, fields: dict) -> None:
        private = getattr(type(made), "__private_attributes__", None) or {}
        state = {
            "__pydantic_fields_set__": set(fields),
            "__pydantic_extra__": None,
            "__pydantic_private__": {name: held.get_default() for name, held in private.items()} or None,
        }
        for cls in type(made).__mro__:
            for name, slot in _slots(cls).items():
                if name in state:
                    slot.__set__(made, state[name])

    def make_sub(self, ordinal: int, module: str, qualname: str, base: object, fields: dict) -> object:
        cls = self._class(module, qualname)
        kind = next((b for b in _BUILTINS if issubclass(cls, b)), None)
        if kind is None and type(base) is tuple and base[:2] == (TAG, "new"):
            made = self.objects[ordinal] = self.value(base)
            if module == "sqlite3":
                self._fill_database(made, fields)
                return made
            if module == "unittest.mock":
                fields = {KEPT: fields[CALLS]} if fields else {}
            self._state(made, fields)
            return made
        if kind is None:
            raise Broken(f"{qualname} is derived from no builtin any more", "class-changed", qualname)
        if kind in (list, dict, set):
            made = self.objects[ordinal] = kind.__new__(cls)
            kind.__init__(made)
            self._refill(made, base)
        elif kind is bytearray:
            made = self.objects[ordinal] = bytearray.__new__(cls)
            bytearray.extend(made, self.value(base))
        else:
            made = self.objects[ordinal] = kind.__new__(cls, self.value(base))
        self._state(made, fields)
        return made

    def _fill_database(self, made: object, fields: dict) -> None:
        """Makes the tables and the rows of a database in memory, and then what rests on them."""
        held = {name: self.value(tree) for name, tree in fields.items()}
        tables, rows, rest = held.pop(TABLES, {}), held.pop(ROWS, {}), held.pop(REST, {})
        try:
            made.executescript("".join(text + ";\n" for text in tables.values()))
            for table, of_table in rows.items():
                name, places = table.replace('"', '""'), ", ".join("?" * len(of_table[0]))
                made.executemany(f'INSERT INTO "{name}" VALUES ({places})', [tuple(row.values()) for row in of_table])
            made.commit()
            made.executescript("".join(text + ";\n" for text in rest.values()))
        except Exception as error:
            why = type(error).__name__
            raise Broken(f"a database refuses what was recorded: {why}", "argument-raises", None, why) from error
        for name, value in held.items():
            setattr(made, name, value)

    def _refill(self, made: object, tree: object) -> None:
        """Fills from a content that may have been written as a call."""
        if type(tree) is tuple:
            if tree[:2] != (TAG, "new"):
                raise Broken("its content was over the recording budget")
            items = tree[4][0]
            if isinstance(made, dict):
                for key, held in items:
                    dict.__setitem__(made, self.value(key), self.value(held))
                return
            tree = items
        self._fill(made, tree)

    def make_exc(self, ordinal: int, module: str, qualname: str, args: tuple, fields: dict) -> object:
        cls = self._class(module, qualname)
        values = [self.value(arg) for arg in args]
        base = native(cls)
        try:
            made = base.__new__(cls, *values)
        except TypeError:
            made = base.__new__(cls, *values[:2])  # a group, of a class that takes more
        self.objects[ordinal] = made
        try:
            base.__init__(made, *values)
        except TypeError:
            BaseException.args.__set__(made, tuple(values))
        cause = fields.get("__cause__")
        if cause is not None:
            kind = self.value(cause)  # of what it was raised from the type alone is known
            BaseException.__cause__.__set__(made, native(kind).__new__(kind))
        self._state(made, {name: held for name, held in fields.items() if name != "__cause__"})
        return made

    def make_ref(self, ordinal: int) -> object:
        try:
            return self.objects[ordinal]
        except KeyError:
            raise Broken("it refers to an object that was not recorded", "missing-object") from None

    def make_mut(self, ordinal: int, tree: object) -> object:
        if type(tree) in (list, dict, set):
            made = self.objects[ordinal] = type(tree)()
            return self._fill(made, tree)
        if type(tree) is tuple and tree[:3] == (TAG, "new", "builtins") and tree[3] in ("dict", "set"):
            made = self.objects[ordinal] = {} if tree[3] == "dict" else set()
            self._refill(made, tree)
            return made
        made = self.objects[ordinal] = self.value(tree)
        return made

    # Things with a name, and what calls give.

    def make_name(self, module: str, qualname: str) -> object:
        if "<locals>" in qualname:  # a class that a function defines in its body
            if self.unavailable is not None:
                return self.unavailable.make(module, qualname)
            raise Broken(f"{qualname} cannot be made again", "opaque-object", qualname)
        return resolve(module, qualname, self.main, self.failed)

    def make_enum(self, module: str, qualname: str, name: "str | None", value: object) -> object:
        cls = self._class(module, qualname)
        members = getattr(cls, "__members__", {})
        if name in members:
            return members[name]
        parts = name.split("|") if name else []
        if len(parts) > 1 and all(part in members for part in parts):
            # Of today's members: their numbers are the class's to choose.
            return functools.reduce(operator.or_, [members[part] for part in parts])
        if name is None or any(part.isdigit() for part in parts):
            return cls(self.value(value))
        raise Broken(f"{qualname} has no member {name} any more", "removed", f"{qualname}.{name}", module)

    def make_nt(self, module: str, qualname: str, names: tuple, values: tuple) -> object:
        cls = self._class(module, qualname)
        held = dict(zip(names, map(self.value, values)))
        today = getattr(cls, "_fields", ())
        if set(today) != set(names):
            raise Broken(f"{qualname} has other fields now", "class-changed", qualname)
        return tuple.__new__(cls, [held[name] for name in today])

    def make_new(self, module: str, qualname: str, args: tuple, kwargs: dict) -> object:
        values = [self.value(arg) for arg in args]
        named = {name: self.value(held) for name, held in kwargs.items()}
        if (module, qualname) == ("builtins", "eval"):
            return self._lambda(*values)
        if (module, qualname) == ("types", "FunctionType"):
            try:
                return self._closure(*values)
            except Broken:  # one of a test, say, whose module cannot be imported alone
                if self.unavailable is None:
                    raise
                return self.unavailable.make("types", "FunctionType")
        try:
            # What a pattern found is no call of a function as it stands.
            make = self._match if (module, qualname) == ("re", "match") else resolve(module, qualname, self.main, self.failed)
            return make(*values, **named)
        except Broken:
            raise
        except Exception as error:
            why = type(error).__name__
            refused = f"{module}.{qualname} refuses what was recorded: {why}"
            raise Broken(refused, "argument-raises", None, why) from error

    def _match(self, pattern: object, text: object, spans: tuple) -> object:
        """Finds again what was found: at the place where it began."""
        found = pattern.match(text, spans[0][0])
        if found is None or found.regs != spans:
            raise Broken("a pattern finds something else than was recorded")
        return found

    def _lambda(self, text: str, names: "dict | None" = None) -> object:
        """Makes a lambda from its text, where its text can be found again."""
        place = f"<lambda {len(lambdas.texts)}>"
        lambdas.texts[place] = [text + "\n"]
        return eval(compile(text, place, "eval"), dict(names or {}))

    def _closure(self, module: str, qualname: str, held: dict, defaults: tuple) -> object:
        """Makes a function that another one makes, of the code that it has today."""
        outer, *inner = qualname.split(".<locals>.")
        home = resolve(module, "", self.main, self.failed)
        around = find(home, outer)
        code = around.__code__
        for name in inner:
            found = [held for held in code.co_consts if type(held) is kinds.Code and held.co_name == name]
            if len(found) != 1:
                raise Broken(f"{qualname} cannot be told from others, or is gone", "removed", qualname, module)
            (code,) = found
        if not set(code.co_freevars) <= set(held):
            raise Broken(f"{qualname} uses other variables now", "removed", qualname, module)
        cells = tuple([types.CellType(held[name]) for name in code.co_freevars])
        made = types.FunctionType(code, around.__globals__, code.co_name, defaults or None, cells)
        made.__qualname__ = qualname
        return made

    def make_gen(self, module: str, qualname: str, arguments: dict) -> object:
        function = find(resolve(module, "", self.main, self.failed), qualname)
        code = function.__code__
        # A context manager is made by what `contextlib` put around the generator function.
        kept = resolve(module, qualname, self.main, self.failed)
        if getattr(getattr(kept, "__code__", None), "co_filename", None) == contextlib.contextmanager.__code__.co_filename:
            function = kept
        held = {name: self.value(tree) for name, tree in arguments.items()}
        positional = [held.pop(name) for name in code.co_varnames[: code.co_argcount] if name in held]
        rest = code.co_argcount + code.co_kwonlyargcount
        if code.co_flags & 4:
            positional += held.pop(code.co_varnames[rest], ())
            rest += 1
        if code.co_flags & 8:
            held.update(held.pop(code.co_varnames[rest], {}))
        return function(*positional, **held)

    def make_partial(self, function: object, args: object, kwargs: dict) -> object:
        from functools import partial

        named = {name: self.value(held) for name, held in kwargs.items()}
        return partial(self.value(function), *self.value(args), **named)

    def make_method(self, receiver: object, name: str) -> object:
        try:
            return getattr(self.value(receiver), name)
        except AttributeError:
            raise Broken(f"there is no method {name} any more", "removed", name) from None

    def make_file(self, kind: str, content: object, position: int) -> object:
        import io

        held = self.value(content)
        made = io.BytesIO(held) if kind == "BytesIO" else io.StringIO(held, newline="")
        made.seek(position)
        return made

    def make_ndarray(self, dtype: str, shape: tuple, items: list) -> object:
        numpy = resolve("numpy", "")
        return numpy.array(self.value(items), dtype=dtype).reshape(shape)

    def make_secret(self, word: str, ordinal: int, kind: str = "str", size: int = 2) -> object:
        number = self.secrets.setdefault(ordinal, len(self.secrets) + 1)
        return redact.stand_in(word, number, kind, size)  # what it was nobody knows

    # What cannot be made.

    def make_cut(self, name: str, *rest: object) -> object:
        if self.unavailable is not None:
            return self.unavailable.make("builtins", name)
        raise Broken(f"a {name} is over the recording budget", "value-too-large", name)

    def make_opaque(self, ordinal: int, module: str, qualname: str) -> object:
        if self.unavailable is not None:
            made = self.objects[ordinal] = self.unavailable.make(module, qualname)
            return made
        raise Broken(f"{qualname} cannot be read or made again", "opaque-object", qualname)


def _slots(cls: type) -> dict:
    return {held.__name__: held for held in cls.__dict__.values() if type(held) is kinds.MemberDescriptor}
