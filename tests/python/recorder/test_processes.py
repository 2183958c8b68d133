"""Threads, children and ends of processes: each has its files, and little is lost."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from spools import read_folder


def test_threads_have_their_own_files(program):
    spool = program.main("""
        import threading

        def work(name):
            return name

        def outer(name):
            return work(name)

        def main():
            for i in range(5):
                thread = threading.Thread(target=outer, args=("n%d" % i,))
                thread.start()
                thread.join()
    """)
    assert len(spool.files) == 6
    assert {spool.parent_of(c) for c, _ in spool.calls("work")} == {"outer"}
    assert {c.parent for c, _ in spool.calls("outer")} == {None}
    for name, records in spool.files.items():
        assert records[0][5] == int(name.split("-")[1])
        assert len([r for r in records if r[0] == "C"]) in (1, 2)


def test_many_threads_at_once(program):
    spool = program.main("""
        import sys, threading

        def work(n):
            return [n]

        def loop(k):
            for i in range(200):
                work(k * 1000 + i)

        def main():
            sys.setswitchinterval(1e-6)
            threads = [threading.Thread(target=loop, args=(k,)) for k in range(4)]
            [t.start() for t in threads]
            [t.join() for t in threads]
    """)
    calls = spool.calls("work")
    assert all(end.value == [call.args[0]] for call, end in calls if end)
    assert len({c.cid for c, _ in calls}) == len(calls)
    assert all(end for _, end in spool.calls("loop"))


def test_fork(program):
    spool = program.main("""
        import os

        def f(x):
            return x

        def main():
            f(1)
            if os.fork() == 0:
                f(2)
                os._exit(0)
            os.wait()
            f(3)
    """)
    processes = spool.by_process()
    assert len(processes) == 2
    by_parent = {records[0][3]: records for records in processes.values()}
    child = next(r for r in processes.values() if r[0][4] in {int(p) for p in processes})
    assert [r.args for r in child if r[0] == "C"] == [(2,)]
    assert [r.parent for r in child if r[0] == "C"] == [None]
    assert [r[3] for r in child if r[0] == "F"] == ["f", "main"]
    assert len(by_parent) == 2
    parent = next(r for r in processes.values() if r is not child)
    assert [r.args for r in parent if r[0] == "C"] == [(), (1,), (3,)]


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(program, method):
    program.write("app.py", f"""
        import multiprocessing

        class Job:
            def __init__(self, x):
                self.x = x

        def work(job):
            return Job(job.x * 2)

        def main():
            context = multiprocessing.get_context({method!r})
            with context.Pool(2) as pool:
                print(sum(j.x for j in pool.map(work, [Job(i) for i in range(4)])))

        if __name__ == "__main__":
            main()
    """)  # fmt: skip
    done = program.same("app.py")
    assert done.stdout == "12\n"
    spool = program.read(done)
    assert sorted(c.args[0][-1]["x"] for c, _ in spool.calls("work")) == [0, 1, 2, 3]


def test_subprocess(program):
    program.write("child.py", "def inner():\n    return 'in'\ninner()\n")
    spool = program.main("""
        import subprocess, sys

        def main():
            subprocess.run([sys.executable, "child.py"], check=True)
    """)
    assert len(spool.by_process()) == 2
    assert spool.one("inner")[1].value == "in"


def test_replacing_the_process(program):
    spool = program.main("""
        import os, sys

        def f(x):
            return x

        def main():
            f(len(sys.argv))
            if len(sys.argv) == 1:
                os.execv(sys.executable, [sys.executable, "main.py", "again"])
    """)
    assert [h[5] for h in spool.of("H")] == [0, 1]
    calls = spool.calls("f")
    assert len({c.cid for c, _ in calls}) == len(calls) >= 2


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), 9)", "ctypes.string_at(0)"])
def test_sudden_ends_lose_nothing(program, end):
    program.write(
        "app.py",
        f"""
        import ctypes, os

        def f(x):
            return x

        def last():
            {end}

        def main():
            for i in range(1, 8):
                f(i)
            last()
    """,
    )
    program.write("main.py", "import app\napp.main()\n")
    done = program.run("main.py")
    assert done.returncode != 0
    spool = program.read(done)
    assert [e.value for _, e in spool.calls("f")] == list(range(1, 8))
    assert spool.one("last")[1] is None and spool.one("main")[1] is None


def test_xdist_workers(program):
    program.write("lib.py", "def f(x):\n    return x\n")
    program.write("test_lib.py", textwrap.dedent("""
        import pytest
        from lib import f

        @pytest.mark.parametrize("x", range(1, 7))
        def test_f(x):
            assert f(x) == x
    """))  # fmt: skip
    spool = program.record("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    assert "6 passed" in spool.process.stdout
    assert sorted(c.args for c, _ in spool.calls("f")) == [(i,) for i in range(1, 7)]


def test_a_running_program_can_be_read(program):
    program.write(
        "main.py",
        """
        import time

        def f(x):
            return x

        def wait():
            print("now", flush=True)
            time.sleep(60)

        f(1)
        wait()
    """,
    )
    running = subprocess.Popen(
        [sys.executable, "main.py"], cwd=program.root, env=program.environment(), stdout=subprocess.PIPE
    )
    try:
        assert running.stdout.readline() == b"now\n"
        deadline = time.time() + 10
        while time.time() < deadline:
            spool = read_folder(program.spool)
            if spool.calls("wait"):
                break
        assert spool.one("f")[1].value == 1
        assert spool.one("wait")[1] is None
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()


def test_other_pythons_are_left_alone(program):
    program.write("child.py", "import sys\nsys.stdout.write('%d.%d\\n' % sys.version_info[:2])\n")
    for version in ("2.7.18", "3.6.15", "3.9.18"):
        python = os.path.expanduser(f"~/.pyenv/versions/{version}/bin/python")
        if not os.path.exists(python):
            continue
        done = subprocess.run([python, "child.py"], cwd=program.root, env=program.environment(), capture_output=True)
        assert done.stdout.decode() == version.rpartition(".")[0] + "\n"
        assert done.stderr == b""
    assert not list(program.spool.iterdir())
