"""What a wheel may need of the system (scripts/libraries.py): a release that needs more is stopped."""

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

SCRIPTS = str(Path(__file__).resolve().parents[2] / "scripts")
sys.path.insert(0, SCRIPTS)

import libraries  # noqa: E402

sys.path.remove(SCRIPTS)


@pytest.mark.parametrize(
    ("library", "fine"),
    [
        ("libc.so.6", True),
        ("libgcc_s.so.1", True),
        ("ld-linux-x86-64.so.2", True),
        ("ld-linux-aarch64.so.1", True),
        ("libstdc++.so.6", False),
        ("libgomp.so.1", False),
        ("libomp.so.5", False),
        ("libssl.so.3", False),
        ("/usr/lib/libSystem.B.dylib", True),
        ("/System/Library/Frameworks/Metal.framework/Versions/A/Metal", True),
        ("/opt/homebrew/opt/libomp/lib/libomp.dylib", False),
        ("@rpath/libomp.dylib", False),
    ],
)
def test_only_what_every_machine_has_may_be_needed(library, fine):
    assert libraries.is_everywhere(library) is fine


def test_what_the_tools_say_is_read():
    linux = """
 0x0000000000000001 (NEEDED)             Shared library: [libstdc++.so.6]
 0x000000000000000c (INIT)               0x4000
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
"""
    assert libraries.needed(linux) == ["libstdc++.so.6", "libc.so.6"]
    macos = """bin/pytead-llm:
\t/usr/lib/libc++.1.dylib (compatibility version 1.0.0, current version 1900.180.0)
\t@rpath/libomp.dylib (compatibility version 5.0.0, current version 5.0.0)
"""
    assert libraries.needed(macos) == ["/usr/lib/libc++.1.dylib", "@rpath/libomp.dylib"]


def test_a_wheel_without_a_program_is_no_wheel_of_ours(tmp_path):
    with zipfile.ZipFile(tmp_path / "empty.whl", "w") as wheel:
        wheel.writestr("package/__init__.py", "")
    with pytest.raises(ValueError, match="no program"):
        libraries.foreign(tmp_path / "empty.whl")


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("readelf"), reason="needs readelf")
def test_the_programs_of_a_wheel_are_looked_into(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "shell.whl", "w") as wheel:
        wheel.write("/bin/sh", "shell.data/scripts/sh")
        wheel.writestr("package/__init__.py", "")
    monkeypatch.setattr(libraries, "is_everywhere", lambda library: False)
    found = libraries.foreign(tmp_path / "shell.whl")
    assert found and all(one.startswith("shell.data/scripts/sh: ") for one in found)
