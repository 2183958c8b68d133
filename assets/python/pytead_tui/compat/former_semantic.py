"""What `import pytest_semantic` means where that package is not installed."""

from pytead_tui.intents import SemanticAssertionError, semantic_test

__all__ = ["SemanticAssertionError", "semantic_test"]
