"""Where the fixtures of a test come from, and what is done with them: described as JSON that Rust writes code from.

Plain values are written as they are, texts with secret names as placeholders. An object is described by the fixture whose value it is,
by the attributes from a fixture to it, or by the row that the test saved. Of all else the type alone is recorded: a test cannot have it.
"""

from pytead_tui.recorder import clients, folders, kinds, marks, redact, uploads
from pytead_tui.recorder.objects import dict_of, mro_of, names_of, oid, state
from pytead_tui.recorder.own import __builtins__, os, sys
from pytead_tui.recorder.plans import lookup

TEXT = 2000  # characters of a text
ITEMS = 60  # of a container
DEEP = 6
WAYS = 60  # attributes of a fixture's value
# Types by identity: to compare a class with them could run the code of its metaclass.
_ATOMS = frozenset(map(oid, (type(None), bool, int, float)))
_PLAIN = _ATOMS | {oid(str)}
_CONTAINERS = frozenset(map(oid, (list, tuple, dict)))
# Fixtures of plugins by which something is put in the place of something else, and where they keep what was there.
_REPLACING = (("monkeypatch", "_setattr"), ("monkeypatch", "_setitem"), ("settings", "_to_restore"))
_EMPTY = _CONTAINERS.union(map(oid, (set, frozenset, str, bytes)))
_VARARGS, _VARKEYWORDS, _COROUTINE = 4, 8, 0x80


def text(value: object) -> str:
    """Writes a description as JSON."""
    return sys.modules["json"].dumps(value) if "json" in sys.modules else __import__("json").dumps(value)


def has_identity(value: object) -> bool:
    """Whether it matters that a value is this very object: never of numbers, texts, enums and empty containers."""
    t = type(value)
    if oid(t) in _PLAIN or t is bytes or any(names_of(b)[1] == "Enum" for b in mro_of(t)):
        return False
    return not (oid(t) in _EMPTY and not value)


def looks(value: object) -> int:
    """Hashes how an object looks: the plain values among its attributes, and which others it has."""
    plain = _PLAIN | {oid(bytes)}
    return hash(tuple([(k, v if oid(type(v)) in plain else oid(v)) for k, v in state(value).items() if type(k) is str]))


class Stage:
    """The fixtures of a test, and its file."""

    def __init__(self, item: object, is_own: object) -> None:
        self.name = item.nodeid
        self.root = str(item.config.rootpath)
        self.files = {str(item.path), *_files_of(getattr(item, "cls", None), is_own)}
        self.values: dict = {}
        self.base: "str | None" = None  # the temporary folder that the last call works in
        self.words: list = []  # the texts that it was given
        self.case: "str | None" = None  # the class of a test of unittest
        self.is_own = is_own
        code = getattr(getattr(item, "function", None), "__code__", None)
        self.is_async = code is not None and bool(code.co_flags & _COROUTINE)
        self.clients: list = []  # the identities of clients that were made by hand, in order
        self.fixtures: dict = {}
        self.direct: list = []
        self.set_up: dict = {}  # how much fixtures put in the place of something else, by what they did it with
        self.replacing: dict = {}  # the fixtures that did: whether they are there without being asked for
        self.marks = marks.of(item)
        self.has_django = getattr(item, "has_django", "pytest_django" in sys.modules)
        self.runs = False  # its fixtures are there, and its function runs
        if type(item).__name__ == "TestCaseFunction" and isinstance(getattr(item, "cls", None), type):
            self.case = _base_of(item.cls)

    def fill(self, item: object) -> None:
        """Takes in what the fixtures of the test gave."""
        self.runs = True
        if type(getattr(item, "funcargs", None)) is dict:
            self.values = item.funcargs
        for name, value in self.values.items():
            told = _origin(item, name)
            if told is not None:
                self.fixtures[name] = {**told, "type": ".".join(names_of(type(value)))}
                pk = state(value).get("id") if "_state" in state(value) else None
                if type(pk) is int:
                    self.fixtures[name]["pk"] = str(pk)
        info = getattr(item, "_fixtureinfo", None)
        self.direct = [n for n in getattr(info, "argnames", ()) if n in self.fixtures]
        self.set_up = {way: _count(state(self.values.get(way[0])).get(way[1])) for way in _REPLACING}
        asked = {*self.direct, *[name for mark in item.iter_markers("usefixtures") for name in mark.args]}
        there = {name for name in getattr(info, "initialnames", ()) if name not in asked}
        by = {name for (name, _), count in self.set_up.items() if count}
        self.replacing = {name: name in there for name, told in self.fixtures.items() if by.intersection(told["needs"])}

    def told(self, scene: object) -> dict:
        """Gives what all steps of the test have in common."""
        return {"test": self.name, "fixtures": self.fixtures, "direct": self.direct,
                "marks": marks.told(self.marks, self, scene), "case": self.case,
                "has_django": self.has_django, "patched": self.patched(), "replacing": self.replacing,
                "is_async": self.is_async}  # fmt: skip

    def patched(self) -> list:
        """Lists the fixtures of plugins by which the test put something in the place of something else, after its fixtures did."""
        found = []
        for way in _REPLACING:
            name, kept = way
            if _count(state(self.values.get(name)).get(kept)) > self.set_up.get(way, 0) and name not in found:
                found.append(name)
        return found

    # Frames.

    def outermost(self, frame: object, most: int) -> object:
        """Gives the frame of what the code of the test file called, in which a frame runs; None outside of a test's own calls."""
        inner = None
        while frame is not None and most:
            code = frame.f_code  # looked at once: audit hooks are told of each look
            if code.co_filename in self.files and code.co_name != "<module>":
                return inner
            inner = frame
            frame = frame.f_back
            most -= 1
        return None

    def sets_up_class(self, frame: object) -> bool:
        """Whether what a test of unittest sets up for its class calls this."""
        return frame.f_back.f_code.co_name in ("setUpTestData", "setUpClass")

    def is_fixtures(self, frame: object) -> bool:
        """Whether a frame runs a method of a fixture's value."""
        return self._receiver(frame)[0] is not None

    def context(self) -> "str | None":
        """Gives the way to the application of Flask whose context was entered by the test, and not by a request."""
        flask = state(sys.modules.get("flask.globals"))
        held, asked = (flask[name].get(None) if name in flask else None for name in ("_cv_app", "_cv_request"))
        return None if held is None or asked is not None else self.way(state(held).get("app"))

    def by(self, frame: object) -> dict:
        """Tells the function that does something before the test runs: a fixture, or what sets up a class."""
        return {} if self.runs else {"by": frame.f_back.f_code.co_name}

    def within(self, scene: object) -> dict:
        """Tells the context of Flask's that the test had entered: that of an application which it made, or of a request."""
        flask = state(sys.modules.get("flask.globals"))
        held, asked = (flask[name].get(None) if name in flask else None for name in ("_cv_app", "_cv_request"))
        if asked is not None:
            entered = [told for ref, told in scene.contexts if ref() is asked]
            return {"within": entered[0]} if entered else {}
        made = None if held is None else self.made(state(held).get("app"), scene)
        return {} if made is None else {"within": made}

    def request_context(self, frame: object, scene: object) -> dict:
        """Tells how the context of a request is made: by the call of the application's method that a frame is."""
        code, held = frame.f_code, locals_of(frame)
        app = held.get(code.co_varnames[0])
        args, kwargs = _arguments(code, held, {})
        named = [[key, self.named(key, v, scene)] for key, v in kwargs.items()]
        return {"context": {"app": self.value(app, scene), "args": [self.value(v, scene) for v in args], "kwargs": named}}

    def made(self, value: object, scene: object) -> "dict | None":
        """Tells the call of the project's function that made an application for the test."""
        for at, (ref, told) in enumerate(scene.applications):
            if ref() is value:
                return {"call": told, "n": at}
        return None

    def maker(self, frame: object, scene: object) -> "dict | None":
        """Tells the call of a function of the project's that a frame is; None for what a test defines, and for methods."""
        own = self.is_own(frame.f_code.co_filename)
        if own is None or own.test or _function_of(frame) is None:
            return None
        told = self.function(frame, scene)
        return None if told is None else {key: told[key] for key in ("name", "args", "kwargs")}

    def function(self, frame: object, scene: object) -> "dict | None":
        """Tells of the call of a function of a module that a frame is; None for one of the test file, or outside of the project."""
        code, own = frame.f_code, self.is_own(frame.f_code.co_filename)
        if own is None or code.co_filename in self.files:
            return None
        args, kwargs = _arguments(code, locals_of(frame), _defaults_of(_function_of(frame)), first=0)
        values = self.placed(code, args, scene, first=0)
        named = [[key, self.named(key, v, scene)] for key, v in kwargs.items()]
        ways = [v["way"] for v in [*values, *[v for _, v in named]] if type(v) is dict and "way" in v]
        told = {"kind": "function", "name": [dict.get(frame.f_globals, "__name__"), code.co_name], "args": values, "kwargs": named, "with": ways}
        return {**told, **({"awaited": True} if code.co_flags & _COROUTINE else {}), **self.by(frame), **self.within(scene)}

    def factory(self, frame: object, most: int, scene: object) -> "dict | None":
        """Tells how the code of a test made a request by a factory: `RequestFactory().get("/")`."""
        found = self.outermost(frame, most)
        if found is None or not found.f_code.co_argcount:
            return None
        held = locals_of(found)
        factory = held.get(found.f_code.co_varnames[0])
        kind = names_of(type(factory))
        if kind not in (("django.test.client", "RequestFactory"), ("rest_framework.test", "APIRequestFactory")):
            return None
        method = found.f_code.co_name
        args, kwargs = _arguments(found.f_code, held, _defaults(factory, found.f_code))
        return {
            "factory": list(kind), "way": self.way(factory), "method": method,
            "args": [self.value(v, scene) for v in args],
            "kwargs": [[key, self.named(key, v, scene)] for key, v in kwargs.items()],
        }  # fmt: skip

    def is_on(self, frame: object, value: object) -> bool:
        """Whether a frame runs a method of this very object."""
        code = frame.f_code
        return bool(code.co_argcount) and locals_of(frame).get(code.co_varnames[0]) is value

    def call(self, frame: object, scene: object) -> "dict | None":
        """Tells of the call that a frame is: on the value of which fixture, of what, with what; or of a function of the project's that
        is given such a value, or a row. None for others.
        """
        if _function_of(frame) is not None:
            told = self.function(frame, scene)
            held = [] if told is None else [*told["args"], *[v for _, v in told["kwargs"]]]
            is_given = any(type(v) is dict and not {"way", "row", "call"}.isdisjoint(v) for v in held)
            return told if is_given else None
        name, held = self._receiver(frame)
        code = frame.f_code
        if name is None and code.co_argcount:
            number = scene.row_number(held.get(code.co_varnames[0]))
            name = None if number is None else "#%d" % number
        client = None
        if code.co_argcount and (name is None or name.startswith("self.") or self.is_modules(name)):
            client = self.client(held.get(code.co_varnames[0]), scene)
        if name is None and client is not None:
            name = "@%d" % client.pop("number")
        place = None
        if name is None and code.co_argcount:
            place = clients.place_of_session(held.get(code.co_varnames[0]), self.is_own)
            name = None if place is None else "!"
        if name is None:
            return None
        method = code.co_name
        args, kwargs = _arguments(code, held, _defaults(held.get(code.co_varnames[0]), code))
        self.words = texts([args, kwargs])
        self.base = folders.of(self.values, tuple(self.words), self.root)
        if self.base is not None and not any(word.startswith(self.base) for word in self.words):
            self.base = folders.of({}, tuple(self.words), self.root) or self.base  # it may work in another one
        if kwargs.get("method") == method.upper():
            kwargs.pop("method")  # werkzeug's: what get() adds
        if names_of(type(held.get(code.co_varnames[0]))) == ("flask.testing", "FlaskCliRunner"):
            kwargs.pop("obj", None)  # what it adds, too
            args = [v for v in args if names_of(type(v))[0] != "flask.cli"]
        if method == "invoke" and len(args) == 1 and "args" in kwargs:
            args.append(kwargs.pop("args"))  # as people write it
        return {
            "kind": "call", "on": name, "type": ".".join(names_of(type(held.get(code.co_varnames[0])))), "method": method,
            "args": self.placed(code, args, scene),
            "kwargs": [[key, self.named(key, v, scene)] for key, v in kwargs.items()],
            **({} if client is None else {"client": client}),
            **({} if place is None else {"place": place}),
            **self.by(frame), **self.within(scene),
            **({"awaited": True} if code.co_flags & _COROUTINE else {}),
        }  # fmt: skip

    def is_modules(self, name: str) -> bool:
        """Whether a fixture is defined in a file of tests, where others cannot take it."""
        return self.fixtures.get(name, {}).get("where") == "module"

    def client(self, value: object, scene: object) -> "dict | None":
        """Tells how a client of a framework is made anew, and which of the test's own clients it is."""
        told = clients.told(value, lambda app: self.value(app, scene))
        if told is None:
            return None
        if oid(value) not in self.clients:
            self.clients.append(oid(value))
        return {**told, "number": self.clients.index(oid(value))}

    def _receiver(self, frame: object) -> tuple:
        code = frame.f_code
        held = locals_of(frame)
        if not code.co_argcount:
            return None, held
        return self.way(held.get(code.co_varnames[0]), self.instance(frame.f_back)), held

    def instance(self, frame: object) -> object:
        """Gives the test of unittest whose method runs in a frame; None where it is none."""
        return locals_of(frame).get("self") if self.case is not None and frame is not None else None

    def way(self, value: object, case: object = None) -> "str | None":
        """Gives the code for an object that is a fixture's value, an attribute of one, or an attribute of the test's class."""
        if not has_identity(value):
            return None
        for name in self.fixtures:
            if self.values.get(name) is value:
                return name
        own = {} if case is None else {**dict_of(type(case)), **state(case)}  # Django keeps the client in the class
        for name, held in own.items():
            if held is value:
                return "self." + name
        for name in self.fixtures:
            for key, held in list(state(self.values.get(name)).items())[:WAYS]:
                if held is value and type(key) is str and not key.startswith("_"):
                    return name + "." + key
        return None

    # Rows.

    def row(self, row: object, frame: object, scene: object) -> "dict | None":
        """Tells of a row that the test saves, by the manager's method that it called or by the fields of the row."""
        cls = type(row)
        meta = next((dict_of(b)["_meta"] for b in mro_of(cls) if "_meta" in dict_of(b)), None)
        if meta is None:
            return None
        code = frame.f_code
        held = locals_of(frame)
        manager = held.get(code.co_varnames[0]) if code.co_argcount else None
        method = held.get("name") if code.co_name == "manager_method" else code.co_name
        model = list(names_of(cls))
        if method in ("create", "create_user", "create_superuser") and state(manager).get("model") is cls:
            args, kwargs = _arguments(code, held, _defaults(manager, code))
            for name in ("is_staff", "is_superuser"):  # what create_user and create_superuser add
                if method != "create" and kwargs.get(name) is (method == "create_superuser"):
                    del kwargs[name]
            return {
                "kind": "row", "model": model, "method": method,
                "args": [self.value(v, scene) for v in args],
                "kwargs": [[key, self.named(key, v, scene)] for key, v in kwargs.items()],
            }  # fmt: skip
        own, fields = state(row), []
        for field, attname, value in _fields(row):
            default = state(field).get("default")
            if oid(type(value)) in _PLAIN and type(value) is type(default) and value == default:
                continue
            if value is not None and not (type(value) is str and value == ""):
                fields.append(self.field(field, attname, own, scene))
        return {"kind": "row", "model": model, "method": "create", "args": [], "kwargs": fields}

    def field(self, field: object, attname: str, own: dict, scene: object) -> list:
        """Tells the value of a field, by the row that it refers to where the test has it."""
        name = state(field).get("name")
        related = state(own.get("_state")).get("fields_cache", {}).get(name) if attname != name else None
        return [name if related is not None else attname, self.named(name, related or own[attname], scene)]

    def changes(self, row: object, before: dict, scene: object) -> list:
        """Tells the fields of a row that the test gave another value since."""
        own = state(row)
        return [self.field(field, attname, own, scene) for field, attname, value in _fields(row) if _is_other(before, attname, value)]

    def new_row(self, row: object, frame: object, scene: object) -> dict:
        """Tells of a row of SQLAlchemy's that the test makes, by what it gives the class."""
        code = frame.f_code
        args, kwargs = _arguments(code, locals_of(frame), {})
        return {
            "kind": "row", "model": list(names_of(type(row))), "method": "", "args": self.placed(code, args, scene),
            "kwargs": [[key, self.named(key, v, scene)] for key, v in kwargs.items()], **self.by(frame),
            **self.within(scene),
        }  # fmt: skip

    # Values.

    def below(self, path: str) -> "dict | None":
        """Tells a path below the temporary folder, with the fixture that gives this very path."""
        base = self.base
        if base is None or path != base and not path.startswith(base + "/") or "\0" in path:
            return None
        by = [n for n in self.fixtures if folders.path_of(self.values.get(n)) == path and not self.is_modules(n)]
        return {"below": path[len(base) + 1 :], **({"by": by[0]} if by else {})}

    def placed(self, code: object, args: list, scene: object, first: int = 1) -> list:
        """Tells the arguments that a function was given by place, each with the name of its parameter."""
        names = code.co_varnames[first : code.co_argcount]
        return [self.named(names[at] if at < len(names) else None, value, scene) for at, value in enumerate(args)]

    def named(self, name: object, value: object, scene: object, deep: int = 0) -> object:
        """Tells a value that has a name."""
        word = redact.secret_word(name) if type(name) is str else None
        if word is not None and type(value) is str and redact.hides(word, value):
            return {"made_up": word, "n": redact.ordinal(word, value)}
        return self.value(value, scene, deep)

    def inner(self, function: object) -> dict:
        """Tells a function that a test defines: where its lines are, and the fixtures that they name. No other value around it is known."""
        code, cells = function.__code__, function.__closure__ or ()
        is_given = function.__defaults__ or function.__kwdefaults__ or "<lambda>" in function.__qualname__
        names = [n for n, cell in zip(code.co_freevars, cells) if n in self.values and _held_by(cell) is self.values[n]]
        if is_given or code.co_filename not in self.files or len(names) < len(cells):
            return {"other": "function"}
        return {"inner": [function.__module__, function.__qualname__], "names": names}

    def value(self, value: object, scene: object, deep: int = 0) -> object:
        """Tells a value."""
        t = type(value)
        if oid(t) in _ATOMS:
            return value if t is not float or value - value == 0 else {"other": "float"}
        if t is str:
            word = redact.word_of(value) if redact.texts else None
            if word is not None:
                return {"made_up": word, "n": redact.ordinal(word, value)}
            below = self.below(value)
            return below or (value if len(value) <= TEXT else {"other": "long text"})
        if t is bytes:
            return {"bytes": value.decode("latin-1")} if len(value) <= TEXT else {"other": "long bytes"}
        if deep < DEEP and oid(t) in _CONTAINERS and len(value) <= ITEMS:
            if t is dict:
                pairs = [[self.value(k, scene, deep + 1), self.named(k, v, scene, deep + 1)] for k, v in value.items()]
                return {"dict": pairs}
            return {t.__name__: [self.value(v, scene, deep + 1) for v in value]}
        made = _made(t, value)
        if made is not None:
            return {"made": made}
        file = uploads.describe(value)
        if file is not None:
            return file
        if t is kinds.Function:
            is_named = lookup(value.__module__, value.__qualname__) is value
            return {"name": [value.__module__, value.__qualname__]} if is_named else self.inner(value)
        if isinstance(value, type):
            return {"name": list(names_of(value))}
        number = scene.row_number(value)
        if number is not None:
            return {"row": number}
        for ref, told in scene.requests:
            if ref() is value:
                own = [[k, self.value(v, scene, deep + 1)] for k, v in state(value).items() if k in ("user", "session")]
                return {"request": {**told, "set": own}}
        way = self.way(value)
        if way is not None and not self.is_modules(way.split(".")[0]):
            return {"way": way}
        made = self.made(value, scene)
        if made is not None:
            return made
        # An object of a module is the same for all: a command, an application.
        place = clients.place(value, self.is_own) if way is not None or names_of(t)[0] != "builtins" else None
        if place is not None:
            return {"name": place}
        return {"other": ".".join(names_of(t))} if way is None else {"way": way}


def _held_by(cell: object) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not bound yet
        return None


def _fields(row: object) -> list:
    """Lists the fields of a row of Django's that a test may set: (field, its attribute, its value). Left out are those that Django
    sets itself and those that hold secrets.
    """
    own, found = state(row), []
    meta = next((dict_of(b)["_meta"] for b in mro_of(type(row)) if "_meta" in dict_of(b)), None)
    for field in list(state(meta).get("local_concrete_fields") or state(meta).get("local_fields") or ()):
        of = state(field)
        name, attname = of.get("name"), of.get("attname")
        if attname not in own or of.get("auto_now") or of.get("auto_now_add") or redact.secret_word(name) is not None:
            continue
        if not (of.get("primary_key") and own[attname] is None):
            found.append((field, attname, own[attname]))
    return found


def _is_other(before: dict, attname: str, value: object) -> bool:
    """Whether a field that had a plain value has another one; no object of the program's is asked."""
    return attname in before and (type(value) is not type(before[attname]) or value != before[attname])


def held(row: object) -> dict:
    """Gives the plain values of the fields of a row of Django's, by their attributes."""
    return {attname: value for _, attname, value in _fields(row) if oid(type(value)) in _PLAIN}


def texts(value: object, deep: int = 0) -> list:
    """Lists the texts and paths in plain containers."""
    t = type(value)
    if deep < DEEP and oid(t) in _CONTAINERS:
        return [text for held in (value.values() if t is dict else value) for text in texts(held, deep + 1)]
    path = folders.path_of(value)
    return [] if path is None else [path]


def _count(held: object) -> int:
    """Gives the length of a list."""
    return len(held) if type(held) is list else 0


def _base_of(cls: type) -> str:
    """Names the first base of a class of tests that is a framework's own."""
    for base in mro_of(cls)[1:]:
        module = names_of(base)[0]
        if module.startswith(("django.test", "rest_framework.test", "unittest.")):
            return ".".join(names_of(base))
    return ""


def _made(t: type, value: object) -> "list | None":
    """Gives the call that makes a value of the standard library: its module, the name in it, a text."""
    module, name = names_of(t)
    if (module, name) in (("decimal", "Decimal"), ("uuid", "UUID")):
        return [module, name, str(value)]
    if (module, name) in (("datetime", "date"), ("datetime", "datetime")) and getattr(value, "tzinfo", None) is None:
        return [module, name + ".fromisoformat", value.isoformat()]
    return None


def locals_of(frame: object) -> dict:
    held = frame.f_locals
    found = dict(held)
    if type(held) is dict and sys.version_info < (3, 13):
        held.clear()  # it would keep the objects alive
    return found


def _defaults(receiver: object, code: object) -> dict:
    """Gives the defaults of the method that runs some code, by the names of its parameters: a class of a test may call that of its base."""
    found = [dict_of(base).get(code.co_name) for base in mro_of(type(receiver))]
    methods = [function for function in found if type(function) is kinds.Function]
    own = [function for function in methods if function.__code__ is code]
    return _defaults_of((own or methods)[0]) if methods else {}


def _function_of(frame: object) -> object:
    """Gives the function of a module that a frame runs; None where it is no such function, but a method or one of another function."""
    found = lookup(dict.get(frame.f_globals, "__name__"), frame.f_code.co_name)
    return found if type(found) is kinds.Function and found.__code__ is frame.f_code else None


def _defaults_of(function: object) -> dict:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    found = dict(zip(reversed(names), reversed(function.__defaults__ or ())))
    found.update(function.__kwdefaults__ or {})
    return found


def _arguments(code: object, held: dict, defaults: dict, first: int = 1) -> tuple:
    """Gives the arguments of a call after the receiver: by place, and by name."""
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    args: list = []
    kwargs: dict = {}
    by_name = False
    for name in names[first:count]:
        value = held.get(name)
        if name in defaults and _is_same(defaults[name], value):
            by_name = True
            continue
        if by_name or args and name in defaults:
            by_name = True
            kwargs[name] = value
        else:
            args.append(value)
    for name in names[count : count + only]:
        if name in held and not (name in defaults and _is_same(defaults[name], held[name])):
            kwargs[name] = held[name]
    at = count + only
    if code.co_flags & _VARARGS:
        args += list(held.get(names[at]) or ())
        at += 1
    if code.co_flags & _VARKEYWORDS:
        kwargs.update(held.get(names[at]) or {})
    if kwargs.get("data") is not None and kwargs.get("data") is kwargs.get("query_params"):
        del kwargs["query_params"]  # what Django's factory makes of it
    return args, kwargs


def _is_same(default: object, value: object) -> bool:
    return default is value or oid(type(value)) in _PLAIN and type(default) is type(value) and default == value


def _files_of(cls: object, is_own: object) -> set:
    """Gives the files of the project that hold a class of tests and its bases."""
    found = set()
    for base in mro_of(cls) if isinstance(cls, type) else ():
        module = sys.modules.get(names_of(base)[0])
        file = getattr(module, "__file__", None)
        if type(file) is str and is_own(file) is not None:
            found.add(file)
    return found


def _origin(item: object, name: str) -> "dict | None":
    """Tells where a fixture is defined: the folder of its conftest.py, the file of a test, or a plugin."""
    try:
        definition = item._fixtureinfo.name2fixturedefs[name][-1]
        base = definition.baseid or ""
        code = definition.func.__code__
        place = code.co_filename
    except Exception:
        return None
    scope = getattr(definition, "scope", "function")
    if ".py" in base:
        where = "module"
    elif os.path.basename(place) == "conftest.py":
        where = "conftest"
        base = os.path.dirname(place)
    else:
        where = "plugin"
        base = definition.func.__module__ if type(definition.func.__module__) is str else ""
    needs = [n for n in getattr(definition, "argnames", ()) if n != "request"]
    module, name = getattr(definition.func, "__module__", None), getattr(definition.func, "__qualname__", None)
    of = {"of": [module, name]} if where == "module" and type(module) is type(name) is str else {}
    return {"where": where, "base": base, "scope": scope if type(scope) is str else "function", "needs": needs, **of}
