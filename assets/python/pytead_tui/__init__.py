"""The Python side of pytead-tui. Importing this package imports nothing else."""

__version__ = "0.1.0"
__all__ = ["LLMPlugin", "SemanticAssertionError", "semantic_test", "trace", "trace2test"]

_HOMES = {
    "trace": "tracing", "trace2test": "tracing", "semantic_test": "intents", "SemanticAssertionError": "intents",
    "LLMPlugin": "plugins",
}  # fmt: skip


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home == "tracing":
        from pytead_tui import tracing

        return getattr(tracing, name)
    if home == "intents":
        from pytead_tui import intents

        return getattr(intents, name)
    if home == "plugins":
        from pytead_tui import plugins

        return plugins.LLMPlugin
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def __dir__() -> list:
    return sorted([*globals(), *__all__])
