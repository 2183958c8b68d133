"""The names of parametrised tests hold what they are given: secrets are taken out of them, before anything tells them."""

from __future__ import annotations

import os
from typing import Any

from pytead_tui import judge
from pytead_tui.recorder import redact

PLAIN = (str, bytes, int, float)


def conceal(items: list, asked: "judge.Judge") -> None:
    """Renames the tests whose names hold a secret; each keeps a name of its own."""
    given = [item for item in items if getattr(item, "callspec", None) is not None]
    if not given:
        return
    redact.configure(os.environ.get("PYTEAD_REDACT", ""))
    names = [_by_name(item) for item in given]
    try:
        names = asked.conceal(names)
    except judge.Broken:
        pass  # said with the verdicts
    for item, name in zip(given, names):
        if name != item.name:
            # Two secrets may look alike now; the places of parameters do not.
            places = "-".join(str(place) for place in item.callspec.indices.values())
            _rename(item, "%s-%s]" % (name[:-1] if name.endswith("]") else name, places))


def _by_name(item: Any) -> str:
    """Gives a test's name without what parameters with secret names are given."""
    name = item.name
    for parameter, value in item.callspec.params.items():
        word = redact.secret_word(parameter)
        if word is None or type(value) not in PLAIN:
            continue
        text = value.decode("ascii", "backslashreplace") if type(value) is bytes else str(value)
        hidden = "[REDACTED:%s#1]" % word
        head, mark, inside = name.partition("[")
        # Where it is written in another way, all of it goes.
        name = head + mark + (inside.replace(text, hidden) if text and text in inside else hidden + "]")
    return name


def _rename(item: Any, name: str) -> None:
    node = item.nodeid
    if not node.endswith(item.name):
        return
    node = node[: len(node) - len(item.name)] + name
    structured = getattr(item, "_id", None)
    if structured is None:  # pytest before 9.2
        item._nodeid = node
    else:
        item._id = type(structured).parse(node)
    item.name = name
    item.__dict__.pop("location", None)  # worked out from the name, once
