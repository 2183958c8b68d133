"""What numpy and pandas hold, recorded and made again. `make test` runs this folder by `.venv`, which has both."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "assets" / "python"))

# The environments of the other interpreters do without; scripts/test.sh counts a run of none as a failure.
collect_ignore_glob = [] if find_spec("pandas") else ["test_*.py"]
