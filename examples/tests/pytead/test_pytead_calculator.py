import pytest

from calculator import add, clamp, compound, divide, factorial, mean, percent


def test_add_a_0_5():
    """Recorded from tour.py:57 (1 call)."""
    assert add(0.5, -0.25) == 0.25


def test_add_returns_5():
    """Recorded from tour.py:56 (1 call)."""
    assert add(2, 3) == 5


def test_clamp_raises_value_error():
    """Recorded from 1 call."""
    with pytest.raises(ValueError, match="low must not be larger than high"):
        clamp(1, 3, 0)


def test_clamp_returns_0():
    """Recorded from tour.py:59 (1 call)."""
    assert clamp(-1, 0, 3) == 0


def test_clamp_returns_3():
    """Recorded from tour.py:59 (1 call)."""
    assert clamp(5, 0, 3) == 3


def test_compound_years_1():
    """Recorded from tour.py:66 (1 call)."""
    assert compound(100, 0.05) == 105.0


def test_compound_years_10():
    """Recorded from tour.py:67 (1 call)."""
    assert compound(100, 0.05, 10) == 162.89


def test_divide_dividend_100():
    """Recorded from calculator.py:57 (1 call)."""
    assert divide(100, 8) == 12.5


def test_divide_dividend_7():
    """Recorded from tour.py:62 (1 call)."""
    assert divide(7, 2) == 3.5


def test_divide_raises_zero_division_error():
    """Recorded from tour.py:69 (1 call)."""
    with pytest.raises(ZeroDivisionError, match="cannot divide by zero"):
        divide(1, 0)


def test_factorial_n_5():
    """Recorded from tour.py:61 (1 call)."""
    assert factorial(5) == 120


def test_factorial_raises_value_error():
    """Recorded from 1 call."""
    with pytest.raises(ValueError, match="n must not be negative"):
        factorial(-1)


def test_factorial_zero_n():
    """Recorded from tour.py:61 (1 call)."""
    assert factorial(0) == 1


def test_mean_1_2_6():
    """Recorded from tour.py:63 (1 call)."""
    result = mean([1, 2, 6])
    assert result == 3.0
    assert type(result) is float


def test_mean_raises_value_error():
    """Recorded from 1 call."""
    with pytest.raises(ValueError):
        mean([])


def test_percent_part_1():
    """Recorded from tour.py:64 (1 call)."""
    assert percent(1, 8) == "12.5 %"


def test_percent_part_2():
    """Recorded from tour.py:65 (1 call)."""
    assert percent(2, 3, digits=0) == "67 %"
