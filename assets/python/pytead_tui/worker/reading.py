"""Reads what a call gave that gives its items one by one: `map`, `zip`, generators, views of dicts, iterators of the project,
asynchronous ones too; of a coroutine it is what awaiting it gives.

A recording cannot, for that would use them up; here the process ends with the call, whose own effects were taken before.
"""

import asyncio
import inspect

from pytead_tui import reaching
from pytead_tui.reaching import Reaching
from pytead_tui.recorder import kinds
from pytead_tui.recorder.values import TAG
from pytead_tui.worker import closely

MOST = 50  # items of one
LIMIT = 2.0  # seconds for all of them
KEY, END = "its items", "its end"  # no parameter has such a name
ENDLESS = "reading it does not end"
VIEWS = tuple(type(view) for view in ({}.keys(), {}.values(), {}.items()))


def wanted(value: object, tree: object, given: list) -> list:
    """Lists what is to be read of a call's result: itself, or the items of a tuple or list; nothing that was an argument."""
    held = list(value) if type(value) in (tuple, list) and len(value) <= MOST else [value]
    trees = (
        list(tree)
        if held and value is not held[0] and type(tree) in (tuple, list) and len(tree) == len(held)
        else [tree]
    )
    if len(trees) != len(held):
        return []
    return [
        one
        for one, seen in zip(held, trees)
        if _is_lazy(one) and not _is_told(seen) and not any(one is a for a in given)
    ]


def _is_lazy(value: object) -> bool:
    return (
        asynchronous(value) is not None
        or type(value) is not kinds.Coroutine
        and (isinstance(value, VIEWS) or closely.is_lazy(value))
    )


def asynchronous(value: object) -> "str | None":
    """Says how a value is read, `await` or `aiter`, that is a coroutine or an asynchronous generator which nobody has begun."""
    if type(value) is kinds.Coroutine:
        return "await" if inspect.getcoroutinestate(value) == inspect.CORO_CREATED else None
    return "aiter" if inspect.isasyncgen(value) and value.ag_frame is not None and not value.ag_running else None


def _is_told(tree: object) -> bool:
    """Whether the recording holds the items already."""
    return type(tree) is tuple and tree[:4] == (TAG, "new", "builtins", "iter")


def unread(why: str) -> dict:
    """Says that items could not be read, with the reason."""
    return {KEY: (TAG, "opaque", 0, "", why)}


def is_read(found: dict) -> bool:
    """Tells whether items were read."""
    return found[KEY][:2] != (TAG, "opaque")


def read(found: list, eyes: object) -> dict:
    """Reads them: gives what is added to what a call changed."""
    before = eyes.changed()
    seen = Reaching([], [], [])
    stop = reaching.listen(seen.hear)
    all_items, ends = [], []
    way = asynchronous(found[0]) if len(found) == 1 else None
    for one in found:
        items: list = []
        all_items.append(items)
        try:
            if asynchronous(one):
                asyncio.run(gather(one, items, eyes))
                continue
            for item in one:
                items.append(closely.tree(item, eyes))
                if len(items) == MOST:
                    break
        except Exception as error:
            ends.append(eyes.item(error))
    stop()
    if seen.noted:
        return unread(f"reading it has effects: {seen.said().split()[0]}")
    if eyes.changed() != before:
        return unread("reading it changes an argument")
    read_of = {KEY: all_items[0] if len(all_items) == 1 else all_items}
    if way is not None and not ends:
        read_of = {KEY: gathered(way, all_items[0])}
    return {**read_of, END: ends} if ends else read_of


def gathered(way: str, items: list) -> tuple:
    """Gives the tree of what awaiting or iterating gave; of an await that raises, the exception."""
    return (TAG, "new", "builtins", way, (items,) if way == "aiter" else tuple(items), {})


async def gather(one: object, items: list, eyes: object) -> None:
    """Awaits a coroutine, or takes the items of an asynchronous generator."""
    if type(one) is kinds.Coroutine:
        items.append(closely.tree(await one, eyes))
        return
    async for item in one:
        items.append(closely.tree(item, eyes))
        if len(items) == MOST:
            break
