"""How pandas' frames, series, indexes and times are written: the exact classes of pandas 2 and 3 alone.

Read from where pandas keeps them, for its own ways to an item fill caches and warn. Owns pandas; numpy is in arrays.py.
Nothing is imported: pandas is there because the program imported it.
"""

from pytead_tui.recorder import kinds, redact
from pytead_tui.recorder.arrays import elements, new, refused, shortened
from pytead_tui.recorder.objects import from_module, names_of
from pytead_tui.recorder.own import __builtins__, sys
from pytead_tui.recorder.values import TAG, rest

CELLS = 2000  # of a frame, and items of a series; within the budget of a call
WIDTH = 40  # columns, and categories
COLUMN = 10  # nodes that a column costs besides its items (budget.py)

_dict_of = object.__getattribute__


class _Refused(Exception):
    """What has no form that makes the very same again, with the reason."""


def handler(cls: type, name: str, mro: tuple) -> object:
    """Gives the handler of a type of pandas, or None."""
    if not is_of_pandas(cls):
        return None
    if name in ("NaTType", "NAType"):
        return lambda w, v, d: (TAG, "name", "pandas", name[:-4])
    if name == "Timestamp":
        return _timestamp
    if name == "Timedelta":
        return _timedelta
    write = {"DataFrame": _frame, "Series": _series}.get(name, _labels if name in _INDEXES else None)
    return None if write is None else _guarded(name, write)


def is_of_pandas(cls: type) -> bool:
    """Whether a class is the very one that a module of pandas holds under its name."""
    module, name = names_of(cls)
    return module.partition(".")[0] == "pandas" and from_module(cls, module, name)


def derives_from_pandas(mro: tuple) -> bool:
    """Whether a class is derived from one whose state only pandas can make again."""
    return any(names_of(base)[1] in ("NDFrame", "Index") and is_of_pandas(base) for base in mro)


def _guarded(name, write):
    def guarded(w, v, d):
        known = w.opened(v)
        if known is not None:
            return known
        try:
            made = write(w, v, d)
        except _Refused as error:
            made = refused(name, str(error), v)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            made = refused(name, "is kept otherwise than pandas 2 and 3 keep it", v)
        return w.closed(v, made)

    return guarded


def _is_modern() -> bool:
    """Whether texts have a type of their own, and times are microseconds: from pandas 3 on."""
    module = sys.modules.get("pandas")
    version = module.__dict__.get("__version__") if type(module) is kinds.Module else ""
    return type(version) is str and not version.startswith(("1.", "2."))


# Frames and series.


def _frame(w, v, d):
    held = _dict_of(v, "__dict__")
    manager = held["_mgr"]
    columns, index = manager.axes
    rows, width = _length(index), _length(columns)
    if rows * width > CELLS:
        raise _Refused("has %d cells, more than %d" % (rows * width, CELLS))
    if width > WIDTH:
        raise _Refused("has %d columns, more than %d" % (width, WIDTH))
    if not w.fits(rows * width):
        return (TAG, "cut", "DataFrame", rows, "", "", rest(v))
    if held.get("_attrs"):
        raise _Refused("has attrs")
    cells = [None] * width
    for block in manager.blocks:
        for row, at in enumerate(block._mgr_locs.as_array.tolist()):
            cells[at] = _column(block.values, row)
    labels, named = _column_labels(columns)
    data = {}
    for label, (dtype, items) in zip(labels, cells):
        if type(label) is not int and (type(label) is not str or w.text_of(label) is not label):
            raise _Refused("has columns whose names are no texts")
        data[label] = _cells(w, label, dtype, items, d)
    if len(data) < width:
        raise _Refused("has two columns of one name")
    around = _index_of(w, index, rows, d)
    if named:
        around["columns"] = _labels(w, columns, d)
    w.nodes -= COLUMN * width
    return new("pandas", "DataFrame", (data,), around)


def _series(w, v, d):
    held = _dict_of(v, "__dict__")
    manager = held["_mgr"]
    rows = _length(manager.axes[0])
    if rows > CELLS:
        raise _Refused("has %d items, more than %d" % (rows, CELLS))
    if not w.fits(rows):
        return (TAG, "cut", "Series", rows, "", "", rest(v))
    if held.get("_attrs"):
        raise _Refused("has attrs")
    name = held.get("_name")
    dtype, items = _column(manager.blocks[0].values, 0)
    around = _index_of(w, manager.axes[0], rows, d)
    if name is not None:
        around["name"] = _name(w, name, d)
    if type(dtype) is tuple:
        return new("pandas", "Series", (_cells(w, name, dtype, items, d),), around)
    if not _is_inferred(dtype, items):
        around["dtype"] = dtype
    return new("pandas", "Series", (_listed(w, name, items, d),), around)


def _cells(w, name, dtype, items, d):
    """Gives a column: a list where pandas makes the same of it, else the call that does."""
    if type(dtype) is tuple:  # a categorical: its categories, and whether they have an order
        more = {"categories": _categories(w, dtype[0], d)}
        if dtype[1]:
            more["ordered"] = True
        return new("pandas", "Categorical", (_listed(w, name, items, d),), more)
    listed = _listed(w, name, items, d)
    return listed if _is_inferred(dtype, items) else new("pandas", "array", (listed,), {"dtype": dtype})


def _listed(w, name, items, d):
    word = redact.word_of_all(name)
    if word is None:
        return w.items(items, d)
    before, w.masking = w.masking, word
    try:
        return w.items(items, d)
    finally:
        w.masking = before


def _name(w, name, d):
    module, cls = names_of(type(name))
    if module == "numpy" and from_module(type(name), module, cls) and cls.startswith(("int", "uint")):
        return name.item()
    if type(name) not in (str, int, tuple):
        raise _Refused("has a name that is no text")
    return w.value(name, d + 1)


# Columns.


def _column(values, row):
    """Gives (dtype, items) of a column of a block. A categorical's dtype is (categories, ordered)."""
    cls = type(values)
    name = names_of(cls)[1]
    if name == "ndarray" and from_module(cls, "numpy", "ndarray"):
        return _plain(values[row] if values.ndim == 2 else values)
    if not is_of_pandas(cls):
        raise _Refused("has a dtype that is not pandas' own")
    if name in ("DatetimeArray", "TimedeltaArray"):
        held = values._ndarray
        dtype, items = _plain(held[row] if held.ndim == 2 else held)
        zone = getattr(values.dtype, "tz", None)
        if zone is None:
            return dtype, items
        if _zone(zone) is None:
            raise _Refused("has a time zone of the program's own")
        return str(values.dtype), [None if text is None else _moment(text) + "+00:00" for text in items]
    if name in ("IntegerArray", "FloatingArray", "BooleanArray"):
        pairs = zip(values._data.tolist(), values._mask.tolist())
        return str(values.dtype), [None if missing else item for item, missing in pairs]
    if name in ("StringArray", "StringArrayNumpySemantics"):
        return str(values.dtype), [item if type(item) is str else None for item in values._ndarray.tolist()]
    if name in ("ArrowStringArray", "ArrowStringArrayNumpySemantics"):
        return str(values.dtype), values._pa_array.to_pylist()
    if name == "Categorical":
        kept = values._dtype
        labels = kept._categories
        if _length(labels) > WIDTH:
            raise _Refused("has %d categories, more than %d" % (_length(labels), WIDTH))
        _, items = _column(labels._data, 0) if "_data" in _dict_of(labels, "__dict__") else _range_items(labels)
        return (labels, kept._ordered), [items[code] if code >= 0 else None for code in values._ndarray.tolist()]
    raise _Refused("has a dtype that has no form: %s" % str(values.dtype)[:60])


def _plain(held):
    """Gives (dtype, items) of an array of numpy with one dimension."""
    dtype = held.dtype
    if dtype.char not in "?bhilqBHILQefdFDOMm":
        raise _Refused("has a dtype that is not pandas' own")
    if dtype.kind == "O":
        return "object", held.tolist()
    items = elements(held)
    if dtype.kind == "M":
        items = [None if item == "NaT" else item for item in items]
    elif dtype.kind == "m":
        unit = _UNITS.get(dtype.str[4:-1])
        if unit is None:
            raise _Refused("has a dtype that is not pandas' own")
        items = [None if item == "NaT" else _duration(item, unit) for item in items]
    return dtype.name, items


_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _duration(count, unit):
    """Writes a length of time as pandas does."""
    days, rest = divmod(count, 86_400 * unit)
    seconds, fraction = divmod(rest, unit)
    text = "%d days" % days
    if rest:
        text += " %s%02d:%02d:%02d" % ("+" if days < 0 else "", seconds // 3600, seconds // 60 % 60, seconds % 60)
    if fraction:
        text += (".%0*d" % (len(str(unit)) - 1, fraction)).rstrip("0")
    return text


def _is_inferred(dtype, items):
    """Whether pandas makes this dtype of a list of these items by itself. Evaluating tells whether that is so."""
    types = set(map(type, items))
    if dtype in _BUILTIN:
        return types == {_BUILTIN[dtype]}
    if dtype == "str":
        return str in types and types <= {str, type(None)}
    # Texts alone would be `str` in pandas 3.
    return dtype == "object" and str in types and (not _is_modern() or bool(types - {str, type(None), float}))


_BUILTIN = {"int64": int, "float64": float, "bool": bool, "complex128": complex}


# Indexes.

_INDEXES = ("Index", "RangeIndex", "DatetimeIndex", "TimedeltaIndex", "CategoricalIndex", "MultiIndex")


def _kind(index):
    cls = type(index)
    name = names_of(cls)[1]
    if name not in _INDEXES or not is_of_pandas(cls):
        raise _Refused("has an index of a kind that has no form: %s" % name[:60])
    return name


def _length(index):
    name = _kind(index)
    if name == "RangeIndex":
        return len(index._range)
    return len(index._codes[0]) if name == "MultiIndex" else len(index._data)


def _range_items(index):
    return "int64", list(index._range)


def _is_default(index, length):
    return _kind(index) == "RangeIndex" and index._range == range(length) and index._name is None


def _index_of(w, index, rows, d):
    if _is_default(index, rows):
        return {}
    if rows > CELLS:
        raise _Refused("has %d rows, more than %d" % (rows, CELLS))
    return {"index": _labels(w, index, d)}


def _column_labels(columns):
    """Gives the names of columns, and whether they have to be said beside the dict of them."""
    kind = _kind(columns)
    if kind == "RangeIndex":
        return list(columns._range), len(columns._range) > 0 or columns._name is not None
    if kind != "Index":
        raise _Refused("has columns with a %s" % kind)
    dtype, items = _column(columns._data, 0)
    return items, columns._name is not None or not _is_inferred(dtype, items)


def _categories(w, labels, d):
    """Gives categories as a list where that makes the same index."""
    if _kind(labels) == "Index":
        dtype, items = _column(labels._data, 0)
        if type(dtype) is str and _is_inferred(dtype, items):
            return w.items(items, d)
    return _labels(w, labels, d)


def _labels(w, index, d):
    """Gives the call that makes an index."""
    kind = _kind(index)
    if kind != "RangeIndex" and _length(index) > CELLS:
        raise _Refused("has %d labels, more than %d" % (_length(index), CELLS))
    if kind == "MultiIndex":
        return _levels(w, index, d)
    more = {}
    if kind == "RangeIndex":
        made = index._range
        args = (made.start, made.stop, made.step)
    else:
        dtype, items = _column(index._data, 0)
        args = (w.items(items, d),)
        if kind == "CategoricalIndex":
            more["categories"] = _categories(w, dtype[0], d)
            if dtype[1]:
                more["ordered"] = True
        elif kind == "Index" and type(dtype) is tuple:
            raise _Refused("has an index of categories")
        elif not (_is_inferred(dtype, items) if kind == "Index" else items and dtype == _times_of(kind)):
            more["dtype"] = dtype
        if kind in ("DatetimeIndex", "TimedeltaIndex"):
            often = index.freq
            if often is not None:
                if not is_of_pandas(type(often)):
                    raise _Refused("has a frequency of the program's own")
                more["freq"] = often.freqstr
    if index._name is not None:
        more["name"] = _name(w, index._name, d)
    return new("pandas", kind, args, more)


def _times_of(kind):
    """Gives the dtype of an index of times that is made of texts."""
    return ("datetime64" if kind == "DatetimeIndex" else "timedelta64") + ("[us]" if _is_modern() else "[ns]")


def _levels(w, index, d):
    arrays = []
    for level, codes in zip(index._levels, index._codes):
        if _length(level) > CELLS:
            raise _Refused("has a level of %d labels, more than %d" % (_length(level), CELLS))
        if _kind(level) == "RangeIndex":
            dtype, items = _range_items(level)
        else:
            dtype, items = _column(level._data, 0)
        taken = [items[code] if code >= 0 else None for code in codes.tolist()]
        if type(dtype) is tuple:
            raise _Refused("has an index with a level of categories")
        listed = w.items(taken, d)
        arrays.append(listed if _is_inferred(dtype, taken) else new("pandas", "array", (listed,), {"dtype": dtype}))
    names = list(index._names)
    more = {} if all(name is None for name in names) else {"names": [n if n is None else _name(w, n, d) for n in names]}
    return new("pandas", "MultiIndex.from_arrays", (arrays,), more)


# Times.


def _moment(text):
    """Gives a text that may be a day alone the time of day that an offset needs."""
    return text if "T" in text else text + "T00:00"


def _zone(zone):
    """Gives the text for a time zone of Python's or pytz's own, or None."""
    cls = type(zone)
    module, name = names_of(cls)
    if (module, name) == ("datetime", "timezone") and from_module(cls, module, name):
        return "UTC" if zone == cls.utc else None
    if (module, name) == ("zoneinfo", "ZoneInfo") and from_module(cls, module, name):
        return zone.key
    return zone.zone if module == "pytz" or module.startswith("pytz.") else None


def _timestamp(w, v, d):
    more = {}
    if v.tzinfo is not None:
        zone = _zone(v.tzinfo)
        if zone is None:
            return w.opaque(v)
        # pandas 2 takes a name for one of pytz.
        is_own = names_of(type(v.tzinfo))[0] == "zoneinfo" and not _is_modern()
        more["tz"] = w.value(v.tzinfo, d + 1) if is_own else zone
    text = v.isoformat() if more else shortened([v.isoformat()])[0]
    digits = len(text.partition(".")[2].partition("+")[0].partition("-")[0])
    unit = "ns" if digits > 6 else "us" if _is_modern() else ("s", "ms", "us")[(digits + 2) // 3]
    return _in_unit(unit, v, new("pandas", "Timestamp", (text,), more))


def _timedelta(w, v, d):
    text = _duration(v._value, _UNITS[v.unit])
    is_short = len(text.partition(".")[2]) <= 6
    return _in_unit("us" if _is_modern() and is_short else "ns", v, new("pandas", "Timedelta", (text,)))


def _in_unit(unit, v, tree):
    """Gives the unit that a time counts in, where its text has another. Pandas itself is not asked: it may warn."""
    return tree if unit == v.unit else new("pandas", tree[3] + ".as_unit", (tree, v.unit))
