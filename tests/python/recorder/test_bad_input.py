"""What programs do to a recorder: too much, too deep, too long, cut off, and broken."""

import marshal
import os
import signal
import subprocess
import sys
import textwrap

import pytest
from spools import read_file, read_folder


def test_values_without_end_cost_no_more_than_small_ones(program):
    spool = program.main("""
        import itertools

        def returns(kind):
            return VALUES[kind]

        def nested():
            tree = []
            for _ in range(100_000):
                tree = [tree]
            return tree

        def endless():
            return itertools.count(), iter(int, 1), (x for x in itertools.count())

        VALUES = {"list": list(range(1_000_000)), "text": "x" * 10_000_000, "dict": {i: i for i in range(100_000)}}

        def main():
            for kind in VALUES:
                returns(kind)
            nested()
            endless()
    """)
    assert [end.value[1:4] for _, end in spool.calls("returns")] == [
        ("cut", "list", 1_000_000), ("cut", "str", 10_000_000), ("cut", "dict", 100_000)
    ]  # fmt: skip
    assert spool.one("nested")[1][0] == spool.one("endless")[1][0] == "R"


def test_markers_of_the_spool_may_be_values_of_the_program(program):
    spool = program.main("""
        def take(x):
            return x

        def main():
            take((StopIteration, "ref", 1))
            take({"$ref": 1, "$id": 2})
            take([StopIteration, StopIteration()])
    """)
    (marker, _), (keys, _), (both, _) = spool.calls("take")
    name = (StopIteration, "name", "builtins", "StopIteration")
    assert marker.args[0] == (name, "ref", 1)
    assert keys.args[0] == {"$ref": 1, "$id": 2}
    assert both.args[0][0] == name and both.args[0][1][1] == "exc"


def test_a_dict_that_another_thread_changes(program):
    spool = program.main("""
        import sys, threading

        class Busy:
            def __init__(self):
                self.rows = {i: [i] for i in range(200)}
                self.names = set(range(200))

            def look(self, n):
                return n

        def main():
            sys.setswitchinterval(1e-6)
            busy = Busy()
            over = []

            def churn():
                n = 200
                while not over:
                    busy.rows[n] = [n]
                    busy.names.add(n)
                    del busy.rows[n]
                    busy.names.discard(n)
                    busy.__dict__["x%d" % (n % 7)] = n
                    busy.__dict__.pop("x%d" % (n % 7 - 1), None)
                    n += 1

            thread = threading.Thread(target=churn)
            thread.start()
            for n in range(40):
                busy.look("n" * n)
            over.append(1)
            thread.join()
            print("done")
    """)
    assert spool.process.stdout == "done\n"
    assert all(end is not None for _, end in spool.calls("Busy.look"))


def test_recursion_to_the_limit_in_a_journey(program):
    program.write(
        "app.py",
        """
        def down(n):
            return down(n + 1)

        def careful(n):
            try:
                return careful(n + 1)
            except RecursionError:
                return n
            finally:
                pass

        def main():
            for f in (down, careful):
                try:
                    print(f(0) > 500)
                except RecursionError as error:
                    print(type(error).__name__, len(str(error)) < 100)
            after()

        def after():
            return "after"
    """,
    )
    program.write("main.py", "import app\napp.main()\n")
    for mechanism in ("", "rewrite"):
        plain = program.run("main.py", recorded=False)
        recorded = program.run("main.py", PYTEAD_MODE="journey", PYTEAD_EVENTS=mechanism)
        assert (recorded.stdout, recorded.stderr) == (plain.stdout, plain.stderr)
        spool = program.read(recorded)
        assert spool.one("after")[1].value == "after" and spool.parent_of(spool.one("after")[0]) == "main"
        assert spool.one("main")[1].value is None
        assert all(end and end[0] == "X" for _, end in spool.calls("down"))
        for path in program.spool.iterdir():
            path.unlink()


def test_a_thread_that_never_ends(program):
    program.write(
        "app.py",
        """
        import threading, time

        def forever(started):
            started.set()
            while True:
                time.sleep(1)

        def main():
            started = threading.Event()
            threading.Thread(target=forever, args=(started,), daemon=True).start()
            started.wait()
            return "over"
    """,
    )
    program.write("main.py", "import app\nprint(app.main())\n")
    spool = program.read(program.same("main.py"))
    assert spool.one("forever")[1] is None and spool.one("main")[1].value == "over"


def test_a_spool_cut_at_any_byte_gives_the_records_before_the_cut(program):
    program.main("""
        def f(x):
            return x

        def main():
            f(1); f("text"); f([1, {"k": (None, 2.5)}])
    """)
    def whole_records(data):
        records, at = [], 0
        while at + 4 <= len(data):
            size = int.from_bytes(data[at : at + 4], "little")
            if not size or at + 4 + size > len(data):
                break
            records.append(marshal.loads(data[at + 4 : at + 4 + size]))
            at += 4 + size
        return records

    (path,) = program.spool.iterdir()
    data = path.read_bytes()
    whole = read_file(path)
    ends = []
    at = 0
    for _ in whole:
        at += 4 + int.from_bytes(data[at : at + 4], "little")
        ends.append(at)
    assert not any(data[at:]), "after the last record there is nothing"
    for size in range(at + 1):
        # What a reader sees that looks on while the next record is being written: its length comes last.
        begun = max([end for end in ends if end <= size], default=0)
        assert sum(end <= size for end in ends) == len(whole_records(data[:size])), size
        assert whole_records(data[:begun]) == whole[: ends.index(begun) + 1 if begun else 0]


def test_a_disk_that_is_full(program):
    """On a file system of 256 KiB in a mount namespace of its own."""
    small = program.root / "small"
    small.mkdir()
    mount = f"mount -t tmpfs -o size=256k none {small} && cp -r --no-preserve=all {program.spool}/. {small}"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("needs a mount namespace")
    program.write(
        "main.py",
        """
        def f(x):
            return [x] * 300

        def main():
            for i in range(90):
                f("%d" % i * (100 + i))
                globals()["g%d" % i] = i
            print("done")

        main()
    """,
    )
    copy = program.root / "after"
    script = f"{mount} && {sys.executable} main.py; status=$?; cp -r {small} {copy}; exit $status"
    env = program.environment(PYTEAD_SPOOL=str(small), PYTEAD_MODE="journey")
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=program.root, env=env, capture_output=True)
    assert (done.stdout, done.stderr, done.returncode) == (b"done\n", b"", 0)
    spool = read_folder(copy)
    assert 1 < len(spool.calls("f")) < 90


@pytest.mark.skipif(sys.platform != "linux", reason="the C library's fork")
def test_a_fork_that_python_is_not_told_of(program):
    program.write(
        "app.py",
        """
        import ctypes, os

        def f(x):
            return x

        def main():
            f(1)
            fork = ctypes.PyDLL(None).fork
            if fork() == 0:
                for i in range(50):
                    f("child" * i)
                os._exit(0)
            os.wait()
            f(2)
    """,
    )
    program.write("main.py", "import app\napp.main()\n")
    spool = program.read(program.run("main.py"))
    processes = spool.by_process()
    parent = next(records for records in processes.values() if records[0][4] == os.getpid())
    assert [r.args for r in parent if r[0] == "C"] == [(), (1,), (2,)]
    assert all(("child" * 2,) != r.args for r in parent if r[0] == "C")


def test_no_address_reaches_the_spool(program):
    program.main("""
        class Deep:
            def __init__(self, below):
                self.below = below
                self.here = object()

        def take(x, *more):
            return x

        def main():
            deep = None
            for _ in range(60):
                deep = Deep(deep)
            take(deep, object(), take, lambda: 0, [object()] * 3, iter([]), Deep, deep.__init__)
    """)
    for path in program.spool.iterdir():
        assert b" at 0x" not in path.read_bytes()


def test_a_limit_holds_for_threads_together(program):
    spool = program.main("""
        import sys, threading

        def f(x):
            return x

        def main():
            sys.setswitchinterval(1e-6)
            threads = [threading.Thread(target=f, args=(i + 1,)) for i in range(90)]
            [t.start() for t in threads]
            [t.join() for t in threads]
    """)
    assert len(spool.calls("f")) == 30, "the limit of direct calls"


def test_signals_end_a_recorded_program_as_they_end_any(program):
    program.write("main.py", textwrap.dedent("""
        import os, signal, time

        def f(x):
            return x

        def ends():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)

        f(1)
        ends()
    """))  # fmt: skip
    done = program.run("main.py")
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
    assert program.read(done).one("f")[1].value == 1


def test_a_folder_that_goes_away(program):
    program.write(
        "main.py",
        """
        import os, shutil, threading

        def f(x):
            return x

        f(1)
        shutil.rmtree(os.environ["PYTEAD_SPOOL"])
        f(2)
        thread = threading.Thread(target=f, args=("in a new file",))
        thread.start()
        thread.join()
        print(f(3))
    """,
    )
    done = program.run("main.py")
    assert (done.stdout, done.stderr, done.returncode) == ("3\n", "", 0)
    assert not os.path.exists(program.spool)
