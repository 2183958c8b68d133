//! Functions that write files: calls of recorded tests below a temporary folder become tests that assert what lies there (R16).

use crate::applications::{passes, project};

const KEEP: &str = r#"import json
from pathlib import Path


def save(path, lines):
    with open(path, "a", encoding="utf-8") as stream:
        for line in lines:
            stream.write(line + "\n")


def export(folder, rows):
    target = Path(folder) / "out" / "rows.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(rows))
    return target


def tidy(folder):
    removed = 0
    for path in Path(folder).glob("*.bak"):
        path.unlink()
        removed += 1
    return removed


def log(text):
    with open("events.log", "a") as stream:
        stream.write(text + "\n")


def leave(text):
    with open("left-behind.txt", "w") as stream:
        stream.write(text)
"#;

const KEEP_TESTS: &str = r#"import os
import tempfile

import keep


def test_save(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("tea\n")
    keep.save(tmp_path / "notes" / "a.txt", ["cake"])
    assert (tmp_path / "notes" / "a.txt").read_text() == "tea\ncake\n"


def test_export():
    with tempfile.TemporaryDirectory() as folder:
        assert keep.export(folder, [{"id": 1}]).exists()


def test_tidy(tmp_path):
    (tmp_path / "x.bak").write_text("old")
    assert keep.tidy(str(tmp_path)) == 1


def test_log(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep.log("started")


def test_leave():
    keep.leave("x")
    os.remove("left-behind.txt")
"#;

/// R16: a function that appends to a file, one that makes a folder and a file, one that removes a file and one that writes where it
/// works get tests of what they wrote. One that writes into the project gets none.
#[test]
fn files_that_a_call_writes_below_a_temporary_folder_are_asserted() {
    let files =
        [("keep.py", KEEP), ("tests/test_keep.py", KEEP_TESTS), ("pytest.ini", "[pytest]\npythonpath = .\ntestpaths = tests\n")];
    let (place, python) = project(&files);
    let (code, out, err) = place.run(&["--trust", "--python", &python, "gen", "--accept"]);
    assert_eq!(code, 0, "{out}{err}");
    for function in ["save", "export", "tidy", "log"] {
        assert!(out.contains(&format!("keep:{function}  ready")), "{function}: {out}{err}");
    }
    assert!(!out.contains("keep:leave  ready") && out.contains("writes-files"), "{out}");
    let text = place.read("tests/pytead/test_pytead_keep.py");
    for lines in [
        "    (tmp_path / \"notes\").mkdir()\n    (tmp_path / \"notes/a.txt\").write_text(\"tea\\n\")\n",
        "    save(tmp_path / \"notes/a.txt\", [\"cake\"])\n    assert (tmp_path / \"notes/a.txt\").read_text() == \"tea\\ncake\\n\"\n",
        "    assert (tmp_path / \"out/rows.json\").read_text() == ",
        "    assert not (tmp_path / \"x.bak\").exists()\n",
        "    monkeypatch.chdir(tmp_path)\n    log(\"started\")\n    assert (tmp_path / \"events.log\").read_text() == \"started\\n\"\n",
    ] {
        assert!(text.contains(lines), "{lines}\n{text}");
    }
    passes(&place, &python, &[]);
    place.edit("keep.py", "line + \"\\n\"", "line");
    let done = std::process::Command::new(&python)
        .args(["-m", "pytest", "-q", "tests/pytead"])
        .current_dir(place.root())
        .output()
        .unwrap();
    assert!(!done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
}
