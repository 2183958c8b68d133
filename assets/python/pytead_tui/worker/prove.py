"""Runs drafted tests in the process of a request: pytest collects them once, and every run is a fork from there.

What is collected is the tests' modules and all that they import, from the files as they are now; a run is some of
the tests in some order, maybe with another clock or with a fault in a function. Lines of the form of
`pytest_lines.py` go out as they are made; the process of a run does not have to end for them.
"""

import contextlib
import gc
import io
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from pytead_tui.pytest_lines import failure
from pytead_tui.pytest_rooted import rooted
from pytead_tui.pytest_without import Without
from pytead_tui.pytest_witness import Witness
from pytead_tui.worker import clock, faults, frames, idle, lookup, made, surroundings
from pytead_tui.worker.clock import Later
from pytead_tui.worker.faults import OVERDUE, Trial
from pytead_tui.worker.frames import Gone, Reader
from pytead_tui.worker.lookup import Broken
from pytead_tui.worker.modules import Modules, describe, is_of
from pytead_tui.worker.mutants import Own
from pytead_tui.worker.processes import end, fork, threads
from pytead_tui.worker.ran import Asked, Trace

ENDLESS = 0.1  # seconds of the processor that a fault may add to a test; it notices one that adds more
STUCK = 3  # times as much: what does not end by itself then, not being Python's, is killed
SURVEY = 2.0  # seconds for pictures while tests run one after the other
ALIVE = 5.0  # seconds without a word
LAST_WORDS = 20  # lines of pytest's when it stops before the tests
SOON = 0.1  # seconds that what is said may wait for more


def answer(message: dict, modules: Modules, writing: int) -> None:
    """Runs what is asked for."""
    # As if on another machine, a person types no options.
    sys.argv = sys.argv[:1] if message.get("other_machine") else ["pytest", *message["args"]]
    bench = _Bench(message, modules, writing)
    sys.stderr = io.StringIO()
    try:
        status = pytest.main(list(message["args"]), plugins=[bench, bench.without, bench.witness, rooted(bench.witness.root)])
        words = sys.stderr.getvalue()
    except Exception as error:  # of a plugin that pytest asks before anything else
        status, words = pytest.ExitCode.INTERNAL_ERROR, f"E {describe(error)}"
    # Only what stops before the tests ends up here: a conftest.py that cannot be imported, a wrong setting.
    bench.say_stopped(words)
    bench.say(None, None, {"kind": "end", "status": int(status)})
    bench.send()


class _Bench:
    """The plugin that takes the place of pytest's own loop over the tests."""

    def __init__(self, message: dict, modules: Modules, writing: int) -> None:
        self.message = message
        self.modules = modules
        self.writing = writing
        self.run: tuple = (None, None)
        self.took: dict = {}  # seconds, by test
        self.failed: set = set()  # alone
        self.said: list = []  # and not sent yet
        self.sent = 0.0
        self.brief = False  # only the outcome of tests matters, and what takes long is ended
        self.names_tests = False  # before they begin
        self.witness = Witness(modules.root)
        self.without = Without()
        self.tokens: dict = {}  # of the processes that are heard, by descriptor
        self.token = ""  # by which a process of a run shows that it is what speaks, and not its tests
        self.others: "_OtherCopies | None" = None

    def say(self, run: "int | None", turn: "int | None", line: dict) -> None:
        """Says a line of a run, or of the collection; it is sent with those that follow."""
        self.said.append((run, turn, line))

    def say_stopped(self, words: str) -> None:
        """Says of all tests that they could not be collected, with pytest's last words."""
        lines = words.splitlines()[-LAST_WORDS:]
        errors = [line[1:].strip() for line in lines if line.startswith("E ")] or lines[-1:]
        for place in self._places():
            found = {"path": None, "line": None, "message": errors[0] if errors else "", "lines": lines}
            self.say(None, None, {"kind": "uncollected", "nodeid": place["tests"], **found})

    def send(self, interval: float = 0.0) -> None:
        """Sends what was said, unless it is a shorter time since that was done last: each time wakes all who pass it on."""
        now = time.monotonic()
        if now < self.sent + interval:
            return
        self.sent = now
        said, self.said = self.said, []
        if said:
            frames.send(self.writing, {"said": said, "token": self.token})

    def is_alive(self) -> None:
        """Says once in a while that something goes on, while there is nothing else to say."""
        now = time.monotonic()
        if now > self.sent + ALIVE:
            self.sent = now
            frames.send(self.writing, {"said": []})

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Says what could not be collected."""
        if report.failed:
            self.say(None, None, {"kind": "uncollected", "nodeid": report.nodeid, **failure(report)})

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Says which test begins, so that a death has a name."""
        self.say(*self.run, {"kind": "begun", "nodeid": nodeid})
        if self.names_tests:
            self.send()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Says how a phase of a test went."""
        self.say(*self.run, self.witness.line(report, with_fault=self.brief))

    def pytest_warning_recorded(self, warning_message: object, when: str, nodeid: str) -> None:
        """Says what a test warned of."""
        line = self.witness.warned(warning_message, when, nodeid)
        if line is not None and not self.brief:
            self.say(*self.run, line)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo) -> "pytest.TestReport | None":
        """Gives a report without a traceback where only the outcome matters."""
        if not self.brief:
            return None
        outcome: str = "passed"
        if call.excinfo is not None:
            outcome = "skipped" if isinstance(call.excinfo.value, pytest.skip.Exception) else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when, duration=call.duration)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> "Iterator[None]":
        """Ends a test that a fault keeps from its end. It is told by the processor's time: others may be busy."""
        if self.brief:
            longest = ENDLESS + 5 * self.took.get(pyfuncitem.nodeid, 0.0)
            signal.setitimer(signal.ITIMER_PROF, longest, ENDLESS)  # again, for what catches all that is raised
            signal.setitimer(signal.ITIMER_VIRTUAL, STUCK * longest)
        yield
        if self.brief:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Sees to it that no other copy of the project is imported: its code would run for nothing."""
        if not self.message["on_path"]:
            self.others = _OtherCopies(self.modules.root, self._places())
            sys.meta_path.insert(0, self.others)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Makes all runs; never returns."""
        nodeids = [item.nodeid for item in session.items]
        without = sorted(self.without.names.items())
        self.say(None, None, {"kind": "collected", "pytest": pytest.__version__, "tests": nodeids, "without": without})
        if self.others is not None:
            sys.meta_path.remove(self.others)
            if self.others.refused:
                self._end()
        if threads() > 1:
            # They would not be there in a fork, and what they hold locked would stay so.
            self.say(None, None, {"kind": "cold", "why": "importing the tests starts threads"})
            self.send()
            os._exit(0)
        for place in self._places():
            self._check_origin(place)
        clock.settle()
        # Scripts read files beside them when they are imported, from the folder that tests run in.
        if self.message.get("cwd"):
            os.chdir(self.message["cwd"])
        for item in session.items:
            _ = item.location  # found out once for all forks
        gc.freeze()
        self.items = {item.nodeid: item for item in session.items}
        self.session = session
        self.project: "dict | None" = None  # its modules, once they are looked at
        self.touched: "dict | None" = None  # those that tests were seen to leave otherwise, once that was looked at
        self.unsure: set = set()  # tests that failed then
        self.is_left = False  # something was left behind
        self.usual: dict = {}  # what is left behind around a test that does nothing, by its folder and its fixtures
        with_fault = [run for run in self.message["runs"] if run.get("fault")]
        for run in self.message["runs"]:
            if run not in with_fault:
                self._make(run)
        faults.try_all(self, self._trials(with_fault))
        self._end()

    def _end(self) -> None:
        self.say(None, None, {"kind": "end", "status": 0})
        self.send()
        frames.send(self.writing, {"done": True})
        os._exit(0)

    def _places(self) -> list:
        """Lists the functions that the tests are about."""
        return [place for run in self.message["runs"] for place in run.get("targets") or []]

    def _check_origin(self, place: dict) -> None:
        """Says of tests that import another copy of the project, an installed one, that they do not find the project."""
        name = place["module"]
        file = getattr(sys.modules.get(name), "__file__", None)
        if type(file) is str and os.path.realpath(file) != os.path.realpath(os.path.join(self.modules.root, place["path"])):
            message = "ModuleNotFoundError: " + _found_elsewhere(name, file)
            found = {"path": None, "line": None, "message": message, "lines": []}
            self.say(None, None, {"kind": "uncollected", "nodeid": place["tests"], **found})

    # Runs.

    def _make(self, run: dict) -> None:
        items = self._items(run)
        if not items:
            return
        if run.get("look") and self.project is None:
            self.project = self._project()
            # The folder of `tmp_path` is cleared at the end of the process: no test is to be blamed for that.
            factory = getattr(self.session.config, "_tmp_path_factory", None)
            if factory is not None:
                factory.getbasetemp()
            self.before = surroundings.Picture(self.project)
            self.before_touched = self.before
        if run.get("each"):
            targets = self._targets(run)
            for turn, item in enumerate(items):
                started = time.monotonic()
                if run.get("look"):
                    self.fork(run, turn, [item], lambda item=item: self._look(run, item, targets))
                else:
                    self.fork(run, turn, [item], lambda item=item: self.go(run, [item]))
                self.took[item.nodeid] = time.monotonic() - started
        else:
            order = run.get("order")
            if order == "listed":
                items = [self.items[nodeid] for nodeid in run["tests"] if nodeid in self.items]
            elif order == "reverse":
                items.reverse()
            elif order == "shuffle":
                random.Random(run["key"]).shuffle(items)
            work = self._survey if run.get("look") else self.go
            self.fork(run, 0, items, lambda: work(run, items))

    def go(self, run: dict, items: list, after: "Callable | None" = None) -> bool:
        """Runs tests one after the other, with something to do after each; tells whether it came to all of them."""
        self.names_tests = len(items) > 1 and not self.brief
        seconds = run.get("clock")
        with Later(seconds, {**self._project(), **self._tests()} if seconds else {}):
            made = 0
            for item, following in zip(items, [*items[1:], None]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                made += 1
                if after is not None:
                    after()
                if self.session.shouldstop or self.session.shouldfail:
                    break
        self._end_run(items[:made])
        return made == len(items)

    def _end_run(self, items: list) -> None:
        """Says that the tests of a process are over, and what they did to how they are reported."""
        for line in self.witness.accuse(self.session, [item.nodeid for item in items]):
            self.say(*self.run, line)
        self.say(*self.run, {"kind": "end", "status": 0})

    def _items(self, run: dict) -> "list[pytest.Item]":
        """Lists the tests of a run, in the order of the files."""
        wanted = run.get("tests")
        return [item for nodeid, item in self.items.items() if wanted is None or _belongs(nodeid, wanted)]

    def _survey(self, run: dict, items: list) -> None:
        """Runs tests one after the other and looks at which modules each leaves otherwise."""
        touched: set = set()
        latest, spent, is_whole = self.before, 0.0, True

        def look() -> None:
            nonlocal latest, spent, is_whole
            self.send()
            started = time.monotonic()
            try:
                now = surroundings.Picture(self.project)
                touched.update(surroundings.touched(latest, now))
            except Exception:
                is_whole = False
                return
            latest = now
            spent += time.monotonic() - started
            is_whole = is_whole and spent < SURVEY

        came_to_all = self.go(run, items, lambda: look() if is_whole else None)
        if came_to_all and is_whole:
            touched.update(self._project().keys() - self.project.keys())
            self.say(*self.run, {"kind": "touched", "modules": sorted(touched)})

    def _limit_pictures(self, names: list) -> None:
        """Goes on with pictures of the modules that tests are known to leave otherwise."""
        self.is_left = bool(names)
        self.touched = {name: module for name, module in self.project.items() if name in names}
        self.before_touched = surroundings.Picture(self.touched)

    def leaves_nothing(self) -> bool:
        """Tells whether each test was seen to leave everything as it was."""
        return self.touched is not None and not self.is_left

    def _left(self, item: pytest.Item) -> "list[dict]":
        """Says what a test left behind in this process."""
        if self.touched is None or item.nodeid in self.unsure:
            return surroundings.difference(self.before, surroundings.Picture(self.project))
        if not self.is_left:
            return []
        return surroundings.difference(self.before_touched, surroundings.Picture(self.touched))

    def _look(self, run: dict, item: pytest.Item, targets: dict) -> None:
        """Runs a test alone and looks at what it ran through and what it left behind; then runs it once more. Fixtures of the session
        are made once for both, as for all tests of a session.
        """
        target = next((held for prefix, held in targets.items() if _belongs(item.nodeid, [prefix])), None)
        asked = Asked(self.project)
        trace = Trace(target)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=idle.next_to(item))
        steps = trace.stop()
        missing = asked.stop()
        changed = self._left(item)
        self.say(*self.run, {"kind": "left", "nodeid": item.nodeid, "changed": changed, "steps": steps, "asked": missing})
        self._end_run([item])
        if changed:
            self.run = (run["again"], self.run[1])
            self.say(*self.run, {"kind": "collected", "tests": [item.nodeid]})
            self.go(run, [item])
        else:
            idle.end_session(item)

    def _usual(self, run: dict, item: pytest.Item) -> set:
        """Names what pytest, its plugins and the project's own fixtures leave behind around a test that does nothing."""
        names = idle.fixtures(item, [self.modules.root, self.message["bench"]])
        key = (item.path.parent, names)
        if names is not None and key not in self.usual:
            self.usual[key] = self._left_by_nothing(run, item, names)
        return self.usual.get(key, set())

    def _left_by_nothing(self, run: dict, item: pytest.Item, names: tuple) -> set:
        def work() -> None:
            nothing = idle.beside(item, names)
            nothing.config.hook.pytest_runtest_protocol(item=nothing, nextitem=idle.next_to(item))
            left = surroundings.difference(self.before, surroundings.Picture(self.project))
            idle.end_session(item)
            self.said = [(*self.run, {"kind": "idle", "left": [trace["what"] for trace in left]})]

        seconds = run["limit_ms"] / 1000
        pid, reader = self.start(run, 0, work, seconds)
        left: set = set()
        with contextlib.suppress(TimeoutError, Gone):
            for _, _, line in self.next(reader, time.monotonic() + seconds):
                left.update(line.get("left", ()))
        end(self.modules, pid, reader.fd, died=False)
        return left

    def _trials(self, runs: "list[dict]") -> "Iterator[Trial]":
        """Makes the faults that tests which pass should notice; says of which functions there are none."""
        for run in runs:
            wanted = self._items(run)
            if not wanted:
                continue
            items = [item for item in wanted if item.nodeid not in self.failed]
            owned = self._find(run["fault"])
            why = owned if isinstance(owned, str) else ""
            if not why:
                trial = Trial(run, items, owned, sum(self.took.get(item.nodeid, 0.0) for item in items))
                why = "" if trial.faults else "its source is not there"
            if why:
                self.say(run["key"], None, {"kind": "faultless", "why": why})
            elif items:
                yield trial

    def _find(self, place: dict) -> "list | str":
        """Gives the function of a place as the tests have it, in a list: all with its code, where another one made it, or
        makes it anew each time; or why there is none."""
        try:
            module = self.modules.get(place["module"], place["path"])
            if "<locals>" not in place["qualname"]:
                return [Own(lookup.find(module, place["qualname"], line=place.get("line")))]
            try:
                return [Own(function) for function in made.find(module, place["qualname"], self._project().values())]
            except Broken:
                return [made.within(module, place["qualname"])]
        except Broken as error:
            return str(error)

    def _targets(self, run: dict) -> dict:
        found = {}
        for place in run.get("targets") or []:
            owned = self._find(place)
            if not isinstance(owned, str):
                found[place["tests"]] = owned[0].function
        return found

    def _project(self) -> dict:
        """Gives the project's modules that are loaded, without the tests."""
        bench = self.message["bench"] + os.sep
        found = {}
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if type(file) is str and name != "__main__" and is_of(self.modules.root, file):
                if not os.path.realpath(file).startswith(bench):
                    found[name] = module
        return found

    def _tests(self) -> dict:
        """Gives the modules of the tests."""
        return {item.module.__name__: item.module for item in self.items.values() if hasattr(item, "module")}

    # Processes.

    def fork(self, run: dict, turn: int, items: list, work: Callable) -> None:
        """Does some work in a process of its own and passes on what it says; says how it ended."""
        seconds = run["limit_ms"] / 1000
        is_look = run.get("look") and run.get("each")
        is_survey = run.get("look") and not run.get("each")
        self.say(run["key"], turn, {"kind": "collected", "tests": [item.nodeid for item in items]})
        if len(items) == 1:
            self.say(run["key"], turn, {"kind": "begun", "nodeid": items[0].nodeid})
        pid, reader = self.start(run, turn, work, seconds)
        over, finished = "", False
        try:
            until = time.monotonic() + seconds
            while True:
                lines = self.next(reader, until)
                for _, _, line in lines:
                    finished = finished or line.get("kind") == "end"
                    if line.get("kind") == "phase" and line.get("outcome") != "passed":
                        (self.failed if is_look else self.unsure).add(line.get("nodeid"))
                    if is_survey and line.get("kind") == "touched" and type(line.get("modules")) is list:
                        self._limit_pictures(line["modules"])
                    if is_look and line.get("changed"):
                        self.is_left = True
                        usual = self._usual(run, items[0])
                        line["changed"] = [trace for trace in line["changed"] if trace["what"] not in usual]
                self.said += lines
                self.send(SOON)
        except TimeoutError:
            over = "time"
        except Gone:
            pass
        how = end(self.modules, pid, reader.fd, died=not over and not finished)
        if not finished:
            self.failed.update(item.nodeid for item in items if is_look)
        over = "time" if how == OVERDUE else over
        self.say(run["key"], turn, {"kind": "over", "how": over or ("" if finished else how)})

    def start(self, run: dict, turn: int, work: Callable, seconds: float) -> "tuple[int, Reader]":
        """Forks for some work of a run that may take so long: (process, what it says)."""
        token = os.urandom(16).hex()

        def begin(answering: int) -> None:
            self.writing, self.said, self.token = answering, [], token
            self.run = (run["key"], turn)
            numpy = sys.modules.get("numpy.random")
            if numpy is not None:
                numpy.seed()  # Python's own generator does so by itself
            work()
            self.send()

        pid, reader = fork(self.modules, self.writing, begin, seconds)
        self.tokens[reader.fd] = token
        return pid, reader

    def next(self, reader: Reader, until: float) -> list:
        """Gives the next lines of a run; raises Gone when it hung up and TimeoutError when they did not come by then."""
        while True:
            message = reader.next(until)
            if message is None:
                raise TimeoutError
            if message.get("token") != self.tokens[reader.fd]:
                raise Gone
            lines = message.get("said")
            if type(lines) is list and all(map(_is_line, lines)):
                return lines


def _is_line(said: object) -> bool:
    if type(said) is not list or len(said) != 3 or type(said[0]) is not int or type(said[1]) is not int:
        return False
    return type(said[2]) is dict and all(type(said[2].get(name, "")) is str for name in ("kind", "nodeid", "outcome"))


def _belongs(nodeid: str, wanted: "list[str]") -> bool:
    return any(nodeid == one or nodeid.startswith((one + "::", one + "[")) for one in wanted)


class _OtherCopies:
    """Refuses to find the project's packages where other copies of them are installed."""

    def __init__(self, root: str, places: list) -> None:
        self.root = root
        self.names = {place["module"].partition(".")[0] for place in places}
        self.files = {place["module"]: os.path.realpath(os.path.join(root, place["path"])) for place in places}
        self.refused = False

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name not in self.names:
            return None
        finders = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        spec = next((spec for finder in finders if (spec := finder.find_spec(name, path, target)) is not None), None)
        if spec is None or not spec.origin:
            return spec
        real = os.path.realpath(spec.origin)
        if is_of(self.root, real) and real == self.files.get(name, real):
            return spec
        self.refused = True
        raise ModuleNotFoundError(_found_elsewhere(name, spec.origin), name=name)


def _found_elsewhere(name: str, file: str) -> str:
    return f"No module named '{name}' in the project: the tests import {file}"
