"""Makes one recorded call again: finds the function as it is today, binds the arguments, and looks at the outcome.

Runs in a process of its own, which ends with the call.
"""

import asyncio
import base64
import functools
import inspect
import marshal
import time
from collections import Counter
from collections.abc import Callable
from time import perf_counter

from pytead_tui.recorder import kinds
from pytead_tui.worker import callee as callees
from pytead_tui.worker import (
    chance,
    closely,
    line_values,
    made,
    mutants,
    outdated,
    reading,
    side_effects,
    stand_ins,
    steps,
    track,
)
from pytead_tui.worker.capture import Eyes
from pytead_tui.worker.edited_lines import EditedLines
from pytead_tui.worker.lookup import Broken, find_callee
from pytead_tui.worker.rebuild import Builder
from pytead_tui.worker.unavailable import Unavailable

# Items of a generator: all the same so many, and more where they come at once.
ITEMS, MOST_ITEMS, AT_ONCE = 50, 1000, 0.1


def ready(modules: object, call: dict, unavailable: "Unavailable | None" = None) -> tuple:
    """Makes what a call takes: (callee, args, kwargs, the eyes that look at how it ends). Raises Broken."""
    module = modules.get(call["module"], call["path"])
    builder = Builder(module, unavailable)
    *told, way = _told(call)
    # What was left out need not be made: it is the default of today.
    arguments = [
        (name, kind, None if given == callees.LEFT_OUT else builder.value(tree), given)
        for name, kind, tree, given in told
    ]
    callee = callees.of(module, call, way, [value for _, _, value, _ in arguments])
    args, kwargs = callees.spread(callee, arguments, call.get("sites"))
    stand_ins.put(call.get("stand_ins", []), builder, module)
    given = [(name, value) for name, _, value, how in arguments if how != callees.LEFT_OUT]
    eyes = Eyes([name for name, _ in given], [value for _, value in given], module.__dict__)
    return callee, args, kwargs, eyes


def _told(call: dict) -> list:
    """Lists the recorded arguments, (name, kind, tree, given), and last how the call came to its function."""
    told = list(marshal.loads(base64.b64decode(call["args"])))
    way = told.pop() if told and type(told[-1]) is str else ""
    return [*(argument if len(argument) == 4 else (*argument, callees.UNKNOWN) for argument in told), way]


def make(modules: object, call: dict, tracked: bool, begin: object, wait: object) -> "tuple[dict, steps.Ways | None]":
    """Makes a call and gives its reply, and the ways that it took where it was looked at closely; `begin` is told when the
    arguments are ready, `wait` the reply so far, before what the call gave is read. Raises Broken.
    """
    unavailable = Unavailable() if call.get("stands_in") else None
    callee, args, kwargs, eyes = ready(modules, call, unavailable)
    begin()
    chance.seed(1 if call.get("other_seed") else 0)
    stopped = stand_ins.stay(modules.root)
    listener = None if call.get("closely") else side_effects.listen(modules.root)
    hear = None if listener is None else functools.partial(listener.entered, callee.runs)
    entered = track.start(modules.root, hear) if tracked else None
    started = time.perf_counter_ns()
    heard = {}
    arcs = None
    if call.get("closely"):
        arcs = steps.Ways(modules.root)
        with closely.listening() as ears:
            arcs.start()
            outcome = run(callee, args, kwargs, eyes, watched=True)
            arcs.stop()
            said = closely.says(eyes.given) if outcome[0] == "R" and closely.is_mute(outcome[1]) else {}
        heard = {**ears.reply(), **arcs.reply(), "lines": arcs.lines}
        heard["says"] = base64.b64encode(marshal.dumps(said, 2)).decode()
    elif call.get("lines"):
        edited = EditedLines(modules.root, call["lines"])
        edited.begin()
        outcome = _heard(listener, None, lambda: run(callee, args, kwargs, eyes))
        edited.end()
        heard = {"lines_run": edited.reply()}
    elif call.get("values"):
        follower = line_values.Follower(modules.root, call["values"])
        follower.begin()
        outcome = _heard(listener, None, lambda: run(callee, args, kwargs, eyes))
        follower.end()
        heard = {"line_values": follower.reply()}
    else:
        outcome = _heard(listener, None if entered is None else modules, lambda: run(callee, args, kwargs, eyes))
    spent = time.perf_counter_ns() - started
    if stopped.noted:
        detail = stopped.said()
        raise Broken(f"it would leave its process: {detail}", "blocked-side-effect", None, detail)
    if unavailable is not None and unavailable.used is not None:
        raise Broken(f"it uses a {unavailable.used}, which cannot be made again", "opaque-object", unavailable.used)
    reply = {"outcome": _text(outcome), "ns": spent, **heard}
    if entered is not None:
        reply["entered"] = sorted(entered)
    lazy = []
    if outcome[0] == "R" and not call.get("closely"):
        lazy = reading.wanted(eyes.given, outcome[1], [*args, *kwargs.values()])
    if lazy:
        matters = closely.is_mute(outcome[1])
        missing = {**outcome[2], **(reading.unread(reading.ENDLESS) if matters else {})}
        wait({**reply, "outcome": _text((*outcome[:2], missing))})
        found = reading.read(lazy, eyes)
        if stopped.noted:
            found = reading.unread(f"reading it would leave its process: {stopped.said()}")
        if reading.is_read(found) or matters:
            reply["outcome"] = _text((*outcome[:2], {**outcome[2], **found}))
        for one in lazy:
            if type(one) is kinds.Coroutine:
                one.close()  # where it was not awaited
        if entered is not None:
            reply["entered"] = sorted(entered)
    if entered is not None:
        track.stop()
        reply["entered"] += [(path, "") for path in modules.before.imported()]
    return reply, arcs


def _heard(listener: side_effects.Listener, modules: object, make: "Callable[[], tuple]") -> tuple:
    """Runs a call, and adds its side effects to what it changed; with `modules`, also what it left behind there."""
    with listener.hearing():
        mark, as_it_was = listener.begin(), modules and modules.before.mark()
        *ended, changed = make()
        left = modules.before.left(as_it_was, track.named(modules.root)) if modules else {}
        return (*ended, {**changed, **listener.end(mark, left=left)})


def _text(outcome: tuple) -> str:
    return base64.b64encode(marshal.dumps(outcome, 2)).decode()


def _tree(text: str) -> object:
    return marshal.loads(base64.b64decode(text))


def faulty(modules: object, place: dict, count: "int | None" = None) -> mutants.Own:
    """Finds the function that faults are put into; raises Broken."""
    module = modules.get(place["module"], place["path"])
    if "<locals>" in place["qualname"]:
        return made.within(module, place["qualname"])
    return mutants.Own(find_callee(module, place, count))


def noticed(
    modules: object, call: dict, place: dict, first: dict, arcs: steps.Ways, faults: dict, known: "Counter[int]"
) -> "tuple[list | None, list | None]":
    """Makes a call once more for each fault in its function that not enough of its calls are known to notice, or for each in
    a function that it runs; gives a number for each that makes it end otherwise, and the places of those that do not: None
    where no fault could be tried. A fault in a statement that it never comes to makes no difference, and is not tried.
    """
    try:
        own = faulty(modules, place, len(_told(call)) - 1 if place is call else None)
    except Broken:
        return None, None
    lines = first["lines"]
    file = own.code.co_filename
    ran = arcs.ran(file)

    def end(code: object, default: "mutants.Edit | None" = None) -> tuple:
        callee, args, kwargs, eyes = ready(modules, call)
        own.put(code, default)
        chance.seed(1 if call.get("other_seed") else 0)
        fuse = steps.Fuse(modules.root, closely.PATIENCE * lines + 1000, file, ran)
        with closely.listening() as ears:
            fuse.start()
            try:
                outcome = run(callee, args, kwargs, eyes, watched=True)
            except steps.TooLong:
                outcome = ("T",)
            finally:
                fuse.stop()
        return outcome, ears.reply()["printed"]

    def is_as_recorded(code: object, default: "mutants.Edit | None" = None) -> bool:
        # As a test compares: 2 is 2.0. What is not equal to itself is the same where it is written the same.
        outcome, printed = end(code, default)
        text = _text(outcome)
        return printed == first["printed"] and (text == first["outcome"] or _tree(text) == recorded)

    recorded = _tree(first["outcome"])
    found = faults.get(own.code, [])[: closely.tries(lines)]
    marked = [(closely.mark(place, at), mutant) for at, mutant in enumerate(found)]
    tried = [(mark, mutant) for mark, mutant in marked if place is not call or known[mark] < closely.ENOUGH]
    far = [one for one in tried if one[1].is_out_of_reach(ran)]
    found = [mark for mark, mutant in tried if (mark, mutant) not in far and not is_as_recorded(mutant.code, mutant.default)]
    if far:
        # The next time it may go another way: by what the first time left behind.
        is_as_recorded(own.code)
        near = [one for one in far if not one[1].is_out_of_reach(ran)]
        found += [mark for mark, mutant in near if not is_as_recorded(mutant.code, mutant.default)]
    # Where a fault left something behind, nobody knows which of them were noticed.
    if found and not is_as_recorded(own.code):
        return None, None
    silent = {mark for mark, _ in tried}.difference(found)
    return found, [at for at, (mark, _) in enumerate(marked) if mark in silent]


def run(callee: callees.Callee, args: list, kwargs: dict, eyes: Eyes, watched: bool = False) -> tuple:
    """Makes a call and says how it ended; `watched`, iterators that it gives are read."""
    try:
        value = callee.call(*args, **kwargs)
        if type(value) is kinds.Generator and callee.runs(value.gi_code):
            return _generator(value, eyes, watched)
        if inspect.isasyncgen(value) and callee.runs(value.ag_code):
            return asyncio.run(_async_generator(value, eyes))
        if callee.awaited if callee.awaited is not None else callee.flags & inspect.CO_COROUTINE:
            value = asyncio.run(_whole(value))
    except BaseException as error:
        outdated.check(error)
        return ("X", *eyes.end(error))
    eyes.given = value
    if watched and closely.is_lazy(value):
        return _generator(value, eyes, watched)
    if watched and closely.holds_lazy(value):
        return ("R", closely.tree(value, eyes), {})
    way = reading.asynchronous(value) if watched else None
    if way is not None:
        items: list = []
        try:
            asyncio.run(reading.gather(value, items, eyes))
            read = reading.gathered(way, items)
        except Exception as error:
            read = reading.gathered("raises", [eyes.item(error)]) if way == "await" else None
        if read is not None:
            return ("R", read, eyes.end(None)[1])
    ended = ("R", *eyes.end(value))
    if watched and type(value) is kinds.Coroutine:
        value.close()  # nobody awaits it
    return ended


async def _whole(awaitable: object) -> object:
    return await awaitable


def _generator(running: object, eyes: Eyes, watched: bool) -> tuple:
    items: list = []
    until = perf_counter() + AT_ONCE
    try:
        while _goes_on(items, until):
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


def _goes_on(items: list, until: float) -> bool:
    return len(items) < ITEMS or len(items) < MOST_ITEMS and perf_counter() < until


async def _async_generator(running: object, eyes: Eyes) -> tuple:
    items: list = []
    until = perf_counter() + AT_ONCE
    try:
        while _goes_on(items, until):
            items.append(eyes.item(await running.__anext__()))
    except StopAsyncIteration:
        return ("Y", items, "returned", *eyes.end(None))
    except BaseException as error:
        return ("Y", items, "raised", *eyes.end(error))
    await running.aclose()
    return ("Y", items, "capped", *eyes.end(None))
