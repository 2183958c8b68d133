"""Tests of Hypothesis that a recording makes slower: no deadline of theirs is missed because they are recorded.

Hypothesis fails a test that takes longer than 200 ms for one input, and one whose inputs are slow to make. Its own plugin for
pytest, too, gives a test other settings in this place.
"""

from pytead_tui.recorder.own import __builtins__, sys

_SETTINGS = "_hypothesis_internal_use_settings"


def lift(item: object) -> None:
    """Takes the deadline from a test of Hypothesis that begins; from all else, nothing."""
    hypothesis = dict.get(sys.modules, "hypothesis")
    if hypothesis is None or item is None:
        return
    try:
        test = item.obj
        space = getattr(test, "__func__", test).__dict__
        given = dict.get(space, _SETTINGS)
        if type(given) is not hypothesis.settings:
            return
        slow = hypothesis.HealthCheck.too_slow
        checks = given.suppress_health_check
        if given.deadline is not None or slow not in checks:
            space[_SETTINGS] = hypothesis.settings(given, deadline=None, suppress_health_check=(*checks, slow))
    except Exception:
        return  # another Hypothesis than those that are known
