"""A pytest plugin: writes into the file BENCH_CALLED, as JSON, the functions of a package that tests call themselves.

BENCH_PACKAGE is the package's folder, BENCH_TESTS that of the tests: a call counts when it is made in a file there, in
the test or in a fixture of it, and not while the tests are imported.
"""

import json
import os
import sys
from pathlib import Path

import pytest
from watch import function_of

package, tests = os.environ["BENCH_PACKAGE"], os.environ["BENCH_TESTS"] + os.sep
found: dict = {}


def _profile(frame: object, event: str, arg: object) -> None:
    caller = frame.f_back
    if event == "call" and caller is not None and caller.f_code.co_filename.startswith(tests):
        function = function_of(frame.f_code, package)
        if function is not None:
            found.setdefault(function)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol() -> object:
    """Looks on while a test runs."""
    sys.setprofile(_profile)
    try:
        return (yield)
    finally:
        sys.setprofile(None)


def pytest_unconfigure() -> None:
    """Writes what was seen."""
    Path(os.environ["BENCH_CALLED"]).write_text(json.dumps(list(found)))
