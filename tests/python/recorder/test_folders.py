"""What a call that a test makes itself writes below a temporary folder."""

import json

import pytest

PROGRAM = """
    import os

    def save(path, lines):
        with open(path, "a") as stream:
            stream.writelines(line + "\\n" for line in lines)

    def tidy(folder):
        for name in sorted(os.listdir(folder)):
            if name.endswith(".bak"):
                os.remove(os.path.join(folder, name))

    def lay(name):
        os.makedirs(name)
        with open(os.path.join(name, "raw"), "wb") as stream:
            stream.write(b"\\xff\\x00")
"""


@pytest.fixture
def told(program):
    program.write("keep.py", PROGRAM)

    def record(tests: str) -> dict:
        program.write("test_it.py", tests)
        spool = program.record("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:django", "test_it.py")
        functions = {record[1]: record[3] for record in spool.of("F")}
        calls = {record[1]: functions[record[2]] for record in spool.of("C")}
        found: dict = {}
        for record in spool.of("E"):
            if record[2] == "scene":
                found.setdefault(calls[record[1]], []).append(json.loads(record[3])["steps"][-1].get("folder"))
        return found

    return record


def test_files_are_told_as_they_were_and_as_they_are(told):
    (folder,) = told(
        """
        import keep
        def test_a(tmp_path):
            (tmp_path / "notes").mkdir()
            (tmp_path / "notes/a.txt").write_text("tea\\n")
            (tmp_path / "other.txt").write_text("x")
            keep.save(tmp_path / "notes/a.txt", ["cake"])
        """
    )["save"]
    assert (folder["folders"], folder["inside"]) == (["notes"], False)
    assert folder["before"] == [["notes/a.txt", {"text": "tea\n"}]]
    assert folder["after"] == [["notes/a.txt", {"text": "tea\ncake\n"}]]


def test_a_pipe_in_the_folder_does_not_hold_the_program(told):
    found = told(
        """
        import os
        import keep
        def test_a(tmp_path):
            os.mkfifo(tmp_path / "pipe")
            (tmp_path / "a.txt").write_text("tea\\n")
            keep.save(tmp_path / "a.txt", ["cake"])
        """
    )
    assert found.get("save", [None]) == [None]


def test_a_file_that_is_gone_and_one_of_bytes_are_told(told):
    found = told(
        """
        import keep
        def test_a(tmp_path):
            (tmp_path / "x.bak").write_text("old")
            keep.tidy(str(tmp_path))
        def test_b(tmp_path, monkeypatch):
            monkeypatch.chdir(tmp_path)
            keep.lay("new")
        """
    )
    assert found["tidy"][0]["after"] == [["x.bak", {"gone": True}]]
    (folder,) = found["lay"]
    assert folder["inside"] and folder["after"] == [["new/raw", {"bytes": "\xff\x00"}]]


def test_a_folder_of_tempfile_is_told_and_one_that_stays_as_it_is_is_not(told):
    found = told(
        """
        import tempfile, keep
        def test_a():
            with tempfile.TemporaryDirectory() as folder:
                keep.save(folder + "/a.txt", ["tea"])
        def test_b(tmp_path): keep.tidy(str(tmp_path))
        """
    )
    assert found["save"][0]["after"] == [["a.txt", {"text": "tea\n"}]]
    assert found.get("tidy", [None])[0] is None
