"""The process of one request: imports the project from the files as they are now and forks for each call or run."""

import base64
import functools
import marshal
import os
import sys
import time
from collections import Counter

from pytead_tui.recorder import lambdas
from pytead_tui.worker import ahead, closely, definitions, elsewhere, frames, leaves, mutants, reading, ways
from pytead_tui.worker import call as calls
from pytead_tui.worker.around import Around, take_away
from pytead_tui.worker.capture import tree_of
from pytead_tui.worker.frames import Gone, broken
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.modules import Modules, describe
from pytead_tui.worker.processes import end, fork, prepare
from pytead_tui.worker.rebuild import Builder

EVALUATION = 10.0  # seconds for an expression
ATTEMPTS = 5  # so many expressions of a request may hang or end their process
PREPARING = 10.0  # seconds to build the arguments of a call
LATE = "it was not run: others of its function do not end any more"


def settle(message: dict, modules: Modules) -> None:
    """Makes this process look like one that starts in the project, in the surroundings of a request."""
    modules.prepare(message.get("on_path", True))
    if message["op"] == "prove":
        if message.get("other_machine"):
            elsewhere.begin([])
        os.environ.update(message.get("env") or {})
        for name in ("PYTEAD_LEVEL", "PYTEAD_SCRATCH"):
            os.environ.pop(name, None)
        time.tzset()


def answer(message: dict, writing: int, startup: frozenset, guarded: "str | None", modules: "Modules | None") -> None:
    """Answers a request, in a process that has settled with these modules or has yet to; never returns."""
    last: dict = {}
    try:
        if message["op"] == "near":
            from pytead_tui.worker import near_answer

            # It imports nothing of the project itself.
            near_answer.answer(message, writing, startup, guarded)
            frames.send(writing, {"done": True})
            os._exit(0)
        if modules is None:
            modules = Modules(message["root"], message["paths"], startup, message.get("former", []))
            if guarded is not None:
                from pytead_tui import guard

                guard.install([guarded])
                modules.guard = guard
            settle(message, modules)
        if message["op"] == "prove":
            from pytead_tui.worker import prove

            prove.answer(message, modules, writing)
        elif message["op"] == "replay":
            faults: dict = {}
            known: dict = {}  # how many calls of a function noticed each of its faults
            late: dict = {}  # calls that took all of their time, by their function
            for call in message["calls"]:
                function = call["path"], call["qualname"]
                if message.get("late_max") and late.get(function, 0) >= message["late_max"]:
                    frames.send(writing, {"key": call["key"], **broken(LATE, "function-hangs")})
                    continue
                for place in _faulty(call):
                    _put_faults(modules, place, faults)
                reply = _replay(modules, call, message.get("track", False), writing, faults, known.setdefault(function, Counter()))
                late[function] = late.get(function, 0) + (reply.pop("late", None) is True)
                frames.send(writing, {"key": call["key"], **reply})
        elif message["op"] == "evaluate":
            modules.set_up()  # what an expression imports may be a model
            if message.get("program"):
                sys.argv = [message["program"]]
            _evaluate(modules, message["items"], writing)
    except Gone:
        os._exit(0)
    except BaseException as error:
        last["error"] = f"The project could not be prepared: {describe(error)}"
    frames.send(writing, {**last, "done": True})
    os._exit(0)


def encode(tree: object) -> str:
    """Gives a tree as base64 of marshal version 2."""
    return base64.b64encode(marshal.dumps(tree, 2)).decode()


def _faulty(call: dict) -> list:
    """Lists the functions whose faults a call is tried with: its own, and others that it runs."""
    return [*([call] if call.get("faults") else []), *call.get("also", [])]


def _put_faults(modules: Modules, place: dict, faults: dict) -> None:
    """Makes the faults of a function, by its code: once for all calls."""
    try:
        own = calls.faulty(modules, place)
    except Broken:
        return
    if own.code not in faults:
        faults[own.code] = mutants.of(own.function, closely.FAULTS)


def _replay(modules: Modules, call: dict, track: bool, writing: int, faults: dict, known: Counter) -> dict:
    place = call["module"], call["path"]
    try:
        modules.get(*place)
    except Broken as error:
        if not call.get("script") or place not in modules.reached:
            return error.reply()
    if call.get("script") and place in modules.reached:
        why = modules.reached[place]
        return broken(f"importing it does more than to compute: {why}", "unguarded-script", call["module"], why)
    if call.get("only_import"):
        return {"imported": True}
    # A layer has done so for all calls of its requests.
    if modules.guard is None and modules.inputs is None:
        ahead.for_arguments([call], modules)
    if track:
        modules.before.look()
    seconds = call["wait_ms"] / 1000
    started = time.perf_counter_ns()
    pid, reader = fork(modules, writing, lambda fd: _make(modules, call, track, fd, faults, known), seconds + 2 * PREPARING)
    reply: dict | None = {}
    laid: list = []
    try:
        # Building the arguments is not the call's time, so the call says when it begins.
        reply = reader.next(time.monotonic() + PREPARING)
        if reply is not None and "begun" in reply:
            laid = reply["laid"]
            started = time.perf_counter_ns()
            reply = reader.next(time.monotonic() + seconds)
    except Gone:
        reply = {}
    spent = time.perf_counter_ns() - started
    if reply and reply.pop("reads", False):
        try:
            reply = reader.next(time.monotonic() + reading.LIMIT) or reply
        except Gone:
            pass  # reading ended the process
    if reply and reply.pop("goes_on", False):
        try:
            more = reader.next(time.monotonic() + PREPARING) or {}
            noticed = more.get("arcs", [])
            known.update(noticed)
            reply["arcs"] += noticed
            reply["silent"] = more.get("silent")
            reply["noticed"] = more.get("noticed", [])
        except Gone:
            pass  # a fault ended the process
    how = end(modules, pid, reader.fd, died=reply == {})
    with modules.unguarded():
        take_away(laid)
    if reply is None:
        return {"outcome": encode(("T", seconds)), "ns": spent, "late": True}
    return reply or {"outcome": encode(("D", how)), "ns": spent}


def _make(modules: Modules, call: dict, track: bool, fd: int, faults: dict, known: Counter) -> None:
    prepare(modules)
    around = Around(call, modules.root)
    try:
        around.lay()
        begin = functools.partial(frames.send, fd, {"begun": True, "laid": around.made})
        reply, arcs = calls.make(modules, call, track, begin, lambda so_far: frames.send(fd, {**so_far, "reads": True}))
        if _faulty(call):
            frames.send(fd, {**reply, "goes_on": True})
            found = [calls.noticed(modules, call, place, reply, arcs, faults, known) for place in _faulty(call)]
            reply = {"arcs": sum((marks or [] for marks, _ in found), []), "noticed": [marks for marks, _ in found]}
            if call.get("faults"):
                reply["silent"] = found[0][1]
    except Broken as error:
        reply = error.reply()
    except BaseException as error:
        why = describe(error)
        reply = broken(f"it could not be replayed: {why}", "replay-error", None, why)
    finally:
        around.remove()
    frames.send(fd, reply)


def _evaluate(modules: Modules, items: list, writing: int) -> None:
    """Evaluates expressions in one process; the one that hangs or ends it is left out of the next."""
    for _ in range(ATTEMPTS):
        items = _evaluated(modules, items, writing)
        if not items:
            return
    for item in items:
        frames.send(writing, {"key": item["key"], "broken": "others before it did not end"})


def _evaluated(modules: Modules, items: list, writing: int) -> list:
    """Evaluates until one does not end; gives those behind it."""

    def work(fd: int) -> None:
        prepare(modules)
        failed: dict = {}
        for item in items:
            said = _value(item, failed)
            if said.pop("lacks", False) and modules.configure():
                failed.clear()
                said = _value(item, failed)
                said.pop("lacks", None)
            frames.send(fd, {"key": item["key"], **said})

    pid, reader = fork(modules, writing, work, ATTEMPTS * EVALUATION)
    waiting = list(items)
    why = None
    try:
        while waiting:
            reply = reader.next(time.monotonic() + EVALUATION)
            if reply is None:
                why = f"it took over {EVALUATION:.0f} s"
                break
            if reply.get("key") == waiting[0]["key"]:
                waiting.pop(0)
                frames.send(writing, reply)
    except Gone:
        pass
    how = end(modules, pid, reader.fd, died=bool(waiting) and why is None)
    if waiting:
        frames.send(writing, {"key": waiting.pop(0)["key"], "broken": why or f"the process died: {how}"})
    return waiting


def _value(item: dict, failed: dict) -> dict:
    """Gives an expression's value, or why it has none; of an object what it can be made from. What `lacks` an import says so."""
    is_importing = False
    try:
        if "object" in item:
            made = Builder(failed=failed).value(marshal.loads(base64.b64decode(item["object"])))
            return {"value": encode((ways.of(made), ways.cached(made)))}
        space: dict = {"__builtins__": __builtins__}
        space["__define__"] = functools.partial(definitions.define, space)
        is_importing = True
        for line in item["imports"]:
            exec(compile(line, "<import>", "exec"), space)
        is_importing = False
        if "seen" in item:
            return _seen(item, space)
        place = f"<expression {item['key']}>"
        lambdas.texts[place] = item["source"].splitlines(keepends=True)
        value = eval(compile(item["source"], place, "eval"), space)
        return {"value": encode(tree_of(value, *_scopes(item["imports"])))}
    except Broken as error:
        return {"broken": describe(error), "lacks": error.code == "import-fails"}
    except BaseException as error:
        return {"broken": describe(error), "lacks": is_importing}


def _seen(item: dict, space: dict) -> dict:
    """Says which details of values assertions do not see."""
    asked = item["seen"]
    values = marshal.loads(base64.b64decode(asked["values"]))
    found = leaves.look(item["source"], space, asked["names"], values, asked["ordered"])
    return {"broken": "its assertions do not hold for what was recorded"} if found is None else {"value": encode(found)}


def _scopes(imports: list) -> list:
    """Gives the namespaces of the modules that import statements name."""
    held = [sys.modules.get(line.split()[1]) for line in imports]
    return [module.__dict__ for module in held if module is not None]
