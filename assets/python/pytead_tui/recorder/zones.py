"""Time zones of pytz and of dateutil, by the calls that people write for them.

pytz makes a class for each zone, whose instances are the zone and, for each of its offsets, the zone as it is then. A date that was
localised holds one of the latter.
"""

from pytead_tui.recorder.arrays import new
from pytead_tui.recorder.objects import from_module
from pytead_tui.recorder.own import __builtins__, sys

LOCALIZE = ("pytz.tzinfo", "DstTzInfo.localize")
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
    if module == "pytz.tzfile" and is_moving(mro):
        return _moving
    if module == "pytz.tzfile" and len(mro) > 1 and from_module(mro[1], "pytz.tzinfo", "StaticTzInfo"):
        return _zone
    return None


def is_moving(mro: tuple) -> bool:
    """Whether a class is one that pytz makes for a zone with several offsets."""
    return len(mro) > 1 and from_module(mro[1], "pytz.tzinfo", "DstTzInfo")


def localised(v: object) -> "tuple | None":
    """Gives how a date of such a zone is made of the same date without one: the zone and the keywords; None where it is not."""
    zone = v.tzinfo
    own = type(zone).__mro__[1].__dict__["localize"]
    bare = v.replace(tzinfo=None)
    for is_dst in (False, True):
        try:
            found = own(zone, bare, is_dst)
        except OverflowError:  # it looks a day further on each side
            return None
        if found.tzinfo is zone:
            return _by_name(zone), {"is_dst": True} if is_dst else {}
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
    return new("dateutil.tz", "tzoffset", (v._name, int(v._offset.total_seconds())))


def _file(w, v, d):
    _, mark, name = str(v._filename).rpartition(_MARK)
    return new("dateutil.tz", "gettz", (name,)) if mark else w.opaque(v)


_OF_DATEUTIL = {
    "tzfile": _file,
    "tzutc": lambda w, v, d: new("dateutil.tz", "tzutc", ()),
    "tzlocal": lambda w, v, d: new("dateutil.tz", "tzlocal", ()),
    "tzoffset": _offset,
}
