//! What a function does differently accepted, and examples put into docstrings: both touch files that were there before.

use super::drafts::{TESTS, project, state};
use super::steps::{Decision, Faults, killed, no_halves, waiting, well};
use crate::harness::Place;

fn undo(place: &Place) {
    well(place, &["review", "--undo"]);
}

/// A project with an accepted test and a change of its function that waits.
fn changed() -> Place {
    Place::prepared("faults-changed", || {
        let place = project(&["double"]);
        well(&place, &["review", "--accept", "1"]);
        place.edit("app.py", "x * 2", "x * 2 + 1");
        assert_eq!(place.run(&["replay"]).0, 1, "it does something else now");
        place
    })
}

fn ids(place: &Place, kind: &str) -> Vec<String> {
    waiting(place).iter().filter(|row| row["kind"] == kind).map(|row| row["id"].to_string()).collect()
}

#[test]
fn a_change_killed_at_any_step_of_its_acceptance_waits_or_is_accepted_and_its_new_test_can_be_had() {
    let place = changed();
    let before = place.read(TESTS);
    let id = ids(&place, "change").pop().expect("a change waits");
    let stands = |place: &Place, context: &str| {
        let waits = !ids(place, "change").is_empty();
        if !waits && ids(place, "draft").is_empty() {
            // It was killed between the decision and the draft that follows from it.
            well(place, &["gen", "app:double"]);
            assert_eq!(ids(place, "draft").len(), 1, "{context}");
        }
        assert_eq!(place.read(TESTS), before, "{context}: nothing is written before the new test is accepted");
        no_halves(place, "tests/pytead", context);
        !waits
    };
    killed(
        &place,
        &Decision { made_by: &["review", "--accept", &id], take_back: &undo, stands: &stands },
        Faults { done: 1, not_done: 5 },
    );
}

#[test]
fn the_literal_of_an_accepted_change_killed_at_any_step_is_in_its_test_or_the_old_one_is() {
    let place = changed();
    let before = place.read(TESTS);
    well(&place, &["review", "--accept", "all"]);
    let id = ids(&place, "draft").pop().expect("a new test waits");
    let stands = |place: &Place, context: &str| {
        let (written, waits) = state(place, context);
        let now = place.read(TESTS);
        assert_eq!(written, 1, "{context}: the accepted test is lost\n{now}");
        assert_eq!(now == before, waits == 1, "{context}\n{now}");
        assert!(now == before || now.contains("61") && !now.contains("60"), "{context}: half a change\n{now}");
        now != before
    };
    killed(
        &place,
        &Decision { made_by: &["review", "--accept", &id], take_back: &undo, stands: &stands },
        Faults { done: 5, not_done: 5 },
    );
}

const PLAIN: &str = "def double(x):\n    \"\"\"Doubles.\"\"\"\n    return x * 2\n";

/// A recorded function with a docstring, and whether it has examples; half a file is neither.
fn documented() -> Place {
    Place::prepared("faults-documented", || {
        let place = Place::empty();
        place.save("app.py", PLAIN);
        place.save("main.py", "import app\n\nfor x in (1, 2, 30):\n    app.double(x)\n");
        for words in [&["trust"][..], &["run", "main.py"]] {
            well(&place, words);
        }
        place
    })
}

fn has_examples(place: &Place, context: &str) -> bool {
    // The next start first.
    waiting(place);
    let text = place.read("app.py");
    assert!(text == PLAIN || text.contains(">>> ") && text.ends_with("    return x * 2\n"), "{context}\n{text}");
    no_halves(place, "", context);
    text != PLAIN
}

#[test]
fn examples_killed_at_any_step_of_their_writing_are_in_the_docstring_or_it_is_as_it_was() {
    let back = |place: &Place| drop(well(place, &["doc", "--undo"]));
    let decision = Decision { made_by: &["doc", "--write"], take_back: &back, stands: &has_examples };
    killed(&documented(), &decision, Faults { done: 1, not_done: 3 });
}

#[test]
fn examples_killed_at_any_step_of_being_taken_back_are_gone_or_can_be_taken_back_again() {
    let place = documented();
    well(&place, &["doc", "--write"]);
    let again = |place: &Place| drop(well(place, &["doc", "--write"]));
    let stands = |place: &Place, context: &str| !has_examples(place, context);
    killed(
        &place,
        &Decision { made_by: &["doc", "--undo"], take_back: &again, stands: &stands },
        Faults { done: 1, not_done: 3 },
    );
}
