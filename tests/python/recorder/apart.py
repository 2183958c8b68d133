"""Packages that `make test` installs apart from the environments, in folders of `.venv`: plugins of pytest would show in every test."""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

_VENV = Path(__file__).resolve().parents[3] / ".venv"
_FOLDERS = [_VENV / "web", *sorted((_VENV / "clocks").glob("*"))]


@functools.cache
def _imports(package: str, folder: Path) -> bool:
    env = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-c", f"import {package}"], env=env, capture_output=True).returncode == 0


def folder_of(package: str) -> str:
    """Gives the folder for `sys.path` that has a package. Skips the test where no folder has it for this Python."""
    found = next((folder for folder in _FOLDERS if (folder / package).is_dir() and _imports(package, folder)), None)
    if found is None:
        pytest.skip(f"{package} is not there for this Python")
    return str(found)
