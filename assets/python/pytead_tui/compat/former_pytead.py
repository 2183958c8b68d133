"""What `import pytead` means under a recording where pytead is not installed."""

from typing import Any

from pytead_tui.tracing import trace, trace2test

__all__ = ["trace", "trace2test"]


def __getattr__(name: str) -> Any:
    from pytead_tui.compat import instead

    raise instead.missing("pytead", name)
