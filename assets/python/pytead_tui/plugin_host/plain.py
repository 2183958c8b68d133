"""Results of tools as plain JSON values: what is no JSON is written as people would."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import math
import os
import uuid
from typing import Any

_DEPTH = 60
_TEXT = 2000  # characters of what is only described


def plain(value: Any, depth: int = 0) -> Any:
    """Gives a value as JSON can hold it."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value, depth + 1) if depth < _DEPTH else value.name
    if isinstance(value, str):
        return str.encode(value, "utf-8", "backslashreplace").decode()
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if depth >= _DEPTH:
        return _described(value)
    if isinstance(value, dict):
        return {_key(key): plain(held, depth + 1) for key, held in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict(), depth + 1)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(held, depth + 1) for held in value]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": base64.b64encode(bytes(value)).decode()}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, uuid.UUID, os.PathLike)):
        return str(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name, None), depth + 1) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        try:
            return plain(dump(mode="json"), depth + 1)
        except Exception:
            return _described(value)
    return _described(value)


def _key(key: Any) -> str:
    return plain(key) if isinstance(key, str) else str(plain(key, _DEPTH))


def _described(value: Any) -> str:
    try:
        return repr(value)[:_TEXT].encode("utf-8", "backslashreplace").decode()
    except Exception as error:
        return "<%s whose repr raises %s>" % (type(value).__name__, type(error).__name__)
