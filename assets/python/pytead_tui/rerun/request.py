"""The request: which session is run again, which tests of it, and where the report goes."""

import json
from dataclasses import dataclass

START = ""  # in the place of a test's id: what runs before the first test

@dataclass(frozen=True)
class Program:
    """A recorded program that ran tests of unittest."""

    runner: str  # `unittest` or `django`
    how: str  # it was started: `module`, `script` or `code`
    what: str
    arguments: "list[str]"
    settings: "str | None"  # of Django, by their module


@dataclass(frozen=True)
class Request:
    """A recorded session, and the tests of it that run again."""

    root: str
    ini: "str | None"
    options: "list[str]"
    program: "Program | None"  # without one, the session was pytest's
    cwd: str
    path: "list[str]"
    tests: "list[str]"
    collect: "list[str]"
    test_seconds: float
    shift_seconds: "float | None"
    report: str
    functions: "dict[str, list[str]]"
    project: str  # the root of the project, which can be above that of the session
    lines: "dict[str, list[int]]"  # that are followed, by files relative to the project
    fixtures: "dict[str, str]"  # of the session, asked for by tests while they run: the name, by key
    modules: "dict[str, str]"  # imported before everything else: their files, by name
    tell_loaded: bool  # which modules it imported that are not the project's
    first: int  # so many of the tests are waited for, and run before the others
    put: "str | None"  # a folder of files that replace the project's
    gone: "list[str]"  # files of the project that are not to be there


def read(file: str) -> Request:
    """Reads a request."""
    with open(file, encoding="utf-8") as stream:
        given = json.load(stream)
    program = given.get("program")
    return Request(
        root=given["root"], ini=given.get("ini"), options=list(given.get("options") or []), cwd=given["cwd"],
        program=program and Program(
            program["runner"], program["how"], program["what"], list(program["arguments"]), program.get("settings")
        ),
        path=list(given.get("path") or []), tests=list(given["tests"]),
        collect=list(given.get("collect") or []), test_seconds=float(given["test_seconds"]),
        shift_seconds=given.get("shift_seconds"), report=given["report"],
        functions=dict(given.get("functions") or {}),
        project=given.get("project") or given["root"], lines=dict(given.get("lines") or {}),
        fixtures=dict(given.get("fixtures") or {}), modules=dict(given.get("modules") or {}), tell_loaded=bool(given.get("tell_loaded")),
        put=given.get("put"), gone=list(given.get("gone") or []), first=int(given.get("first") or 0),
    )  # fmt: skip
