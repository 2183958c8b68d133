//! The first thirty seconds: from `Enter` on the start pane to the first draft, and why a recording failed.

use std::sync::Arc;

use crate::domain::call::{ProgramEnd, RecordingId};
use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::snapshot::{Decided, RecordingRow, TestRow, Trust};
use crate::tui::layer::Layer;
use crate::tui::layout::{Pane, Screen};
use crate::tui::tests::fixture::{Driver, NOW, Shop, id, rel};
use crate::tui::tests::screens::{ALL, fresh, shots};

/// A trusted project with nothing recorded.
fn driver() -> Driver {
    Driver::new(fresh(), (160, 45))
}

/// The recording as it runs.
fn begun(output: &[&str]) -> RecordingRow {
    RecordingRow {
        id: RecordingId(1),
        command: vec!["pytest".into(), "-q".into()],
        end: ProgramEnd::Running,
        started: NOW,
        duration_ms: 1_200,
        seen: 557,
        kept: 180,
        functions: 11,
        newest: vec!["Cart.total".into(), "apply_discount".into()],
        output: output.iter().map(ToString::to_string).collect(),
        ..Shop::new().snapshot.recordings[0].clone()
    }
}

fn records(d: &mut Driver, output: &[&str]) {
    d.shop.snapshot.recordings = Arc::new(vec![begun(output)]);
    d.happen(Event::RecordingStarted { recording: RecordingId(1), command: vec!["pytest".into(), "-q".into()] });
}

fn ends(d: &mut Driver, end: ProgramEnd, kept: u64) {
    let row = RecordingRow { end: end.clone(), kept, ..d.shop.snapshot.recordings[0].clone() };
    d.shop.snapshot.recordings = Arc::new(vec![row]);
    d.happen(Event::RecordingEnded { recording: RecordingId(1), end, kept, seen: 557, functions: 11, ms: 1_200 });
}

/// Lets the drafts of the shop arrive.
fn drafts(d: &mut Driver, state: ProposalState) {
    let mut rows: Vec<_> = Shop::new().snapshot.queue.iter().filter(|row| row.id == ProposalId(3)).cloned().collect();
    rows[0].state = state;
    d.shop.snapshot.queue = Arc::new(rows);
    d.happen(Event::Resync);
}

#[test]
fn enter_on_the_start_pane_records_the_marked_command_at_once() {
    let mut d = driver();
    d.press("Enter");
    let record =
        |argv: &[&str]| Command::Record { argv: argv.iter().map(ToString::to_string).collect(), limit: None, targets: vec![] };
    assert_eq!(d.sent(), [record(&["pytest", "-q"])]);
    assert_eq!((d.state.screen, d.state.focus), (Screen::Review, Pane::Decision));
    let mut d = driver();
    d.press("j Enter");
    assert_eq!(d.sent(), [record(&["python", "main.py"])], "j marks the next command");
}

#[test]
fn the_first_accepted_test_takes_three_keys_and_its_draft_comes_without_one() {
    let mut d = driver();
    d.press("Enter");
    records(&mut d, &[]);
    assert!(d.screen().contains("557 calls · 11 of"), "{}", d.screen());
    ends(&mut d, ProgramEnd::Exited(0), 180);
    drafts(&mut d, ProposalState::Proving);
    assert_eq!(d.state.current(), None, "what was recorded stays in sight until a draft is ready");
    drafts(&mut d, ProposalState::Ready);
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(3)));
    d.sent();
    d.press("a");
    assert!(matches!(d.sent().as_slice(), [Command::Accept { proposal: ProposalId(3), .. }]));
}

#[test]
fn a_draft_never_comes_over_what_is_being_read() {
    let mut d = driver();
    d.press("Enter");
    records(&mut d, &[]);
    ends(&mut d, ProgramEnd::Exited(0), 180);
    d.press("5");
    drafts(&mut d, ProposalState::Ready);
    assert_eq!(d.state.screen, Screen::Log);
    let mut d = driver();
    d.press("Enter");
    records(&mut d, &[]);
    ends(&mut d, ProgramEnd::Exited(0), 180);
    d.press("?");
    drafts(&mut d, ProposalState::Ready);
    assert!(d.state.current().is_none() && matches!(d.state.layers.last(), Some(Layer::Help(..))));
    d.press("Esc");
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(3)), "it comes once the help is closed");
}

#[test]
fn trust_is_one_key_and_one_confirmation() {
    let mut shop = fresh();
    shop.snapshot.trust = Trust::Unknown;
    let mut d = Driver::new(shop, (110, 32));
    d.press("t y");
    assert_eq!(d.sent(), [Command::Trust]);
}

#[test]
fn a_command_asked_for_before_the_index_is_ready_is_filled_in_once_it_is_known() {
    let mut shop = fresh();
    shop.snapshot.offers = vec![];
    shop.snapshot.indexed = false;
    let mut d = Driver::new(shop, (110, 32));
    d.press("Enter");
    assert!(d.message().starts_with("Still reading the project."), "{}", d.message());
    d.press("!");
    let line = |d: &Driver| match d.state.layers.last() {
        Some(Layer::Prompt(prompt)) => prompt.line.text.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(line(&d), "");
    d.shop.snapshot.offers = fresh().snapshot.offers;
    d.shop.snapshot.indexed = true;
    d.happen(Event::Resync);
    assert_eq!(line(&d), "pytest -q");
    d.press("Enter");
    assert_eq!(d.sent().len(), 1);
    // What somebody types stays.
    let mut shop = fresh();
    shop.snapshot.offers = vec![];
    let mut d = Driver::new(shop, (110, 32));
    d.press("!").type_in("python a.py");
    d.shop.snapshot.offers = fresh().snapshot.offers;
    d.happen(Event::Resync);
    assert_eq!(line(&d), "python a.py");
}

#[test]
fn a_key_that_cannot_act_says_why() {
    for (key, said) in [(",", "No recorded call to step to."), ("+", "Only one column is shown")] {
        let mut d = Driver::new(fresh(), (60, 20));
        d.press("Tab Tab Tab").press(key);
        assert!(d.message().starts_with(said), "{key}: {}", d.message());
    }
}

/// What the pane shows after a program failed with this output.
fn failed(d: &mut Driver, output: &[&str]) {
    d.press("Enter");
    records(d, output);
    ends(d, ProgramEnd::Exited(1), 0);
    d.tell(crate::tui::app::Msg::Tick);
}

const NO_PYTEST: [&str; 1] = ["/code/shop/.venv/bin/python: No module named pytest"];

#[test]
fn a_failed_recording_shows_its_last_error_line_and_what_helps() {
    let mut d = driver();
    failed(&mut d, &NO_PYTEST);
    let screen = d.screen();
    assert!(screen.contains("No module named pytest") && screen.contains(".venv/bin/python -m pip install pytest"), "{screen}");
    d.sent();
    d.press("Enter");
    assert_eq!(d.sent().len(), 1, "Enter records it again");
    let mut d = driver();
    failed(&mut d, &["E   ModuleNotFoundError: No module named 'shop'", "1 error in 0.10s"]);
    let screen = d.screen();
    assert!(screen.contains("ModuleNotFoundError: No module named 'shop'") && screen.contains("pip install -e ."), "{screen}");
}

#[test]
fn counts_fall_as_one_decides_and_agree() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("a");
    assert!(d.screen().contains("[1 Review 7]") && d.screen().contains(" 3/7  "), "{}", d.screen());
    d.shop.snapshot.queue = Arc::new(d.shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(3)).cloned().collect());
    d.shop.snapshot.decided = Decided { accepted: 1, ..Decided::default() };
    d.happen(Event::Decided {
        proposal: ProposalId(3),
        subject: crate::tui::tests::fixture::id("pricing:apply_discount").into(),
        verb: crate::domain::decision::Verb::Accept,
        line: "Accepted apply_discount".into(),
        again: false,
    });
    let screen = d.screen();
    assert!(screen.contains("[1 Review 6]") && screen.contains(" 3/6  "), "{screen}");
    d.press("Q");
    assert!(d.screen().contains("6 proposals"), "{}", d.screen());
}

#[test]
fn an_edit_that_does_not_parse_stays_in_the_editor_at_its_line() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("i Down Down End").type_in(" = = (").press("Ctrl-s");
    assert!(d.sent().iter().all(|command| !matches!(command, Command::Edit { .. })), "it is not proved");
    let edit = d.state.in_place.as_ref().expect("it stays open");
    assert!(edit.open && d.message().contains("does not parse"), "{}", d.message());
    assert!(d.message().contains(&format!("Line {} ", edit.area.cursor().0 + 1)), "{}", d.message());
}

#[test]
fn the_filter_names_the_nearest_word_and_moves_everything_to_what_it_shows() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("f").type_in("is:chnaged").press("Enter");
    assert!(d.screen().contains("Unknown state chnaged. Nearest: is:changed."), "{}", d.screen());
    d.press("Ctrl-u").type_in("is:changed").press("Enter");
    assert_eq!(d.state.focus, Pane::Functions, "the list is what one wants to see");
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(1)));
    let subject = d.state.subject.clone().unwrap();
    assert_eq!(subject.short(), "Cart.total");
    assert_eq!(d.state.calls.function.as_ref(), subject.function());
    assert_eq!(d.state.source.path.as_ref().map(ToString::to_string).as_deref(), Some("shop/pricing.py"), "the edit behind it");
}

#[test]
fn a_folder_is_drafted_with_one_key() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("Tab <");
    let at = d.state.nodes.iter().position(|node| node.label == "cart.py").unwrap();
    for _ in 0..at {
        d.press("j");
    }
    d.sent();
    d.press("t");
    let sent = d.sent();
    let [Command::Draft { functions }] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(functions.len(), 5);
    assert!(functions.iter().all(|id| id.0.starts_with("shop.cart:")), "{functions:?}");
}

#[test]
fn the_first_recording() {
    shots("first_recording", &ALL, &fresh(), |d| {
        d.press("Enter");
        records(d, &["12 passed in 0.31s"]);
        d.now.0 += 3_000;
        d.tell(crate::tui::app::Msg::Tick);
    });
    shots("first_recorded", &ALL, &fresh(), |d| {
        d.press("Enter");
        records(d, &["12 passed in 0.31s"]);
        ends(d, ProgramEnd::Exited(0), 180);
    });
    shots("first_draft", &ALL, &fresh(), |d| {
        d.press("Enter");
        records(d, &["12 passed in 0.31s"]);
        ends(d, ProgramEnd::Exited(0), 180);
        d.now.0 += 3_000;
        drafts(d, ProposalState::Ready);
        d.now.0 += 1_000;
        d.tell(crate::tui::app::Msg::Tick);
    });
    shots("first_failed", &ALL, &fresh(), |d| {
        failed(d, &NO_PYTEST);
        d.now.0 += 5_000;
        d.tell(crate::tui::app::Msg::Tick);
    });
}

#[test]
fn the_news_of_a_change() {
    shots("news", &ALL, &Shop::new(), |d| {
        d.open(1);
    });
    shots("rejecting", &ALL, &Shop::new(), |d| {
        d.open(1).press("r");
    });
}

#[test]
fn the_start_and_the_trust_question() {
    shots("start", &ALL, &fresh(), |_| {});
    let mut shop = fresh();
    shop.snapshot.trust = Trust::Unknown;
    shots("trusting", &ALL, &shop, |d| {
        d.press("t");
    });
}

#[test]
fn long_lines_wrap_with_a_mark() {
    let mut shop = Shop::new();
    let view = shop.views.get_mut(&ProposalId(3)).unwrap();
    let long =
        "assert str(result) == expected, (price, code, expected, [name for name in ('one', 'two', 'three')], 'the last word')";
    if let Some(after) = &mut view.plan[0].after {
        *after = after.replace("assert str(result) == expected", long);
    }
    shots("wrapped", &ALL, &shop, |d| {
        d.open(3);
    });
    let mut d = Driver::new(shop, (60, 20));
    d.open(3).press("/").type_in("last word").press("Enter");
    assert!(d.screen().contains("the last word"), "{}", d.screen());
    assert!(d.screen().contains('↳'), "{}", d.screen());
    // Another width shows the same line.
    let before = d.screen();
    d.tell(crate::tui::app::Msg::Resize(50, 20));
    assert!(d.screen().contains("last word"), "{before}\n{}", d.screen());
}

#[test]
fn taking_back_a_decision_of_another_window_asks() {
    let mut shop = Shop::new();
    shop.snapshot.undo_of_another = Some("ada accepted Cart.total".into());
    let mut d = Driver::new(shop, (160, 45));
    d.press("u");
    assert_eq!(d.sent(), []);
    assert!(d.screen().contains("ada accepted Cart.total?"), "{}", d.screen());
    d.press("Enter");
    assert_eq!(d.sent(), [], "the safe answer is marked");
    d.press("u y");
    assert_eq!(d.sent(), [Command::Undo]);
}

#[test]
fn functions_are_found_by_name_with_a_preview() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(1).press("@").type_in("roundpr");
    assert!(d.screen().contains("shop/pricing.py:12"), "{}", d.screen());
    assert_eq!(d.state.source.list.cursor, 11, "the source shows it already");
    d.press("Enter");
    assert_eq!(d.state.subject.as_ref().map(|subject| subject.short()), Some("round_price"));
    assert_eq!(d.state.focus, Pane::Source);
    d.press("b @").type_in("render").press("Esc");
    assert_eq!(d.state.subject.as_ref().map(|subject| subject.short()), Some("Cart.total"));
    assert_eq!(d.state.source.path.as_ref().map(ToString::to_string).as_deref(), Some("shop/pricing.py"), "as before");
}

#[test]
fn the_tests_of_a_function_are_one_key_away() {
    let mut shop = Shop::new();
    let total = id("cart:Cart.total");
    let row = |test: &str, line: u32, calls: u64| TestRow { test: id(test), path: rel("tests/test_cart.py"), line, calls };
    let tests = vec![row("tests.test_cart:test_total", 12, 3), row("tests.test_cart:TestOrder.test_many", 31, 0)];
    shop.tests_through.insert(total, tests);
    shots("tests_of", &ALL, &shop, |d| {
        d.open(1).press("C");
    });
    let mut d = Driver::new(shop, (160, 45));
    d.open(1).press("C").type_in("many").press("Enter");
    assert_eq!(d.state.source.path.as_ref().map(ToString::to_string).as_deref(), Some("tests/test_cart.py"));
    d.press("b");
    assert_eq!(d.state.subject.as_ref().map(|subject| subject.short()), Some("Cart.total"), "and back");

    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(1).press("C");
    assert!(d.screen().contains("No test runs Cart.total, as far as recordings know."), "{}", d.screen());
}

#[test]
fn the_palette_finds_actions_by_what_people_call_them() {
    for (words, title) in [
        ("theme", "Open the settings"),
        ("settings", "Open the settings"),
        ("draft", "Next proposal"),
        ("change", "Next proposal"),
        ("check", "Do it again"),
        ("legend", "Keys of this place"),
    ] {
        let mut d = Driver::new(Shop::new(), (160, 45));
        d.open(3).press(":").type_in(words);
        let screen = d.screen();
        assert!(screen.contains(title), "{words}: {screen}");
    }
    // What was used most comes first, and nothing that decides.
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("z z z z :");
    let Some(Layer::Palette(picker, _)) = d.state.layers.last() else { panic!("no palette") };
    assert_eq!(picker.all[picker.shown[0]].title, "This pane alone");
}

#[test]
fn a_click_on_the_key_line_presses_the_key_and_never_decides() {
    let press = |d: &mut Driver, word: &str| {
        let screen = d.screen();
        let line = screen.lines().last().unwrap().to_owned();
        let at = line[..line.find(word).unwrap_or_else(|| panic!("{word} in {line}"))].chars().count();
        let (x, y) = (u16::try_from(at).unwrap(), d.state.size.1 - 1);
        d.tell(crate::tui::app::Msg::Mouse(crate::tui::app::Mouse::Press(x, y)));
    };
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3);
    press(&mut d, "keys");
    assert!(matches!(d.state.layers.last(), Some(Layer::Help(..))));
    press(&mut d, "close");
    assert!(d.state.layers.is_empty());
    press(&mut d, "next");
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(4)));
    d.open(3);
    press(&mut d, "accept");
    assert_eq!(d.sent(), []);
    assert!(d.message().contains("no click decides"), "{}", d.message());
}

#[test]
fn the_help_is_a_table_with_every_mark() {
    shots("table", &ALL, &Shop::new(), |d| {
        d.open(3).press("?");
    });
    shots("marks", &ALL, &Shop::new(), |d| {
        d.open(3).press("?").type_in("stale");
    });
    shots("actions", &ALL, &Shop::new(), |d| {
        d.open(3).press(":").type_in("draft");
    });
    shots("go_to", &ALL, &Shop::new(), |d| {
        d.open(3).press("@").type_in("cart");
    });
    // On the smallest screen the last mark can be reached.
    let mut d = Driver::new(Shop::new(), (40, 10));
    d.open(3).press("?");
    for _ in 0..120 {
        d.press("Down");
    }
    assert!(d.screen().contains("the part you see"), "{}", d.screen());
}

/// A save led to the change of the shop, with this said about it.
fn a_save(d: &mut Driver) {
    let mut rows: Vec<_> = d.shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(1)).cloned().collect();
    let change = Shop::new().snapshot.queue.iter().find(|row| row.id == ProposalId(1)).cloned().unwrap();
    rows.insert(0, crate::domain::snapshot::QueueRow { about: "104.90 → 100.00   3 of 31 calls".into(), ..change });
    d.shop.snapshot.queue = Arc::new(rows);
    d.happen(Event::Resync);
}

#[test]
fn a_change_after_a_save_is_on_the_screen_without_a_key() {
    let mut shop = Shop::new();
    shop.snapshot.queue = Arc::new(vec![]);
    let mut d = Driver::new(shop, (160, 45));
    d.press("Tab Tab Tab");
    assert_eq!(d.state.focus, Pane::Decision);
    a_save(&mut d);
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(1)));
    assert!(d.screen().contains("caused by pricing.py:36: > became >="), "{}", d.screen());
    // What is being read stays, and the news has its values.
    let mut shop = Shop::new();
    shop.snapshot.queue = Arc::new(shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(1)).cloned().collect());
    let mut d = Driver::new(shop, (160, 45));
    d.open(3);
    d.now.0 += 2_000;
    a_save(&mut d);
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(3)));
    assert_eq!(d.message(), "Cart.total  104.90 → 100.00 3 of 31 calls. J shows it.");
}
