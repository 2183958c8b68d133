"""Arrays and scalars of numpy are told by what they hold, and made again the same."""

import tracemalloc

import numpy as np
import pytest
from captured import S, again, tree, why

from pytead_tui.recorder import values

PLAIN = [
    np.array([1, 2, 3]),
    np.array([[1, 2], [3, 4]], dtype=np.int8),
    np.array([0.1, -0.0, np.nan, np.inf]),
    np.array([0.1, 1e-7], dtype=np.float32),
    np.array([0.1, 2], dtype=np.float16),
    np.array([1 + 2j, 0]),
    np.array([True, False]),
    np.array(["a", "bcd", ""]),
    np.array([b"a", b"bc"]),
    np.array([1, 2], dtype=">i4"),
    np.array(["2024-01-01", "NaT"], dtype="datetime64[D]"),
    np.array(["2024-01-01T10:30", "2024-01-02"], dtype="datetime64[ns]"),
    np.array([5, -1, "NaT"], dtype="timedelta64[s]"),
    np.array(3.5),
    np.array([], dtype=np.float32),
    np.zeros((0, 3), dtype=np.int64),
    np.arange(12).reshape(3, 4)[::2, 1:],
    np.asfortranarray([[1, 2], [3, 4]]),
    np.arange(8)[::-1],
    np.broadcast_to(np.array([1, 2]), (3, 2)),
    np.random.default_rng(0).normal(size=(20, 20)),
]


@pytest.mark.parametrize("array", PLAIN, ids=lambda array: f"{array.dtype}-{array.shape}")
def test_an_array_is_told_by_what_it_holds(array):
    made = again(array)
    np.testing.assert_array_equal(made, array)
    assert (made.dtype, made.shape) == (array.dtype, array.shape)
    assert np.array_equal(np.signbit(made), np.signbit(array)) if array.dtype.kind == "f" else True


@pytest.mark.parametrize(
    ("array", "call"),
    [
        (np.zeros(100), ("zeros", (100,), "<f8")),
        (np.zeros((20, 30), dtype=bool), ("zeros", ((20, 30),), "|b1")),
        (np.ones(70, dtype=np.int16), ("ones", (70,), "<i2")),
        (np.full((9, 9), 2.5), ("full", ((9, 9), 2.5), "<f8")),
        (np.full(80, -0.0), ("full", (80, -0.0), "<f8")),
        (np.arange(100), ("arange", (0, 100, 1), "<i8")),
        (np.arange(500, 0, -5), ("arange", (500, 0, -5), "<i8")),
        (np.arange(200, dtype=np.float32), ("arange", (0.0, 200.0, 1.0), "<f4")),
        (np.linspace(0, 1, 101), ("linspace", (0.0, 1.0, 101), "<f8")),
        (np.arange(100_000), ("arange", (0, 100_000, 1), "<i8")),
    ],
    ids=lambda made: made[0] if isinstance(made, tuple) else "",
)
def test_a_long_array_that_follows_a_rule_is_told_by_the_rule(array, call):
    name, args, dtype = call
    assert tree(array) == (S, "new", "numpy", name, args, {"dtype": dtype})
    made = again(array)
    assert made.tobytes() == array.tobytes()


def test_a_table_that_follows_a_rule_keeps_its_shape():
    made = again(np.arange(100).reshape(4, 25))
    assert made.shape == (4, 25) and tree(made)[3] == "reshape"


@pytest.mark.parametrize("at", [0, 1, 50, 98, 99])
def test_one_other_number_is_no_rule(at):
    for array in (np.zeros(100), np.arange(100.0), np.linspace(0, 1, 100), np.arange(100)):
        array[at] += 7
        assert tree(array)[1] == "ndarray"


def test_what_follows_no_rule_is_cut_past_a_thousand():
    rough = np.arange(1001) ** 2
    assert tree(rough) == (S, "cut", "ndarray", 1001, "<i8", "(1001,)", "")
    assert tree(rough[1:])[1] == "ndarray"
    tracemalloc.start()
    tree(np.broadcast_to(np.int64(3), (10**6, 10**3)))
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


def test_a_small_budget_cuts():
    few = values.Limits(60, 1 << 14, 4096, 40, 2000)
    assert tree(np.arange(61) ** 2, few)[1] == "cut"
    assert tree(np.arange(100), few)[3] == "arange"


class Hostile:
    """What must not be asked anything."""

    def __eq__(self, other):
        raise AssertionError

    __hash__ = __repr__ = __str__ = __bool__ = __eq__


def test_what_has_no_exact_form_says_why():
    assert why(np.array([Hostile(), None])) == "holds Python objects"
    assert why(np.zeros(2, dtype=[("x", int)])) == "has no plain dtype"
    assert why(np.zeros(2, dtype=np.longdouble)) == "has no plain dtype"


def test_a_subclass_is_left_alone():
    class Mine(np.ndarray):
        def __getattribute__(self, name):
            raise AssertionError

    assert tree(np.zeros(3).view(Mine))[1] == "opaque"
    assert tree(np.ma.masked_array([1, 2], [True, False]))[1] == "opaque"


def test_one_array_met_twice_is_one():
    array = np.arange(3)
    first, second = again([array, array])
    assert first is second
    first, second = again([array, array.copy()])
    assert first is not second


@pytest.mark.parametrize(
    ("scalar", "args"),
    [
        (np.float64(1.5), (1.5,)),
        (np.float32(0.1), (float(np.float32(0.1)),)),
        (np.int64(3), (3,)),
        (np.uint8(3), (3,)),
        (np.bool_(True), (True,)),
        (np.str_("a"), ("a",)),
        (np.complex128(1j), (1j,)),
        (np.datetime64("2024-01-01"), ("2024-01-01",)),
        (np.datetime64("2024-01-01T10", "ns"), ("2024-01-01T10:00:00.000000000",)),
        (np.datetime64("NaT", "D"), ("NaT", "D")),
        (np.timedelta64(5, "D"), (5, "D")),
    ],
    ids=repr,
)
def test_a_scalar_keeps_its_type(scalar, args):
    assert tree(scalar)[4] == args
    made = again(scalar)
    assert made.dtype == scalar.dtype and (made == scalar or scalar != scalar)


def test_secrets_in_arrays_are_not_told():
    assert "hunter2hunter" not in repr(tree({"password": np.array(["hunter2hunter"])}))


def test_the_order_of_the_numbers_is_told():
    made = np.arange(6.0).reshape(2, 3)
    assert tree(np.asfortranarray(made)) == (S, "new", "numpy", "asfortranarray", (tree(made),), {})
    assert tree(made.T) == (S, "new", "numpy", "asfortranarray", (tree(np.ascontiguousarray(made.T)),), {})
    large = np.asfortranarray(np.ones((20, 20)))
    assert tree(large)[3:5] == ("asfortranarray", (tree(np.ones((20, 20))),))
    for same in (made, made[:1].T, np.arange(3), np.asfortranarray(np.array([["x", "y"]]))):
        assert tree(same)[:2] != (S, "new") or tree(same)[3] != "asfortranarray"
