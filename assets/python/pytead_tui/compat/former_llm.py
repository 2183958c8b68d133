"""What `import llm_pytest` means to a plugin where that package is not installed."""

from pytead_tui.plugins import LLMPlugin

__all__ = ["LLMPlugin"]
