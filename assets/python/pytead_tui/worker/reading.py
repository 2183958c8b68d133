"""Reads what a call gave that gives its items one by one: `map`, `zip`, generators, views of dicts, iterators of the project.

A recording cannot, for that would use them up; here the process ends with the call, whose own effects were taken before.
"""

import sys

from pytead_tui.recorder import kinds
from pytead_tui.recorder.values import TAG
from pytead_tui.worker import closely

MOST = 50  # items of one
LIMIT = 2.0  # seconds for all of them
KEY, END = "its items", "its end"  # no parameter has such a name
ENDLESS = "reading it does not end"
VIEWS = tuple(type(view) for view in ({}.keys(), {}.values(), {}.items()))
_WRITING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.link", "os.symlink",
            "shutil.", "socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "tempfile.")  # fmt: skip


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
    if type(value) in (kinds.Coroutine,):
        return False
    return isinstance(value, VIEWS) or closely.is_lazy(value)


def _is_told(tree: object) -> bool:
    """Whether the recording holds the items already."""
    return type(tree) is tuple and tree[:4] == (TAG, "new", "builtins", "iter")


def unread(why: str) -> dict:
    """Says that items could not be read, with the reason."""
    return {KEY: (TAG, "opaque", 0, "", why)}


def is_read(found: dict) -> bool:
    """Tells whether items were read."""
    return type(found[KEY]) is list


def read(found: list, eyes: object) -> dict:
    """Reads them: gives what is added to what a call changed."""
    before = eyes.changed()
    seen = _Writes()
    all_items, ends = [], []
    for one in found:
        items: list = []
        all_items.append(items)
        try:
            for item in one:
                items.append(closely.tree(item, eyes))
                if len(items) == MOST:
                    break
        except Exception as error:
            ends.append(eyes.item(error))
    seen.on = False
    if seen.found:
        return unread(f"reading it has effects: {seen.found}")
    if eyes.changed() != before:
        return unread("reading it changes an argument")
    read_of = {KEY: all_items[0] if len(all_items) == 1 else all_items}
    return {**read_of, END: ends} if ends else read_of


class _Writes:
    """Listens for what changes something outside of the process."""

    def __init__(self) -> None:
        self.on = True
        self.found = ""
        sys.addaudithook(self.hear)

    def hear(self, event: str, args: tuple) -> None:
        if not self.on:
            return
        writes = event == "open" and (isinstance(args[1], str) and not set(args[1]).isdisjoint("wax+"))
        if writes or event.startswith(_WRITING):
            self.found = self.found or event
