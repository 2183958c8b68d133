"""The files of a temporary folder before and after a call that a test makes itself: what the call wrote there.

Owns which folder that is, and what is noted of its files. That the folder is pytest's `tmp_path` in a test made of the call is
Rust's affair.
"""

from pytead_tui.recorder import databases, project, redact
from pytead_tui.recorder.objects import names_of, state
from pytead_tui.recorder.own import __builtins__, os, sys

MOST = 60  # files and folders of such a folder; one with more is looked at no further
TEXT = 2000  # bytes of a file that are kept
ROWS = 20  # of a database
CHANGED = 6  # files that a call wrote; one that wrote more has no test that anybody reads


def path_of(value: object) -> "str | None":
    """Gives the text of a path: a text, or one of pathlib's."""
    if type(value) is str:
        return value
    if names_of(type(value)) in (("pathlib", "PosixPath"), ("pathlib._local", "PosixPath")):
        return str(value)
    return None


def of(values: dict, held: tuple, root: str) -> "str | None":
    """Gives the temporary folder that a call works in: that of a fixture of pytest's, or the outermost one that an argument, or
    the working folder, names. `values` are those of the test's fixtures. A project, at `root`, may lie below one, too.
    """
    for name in ("tmp_path", "tmpdir"):
        value = values.get(name)
        found = path_of(value) or path_of(state(value).get("strpath"))
        if found is not None:
            return os.path.realpath(found)
    home = getattr(sys.modules.get("tempfile"), "tempdir", None) or os.environ.get("TMPDIR") or "/tmp"
    inside = os.path.realpath(home).rstrip("/") + "/"
    for value in (*held, _working_folder()):
        path = path_of(value)
        if path is not None and path.startswith(inside) and "\0" not in path:
            found = inside + path[len(inside) :].split("/")[0]
            if os.path.isdir(found) and not (os.path.realpath(root) + "/").startswith(found + "/"):
                return found
    return None


def _working_folder() -> "str | None":
    try:
        return os.getcwd()
    except OSError:
        return None


def is_inside(base: str) -> bool:
    """Whether the program works in a folder."""
    return _working_folder() == base


def look(base: str) -> "dict | None":
    """Lists the files and folders below a folder, each with how it looks; None where there are many."""
    found: dict = {}
    pending = [""]
    try:
        while pending:
            folder = pending.pop()
            for entry in sorted(os.listdir(os.path.join(base, folder))):
                inside = os.path.join(folder, entry)
                path = os.path.join(base, inside)
                if len(found) >= MOST or os.path.islink(path):
                    return None
                if os.path.isdir(path):
                    found[inside] = None
                    pending.append(inside)
                elif not os.path.isfile(path):
                    return None  # reading a pipe would wait for a writer
                else:
                    held = os.stat(path)
                    small = held.st_size <= TEXT
                    found[inside] = (held.st_size, held.st_mtime_ns, project.read(path) if small else b"")
    except OSError:
        return None
    return found


def needed(base: str, before: dict, of_fixtures: dict, words: list, told: object, named: object) -> list:
    """Tells the files that a command may read: all of the folder that it works in, else those that its `words` name. Left out are
    those that lie there as the fixtures of the test left them (`of_fixtures`).
    """
    inside = is_inside(base)
    names = [name for name, held in before.items() if held is not None and of_fixtures.get(name, ())[:2] != held[:2]]
    if not inside:
        names = _named(base, names, words, {name: _text(before[name]) for name in names})
    return [[name, _held(base, name, before[name], told, named)] for name in names]


def _named(base: str, names: list, words: list, texts: dict) -> list:
    """Finds the files that words name, or that the text of such a file names, as a configuration does; those in a folder, too."""
    paths = {name: os.path.join(base, name) for name in names}
    found = {name for name in names for w in words if w and (paths[name] in w or paths[name].startswith(w.rstrip("/") + "/"))}
    pending = list(found)
    while pending:
        text = texts[pending.pop()]
        more = [name for name in names if name not in found and (paths[name] in text or _is_below_named(base, name, text))]
        found.update(more)
        pending.extend(more)
    return [name for name in names if name in found]


def _is_below_named(base: str, name: str, text: str) -> bool:
    """Whether a text names, at the end of a line, a folder that a file lies in."""
    parts = name.split("/")[:-1]
    folders = [os.path.join(base, *parts[: at + 1]) for at in range(len(parts))]
    return any(line.rstrip("\"' ,;/").endswith(folder) for line in text.splitlines() for folder in folders)


def _text(held: tuple) -> str:
    try:
        return held[2].decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _held(base: str, name: str, held: tuple, told: object, named: object) -> object:
    """Tells the content of a file, with that of a database by its tables. What lies in a file of secrets is not read."""
    base_name = os.path.basename(name)
    if base_name.startswith(".env") or redact.secret_word(base_name) is not None:
        return {"long": True}
    path = os.path.join(base, name)
    if TEXT < held[0] <= databases.LARGEST and not os.path.exists(path + "-wal"):
        found = databases.of_file(project.read(path))
        if found is not None:
            tables, rows, rest = found
            by_name = [[table, [[[column, named(column, value)] for column, value in row.items()] for row in of]] for table, of in rows.items()]
            many = sum(map(len, rows.values())) > ROWS
            return {"long": True} if many else {"database": [list(map(list, tables.items())), by_name, list(map(list, rest.items()))]}
    return _content(held, told)


def changed(base: str, before: dict, told: object, named: object = None) -> "dict | None":
    """Tells what changed in a folder: {base, folders and files that were there, what is there now}; None where nothing did, or
    more than a reader wants. `told` tells a text; with `named`, which tells a value of a column, databases are told by their tables.
    """
    after = look(base)
    if after is None:
        return None
    names = [name for name in sorted({*before, *after}) if before.get(name, 0) != after.get(name, 0)]
    # A new folder shows by what lies in it.
    full = {os.path.dirname(name) for name in after}
    names = [name for name in names if not (name in after and after[name] is None and name in full)]
    if not names or len(names) > CHANGED:
        return None
    there = [[name, _content(before[name], told)] for name in names if name in before and before[name] is not None]
    folders = {os.path.dirname(name) for name in names} | {name for name in names if before.get(name, 0) is None}
    needed = [name for name in sorted(folders) if name and name in before]
    now = [[name, _now(base, after, name, told, named)] for name in names]
    return {"base": base, "folders": needed, "before": there, "after": now, "inside": is_inside(base)}


def around(base: str, before: dict, needed: list, told: object, named: object) -> dict:
    """Describes the files that a command may have read, and those that it wrote, as `changed` does."""
    wrote = changed(base, before, told, named) or {"folders": [], "after": []}
    folders = {os.path.dirname(name) for name, _ in needed} & {*before} | {*wrote["folders"]}
    # What a configuration names may be asked for, though nothing lies in it.
    texts = [_text(before[name]) for name, _ in needed]
    folders.update(name for name, held in before.items() if held is None and any(_is_below_named(base, name + "/", text) for text in texts))
    return {"base": base, "folders": sorted(folders), "before": needed, "after": wrote["after"], "inside": is_inside(base)}


def _now(base: str, after: dict, name: str, told: object, named: object) -> object:
    if name not in after:
        return {"gone": True}
    if after[name] is None:
        return {"folder": True}
    return _content(after[name], told) if named is None else _held(base, name, after[name], told, named)


def _content(held: tuple, told: object) -> object:
    size, _, content = held
    if size > TEXT:
        return {"long": True}
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return {"bytes": content.decode("latin-1")}
    text = told(text)
    return {"text": text} if type(text) is str else {"long": True}
