"""Finds inputs beside the recorded ones that tell a function from itself with a fault that no recorded call tells.

One version is the function as it is written, the other the same with a small fault in memory (`mutants.py`).
"""

import time

from pytead_tui.worker.frames import Gone, broken
from pytead_tui.worker.near import DIFFER, Input, Search
from pytead_tui.worker.near_sides import FAULTS, Version

CASES = 2  # inputs of a function
ONE = 0.3  # seconds for one fault


def searched(item: dict, text: str, versions: "tuple[Version, Version]") -> dict:
    """Searches for inputs that tell faults of a function, one fault after another, until its time is over."""
    over = time.monotonic() + item["wait_ms"] / 1000
    near: list = []
    found: list = []
    tried, unmade, edited = 0, 0, ((), ())
    for number in range(FAULTS):
        left = over - time.monotonic()
        if len(near) == CASES or left < 0:
            break
        search = Search(item, (text, text), versions, edited)
        begun = search.begin(item, {**item, "fault": number})
        if begun is None:
            raise Gone
        if "broken" in begun:
            return begun
        if begun["fault"] is None:
            break
        lines = frozenset(begun["fault"])
        # What its lines compare with is tried first.
        search = Search(item, (text, text), versions, (lines, lines))
        search.recorded += [Input(one.call, one.told, one.way) for one in found]
        why = search.run(min(ONE, left))
        tried, unmade = tried + search.tried, max(unmade, search.unmade())
        if why not in (None, DIFFER):
            return broken(why, None)
        if search.found:
            found.append(search.found[0])
            near.append(search.reply()[0])
    return {"near": near, "tried": tried, "unmade": unmade}
