"""What a call does besides ending: it prints, logs, writes files, starts programs, calls mocks, and asks a database of SQLite.

Two runs of one call are compared by that, too. Nothing of it is noted while a program is recorded: this listens only in processes
that end with the call or the test.
"""

import functools
import hashlib
import io
import logging
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pytead_tui.recorder import databases, effects, redact
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import names_of, oid
from pytead_tui.recorder.own import os
from pytead_tui.recorder.project import read
from pytead_tui.worker import client_answers
from pytead_tui.worker.capture import tree_of
from pytead_tui.worker.whole_values import digest

KEY = "its side effects"  # no parameter has such a name

MOST = 100  # of one kind and call; what comes behind them is counted
LONGEST = 2_000  # characters of one text
HASHED = 1 << 20  # bytes that are written to a stream and looked at
CONTENT = 20_000  # bytes of a file that are looked at; of a longer one, its hash

DEEP = 3  # containers, one in the other, of an argument
HEARD = 500  # calls of one function

CALLS = "calls of "
OUTPUT, ERRORS, LOG, FILES, PROGRAMS, STATEMENTS = "output", "error output", "log", "files", "programs", "statements"
WARNINGS, MOCKS = "warnings", "calls to mocks"

_PLAIN = (str, int, float, bool, type(None))
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Of what changes files: where an event has their paths, and where the open folders that these begin at.
_CHANGES = {
    "os.remove": ((0, 1),), "os.rename": ((0, 2), (1, 3)), "os.mkdir": ((0, 2),), "os.rmdir": ((0, 1),), "os.link": ((1, 3),),
    "os.symlink": ((1, 2),), "os.truncate": ((0, None),), "shutil.move": ((0, None), (1, None)), "shutil.rmtree": ((0, None),),
}  # fmt: skip
_STARTS = {"subprocess.Popen": 1, "os.system": 0, "os.exec": 1, "os.posix_spawn": 1, "os.spawn": 2}
# Folders that have another name in each run: pytest's, one for each test, and those of `tempfile`.
_OF_PYTEST = re.compile(r"/[^\s'\"]*?/pytest-of-[^/\s]+/pytest-[^/\s]+(?:/[^/\s'\"]+|(?=\W|$))")
_OF_TEMPFILE = re.compile(r"\btmp[a-z0-9_]{8}(?![a-z0-9_])")

_journal: list = []  # (kind, what) of this process, in order
_roots: list = []  # of the project, once something listens
_ours: list = []  # folders in which a recorder of this process writes
_hooked: list = []


def listen(root: str) -> "Listener":
    """Listens from now on, in this process and its forks, to what the program does; paths below `root` are named from there."""
    _roots[:] = [root.rstrip("/") + "/"]
    _ours[:] = [os.path.join(os.path.abspath(folder), "") for folder in (os.environ.get("PYTEAD_SPOOL"),) if folder]
    if not _hooked:
        _hooked.append(True)
        databases.ours.append(_ask)
        sys.addaudithook(_audit)
        logging.Logger.handle = _handling(logging.Logger.handle)
        for name in ("sqlite3", "sqlite3.dbapi2"):
            module = sys.modules.get(name)
            if module is not None:
                module.connect = _connecting(module.connect)
    hear_mocks()
    return Listener()


def hear_mocks() -> None:
    """Hears what mocks are called with, too, if they are imported by now."""
    mocked = getattr(sys.modules.get("unittest.mock"), "CallableMixin", None)
    if mocked is not None and not hasattr(mocked._mock_call, "__wrapped__"):
        mocked._mock_call = _mock_called(mocked._mock_call)



class Listener:
    """Tells what happens between the start and the end of calls."""

    def __init__(self) -> None:
        self.calls: dict = {}  # by number of a function: how often it was called

    @contextmanager
    def hearing(self) -> "Iterator[None]":
        """Keeps in memory what is written to the standard streams, and hears warnings, which are not written there then: that text has
        the number of a line.
        """
        kept = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(_in_memory(), encoding="utf-8", newline="", write_through=True) for _ in range(2)
        )
        show = warnings._showwarnmsg  # which the interpreter calls for each one; `showwarning` is the program's to replace
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings._showwarnmsg = _warning(show, warnings._showwarnmsg_impl, warnings.showwarning)
                yield
        finally:
            warnings._showwarnmsg = show
            sys.stdout, sys.stderr = kept

    def begin(self, call: object = None) -> tuple:
        """Gives a mark, for the start of a call; `call` is a kept one that was not made by the project's own code."""
        if call is not None:
            client_answers.called(call)
        return len(_journal), [(stream, _written(stream)) for stream in (sys.stdout, sys.stderr)]

    def called(self, live: dict, function: "Function", caller: object, held: tuple) -> bool:
        """Notes the arguments of a call that a kept call makes. Tells whether it wants more calls of this function."""
        if not self._wants_more(function.fid):
            return False
        by = live.get(oid(caller))
        if by is not None and by.runs_in(caller):
            given = list(zip(function.names, held))[function.receiver :]
            _journal.append((CALLS, (by.key, function.qualname, _arguments(given))))
        return True

    def entered(self, is_called: "Callable[[object], bool]", frame: object, name: str) -> bool:
        """Does the same where no recorder runs; `is_called` knows the code of the function that is called alone."""
        code = frame.f_code
        if not self._wants_more(oid(code)):
            return False
        if frame.f_back is not None and is_called(frame.f_back.f_code):
            count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
            names = code.co_varnames[:count]
            held = frame.f_locals
            is_method = names[:1] in (("self",), ("cls",))
            given = [(param, held[param]) for param in names[is_method:] if param in held]
            _journal.append((CALLS, (None, name, _arguments(given))))
        return True

    def _wants_more(self, function: int) -> bool:
        times = self.calls[function] = self.calls.get(function, 0) + 1
        return times <= HEARD

    def end(self, mark: tuple, key: "int | None" = None, left: "dict | None" = None) -> object:
        """Gives the tree of what happened since a mark, by kind, under its name, and of what was `left` behind. `key` is that of the
        call, whose own calls count.
        """
        at, streams = mark
        found: dict = dict(left or {})
        for kind, (stream, before) in zip((OUTPUT, ERRORS), streams):
            text = _text_since(stream, before)
            if text:
                found[kind] = shorten(text)
        files: dict = {}
        for kind, what in _journal[at:]:
            if kind == FILES:
                files[_named(what)] = what
            elif kind == CALLS:
                by, name, told = what
                if by == key:
                    found.setdefault(CALLS + name, []).append(told)
            else:
                found.setdefault(kind, []).append(what)
        if files:
            names = sorted(files)
            found[FILES] = {name: _content(files[name]) for name in names[:MOST]}
            if len(names) > MOST:
                found[FILES]["and %d more" % (len(names) - MOST)] = digest([(name, _content(files[name])) for name in names[MOST:]])
        for kind, held in found.items():
            if type(held) is list and len(held) > MOST:
                if kind.startswith(CALLS):
                    held.sort(key=_by_content)  # their order says nothing, and would decide which of them are left
                found[kind] = [*held[:MOST], "and %d more, %s" % (len(held) - MOST, digest(held[MOST:]))]
        return {KEY: tree_of(found)}


def _by_content(told: object) -> str:
    return digest([told])


# What is written to the streams.


def _in_memory() -> "io.RawIOBase | io.BytesIO":
    """Makes a file in memory: it has a number, as a program expects of a standard stream; where there is none, it has not."""
    try:
        return io.FileIO(os.memfd_create("stream"), "w+b")
    except (AttributeError, OSError):
        return io.BytesIO()


def _written(stream: object) -> "int | None":
    """Gives how much was written to a stream of which that can be told: one in memory, or to a file."""
    try:
        if type(stream) is io.StringIO:
            return len(stream.getvalue())
        stream.flush()
        buffer = stream.buffer
        if isinstance(buffer, io.BytesIO):
            return len(buffer.getbuffer())
        return _size(buffer.fileno())
    except Exception:  # closed, or no stream of Python's own
        return None


def _size(file: int) -> "int | None":
    found = os.fstat(file)
    return found.st_size if (found.st_mode & 0o170000) == 0o100000 else None


def _text_since(stream: object, before: "int | None") -> str:
    now = None if before is None else _written(stream)
    if now is None or now <= before:
        return ""
    try:
        if type(stream) is io.StringIO:
            return stream.getvalue()[before:]
        buffer = stream.buffer
        if isinstance(buffer, io.BytesIO):
            held = bytes(buffer.getbuffer()[before:now])
        else:
            held = os.pread(buffer.fileno(), min(now - before, HASHED), before)
    except Exception:
        return ""
    return held.decode("utf-8", "replace")


# What the interpreter and the library tell of.


def _audit(event: str, args: tuple) -> None:
    try:
        if event == "open":
            if type(args[2]) is int and args[2] & _WRITES and not effects.is_folder(args[0]):
                _note_file(args[0])
        elif event in _CHANGES:
            for path, folder in _CHANGES[event]:
                # What begins at an open folder is a part of a larger change, which has an event of its own.
                if folder is None or args[folder] in (-1, None):
                    _note_file(args[path])
        elif event in _STARTS:
            started = (PROGRAMS, _command(args[_STARTS[event]]))
            if _journal[-1:] != [started]:  # `subprocess` starts it by one of the others
                _journal.append(started)
    except Exception:
        return  # the program is not to be disturbed


def _note_file(path: object) -> None:
    path = os.fspath(path)
    if type(path) is bytes:
        path = os.fsdecode(path)
    if type(path) is not str:
        return  # a number of an open file
    path = os.path.abspath(path)
    if path.startswith(("/dev/", "/proc/", *_ours)) or "__pycache__" in path or "/.pytead" in path or path.endswith("-journal"):
        return
    _journal.append((FILES, path))


def _command(given: object) -> str:
    words = [os.fsdecode(word) if type(word) is bytes else word for word in ([given] if isinstance(given, (str, bytes)) else given)]
    told: list = []
    hidden = False
    for word in words:
        word = word if type(word) is str else names_of(type(word))[1]
        if word == sys.executable:
            word = "python"
        option, equals, value = word.partition("=")
        secret = redact.secret_word(option.lstrip("-"))
        told.append(option + "=[REDACTED]" if equals and secret else "[REDACTED]" if hidden else word)
        hidden = bool(secret) and not equals and option.startswith("-")
    return shorten(" ".join(told))


def _connecting(connect: "Callable") -> "Callable":
    @functools.wraps(connect)
    def connected(*args: object, **named: object) -> object:
        made = connect(*args, **named)
        with suppress(Exception):
            sys.modules["_sqlite3"].Connection.set_trace_callback(made, _ask)
        return made

    return connected


def _ask(statement: str) -> None:
    if not databases.reading[0]:
        _journal.append((STATEMENTS, shorten(" ".join(statement.split()))))


def _warning(show: "Callable", impl: "Callable", usual: "Callable") -> "Callable":
    def shown(message: warnings.WarningMessage) -> None:
        text = message.message.args[0] if message.message.args else ""
        if message.category is ResourceWarning and type(text) is str and text.startswith("unclosed file"):
            text = "unclosed file"  # a recorded one is opened under another name
        _journal.append((WARNINGS, "%s: %s" % (names_of(message.category)[1], shorten(text if type(text) is str else ""))))
        # What the program does with warnings itself, such as keeping them, it goes on doing.
        if warnings._showwarnmsg_impl is not impl or warnings.showwarning is not usual:
            show(message)

    return shown


def _mock_called(call: "Callable") -> "Callable":
    @functools.wraps(call)
    def called(mock: object, /, *args: object, **named: object) -> object:
        with suppress(Exception):  # what a test made of the class
            told = [repr(_plainly(value, DEEP)) for value in args]
            told += ["%s=%r" % (name, _plainly(value, DEEP)) for name, value in named.items()]
            _journal.append((MOCKS, "%s(%s)" % (mock._extract_mock_name(), ", ".join(told))))
        return call(mock, *args, **named)

    return called


def _handling(handle: "Callable") -> "Callable":
    @functools.wraps(handle)
    def handled(logger: logging.Logger, record: logging.LogRecord) -> None:
        _journal.append((LOG, "%s %s: %s" % (record.levelname, record.name, shorten(_message(record)))))
        handle(logger, record)

    return handled


def _message(record: logging.LogRecord) -> str:
    """Gives a record's text. Objects of the program are not asked for theirs, which could change something."""
    template, args = record.msg, record.args
    if type(template) is not str:
        return names_of(type(template))[1]
    if not args:
        return template
    if type(args) is dict:
        given: object = {name: held if type(held) in _PLAIN else names_of(type(held))[1] for name, held in args.items()}
    else:
        given = tuple(held if type(held) in _PLAIN else names_of(type(held))[1] for held in args)
    try:
        return template % given
    except (TypeError, ValueError, KeyError):
        return template


# How it is told.


def _arguments(given: list) -> dict:
    return {name: _plainly(value, DEEP) for name, value in given}


def _plainly(value: object, deep: int) -> object:
    """Gives a value without the program's objects, in whose place their types stand."""
    t = type(value)
    if t is str:
        return shorten(value)
    if t in _PLAIN or t is bytes:
        return value
    if deep and t in (list, tuple) and len(value) <= MOST:
        return [_plainly(item, deep - 1) for item in value]
    if deep and t is dict and len(value) <= MOST and all(type(key) is str for key in value):
        return {key: _plainly(item, deep - 1) for key, item in value.items()}
    return names_of(t)[1]


def shorten(text: str) -> str:
    """Gives a text as it is compared: not too long, and without folders that are others in each run."""
    return _cut(_named(text))


def _named(text: str) -> str:
    """Gives a text in which folders that are others in each run have one name."""
    for root in _roots:
        text = text.replace(root, "")
    text = _OF_PYTEST.sub("tmp_path", text)
    if "tmp" in text:
        text = _OF_TEMPFILE.sub("tmp…", text)
        folder = tempfile.gettempdir() + "/"
        text = text.replace(folder, "tmp/")
    return text


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return "%s… %d characters, %s" % (text[:LONGEST], len(text), digest(text))


def _content(path: str) -> str:
    """Says what is at a path now."""
    try:
        if os.path.islink(path):
            return "a link to " + _named(os.readlink(path))
        if os.path.isdir(path):
            return "a folder"
        if not os.path.isfile(path):
            return "gone"
        held = read(path, CONTENT + 1)
        if len(held) > CONTENT:
            return "%d bytes, %s" % (os.path.getsize(path), _hash(path))
        text = held.decode("utf-8")
    except UnicodeDecodeError:
        return "%d bytes, %s" % (len(held), hashlib.sha256(held).hexdigest()[:16])
    except OSError as error:
        return "cannot be read: " + names_of(type(error))[1]
    return text if "\0" not in text else "%d bytes, %s" % (len(held), hashlib.sha256(held).hexdigest()[:16])


def _hash(path: str) -> str:
    return hashlib.sha256(read(path)).hexdigest()[:16]
