"""The Python side of pytead-tui. Importing this package imports nothing else."""

__version__ = "0.1.0"
