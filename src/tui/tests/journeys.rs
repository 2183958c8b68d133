//! The journeys: intent, call tree and source at three sizes, and what its keys do.

use std::sync::Arc;

use crate::domain::command::Command;
use crate::domain::evaluator::Evaluator;
use crate::domain::event::Event;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::UnjudgedRow;
use crate::domain::verdict::{ClauseOutcome, Proposed, ProposedClause, Ruling};
use crate::tui::layer::Layer;
use crate::tui::layout::{Pane, Screen};
use crate::tui::tests::fixture::{Driver, Shop, rel};
use crate::tui::tests::judged::REGISTER;
use crate::tui::tests::screens::shots;

const THREE: [(u16, u16); 3] = [(160, 45), (100, 30), (60, 20)];

fn driver(size: (u16, u16)) -> Driver {
    let mut driver = Driver::new(Shop::judged(), size);
    driver.press("2");
    driver
}

#[test]
fn a_failed_verdict_with_its_journey_and_source() {
    shots("journeys", &THREE, &Shop::judged(), |d| {
        d.press("2 Tab");
    });
    shots("journeys_intent", &THREE, &Shop::judged(), |d| {
        d.press("2 . . .");
    });
    shots("journeys_unclear", &THREE, &Shop::judged(), |d| {
        d.press("2 J");
    });
}

#[test]
fn a_verdict_waits_in_the_queue() {
    shots("verdict", &THREE, &Shop::judged(), |d| {
        d.open(11);
    });
}

#[test]
fn nothing_judged_says_what_to_do() {
    shots("journeys_none", &THREE, &Shop::new(), |d| {
        d.press("2");
    });
}

/// The shop with a judged test, and two that were never judged.
fn with_unjudged() -> Shop {
    let mut shop = Shop::judged();
    let row = |name: &str, line: u32| UnjudgedRow {
        test: format!("tests/test_pricing.py::{name}"),
        path: rel("tests/test_pricing.py"),
        line,
        decorator: "semantic_test(\n    intent=\"Rounds once.\",\n)".to_owned(),
    };
    shop.snapshot.unjudged = Arc::new(vec![row("test_rounds", 4), row("test_refuses", 12)]);
    shop
}

#[test]
fn a_test_that_was_never_judged_is_listed_and_judged_from_here() {
    shots("journeys_never_judged", &THREE, &with_unjudged(), |d| {
        d.press("2 J J J J");
    });
    let mut d = Driver::new(with_unjudged(), (160, 45));
    d.press("2 J J J J");
    assert_eq!(d.state.journeys.test.as_deref(), Some("tests/test_pricing.py::test_refuses"), "they stand behind the others");
    assert_eq!(d.state.source.path.as_ref().unwrap().as_str(), "tests/test_pricing.py");
    assert!(d.screen().lines().next().unwrap().contains(" 2◦"), "{}", d.screen());
    d.press("a");
    assert!(d.sent().is_empty() && d.message().starts_with("Never judged."), "{}", d.message());
    d.press("t");
    assert_eq!(d.sent(), [Command::Judge { tests: vec!["tests/test_pricing.py::test_refuses".into()] }]);
    d.press("T");
    assert_eq!(d.sent(), [Command::Judge { tests: vec![] }], "all there are");
    d.press("Q");
    assert!(d.screen().contains("NEVER JUDGED"), "{}", d.screen());
    d.press("Esc");
    // A filter takes them by their state and by their file.
    d.press("f");
    d.type_in("is:never");
    d.press("Enter T");
    let both = ["test_rounds", "test_refuses"].map(|name| format!("tests/test_pricing.py::{name}"));
    assert_eq!(d.sent(), [Command::Judge { tests: both.to_vec() }]);
}

#[test]
fn once_it_is_judged_its_verdict_takes_the_place_of_the_test() {
    let mut shop = with_unjudged();
    let mut d = Driver::new(shop.clone(), (160, 45));
    d.press("2 J J J");
    assert_eq!(d.state.journeys.test.as_deref(), Some("tests/test_pricing.py::test_rounds"));
    let mut rows = (*shop.snapshot.verdicts).clone();
    let mut row = rows[0].clone();
    row.test = "tests/test_pricing.py::test_rounds[half]".into();
    rows.push(row);
    shop.snapshot.verdicts = Arc::new(rows);
    shop.snapshot.unjudged = Arc::new(shop.snapshot.unjudged[1..].to_vec());
    d.shop = shop;
    d.happen(Event::Resync);
    assert_eq!(d.state.journeys.test.as_deref(), Some("tests/test_pricing.py::test_rounds[half]"));
}

#[test]
fn enter_goes_from_a_clause_to_its_evidence_to_the_source_and_b_comes_back() {
    let mut d = driver((160, 45));
    assert_eq!((d.state.screen, d.state.focus), (Screen::Journeys, Pane::Intent));
    d.press(". . .");
    assert_eq!(d.state.journeys.clause, Some(2));
    d.press("Enter");
    assert_eq!(d.state.focus, Pane::Journey);
    let line = |d: &Driver| d.state.journeys.journey().unwrap().line(d.state.journeys.here().unwrap()).unwrap().text();
    assert!(line(&d).contains("[CALLED] EmailService.send_welcome"), "{}", line(&d));
    assert_eq!(d.state.source.path.as_ref().unwrap().as_str(), "shop/registration.py");
    assert_eq!(d.state.source.list.cursor, 27, "the line that made the call");
    assert!(d.state.source.ran.contains(&30), "what the activation ran is marked");
    d.press(".");
    assert!(line(&d).contains("[RETURNED] EmailService.send_welcome"));
    d.press(". .");
    assert!(line(&d).contains("[CALLED] Database.save"));
    assert!(d.message().contains("No more evidence"), "{}", d.message());
    d.press("Enter");
    assert_eq!((d.state.focus, d.state.source.list.cursor), (Pane::Source, 29));
    d.press("b");
    assert_eq!(d.state.focus, Pane::Journey);
    d.press("b");
    assert_eq!(d.state.focus, Pane::Intent);
}

#[test]
fn folding_keeps_what_is_inside_findable() {
    let mut d = driver((160, 45));
    d.press("Tab <");
    let all = d.state.journeys.lines.len();
    assert!(d.screen().contains("In setup: 2 lines"), "{}", d.screen());
    d.press("> k h h h");
    assert!(d.state.journeys.lines.len() < all);
    // The next evidence is inside what is folded, and is shown.
    d.press("< . .");
    assert!(d.state.journeys.marks.contains_key(&d.state.journeys.here().unwrap()));
}

#[test]
fn a_failure_is_accepted_at_once_and_a_journey_after_its_diff() {
    let mut d = driver((160, 45));
    d.press("a");
    assert!(matches!(d.sent()[..], [Command::Accept { proposal: ProposalId(11), .. }]));
    d.state.kept.deciding = None;
    d.press("J a");
    assert!(d.sent().is_empty());
    assert!(matches!(d.state.layers.last(), Some(Layer::Question(question)) if question.title.contains("Write 1 file?")));
    d.press("a");
    assert!(matches!(d.sent()[..], [Command::Accept { proposal: ProposalId(12), .. }]));
}

#[test]
fn a_verdict_is_not_put_away() {
    let mut d = driver((100, 30));
    d.press("r");
    assert!(d.sent().is_empty() && d.state.layers.is_empty());
    assert!(d.message().starts_with("A verdict stands until"), "{}", d.message());
    d.press("o");
    assert!(d.sent().is_empty() && !d.state.layers.is_empty(), "it is overruled with a reason");
}

#[test]
fn clauses_are_chosen_from_those_that_hold() {
    let mut d = driver((100, 30));
    d.press("J e");
    assert!(d.screen().contains("Smtp.deliver is called exactly once"), "{}", d.screen());
    d.type_in("once");
    d.press("Enter");
    let text = "Smtp.deliver is called exactly once";
    assert_eq!(d.sent(), [Command::Edit { proposal: ProposalId(12), text: text.into() }]);
    // The engine keeps it; it shows, and choosing it again takes it out.
    d.shop.views.get_mut(&ProposalId(12)).unwrap().proposal.edited = Some(text.into());
    d.happen(Event::EvidenceChanged { proposal: ProposalId(12) });
    assert!(d.screen().contains("a accepts these clauses") && d.screen().contains("accept clauses"), "{}", d.screen());
    d.press("e");
    d.type_in("once");
    d.press("Enter");
    assert_eq!(d.sent(), [Command::Edit { proposal: ProposalId(12), text: String::new() }]);
    // Of a test that its own sentences decide, the editor opens.
    d.press("K e");
    assert!(d.asked.iter().any(|effect| matches!(effect, crate::tui::app::Effect::EditSource { .. })), "{:?}", d.asked);
}

#[test]
fn the_model_is_asked_for_clauses_and_what_it_proposes_is_chosen_like_the_others() {
    let mut d = driver((100, 30));
    let test = d.shop.judged.values().find(|view| view.judged.takes_journey()).unwrap().judged.test.clone();
    let asked = [Command::AskClauses { test: test.clone() }];
    // By its line in the list, or by the key that asks models.
    d.press("J e");
    d.type_in("ask the model");
    d.press("Enter");
    assert_eq!(d.sent(), asked);
    d.press("g");
    assert_eq!(d.sent(), asked);
    // What came of it stands above what needs no model, with what it is for; what cannot be chosen comes last.
    let proposed = Proposed {
        by: "llm:local/tiny".into(),
        clauses: vec![ProposedClause {
            text: "Database.save is called exactly once".into(),
            span: "save the user".into(),
            outcome: ClauseOutcome::Holds,
            why: "Once.".into(),
            notices: vec!["a call more".into()],
        }],
        uncovered: vec!["politely".into()],
        left_out: vec!["“Be nice”: it is no clause.".into()],
        ..Proposed::default()
    };
    d.shop.judged.get_mut(&test).unwrap().judged.verdict.proposed = Some(Box::new(proposed));
    d.happen(Event::ClausesProposed { test: test.clone(), line: "1 clause proposed for test_twice".into() });
    assert!(d.message().contains("1 clause proposed for test_twice. e on the intent"), "{}", d.message());
    d.press("e");
    let screen = d.screen();
    let places = [
        "Database.save is called exactly once",
        "Smtp.deliver is called exactly once",
        "Ask the model",
        "No clause says “politely”",
        "left out: “Be nice”",
    ]
    .map(|line| screen.find(line).unwrap_or_else(|| panic!("{line}: {screen}")));
    assert!(places.is_sorted(), "{screen}");
    assert!(screen.contains("for “save the user”"), "{screen}");
    d.type_in("politely");
    d.press("Enter");
    assert!(d.sent().is_empty() && !d.state.layers.is_empty(), "words are no clause to choose");
    d.press("Esc e Enter");
    assert_eq!(d.sent(), [Command::Edit { proposal: ProposalId(12), text: "Database.save is called exactly once".into() }]);
    // Where its own sentences decide, there is nothing to ask.
    d.press("K g");
    assert!(d.sent().is_empty() && d.message().contains("there is nothing to propose"), "{}", d.message());
}

#[test]
fn a_fail_that_a_model_gave_is_turned_into_clauses() {
    let mut shop = Shop::judged();
    let judged = &mut shop.judged.get_mut(REGISTER).unwrap().judged;
    assert_eq!(judged.verdict.verdict, Ruling::Fail);
    (judged.accepts, judged.verdict.evaluator) = (true, Evaluator::Model("here/tiny".into()));
    let mut d = Driver::new(shop, (160, 45));
    d.press("2");
    assert!(d.screen().contains("A model decided this. g asks it for clauses"), "{}", d.screen());
    d.press("g");
    assert_eq!(d.sent(), [Command::AskClauses { test: REGISTER.into() }]);
    d.press("e");
    assert!(!d.state.layers.is_empty(), "they are chosen from a list");
}

#[test]
fn all_tests_with_an_intent_are_judged_by_one_key_or_those_of_the_filter() {
    let mut d = driver((160, 45));
    d.press("T");
    assert_eq!(d.sent(), [Command::Judge { tests: Vec::new() }], "those come along that were never judged");
    d.press("f");
    d.type_in("known");
    d.press("Enter T");
    assert_eq!(d.sent(), [Command::Judge { tests: vec!["tests/test_registration.py::test_known".into()] }]);
}

#[test]
fn what_passes_is_not_decided_on_and_t_runs_the_test_again() {
    let mut d = driver((160, 45));
    d.press("J J");
    assert!(d.screen().contains("PASS"));
    d.press("a");
    assert!(d.sent().is_empty() && d.message().contains("It passes"), "{}", d.message());
    d.press("t");
    assert_eq!(d.sent(), [Command::Judge { tests: vec!["tests/test_registration.py::test_known".into()] }]);
    d.press("K K t");
    assert_eq!(d.sent(), [Command::Judge { tests: vec![REGISTER.into()] }]);
}

#[test]
fn a_new_verdict_is_read_and_the_cursor_stays() {
    let mut d = driver((160, 45));
    d.press("Tab . .");
    let here = d.state.journeys.here();
    let mut rows = (*d.shop.snapshot.verdicts).clone();
    rows[0].at.0 += 1_000;
    d.shop.snapshot.verdicts = std::sync::Arc::new(rows);
    d.shop.judged.get_mut(REGISTER).unwrap().judged.verdict.reason = "Another reason.".into();
    let event = Event::Judged { test: REGISTER.into(), ruling: Ruling::Fail, overridden: false, proposal: None };
    d.happen(event);
    assert_eq!(d.state.journeys.journey().unwrap().view.judged.verdict.reason, "Another reason.");
    assert_eq!(d.state.journeys.here(), here);
}

#[test]
fn a_line_is_copied_as_the_reports_tell_it() {
    let mut d = driver((160, 45));
    d.press("Tab y");
    let copied = d.asked.iter().find_map(|effect| match effect {
        crate::tui::app::Effect::Copy(text) => Some(text.clone()),
        _ => None,
    });
    assert!(copied.as_deref().unwrap().contains("[CALLED] EmailService.send_welcome"), "{copied:?}");
}

#[test]
fn from_the_queue_to_the_journey() {
    let mut d = Driver::new(Shop::judged(), (160, 45));
    d.open(11);
    d.state.focus = Pane::Decision;
    d.press(". . . Enter");
    assert_eq!((d.state.screen, d.state.focus, d.state.journeys.clause), (Screen::Journeys, Pane::Journey, Some(2)));
    d.press("b");
    assert_eq!((d.state.screen, d.state.focus), (Screen::Review, Pane::Decision));
}
