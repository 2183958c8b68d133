"""A pytest plugin: of the tests only those are run that the file BENCH_CHOSEN lists, as JSON: `test_a.py::test_b`."""

import json
import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list) -> None:
    """Leaves the others out."""
    chosen = set(json.loads(Path(os.environ["BENCH_CHOSEN"]).read_text()))
    left = [item for item in items if f"{item.path.name}::{item.nodeid.partition('::')[2]}" not in chosen]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]
