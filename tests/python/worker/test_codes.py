"""What the server compiles ahead, and that nothing else comes of it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytead_tui.worker import codes, inputs
from pytead_tui.worker.codes import Codes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "price.py"
    path.write_text("raise SystemExit('nobody runs this')\n")
    return path


def compiled(root: Path, *paths: Path) -> Codes:
    made = Codes()
    made.want(str(root), [str(path) for path in paths])
    while made.wanted:
        made.compile_next()
    return made


def test_code_is_that_of_the_very_text_and_nothing_runs(file):
    kept = compiled(file.parent, file)
    assert kept.get(str(file), file.read_bytes()).co_filename == str(file)
    assert kept.get(str(file), b"price = 1\n") is None
    assert kept.get(str(file.parent / "other.py"), file.read_bytes()) is None


def test_a_file_that_is_no_file_of_the_project_is_left_alone(file, tmp_path):
    pipe, link, folder = tmp_path / "pipe.py", tmp_path / "link.py", tmp_path / "project"
    os.mkfifo(pipe)
    folder.mkdir()
    link.symlink_to("/dev/zero")
    broken = tmp_path / "broken.py"
    broken.write_text("def price(:\n")
    assert not compiled(tmp_path, pipe, link, broken, tmp_path / "gone.py", tmp_path).kept
    assert not compiled(folder, file).kept
    for no_paths in (None, "price.py", [1], {"price.py": 1}):
        kept = Codes()
        kept.want(str(tmp_path), no_paths)
        assert not kept.wanted


def test_what_is_kept_stays_within_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr(codes, "MOST", 1000)
    monkeypatch.setattr(codes, "LONGEST", 600)
    monkeypatch.setattr(codes, "MOST_FILES", 5)
    files = [tmp_path / f"m{n}.py" for n in range(9)]
    for n, one in enumerate(files):
        one.write_text("#" * 400 + f"\n{n}\n")
    kept = compiled(tmp_path, *files)
    assert sorted(kept.kept) == [str(one) for one in files[:2]], "the last that were compiled, of the first five"
    assert kept.size == sum(len(text) for text, _ in kept.kept.values()) <= 1000
    files[0].write_text("#" * 601)
    assert not compiled(tmp_path, files[0]).kept


def test_a_warning_of_the_compiler_is_not_told_by_the_server(tmp_path):
    (tmp_path / "odd.py").write_text("'\\d' is 1\n")
    script = (
        "import sys; from pytead_tui.worker.codes import Codes; kept = Codes(); folder = sys.argv[1]\n"
        "kept.want(folder, [folder + '/odd.py']); kept.compile_next(); print(len(kept.kept))\n"
    )
    package = Path(codes.__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, str(tmp_path.resolve())],
        env={"PYTHONPATH": str(package)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("1\n", "")


def test_a_folder_that_changed_just_now_stands_while_its_names_do(tmp_path):
    (tmp_path / "price.py").write_text("")
    was = inputs.mark(str(tmp_path))
    assert was is not None and inputs._stands(str(tmp_path), was)
    (tmp_path / "rate.py").write_text("")
    assert not inputs._stands(str(tmp_path), was)
    assert inputs.mark(str(tmp_path / "rate.py")) is None, "a file may be written twice in one tick"
    assert inputs.mark(str(tmp_path / "gone.py")) == () and inputs._stands(str(tmp_path / "gone.py"), ())


def test_a_folder_that_changed_long_ago_stands_by_its_times(tmp_path):
    while (was := inputs.mark(str(tmp_path))) is None or len(was) == 5:
        time.sleep(0.01)
    assert inputs._stands(str(tmp_path), was)
    (tmp_path / "price.py").write_text("")
    assert not inputs._stands(str(tmp_path), was)
