"""A spool file holds whole records to the very last, whatever becomes of the disk, the process and its descriptors."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from spools import read_file, read_folder

ASSETS = Path(__file__).resolve().parents[3] / "assets" / "python"
FIRST = 1 << 16

LARGE = """
    def f(x):
        return x

    def main():
        for i in range(1, 100):
            f(str(i) + "-" * 4000)
        print("done")
"""


@pytest.fixture
def recorder(monkeypatch):
    """Gives the recorder's own modules, without a recorder."""
    monkeypatch.syspath_prepend(str(ASSETS))
    from pytead_tui.recorder import mapped, spool, spools

    yield mapped, spool, spools
    for name in [name for name in sys.modules if name.split(".")[0] == "pytead_tui"]:
        del sys.modules[name]


def main(program, source, **extra):
    program.write("app.py", source)
    program.write("main.py", "import app\napp.main()\n")
    return program.run("main.py", **extra)


def test_records_go_through_memory_and_outlive_a_kill(program):
    done = main(program, "import os\ndef f(x):\n    return x\ndef main():\n    f(1)\n    os.kill(os.getpid(), 9)\n")
    assert done.returncode == -signal.SIGKILL
    (path,) = program.spool.iterdir()
    assert path.stat().st_size == FIRST, "the room was reserved, and nobody lived to give it back"
    assert program.read().results("f") == [1]


def test_a_program_never_sees_that_files_are_mapped(program):
    done = main(program, "import sys\ndef main():\n    print('mmap' in sys.modules)\n")
    assert done.stdout == "False\n"


def test_records_cross_from_window_to_window(recorder, tmp_path):
    mapped, _, _ = recorder
    file = mapped.Mapped(str(tmp_path / "1-0.spool"), 0)
    wanted = [(i, b"x" * (i * 37 % 5000)) for i in range(2000)] + [(2000, b"y" * 1_000_000), (2001, b"")]
    for record in wanted:
        file.write(record)
    path = tmp_path / "1-0.spool"
    assert file.allocated == path.stat().st_size
    assert read_file(path) == wanted
    used = file.base + file.at
    file.close()
    assert path.stat().st_size == used
    assert read_file(path) == wanted


@pytest.mark.parametrize("code", [errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSPC])
def test_without_reserved_room_records_are_appended(recorder, tmp_path, monkeypatch, code):
    mapped, spool, spools = recorder

    def refuses(*_):
        raise OSError(code, "no")

    monkeypatch.setattr(mapped.os, "posix_fallocate", refuses)
    files = spools.Spools(str(tmp_path), "r", "calls", "/p")
    file = files.current()
    assert type(file) is spool.Appended
    for i in range(10):
        file.write(("Z", i))
    file.close()
    head, *rest = read_file(tmp_path / f"{os.getpid()}-0.spool")
    assert head[0] == "H" and rest == [("Z", i) for i in range(10)]


def test_a_window_that_cannot_be_reserved_ends_the_file_with_a_gap(recorder, tmp_path, monkeypatch):
    mapped, spool, _ = recorder
    file = mapped.Mapped(str(tmp_path / "1-0.spool"), 0)
    monkeypatch.setattr(mapped.os, "posix_fallocate", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    written = 0
    with pytest.raises(spool.Full):
        while written < 1000:
            file.write(("C", b"x" * 1000))
            written += 1
    file.write(("G", "spool full or unwritable", 1))
    with pytest.raises(spool.Full):
        file.write(("C", b"x" * 1000))
    assert 60 < written < 66
    assert [r[0] for r in read_file(tmp_path / "1-0.spool")] == ["C"] * written + ["G"]


@pytest.mark.parametrize("kilobytes", [4, 200])
def test_a_limit_on_file_sizes_stops_recording_and_nothing_else(program, kilobytes):
    program.write("app.py", LARGE)
    program.write("main.py", "import app\napp.main()\n")
    limited = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({kilobytes << 10},) * 2); \
        os.execv(sys.executable, [sys.executable, 'main.py'])"
    # Under -S no recorder starts before the limit is there.
    done = program.run("-S", "-c", limited)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)
    spool = program.read()
    if kilobytes == 200:
        assert ("G", "spool full or unwritable", 1) in spool.of("G")
        assert len(spool.calls("f")) >= 5
    else:
        assert spool.of("H") and len(spool.calls("f")) < 2


def test_spools_may_lie_in_memory(program):
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("no /dev/shm here")
    import tempfile

    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        done = main(program, LARGE, PYTEAD_SPOOL=folder)
        assert done.stdout == "done\n"
        assert len(read_folder(Path(folder)).calls("f")) > 5


def test_descriptors_that_a_program_closes_and_uses_again_stay_its_own(program):
    source = """
        import os

        def f(x):
            return x

        def main():
            f(1)
            os.closerange(3, 100)
            global mine
            mine = [open("mine%d" % i, "w") for i in range(5)]
            for file in mine:
                file.write("kept to the end")
            for i in range(30):
                f(str(i) * 4000)
            f(2)
    """
    done = main(program, source)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    spool = program.read()
    assert {1, 2} <= set(spool.results("f")) and len(spool.calls("f")) > 5
    # They are flushed and closed by the interpreter, at its very end.
    assert [(program.root / f"mine{i}").read_text() for i in range(5)] == ["kept to the end"] * 5


@pytest.mark.parametrize("kernel", ["wipes", "refuses"])
def test_a_process_is_told_from_one_that_was_forked_off_it(program, kernel):
    program.write(
        "main.py",
        """
        import ctypes, os, sys
        from pytead_tui.recorder import forked

        if sys.argv[1] == "refuses":
            forked._WIPE = 12345  # no such advice
        mark = forked.mark()
        print(type(mark).__name__ == ("_Number" if sys.argv[1] == "refuses" or sys.platform != "linux" else "mmap"))
        print(int(mark[0]), flush=True)
        if ctypes.PyDLL(None).fork() == 0:
            print(int(mark[0]), int(forked.mark()[0]), flush=True)
            os._exit(0)
        os.wait()
        print(int(mark[0]))
    """,
    )
    package = str(Path(__file__).resolve().parents[3] / "assets" / "python")
    done = program.run("main.py", kernel, recorded=False, PYTHONPATH=package)
    assert done.stdout.split() == ["True", "1", "0", "1", "1"], done.stderr


def test_a_fork_that_python_was_not_told_of_has_files_of_its_own(program):
    source = """
        import ctypes, os

        def f(x):
            return x

        def main():
            f(1)
            if ctypes.PyDLL(None).fork() == 0:
                f(2)
                os._exit(0)
            os.wait()
            f(3)
    """
    main(program, source)
    processes = program.read().by_process().values()
    assert sorted([c.args for c in records if c[0] == "C"] for records in processes) == [[(), (1,), (3,)], [(2,)]]


def test_a_generator_that_ends_in_another_thread_disturbs_no_record(program):
    source = """
        import sys, threading

        def numbers(n):
            for i in range(200):
                yield i

        def f(x):
            return x

        def main():
            sys.setswitchinterval(1e-6)
            made = [numbers(n) for n in range(8)]
            firsts = [next(g) for g in made]
            threads = [threading.Thread(target=list, args=(g,)) for g in made]
            [t.start() for t in threads]
            for i in range(3000):
                f(i)
            [t.join() for t in threads]
    """
    main(program, source, PYTEAD_MODE="journey")
    spool = program.read()
    assert len([y for y in spool.of("Y")]) == 1600
    assert len(spool.calls("f")) >= 100 and all(end for _, end in spool.calls("f"))


def test_signal_handlers_and_finalizers_leave_no_hole(program):
    source = """
        import signal

        class Stop(Exception):
            pass

        def stop(*_):
            raise Stop

        class Ends:
            def __del__(self):
                f("end")

        def f(x):
            return x

        def main():
            signal.signal(signal.SIGALRM, stop)
            for i in range(100):
                try:
                    # A finalizer that is running swallows what the handler raises.
                    signal.setitimer(signal.ITIMER_REAL, 0.0003)
                    for i in range(30):
                        f([Ends()])
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except Stop:
                    pass
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            print("done")
    """
    done = main(program, source, PYTEAD_MODE="journey", PYTEAD_LIMIT="1000")
    assert "done\n" == done.stdout
    # That nothing follows a hole is asserted wherever a file is read.
    assert program.read().calls("f")


def test_what_a_signal_handler_raised_is_known_after_its_function_got_other_code(program):
    source = """
        import signal
        from pytead_tui.recorder.failures import Failures

        def stop(*_):
            raise KeyError

        def main():
            signal.signal(signal.SIGUSR1, stop)
            try:
                signal.raise_signal(signal.SIGUSR1)
            except KeyError as error:
                stop.__code__ = stop.__code__.replace(co_stacksize=40)
                try:
                    Failures().failed(error)
                except KeyError:
                    print("raised again")
    """
    assert main(program, source).stdout == "raised again\n"


def test_the_end_of_a_thread_gives_back_what_it_reserved(program):
    source = """
        import threading

        def f(x):
            return x

        def main():
            for i in range(20):
                thread = threading.Thread(target=f, args=(i,))
                thread.start()
                thread.join()
    """
    main(program, source)
    sizes = sorted(path.stat().st_size for path in program.spool.iterdir())
    assert len(sizes) == 21 and sizes[19] < 4096, sizes


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells it")
def test_a_mapping_leaves_no_descriptor_where_it_needs_none(program):
    done = main(program, "import os\ndef main():\n    print(os.listdir('/proc/self/fd'))\n")
    count = len(eval(done.stdout))
    plain = subprocess.run(
        [sys.executable, "-c", "import os; print(len(os.listdir('/proc/self/fd')))"], capture_output=True, text=True
    )
    assert count - int(plain.stdout) == (0 if sys.version_info >= (3, 13) else 1)
