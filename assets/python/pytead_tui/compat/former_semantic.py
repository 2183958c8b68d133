"""What `import pytest_semantic` means where that package is not installed."""

from typing import Any

from pytead_tui.intents import SemanticAssertionError, semantic_test

__all__ = ["SemanticAssertionError", "semantic_test"]


def __getattr__(name: str) -> Any:
    from pytead_tui.compat import instead

    raise instead.missing("pytest_semantic", name)
