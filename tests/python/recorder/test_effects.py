"""What recorded calls do besides computing is noted, once a call and kind."""


def effects(spool, qualname):
    ids = {c.cid for c, _ in spool.calls(qualname)}
    return {(r[2], r[3]) for r in spool.of("E") if r[1] in ids}


def test_effects(program):
    program.write("data.txt", "x")
    spool = program.main("""
        import datetime, os, random, socket, subprocess, sys, threading, time, uuid, warnings
        from time import perf_counter as tick
        from random import randint

        def reads():
            with open("data.txt") as stream:
                return stream.read()

        def writes():
            for _ in range(3):
                with open("out.txt", "w") as stream:
                    stream.write("x")

        def runs():
            subprocess.run([sys.executable, "-c", "secret argument"], capture_output=True)

        def connects():
            with socket.socket() as client:
                client.settimeout(0.1)
                try:
                    client.connect(("127.0.0.1", 9))
                except OSError:
                    pass

        def asks_the_clock():
            return time.time(), datetime.datetime.now(), tick(), datetime.date.today()

        def throws_dice():
            return random.random(), randint(1, 2), uuid.uuid4(), os.urandom(1)

        def asks_the_environment():
            os.getenv("HOME")
            os.environ.get("HOME")
            return os.environ["PATH"]

        def asks_where():
            return os.getcwd()

        def starts():
            thread = threading.Thread(target=len, args=((),))
            thread.start()
            thread.join()

        def says():
            print("said")
            warnings.warn("careful")

        def computes():
            own = random.Random(3)
            own.random()
            return time.strptime("2024", "%Y"), datetime.datetime(2024, 1, 2).isoformat()

        def calls_another():
            return asks_where()

        def main():
            for f in (reads, writes, runs, connects, asks_the_clock, throws_dice, asks_the_environment, asks_where,
                      starts, says, computes, calls_another):
                f()
    """)  # fmt: skip
    assert effects(spool, "reads") == {("file", "read data.txt")}
    assert effects(spool, "writes") == {("file", "write out.txt")}
    assert len([r for r in spool.of("E") if r[3] == "write out.txt"]) == 1
    assert any(kind == "process" and detail.startswith("subprocess.Popen /") for kind, detail in effects(spool, "runs"))
    assert "secret argument" not in str(spool.of("E"))
    assert ("net", "socket.connect 127.0.0.1:9") in effects(spool, "connects")
    assert effects(spool, "asks_the_clock") == {
        ("clock", d) for d in ("time.time", "datetime.datetime.now", "time.perf_counter", "datetime.date.today")
    }
    assert effects(spool, "throws_dice") == {
        ("random", d) for d in ("random.random", "random.randint", "uuid.uuid4", "os.urandom")
    }
    assert effects(spool, "asks_the_environment") == {("env", "os.getenv"), ("env", "os.environ")}
    assert effects(spool, "asks_where") == {("cwd", "os.getcwd")}
    assert {kind for kind, _ in effects(spool, "starts")} == {"thread"}
    # Printing a warning reads the line it is about.
    assert {e for e in effects(spool, "says") if e[0] != "file"} == {
        ("output", "builtins.print"),
        ("warning", "warnings.warn"),
    }
    assert effects(spool, "computes") == set()
    # The inner call is a repetition, so its effect is that of the nearest kept call.
    assert effects(spool, "calls_another") == {("cwd", "os.getcwd")}
