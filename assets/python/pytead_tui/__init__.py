"""The Python side of pytead-tui. Importing this package imports nothing else."""

__version__ = "0.1.0"
__all__ = ["trace", "trace2test"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from pytead_tui import tracing

        return getattr(tracing, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__() -> list:
    return sorted([*globals(), *__all__])
