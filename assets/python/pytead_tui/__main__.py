"""`python -m pytead_tui`: the program of this name."""

import sys

from pytead_tui.binary import become

sys.exit(become("pytead-tui"))
