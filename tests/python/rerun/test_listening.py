"""Calls in a test that runs again say what they did besides ending."""

from spools import read_folder

KEY = "its side effects"
APP = """
    import sqlite3

    class Store:
        def __init__(self, folder):
            self.folder = folder

        def write(self, name):
            (self.folder / name).write_text("x")

        def say(self, text):
            print("saying " + text)

        def keep(self, name):
            db = sqlite3.connect(self.folder / "x.db")
            db.execute("create table t (name)")
            db.execute("insert into t values (?)", (name,))
            db.commit()
            db.close()

        def send_all(self, names):
            for name in names:
                send(name, self)

        def each(self):
            print("one")
            yield 1
            print("two")

    def send(name, store, password="hunter2"):
        return name
"""


def effects(project, body, functions=None):
    """Runs a test with this body again; gives what each call in it did, by name."""
    project.write("app.py", APP)
    project.write("test_it.py", "import app\ndef test_it(tmp_path):\n    store = app.Store(tmp_path)\n    " + body)
    test = "test_it.py::test_it"
    wanted = {} if functions is None else {"functions": {test: functions}}
    found = project.rerun(test, recorded=True, env={"PYTEAD_MODE": "every"}, **wanted)
    assert found[test]["outcome"] == "passed", found
    told: dict = {}
    for records in read_folder(project.spool).by_process().values():
        names = {f[1]: f[3] for f in records if f[0] == "F"}
        calls = {c[1]: names[c[2]] for c in records if c[0] == "C"}
        told.update({calls[r[1]]: dict(r[-1]).get(KEY) for r in records if r[0] == "R"})
        assert not [r for r in records if r[0] == "!"], records
    return told


def test_files_output_and_statements_are_told(project):
    told = effects(project, "store.write('a.txt'); store.say('x'); store.keep('tea')")
    assert told["Store.write"] == {"files": {"tmp_path/a.txt": "x"}}
    assert told["Store.say"] == {"output": "saying x\n"}
    assert told["Store.keep"] == {
        "statements": ["create table t (name)", "BEGIN", "insert into t values ('tea')", "COMMIT"]
    }
    assert told["Store.__init__"] == {}


def test_the_arguments_of_calls_that_a_call_makes_are_told_without_objects_and_secrets(project):
    told = effects(project, "store.send_all(['a', 'b'])", ["app:Store.send_all"])
    sent = told["Store.send_all"]["calls of send"]
    assert [one.pop("password")[1] for one in sent] == ["secret", "secret"]
    assert sent == [{"name": name, "store": "Store"} for name in "ab"]


def test_of_a_generator_that_was_paused_nothing_is_told(project):
    assert effects(project, "list(store.each())")["Store.each"] is None


def test_what_the_recorder_writes_is_no_file_of_the_program(project):
    told = effects(project, "store.send_all([[str(at) + 700 * word for word in 'abcdefgh'] for at in range(450)])")
    assert sum(file.stat().st_size for file in project.spool.iterdir()) > (1 << 20), "its file grew in the call"
    assert "files" not in told["Store.send_all"]
