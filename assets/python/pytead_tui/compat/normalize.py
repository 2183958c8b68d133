"""How tests that pytead generated level values before they compare them."""

import math
from typing import Any

__all__ = ["sanitize_for_py_literals", "tuples_to_lists"]


def sanitize_for_py_literals(value: Any) -> Any:
    """Gives the value with None for each float that no literal can write."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _rebuilt(value, sanitize_for_py_literals, type(value) if isinstance(value, tuple) else list)


def tuples_to_lists(value: Any) -> Any:
    """Gives the value with lists for tuples, as JSON would have it."""
    return _rebuilt(value, tuples_to_lists, list)


def _rebuilt(value: Any, level: Any, row: Any) -> Any:
    if isinstance(value, (list, tuple)):
        items = [level(item) for item in value]
        return items if row is list else tuple(items)
    if isinstance(value, dict):
        return {key: level(held) for key, held in value.items()}
    return value
