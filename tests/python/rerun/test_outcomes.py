"""Each test runs in a process of its own, and the report says how it went."""

import os
import signal
import subprocess
import time

SAMPLES = """
    import os, time
    import pytest

    SEEN = []

    def test_first():
        SEEN.append(1)
        assert SEEN == [1]

    def test_second():
        SEEN.append(2)
        assert SEEN == [2]

    def test_fails():
        assert 1 + 1 == 3

    def test_exits():
        os._exit(3)

    def test_kills_itself():
        os.kill(os.getpid(), 9)

    def test_hangs():
        time.sleep(60)

    def test_skips():
        pytest.skip("not today")

    @pytest.mark.xfail
    def test_is_to_fail():
        assert False

    @pytest.mark.xfail
    def test_is_not_to_pass():
        pass

    @pytest.fixture
    def broken():
        raise ValueError("no such thing")

    def test_has_no_fixture(broken):
        pass

    @pytest.fixture
    def messy():
        yield
        raise ValueError("not cleared")

    def test_is_not_cleared(messy):
        pass

    @pytest.mark.parametrize("text", ["a::b", "c d"])
    def test_has_cases(text):
        pass

    class TestClass:
        def test_method(self):
            pass
"""
EXPECTED = {
    "test_first": "passed", "test_second": "passed", "test_fails": "failed", "test_exits": "died",
    "test_kills_itself": "died", "test_hangs": "timed-out", "test_skips": "skipped", "test_is_to_fail": "xfailed",
    "test_is_not_to_pass": "xpassed", "test_has_no_fixture": "error", "test_is_not_cleared": "error",
    "test_has_cases[a::b]": "passed", "test_has_cases[c d]": "passed", "TestClass::test_method": "passed",
}  # fmt: skip


def test_each_outcome_has_its_name_and_its_place(project):
    path = project.write("tests/test_it.py", SAMPLES)
    names = [f"tests/test_it.py::{name}" for name in EXPECTED]
    found = project.rerun(*names, "tests/test_it.py::test_gone", "gone.py::test_it", test_seconds=1.5)
    assert project.status == 0
    assert {name.partition("::")[2]: found[name]["outcome"] for name in names} == EXPECTED
    assert [line["test"] for line in project.lines if line["kind"] == "test"] == names, "in the order asked for"
    missing = [line["test"] for line in project.lines if line["kind"] == "missing"]
    assert missing == ["tests/test_it.py::test_gone", "gone.py::test_it"]
    failed = found["tests/test_it.py::test_fails"]
    assert failed["said"].startswith("AssertionError: assert (1 + 1) == 3")
    text = path.read_text().splitlines()
    assert (failed["path"], text[failed["line"] - 1].strip()) == (str(path), "assert 1 + 1 == 3")
    assert found["tests/test_it.py::test_exits"]["said"] == "exit 3"
    assert found["tests/test_it.py::test_kills_itself"]["said"] == "signal 9"
    assert found["tests/test_it.py::test_hangs"]["ms"] >= 1500
    assert found["tests/test_it.py::test_skips"]["said"] == "not today"
    assert found["tests/test_it.py::test_has_no_fixture"]["said"] == "ValueError: no such thing"
    assert found["tests/test_it.py::test_first"]["said"] is None
    pids = {found[name]["pid"] for name in names}
    assert len(pids) == len(names) and os.getpid() not in pids


def test_order_and_repetition_are_those_of_the_request(project):
    project.write(
        "test_it.py", "def test_a(): open('log', 'a').write('a\\n')\ndef test_b(): open('log', 'a').write('b\\n')"
    )
    project.rerun("test_it.py::test_b", "test_it.py::test_a", "test_it.py::test_b")
    assert project.log() == ["b", "a", "b"]
    assert [line["test"][-1] for line in project.lines] == ["b", "a", "b"]


def test_chance_is_the_same_for_each_test(project):
    project.write(
        "test_it.py",
        """
        import random
        random.random()
        def draw(): open("log", "a").write(f"{random.random()}\\n")
        def test_a(): draw()
        def test_b(): draw()
        """,
    )
    assert project.outcomes("test_it.py::test_a", "test_it.py::test_b") == ["passed", "passed"]
    first, second = project.log()
    assert first == second == str(__import__("random").Random(0).random())


def test_what_a_test_leaves_running_is_ended_with_it(project):
    project.write(
        "test_it.py",
        """
        import os, subprocess, sys
        def test_leaves_a_process():
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            open("log", "a").write(f"{child.pid}\\n")
        def test_forks():
            if os.fork() == 0:
                open("log", "a").write(f"{os.getpid()}\\n")
                import time; time.sleep(600)
        def test_forked_child_returns():
            os.fork()
        """,
    )
    names = ("test_leaves_a_process", "test_forks", "test_forked_child_returns")
    assert project.outcomes(*(f"test_it.py::{name}" for name in names)) == ["passed"] * 3
    for pid in project.log():
        assert _is_gone(int(pid))


def test_a_test_that_kills_the_process_above_it_costs_no_other(project):
    project.write(
        "test_it.py",
        """
        import os, signal, time
        def test_a(): pass
        def test_kills():
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(60)
        def test_b(): pass
        """,
    )
    names = ("test_it.py::test_a", "test_it.py::test_kills", "test_it.py::test_b")
    assert project.outcomes(*names) == ["passed", "died", "passed"]


def test_what_a_test_writes_to_the_report_does_not_count(project):
    project.write(
        "test_it.py",
        f"""
        import os
        def test_forges():
            with open({str(project.report)!r}, "a") as stream:
                stream.write('{{"kind": "test", "test": "test_it.py::test_b", "outcome": "passed"}}\\n')
        def test_b():
            assert False
        """,
    )
    assert project.outcomes("test_it.py::test_forges", "test_it.py::test_b") == ["passed", "failed"]
    assert len(project.lines) == 2
    assert project.outcomes("test_it.py::test_forges") == ["passed"]
    assert len(project.lines) == 1


def test_standard_input_is_empty_and_output_is_dropped(project):
    project.write(
        "test_it.py", "import sys\ndef test_it(capfd):\n    print('x')\n    assert sys.stdin.fileno if True else 0"
    )
    project.write("test_reads.py", "import os\ndef test_it():\n    assert os.read(0, 1) == b''")
    assert project.outcomes("test_it.py::test_it", "test_reads.py::test_it", options=["-s"]) == ["passed", "passed"]


def test_an_interrupt_ends_all_processes(project):
    project.write(
        "test_it.py",
        """
        import os, subprocess, sys, time
        def test_hangs():
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], process_group=0) \\
                if sys.version_info >= (3, 11) else subprocess.Popen(["sleep", "600"])
            open("log", "a").write(f"{os.getpid()}\\n{os.getppid()}\\n{child.pid}\\n")
            time.sleep(600)
        """,
    )
    running = subprocess.Popen(project.command("test_it.py::test_hangs"), cwd=project.base, env=project.environment())
    until = time.monotonic() + 60
    while len(project.log()) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    running.send_signal(signal.SIGTERM)
    assert running.wait(10) == 128 + signal.SIGTERM
    assert len(project.log()) == 3
    for pid in project.log():
        assert _is_gone(int(pid))


def test_threads_of_an_import_cost_a_session_for_each_test(project):
    project.write(
        "background.py", "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()"
    )
    project.write(
        "test_it.py",
        """
        import background, threading, time
        def test_a(): assert threading.active_count() == 2
        def test_fails(): assert False
        def test_hangs(): time.sleep(60)
        def test_b(): assert threading.active_count() == 2
        """,
    )
    names = [f"test_it.py::{name}" for name in ("test_a", "test_fails", "test_hangs", "test_b")]
    assert project.outcomes(*names, test_seconds=1.5) == ["passed", "failed", "timed-out", "passed"]
    assert len({line["pid"] for line in project.lines}) == 4


def _is_gone(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as stream:
                if stream.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False
