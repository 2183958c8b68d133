"""Functions of the standard library, and of frameworks, whose calls say something of the program's own: who uses the
environment, who makes a task, who seeds a generator of random numbers, which test begins, what it asks of an application.

Owns what is noted of them. That their start is seen is monitor.py's affair, and inject.py's where source is rewritten.
"""

from pytead_tui.recorder import current_test, current_unittest, effects, kinds, scenes
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__, _weakref
from pytead_tui.recorder.plans import lookup


def environ(recorder: object, frame: object, args: tuple) -> None:
    """Notes who uses the environment; also outside of calls: modules read it while they are imported."""
    effects.asked(recorder, frame)


def _environ_set(recorder: object, frame: object, args: tuple) -> None:
    """Notes a variable that is set; by one of them pytest says that a test begins."""
    if type(args[1]) is str and args[1] == "PYTEST_CURRENT_TEST":
        if type(args[2]) is not str or recorder.journey:
            return
        if args[2].endswith("(setup)"):
            recorder.test = current_test.of(frame.f_back, args[2])
            scenes.test_begins(recorder, current_test.item(frame.f_back))
        elif args[2].endswith("(call)"):
            scenes.test_runs(recorder, current_test.item(frame.f_back))
            for begin in recorder.when_test:
                begin()
        else:
            scenes.test_ends(recorder)
    elif recorder.live:
        effects.asked(recorder, frame)


def _comes(recorder: object, frame: object, args: tuple) -> None:
    """Notes which test of a suite comes next."""
    if not recorder.journey:
        current_unittest.begins(recorder, frame, args[1])


def _runs(recorder: object, frame: object, args: tuple) -> None:
    """Notes that a test of unittest runs."""
    if not recorder.journey and current_unittest.begins(recorder, frame, args[0]):
        for begin in recorder.when_test:
            begin()


def _seeded(recorder: object, frame: object, args: tuple) -> None:
    """Notes what a generator of random numbers is seeded with: without a seed, all that it gives is chance."""
    generator, seed = args
    by = frame
    while by is not None and by.f_globals is frame.f_globals:
        by = by.f_back
    if by is None or recorder.project.file(by.f_code.co_filename) is None:
        return
    if seed is None:
        effects.note(recorder, frame, "random", "random.Random")
        return
    call = recorder.call_around(frame)
    if call is not None:
        call.seeded = (*call.seeded, _weakref.ref(generator))


class _Made(_weakref.ref):
    """A coroutine that a task was made of, and who made it."""

    __slots__ = ("key", "parent", "place")


def _task_made(recorder: object, frame: object, args: tuple) -> None:
    """Notes who makes a task: its coroutine begins when nothing of that is on the stack any more."""
    coroutine = args[-1]
    if type(coroutine) is not kinds.Coroutine or coroutine.cr_frame is None:
        return
    made = recorder.made
    entry = _Made(coroutine, lambda ref: made.pop(ref.key, None))
    entry.key = oid(coroutine.cr_frame)
    entry.parent = recorder.parent(frame)
    *place, _, home = recorder.caller(frame)
    entry.place = (*place, None, home)
    made[entry.key] = entry


# By the name of the function: its module, how many of its parameters are looked at, by what.
HANDLERS = {
    "_Environ.__getitem__": ("os", 0, environ),
    "_Environ.__setitem__": ("os", 3, _environ_set),
    "_Environ.__delitem__": ("os", 0, environ),
    "TestSuite._handleModuleFixture": ("unittest.suite", 2, _comes),
    "TestCase.run": ("unittest.case", 1, _runs),
    "Random.seed": ("random", 2, _seeded),
    "BaseEventLoop.create_task": ("asyncio.base_events", 2, _task_made),
    # A loop written in C (uvloop) makes its tasks unseen: these are who asks it to.
    "create_task": ("asyncio.tasks", 1, _task_made),
    "ensure_future": ("asyncio.tasks", 1, _task_made),
    "_ensure_future": ("asyncio.tasks", 1, _task_made),
    "TaskGroup.create_task": ("asyncio.taskgroups", 2, _task_made),
    # What tests do by the clients of frameworks, and what comes of it.
    "Client.open": ("werkzeug.test", 1, scenes.request),
    "Response.__call__": ("werkzeug.wrappers.response", 1, scenes.answered_by_werkzeug),
    "Client.request": ("django.test.client", 1, scenes.request),
    "ClientMixin.force_login": ("django.test.client", 1, scenes.request),
    "ClientMixin.login": ("django.test.client", 1, scenes.request),
    "ClientMixin.logout": ("django.test.client", 1, scenes.request),
    "conditional_content_removal": ("django.test.client", 2, scenes.answered_by_django),
    "Model.save_base": ("django.db.models.base", 1, scenes.saved),
    "WSGIRequest.__init__": ("django.core.handlers.wsgi", 1, scenes.request_made),
    "CliRunner.invoke": ("click.testing", 1, scenes.request),
    "Result.__init__": ("click.testing", 1, scenes.answered_by_click),
}
ALWAYS = (environ, _environ_set, _comes, _runs, scenes.request, scenes.answered_by_werkzeug, scenes.answered_by_django,
          scenes.answered_by_click, scenes.saved, scenes.request_made)  # also outside of calls  # fmt: skip
# Those that are rewritten where source is.
REWRITTEN = {
    "os": ("_Environ.__getitem__", "_Environ.__setitem__", "_Environ.__delitem__"),
    "unittest.suite": ("TestSuite._handleModuleFixture",),
    "unittest.case": ("TestCase.run",),
    "random": ("Random.seed",),
    "asyncio.base_events": ("BaseEventLoop.create_task",),
    "asyncio.tasks": ("create_task", "ensure_future", "_ensure_future"),
    "asyncio.taskgroups": ("TaskGroup.create_task",),
    "werkzeug.test": ("Client.open",),
    "werkzeug.wrappers.response": ("Response.__call__",),
    "django.test.client": ("Client.request", "ClientMixin.force_login", "ClientMixin.login", "ClientMixin.logout",
                           "conditional_content_removal"),
    "django.db.models.base": ("Model.save_base",),
    "django.core.handlers.wsgi": ("WSGIRequest.__init__",),
    "click.testing": ("CliRunner.invoke", "Result.__init__"),
}  # fmt: skip
_known: dict = {}


def of(code: object) -> "tuple | None":
    """Gives (the parameters looked at, what looks at them) of a code object that is one of these functions'."""
    found = _known.get(oid(code))
    if found is None:
        handler = HANDLERS.get(code.co_qualname)
        if handler is None:
            return None
        held = lookup(handler[0], code.co_qualname)
        if type(held) is not kinds.Function or held.__code__ is not code:
            return None
        found = _known[oid(code)] = (code, code.co_varnames[: handler[1]], handler[2])
    return found[1:]
