"""Session fixtures, set up once above the processes of the tests, where a fork can take them along."""

import contextlib
import inspect
import os
import sys

import pytest
from _pytest.runner import _update_current_test_var as _say_current

from pytead_tui.rerun.alone import let_go
from pytead_tui.worker.processes import threads

_SHARED = ("socket:", "pipe:", "anon_inode:", "/memfd:")  # what a test would share with those after it


class SessionFixtures:
    """The session fixtures of this process. `left` names those that each test sets up for itself."""

    def __init__(self, session: pytest.Session, left: "set[str]", learned: "dict[str, str]") -> None:
        self.session = session
        self.left = left
        self.learned = learned  # asked for by a test while it ran: the name, by key
        self.made: list = []  # definitions of what was set up here, also of what these fixtures asked for by themselves
        self.named: list = []  # keys of those that tests needed, in the order of their setup
        self.held: list = []  # how it is torn down, in the process of a test
        self.preparing: "tuple[pytest.Item, str] | None" = None
        self.failed = False
        self.threads = threads()
        self.files = _shared_files()
        session.config.pluginmanager.register(self)

    def wanted(self, item: pytest.Item) -> "list[tuple[str, str]]":
        """Lists what a test needs and is not set up yet: (key, name)."""
        made = {key(one) for one in self.made}
        return [(one, name) for one, name in needed_by(item, self.left, self.learned).items() if one not in made]

    def has_others(self, item: pytest.Item) -> bool:
        """Tells whether something is set up here that a test does not need, or would set up in another order."""
        return list(needed_by(item, self.left, self.learned))[: len(self.named)] != self.named

    def set_up(self, item: pytest.Item, fixture: str, name: str) -> bool:
        """Sets up a fixture of this key and name as it is set up for this test; tells whether that went well and left nothing that is shared."""
        self.session._setupstate.setup(self.session)
        self.named.append(fixture)
        self.preparing, self.failed = (item, name), False
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        except BaseException:
            self.failed = True
        self.preparing = None
        item._initrequest()
        let_go()
        return not self.failed and self._is_safe()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> "bool | None":
        """Sets up a fixture in the place of a test, inside of what plugins put around one."""
        if self.preparing is None or self.preparing[0] is not item:
            return None
        _say_current(item, "setup")  # what the fixture calls belongs to the test that has it set up
        try:
            item._request.getfixturevalue(self.preparing[1])
        except BaseException:
            self.failed = True
        _say_current(item, None)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef") -> None:
        """Notes what is set up here."""
        if self.preparing is not None:
            self.made.append(fixturedef)

    def hand_on(self) -> None:
        """Keeps the test of this process from tearing down what the process above set up."""
        found = self.session._setupstate.stack.get(self.session)
        for finalizers in [found[0] if found is not None else [], *(one._finalizers for one in self.made)]:
            # Held on to: a generator that is let go of is closed, and runs what it has to do at its end.
            self.held.append(list(finalizers))
            finalizers.clear()

    def learn(self, found: "dict[str, str]") -> "dict[str, str]":
        """Notes which session fixtures a test set up for itself; gives those that are new."""
        new = {one: name for one, name in found.items() if one not in self.left and one not in self.learned}
        self.learned.update(new)
        return new

    def tear_down(self) -> None:
        """Tears down what was set up here."""
        with contextlib.suppress(BaseException):
            self.session._setupstate.teardown_exact(None)

    def _is_safe(self) -> bool:
        events = sys.modules.get("asyncio.events")
        has_loop = events is not None and events._get_running_loop() is not None
        return threads() <= self.threads and not has_loop and not _has_children() and _shared_files() <= self.files


def needed_by(item: pytest.Item, left: "set[str]", learned: "dict[str, str]") -> "dict[str, str]":
    """Gives the session fixtures that are set up above a test: the name, by key. A fixture comes behind those that it needs, so that
    what spoils a process is blamed on the right one. Nothing for what a plugin has in place of tests."""
    info = getattr(item, "_fixtureinfo", None)
    if info is None or not hasattr(item, "_request"):
        return {}
    found: dict = {}

    def add(name: str, known: dict, only: "str | None" = None) -> None:
        definitions = _definitions(item, name, known)
        if not definitions or not _is_simple(item, definitions, known, left):
            return
        own = key(definitions[-1])
        if own in found or only not in (None, own):
            return
        for needed in definitions[-1].argnames:
            if needed != name:
                add(needed, known)
        found[own] = name

    try:
        for name in info.names_closure:
            add(name, info.name2fixturedefs)
        for one, name in learned.items():
            add(name, {}, only=one)
    except Exception:
        return {}
    return found


def key(definition: "pytest.FixtureDef") -> str:
    """Names a definition: its name, and where it holds."""
    return f"{definition.argname}@{definition.baseid}"


def learnable(definitions: "list[pytest.FixtureDef]") -> "dict[str, str]":
    """Gives what others can learn of session fixtures that a test set up: their names, by key."""
    return {key(one): one.argname for one in definitions}


def _definitions(item: pytest.Item, name: str, known: dict) -> "list[pytest.FixtureDef]":
    found = known.get(name)
    if found is None:
        manager = item.session._fixturemanager
        try:
            found = manager.getfixturedefs(name, item)
        except (AttributeError, TypeError):  # before pytest 8
            found = manager.getfixturedefs(name, item.nodeid)
    return list(found or ())


def _is_simple(item: pytest.Item, definitions: list, known: dict, left: "set[str]") -> bool:
    """Tells whether a fixture, with all that it needs, is of the session, without parameters, no coroutine and not left."""
    definition = definitions[-1]
    if key(definition) in left:
        return False
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    if definition.scope != "session" or definition.params is not None or definition.argname in parameters:
        return False
    if inspect.iscoroutinefunction(definition.func) or inspect.isasyncgenfunction(definition.func):
        return False
    for name in definition.argnames:
        if name == "request":
            continue
        needed = definitions[:-1] if name == definition.argname else _definitions(item, name, known)
        if not needed or (needed[-1].cached_result is None and not _is_simple(item, needed, known, left)):
            return False
    return True


def _shared_files() -> "set[tuple[int, str]]":
    found = set()
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/self/fd/{name}")
                if target.startswith(_SHARED):
                    found.add((int(name), target))
    return found


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
