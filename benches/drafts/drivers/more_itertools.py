"""Uses more-itertools as a program that cuts, groups and compares streams of readings does."""

import operator
from itertools import count

import more_itertools as mi

READINGS = [3, 1, 4, 1, 5, 9, 2, 6]


def is_odd(n):
    return n % 2 == 1


def cutting():
    list(mi.chunked(READINGS, 3))
    try:
        list(mi.chunked(READINGS, 3, strict=True))
    except ValueError:
        pass
    list(mi.chunked_even(READINGS, 3)), list(mi.sliced("abcdefg", 3)), list(mi.divide(3, READINGS)[0])
    list(mi.distribute(2, [1, 2, 3])[1]), list(mi.ichunked(READINGS, 4))
    list(mi.batched("ABCDEFG", 3)), list(mi.grouper("ABCDEFG", 3, fillvalue="x"))
    list(mi.grouper("ABCDEF", 3, incomplete="strict"))
    list(mi.windowed([1, 2, 3, 4, 5], 3)), list(mi.windowed([1], 3, fillvalue=0, step=2))
    list(mi.sliding_window(range(6), 3)), list(mi.stagger([0, 1, 2]))
    list(mi.split_at("abcdcba", lambda c: c == "b")), list(mi.split_at([1, 2, 3, 4], is_odd, maxsplit=1, keep_separator=True))
    list(mi.split_before("OneTwo", str.isupper)), list(mi.split_after("one1two2", str.isdigit))
    list(mi.split_when([1, 2, 3, 3, 2, 5], lambda a, b: a == b)), list(mi.split_into([1, 2, 3, 4, 5, 6], [1, 2, None]))
    list(mi.substrings("more")), list(mi.substrings_indexes("more"))
    list(mi.subslices([1, 2, 3])), list(mi.partition(is_odd, READINGS)[1])
    mi.take(3, range(10)), list(mi.tail(2, "abc")), mi.nth(READINGS, 2), mi.nth([], 3, "none")
    list(mi.prepend(0, [1, 2])), list(mi.islice_extended(READINGS, -4, -1)), list(mi.padded([1], 0, 3))
    mi.take(4, mi.repeat_last([1, 2]))
    mi.take(3, mi.padnone([1]))
    list(mi.ncycles(["a", "b"], 2)), mi.take(4, mi.tabulate(lambda x: x * x)), list(mi.repeat_each("AB", 2))


def looking():
    mi.first(READINGS), mi.first([], "none"), mi.last(READINGS), mi.last([], None), mi.nth_or_last([0, 1], 5)
    try:
        mi.first([])
    except ValueError:
        pass
    mi.one(["it"])
    for wrong in ([], [1, 2]):
        try:
            mi.one(wrong)
        except ValueError:
            pass
    mi.only([]), mi.only([3]), mi.ilen(x for x in READINGS if x > 2), mi.quantify([True, False, True])
    mi.all_equal("aaa"), mi.all_equal("ab"), mi.all_unique([1, 2]), mi.all_unique("abA", key=str.lower)
    mi.is_sorted([1, 2, 3]), mi.is_sorted([3, 1], reverse=True, strict=True), mi.minmax(READINGS), mi.minmax([], default=(0, 0))
    mi.first_true([0, "", 5]), mi.exactly_n([True, False], 1), mi.iequals([1, 2], (1, 2)), mi.argmax(READINGS), mi.argmin(READINGS)
    list(mi.locate([0, 1, 1, 0])), list(mi.rlocate([0, 1, 1])), list(mi.iter_index("AABCADEAF", "A"))
    list(mi.adjacent(lambda x: x == 3, range(6))), list(mi.mark_ends("abc")), list(mi.run_length.encode("aabc"))
    list(mi.run_length.decode([("a", 2), ("b", 1)])), list(mi.difference([0, 1, 3, 6])), list(mi.strictly_n("abc", 3))
    mi.dotproduct([1, 2], [3, 4]), mi.before_and_after(str.isupper, "ABcD")
    list(mi.duplicates_everseen([1, 2, 1])), list(mi.duplicates_justseen("aabb")), list(mi.classify_unique("aab"))
    list(mi.unique_everseen("AAbBa", key=str.lower)), list(mi.unique_justseen("AAAB")), list(mi.unique([3, 1, 3]))
    list(mi.longest_common_prefix(["flow", "flower"])), mi.nth_product(3, "AB", "CD"), mi.nth_permutation("abc", 2, 4)
    mi.nth_combination(range(5), 3, 5), mi.product_index("bd", "ab", "cd"), mi.combination_index("ac", "abc")
    mi.permutation_index([1, 0], range(2))
    list(mi.map_if([1, -1], lambda x: x > 0, str, func_else=abs)), list(mi.map_except(int, ["1", "x", "3"], ValueError))
    list(mi.filter_except(int, ["1", "x"], ValueError)), list(mi.filter_map(lambda s: s or None, ["", "a"]))


def joining():
    list(mi.flatten([[1], [2, 3]])), list(mi.collapse([1, [2, [3, ["x"]]]])), list(mi.collapse([(1, 2), [3]], base_type=tuple))
    list(mi.interleave([1, 2], [3, 4])), list(mi.interleave_longest([1], [2, 3])), list(mi.interleave_evenly([[1, 2, 3, 4], ["a", "b"]]))
    list(mi.intersperse("-", [1, 2, 3])), list(mi.intersperse(0, [1, 2, 3, 4], n=2)), list(mi.roundrobin("ABC", "D"))
    list(mi.zip_equal([1, 2], "ab")), list(mi.zip_offset([1, 2, 3], "abc", offsets=(0, 1))), mi.unzip([("a", 1), ("b", 2)])
    try:
        list(mi.zip_equal([1], "ab"))
    except mi.UnequalIterablesError:
        pass
    list(mi.zip_broadcast(1, [2, 3])), list(mi.value_chain("x", [1, 2])), list(mi.always_iterable("abc")), list(mi.always_iterable(None))
    list(mi.sort_together([[3, 1, 2], "cab"])), list(mi.outer_product(operator.mul, [1, 2], [3, 4])), list(mi.powerset([1, 2]))
    list(mi.set_partitions([1, 2, 3], 2)), list(mi.distinct_permutations([1, 0, 1])), list(mi.distinct_combinations([0, 0, 1], 2))
    list(mi.circular_shifts([1, 2, 3])), list(mi.partitions("abc")), list(mi.gray_product("AB", [1, 2])), list(mi.derangements([1, 2, 3]))
    list(mi.triplewise("ABCD")), list(mi.pairwise([1, 2, 3])), list(mi.convolve([1, 2, 3], [0, 1])), list(mi.transpose([(1, 2), (3, 4)]))
    list(mi.reshape([(0, 1), (2, 3)], 1)), list(mi.matmul([(1, 2)], [(3,), (4,)])), list(mi.always_reversible(iter([1, 2])))


def grouping():
    mi.bucket(["a1", "b1", "a2"], key=lambda s: s[0])
    bucket = mi.bucket(["a1", "b1", "a2"], key=lambda s: s[0])
    sorted(bucket), list(bucket["a"]), "b" in bucket
    mi.map_reduce(range(6), is_odd), mi.map_reduce("abc", str.upper, ord, sum)
    list(mi.groupby_transform("AaaB", str.upper)), list(mi.consecutive_groups([1, 2, 5, 6]))
    [list(group) for group in mi.consecutive_groups([10, 11, 13])]
    list(mi.count_cycle("AB", 2)), list(mi.numeric_range(1, 4)), list(mi.numeric_range(1.0, 2.0, 0.5)), mi.numeric_range(0, 10, 3)[1]
    numbers = mi.numeric_range(0, 10, 2)
    len(numbers), 4 in numbers, numbers.index(6), numbers == mi.numeric_range(0, 9, 2), numbers[1:3], numbers.count(3)
    peek = mi.peekable([1, 2, 3])
    peek.peek(), next(peek), bool(peek), peek[0], peek.prepend(9), next(peek), peek.peek("none")
    seek = mi.seekable(iter("abcd"))
    next(seek), next(seek), seek.seek(0), next(seek), seek.peek(), seek.elements(), seek.relative_seek(1)
    spy, rest = mi.spy([1, 2, 3], 2)
    list(rest)
    view = mi.SequenceView(["a", "b"])
    view[0], len(view), repr(view)
    counted = mi.countable("abc")
    list(counted), counted.items_seen
    list(mi.side_effect(print, [])), list(mi.rstrip([1, 0], lambda x: x == 0)), list(mi.lstrip([0, 1], lambda x: x == 0))
    list(mi.strip([0, 1, 0], lambda x: x == 0)), mi.consume(iter([1]), 1)
    list(mi.polynomial_derivative([1, 2, 3])), mi.polynomial_eval([1, -4, 2], 3), list(mi.polynomial_from_roots([5, -4]))
    list(mi.factor(84)), list(mi.sieve(20)), mi.is_prime(97), mi.totient(12), mi.nth_prime(4), mi.sum_of_squares([1, 2, 3])
    list(mi.running_median([5, 1, 3])), list(mi.loops(2)), mi.take(3, mi.iterate(lambda x: 2 * x, 1))
    list(mi.takewhile_inclusive(is_odd, [1, 3, 4, 5])), list(mi.iter_except([1, 2].pop, IndexError)), mi.take(2, mi.difference(count(1)))
    list(mi.doublestarmap(lambda a, b: a + b, [{"a": 1, "b": 2}]))


def main():
    cutting()
    looking()
    joining()
    grouping()


if __name__ == "__main__":
    main()
