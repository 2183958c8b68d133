//! Verdicts: what a test does accepted, and a verdict overruled, in the workbench's queue and by `check`.

use super::steps::{Decision, Faults, killed, no_halves, waiting, well};
use crate::harness::Place;

const LOCK: &str = "tests/semantic.lock.yaml";
const AUDIT: &str = "tests/semantic.audit.jsonl";
const TEST: &str = "tests/test_said.py::test_it_is_nice";

/// A project with one intent, which no rule can decide.
fn project() -> Place {
    let place = Place::empty();
    place.save("app.py", "def double(x):\n    return x * 2\n");
    let test = "import app\nfrom pytead_tui import semantic_test\n\n\n@semantic_test(intent=\"Be nice to the user.\")\n\
        def test_it_is_nice():\n    assert app.double(2) == 4\n";
    place.save("tests/test_said.py", test);
    place.save("pytest.ini", "[pytest]\npythonpath = .\naddopts = -q -p no:cacheprovider\n");
    well(&place, &["trust"]);
    place
}

#[test]
fn a_journey_accepted_in_the_queue_and_killed_at_any_step_is_whole_or_not_begun() {
    let place = project();
    well(&place, &["check", TEST]);
    let id = waiting(&place)[0]["id"].to_string();
    let stands = |place: &Place, context: &str| {
        let waits = !waiting(place).is_empty();
        let locked = std::fs::read_to_string(place.root().join(LOCK)).is_ok_and(|text| text.contains("test_it_is_nice"));
        assert!(locked != waits, "{context}: file and queue");
        no_halves(place, "tests", context);
        locked
    };
    let undo = |place: &Place| drop(well(place, &["review", "--undo"]));
    let decision = Decision { made_by: &["review", "--accept", &id], take_back: &undo, stands: &stands };
    killed(&place, &decision, Faults { done: 5, not_done: 5 });
}

#[test]
fn a_journey_accepted_by_check_and_killed_at_any_step_is_whole_or_not_begun() {
    let stands = |place: &Place, context: &str| {
        let Ok(text) = std::fs::read_to_string(place.root().join(LOCK)) else { return false };
        assert!(text.contains("\"accepted_by\":\"ada\"") && text.ends_with('\n'), "{context}: {text}");
        // Whoever writes there next takes away what a killed one left.
        no_halves(place, "tests", context);
        true
    };
    let back = |place: &Place| std::fs::remove_file(place.root().join(LOCK)).unwrap();
    let decision = Decision { made_by: &["check", "--accept", TEST], take_back: &back, stands: &stands };
    killed(&project(), &decision, Faults { done: 0, not_done: 1 });
}

#[test]
fn a_verdict_overruled_and_killed_at_any_step_keeps_those_before_it() {
    let place = project();
    let words = |reason| ["check", "--override", TEST, "--reason", reason];
    well(&place, &words("It is as nice as it gets."));
    let before = place.read(AUDIT);
    assert_eq!(before.lines().count(), 1);
    let stands = |place: &Place, context: &str| {
        let now = place.read(AUDIT);
        let added = now.strip_prefix(&before).unwrap_or_else(|| panic!("{context}: an older one is gone: {now}"));
        assert!(added.is_empty() || added.ends_with("}\n") && added.lines().count() == 1, "{context}: {added}");
        if !added.is_empty() {
            no_halves(place, "tests", context);
        }
        !added.is_empty()
    };
    let back = |place: &Place| place.save(AUDIT, &before);
    let made_by = words("It got even nicer than it was.");
    killed(&place, &Decision { made_by: &made_by, take_back: &back, stands: &stands }, Faults { done: 0, not_done: 1 });
}
