"""What `import llm_pytest` means to a plugin or a test where that package is not installed."""

import re
from typing import Any

from pytead_tui.plugins import LLMPlugin

__all__ = ["LLMPlugin", "interpolate_step_args", "interpolate_value"]

_REFERENCE = re.compile(r"\$\{([^}]+)\}")


def interpolate_value(value: Any, context: dict) -> Any:
    """Fills `${a.b}` in, in texts at any depth: as text, and left as it is where there is nothing."""
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: _text(found, context), value)
    if isinstance(value, dict):
        return {key: interpolate_value(held, context) for key, held in value.items()}
    if isinstance(value, list):
        return [interpolate_value(held, context) for held in value]
    return value


def interpolate_step_args(args: dict, context: dict) -> dict:
    """Fills `${a.b}` in, in the arguments of a step."""
    return {name: interpolate_value(value, context) for name, value in args.items()}


def _text(found: "re.Match", context: Any) -> str:
    for part in found.group(1).split("."):
        if not isinstance(context, dict) or part not in context:
            return found.group(0)
        context = context[part]
    return found.group(0) if context is None else str(context)


def __getattr__(name: str) -> Any:
    from pytead_tui.compat import instead

    raise instead.missing("llm_pytest", name)
