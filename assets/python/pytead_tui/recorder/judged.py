"""Records single tests of a process that is not recorded otherwise: one journey for each, in a folder of its own.

Nothing is in place before the first of them. From 3.12 on the interpreter's events are then listened to; before that, the
project's functions get their rewritten code where they are, and what is imported later is rewritten as it is loaded.
"""

from pytead_tui.recorder import effects, inject, kinds, known, monitor, redact, start  # noqa: F401
from pytead_tui.recorder.own import __builtins__, gc, sys, time
from pytead_tui.recorder.project import Project
from pytead_tui.recorder.spools import Spools
from pytead_tui.recorder.state import Recorder

MOST_UNSEEN = 500  # functions said to be not recorded, each by its name


class Impossible(Exception):
    """Tests cannot be recorded in this process."""


class Tests:
    """Records the tests of this process, one after the other."""

    def __init__(self, root: str, exclude: str, words: str) -> None:
        self.root = root
        self.exclude = exclude
        self.words = words
        self.recorder: "Recorder | None" = None
        self.unseen: list = []  # functions that report nothing, each as `module:qualname`

    def begin(self, folder: str) -> None:
        """Begins a journey in a folder that is there. Raises `Impossible` where none can be recorded."""
        redact.renumber()
        if self.recorder is None:
            self.recorder = self._started(folder)
        else:
            self.recorder.renew(folder)
        for name in self.unseen[:MOST_UNSEEN]:
            self.recorder.gap("no calls of " + name, 1)
        if len(self.unseen) > MOST_UNSEEN:
            self.recorder.gap("functions that are not as in their files", len(self.unseen))

    def phase(self, name: str) -> None:
        """Notes that a part of the test begins."""
        recorder = self.recorder
        if recorder is not None and recorder.on:
            spool = recorder.spools.current()
            recorder.flush(spool)
            spool.write(("P", name, time.perf_counter_ns()))

    def end(self) -> None:
        """Ends the journey: nothing more is written to its folder."""
        recorder = self.recorder
        if recorder is not None:
            if recorder.on:
                recorder.flush(recorder.spools.current())
            recorder.pause()

    def _started(self, folder: str) -> Recorder:
        redact.configure(self.words)
        project = Project(self.root, self.exclude, "", start.PACKAGE)
        project.tests = True
        spools = Spools(folder, "test", "journey", self.root)
        recorder = Recorder(project, spools, 10, "journey")
        spools.when_forked = recorder.after_fork
        if sys.version_info < (3, 12) or not monitor.install(recorder):
            if start.active is not None:
                raise Impossible("this process is recorded already, and this Python can be recorded once only")
            self._rewrite(inject.install(recorder))
        start.forks(recorder)
        effects.install(recorder)  # a test may start a program before it calls anything
        return recorder

    def _rewrite(self, injector: inject.Injector) -> None:
        project = injector.recorder.project
        for held in gc.get_objects():
            if type(held) is not kinds.Function:
                continue
            file = project.file(held.__code__.co_filename)
            if file is None or type(held.__module__) is not str or injector.function(held):
                continue
            if not project.passes_over(file, held.__qualname__):
                self.unseen.append(held.__module__ + ":" + held.__qualname__)
            self._nested(held.__code__, held.__module__ + ":" + held.__qualname__)

    def _nested(self, code: object, name: str) -> None:
        for inner in code.co_consts:
            if type(inner) is kinds.Code and not inner.co_name.startswith("<"):
                own = name + ".<locals>." + inner.co_name
                self.unseen.append(own)
                self._nested(inner, own)
