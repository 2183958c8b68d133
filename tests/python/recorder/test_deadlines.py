"""Being recorded makes no test of Hypothesis fail: it measures how long a test takes, and a recording takes time."""

import pytest

pytest.importorskip("hypothesis")

SLOW = """
    import time
    from hypothesis import HealthCheck, example, given, settings, strategies as st

    @given(st.integers())
    @settings(max_examples=2, deadline=20, derandomize=True, database=None)
    @example(7)
    def test_slow(n):
        time.sleep(0.03)

    class TestOf:
        @given(n=st.integers())
        @settings(max_examples=2, deadline=20, derandomize=True, database=None)
        @example(n=7)
        def test_method(self, n):
            time.sleep(0.03)

    @given(st.integers())
    @settings(max_examples=2, derandomize=True, database=None)
    def test_wrong(n):
        assert n is None

    def test_of_another_kind():
        assert settings(deadline=5).deadline.microseconds == 5000
"""


def test_no_deadline_is_missed_because_a_test_is_recorded(program):
    program.write("test_slow.py", SLOW)
    plain = program.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_slow.py", recorded=False)
    assert "3 failed, 1 passed" in plain.stdout, plain.stdout
    done = program.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_slow.py")
    assert "1 failed, 3 passed" in done.stdout, done.stdout
    assert "DeadlineExceeded" not in done.stdout
