"""Installs the wheels of a folder where nothing else is, does the main job from there, and takes them out again.

Every step is a command that a person would type, run with an empty home folder and a PATH that holds the new environment and
the system's programs only. The first step that does not end as it should is printed with all it said, and ends this with 1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import libraries

ROOT = Path(__file__).resolve().parent.parent
WHEEL_MAX = 15 * 10**6  # bytes, with the demo model
FINDS_LOCAL = "✓ local models"  # what doctor says where pytead-llm is there

INTENT = """
from pytead_tui import semantic_test
from shop.cart import Cart


@semantic_test(intent="`Cart.is_empty` is called once.")
def test_it_is_asked_once():
    Cart().is_empty()


@semantic_test(intent="`Cart.is_empty` is called twice.")
def test_it_is_asked_twice():
    Cart().is_empty()
"""


class Place:
    """An empty home, an environment with the wheels in it, and a copy of the example."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.bin = folder / "venv" / "bin"
        self.project = folder / "shop"
        venv.create(folder / "venv", with_pip=True)
        shutil.copytree(ROOT / "examples" / "shop", self.project, ignore=shutil.ignore_patterns("__pycache__", ".p*"))
        self.env = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join([str(self.bin), "/usr/local/bin", "/usr/bin", "/bin"]),
            "LANG": "C.UTF-8",
        }

    def run(self, *words: str, code: int = 0, says: str = "", minutes: int = 10) -> str:
        """Runs a command in the project; it has to end with `code` and to say `says`, in so many minutes."""
        done = subprocess.run(
            words, cwd=self.project, env=self.env, capture_output=True, text=True, timeout=60 * minutes
        )
        said = done.stdout + done.stderr
        if done.returncode != code or says not in said:
            sys.exit(
                "\n%s\nended with %d, expected %d and %r:\n%s"
                % (" ".join(words), done.returncode, code, says, said[-4000:])
            )
        last = [line for line in said.splitlines() if line.strip()]
        print("✓ %s  %s" % (" ".join(words), (says or (last[-1].strip() if last else ""))[:100]), flush=True)
        return said

    def files(self) -> "set[str]":
        """Lists the files of the environment, but for bytecode: pytest keeps some of its own beside every plugin."""
        below = self.bin.parent
        found = (path for path in below.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {str(path.relative_to(below)) for path in found}


def main(dist: Path) -> None:
    """Tries the wheels of `dist`."""
    core = only(dist.glob("pytead_tui-*.whl"))
    size = core.stat().st_size
    print("%s  %.1f MB" % (core.name, size / 1e6))
    if size > WHEEL_MAX:
        sys.exit("The wheel is larger than %d MB." % (WHEEL_MAX // 10**6))
    for wheel in sorted(dist.glob("*.whl")):
        foreign = libraries.foreign(wheel)
        if foreign:
            sys.exit("%s needs libraries that not every machine has: %s." % (wheel.name, ", ".join(foreign)))
        print("✓ %s  needs the system's own libraries alone" % wheel.name)
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        pip = ["python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
        place.run(*pip, "install", "pytest", "uv")
        before = place.files()
        local = bool(list(dist.glob("pytead_tui_local-*.whl")))
        # By its name, as people do, from the folder as the only index: both wheels have to name and to find each other.
        named = "pytead-tui[local]" if local else "pytead-tui"
        place.run(*pip, "install", "--no-index", "--find-links", str(dist), named)
        commands(place, local)
        main_job(place)
        # What a model wrote runs in a sandbox of the kernel or not at all.
        if local and kernel_sandbox(place):
            a_model(place)
        place.run(*pip, "uninstall", "--yes", "pytead-tui", "pytead-tui-local")
        left = place.files() - before
        if left:
            sys.exit("Uninstalling left %s." % ", ".join(sorted(left)))
        print("✓ uninstalling left nothing")
        with_uv(place, core, named)
        source = only(dist.glob("*.tar.gz"))
        print("Building from %s; minutes." % source.name, flush=True)
        from_source(place, source)


def commands(place: Place, local: bool) -> None:
    """The ways to start it, the old commands, and what lies beside."""
    version = place.run("pytead-tui", "--version").split()[-1]
    place.run("python", "-m", "pytead_tui", "--version", says=version)
    place.run("trace2test", "--help", says="pytead-tui trace2test")
    place.run("gentests", "--help", says="pytead-tui gentests")
    said = place.run("pytead-tui", "doctor", says="containment")
    if local and FINDS_LOCAL not in said:
        sys.exit("doctor finds no pytead-llm:\n%s" % said)
    for beside in ("man/man1/pytead-tui.1", "bash-completion/completions/pytead-tui"):
        if not (place.bin.parent / "share" / beside).is_file():
            sys.exit("The wheel brought no %s." % beside)


def kernel_sandbox(place: Place) -> bool:
    """Tells whether there is one; on Linux there has to be."""
    said = place.run("pytead-tui", "doctor", says="containment")
    line = next(line for line in said.splitlines() if "containment" in line)
    print(line)
    return sys.platform == "linux" or "seatbelt" in line.split()


def main_job(place: Place) -> None:
    """Record, draft, prove, accept, run what was accepted, edit, see the change; then intents under plain pytest."""
    pytest = ["python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    place.run(*pytest, says=" passed")
    # Where the system has no sandbox of the kernel, recorded calls run after a person's word only.
    place.run("pytead-tui", "trust", "--allow-weak", says="weak")
    place.run("pytead-tui", "--trust", "run", "--", "pytest", "-q", says="functions")
    place.run("pytead-tui", "--trust", "gen", "--accept", says="takes all of it back")
    place.run(*pytest, "tests/pytead", says=" passed")
    pricing = place.project / "shop" / "pricing.py"
    text = pricing.read_text()
    pricing.write_text(text.replace("total > FREE_FROM", "total >= FREE_FROM"))
    place.run("pytead-tui", "--trust", "replay", code=1, says="shipping_for")
    pricing.write_text(text)
    (place.project / "tests" / "test_said.py").write_text(INTENT)
    place.run(*pytest, "tests/test_said.py", code=1, says="1 failed, 1 passed")
    place.run("pytead-tui", "--trust", "check", "tests/test_said.py", code=1, says="1 failed, 1 passed")


def a_model(place: Place) -> None:
    """The demo model, run by the second wheel's program, writes a draft that is proved."""
    shutil.copy(ROOT / "examples" / "calculator.py", place.project)
    use = "import calculator\n\nfor value in (5, -1, 2):\n    calculator.clamp(value, 0, 3)\n"
    (place.project / "use.py").write_text(use)
    place.run("pytead-tui", "--trust", "run", "--", "use.py", says="3 calls of 1 function")
    words = ["draft", "calculator:clamp", "--provider", "local", "--model", "demo"]
    place.run("pytead-tui", "--trust", *words, says="draft by demo  calculator:clamp  ready")


def with_uv(place: Place, core: Path, named: str) -> None:
    """uv's ways of running a program that is installed nowhere: from an index, which the folder stands for, and from a file."""
    index = ["uvx", "--no-index", "--find-links", str(core.parent), "--from", named]
    place.run(*index, "pytead-tui", "--version", says="pytead-tui ")
    if "[local]" in named:
        place.run(*index, "pytead-tui", "doctor", says=FINDS_LOCAL)
    place.run("uvx", "--from", str(core), "pytead-tui", "--version", says="pytead-tui ")
    place.run("uv", "tool", "install", "--quiet", str(core))
    place.run(str(place.home / ".local" / "bin" / "pytead-tui"), "--version", says="pytead-tui ")
    place.run("uv", "tool", "uninstall", "pytead-tui")


def from_source(place: Place, source: Path) -> None:
    """What pip does where there is no wheel for a machine, but unoptimised: it shows that the archive holds all it needs."""
    for name in ("CARGO_TARGET_DIR", "CARGO_HOME", "RUSTUP_HOME"):
        if name in os.environ:
            place.env[name] = os.environ[name]
    place.env.setdefault("CARGO_HOME", str(Path.home() / ".cargo"))
    place.env.setdefault("RUSTUP_HOME", str(Path.home() / ".rustup"))
    for program in ("cargo", "rustc"):
        found = shutil.which(program)
        if found is None:
            sys.exit("No %s found, which pip needs to build from the source archive." % program)
        place.env["PATH"] += os.pathsep + str(Path(found).parent)
    pip = ["python", "-m", "pip", "--disable-pip-version-check", "--quiet"]
    place.run(*pip, "install", "--config-settings", "build-args=--profile dev", str(source), minutes=60)
    place.run("pytead-tui", "--version", says="pytead-tui ")


def only(found: object) -> Path:
    """Gives the one file that there is to be."""
    files = list(found)  # type: ignore[call-overload]
    if len(files) != 1:
        sys.exit("Expected one file, found %d." % len(files))
    return files[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
