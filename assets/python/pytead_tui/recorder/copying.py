"""Counts what copying values costs, and limits it, each function's and that of all together.

The part of the recorder that spends its budget (budget.py); state.py's `Recorder` is the whole, and sets every attribute that is
used here.
"""

from pytead_tui.recorder import budget, values
from pytead_tui.recorder.functions import Function
from pytead_tui.recorder.own import __builtins__, time


class Copying:
    """What a recorder does to keep the program fast."""

    def _spend(self, function: Function, started: tuple) -> None:
        self._count_copying(function, started)
        self._limit_copying(function)

    def _limits(self, function: Function, held: tuple, outside: bool = False) -> values.Limits:
        if self.every:
            return values.CALLS
        most = self.budget.large.most(held)
        function.outer += outside
        function.beyond += outside and function.over
        if outside and function.outer <= budget.FIRST:
            return self.budget.first(most)
        if function.kept < budget.FIRST and function.copies < budget.TRIES:
            function.copies += 1
            return self.budget.first(most)
        return budget.limits(self.budget.of_a_function(outside) - function.spent, function.wasted, most)

    def _copying(self) -> tuple:
        """Gives where copying stands before some of it is done."""
        return time.thread_time_ns(), self.objects.walked

    def _count_copying(self, function: Function, started: tuple) -> None:
        copied = (self.objects.walked - started[1]) * budget.NODE
        function.spent += copied
        self.budget.copied += copied
        self.budget.took += time.thread_time_ns() - started[0]

    def _count_searching(self, function: Function, started: tuple) -> None:
        copied = (self.objects.walked - started[1]) * budget.NODE
        function.searched += copied
        self.budget.searched += copied
        if function.searched > budget.MOST or function.wasted >= budget.WASTED or not self.budget.may_search():
            function.searching = False

    def _limit_copying(self, function: Function) -> None:
        if self.every:
            # Counted in nodes alone, whatever they took: each run of a test keeps the same calls.
            if function.spent > budget.EVERY:
                self.stop(function)
            return
        if function.spent > budget.LEAST and function.on and not function.over:
            if function.kept < budget.FIRST and function.copies < budget.TRIES:
                return
            if function.spent > self.budget.of_a_function(function.outer > 0):
                self.gap("budget of " + function.module + ":" + function.qualname, function.kept)
                function.over = True
                function.misses = 0
                function.searching = function.wasted < budget.WASTED
                if not function.outer and not function.searching:
                    self.stop(function)
                if function.spent < budget.MOST:
                    self.sleeping.append(function)
