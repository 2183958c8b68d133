"""How many calls are kept where a number of them was asked for."""

import pytest


@pytest.mark.parametrize("most", [3, 15])
def test_a_number_of_calls_counts_calls_and_no_shapes(program, most):
    source = """
        import threading

        def of(x):
            return x

        def other(x):
            return x

        def main():
            for value in [1, "a", 2, None, 3, [4], 5.0]:
                of(value)
                of(value)
            threads = [threading.Thread(target=other, args=(n,)) for n in range(20)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
    """
    spool = program.main(source, PYTEAD_CALLS=str(most), PYTEAD_LIMIT="15")
    assert [start.args[0] for start, _ in spool.calls("of")] == [1, "a", 2, None, 3, [4], 5.0][:most]
    assert len(spool.calls("other")) == most
