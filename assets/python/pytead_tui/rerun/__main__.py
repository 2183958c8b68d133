"""Runs recorded tests again: `python -m pytead_tui.rerun REQUEST.json [MODULES.json]`.

This process imports nothing of the project. It writes the report, forks for the session, and ends all that is left. With MODULES,
the session imports these first, and the request is read once a line comes on standard input.
"""

import atexit
import os
import signal
import sys
import time

# Before 3.11 and without PYTHONSAFEPATH, `-m` adds the working folder.
if (
    sys.path
    and not getattr(sys.flags, "safe_path", False)
    and os.path.realpath(sys.path[0]) == os.path.realpath(os.getcwd())
):
    del sys.path[0]

from pytead_tui.rerun import breakage, followed, place, warm  # noqa: E402
from pytead_tui.rerun.forks import Fork, Gone, Writer, end_session, listen, narrow  # noqa: E402
from pytead_tui.rerun.report import Report  # noqa: E402
from pytead_tui.rerun.request import START, Request, read  # noqa: E402
from pytead_tui.worker import chance  # noqa: E402

BROKEN = 3
GRACE = 5.0  # seconds for a session to end after its last test


class Rerun:
    """Starts the session again, and once more for what is left where it died."""

    def __init__(self, request: Request, waiting: "Waiting | None" = None) -> None:
        self.request = request
        self.waiting = waiting
        self.report = Report(request.report)
        self.left = list(request.tests)
        self.in_place = False  # one session for each test, because collecting them starts threads
        self.is_broken = False
        self.session: "Fork | None" = None
        signal.signal(signal.SIGTERM, self._interrupt)
        signal.signal(signal.SIGINT, self._interrupt)

    def run(self) -> int:
        """Runs all tests; gives the exit status."""
        while self.left:
            self._run_session()
        self.report.close()
        return BROKEN if self.is_broken else 0

    def _run_session(self) -> None:
        tests = self.left[:1] if self.in_place else list(self.left)
        self.session = self._waiting_session() or Fork(
            lambda writer: be_session(self.request, tests, self.in_place, writer, warmed=False),
            closing=(self.report.file,),
            session=True,
        )
        begun, began, is_cold, over, before = "", 0.0, False, "", len(self.left)
        try:
            while True:
                # Collecting may take its time. So may the end, but not for ever.
                seconds = self.request.test_seconds if begun else None
                if len(self.left) == before - len(tests):
                    seconds = self.request.test_seconds + 2 * GRACE
                line = self.session.next(seconds)
                kind = line.pop("kind")
                if kind == "begun":
                    begun, began = line["test"], time.monotonic()
                elif kind == "cold":
                    is_cold = True
                elif kind in ("learned", "loaded"):
                    self.report.write({"kind": kind, **line})
                elif kind == "end":
                    break
                else:
                    self._report(kind, line)
                    begun = ""
        except TimeoutError:
            over = "timed-out"
        except Gone:
            over = "died"
        how = self.session.end(grace=0.0 if over == "timed-out" else GRACE)
        end_session(self.session.pid)
        if begun:
            said = how if over == "died" else f"still running after {self.request.test_seconds:g} s"
            milliseconds = int((time.monotonic() - began) * 1000)
            line = {"test": begun, "outcome": over, "ms": milliseconds, "pid": self.session.pid, "said": said}
            self._report("test", {**line, "path": None, "line": None})
        elif is_cold:
            self.in_place = True
        elif len(self.left) == before:
            what = "pytest" if self.request.program is None else "the program"
            why = f"{what} ended before the tests: {how}"
            self._report("broken", {"why": why, "path": None, "line": None, "tests": tests})

    def _report(self, kind: str, line: dict) -> None:
        done = line["tests"] if kind == "broken" else [line["test"]]
        self.is_broken = self.is_broken or kind == "broken"
        for test in done:
            if test in self.left:
                self.left.remove(test)
        self.report.write({"kind": kind, **line})

    def _waiting_session(self) -> "Fork | None":
        waiting, self.waiting = self.waiting, None
        return waiting and waiting.begin()

    def _interrupt(self, number: int, frame: object) -> None:
        if self.session is not None:
            end_session(self.session.pid)
        os._exit(128 + number)


class Waiting:
    """A session that imports modules and waits for the request."""

    def __init__(self, file: str, modules: str) -> None:
        self.file = file
        self.modules = modules
        self.reading, self.going = os.pipe()
        self.session = Fork(self._wait, closing=(self.going,), session=True)
        os.close(self.reading)
        signal.signal(signal.SIGTERM, self._interrupt)
        signal.signal(signal.SIGINT, self._interrupt)

    def begin(self) -> "Fork | None":
        """Has it begin; gives it, unless the request is not one that it can serve."""
        try:
            os.write(self.going, b"\n")
            os.close(self.going)
            if self.session.next(None)["kind"] == "fits":
                return self.session
        except (Gone, OSError):
            pass
        self.session.end()
        end_session(self.session.pid)
        return None

    def _wait(self, writer: Writer) -> None:
        warm.up(warm.read(self.modules))
        if not os.read(self.reading, 1):
            return
        os.close(self.reading)
        request = read(self.file)
        fits = warm.fits(request.path, request.project)
        writer.send(kind="fits" if fits else "other")
        if fits:
            be_session(request, list(request.tests), False, writer, warmed=True)

    def _interrupt(self, number: int, frame: object) -> None:
        end_session(self.session.pid)
        os._exit(128 + number)


def be_session(request: Request, tests: "list[str]", in_place: bool, writer: Writer, warmed: bool) -> None:
    """Runs tests in this process, as the session that was recorded, and says how they went."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chance.hold()
    try:
        if all(test in request.functions for test in tests):
            narrow(sorted({name for test in tests for name in request.functions[test]}))
        place.enter(request)
        listen(request.project)
        if not warmed:
            names = warm.hidden(request.path, request.project)
            with place.without_project():
                warm.up({name: file for name, file in request.modules.items() if name.partition(".")[0] not in names})
        followed.ask(request.project, request.lines)
        if START in tests:
            followed.begin()
        if request.program is None:
            from pytead_tui.rerun import session  # where the project's pytest is found
        else:
            from pytead_tui.rerun import program as session

        session.run(request, tests, in_place, writer)
    except BaseException as error:  # no pytest there, no such folder
        where = breakage.place(error, request.root)
        writer.send(kind="broken", why=breakage.why(error), **where, tests=tests)
    writer.send(kind="end")
    atexit._run_exitfuncs()


def main() -> int:
    """Runs the request that the command line names."""
    if len(sys.argv) not in (2, 3):
        print("usage: python -m pytead_tui.rerun REQUEST.json [MODULES.json]", file=sys.stderr)
        return 2
    chance.hold()  # before anything imports `urandom`
    waiting = None
    if len(sys.argv) == 3:
        waiting = Waiting(sys.argv[1], sys.argv[2])
        if not sys.stdin.readline():
            waiting.session.end()
            return 0
    request = read(sys.argv[1])
    warm.lay(request.put, request.gone, request.project)
    return Rerun(request, waiting).run()


if __name__ == "__main__":
    sys.exit(main())
