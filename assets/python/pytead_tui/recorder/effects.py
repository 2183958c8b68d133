"""Notes what recorded calls do besides computing: files, processes, sockets, clock, chance, environment.

Audit hooks tell of files, processes, sockets and threads. Clock, chance and the like raise no audit
event; they are told from the callee: the table below, by identity.
"""

import opcode

from pytead_tui.recorder import databases, debugger, kinds, project, redact
from pytead_tui.recorder.budget import ANSWERS
from pytead_tui.recorder.failures import PACKAGE
from pytead_tui.recorder.objects import derives, mro_of, names_of, oid
from pytead_tui.recorder.own import __builtins__, os, sys

TABLE = {
    "time": ("clock", "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time localtime "
             "gmtime ctime sleep strftime"),
    "random": ("random", "random randint randrange choice choices sample shuffle uniform gauss normalvariate "
               "betavariate expovariate getrandbits randbytes triangular"),
    "secrets": ("random", "token_bytes token_hex token_urlsafe choice randbelow randbits"),
    "uuid": ("random", "uuid1 uuid4"),
    "os": ("random", "urandom"),
    "warnings": ("warning", "warn warn_explicit"),
    "builtins": ("output", "print"),
}  # fmt: skip
_MORE = {"os": (("env", "getenv putenv unsetenv"), ("cwd", "getcwd getcwdb chdir"))}
_DRAWN = frozenset((
    *TABLE["random"][1].split(),
    *"betavariate binomialvariate gammavariate lognormvariate paretovariate vonmisesvariate weibullvariate".split(),
))  # fmt: skip
_CLASS_METHODS = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")}
NAMES = frozenset(
    name
    for _, text in [*TABLE.values(), *(pair for pairs in _MORE.values() for pair in pairs)]
    for name in text.split()
) | _DRAWN | {"now", "utcnow", "today", "start"}  # fmt: skip

_AUDITED = {
    "open": "file", "os.listdir": "file", "os.scandir": "file", "os.remove": "file", "os.rename": "file",
    "os.mkdir": "file", "os.rmdir": "file", "os.link": "file", "os.symlink": "file", "os.truncate": "file",
    "os.chmod": "file", "os.chown": "file", "os.utime": "file", "shutil.copyfile": "file", "shutil.move": "file",
    "shutil.rmtree": "file", "sqlite3.connect": "file",
    "os.chdir": "cwd", "os.putenv": "env", "os.unsetenv": "env",
    "subprocess.Popen": "process", "os.system": "process", "os.exec": "process", "os.posix_spawn": "process",
    "os.spawn": "process", "os.fork": "process", "os.forkpty": "process", "os.kill": "process",
    "socket.connect": "net", "socket.bind": "net", "socket.getaddrinfo": "net", "socket.gethostbyname": "net",
    "socket.sendto": "net", "urllib.Request": "net",
    "sys.settrace": "", "_thread.start_new_thread": "thread", "_thread.start_joinable_thread": "thread",
}  # fmt: skip

# What others answer may be another thing each time: equal calls of what asks them are kept, so that it is known which of
# them was made below which call.
_OUT = frozenset(("net", "process"))
# What starts another program, which nobody records where single tests are recorded.
_STARTS = frozenset(("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"))
_ALWAYS = _STARTS | {"open"}
# They tell nobody that they start a process, but then write to it what it is to do.
_SPAWNING = ("multiprocessing.popen_spawn_posix", "multiprocessing.popen_forkserver")

# Files and variables that are noted of a call, and the bytes of a file and of a variable.
FOUND, CONTENT, VARIABLE = 8, 4096, 200
# Variables that every process has as it needs them, and those of Python's own and of its test runner.
_OWN = frozenset(("PATH", "TMPDIR", "TEMP", "TMP"))
_OWN_PREFIXES = ("PYTEAD", "PYTHON", "PYTEST_")
# Variables that say who sits where: no module is imported otherwise for them, and each machine has its own.
_PLACES = frozenset("HOME USER LOGNAME SHELL TERM PWD OLDPWD HOSTNAME DISPLAY MAIL VIRTUAL_ENV".split())

# `a[b]`, which Python 3.14 counts among the operators.
_SUBSCRIPTS = frozenset(opcode.opmap[name] for name in ("BINARY_SUBSCR", "BINARY_OP") if name in opcode.opmap)

# Which Django reads itself: no module with models can be imported without it.
_FRAMEWORK = "DJANGO_SETTINGS_MODULE"

# How the system writes names.
_CODING = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()

_found: dict = {}
_searched: dict = {}
_read: set = set()  # variables, while modules were imported
_heard: list = []  # the recorders that have their hook
LONGEST = 300
IMPORTING = 100  # frames between a variable that is read and the module that is imported


def _refresh() -> None:
    """Looks up the table's functions in the modules that were imported meanwhile."""
    for module, (kind, text) in TABLE.items():
        held = sys.modules.get(module)
        if held is None or _searched.get(module) is held or type(held) is not kinds.Module:
            continue
        spec = held.__dict__.get("__spec__")
        if not getattr(spec, "_initializing", False):
            _searched[module] = held
        for kind_of, names in ((kind, text), *_MORE.get(module, ())):
            for name in names.split():
                function = held.__dict__.get(name)
                if function is not None:
                    _found[oid(function)] = (function, kind_of, module + "." + name)


def of(callee: object) -> "tuple | None":
    """Gives the (kind, detail) of calling something; None for what is not in the table."""
    t = type(callee)
    if t is kinds.BuiltinFunction or t is kinds.Function or t is kinds.Method:
        _refresh()
        known = _found.get(oid(callee)) if t is not kinds.Method else _method(callee)
        if known is not None:
            return known[1], known[2]
        if t is kinds.BuiltinFunction and type(callee.__self__) is type:
            owner = callee.__self__
            if owner.__module__ == "datetime" and (owner.__name__, callee.__name__) in _CLASS_METHODS:
                return "clock", "datetime.%s.%s" % (owner.__name__, callee.__name__)
    elif t is kinds.ClassMethodDescriptor and callee.__objclass__.__module__ == "datetime":
        if (callee.__objclass__.__name__, callee.__name__) in _CLASS_METHODS:
            return "clock", "datetime.%s.%s" % (callee.__objclass__.__name__, callee.__name__)
    return None


def drawn(callee: object, first: object) -> "tuple | None":
    """Gives (the generator, what it is asked for) of a call of a `random.Random`; `first` is the first argument."""
    t = type(callee)
    if t is kinds.Method or t is kinds.BuiltinFunction:
        generator = callee.__self__
        name = callee.__func__.__name__ if type(getattr(callee, "__func__", None)) is kinds.Function else None
        name = callee.__name__ if t is kinds.BuiltinFunction else name
    elif t is kinds.Function or t is kinds.MethodDescriptor:
        generator, name = first, callee.__name__
    else:
        return None
    module = sys.modules.get("random")
    if name not in _DRAWN or type(module) is not kinds.Module:
        return None
    mro = mro_of(type(generator))
    made_by = module.__dict__.get("Random")
    if made_by is None or not derives(mro, made_by):
        return None
    if generator is module.__dict__.get("_inst"):
        return generator, "random." + name
    secret = derives(mro, module.__dict__.get("SystemRandom"))
    return generator, "random.%s.%s" % ("SystemRandom" if secret else "Random", name)


def note_drawn(recorder: object, frame: object, generator: object, detail: str) -> None:
    """Notes what a generator gave, unless the very call seeded it: then it gives the same each time."""
    call = recorder.call_around(frame)
    if call is not None and not any(ref() is generator for ref in call.seeded):
        note(recorder, frame, "random", detail)


def leaves(event: str) -> "str | None":
    """Gives the kind of what leaves the process, the network or another process, if that is what an audit event tells of."""
    kind = _AUDITED.get(event)
    return kind if kind in _OUT else None


def imports(module: "str | None", name: str) -> bool:
    """Whether `from module import name` brings in something of the table."""
    entry = TABLE.get(module or "")
    if entry is not None and name in entry[1].split():
        return True
    return any(name in text.split() for _, text in _MORE.get(module or "", ()))


def is_environ(value: object) -> bool:
    """Whether a value is the process's environment."""
    return value is os.environ or value is getattr(os, "environb", None)


def _thread_start() -> object:
    """Gives the code of Thread.start: below 3.12 no audit event tells of a thread."""
    threading = sys.modules.get("threading")
    return None if threading is None else threading.Thread.start.__code__


def _method(callee: object) -> "tuple | None":
    known = _found.get(oid(callee))
    if known is None and type(callee.__func__) is kinds.Function:
        if callee.__func__.__code__ is _thread_start():
            return callee, "thread", "started"
    return known


def note(recorder: object, frame: object, kind: str, detail: str) -> bool:
    """Writes an effect of the nearest recorded call, once; tells whether it was new. Calls that wait for their end remember it."""
    call = recorder.call_around(frame)
    if recorder.waited:
        for known in recorder.calls_around(frame):
            if known.waiting is not None:
                _write(known, kind, detail)
    if call is None and kind == "process" and recorder.journey:
        recorder.spools.current().write(("E", None, kind, detail))
    if call is not None and kind in _OUT:
        call.function.reach_out(ANSWERS)
    return call is not None and _write(call, kind, detail)


def _write(call: object, kind: str, detail: str) -> bool:
    if call.effects is None:
        call.effects = set()
    if (kind, detail) in call.effects or len(call.effects) >= 50 and kind != "process":
        return False
    call.effects.add((kind, detail))
    if call.waiting is None:
        call.spool.write(("E", call.cid, kind, detail))
    return True


def write_remembered(call: object) -> None:
    """Writes the effects of a call that waited until now."""
    for kind, detail in sorted(call.effects or ()):
        call.spool.write(("E", call.cid, kind, detail))


def found_there(recorder: object, frame: object, kind: str, detail: str) -> None:
    """Writes what a call found in its surroundings, for all calls around: each of them may be made again alone."""
    for call in recorder.calls_around(frame):
        if sum(known == kind for known, _ in call.effects or ()) < FOUND:
            _write(call, kind, detail)


def is_for_one(asking: object) -> bool:
    """Whether the frame that runs `__getitem__` of the environment asks for a variable: not for all of them, to copy them."""
    code = asking.f_code
    if code.co_name == "__iter__" and asking.f_globals.get("__name__") in ("_collections_abc", "collections.abc"):
        return False  # of what items() and values() give
    at = asking.f_lasti
    while at > 0 and not code.co_code[at]:
        at -= 2  # 3.11 and 3.12 stand in the room behind an instruction
    return code.co_code[at] in _SUBSCRIPTS


def is_kept(name: str) -> bool:
    """Whether a variable is noted, and set again where a call is made again."""
    return name not in _OWN and not name.startswith(_OWN_PREFIXES)


def asked(recorder: object, frame: object) -> None:
    """Notes a use of the environment in `frame`, one of its own methods, and what the variable that is read held."""
    asking = frame.f_back
    while asking is not None and asking.f_globals.get("__name__") in ("os", "_collections_abc", "collections.abc"):
        asking = asking.f_back
    if asking is None or asking.f_code.co_filename.startswith(PACKAGE):
        return
    if not note(recorder, frame, "env", "os.environ") and recorder.call_around(frame) is None:
        _imported(recorder, frame, asking, _is_asked_on_import)
        return
    # A program may import its modules in a function of its own.
    _imported(recorder, frame, asking, _is_importing)
    if recorder.journey or frame.f_code.co_name != "__getitem__" or not is_for_one(frame.f_back):
        return
    name = frame.f_locals.get("key")
    if type(name) is not str or not is_kept(name) or redact.secret_word(name) is not None:
        return
    text = _variable(name)
    if text is not None and redact.word_of(text) is None:
        found_there(recorder, asking, "variable", name + "=" + text)


def _variable(name: str) -> "str | None":
    """Gives the value of a variable that is set and short."""
    held = getattr(os.environ, "_data", {}).get(name.encode(*_CODING))
    return held.decode(*_CODING) if type(held) is bytes and len(held) <= VARIABLE else None


def _imported(recorder: object, frame: object, asking: object, is_import: object) -> None:
    """Notes a variable that the project reads while it is imported: it may be needed to import it again. Of a secret a
    placeholder is noted, which is as good for that."""
    if recorder.journey or frame.f_code.co_name != "__getitem__" or not is_for_one(frame.f_back):
        return
    name = frame.f_locals.get("key")
    if type(name) is not str or not is_kept(name) or name in _PLACES or name in _read:
        return
    text = _variable(name)
    if text is None:
        return
    if name != _FRAMEWORK and not is_import(recorder, asking):
        return
    _read.add(name)
    word = redact.secret_word(name) or redact.word_of(text)
    if word is not None:
        text = "[REDACTED:%s]" % word
    recorder.spools.current().write(("E", None, "variable", name + "=" + text))


def _is_asked_on_import(recorder: object, asking: object) -> bool:
    if recorder.project.file(asking.f_code.co_filename) is None:
        return False
    return not _in_a_test() or _is_importing(recorder, asking)


def _in_a_test() -> bool:
    """Whether pytest runs a test: variables that are set meanwhile are for that test only."""
    return "PYTEST_CURRENT_TEST".encode(*_CODING) in getattr(os.environ, "_data", {})


def _is_importing(recorder: object, frame: object) -> bool:
    """Whether a frame is the code of a module of the project, or was called while one is imported."""
    if frame.f_code.co_name == "<module>":
        return True
    left = IMPORTING
    while frame is not None and left:
        # The program itself goes on as long as there are frames.
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            if recorder.project.file(frame.f_code.co_filename) is not None:
                return True
        frame = frame.f_back
        left -= 1
    return False


def _content(recorder: object, frame: object, path: str) -> None:
    """Notes what stands in a small text file that a call opens for reading."""
    name = os.path.basename(path)
    if recorder.journey or name.endswith((".py", ".pyc", ".so")) or name.startswith(".env"):
        return
    if redact.secret_word(name) is not None or ".." in path.split("/") or not _is_near(recorder, path):
        return
    if not os.path.isfile(path):
        return
    try:
        held = project.read(path, CONTENT + 1)
        text = held.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return
    if len(held) <= CONTENT and "\0" not in text and redact.word_of(text) is None:
        found_there(recorder, frame, "content", path + "\0" + text)


def _is_near(recorder: object, path: str) -> bool:
    """Whether a file is named from the working folder, or lies in the project or a temporary folder."""
    near = (recorder.project.root, os.environ.get("TMPDIR") or "/tmp")
    return not os.path.isabs(path) or any(path.startswith(folder.rstrip("/") + "/") for folder in near)


def install(recorder: object) -> None:
    """Adds a recorder's audit hook, once; a hook cannot be removed, so it is added when something is recorded."""
    if any(known is recorder for known in _heard):
        return
    _heard.append(recorder)
    live = recorder.live
    audited = _AUDITED
    if debugger.running() is not None:
        debugger.hide(debugger.running(), None, {})

    def hook(event: str, args: tuple) -> None:
        if event in databases.CONNECTS:
            databases.heard(event, args)
            if event == databases.CONNECTED:
                return
        if (
            event in audited
            and recorder.on
            and (live or recorder.journey and event in _ALWAYS or event == "sys.settrace")
        ):
            try:
                frame = sys._getframe().f_back
                if frame is None:
                    return  # the interpreter itself, when it prints a traceback
                if event == "sys.settrace":
                    for listener in recorder.when_traced:
                        listener(frame)
                    return
                source = frame.f_code.co_filename
                if source.startswith(PACKAGE) or source.startswith("<frozen importlib"):
                    return
                if event == "open" and type(args[0]) is int:
                    if frame.f_globals.get("__name__") in _SPAWNING:
                        note(recorder, frame, "process", "multiprocessing.Process")
                    return
                detail = _detail(event, args)
                if detail is not None and note(recorder, frame, audited[event], detail):
                    if event == "open" and detail.startswith("read "):
                        _content(recorder, frame, detail[5:])
            except BaseException as error:
                recorder.failed(error)

    sys.addaudithook(hook)


def is_folder(path: object) -> bool:
    """Whether a path is that of a folder. Whoever opens one for writing makes a file without a name, as `tempfile.TemporaryFile` does: it
    is gone when it is closed.
    """
    return type(path) in (str, bytes) and os.path.isdir(path)


def _detail(event: str, args: tuple) -> "str | None":
    """Says what happened, in words that hold no argument of a command and no value of a variable."""
    first = args[0] if args else None
    if event == "open":
        mode = args[1] if type(args[1]) is str else None
        flags = args[2] if type(args[2]) is int else 0
        writes = any(c in mode for c in "wax+") if mode else bool(flags & (os.O_WRONLY | os.O_RDWR))
        if writes and is_folder(first):
            return None
        event = "write" if writes else "read"
    elif event.startswith("socket.") and event[7:] in ("connect", "bind", "sendto"):
        first = args[1]
        if type(first) is tuple and len(first) >= 2:
            first = "%s:%s" % (first[0], first[1]) if type(first[0]) is str and type(first[1]) is int else None
    elif event.startswith("_thread."):
        return "started"
    if type(first) is bytes:
        first = first.decode("utf-8", "replace")
    elif names_of(type(first))[0] in ("pathlib", "pathlib._local"):
        first = str(first)
    if type(first) is not str:
        return event
    if first == os.devnull or event == databases.CONNECT and databases.is_in_memory(first):
        return None
    if event in _STARTS and first == sys.executable and not os.path.basename(first).startswith(("python", "pypy")):
        return event  # by its name nobody would know it
    if event == "os.system":
        first = next((word for word in first.split() if "=" not in word), "")
    elif event == "urllib.Request":
        first = first.split("?")[0].split(" ")[0]
    if event.startswith(("urllib.", "socket.")) and "@" in first:
        scheme, separator, rest = first.rpartition("://")
        first = scheme + separator + rest.rpartition("@")[2]
    return (event + " " + first)[:LONGEST]
