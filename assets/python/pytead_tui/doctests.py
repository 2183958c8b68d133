"""Runs examples as doctest would, contained: shows what they print, or proves those of docstrings not yet written.

`python -m pytead_tui.doctests REQUEST REPLY`, both files of JSON; the reply has a line for each item of the request.
Each item runs in a fork of its own, so that none sees what another did, and one that hangs or dies takes no other along.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import sys
import traceback
from typing import Any


class _Source(importlib.machinery.SourceFileLoader):
    """Loads a module from a text in place of what its file holds."""

    text = ""

    def get_code(self, fullname: str) -> Any:
        return compile(self.text.encode(), self.path, "exec", dont_inherit=True)


class _Finder:
    def __init__(self, sources: dict) -> None:
        self.sources = sources

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        source = self.sources.get(name)
        if source is None:
            return None
        loader = _Source(name, source["path"])
        loader.text = source["text"]
        is_package = os.path.basename(source["path"]) == "__init__.py"
        places = [os.path.dirname(source["path"])] if is_package else None
        return importlib.util.spec_from_file_location(
            name, source["path"], loader=loader, submodule_search_locations=places
        )


def main(request: dict, reply: Any) -> None:
    from pytead_tui import guard

    weak = os.environ.get("PYTEAD_LEVEL") == "weak"
    sys.path[:0] = request["paths"]
    sys.meta_path.insert(0, _Finder(request.get("sources", {})))
    if weak:
        guard.install([os.environ["PYTEAD_SCRATCH"]])
    for name in {item["module"]: None for item in request["items"]}:
        with contextlib.suppress(BaseException):  # said by each item of it
            importlib.import_module(name)
    for item in request["items"]:
        with guard.ours():
            child = os.fork()
        if child == 0:
            _answer(item, reply, request["seconds"], guard if weak else None)
        _, status = os.waitpid(child, 0)
        if status != 0:
            _say(reply, {"key": item["key"], "error": "it did not end" if os.WIFSIGNALED(status) else "it died"})


def _answer(item: dict, reply: Any, seconds: float, guard: Any) -> None:
    """Answers one item and ends the process."""
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        module = importlib.import_module(item["module"])
        if guard is not None:
            guard.calling()
        answer = _proved(module, item["qualname"]) if "qualname" in item else _shown(module, item["statements"])
    except BaseException as error:
        answer = {"error": type(error).__name__}
    signal.setitimer(signal.ITIMER_REAL, 0)
    _say(reply, {"key": item["key"], **answer})
    os._exit(0)


def _say(reply: Any, answer: dict) -> None:
    reply.write(json.dumps(answer) + "\n")
    reply.flush()


def _shown(module: Any, statements: list) -> dict:
    """Runs statements one by one in the module's own namespace, and gives what each prints and which one raised."""
    names = module.__dict__.copy()
    sys.displayhook = sys.__displayhook__
    printed = []
    raised = None
    for statement in statements:
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(statement + "\n", "<example>", "single"), names)
        except BaseException as error:
            raised = {"type": type(error).__qualname__, "text": traceback.format_exception_only(type(error), error)[-1]}
        printed.append(out.getvalue())
        if raised is not None:
            break
    return {"printed": printed, "raised": raised}


def _proved(module: Any, qualname: str) -> dict:
    """Runs the examples of a docstring, as it stands in the text that is not yet written."""
    held: Any = module
    for name in qualname.split("."):
        held = held.__dict__[name] if isinstance(held, type) else getattr(held, name)
    text = held.__doc__ or ""
    tests = doctest.DocTestParser().get_doctest(text, module.__dict__.copy(), qualname, None, None)
    out = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):
        result = doctest.DocTestRunner(verbose=False).run(tests, out=out.write)
    return {"attempted": result.attempted, "failed": result.failed, "said": out.getvalue()[-2000:]}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        wanted = json.load(stream)
    with open(sys.argv[2], "a", encoding="utf-8") as stream:
        main(wanted, stream)
