"""Gives recorded programs what they import of pytead, where pytead itself is not installed: its decorator.

The finder stands last in `sys.meta_path`, so whatever really is called `pytead` comes first.
"""

import os
import sys

_HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Finder:
    """Finds `pytead`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if name != "pytead":
            return None
        # Not by way of importlib, which loads modules that the program may never load.
        file = os.path.join(_HOME, "former_pytead.py")
        loader = sys.modules["_frozen_importlib_external"].SourceFileLoader(name, file)
        return sys.modules["_frozen_importlib"].ModuleSpec(name, loader, origin=file)
