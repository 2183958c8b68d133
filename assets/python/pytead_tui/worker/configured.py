"""Prepares a process as pytest does before it collects: with the project's configuration, plugins and `conftest.py`.

Some projects say there what their modules need when they are imported, such as Django's settings.
"""

import glob
import io
import os
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout

from pytead_tui.pytest_options import kept

# What the session would write or take over for itself.
_OPTIONS = ("-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:randomly", "-p", "no:rerunfailures", "-s", "-q")


def has_conftest(root: str) -> bool:
    """Tells whether pytest would load a `conftest.py` of the project before it collects."""
    return any(glob.glob(os.path.join(root, place, "conftest.py")) for place in ("", "test*", "*/test*"))


def as_pytest(root: str) -> None:
    """Has pytest read the configuration and load plugins and `conftest.py`, from the project's folder. What goes wrong is said
    by the import that needed it."""
    try:
        import pytest
    except Exception:
        return
    getini = pytest.Config.getini

    def filtered(self: pytest.Config, name: str) -> object:
        found = getini(self, name)
        return kept(found) if name == "addopts" else found

    class Configure:
        @pytest.hookimpl(tryfirst=True)
        def pytest_cmdline_main(self, config: pytest.Config) -> int:
            # No session begins, so that nothing is taken back at its end.
            config.hook.pytest_configure.call_historic(kwargs={"config": config})
            return 0

    argv, added = sys.argv, os.environ.get("PYTEST_ADDOPTS")
    places = [place for place in ("tests", "test") if os.path.isfile(os.path.join(root, place, "conftest.py"))]
    sys.argv = ["pytest", *_OPTIONS]
    if added is not None:
        os.environ["PYTEST_ADDOPTS"] = shlex.join(kept(shlex.split(added)))
    pytest.Config.getini = filtered
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            pytest.main([*_OPTIONS, "--rootdir=" + root, *places[:1]], plugins=[Configure()])
    except BaseException:  # what a conftest.py raises, and `SystemExit`
        pass
    finally:
        pytest.Config.getini = getini
        sys.argv = argv
        if added is not None:
            os.environ["PYTEST_ADDOPTS"] = added
