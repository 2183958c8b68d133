"""Uses boltons as a small reporting program does: tables, texts, dates, statistics, caches."""

import datetime
import operator

from boltons import (
    cacheutils,
    dictutils,
    formatutils,
    funcutils,
    iterutils,
    listutils,
    mathutils,
    namedutils,
    queueutils,
    setutils,
    statsutils,
    strutils,
    tableutils,
    timeutils,
    typeutils,
    urlutils,
)

SALES = [
    {"shop": "north", "item": "lamp", "price": 19.5, "tags": ["home", "light"]},
    {"shop": "south", "item": "desk", "price": 120.0, "tags": ["home"]},
    {"shop": "north", "item": "pen", "price": 1.25, "tags": []},
    {"shop": "east", "item": "chair", "price": 45.0, "tags": ["home", "seat"]},
]


def price_of(sale):
    return sale["price"]


def is_home(sale):
    return "home" in sale["tags"]


def sequences():
    iterutils.bucketize(SALES, key=lambda sale: sale["shop"])
    iterutils.bucketize([1, 2, 3, 4, 5], key=lambda x: x % 2, value_transform=str)
    iterutils.partition(range(7), lambda x: x > 3)
    iterutils.partition([1, 0, 2, None])
    iterutils.chunked(range(7), 3)
    iterutils.chunked([1, 2, 3], 2, fill=None)
    iterutils.chunked([1, 2, 3, 4, 5], 2, count=1)
    list(iterutils.chunked_iter("abcdefg", 3))
    try:
        iterutils.chunked([1], 0)
    except ValueError:
        pass
    iterutils.windowed([1, 2, 3, 4], 2)
    iterutils.windowed([1], 3, fill=0)
    iterutils.pairwise("abc")
    iterutils.first([0, None, 5])
    iterutils.first([0, ""], default="none")
    iterutils.one([0, 0, 3])
    iterutils.one([1, 2])
    iterutils.unique(["b", "a", "b", "c"])
    iterutils.unique(["aa", "b", "cc"], key=len)
    iterutils.redundant([1, 2, 2, 3, 3, 3])
    iterutils.redundant(["a", "b", "A"], key=str.lower, groups=True)
    iterutils.flatten([1, [2, [3, "x"]], (4,)])
    iterutils.same([1, 1, 1]), iterutils.same([1, 2]), iterutils.same([])
    iterutils.split([1, None, 2, 3, None], None)
    iterutils.split([1, 0, 2, 0], 0, maxsplit=1)
    iterutils.lstrip([0, 0, 1, 0], 0)
    iterutils.rstrip([0, 1, 0, 0], 0)
    iterutils.strip([0, 1, 0], 0)
    iterutils.frange(1.0, 2.0, 0.25)
    iterutils.backoff(1, 10), iterutils.backoff(1, 100, count=3, factor=5)
    iterutils.get_path({"a": [{"b": 7}]}, ("a", 0, "b"))
    iterutils.get_path({"a": {}}, "a.b", default=None)
    try:
        iterutils.get_path({"a": [1]}, ("a", 5))
    except iterutils.PathAccessError:
        pass
    iterutils.remap({"a": 1, "b": None, "c": [None, 2]}, visit=lambda path, key, value: value is not None)
    iterutils.research({"a": {"b": 3}, "c": [3]}, query=lambda path, key, value: value == 3)
    iterutils.is_iterable("ab"), iterutils.is_scalar("ab"), iterutils.is_collection([1])
    iterutils.soft_sorted([3, 1, 2], first=[2], last=[1])
    iterutils.untyped_sorted(["a", 1, None])
    iterutils.chunk_ranges(10, 4)
    list(iterutils.chunk_ranges(10, 4, overlap_size=1))


def mappings():
    words = dictutils.OMD([("a", 1), ("b", 2), ("a", 3)])
    words.getlist("a")
    words["c"] = 4
    words.add("b", 5)
    words.items(multi=True)
    words.todict()
    words.inverted()
    words.counts()
    words.pop("c")
    words.poplast("a")
    words.setdefault("z", 9)
    list(words.iteritems())
    "a" in words, len(words), words == dictutils.OMD([("a", 1)])
    pairs = dictutils.OneToOne({"one": 1, "two": 2})
    pairs.inv[2]
    pairs["uno"] = 1
    pairs.pop("two")
    many = dictutils.ManyToMany([("x", 1), ("x", 2), ("y", 1)])
    many.add("z", 3)
    many.remove("x", 1)
    many.get("x"), many["z"]
    frozen = dictutils.FrozenDict({"a": 1})
    frozen.updated({"b": 2})
    dictutils.subdict({"a": 1, "b": 2, "c": 3}, keep=["a", "c"])
    dictutils.subdict({"a": 1, "b": 2}, drop=["a"])
    index = setutils.IndexedSet(["b", "a", "b", "c"])
    index.add("d")
    index.discard("a")
    index.index("c"), index[0], index[1:], len(index)
    index.union({"x"}), index & {"b"}, index - {"b"}
    index.pop()
    index.reverse()
    index.update(["q"])
    setutils.complement({1, 2}).add(3)


def texts():
    strutils.slugify("Hello, World! 2nd"), strutils.slugify("a b", delim="-", lower=False)
    strutils.camel2under("BasicParseTest"), strutils.under2camel("complex_tokenizer")
    strutils.split_punct_ws("First post! Hi!!!")
    strutils.cardinalize("country", 2), strutils.cardinalize("Lamp", 1)
    strutils.pluralize("city"), strutils.pluralize("day"), strutils.pluralize("box"), strutils.pluralize("man")
    strutils.singularize("cities"), strutils.singularize("boxes"), strutils.singularize("feet")
    strutils.ordinalize(1), strutils.ordinalize(11), strutils.ordinalize(22), strutils.ordinalize("3x")
    strutils.unit_len([1, 2, 3], "lamp"), strutils.unit_len([1])
    strutils.a10n("internationalization")
    strutils.asciify("Beyoncé"), strutils.asciify("plain")
    strutils.bytes2human(128991), strutils.bytes2human(10, 1), strutils.bytes2human(-5_000_000, ndigits=2)
    strutils.html2text("<p>Hi <b>there</b> &amp; you</p>")
    strutils.strip_ansi("\x1b[0m\x1b[1;36mart\x1b[46;34m")
    strutils.is_ascii("abc"), strutils.is_ascii("ä"), strutils.is_uuid("0a7b7b84-0a9d-4f7d-a8f4-93a8f3a0b1c2")
    strutils.find_hashtags("well #yes and #no1")
    strutils.parse_int_list("1,3,5-8,10"), strutils.format_int_list([1, 2, 3, 7, 9, 10])
    strutils.complement_int_list("1,3,5", range_end=8), strutils.int_ranges_from_int_list("1-3,8")
    strutils.indent("a\nb", "  "), strutils.multi_replace("the cat", {"cat": "dog"})
    strutils.unwrap_text("Short\ntext\n\nhere"), strutils.iter_splitlines("a\nb")
    list(strutils.iter_splitlines("a\r\nb\n"))
    strutils.args2sh(["ls", "a b"]), strutils.args2cmd(["dir", 'a "b"'])
    strutils.removeprefix("unhappy", "un")
    strutils.gunzip_bytes(strutils.gzip_bytes(b"data"))
    formatutils.get_format_args("{a} and {b:.2f}"), formatutils.infer_positional_format_args("{} {}")
    formatutils.split_format_str("x{a!r:>10}y"), formatutils.tokenize_format_str("{n:d}!")
    namedutils.namedtuple("Point", "x y")(1, 2)


def numbers():
    mathutils.clamp(1.0, 0, 5), mathutils.clamp(-3, 0, 5), mathutils.clamp(101.0, upper=100)
    try:
        mathutils.clamp(1, lower=5, upper=2)
    except ValueError:
        pass
    mathutils.ceil(3.2), mathutils.ceil(3.2, options=[1, 5, 8]), mathutils.floor(3.7, options=[1, 3, 9])
    bits = mathutils.Bits("10011")
    bits.as_int(), bits.as_hex(), bits.as_list(), bits >> 1, bits & mathutils.Bits(3, 5), len(bits)
    numbers = [1, 2, 2, 3, 14, 5]
    statsutils.mean(numbers), statsutils.median(numbers), statsutils.variance(numbers), statsutils.iqr(numbers)
    statsutils.std_dev([2, 4, 4, 6]), statsutils.trimean(numbers), statsutils.median_abs_dev(numbers)
    stats = statsutils.Stats(numbers)
    stats.count, stats.mean, stats.max, stats.median, stats.get_quantile(0.25), stats.describe(), stats.get_zscore(3)
    stats.clear_cache()
    stats.get_histogram_counts(3)
    stats.format_histogram(3, width=30)
    statsutils.format_histogram_counts([(0, 3), (5, 1)], width=20)


def times():
    start = datetime.datetime(2024, 1, 31, 22, 0, tzinfo=timeutils.UTC)
    timeutils.dt_to_timestamp(start)
    timeutils.isoparse("2024-02-29T12:30:00")
    timeutils.parse_timedelta("1h 30m"), timeutils.parse_timedelta("-2 days")
    timeutils.decimal_relative_time(datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 4))
    timeutils.relative_time(datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 5), ndigits=1)
    list(timeutils.daterange(datetime.date(2024, 1, 30), datetime.date(2024, 2, 2)))
    list(timeutils.daterange(datetime.date(2024, 1, 1), datetime.date(2024, 3, 1), step=(0, 1, 0), inclusive=True))
    timeutils.strpdate("2024-05-06", "%Y-%m-%d")
    timeutils.UTC.utcoffset(start), timeutils.UTC.tzname(start)


def structures():
    table = tableutils.Table.from_dict({"a": 1, "b": 2})
    table = tableutils.Table.from_list([["x", 1], ["y", 2]], headers=["name", "n"])
    table.to_text(), table.to_html(), len(table), table.extend([["z", 3]])
    cache = cacheutils.LRU(max_size=2)
    cache["a"] = 1
    cache["b"] = 2
    cache.get("a"), cache.get("q")
    cache["c"] = 3
    len(cache), "b" in cache, cache.hit_count
    cache.copy(), cache.setdefault("d", 4), cache.pop("d", None)
    counter = cacheutils.ThresholdCounter(threshold=0.1)
    counter.update(["a", "b", "a"])
    counter.most_common(1), counter["a"], counter.get_common_count(), counter.elements()
    cacheutils.make_cache_key((1, 2), {"a": 3})
    heap = queueutils.HeapPriorityQueue()
    heap.add("late", priority=1)
    heap.add("soon", priority=9)
    heap.peek(), heap.pop(), len(heap)
    heap.remove("late")
    splay = listutils.BarrelList(range(5))
    splay.insert(2, 9)
    splay.pop(), splay[1], len(splay), splay.sort(), splay.count(3), splay.append(7), splay.index(9)
    url = urlutils.URL("https://user@example.com:8080/a/../b?q=1&q=2#frag")
    url.to_text(), url.path, url.host, url.port, url.query_params, url.get_authority()
    url.normalize()
    url.navigate("c?x=3")
    urlutils.find_all_links("see http://a.example/x and b.example"), urlutils.parse_url("ftp://h/p")
    urlutils.quote_path_part("a b/c"), urlutils.unquote("a%20b"), urlutils.resolve_path_parts(["a", "..", "b"])
    urlutils.parse_qsl("a=1&b=&c"), urlutils.parse_host("[::1]")
    typeutils.issubclass(bool, int), typeutils.get_all_subclasses(statsutils.Stats)
    add = funcutils.partial(operator.add, 1)
    add(2)
    funcutils.get_module_callables(operator, ignore=None)
    funcutils.format_invocation("f", (1, "a"), {"k": 2}), funcutils.format_exp_repr(url, ["host"], ["port"])
    funcutils.noop(1, a=2)


def main():
    sequences()
    mappings()
    texts()
    numbers()
    times()
    structures()


if __name__ == "__main__":
    main()
