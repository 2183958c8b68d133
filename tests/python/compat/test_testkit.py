"""Tests that pytead generated go on running where pytead is not installed: its whole run-time interface is here."""

import math
import types

import pytest
import recorded
from pytead.normalize import tuples_to_lists
from pytead.testkit import (
    assert_match_graph_snapshot,
    graph_to_data,
    is_literal_like,
    param_ids,
    rehydrate_from_graph,
    run_case,
    sanitize_for_py_literals,
    setup,
)


def test_a_graph_gives_back_every_kind_of_container():
    graph = {
        "$id": 1,
        "list": {"$id": 2, "$list": [1, {"$id": 3, "$tuple": [2, "b"]}]},
        "set": {"$id": 4, "$set": [1, {"$id": 5, "$tuple": [2, 3]}], "$frozen": False},
        "frozen": {"$id": 6, "$set": ["a"], "$frozen": True},
        "map": {"$id": 7, "$map": [[{"$id": 8, "$tuple": [1, 2]}, "x"], [3, None]]},
    }
    assert graph_to_data(graph) == {
        "list": [1, (2, "b")], "set": {1, (2, 3)}, "frozen": frozenset("a"), "map": {(1, 2): "x", 3: None},
    }  # fmt: skip


def test_what_a_graph_holds_twice_is_one_object():
    data = graph_to_data({"$id": 1, "a": {"$id": 2, "$list": [1]}, "b": {"$ref": 2}, "me": {"$ref": 1}})
    assert data["a"] is data["b"]
    assert data["me"] is data
    again = graph_to_data(data)
    assert again["me"] is again and again["a"] is again["b"]


def test_a_reference_to_nothing_stays_as_it_is():
    assert graph_to_data([{"$ref": 9}]) == [{"$ref": 9}]


def test_an_object_is_made_without_its_constructor():
    line = rehydrate_from_graph(
        {
            "$id": 1,
            "start": {"$id": 2, "x": 1, "y": 0},
            "end": {"$id": 3, "x": 7, "y": 0},
            "tags": ["a"],
            "weights": {"k": 1},
        },
        recorded.Line,
    )
    assert type(line) is recorded.Line and type(line.start) is types.SimpleNamespace
    assert (line.tags, line.weights) == (["a"], {"k": 1})
    assert recorded.width(line) == 6


def test_inner_objects_get_their_classes_when_asked_for():
    line = rehydrate_from_graph(
        {"start": {"x": 1, "y": 0}, "end": {"x": 2, "y": 0}}, recorded.Line, prefer_shell_for_nested=False
    )
    assert type(line.start) is recorded.Point and line.start.moved(2).x == 3


def test_slots_are_set_and_what_cannot_be_set_is_left_out():
    made = rehydrate_from_graph({"a": 5, "unknown": 1}, recorded.Slotted)
    assert made.a == 5 and not hasattr(made, "unknown")


def test_data_that_is_no_object_stays_data():
    assert rehydrate_from_graph([1, 2], recorded.Point) == [1, 2]


def test_a_snapshot_matches_by_public_attributes_alone():
    assert_match_graph_snapshot(recorded.Point(1, 2).moved(3), {"x": 4, "y": 2})
    assert_match_graph_snapshot(recorded.Slotted(1), {"a": 1})
    assert_match_graph_snapshot(
        {"t": (1, (2, math.nan)), 3: {2, 1}}, {"$map": [["t", [1, [2, None]]], [3, {"$set": [1, 2]}]]}
    )


def test_a_snapshot_ends_where_an_object_holds_itself():
    assert_match_graph_snapshot(recorded.ring("r"), {"name": "r", "next": {}})
    with pytest.raises(AssertionError):
        assert_match_graph_snapshot(recorded.ring("r"), {"name": "other", "next": {}})


def test_a_snapshot_looks_as_deep_as_it_was_made():
    text = "<recorded.Node>"
    assert_match_graph_snapshot(recorded.chain(3), {"name": "2", "next": {"name": "1", "next": text}}, max_depth=2)


@pytest.mark.parametrize(
    ("real", "expected", "where"),
    [
        (recorded.Point(1, 3), {"x": 1, "y": 2}, r"result\['y'\] is 3, expected 2"),
        ([1, 2], [1], "result has 2 items, expected 1"),
        ({"a": 1}, {"a": 1, "b": 2}, "result lacks 'b'"),
        ({"a": 1, "c": 2}, {"a": 1}, "result has besides 'c'"),
        ([{"a": [0]}], [{"a": [1]}], r"result\[0\]\['a'\]\[0\] is 0, expected 1"),
    ],
)
def test_a_snapshot_says_where_it_differs(real, expected, where):
    with pytest.raises(AssertionError, match=where):
        assert_match_graph_snapshot(real, expected)


def test_a_snapshot_that_refers_to_nothing_is_refused():
    with pytest.raises(AssertionError, match=r"does not hold: \[4\]"):
        assert_match_graph_snapshot([1], [{"$ref": 4}])


def test_a_case_calls_the_function_and_compares():
    run_case("recorded.total", ((2, 3), {}, 5, None, None, None, None))
    run_case("recorded.total", ((2,), {"b": 3}, 5, None, None, None, None))
    with pytest.raises(AssertionError):
        run_case("recorded.total", ((2, 3), {}, 6, None, None, None, None))


def test_a_case_of_a_method_has_its_own_object():
    state = {"type": "recorded.Point", "state": {"x": 4, "y": 2}}
    run_case("recorded.Point.moved", ((3,), {}, None, "recorded.Point", {"x": 1, "y": 2}, None, state))
    run_case(
        "recorded.Point.moved",
        (("<recorded.Point object at 0x7f>", 3), {}, None, "recorded.Point", {"x": 1, "y": 2}, None, state),
    )
    with pytest.raises(AssertionError, match="attribute 'x'"):
        run_case("recorded.Point.moved", ((4,), {}, None, "recorded.Point", {"x": 1, "y": 2}, None, state))


def test_a_case_takes_objects_as_arguments():
    start, end = ({"type": "types.SimpleNamespace", "state": {"x": x}} for x in (1, 5))
    line = {"type": "recorded.Line", "state": {"start": types.SimpleNamespace(x=1), "end": types.SimpleNamespace(x=5)}}
    run_case("recorded.width", (("line",), {}, 4, None, None, {"pos": {0: line}, "kw": {}}, None))
    run_case("recorded.width", ((), {"line": ""}, 4, None, None, {"pos": {}, "kw": {"line": line}}, None))
    assert start != end


def test_a_name_that_cannot_be_imported_is_said():
    with pytest.raises(ImportError, match="no_such_module"):
        run_case("no_such_module.f", ((), {}, None, None, None, None, None))


def test_names_of_cases_are_their_arguments_cut_to_a_length():
    names = param_ids([((1, "a"), {}, 0, None), ((2,), {"k": 3}, 0, None), (("x" * 99,), {}, 0, None)], maxlen=20)
    assert names[:2] == ["(1, 'a')", "(2,) {'k': 3}"] and len(names[2]) == 20 and names[2].endswith("...")


def test_the_project_is_found_where_the_recorded_folder_is_gone(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", [])
    (tmp_path / "setup.cfg").touch()
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    setup(tmp_path / "tests/test_x.py", ["src", "/gone/for/ever"])
    import sys

    assert sys.path == [str(tmp_path / "src"), str(tmp_path)]


def test_values_are_levelled_as_they_were():
    assert sanitize_for_py_literals((1, [math.inf, {"a": math.nan}])) == (1, [None, {"a": None}])
    assert tuples_to_lists((1, [(2,)])) == [1, [[2]]]
    assert is_literal_like({"a": [1, (None, 2.5)]}) and not is_literal_like({1: "a"}) and not is_literal_like([b""])
