"""Runs a driver and prints, as JSON, what it does with a package.

    watch.py direct|outcomes|lines PACKAGE DRIVER

`direct`: the functions that the driver calls itself; `outcomes`: what those calls gave, in order; `lines`: the lines
of the package's functions that were run.
"""

import json
import re
import sys
from pathlib import Path

COMPREHENSIONS = ("<lambda>", "<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<module>")


def text(value: object) -> str:
    try:
        return re.sub(r"0x[0-9a-f]+", "0x", repr(value))[:300]
    except Exception as error:
        return f"<{type(error).__name__}>"


def function_of(code: object, package: str) -> "tuple | None":
    """Gives module and name of a function of a package's folder, by its code; None for what nobody calls by its name."""
    if not code.co_filename.startswith(package) or code.co_name in COMPREHENSIONS:
        return None
    # The body of a private generator is run by whoever takes its items; who called it is another.
    if code.co_name.startswith("_") and not code.co_name.endswith("__") and code.co_flags & 0x20:
        return None
    root = str(Path(package).parent)
    return code.co_filename[len(root) + 1 : -3].replace("/", ".").removesuffix(".__init__"), code.co_qualname


def main() -> None:
    how, package, driver = sys.argv[1], sys.argv[2], sys.argv[3]
    root = str(Path(package).parent)
    sys.path.insert(0, root)
    direct, outcomes, lines = {}, [], {}
    busy = False

    def profile(frame: object, event: str, arg: object) -> None:
        nonlocal busy
        caller = frame.f_back
        if busy or event not in ("call", "return") or caller is None or caller.f_code.co_filename != driver:
            return
        function = function_of(frame.f_code, package)
        if function is None:
            return
        direct.setdefault(function)
        if event == "return":
            busy = True
            outcomes.append((function[1], text(arg)))
            busy = False

    def trace(frame: object, event: str, arg: object) -> object:
        code = frame.f_code
        if not code.co_filename.startswith(package):
            return None
        if event == "line" and code.co_flags & 2:  # of a function
            lines.setdefault(code.co_filename[len(root) + 1 :], set()).add(frame.f_lineno)
        return trace

    with open(driver) as file:
        code = compile(file.read(), driver, "exec")
    space = {"__name__": "__main__", "__file__": driver}
    end = "end"
    if how == "lines":
        sys.settrace(trace)
    else:
        sys.setprofile(profile)
    try:
        exec(code, space)
    except BaseException as error:
        end = f"{type(error).__name__}: {error}"
    finally:
        sys.setprofile(None)
        sys.settrace(None)
    if how == "direct":
        found = list(direct)
    elif how == "lines":
        found = {path: sorted(numbers) for path, numbers in lines.items()}
    else:
        found = [*outcomes, end]
    json.dump(found, sys.__stdout__)


if __name__ == "__main__":
    main()
