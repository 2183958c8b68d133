//! Decisions on drafts: accepted, rejected, taken back, decided again, one and many at once.

use super::steps::{Decision, Faults, full, killed, no_halves, waiting, well};
use crate::harness::{Place, Terminal, script};

pub const TESTS: &str = "tests/pytead/test_pytead_app.py";
pub const MANIFEST: &str = "tests/pytead/manifest.yaml";

const BOTH_WAYS: Faults = Faults { done: 5, not_done: 5 };

/// Makes a recorded project with a proved draft for each of these functions of one number.
pub fn project(functions: &[&str]) -> Place {
    Place::prepared(&format!("faults-{}", functions.join("-")), || {
        let place = Place::empty();
        let defined =
            functions.iter().enumerate().map(|(number, name)| format!("def {name}(x):\n    return x * {}\n", number + 2));
        place.save("app.py", &defined.collect::<Vec<_>>().join("\n\n"));
        let called: String = functions.iter().map(|name| format!("    app.{name}(x)\n")).collect();
        place.save("main.py", &format!("import app\n\nfor x in (1, 2, 30):\n{called}"));
        for words in [&["trust"][..], &["run", "main.py"], &["gen"]] {
            well(&place, words);
        }
        assert_eq!(waiting(&place).len(), functions.len(), "each has a draft that waits");
        place
    })
}

/// Says how many drafts are written and how many wait; queue, test file and manifest have to agree.
pub fn state(place: &Place, context: &str) -> (usize, usize) {
    // The next start first: it finishes or gives up what was cut off.
    let waits = waiting(place).len();
    let text = |path: &str| std::fs::read_to_string(place.root().join(path)).unwrap_or_default();
    let (tests, manifest) = (text(TESTS), text(MANIFEST));
    let written = tests.matches("def test_").count();
    let listed: usize =
        ["\"state\":\"accepted\"", "\"state\":\"edited\""].iter().map(|kept| manifest.matches(kept).count()).sum();
    assert_eq!(written, listed, "{context}: file and manifest\n{tests}\n{manifest}");
    no_halves(place, "tests/pytead", context);
    (written, waits)
}

/// Tells whether the one draft is written, and not whether it waits.
fn is_written(place: &Place, context: &str) -> bool {
    match state(place, context) {
        (1, 0) => true,
        (0, 1) => false,
        (written, waits) => panic!("{context}: {written} written, {waits} wait"),
    }
}

fn undo(place: &Place) {
    well(place, &["review", "--undo"]);
}

#[test]
fn an_acceptance_killed_at_any_step_is_whole_or_not_begun() {
    let decision = Decision { made_by: &["review", "--accept", "1"], take_back: &undo, stands: &is_written };
    killed(&project(&["double"]), &decision, BOTH_WAYS);
}

#[test]
fn a_rejection_killed_at_any_step_is_whole_or_not_begun() {
    let stands = |place: &Place, context: &str| {
        let (written, waits) = state(place, context);
        assert_eq!(written, 0, "{context}");
        waits == 0
    };
    let decision = Decision { made_by: &["review", "--reject", "1"], take_back: &undo, stands: &stands };
    killed(&project(&["double"]), &decision, BOTH_WAYS);
}

#[test]
fn an_undo_killed_at_any_step_is_whole_or_not_begun() {
    let place = project(&["double"]);
    well(&place, &["review", "--accept", "1"]);
    let again = |place: &Place| drop(well(place, &["review", "--accept", "1"]));
    let stands = |place: &Place, context: &str| !is_written(place, context);
    killed(&place, &Decision { made_by: &["review", "--undo"], take_back: &again, stands: &stands }, BOTH_WAYS);
}

#[test]
fn a_decision_made_again_killed_at_any_step_is_whole_or_not_begun() {
    let place = project(&["double"]);
    well(&place, &["review", "--accept", "1"]);
    undo(&place);
    let decision = Decision { made_by: &["review", "--redo"], take_back: &undo, stands: &is_written };
    killed(&place, &decision, BOTH_WAYS);
}

#[test]
fn many_accepted_at_once_and_killed_at_any_step_are_all_written_or_none() {
    let stands = |place: &Place, context: &str| match state(place, context) {
        (2, 0) => true,
        (0, 2) => false,
        some => panic!("{context}: {some:?} of two are written and wait"),
    };
    let decision = Decision { made_by: &["review", "--accept", "all"], take_back: &undo, stands: &stands };
    killed(&project(&["double", "triple"]), &decision, BOTH_WAYS);
}

/// Gives the one draft's test another name, in the person's editor.
fn edit(place: &Place) {
    let editor = place.home().join("editor");
    script(&editor, "#!/bin/sh\nsed -i 's/def test_[a-z0-9_]*/def test_by_hand/' \"$1\"\n");
    let mut terminal = Terminal::shell(place, &format!("VISUAL='{}' exec \"$PYTEAD\" review", editor.display()), 160, 60);
    terminal.wait("q quit >");
    terminal.keys("e\r");
    terminal
        .wait_until("the edited draft", |screen| screen.contains("def test_by_hand") && screen.trim_end().ends_with("q quit >"));
    terminal.keys("q\r");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn an_edited_draft_killed_at_any_step_of_its_acceptance_is_written_as_edited_or_not_begun() {
    let place = project(&["double"]);
    edit(&place);
    let stands = |place: &Place, context: &str| {
        let written = is_written(place, context);
        assert!(!written || place.read(TESTS).contains("def test_by_hand("), "{context}: the edit is lost");
        written
    };
    // What was accepted after a fault is accepted once more after it was taken back: the edit outlives that, too.
    killed(&place, &Decision { made_by: &["review", "--accept", "1"], take_back: &undo, stands: &stands }, BOTH_WAYS);
}

#[test]
fn an_acceptance_on_a_disk_that_fills_at_any_step_is_whole_or_not_begun() {
    let decision = Decision { made_by: &["review", "--accept", "1"], take_back: &undo, stands: &is_written };
    full(&project(&["double"]), &decision, Faults { done: 0, not_done: 5 });
}
