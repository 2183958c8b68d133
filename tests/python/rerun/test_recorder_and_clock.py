"""The recorder is on in each process of a rerun, and the clock can be put forward."""

import json
import sys
import time

import pytest
from spools import read_folder

DAY = 86400.0


def test_each_test_writes_its_own_calls(project):
    project.write(
        "shop.py",
        """
        def price(count):
            return count * 10

        def load(name):
            return {"name": name}
        """,
    )
    project.write(
        "conftest.py", "import pytest, shop\n@pytest.fixture(scope='session')\ndef app(): return shop.load('app')\n"
    )
    project.write(
        "test_it.py",
        """
        import os, shop
        def test_a(app): assert shop.price(2) == 20
        def test_b(app): assert shop.price(3) == 30
        def test_fails(app): assert shop.price(4) == 0
        def test_exits(app): shop.price(5); os._exit(3)
        def test_forks(app):
            pid = os.fork()
            if pid == 0:
                shop.price(6)
                os._exit(0)
            os.waitpid(pid, 0)
        """,
    )
    names = [f"test_it.py::test_{name}" for name in ("a", "b", "fails", "exits", "forks")]
    found = project.rerun(*names, recorded=True)
    assert [found[name]["outcome"] for name in names] == ["passed", "passed", "failed", "died", "passed"]
    spool = read_folder(project.spool)
    calls = {}
    for process in spool.by_process():
        ids = {f[1]: f[3] for f in spool.by_process()[process] if f[0] == "F"}
        calls[int(process)] = [(ids[c.fid], c.args) for c in spool.by_process()[process] if c[0] == "C"]
    assert [calls.get(found[name]["pid"]) for name in names[:3]] == [[("price", (n,))] for n in (2, 3, 4)]
    everything = [call for process in calls.values() for call in process]
    assert everything.count(("load", ("app",))) == 1, "above the tests"
    above = next(records for records in spool.by_process().values() if ("load", ("app",)) in _calls(records))
    assert [r[1] for r in above if r[0] == "B"] == [names[0]], "it belongs to the test that needed it first"
    assert ("price", (6,)) in everything
    ended = {int(process) for process, records in spool.by_process().items() if any(r[0] == "Z" for r in records)}
    assert {found[name]["pid"] for name in names[:3]} <= ended, "the recorder of each test wrote its end"
    data = (project.spool / f"{found[names[0]]['pid']}-0.spool").read_bytes()
    assert len(data) - len(data.rstrip(b"\0")) <= 4, "and gave back the room that it did not use"


def _calls(records):
    ids = {f[1]: f[3] for f in records if f[0] == "F"}
    return [(ids[c.fid], c.args) for c in records if c[0] == "C"]


def test_what_runs_before_the_first_test_is_the_start(project):
    project.write("shop.py", "def register(name):\n    return name.upper()\n\nONE = register('one')\n")
    project.write("test_one.py", "import shop\ndef test_a(): shop.register('a')\n")
    project.write("test_two.py", "import shop\nTWO = shop.register('two')\ndef test_b(): pass\n")
    found = project.rerun("", "test_one.py::test_a", recorded=True, collect=["test_one.py", "test_two.py"])
    assert [found[name]["outcome"] for name in ("", "test_one.py::test_a")] == ["passed", "passed"]
    processes = {int(pid): _calls(records) for pid, records in read_folder(project.spool).by_process().items()}
    assert processes[found[""]["pid"]] == [("register", ("one",)), ("register", ("two",))]
    assert processes[found["test_one.py::test_a"]["pid"]] == [("register", ("a",))]


def test_lines_that_a_test_does_not_run_are_said(project):
    project.write(
        "shop.py",
        """
        import threading

        def price(count):
            if count > 2:
                return 3
            return 4

        def late():
            worker = threading.Thread(target=price, args=(3,))
            worker.start()
            worker.join()

        ONE = price(1)
        """,
    )
    project.write("test_it.py", "import shop\ndef test_a(): shop.price(1)\ndef test_b(): shop.late()\n")
    names = ["", "test_it.py::test_a", "test_it.py::test_b"]
    found = project.rerun(*names[1:], lines={"shop.py": [5, 6, 7]})
    ran = {name: {line: ran for _, line, ran in found[name]["lines_run"]} for name in names[1:]}
    assert ran == {names[1]: {5: True, 6: False, 7: True}, names[2]: {5: True, 6: True, 7: False}}
    found = project.rerun(*names[:2], collect=["test_it.py"], lines={"shop.py": [6, 7]}, project=str(project.base))
    assert found[""]["lines_run"] == [], "there is no such file"
    found = project.rerun(*names[:1], collect=["test_it.py"], lines={"project/shop.py": [6, 7]}, project=str(project.base))
    assert found[""]["lines_run"] == [["project/shop.py", 6, False], ["project/shop.py", 7, True]]
    assert "lines_run" not in project.rerun(names[1])[names[1]]


def test_lines_are_followed_beside_the_recorder_where_they_are_not_in_its_way(project):
    project.write("shop.py", "def price(count):\n    if count > 2:\n        return 3\n    return 4\n")
    project.write("test_it.py", "import shop\ndef test_a(): shop.price(1)\ndef test_b(): shop.price(3)\n")
    names = ["test_it.py::test_a", "test_it.py::test_b"]
    found = project.rerun(*names, recorded=True, lines={"shop.py": [2, 3, 4]})
    ran = [found[name].get("lines_run") for name in names]
    both = [[["shop.py", 2, True], ["shop.py", 3, one], ["shop.py", 4, not one]] for one in (False, True)]
    assert ran == (both if sys.version_info >= (3, 12) else [None, None])
    processes = {int(pid): _calls(records) for pid, records in read_folder(project.spool).by_process().items()}
    assert [processes[found[name]["pid"]] for name in names] == [[("price", (1,))], [("price", (3,))]]


def test_lines_are_followed_in_files_to_which_the_program_s_path_leads_by_a_detour(project):
    project.write("shop.py", "def price(count):\n    if count > 2:\n        return 3\n    return 4\n")
    project.write("tests/conftest.py", "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))\n")
    project.write("tests/test_it.py", "import shop\ndef test_a(): assert '..' in shop.__file__ and shop.price(1)\n")
    test = "tests/test_it.py::test_a"
    found = project.rerun(test, lines={"shop.py": [2, 3, 4]})
    assert found[test]["outcome"] == "passed"
    assert found[test]["lines_run"] == [["shop.py", 2, True], ["shop.py", 3, False], ["shop.py", 4, True]]


def test_a_start_with_a_file_that_breaks_fails(project):
    project.write("test_one.py", "def test_a(): pass\n")
    project.write("test_two.py", "1 / 0\n")
    found = project.rerun("", "test_one.py::test_a", collect=["test_one.py", "test_two.py"])
    assert (found[""]["outcome"], found[""]["line"]) == ("failed", 1)
    assert "ZeroDivisionError" in found[""]["said"]
    assert found["test_one.py::test_a"]["outcome"] == "passed"
    project.write("conftest.py", "1 / 0\n")
    project.rerun("", collect=["test_one.py"])
    assert [(line["kind"], line["tests"]) for line in project.lines] == [("broken", [""])]


CLOCK = """
    import datetime, json, time
    from datetime import date, datetime as moment
    from time import monotonic, time as now

    IMPORTED = now()

    class Timer:
        timer = time.time

    def test_times():
        found = [IMPORTED, Timer().timer(), time.time(), now(), time.time_ns() / 10**9, moment.now().timestamp(), moment.today().timestamp(),
                 datetime.datetime.now(datetime.timezone.utc).timestamp(), time.mktime(time.localtime())]
        days = [date.today().isoformat(), time.strftime("%Y-%m-%d"), time.strftime("%Y-%m-%d", time.localtime())]
        json.dump([found, days], open("log", "w"))

    def test_ticks():
        before, began = now(), monotonic()
        time.sleep(0.02)
        assert 0.02 <= now() - before < 5 and 0.02 <= monotonic() - began < 5
        assert isinstance(moment.now(), moment) and isinstance(moment.now(), datetime.datetime)
"""


@pytest.mark.parametrize("days", [0, 40])
def test_the_clock_is_put_forward(project, days):
    project.write("test_it.py", CLOCK)
    shift = days * DAY + 0.5 if days else None
    assert project.outcomes("test_it.py::test_times", "test_it.py::test_ticks", shift_seconds=shift) == ["passed"] * 2
    moments, dates = json.loads("\n".join(project.log()))
    expected = time.time() + days * DAY
    for moment in moments:
        assert expected - 60 < moment < expected + 60
    assert set(dates) <= {time.strftime("%Y-%m-%d", time.localtime(expected - 60 * at)) for at in (0, 1)}


@pytest.mark.parametrize("library", ["freezegun", "time_machine"])
def test_tests_that_stop_the_clock_themselves_go_on_to_work(project, library):
    project.needs(library)
    stop = {
        "freezegun": "freezegun.freeze_time('2020-01-01')",
        "time_machine": "time_machine.travel('2020-01-01T00:00Z')",
    }
    project.write(
        "test_it.py",
        f"""
        import datetime, time
        import {library}
        def test_a():
            assert time.time() > 1700000000
            with {stop[library]}:
                assert time.gmtime()[:3] == (2020, 1, 1)
                assert datetime.datetime.now(datetime.timezone.utc).year == 2020
            assert time.time() > {time.time() + 39 * DAY}
        """,
    )
    assert project.outcomes("test_it.py::test_a", shift_seconds=40 * DAY) == ["passed"]
