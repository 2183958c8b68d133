"""Another machine, for what the project and its tests ask of it: an empty environment, a home folder, names, the build of
Python and of the kernel, the versions of packages, the program that runs pytest. What only this machine has makes no test pass then.
"""

import os
import re
import socket
import sys
import tempfile
from collections import namedtuple

# Without the last three, numeric libraries start threads, and a process with threads must not fork.
_KEPT = ("PATH", "TMPDIR", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_OURS = ("PYTHON", "PYTEAD_", "PYTEST_")
_NAME = "elsewhere"
_CORES = 61
_MICRO = 99

_VersionInfo = namedtuple("version_info", "major minor micro releaselevel serial")


def begin(given: "list[str]") -> None:
    """Makes this process one of another machine, before anything of the project is imported. Of the environment some variables
    are given to all tests."""
    for name in [name for name in os.environ if name not in (*_KEPT, *given) and not name.startswith(_OURS)]:
        del os.environ[name]
    os.environ["HOME"] = tempfile.mkdtemp(prefix="home-")
    system, _, _, _, machine = os.uname()
    elsewhere = os.uname_result((system, _NAME, f"0.0.{_CORES}-{_NAME}", f"#{_CORES} {_NAME}", machine))
    os.uname = lambda: elsewhere
    os.cpu_count = lambda: _CORES
    if hasattr(os, "process_cpu_count"):
        os.process_cpu_count = lambda: _CORES
    socket.gethostname = lambda: _NAME
    # People type `pytest`, `python -m pytest` or `tox`: a command that names itself by what it was started as names another one.
    sys.argv[:1] = [_NAME]
    major, minor, _, level, serial = sys.version_info
    sys.version = f"{major}.{minor}.{_MICRO} ({_NAME}, Jan  1 2000, 00:00:00) [{_NAME} {_CORES}]"
    sys.version_info = _VersionInfo(major, minor, _MICRO, level, serial)
    from importlib import metadata  # not at the top: workers that replay have no need of it

    installed = metadata.version
    metadata.version = lambda name: re.sub(r"\d+(?=\D*$)", str(_MICRO), installed(name))
    platform = sys.modules.get("platform")
    if platform is not None:
        platform._uname_cache = None
