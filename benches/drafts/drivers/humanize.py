"""Uses humanize as a report does: numbers, sizes, dates and spans of time in words."""

import datetime

import humanize
from humanize import filesize, i18n, lists, number, time

NOW = datetime.datetime(2024, 3, 5, 12, 0, 0)


def numbers():
    for value in (1, 2, 3, 11, 12, 13, 21, 102, 111, "103", "a", None):
        number.ordinal(value)
    number.ordinal(1, gender="female")
    for value in (100, 1000, 10123, 10311, 1000000, "1234567.8910", 1234.5454, "abc", None, 1e30):
        number.intcomma(value)
    number.intcomma(14308.40, 1), number.intcomma("14308.40", 0)
    for value in ("100", 12400, 1200000, 8100000000000, 1_000_000_000, "word", None, -1200, 999_999_999):
        number.intword(value)
    number.intword(1234000, "%0.3f")
    for value in (0, 1, 5, 9, 10, "7", "seven"):
        number.apnumber(value)
    for value in (0.3, 1.3, 1 / 3, 1, "1/2", "ten", 2.0):
        number.fractional(value)
    for value in (500, -1000, 0.3, 5781651000, "99", "nothing", 0):
        number.scientific(value)
    number.scientific(1000, precision=1)
    number.clamp(123.456), number.clamp(0.0001, floor=0.01), number.clamp(0.9999, format="{:.0%}", ceil=0.99)
    number.clamp(0.5, format=lambda value: f"<{value}>"), number.clamp(None)
    for value, unit in ((1500, "V"), (2e8, "W"), (220e-6, "F"), (1e-14, "H"), (0, ""), (3.5e30, "m")):
        number.metric(value, unit)
    number.metric(0.1 + 0.2, "m", precision=5)


def sizes():
    for value in (0, 1, 300, 3000, 3000000, 3000000000, 2900000000000, "5000", -4096, 10**26):
        filesize.naturalsize(value)
    filesize.naturalsize(3000, gnu=True), filesize.naturalsize(3000, binary=True)
    filesize.naturalsize(10**28, gnu=True), filesize.naturalsize(3_500_000, format="%.3f")
    filesize.naturalsize(1024, binary=True)


def spans():
    for seconds in (0, 1, 30, 60, 100, 3600, 7300, 86400, 90000, 86400 * 40, 86400 * 400, 86400 * 800):
        time.naturaldelta(datetime.timedelta(seconds=seconds))
        time.naturaltime(datetime.timedelta(seconds=seconds), when=NOW)
    time.naturaldelta(1001), time.naturaldelta("x"), time.naturaldelta(-5)
    time.naturaldelta(datetime.timedelta(days=70), months=False)
    time.naturaldelta(datetime.timedelta(milliseconds=4), minimum_unit="milliseconds")
    time.naturaldelta(datetime.timedelta(microseconds=4), minimum_unit="microseconds")
    try:
        time.naturaldelta(5, minimum_unit="years")
    except ValueError:
        pass
    time.naturaltime(NOW - datetime.timedelta(minutes=3), when=NOW)
    time.naturaltime(NOW + datetime.timedelta(days=2), when=NOW)
    time.naturaltime(-90, future=True, when=NOW)
    delta = datetime.timedelta(days=2, seconds=3633, microseconds=123000)
    time.precisedelta(delta), time.precisedelta(delta, minimum_unit="microseconds")
    time.precisedelta(delta, suppress=["days"]), time.precisedelta(delta, suppress=["seconds", "milliseconds"])
    time.precisedelta(datetime.timedelta(seconds=61), format="%d"), time.precisedelta(0)
    time.precisedelta(3600), time.precisedelta(datetime.timedelta(days=420), minimum_unit="months")


def days():
    today = datetime.date.today()
    time.naturalday(today), time.naturaldate(today)
    time.naturalday(today + datetime.timedelta(days=1)), time.naturalday(today - datetime.timedelta(days=1))
    time.naturalday(datetime.date(2011, 6, 5)), time.naturaldate(datetime.date(2011, 6, 5))
    time.naturalday(datetime.date(2011, 6, 5), "%Y/%m/%d")
    time.naturalday("not a day"), time.naturaldate(None)


def words():
    lists.natural_list(["one", "two", "three"]), lists.natural_list(["one", "two"]), lists.natural_list([1])
    i18n.thousands_separator(), i18n.decimal_separator()
    humanize.activate("de_DE")
    number.intcomma(1234567.5), number.intword(1_200_000), time.naturaldelta(3600), number.ordinal(3)
    i18n.thousands_separator(), i18n.decimal_separator()
    humanize.deactivate()
    try:
        humanize.activate("xx_XX")
    except FileNotFoundError:
        pass


numbers()
sizes()
spans()
days()
words()
