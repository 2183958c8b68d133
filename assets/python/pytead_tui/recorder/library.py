"""Functions of the standard library, and of frameworks, whose calls say something of the program's own: who uses the
environment, who makes a task, who seeds a generator of random numbers, which test begins, what it asks of an application.

Owns what is noted of them. That their start is seen is monitor.py's affair, and inject.py's where source is rewritten.
"""

from pytead_tui.recorder import command_line, current_test, current_unittest, deadlines, effects, kinds, scenes
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
            command_line.test_begins()
            recorder.test = current_test.of(frame.f_back, args[2])
            item = current_test.item(frame.f_back)
            deadlines.lift(item)
            scenes.test_begins(recorder, item)
        elif args[2].endswith("(call)"):
            scenes.test_runs(recorder, current_test.item(frame.f_back))
            for begin in recorder.when_test:
                begin()
        else:
            scenes.test_ends(recorder)
    elif recorder.live:
        effects.asked(recorder, frame)


def _comes(recorder: object, frame: object, args: tuple) -> None:
    """Notes which test of a suite comes next: what sets up its class may save rows."""
    if not recorder.journey and current_unittest.begins(recorder, frame, args[1]):
        scenes.test_begins(recorder, current_unittest.item(args[1], recorder.project.root))


def _runs(recorder: object, frame: object, args: tuple) -> None:
    """Notes that a test of unittest runs."""
    if not recorder.journey and current_unittest.begins(recorder, frame, args[0]):
        item = current_unittest.item(args[0], recorder.project.root)
        if recorder.scene is None or item is None or recorder.scene.stage.name != item.nodeid:
            scenes.test_begins(recorder, item)  # it is in no suite
        scenes.test_runs(recorder, item)
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


# By the module and the name of the function: how many of its parameters are looked at, by what.
HANDLERS = {
    ("os", "_Environ.__getitem__"): (0, environ),
    ("os", "_Environ.__setitem__"): (3, _environ_set),
    ("os", "_Environ.__delitem__"): (0, environ),
    ("unittest.suite", "TestSuite._handleModuleFixture"): (2, _comes),
    ("unittest.case", "TestCase.run"): (1, _runs),
    ("argparse", "ArgumentParser.parse_known_args"): (2, command_line.parsed),
    ("optparse", "OptionParser._get_args"): (2, command_line.parsed),
    ("click.core", "BaseCommand.main"): (2, command_line.parsed),
    ("click.core", "Command.main"): (2, command_line.parsed),
    ("random", "Random.seed"): (2, _seeded),
    ("asyncio.base_events", "BaseEventLoop.create_task"): (2, _task_made),
    # A loop written in C (uvloop) makes its tasks unseen: these are who asks it to.
    ("asyncio.tasks", "create_task"): (1, _task_made),
    ("asyncio.tasks", "ensure_future"): (1, _task_made),
    ("asyncio.tasks", "_ensure_future"): (1, _task_made),
    ("asyncio.taskgroups", "TaskGroup.create_task"): (2, _task_made),
    # What tests do by the clients of frameworks, and what comes of it.
    ("werkzeug.test", "Client.open"): (1, scenes.request),
    ("werkzeug.wrappers.response", "Response.__call__"): (1, scenes.answered_by_werkzeug),
    ("django.test.client", "Client.request"): (1, scenes.request),
    ("django.test.client", "ClientMixin.force_login"): (1, scenes.request),
    ("django.test.client", "ClientMixin.login"): (1, scenes.request),
    ("django.test.client", "ClientMixin.logout"): (1, scenes.request),
    ("django.test.client", "conditional_content_removal"): (2, scenes.answered_by_django),
    ("django.db.models.base", "Model.save_base"): (1, scenes.saved),
    ("django.core.handlers.wsgi", "WSGIRequest.__init__"): (1, scenes.request_made),
    ("flask.app", "Flask.__init__"): (1, scenes.application_made),
    ("flask.ctx", "RequestContext.__init__"): (1, scenes.context_made),
    ("fastapi.applications", "FastAPI.__init__"): (1, scenes.application_made),
    ("starlette.applications", "Starlette.__init__"): (1, scenes.application_made),
    ("flask_sqlalchemy.extension", "SQLAlchemy.create_all"): (1, scenes.in_session),
    ("flask_sqlalchemy", "SQLAlchemy.create_all"): (1, scenes.in_session),  # before 3.0
    ("sqlalchemy.orm.state", "InstanceState._initialize_instance"): (1, scenes.row_made),
    ("sqlalchemy.orm.session", "Session.add"): (1, scenes.in_session),
    ("sqlalchemy.orm.session", "Session.add_all"): (1, scenes.in_session),
    ("sqlalchemy.orm.session", "Session.delete"): (1, scenes.in_session),
    ("sqlalchemy.orm.session", "Session.flush"): (1, scenes.in_session),
    ("sqlalchemy.orm.session", "Session.commit"): (1, scenes.in_session),
    ("sqlalchemy.ext.asyncio.session", "AsyncSession.delete"): (1, scenes.in_session),
    ("sqlalchemy.ext.asyncio.session", "AsyncSession.flush"): (1, scenes.in_session),
    ("sqlalchemy.ext.asyncio.session", "AsyncSession.commit"): (1, scenes.in_session),
    ("starlette.testclient", "TestClient.request"): (1, scenes.request),
    ("httpx._client", "AsyncClient.request"): (1, scenes.request),
    ("httpx2._client", "AsyncClient.request"): (1, scenes.request),
    ("starlette.responses", "Response.__call__"): (1, scenes.answered_by_starlette),
    ("httpx._transports.asgi", "ASGIResponseStream.__init__"): (2, scenes.answered_by_asgi),
    ("httpx2._transports.asgi", "ASGIResponseStream.__init__"): (2, scenes.answered_by_asgi),
    ("click.testing", "CliRunner.invoke"): (1, scenes.request),
    ("click.testing", "Result.__init__"): (1, scenes.answered_by_click),
}
_SCENES = (scenes.request, scenes.answered_by_werkzeug, scenes.answered_by_django, scenes.answered_by_starlette,
           scenes.answered_by_asgi, scenes.answered_by_click, scenes.saved, scenes.request_made, scenes.application_made,
           scenes.context_made, scenes.row_made, scenes.in_session)  # fmt: skip
ALWAYS = (environ, _environ_set, _comes, _runs, *_SCENES)  # also outside of calls
# Those that are rewritten where source is: the functions of a module.
REWRITTEN: dict = {}
_named: dict = {}  # (module, parameters, what looks) of the functions of one name
for (_module, _name), (_count, _look) in HANDLERS.items():
    REWRITTEN.setdefault(_module, []).append(_name)
    _named.setdefault(_name, []).append((_module, _count, _look))
_known: dict = {}


def of(code: object) -> "tuple | None":
    """Gives (the parameters looked at, what looks at them) of a code object that is one of these functions'."""
    found = _known.get(oid(code))
    if found is None:
        for module, count, look in _named.get(code.co_qualname, ()):
            held = lookup(module, code.co_qualname)
            if type(held) is kinds.Function and held.__code__ is code:
                found = _known[oid(code)] = (code, code.co_varnames[:count], look)
                break
        else:
            return None
    return found[1:]
