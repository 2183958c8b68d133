"""Runs the test-suites of other people's projects recorded and unrecorded, and compares what pytest says.

    python tests/python/recorder/third_party.py [FOLDER [NAME…]]

By hand, for it needs the network: source distributions from PyPI and what their tests need go into FOLDER (a
temporary one without it), in a virtual environment of its own. Ends with 1 when a suite's results differ.
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from spools import read_file

BOOT = Path(__file__).resolve().parents[3] / "assets" / "python" / "pytead_tui" / "boot"

# Name and version on PyPI, what its tests need besides pytest, where the tests are.
SUITES = [
    ("sqlparse", "0.5.3", [], "tests"),
    ("humanize", "4.11.0", ["freezegun"], "tests"),
    ("more-itertools", "10.5.0", [], "tests"),
]


def unpacked(folder: Path, python: Path, name: str, version: str) -> Path:
    """Gives the folder of a project's sources, downloaded at the first time."""
    found = [p for p in folder.glob("*-*") if p.is_dir() and re.sub("[-_.]+", "-", p.name) == f"{name}-{version}".replace(".", "-")]
    if found:
        return found[0]
    command = [python, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:"]
    subprocess.run([*command, "-d", folder, f"{name}=={version}"], check=True)
    archive = max(folder.glob("*.tar.gz"), key=lambda p: p.stat().st_mtime)
    with tarfile.open(archive) as stream:
        stream.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    archive.unlink()
    return unpacked(folder, python, name, version)


def results(python: Path, root: Path, tests: str, env: dict) -> tuple:
    """Runs a suite; gives (outcome of each test, exit code, CPU seconds)."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        began = os.times()
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-o", "addopts=",
             "-o", "filterwarnings=",
             f"--junitxml={report}", tests],
            cwd=root, env=env, capture_output=True, text=True,
        )  # fmt: skip
        ended = os.times()
        outcomes = {}
        if report.exists():
            for case in ElementTree.parse(report).iter("testcase"):
                kinds = [part.tag for part in case if part.tag in ("failure", "error", "skipped")]
                key = case.get("classname"), case.get("name")
                outcomes.setdefault(key, []).append(" ".join(kinds) or "passed")
        else:
            outcomes["pytest", done.stdout[-300:] + done.stderr[-300:]] = ["failed to start"]
    spent = ended.children_user + ended.children_system - began.children_user - began.children_system
    return outcomes, done.returncode, spent


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / ("venv%d.%d" % sys.version_info[:2])
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
        needed = sorted({need for suite in SUITES for need in suite[2]})
        subprocess.run([python, "-m", "pip", "install", "-q", "pytest", "setuptools", "hatchling", "hatch-vcs", "flit_core", *needed], check=True)
    differ = 0
    for name, version, _, tests in SUITES:
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        root = unpacked(folder, python, name, version)
        source = root / "src" if (root / "src").is_dir() else root
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", root], check=True)
        plain_env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEAD", "PYTHON"))}
        plain_env.update(PYTHONPATH=str(source), PYTHONDONTWRITEBYTECODE="1", PYTHONHASHSEED="0")
        plain = results(python, root, tests, plain_env)
        if any(case[0] == "pytest" for case in plain[0]):
            print(f"{name} {version}: the tests do not start: {plain[0]}", flush=True)
            differ += 1
            continue
        print(f"{name} {version}: {len(plain[0])} tests plain, {plain[2]:.1f} s of CPU", flush=True)
        for mode in ("calls", "journey"):
            for mechanism in ("monitor", "rewrite") if sys.version_info >= (3, 12) else ("rewrite",):
                spool = Path(tempfile.mkdtemp(dir=folder))
                env = dict(plain_env, PYTEAD_SPOOL=str(spool), PYTEAD_RECORDING="r", PYTEAD_ROOT=str(root),
                           PYTEAD_MODE=mode, PYTEAD_EVENTS=mechanism)  # fmt: skip
                env["PYTHONPATH"] = f"{BOOT}{os.pathsep}{source}"
                recorded = results(python, root, tests, env)
                records = [r for path in spool.iterdir() for r in read_file(path)]
                calls = sum(r[0] == "C" for r in records)
                errors = sum(r[2]["errors"] for r in records if r[0] == "Z")
                gaps = sorted({r[1].split(" of ")[0] for r in records if r[0] == "G"})
                same = recorded[:2] == plain[:2]
                differ += not same
                print(f"  {mode}, {mechanism}: {'the same' if same else 'DIFFERENT'}, {calls} calls, {errors} errors, "
                      f"{recorded[2] / max(plain[2], 0.01):.2f} times the CPU, {gaps}", flush=True)  # fmt: skip
                for key in sorted(set(plain[0]) | set(recorded[0])):
                    if plain[0].get(key) != recorded[0].get(key):
                        print(f"    {key}: {plain[0].get(key)} → {recorded[0].get(key)}", flush=True)
    return 1 if differ else 0


if __name__ == "__main__":
    began = time.monotonic()
    status = main()
    print(f"{time.monotonic() - began:.0f} s")
    sys.exit(status)
