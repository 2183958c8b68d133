"""Gives programs, tests and plugins what they import of the predecessors, where these are not installed.

The finder stands last in `sys.meta_path`, so whatever really has one of these names comes first.
"""

import os
import sys

_HOME = os.path.dirname(os.path.abspath(__file__))
_FILES = {
    "pytead": "former_pytead.py",
    "pytead.testkit": "testkit.py",
    "pytead.normalize": "normalize.py",
    "pytest_semantic": "former_semantic.py",
    "pytest_semantic.core": "former_semantic.py",
    "pytest_semantic.decorator": "former_semantic.py",
    "llm_pytest": "former_llm.py",
    "llm_pytest.interpolation": "former_llm.py",
    "llm_pytest.plugin_base": "former_llm.py",
}


class Finder:
    """Finds `pytead` and what its generated tests import of it, `pytest_semantic`, and `llm_pytest`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if name not in _FILES:
            if "." in name and name.partition(".")[0] in _FILES:
                from pytead_tui.compat import instead

                error = instead.no_module(name)
                if error is not None:
                    raise error
            return None
        # Not by way of importlib, which loads modules that the program may never load.
        file = os.path.join(_HOME, _FILES[name])
        loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(name, file)
        spec = sys.modules["_frozen_importlib"].ModuleSpec
        return spec(name, loader, origin=file, loader_state="pytead-tui", is_package="." not in name)


def is_ours(spec: object) -> bool:
    """Tells whether a module's specification is of a file here."""
    return os.path.dirname(getattr(spec, "origin", None) or "") == _HOME


def install() -> None:
    """Puts the finder last, unless it is there."""
    if Finder not in sys.meta_path:
        sys.meta_path.append(Finder)
