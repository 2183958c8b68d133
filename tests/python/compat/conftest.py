"""Puts pytead's names in place, as a run under pytead-tui does where pytead is not installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "assets/python"))

from pytead_tui.compat import finder  # noqa: E402

finder.install()
