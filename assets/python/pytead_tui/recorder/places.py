"""Finds where calls come from: the function, the line, and whether that is outside of the project or of its package.

The part of the recorder that looks at callers; state.py's `Recorder` is the whole, and sets every attribute that is used
here.
"""

from pytead_tui.recorder import functions
from pytead_tui.recorder.calls import Call
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.objects import oid
from pytead_tui.recorder.own import __builtins__

BETWEEN = 8  # frames of other code that may stand between a caller and what it called

_COMPREHENSIONS = frozenset(("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"))


class Places:
    """What a recorder does to find out who calls."""

    def place(self, function: Function, frame: object, back: object) -> tuple:
        """Gives where a call comes from, counted: (caller or None, line or None, whether it is from outside of the
        project, the count, the code around it if that alone says so, whether it is from outside of the called package).
        `back` is the frame around the call's.
        """
        key = place = by = None
        if back is not None and not self.made:
            by = self.live.get(oid(back))
            if by is not None and by.frame is not back:
                by = None
            key = (oid(back.f_code if by is None else by.code), back.f_lasti)
            place = function.places.get(key)
        if place is None:
            place = self._place(function, frame, key, by)
        place[3][0] += 1
        return place

    def _place(self, function: Function, frame: object, key: "tuple | None", by: "Call | None") -> tuple:
        task = self.made_task(frame) if self.made else None
        if task is not None:
            caller, line, direct, around, home = task.place
        elif by is not None:
            caller, line, direct, around = by.function.fid, by.frame.f_lineno, False, by.code
            home = by.function.file
        else:
            caller, line, direct, around, home = self.caller(frame)
        if caller is not None and caller not in function.edges:
            self._edge(caller, function)
        callers = function.callers
        counted = callers.get((caller, line))
        if counted is None:
            wanted = (caller, line) if len(callers) < functions.CALLERS else (None, None)
            counted = callers.setdefault(wanted, [0])
        package = function.file.package
        outside = direct or package != "" and home is not None and home.package != package
        place = caller, line, direct, counted, around, outside
        if key is not None and around is not None and len(function.places) < functions.CALLERS:
            function.places[key] = place
        return place

    def caller(self, frame: object) -> tuple:
        """Gives where a frame was called from: (caller, line, whether it is from outside of the project, the code around
        it if that alone says so, the project's file around it).
        """
        back = frame.f_back
        caller, line, direct, home = None, None, True, None
        frame = back
        left = BETWEEN
        while frame is not None and left:
            code = frame.f_code
            if code.co_name not in _COMPREHENSIONS:
                found = self.infos.get(oid(code))
                file = self.project.file(code.co_filename)
                if found is not None:
                    caller, line, direct, home = found.fid, frame.f_lineno, False, found.file
                    break
                if file is not None:
                    line, direct, home = frame.f_lineno, file.test, file
                    break
                left -= 1
            frame = frame.f_back
        # The code is kept alive, for it is known by its address. Other code is called from many places.
        alone = left == BETWEEN and back is not None
        return caller, line, direct, back.f_code if alone else None, home
