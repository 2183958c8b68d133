"""Which libraries of the system the programs of a wheel need: none but those that every machine has.

The C++ runtime and OpenMP are inside of what needs them. A wheel that asks for one works where it was built and on few machines else.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
LOADER = re.compile(r"ld-linux[\w.-]*\.so\.\d+")
STARTS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # Linux, macOS, macOS for two processors


def is_everywhere(library: str) -> bool:
    """Tells whether each machine that a wheel is for has a library."""
    if library.startswith("/"):
        return library.startswith(("/usr/lib/", "/System/Library/"))
    return library in EVERYWHERE or LOADER.fullmatch(library) is not None


def needed(said: str) -> list[str]:
    """Reads the libraries out of what `readelf -d` or `otool -L` says of a program."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", said) + re.findall(r"^\t(\S.*) \(compatibility version", said, re.M)


def foreign(wheel: Path) -> list[str]:
    """Gives `program: library` for each library that not every machine has. Raises where a wheel has no program."""
    tool = ["otool", "-L"] if sys.platform == "darwin" else ["readelf", "--dynamic", "--wide"]
    found, programs = [], 0
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            if not files.read(name).startswith(STARTS):
                continue
            programs += 1
            said = subprocess.run([*tool, files.extract(name, folder)], capture_output=True, text=True, check=True)
            libraries = needed(said.stdout)
            if not libraries:
                raise ValueError("%s says nothing of what %s needs:\n%s" % (tool[0], name, said.stdout[-2000:]))
            found += ["%s: %s" % (name, library) for library in libraries if not is_everywhere(library)]
    if not programs:
        raise ValueError("%s has no program in it." % wheel.name)
    return found
