"""The clock is put forward where Python code reads it, and nothing else changes."""

import datetime
import sys
import time
from datetime import date
from datetime import datetime as moment

import pytest

from pytead_tui.worker.clock import QUICK, Recorded

AT = 4102444800  # 2100-01-01 in UTC


@pytest.fixture
def later():
    clock = Recorded(AT * 10**9, True, [sys.modules[__name__]])
    clock.start()
    yield
    clock.held.stop()


@pytest.mark.usefixtures("later")
def test_every_way_to_read_it_tells_the_other_time():
    assert time.time() == AT and time.gmtime().tm_year == 2100
    assert moment.now(datetime.timezone.utc).year == datetime.datetime.now(datetime.timezone.utc).year == 2100
    assert {date.today().year, moment.today().year, moment.now().year} <= {2099, 2100}


@pytest.mark.usefixtures("later")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_derived_classes_make_their_own_objects_also_with_another_metaclass():
    class Meta(type):
        pass

    class Day(date, metaclass=Meta):
        pass

    class Moment(moment):
        pass

    assert type(Day.today()) is Day and type(Day(2020, 1, 2)) is Day
    assert type(Moment.now()) is type(Moment.utcnow()) is type(Moment(2020, 1, 2)) is Moment
    assert not isinstance(moment(2020, 1, 2), Moment) and isinstance(Moment.now(), moment)


def test_it_goes_on_as_before_when_it_is_stopped():
    before = vars(moment)["now"], vars(date)["today"]
    clock = Recorded(AT * 10**9, True, [])
    clock.start()
    clock.held.stop()
    assert (vars(moment)["now"], vars(date)["today"]) == before
    assert date.today().year < 2099 and moment.now().year < 2099


def test_a_quick_call_reads_the_recorded_moment_whatever_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = [0]
    monkeypatch.setattr(time, "monotonic_ns", lambda: passed[0])
    end_of_second = AT * 10**9 - 1
    clock = Recorded(end_of_second, False, [])
    clock.start()
    read = []
    for nanoseconds in (1, QUICK - 1, QUICK):
        passed[0] = nanoseconds
        read.append(time.time_ns())
    clock.held.stop()
    assert read == [end_of_second + 1000, end_of_second + 2000, end_of_second + QUICK]
