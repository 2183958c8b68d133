"""A search beside recorded calls asks nothing outside of its process, leaves alone what leads there, and keeps what recorded calls have
in common."""

import pytest
from searching import searched

from pytead_tui.recorder.values import TAG
from pytead_tui.worker.near_kept import Common, is_outside
from pytead_tui.worker.near_values import Pools, near

OUTSIDE = [
    ("where", "/etc/passwd"), ("where", "../up"), ("where", "notes.txt"), ("where", "src/app"), ("where", "https://a.test/x"),
    ("where", "mailto:a@b.test"), ("asked", "SELECT name FROM people"), ("asked", "drop table people"), ("run", "git push --force"),
    ("run", "echo $(whoami)"), ("file_name", "plain"), ("outputDir", "plain"), ("password", "plain"), ("api_key", "plain"),
    ("text", "[REDACTED:token]"), ("text", b"/etc/passwd"), ("words", ["ls", "-la"]), ("made", (TAG, "new", "pathlib", "PosixPath", ("a",), {})),
    ("held", (TAG, "secret", "token", 1, "str", 2)),
]  # fmt: skip


@pytest.mark.parametrize("name, value", OUTSIDE)
def test_what_leads_out_of_the_program_is_never_changed(name, value):
    pools = Pools(["x", 3])
    pools.learn(name, "another")
    assert is_outside(name, value)
    assert list(near(name, value, pools)) == []
    # Nor as a part of something else, nor as what stands in for another value.
    assert all(value in other for other in near("rows", [value, 5], pools) if type(other) is list and len(other) == 2 and 5 not in other)
    held = Pools([value] if is_outside("", value) else [])
    held.learn(name, value)
    assert all(other != value for other in near("n", "plain words", held))


@pytest.mark.parametrize("text", ["one two", "1 year", "a-b", "Total: 5", "10:30", "50%", "3.14", "1/2"])
def test_plain_texts_are_changed(text):
    assert not is_outside("text", text)
    assert len(list(near("text", text, Pools([])))) > 10


def test_what_all_recorded_calls_have_in_common_is_kept():
    calls = [
        {"names": ["a", "b"], "ages": [1, 2], "low": 1, "high": 4, "row": {"id": 3, "x": 1}, "code": "12"},
        {"names": ["c"], "ages": [4], "low": 0, "high": 9, "row": {"id": 4}, "code": "345"},
        {"names": ["d", "e", "f"], "ages": [4, 5, 9], "low": 2, "high": 3, "row": {"id": 5, "y": 2}, "code": "6"},
        {"names": ["d", "e"], "ages": [4, 5], "low": 2, "high": 2, "row": {"id": 9}, "code": "7"},
    ]
    common = Common(calls)
    assert all(map(common.hold, calls))
    good = calls[0]
    assert common.hold({**good, "names": ["a", "z"]})
    broken = {
        "of other lengths": {"names": ["a"]},
        "not in order": {"ages": [2, 1]},
        "the smaller one is larger": {"low": 5},
        "a key is gone": {"row": {"x": 1}},
        "of another type": {"names": ["a", 2]},
        "negative": {"low": -1},
        "no number any more": {"code": "x2"},
        "empty": {"names": [], "ages": []},
    }
    for why, other in broken.items():
        assert not common.hold({**good, **other}), why


def test_sizes_grow_at_most_tenfold():
    common = Common([{"text": "abc"}, {"text": "ab"}])
    assert common.fits("text", "x" * 30) and not common.fits("text", "x" * 31)


LOOKS = {
    "a file is read": "open('/etc/hostname').read()",
    "a file is written": "open('/tmp/pytead-near-test', 'w').close()",
    "a folder is listed": "__import__('os').listdir('/')",
    "a program is started": "__import__('subprocess').run(['true'])",
    "a socket is opened": "__import__('socket').socket()",
    "a thread is started": "__import__('_thread').start_new_thread(print, ())",
}


@pytest.mark.parametrize("name", LOOKS)
def test_an_input_at_which_something_outside_is_asked_for_says_nothing(tmp_path, name):
    old = "def f(n):\n    return n\n"
    looks = LOOKS[name]
    caught = f"    if n > 50:\n        try:\n            {looks}\n        except BaseException:\n            pass\n        return 'other'\n"
    near = searched(tmp_path, old, old.replace("    return n", caught + "    return n"), [(3,), (20,), (40,)])
    assert near.broken is None and near.tried > 5
    assert near.found == []


def test_without_a_sandbox_of_the_kernel_nothing_is_searched(tmp_path):
    near = searched(tmp_path, "def f(n):\n    return n > 3\n", "def f(n):\n    return n >= 3\n", [(1,), (9,)], level="weak")
    assert near.found == [] and near.broken == "near inputs run only in the sandbox of the kernel"
