"""Each program is the same recorded and unrecorded, and its recording the same on every interpreter and by every mechanism.

The texts in expected/ are of journeys. The recording in calls mode has the same text without its lines,
unless expected/NAME.calls.txt says otherwise. `ACCEPT=1 pytest` writes them: read what it wrote.
"""

import os
import re
import shutil
import sys
from pathlib import Path

import journey
import pytest

HERE = Path(__file__).parent
PROGRAMS = sorted(p.stem for p in (HERE / "programs").iterdir() if p.name != "__pycache__")
MECHANISMS = ["monitor", "rewrite"] if sys.version_info >= (3, 12) else ["rewrite"]


def first_line(name: str) -> str:
    path = HERE / "programs" / name
    path = path / "__main__.py" if path.is_dir() else path.with_suffix(".py")
    return path.read_text(encoding="utf-8").split("\n", 1)[0]


def install(program: object, name: str) -> None:
    """Puts a program into the project."""
    asked = re.search(r"Python 3\.(\d+)", first_line(name))
    if asked and sys.version_info < (3, int(asked[1])):
        pytest.skip(f"needs {asked[0]}")
    source = HERE / "programs" / name
    if source.is_dir():
        shutil.copytree(source, program.root / name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source.with_suffix(".py"), program.root)


def recorded(program: object, command: tuple, plain: object, mode: str, mechanism: str) -> str:
    """Records a run, which cannot be told from the plain one; gives its text."""
    for path in program.spool.iterdir():
        path.unlink()
    done = program.run(*command, PYTHONHASHSEED="0", PYTEAD_MODE=mode, PYTEAD_EVENTS=mechanism)
    assert (done.stdout, done.stderr, done.returncode) == (plain.stdout, plain.stderr, plain.returncode)
    return journey.text(program.read(done), mode == "journey")


def without_lines(text: str) -> str:
    return re.sub(r"^ *\[\d+\] lines .*\n", "", text, flags=re.M)


def expect(name: str, text: str) -> None:
    path = HERE / "expected" / name
    if os.environ.get("ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_recording(program, name, mechanism):
    install(program, name)
    run = ("-m", name) if (program.root / name).is_dir() else (f"{name}.py",)
    ways = [run]
    if "script only" not in first_line(name) and run[0] != "-m":
        ways.append(("-c", f"import {name}"))
    for way in ways:
        plain = program.run(*way, recorded=False, PYTHONHASHSEED="0")
        assert (plain.returncode == 0) != ("exit code" in first_line(name)), plain.stderr
        expect(f"{name}.txt", recorded(program, way, plain, "journey", mechanism))
    calls = recorded(program, ways[-1], plain, "calls", mechanism)
    journeys = (HERE / "expected" / f"{name}.txt").read_text(encoding="utf-8")
    own = HERE / "expected" / f"{name}.calls.txt"
    if os.environ.get("ACCEPT"):
        own.unlink(missing_ok=True)
        if calls != without_lines(journeys):
            own.touch()
    if own.exists():
        expect(own.name, calls)
    else:
        assert calls.splitlines() == without_lines(journeys).splitlines()
