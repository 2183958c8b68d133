//! Verdicts in the workbench, on the real binary in a real terminal: what `check` found is there, and is decided on.

use crate::harness::{Place, Terminal};

const TESTS: &str = include_str!("../fixtures/shop_intents.py");

/// A shop whose two intents were checked: one passed, one is unclear.
fn checked() -> Place {
    let place = Place::example("shop");
    place.save("tests/test_semantic.py", TESTS);
    let (code, _, _) = place.run(&["trust"]);
    assert_eq!(code, 0);
    let (code, out, err) = place.run(&["check", "tests/test_semantic.py", "--", "-q"]);
    assert_eq!(code, 0, "{out}{err}");
    place
}

const FIRST_SAVED: &str = "        self.database.save(address, name)\n        self.smtp.deliver(address, \"Welcome\", render(WELCOME, {\"name\": name}))\n";
const LAST_SAVED: &str = "        self.smtp.deliver(address, \"Welcome\", render(WELCOME, {\"name\": name}))\n        self.database.save(address, name)\n";

#[test]
fn a_failed_intent_is_seen_followed_to_its_line_mended_and_passes() {
    let place = checked();
    place.edit("shop/registration.py", FIRST_SAVED, LAST_SAVED);
    let (code, out, err) = place.run(&["check", "tests/test_semantic.py", "--", "-q"]);
    assert_eq!(code, 1, "{out}{err}");

    let mut terminal = Terminal::start(&place, &[], 160, 45);
    terminal.wait("2 Journeys 1✗ 1?");
    terminal.keys("2");
    let screen = terminal.wait("[2 Journeys");
    assert!(screen.contains("verdict  ✗ FAIL") && screen.contains("Database.save is called before"), "{screen}");
    let screen = terminal.wait("1 of 2 hold");
    assert!(screen.contains("VIOLATED"), "{screen}");

    // From the clause to its evidence, from there to the source.
    terminal.keys("..\r");
    terminal.wait("evidence 1 of");
    terminal.keys("\r");
    let screen = terminal.wait("━ Source");
    assert!(screen.contains("shop/registration.py:"), "{screen}");

    // Going back to the code that passed judges it again by itself.
    place.edit("shop/registration.py", LAST_SAVED, FIRST_SAVED);
    terminal.wait_until("a pass by itself", |screen| screen.contains("2 Journeys 1?") && !screen.contains("1✗"));
    terminal.wait_until("the end of the run", |screen| !screen.contains("judging "));
    terminal.keys("q");
    terminal.end();
}

#[test]
fn tests_that_were_never_judged_are_judged_from_the_screen_and_when_they_are_saved() {
    let place = Place::example("shop");
    place.save("tests/test_semantic.py", TESTS);
    assert_eq!(place.run(&["trust"]).0, 0);
    let mut terminal = Terminal::start(&place, &[], 140, 40);
    terminal.wait("2 Journeys");
    terminal.keys("2");
    terminal.wait("Never judged. t runs it and judges it");
    terminal.keys("T");
    terminal.wait("2 Journeys 1?");
    terminal.wait_until("the end of the run", |screen| !screen.contains("judging "));
    // One that is written now is found when it is saved.
    let new = "from pytead_tui import semantic_test\n\n\n@semantic_test(intent=\"Nothing at all is known of this.\")\ndef test_new():\n    pass\n";
    place.save("tests/test_new.py", new);
    terminal.wait("2 Journeys 2?");
    terminal.keys("q");
    terminal.end();
}

#[test]
fn a_judged_test_that_fails_by_its_own_assertion_is_red() {
    let place = checked();
    let mut terminal = Terminal::start(&place, &[], 140, 40);
    terminal.wait("2 Journeys 1?");
    terminal.keys("2");
    place.edit("tests/test_semantic.py", "assert ", "assert not ");
    let screen = terminal.wait_until("a red test", |screen| screen.contains("2 Journeys 1✗"));
    assert!(!screen.contains("came to no verdict"), "{screen}");
    terminal.keys("K");
    terminal.wait("It fails by its own assertion");
    terminal.keys("q");
    terminal.end();
}

#[test]
fn an_unclear_intent_is_decided_by_accepting_its_journey_and_undone() {
    let place = checked();
    let mut terminal = Terminal::start(&place, &[], 100, 30);
    terminal.wait("2 Journeys 1?");
    terminal.keys("2");
    terminal.wait("accept journey");
    terminal.keys("a");
    terminal.wait("Write 2 files?");
    terminal.keys("a");
    terminal.wait("Accepted test_twice");
    assert!(place.read("tests/semantic.lock.yaml").contains("tests/test_semantic.py::test_twice"));
    // What was accepted decides: the test runs again and passes.
    terminal.wait_until("a pass", |screen| !screen.contains("Journeys 1?") && screen.contains("PASS"));
    terminal.wait_until("the end of the run", |screen| !screen.contains("judging 1 intent"));
    terminal.keys("u");
    terminal.wait("Taken back");
    assert!(!place.root().join("tests/semantic.lock.yaml").exists());
    terminal.keys("q");
    terminal.end();
}

#[test]
fn a_verdict_is_overruled_with_a_reason_and_that_is_undone() {
    const AUDIT: &str = "tests/semantic.audit.jsonl";
    let place = checked();
    let mut terminal = Terminal::start(&place, &[], 120, 35);
    terminal.wait("2 Journeys 1?");
    terminal.keys("2");
    terminal.wait("accept journey");
    terminal.keys("o");
    terminal.wait("Overrule this verdict");
    terminal.keys("too short\r");
    terminal.wait("Say why in 10");
    terminal.keys(" but now it says enough\r");
    terminal.wait("Overruled the verdict on");
    assert!(place.read(AUDIT).contains("too short but now it says enough"));
    // The test runs again: overruled, and never a pass.
    terminal.wait("overridden");
    terminal.keys("u");
    terminal.wait("Taken back");
    assert!(!place.root().join(AUDIT).exists());
    // What it came to before is there again, and waits again.
    terminal.wait_until("the verdict before", |screen| screen.contains("2 Journeys 1?") && !screen.contains("overridden"));
    terminal.keys("q");
    terminal.end();
}

#[test]
fn what_a_run_leaves_is_taken_in_once() {
    let place = checked();
    let left = place.root().join(".pytead/verdicts");
    let files = std::fs::read_dir(&left).unwrap().count();
    assert_eq!(files, 2, "each test leaves its verdict until the workbench takes it in");
    let (code, out, _) = place.run(&["review", "--list"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("verdict") && out.contains("UNCLEAR") && out.contains("test_twice"), "{out}");
    assert_eq!(std::fs::read_dir(&left).unwrap().count(), 0);
    // A run that is made to accept leaves nothing behind.
    let (code, out, err) = place.run(&["check", "--accept", "tests/test_semantic.py::test_twice"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(std::fs::read_dir(&left).unwrap().count(), 0);
}
