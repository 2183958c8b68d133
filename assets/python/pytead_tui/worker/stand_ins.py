"""What stands in for functions that left their process when a call was recorded: each gives again, in order, what it
gave then. Nothing is asked of the network or of other programs, and what asks all the same, or changes files, is stopped.
"""

import base64
import inspect
import marshal
import sys
import tempfile

from pytead_tui import reaching
from pytead_tui.reaching import Reaching
from pytead_tui.recorder import kinds
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.rebuild import Builder, resolve


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
    """Puts functions of recorded answers in the place of those that gave them, under every name that a module or a
    class knows them by. Raises Broken.
    """
    for one in stand_ins:
        module, qualname = one["module"], one["qualname"]
        home, _, name = qualname.rpartition(".")
        place = resolve(module, home, main)
        # Of a class the very object that it keeps: a static method, not the function in it.
        replaced = inspect.getattr_static(place, name, None)
        if replaced is None:
            raise Broken(f"there is no {qualname} in {module} any more", "removed", qualname, module)
        outcomes = [marshal.loads(base64.b64decode(text)) for text in one["outcomes"]]
        answers = [(outcome[0] == "X", builder.value(outcome[1])) for outcome in outcomes]
        stand_in = StandIn(name, one["awaited"], answers)
        setattr(place, name, stand_in)
        if not home:
            _everywhere(replaced, stand_in)


def _everywhere(replaced: object, stand_in: StandIn) -> None:
    """Replaces a function wherever a module names it, too: `from remote import fetch`."""
    for module in list(sys.modules.values()):
        space = module.__dict__ if type(module) is kinds.Module else {}
        for name in [name for name, held in space.items() if held is replaced]:
            space[name] = stand_in


class Leaving(RuntimeError):
    """Raised into what would leave the process."""


def stay(root: str) -> Reaching:
    """Stops what would reach out of the process from now on: the network, other programs, and files but temporary ones.
    Gives what tells of it.
    """
    stopped = Reaching([root], [tempfile.gettempdir(), "/dev/shm"], [])

    def hear(event: str, args: tuple) -> None:
        if stopped.hear(event, args):
            raise Leaving(event)

    reaching.listen(hear)
    return stopped
