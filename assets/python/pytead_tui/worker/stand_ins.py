"""What stands in for functions that left their process while a call was recorded: each gives again, in order, what it
gave then. Nothing is asked of the network or of other programs.
"""

import base64
import marshal

from pytead_tui.worker.rebuild import Broken, Builder, resolve


class StandIn:
    """A function of recorded answers. Kept by a class it is no method: it is given no receiver."""

    def __init__(self, name: str, awaited: bool, answers: list) -> None:
        self.name = name
        self.awaited = awaited
        self.answers = answers

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self._later() if self.awaited else self._next()

    async def _later(self) -> object:
        return self._next()

    def _next(self) -> object:
        if not self.answers:
            raise LookupError(f"{self.name} is asked more often than when it was recorded")
        raises, value = self.answers.pop(0)
        if raises:
            raise value
        return value


def put(stand_ins: list, builder: Builder, main: object) -> None:
    """Puts functions of recorded answers in the place of those that gave them. Raises Broken."""
    for one in stand_ins:
        module, qualname = one["module"], one["qualname"]
        home, _, name = qualname.rpartition(".")
        place = resolve(module, home, main)
        if not hasattr(place, name):
            raise Broken(f"there is no {qualname} in {module} any more")
        outcomes = [marshal.loads(base64.b64decode(text)) for text in one["outcomes"]]
        answers = [(outcome[0] == "X", builder.value(outcome[1])) for outcome in outcomes]
        setattr(place, name, StandIn(name, one["awaited"], answers))
