"""Dates and times with their zones, and time zones, by the calls that people write for them.

pytz makes a class for each zone, whose instances are the zone and, for each of its offsets, the zone as it is then. A date that was
localised holds one of the latter.
"""

from pytead_tui.recorder.arrays import new
from pytead_tui.recorder.objects import from_module, mro_of, names_of
from pytead_tui.recorder.own import __builtins__, sys

_MARK = "/zoneinfo/"  # in the path of a file of a zone, before its name


def handler(cls: type, module: str, name: str, mro: tuple) -> object:
    """Gives the handler of a time zone of pytz or dateutil, or None."""
    if module.startswith("dateutil.tz.") and from_module(cls, "dateutil.tz.tz", name):
        return _OF_DATEUTIL.get(name)
    if module == "pytz" and name == "UTC":
        held = sys.modules["pytz"].__dict__.get("UTC")  # an instance, in the place of its class
        return _zone if type(held) is cls else None
    if module == "pytz" and name == "_FixedOffset" and from_module(cls, module, name):
        return lambda w, v, d: new("pytz", "FixedOffset", (v._minutes,))
    if module == "pytz.tzfile" and _is_moving(mro):
        return _moving
    if module == "pytz.tzfile" and len(mro) > 1 and from_module(mro[1], "pytz.tzinfo", "StaticTzInfo"):
        return _zone
    return None


def of_date(w, v, d):
    args = (v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond)
    if v.tzinfo is not None and _is_moving(mro_of(type(v.tzinfo))):
        found = _localised(v)
        if found is not None:
            bare = new("datetime", "datetime", args)
            return new("pytz.tzinfo", "DstTzInfo.localize", (_by_name(v.tzinfo), bare), found)
    return new("datetime", "datetime", args + _own_zone(w, v, d), {"fold": v.fold} if v.fold else {})


def of_time(w, v, d):
    args = (v.hour, v.minute, v.second, v.microsecond)
    return new("datetime", "time", args + _own_zone(w, v, d), {"fold": v.fold} if v.fold else {})


def of_offset(w, v, d):
    return new("datetime", "timezone", tuple(w.value(a, d + 1) for a in v.__getinitargs__()))


def of_name(w, v, d):
    return new("zoneinfo", "ZoneInfo", (v.key,)) if type(v.key) is str else w.opaque(v)


def _own_zone(w, v, d):
    zone = v.tzinfo
    return () if zone is None else (w.value(zone, d + 1),)


def _is_moving(mro: tuple) -> bool:
    """Whether a class is one that pytz makes for a zone with several offsets."""
    return len(mro) > 1 and from_module(mro[1], "pytz.tzinfo", "DstTzInfo")


def _localised(v: object) -> "dict | None":
    """Gives the keywords with which such a zone makes this date of one without a zone; None where it does not."""
    own = mro_of(type(v.tzinfo))[1].__dict__["localize"]
    bare = v.replace(tzinfo=None)
    for is_dst in (False, True):
        try:
            found = own(v.tzinfo, bare, is_dst)
        except OverflowError:  # it looks a day further on each side
            return None
        if found.tzinfo is v.tzinfo:
            return {"is_dst": True} if is_dst else {}
    return None


def _by_name(zone: object) -> tuple:
    return new("pytz", "timezone", (type(zone).__dict__["zone"],))


def _zone(w, v, d):
    return _by_name(v)


def _moving(w, v, d):
    held = v.__dict__
    if next(iter(held["_tzinfos"].values())) is v:  # the zone itself is the first of its own
        return _by_name(v)
    offsets = [int(held[name].total_seconds()) for name in ("_utcoffset", "_dst")]
    return new("pytz", "_p", (type(v).__dict__["zone"], *offsets, held["_tzname"]))


def _offset(w, v, d):
    name, offset = v._name, v._offset
    is_plain = (name is None or type(name) is str) and names_of(type(offset)) == ("datetime", "timedelta")
    return new("dateutil.tz", "tzoffset", (name, int(offset.total_seconds()))) if is_plain else w.opaque(v)


def _file(w, v, d):
    _, mark, name = v._filename.rpartition(_MARK) if type(v._filename) is str else ("", "", "")
    return new("dateutil.tz", "gettz", (name,)) if mark else w.opaque(v)


_OF_DATEUTIL = {
    "tzfile": _file,
    "tzutc": lambda w, v, d: new("dateutil.tz", "tzutc", ()),
    "tzlocal": lambda w, v, d: new("dateutil.tz", "tzlocal", ()),
    "tzoffset": _offset,
}
