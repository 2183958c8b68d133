"""Frames, series, indexes and times of pandas are told by what they hold, and made again the same."""

import datetime
import decimal
import sys
import warnings
import zoneinfo

import numpy as np
import pandas as pd
import pytest
from captured import S, again, tree, why

PARIS = "Europe/Paris"


def days(count, **more):
    return pd.date_range("2024-01-01", periods=count, **more)


FRAMES = {
    "plain": pd.DataFrame({"a": [1, 2], "b": [0.5, None], "c": ["x", "y"], "d": [True, False]}),
    "missing text": pd.DataFrame({"a": ["x", None]}),
    "small numbers": pd.DataFrame({"a": [1, 2]}, dtype="int8"),
    "all missing": pd.DataFrame({"a": [np.nan, np.nan]}),
    "objects": pd.DataFrame({"a": [1, "x"], "b": [datetime.date(2024, 1, 1), None], "c": [decimal.Decimal("1.0"), None]}),
    "numbers as objects": pd.DataFrame({"a": pd.Series([1, None], dtype=object)}),
    "nullable": pd.DataFrame(
        {"i": pd.array([1, None], dtype="Int64"), "b": pd.array([True, None], dtype="boolean"),
         "f": pd.array([0.5, None], dtype="Float32"), "s": pd.array(["a", None], dtype="string"),
         "big": pd.array([2**60 + 1, None], dtype="Int64")}
    ),
    "times": pd.DataFrame({"t": days(2, freq="h"), "z": days(2, tz=PARIS), "d": pd.to_timedelta(["1h", "-90s"])}),
    "missing times": pd.DataFrame({"t": pd.to_datetime(["2024-01-01", None]), "d": pd.to_timedelta(["1D", None])}),
    "seconds": pd.DataFrame({"t": days(2).as_unit("s")}),
    "categories": pd.DataFrame(
        {"c": pd.Categorical(["a", None, "a"], categories=["b", "a"]),
         "o": pd.Categorical([1, 2, 1], categories=[2, 1], ordered=True)}
    ),
    "text index": pd.DataFrame({"a": [1, 2]}, index=pd.Index(["p", "q"], name="k")),
    "number index": pd.DataFrame({"a": [1, 2]}, index=[3, 1]),
    "range index": pd.DataFrame({"a": [1, 2, 3]})[::2],
    "day index": pd.DataFrame({"a": [1, 2]}, index=days(2, name="day")),
    "days without frequency": pd.DataFrame({"a": [1, 2]}, index=pd.DatetimeIndex(["2024-01-01", "2024-01-05"])),
    "zone index": pd.DataFrame({"a": [1, 2]}, index=days(2, tz=PARIS)),
    "levels": pd.DataFrame({"k": ["x", "y"], "n": [1, 2], "a": [1.5, 2.5]}).set_index(["k", "n"]),
    "categories of an index": pd.DataFrame({"a": [1, 2]}, index=pd.CategoricalIndex(["u", "v"], ordered=True)),
    "numbered columns": pd.DataFrame([[1, 2], [3, 4]]),
    "named columns": pd.DataFrame([[1, 2]], columns=pd.Index(["a", "b"], name="year")),
    "number columns": pd.DataFrame({2024: [1], 2023: [2]}),
    "empty": pd.DataFrame(),
    "no rows": pd.DataFrame({"a": [], "b": pd.Series([], dtype="int64")}),
    "no columns": pd.DataFrame(index=[1, 2]),
    "column order": pd.DataFrame({"b": [1], "a": [2.0], "c": [3]})[["c", "a", "b"]],
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_is_told_by_what_it_holds(name):
    frame = FRAMES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = again(frame)
    pd.testing.assert_frame_equal(made, frame, check_exact=True, check_index_type="exact", check_column_type="exact")
    for column in range(frame.shape[1]):
        again(frame.iloc[:, column])
    again(frame.index)


SERIES = [
    pd.Series([1, 2], name="n"),
    pd.Series([0.5, None]),
    pd.Series([1, 2], dtype="uint8", index=["a", "b"]),
    pd.Series(["x", None], dtype=object),
    pd.Series(["x", "y"], dtype="category"),
    pd.Series([], dtype="float64"),
    pd.Series({"a": 1, "b": 2}),
    pd.Series(days(3)),
    pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["x", None])),
]


@pytest.mark.parametrize("series", SERIES, ids=lambda series: str(series.dtype))
def test_a_series_is_told_by_what_it_holds(series):
    pd.testing.assert_series_equal(again(series), series, check_exact=True, check_index_type="exact")


def test_the_form_is_what_people_write():
    frame = pd.DataFrame({"a": [1, 2], "b": pd.array([1, None], dtype="Int64")}, index=pd.Index(["p", "q"], name="k"))
    index = (S, "new", "pandas", "Index", (["p", "q"],), {"name": "k"})
    column = (S, "new", "pandas", "array", ([1, None],), {"dtype": "Int64"})
    assert tree(frame) == (S, "new", "pandas", "DataFrame", ({"a": [1, 2], "b": column},), {"index": index})


TIMES = [
    pd.Timestamp("2024-01-01"),
    pd.Timestamp("2024-01-01T10:30:00.5"),
    pd.Timestamp(1),
    pd.Timestamp("2024-07-01T10:00", tz=PARIS),
    pd.Timestamp("2024-10-27T02:30:00+01:00").tz_convert(PARIS),
    pd.Timestamp("2024-01-01", tz="UTC"),
    pd.Timestamp("2024-01-01").as_unit("s"),
    pd.Timedelta(days=1, hours=2),
    pd.Timedelta(-1),
    pd.Timedelta("1 days").as_unit("s"),
]


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_a_time_keeps_its_unit_and_zone(time):
    made = again(time)
    assert made == time and made.unit == time.unit
    assert getattr(made, "tzinfo", None) == getattr(time, "tzinfo", None)


def test_what_is_missing_is_itself():
    assert again(pd.NaT) is pd.NaT and again(pd.NA) is pd.NA
    assert tree(pd.NaT) == (S, "name", "pandas", "NaT")


class Mine(pd.DataFrame):
    """A class of the program's own."""

    @property
    def _mgr(self):
        raise AssertionError

    def __getattr__(self, name):
        raise AssertionError


class Hostile:
    """What must not be asked anything."""

    def __eq__(self, other):
        raise AssertionError

    __hash__ = __repr__ = __str__ = __bool__ = __eq__


class OwnZone(datetime.tzinfo):
    def utcoffset(self, when):
        return datetime.timedelta(hours=1)

    dst = utcoffset

    def tzname(self, when):
        return "own"


def test_code_of_the_program_is_not_run():
    assert tree(pd.Series([Hostile(), 1]))[4][0][0][1] == "obj"
    assert tree(pd.Timestamp("2024-01-01", tz=OwnZone()))[1] == "opaque"
    assert tree(Mine.__new__(Mine))[1] == "opaque"


def test_what_has_no_exact_form_says_why():
    assert why(pd.DataFrame({"a": range(2001)})) == "has 2001 cells, more than 2000"
    assert why(pd.Series(range(2001))) == "has 2001 items, more than 2000"
    assert why(pd.DataFrame({"a": pd.period_range("2024", periods=2, freq="M")})).startswith("has a dtype that has no form")
    assert why(pd.DataFrame({"a": [1, 2]}, index=pd.period_range("2024", periods=2, freq="M"))).endswith("PeriodIndex")
    assert why(pd.DataFrame([[1, 2]], columns=["a", "a"])) == "has two columns of one name"
    assert why(pd.DataFrame({("a", 1): [1]})) == "has columns with a MultiIndex"
    assert why(pd.DataFrame({"a": days(2, tz=OwnZone())})) == "has a time zone of the program's own"
    noted = pd.DataFrame({"a": [1]})
    noted.attrs["source"] = "x"
    assert why(noted) == "has attrs"
    assert why(pd.DataFrame(index=np.arange(10**6) * 2)) == "has 1000000 rows, more than 2000"


def test_a_frame_is_not_touched():
    frame = FRAMES["plain"].copy()
    before = dict(frame.__dict__), dict(frame.index.__dict__.get("_cache", {})), dict(frame.columns.__dict__["_cache"])
    tree(frame)
    after = dict(frame.__dict__), dict(frame.index.__dict__.get("_cache", {})), dict(frame.columns.__dict__["_cache"])
    assert str(before[1:]) == str(after[1:]) and before[0].keys() == after[0].keys()
    assert not frame.__dict__.get("_item_cache")


def test_one_frame_met_twice_is_one():
    frame = pd.DataFrame({"a": [1]})
    first, second = again([frame, frame])
    assert first is second


def test_secrets_in_frames_are_not_told():
    held = repr(tree([pd.DataFrame({"password": ["hunter2hunter"]}), pd.Series(["hunter2hunter"], name="api_key")]))
    assert "hunter2hunter" not in held


def test_zones_of_the_standard_library_are_kept():
    again(pd.Timestamp("2024-01-01", tz=zoneinfo.ZoneInfo("Asia/Tokyo")))
    assert sys.modules["pandas"] is pd
