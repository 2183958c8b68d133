"""What a run as if on another machine takes from the project, and what it leaves."""

import json
import os
import subprocess
import sys
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[3] / "assets" / "python"


def test_of_the_environment_only_what_the_sandbox_needs_is_left():
    # A numeric library that starts a thread for each core makes a process that must not fork.
    given = {"OPENBLAS_NUM_THREADS": "1", "PROJECT_MODE": "fast", "WANTED": "yes", "PATH": os.environ["PATH"]}
    program = "import json, os\nfrom pytead_tui.worker import elsewhere\nelsewhere.begin(['WANTED'])\nprint(json.dumps(dict(os.environ)))"
    env = {**given, "PYTHONPATH": str(PACKAGES), "TMPDIR": "/tmp", "HOME": "/root"}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    left = json.loads(done.stdout)
    assert "PROJECT_MODE" not in left and left["WANTED"] == "yes"
    assert left["OPENBLAS_NUM_THREADS"] == "1" and left["HOME"] != "/root"
