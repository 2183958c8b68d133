"""What `import pytead` means under a recording where pytead is not installed."""

from pytead_tui.tracing import trace, trace2test

__all__ = ["trace", "trace2test"]
