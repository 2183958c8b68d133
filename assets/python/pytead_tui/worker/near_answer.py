"""Answers requests for inputs beside recorded ones, function by function."""

import os

from pytead_tui.worker import near_faults
from pytead_tui.worker.frames import Gone, broken, send
from pytead_tui.worker.near import Search
from pytead_tui.worker.near_sides import Version

WEAK = "near inputs run only in the sandbox of the kernel"


def answer(message: dict, writing: int, startup: frozenset, guarded: "str | None") -> None:
    """Searches beside the calls of each function, with the text that modules had before and the one that they have."""
    versions: "tuple | None" = None
    for item in message["items"]:
        key = {"key": item["key"]}
        if guarded is not None:
            send(writing, {**key, **broken(WEAK, None)})
            continue
        try:
            if versions is None:
                versions = tuple(Version(message, message[name], startup, writing) for name in ("former", "current"))
            send(writing, {**key, **_searched(message, item, versions)})
        except Gone:
            if versions is not None:
                for version in versions:
                    version.end()
            versions = None
            send(writing, {**key, **broken("the process of a version ended", None)})


def _searched(message: dict, item: dict, versions: tuple) -> dict:
    texts = tuple(_text(message, name, item["path"]) for name in ("former", "current"))
    if item.get("faults"):
        return near_faults.searched(item, texts[1], versions)
    search = Search(item, texts, versions)
    begun = search.begin(item)
    if begun is None:
        raise Gone
    if "broken" in begun:
        return begun
    why = search.run(item["wait_ms"] / 1000)
    if why is not None:
        return broken(why, None)
    return {"near": search.reply(), "tried": search.tried, "unmade": search.unmade()}


def _text(message: dict, version: str, path: str) -> str:
    """Gives the text of a module in a version: as it is given, else as it lies on the disk."""
    for one in message[version]:
        if one["path"] == path:
            return one["text"]
    try:
        with open(os.path.join(message["root"], path), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""
