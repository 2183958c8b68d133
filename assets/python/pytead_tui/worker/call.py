"""Makes one recorded call again: finds the function as it is today, binds the arguments, and looks at the outcome.

Runs in a process of its own, which ends with the call.
"""

import asyncio
import base64
import inspect
import marshal
import random
import sys
import time
from collections import Counter

from pytead_tui.worker import closely, stand_ins, track
from pytead_tui.worker.capture import Eyes
from pytead_tui.worker.edited_lines import EditedLines
from pytead_tui.worker.lookup import Broken, find, find_callee
from pytead_tui.worker.rebuild import Builder
from pytead_tui.worker.unavailable import Unavailable

MOST_ITEMS = 50  # of a generator
POSITIONAL_ONLY, ORDINARY, REST, KEYWORD_ONLY, KEYWORDS = range(5)


def bind(function: object, arguments: list) -> tuple:
    """Spreads recorded (name, kind, value) over the parameters of today: (args, kwargs)."""
    given = {name: value for name, kind, value in arguments if kind in (POSITIONAL_ONLY, ORDINARY, KEYWORD_ONLY)}
    order = [name for name, kind, _ in arguments if kind in (POSITIONAL_ONLY, ORDINARY)]
    rest = [item for _, kind, value in arguments if kind == REST for item in value]
    named = {name: held for _, kind, value in arguments if kind == KEYWORDS for name, held in value.items()}
    signature = inspect.signature(function, follow_wrapped=False)
    today = list(signature.parameters.values())
    places = [p for p in today if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    args: list = []
    gap = False
    for at, parameter in enumerate(places):
        name = parameter.name
        if name not in given and at < len(order) and order[at] in given and order[at] not in signature.parameters:
            given[name] = given.pop(order[at])  # it was renamed
        if name not in given:
            gap = True
        elif gap and parameter.kind is not parameter.POSITIONAL_ONLY:
            named[name] = given.pop(name)
        else:
            args.append(given.pop(name))
    if rest and gap:
        raise Broken("its parameters changed", "signature-changed")
    named.update(given)
    try:
        signature.bind(*args, *rest, **named)
    except TypeError as error:
        raise Broken(f"its parameters changed: {error}", "signature-changed", None, error) from error
    return [*args, *rest], named


def _ready(modules: object, call: dict, unavailable: "Unavailable | None" = None) -> tuple:
    """Makes what a call takes: (function, args, kwargs, the eyes that look at how it ends). Raises Broken."""
    module = modules.get(call["module"], call["path"])
    builder = Builder(module, unavailable)
    arguments = [
        (name, kind, builder.value(tree)) for name, kind, tree in marshal.loads(base64.b64decode(call["args"]))
    ]
    function = find_callee(module, call, len(arguments))
    args, kwargs = bind(function, arguments)
    stand_ins.put(call.get("stand_ins", []), builder, module)
    eyes = Eyes([name for name, _, _ in arguments], [value for _, _, value in arguments], function.__globals__)
    return function, args, kwargs, eyes


def make(modules: object, call: dict, tracked: bool, begin: object) -> dict:
    """Makes a call and gives its reply; `begin` is told when the arguments are ready. Raises Broken."""
    unavailable = Unavailable() if call.get("stands_in") else None
    function, args, kwargs, eyes = _ready(modules, call, unavailable)
    begin()
    _seed(call)
    stopped = stand_ins.stay()
    entered = track.start(modules.root) if tracked else None
    started = time.perf_counter_ns()
    heard = {}
    if call.get("closely"):
        arcs = closely.Arcs(modules.root)
        with closely.listening() as ears:
            sys.settrace(arcs.enter)
            outcome = _run(function, args, kwargs, eyes, watched=True)
            sys.settrace(None)
            said = closely.says(eyes.given) if outcome[0] == "R" and closely.is_mute(outcome[1]) else {}
        heard = {**ears.reply(), **arcs.reply(), "lines": arcs.lines}
        heard["says"] = base64.b64encode(marshal.dumps(said, 2)).decode()
    elif call.get("lines"):
        edited = EditedLines(modules.root, call["lines"])
        sys.settrace(edited.enter)
        outcome = _run(function, args, kwargs, eyes)
        sys.settrace(None)
        heard = {"lines_left": edited.reply()}
    else:
        outcome = _run(function, args, kwargs, eyes)
    spent = time.perf_counter_ns() - started
    if entered is not None:
        track.stop()
    if stopped:
        raise Broken(f"it would leave its process: {stopped[0]}", "blocked-side-effect", None, stopped[0])
    if unavailable is not None and unavailable.used is not None:
        raise Broken(f"it uses a {unavailable.used}, which cannot be made again", "opaque-object", unavailable.used)
    reply = {"outcome": base64.b64encode(marshal.dumps(outcome, 2)).decode(), "ns": spent, **heard}
    if entered is not None:
        reply["entered"] = sorted(entered)
    return reply


def noticed(modules: object, call: dict, place: dict, first: dict, faults: dict, known: "Counter[int]") -> list:
    """Makes a call once more for each fault in its function that not enough of its calls are known to notice, or for each in
    a function that it runs; gives a number for each that makes it end otherwise."""
    if place is call:
        faulty = _ready(modules, call)[0]
    else:
        try:
            faulty = find(modules.get(place["module"], place["path"]), place["qualname"])
        except Broken:
            return []
    own = faulty.__code__
    lines = first["lines"]

    def end(code: object) -> tuple:
        function, args, kwargs, eyes = _ready(modules, call)
        faulty.__code__ = code
        _seed(call)
        fuse = closely.Fuse(modules.root, closely.PATIENCE * lines + 1000)
        with closely.listening() as ears:
            sys.settrace(fuse.enter)
            try:
                outcome = _run(function, args, kwargs, eyes, watched=True)
            except closely.TooLong:
                outcome = ("T",)
            finally:
                sys.settrace(None)
        return base64.b64encode(marshal.dumps(outcome, 2)).decode(), ears.reply()["printed"]

    as_recorded = first["outcome"], first["printed"]
    mutants = faults.get(own, [])[: closely.tries(lines)]
    marked = [(closely.mark(place, at), mutant) for at, mutant in enumerate(mutants)]
    tried = [(mark, mutant) for mark, mutant in marked if place is not call or known[mark] < closely.ENOUGH]
    found = [mark for mark, mutant in tried if end(mutant.code) != as_recorded]
    # Where a fault left something behind, nobody knows which of them were noticed.
    if found and end(own) != as_recorded:
        return []
    return found


def _seed(call: dict) -> None:
    seed = 1 if call.get("other_seed") else 0
    random.seed(seed)
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(seed)


def _run(function: object, args: list, kwargs: dict, eyes: Eyes, watched: bool = False) -> tuple:
    flags = function.__code__.co_flags
    try:
        if flags & inspect.CO_GENERATOR:
            return _generator(function(*args, **kwargs), eyes, watched)
        if flags & inspect.CO_ASYNC_GENERATOR:
            return asyncio.run(_async_generator(function(*args, **kwargs), eyes))
        if flags & inspect.CO_COROUTINE:
            value = asyncio.run(_whole(function(*args, **kwargs)))
        else:
            value = function(*args, **kwargs)
    except BaseException as error:
        return ("X", *eyes.end(error))
    eyes.given = value
    if watched and closely.is_lazy(value):
        return _generator(value, eyes, watched)
    if watched and closely.holds_lazy(value):
        return ("R", closely.tree(value, eyes), {})
    return ("R", *eyes.end(value))


async def _whole(awaitable: object) -> object:
    return await awaitable


def _generator(running: object, eyes: Eyes, watched: bool) -> tuple:
    items: list = []
    try:
        while len(items) < MOST_ITEMS:
            item = next(running)
            items.append(closely.tree(item, eyes) if watched else eyes.item(item))
    except StopIteration as end:
        return ("Y", items, "returned", *eyes.end(end.value))
    except BaseException as error:
        return ("Y", items, "raised", *eyes.end(error))
    close = getattr(running, "close", None)
    if close is not None:
        close()
    return ("Y", items, "capped", *eyes.end(None))


async def _async_generator(running: object, eyes: Eyes) -> tuple:
    items: list = []
    try:
        while len(items) < MOST_ITEMS:
            items.append(eyes.item(await running.__anext__()))
    except StopAsyncIteration:
        return ("Y", items, "returned", *eyes.end(None))
    except BaseException as error:
        return ("Y", items, "raised", *eyes.end(error))
    await running.aclose()
    return ("Y", items, "capped", *eyes.end(None))
