//! What the screen promises a person: Esc is harmless, nothing is written unseen, every decision can be taken back.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::base::hash::Digest;
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::event::Event;
use crate::domain::proposal::{ProposalId, ProposalKind, ProposalState};
use crate::domain::snapshot::Trust;
use crate::tui::app::{Effect, Msg};
use crate::tui::layer::Layer;
use crate::tui::layout::{Pane, Screen};
use crate::tui::tests::compared::diffed;
use crate::tui::tests::fixture::{DRAFT, Driver, NOW, Shop, id};
use crate::tui::update::update;

fn driver() -> Driver {
    let mut driver = Driver::new(Shop::new(), (160, 45));
    driver.open(3);
    driver.asked.clear();
    driver
}

/// Lists the proposals that were accepted; nothing else may have been asked for.
fn accepted(d: &mut Driver) -> Vec<i64> {
    let number = |command: Command| match command {
        Command::Accept { proposal, .. } => proposal.0,
        other => panic!("{other:?}"),
    };
    d.sent().into_iter().map(number).collect()
}

#[test]
fn a_writes_when_the_diff_is_in_sight() {
    let mut d = driver();
    d.press("a");
    assert_eq!(accepted(&mut d), [3]);
    d.press("a");
    assert_eq!(d.sent(), [], "one decision is sent once");
}

#[test]
fn the_first_a_shows_the_diff_and_the_second_writes() {
    let mut d = driver();
    d.tell(Msg::Resize(60, 20));
    d.press("Tab");
    assert_eq!(d.state.focus, Pane::Functions);
    d.press("a");
    assert_eq!(d.sent(), []);
    assert!(matches!(d.state.layers.last(), Some(Layer::Question(_))));
    assert!(d.screen().contains("nothing is written"));
    // A save makes it another while the question stands there: what was shown is accepted, or nothing.
    let shown = d.shop.views[&ProposalId(3)].clone();
    if let Some(view) = d.shop.views.get_mut(&ProposalId(3)) {
        view.plan[0].after = Some("another text".into());
    }
    d.state.decision.dirty = true;
    d.tell(Msg::Tick);
    d.press("a");
    let seen = shown.proposal.sight(&shown.plan);
    assert_eq!(d.sent(), [Command::Accept { proposal: ProposalId(3), seen }]);
}

#[test]
fn what_was_read_before_an_event_is_read_again_and_never_comes_last() {
    let mut d = driver();
    let snapshot = Arc::new(d.shop.snapshot.clone());
    let event = || Msg::Happened(Box::new(Event::EvidenceChanged { proposal: ProposalId(3) }), snapshot.clone());
    let reads = |out: Vec<Effect>| out.iter().filter(|effect| matches!(effect, Effect::ReadProposal(_))).count();
    let mut tell = |msg| reads(update(&mut d.state, msg, NOW));
    assert_eq!(tell(event()), 1);
    assert_eq!(tell(event()), 0, "one is on its way");
    let read = || Msg::Proposal(ProposalId(3), Box::new(Err(Trouble::internal("It was read before."))));
    assert_eq!(tell(read()), 1, "and is old when it comes");
    assert_eq!(tell(read()), 0);
}

#[test]
fn a_change_is_written_only_with_its_lines_in_sight() {
    let mut d = driver();
    d.tell(Msg::Resize(60, 20));
    d.open(1).press("a");
    assert_eq!(d.sent(), [], "old and new are in sight, the file's lines are not");
    d.press("a");
    assert_eq!(accepted(&mut d), [1]);
    let mut d = driver();
    d.open(1).press("a");
    assert_eq!(accepted(&mut d), [1]);
}

#[test]
fn esc_and_enter_in_that_question_write_nothing() {
    for key in ["Esc", "Enter", "q", "n"] {
        let mut d = driver();
        d.tell(Msg::Resize(60, 20));
        d.press("Tab a").press(key);
        assert_eq!(d.sent(), [], "{key}");
        assert!(d.state.layers.is_empty());
    }
}

#[test]
fn esc_never_decides_cancels_or_clears() {
    for keys in
        ["Esc", "A Esc", "o Esc", "f Esc", ": Esc", "/ Esc", "! Esc", "m Esc", "? Esc", "z Esc", "Q Esc", "w Esc", "i Esc"]
    {
        let mut d = driver();
        d.press(keys).press("Esc Esc");
        let sent: Vec<Command> = d.sent().into_iter().filter(|one| !matches!(one, Command::KeepSession { .. })).collect();
        assert_eq!(sent, [], "{keys}");
        assert!(!d.asked.contains(&Effect::Quit));
        assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(3)));
    }
}

#[test]
fn what_was_typed_is_kept_for_next_time() {
    let mut d = driver();
    d.press("!").type_in(" --slow").press("Esc !");
    let Some(Layer::Prompt(prompt)) = d.state.layers.last() else { panic!("no prompt") };
    assert_eq!(prompt.line.text, "pytest -q --slow");
    d.press("Enter");
    let argv = vec!["pytest".into(), "-q".into(), "--slow".into()];
    assert_eq!(d.sent(), [Command::Record { argv, limit: None, targets: vec![] }]);
    assert_eq!(d.state.screen, Screen::Runs);
}

#[test]
fn what_is_not_ready_is_never_accepted() {
    for (number, state) in [(4, "streaming"), (5, "proving"), (6, "refused"), (7, "stale")] {
        let mut d = driver();
        d.open(number).press("a a a");
        assert_eq!(d.sent(), [], "{state}");
        assert!(!d.message().is_empty());
    }
}

#[test]
fn bulk_asks_with_the_number_starts_safe_and_takes_only_what_is_ready() {
    let mut d = driver();
    d.press("A");
    let Some(Layer::Question(question)) = d.state.layers.last() else { panic!("no question") };
    assert_eq!(question.title, "Accept 2 drafts and 1 change?");
    assert_eq!(question.marked, question.safe);
    d.press("Enter");
    assert_eq!(d.sent(), []);
    d.press("A y");
    let all = vec![ProposalId(1), ProposalId(2), ProposalId(3)];
    assert_eq!(d.sent(), [Command::Decide { proposals: all, verb: Verb::Accept, reason: None }]);
}

#[test]
fn bulk_honours_the_filter() {
    let mut d = driver();
    d.press("f").type_in("in:pricing").press("Enter A y");
    assert_eq!(d.sent(), [Command::Decide { proposals: vec![ProposalId(3)], verb: Verb::Accept, reason: None }]);
    d.press("F");
    assert!(d.state.filter.is_empty());
}

#[test]
fn after_a_decision_the_next_one_stands_in_its_place_and_k_goes_back() {
    let mut d = driver();
    d.press("a");
    d.shop.snapshot.queue = Arc::new(d.shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(3)).cloned().collect());
    let line = "Accepted apply_discount".to_owned();
    d.happen(Event::Decided {
        proposal: ProposalId(3),
        subject: id("pricing:apply_discount").into(),
        verb: Verb::Accept,
        line: line.into(),
        again: false,
    });
    assert_eq!(d.message(), "Accepted apply_discount. u takes it back.");
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(4)));
    d.press("K");
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(3)));
    d.press("a");
    assert!(d.message().starts_with("Already accepted"), "{}", d.message());
}

#[test]
fn undo_goes_to_the_engine_and_the_taken_back_one_waits_again() {
    let mut d = driver();
    d.press("a");
    let rows = d.shop.snapshot.queue.clone();
    d.shop.snapshot.queue = Arc::new(rows.iter().filter(|row| row.id != ProposalId(3)).cloned().collect());
    let function = id("pricing:apply_discount");
    d.happen(Event::Decided {
        proposal: ProposalId(3),
        subject: function.clone().into(),
        verb: Verb::Accept,
        line: "Accepted".into(),
        again: false,
    });
    d.sent();
    d.press("u");
    assert_eq!(d.sent(), [Command::Undo]);
    d.shop.snapshot.queue = rows;
    d.happen(Event::Undone { proposal: ProposalId(3), subject: function.into(), line: "".into() });
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(3)));
    assert_eq!(d.state.pass.verdict(ProposalId(3)), None);
    d.shop.snapshot.can_undo = false;
    d.happen(Event::Resync);
    d.press("u");
    assert_eq!(d.sent(), []);
}

#[test]
fn decisions_on_many_are_taken_back_and_made_again_with_their_number() {
    let function = id("pricing:apply_discount");
    for (key, said) in
        [("u", "Taken back: 2 decisions. U decides them again."), ("U", "Decided again: 2 decisions. u takes them back.")]
    {
        let mut d = driver();
        d.shop.snapshot.can_redo = true;
        d.happen(Event::Resync);
        d.press(key);
        for number in [3, 4] {
            let (proposal, function) = (ProposalId(number), function.clone());
            d.happen(match key {
                "u" => {
                    Event::Undone { proposal, subject: function.into(), line: "Taken back: apply_discount waits again.".into() }
                }
                _ => Event::Decided {
                    proposal,
                    subject: function.into(),
                    verb: Verb::Reject,
                    line: "Decided again: apply_discount.".into(),
                    again: true,
                },
            });
        }
        assert_eq!(d.message(), said);
    }
}

/// A person may write anything as a reason.
#[test]
fn how_to_take_a_decision_back_is_said_whatever_its_reason_says() {
    let mut d = driver();
    let (function, line) = (id("pricing:apply_discount"), "Rejected apply_discount: u takes the wrong unit".to_owned());
    d.happen(Event::Decided {
        proposal: ProposalId(3),
        subject: function.into(),
        verb: Verb::Reject,
        line: line.into(),
        again: false,
    });
    assert_eq!(d.message(), "Rejected apply_discount: u takes the wrong unit. u takes it back.");
}

#[test]
fn a_reason_needs_ten_characters() {
    let mut d = driver();
    d.press("o").type_in("too short").press("Enter");
    assert_eq!(d.sent(), []);
    d.type_in("!!").press("Enter");
    let reason = Some("too short!!".to_owned());
    assert_eq!(d.sent(), [Command::Decide { proposals: vec![ProposalId(3)], verb: Verb::Overrule, reason }]);
}

#[test]
fn the_first_draft_of_the_function_that_is_looked_at_comes_beside_it() {
    let mut d = driver();
    d.state.focus = Pane::Functions;
    while d.state.current().is_some() {
        d.press("j");
    }
    let subject = d.state.subject.clone().expect("a function that nothing waits for, while others have a draft");
    let mut rows = (*d.shop.snapshot.queue).clone();
    let mut draft =
        super::fixture::queue(99, ProposalKind::Draft, "pricing:apply_discount", "shop/pricing.py", ProposalState::Ready);
    draft.subject = subject.clone();
    rows.push(draft);
    d.shop.snapshot.queue = Arc::new(rows);
    d.happen(Event::Said { level: crate::domain::event::Level::Info, text: "news".into() });
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(99)));
    assert_eq!(d.state.subject, Some(subject));
}

#[test]
fn news_never_moves_what_is_read() {
    let mut d = driver();
    d.press("J K j j j");
    let before = (d.state.current().map(|row| row.id), d.state.decision.list, d.state.tree, d.state.focus);
    let mut rows = (*d.shop.snapshot.queue).clone();
    rows.insert(
        0,
        super::fixture::queue(99, ProposalKind::Draft, "pricing:shipping_for", "shop/pricing.py", ProposalState::Ready),
    );
    d.shop.snapshot.queue = Arc::new(rows);
    d.happen(Event::Said { level: crate::domain::event::Level::Info, text: "news".into() });
    assert_eq!((d.state.current().map(|row| row.id), d.state.decision.list, d.state.tree, d.state.focus), before);
    assert_eq!(d.state.pass.items().last().map(|row| row.id), Some(ProposalId(99)));
}

#[test]
fn nothing_runs_in_a_folder_that_is_not_trusted() {
    let mut shop = Shop::new();
    shop.snapshot.trust = Trust::Unknown;
    let mut d = Driver::new(shop, (100, 30));
    d.press("Enter !");
    assert_eq!(d.sent(), []);
    assert!(d.state.layers.is_empty() && d.state.asks_for_trust(), "it asks again");
    d.type_in("pytest test.py").press("Enter").type_in("make test").press("Enter ! t Enter");
    assert!(!d.sent().contains(&Command::Trust), "whoever types a command trusts nothing");
    d.press("t");
    d.type_in("y");
    assert_eq!(d.sent(), [Command::Trust]);
}

#[test]
fn quitting_asks_only_when_something_would_end() {
    let mut d = driver();
    d.press("q");
    assert_eq!(d.asked, [Effect::Quit]);
    let mut shop = Shop::new();
    let mut rows = (*shop.snapshot.recordings).clone();
    rows[0].end = crate::domain::call::ProgramEnd::Running;
    shop.snapshot.recordings = Arc::new(rows);
    let mut d = Driver::new(shop, (160, 45));
    d.press("q");
    assert_eq!(d.asked, []);
    assert!(matches!(d.state.layers.last(), Some(Layer::Question(_))));
    d.press("Ctrl-c Ctrl-c");
    assert!(d.asked.contains(&Effect::Quit), "twice Ctrl-c leaves at once");
}

#[test]
fn the_end_of_a_filter_says_what_waits_outside_of_it() {
    let mut d = driver();
    d.press("f").type_in("in:pricing").press("Enter J");
    assert!(d.message().contains("6 wait outside of it. F clears it."), "{}", d.message());
    d.press("F f").type_in("in:nowhere").press("Enter J");
    assert!(d.message().starts_with("The filter hides all 7 proposals."), "{}", d.message());
}

#[test]
fn an_edit_in_place_is_there_in_the_next_session_where_it_was() {
    let mut d = driver();
    d.press("i Down End").type_in("# mine").press("Esc");
    let kept = d.sent();
    let [Command::KeepSession { state }] = kept.as_slice() else { panic!("it is kept at once: {kept:?}") };
    d.press("q");
    assert_eq!(d.asked, [Effect::Quit], "nothing would be lost, so nothing is asked");
    let mut shop = Shop::new();
    shop.snapshot.session = Some(Arc::new(state.clone()));
    let mut again = Driver::new(shop.clone(), (160, 45));
    assert_eq!(again.state.current().map(|row| row.id), Some(ProposalId(3)));
    assert!(again.message().starts_with("Your edit is kept."), "{}", again.message());
    let edit = again.state.in_place.as_ref().unwrap();
    assert!(edit.text().contains("# mine") && edit.area.cursor().0 == 1, "{}", edit.text());
    again.press("i Ctrl-s");
    assert!(matches!(again.sent().as_slice(), [Command::Edit { proposal: ProposalId(3), text }] if text.contains("# mine")));
    // What waits no more takes its edit with it.
    shop.snapshot.queue = Arc::new(shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(3)).cloned().collect());
    assert!(Driver::new(shop, (160, 45)).state.in_place.is_none());
}

#[test]
fn editing_in_place_shows_colours_numbers_and_the_cursor_wherever_it_goes() {
    let mut d = driver();
    d.tell(Msg::Resize(60, 20));
    d.press("i");
    for _ in 0..40 {
        d.press("Down");
    }
    let edit = d.state.in_place.as_ref().unwrap();
    let (line, top) = (edit.area.cursor().0, edit.at.0);
    assert!(top > 0 && line >= top && line < top + 15, "line {line}, top {top}");
    let screen = d.screen();
    assert!(screen.contains(&format!("{:>4} ", line + 1)), "{screen}");
    d.type_in(&"x".repeat(100));
    let edit = d.state.in_place.as_ref().unwrap();
    assert!(edit.column() >= edit.at.1 && edit.column() - edit.at.1 < 54, "{} {}", edit.column(), edit.at.1);
    // A keyword has another style than a name beside it.
    let theme = crate::tui::theme::Theme::load(crate::tui::theme::ThemeName::Dark).unwrap();
    let mut d = driver();
    d.press("i");
    let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(160, 45)).unwrap();
    terminal.draw(|f| crate::tui::view::frame::draw(&d.state, &theme, f)).unwrap();
    let keyword = theme.style(crate::tui::theme::Role::Keyword).fg;
    let cells = terminal.backend().buffer().content().iter().filter(|cell| cell.style().fg == keyword && cell.symbol() == "i");
    assert!(cells.count() > 0, "import is coloured");
}

#[test]
fn the_editor_gets_the_drafts_text_and_an_edit_is_proved_not_written() {
    let mut d = driver();
    d.press("e");
    let whole = format!("import pytest\n\n\n{DRAFT}");
    assert_eq!(d.asked, [Effect::EditDraft { proposal: ProposalId(3), text: whole.clone(), line: 1 }]);
    d.asked.clear();
    d.tell(Msg::Edited(Some((ProposalId(3), whole.clone(), whole.clone()))));
    assert_eq!(d.sent(), []);
    d.tell(Msg::Edited(Some((ProposalId(3), whole, "def test_x(): pass\n".into()))));
    assert_eq!(d.sent(), [Command::Edit { proposal: ProposalId(3), text: "def test_x(): pass\n".into() }]);
}

#[test]
fn a_key_without_meaning_says_so_and_does_nothing() {
    for key in ["9", "G", "Z"] {
        let mut d = driver();
        d.press(key);
        assert!(d.message().starts_with(&format!("{key} does nothing here.")), "{}", d.message());
        assert_eq!(d.asked, []);
    }
    let mut d = driver();
    d.press("5 a");
    assert!(d.message().starts_with("a does nothing here."));
}

#[test]
fn the_stream_follows_its_end_until_one_scrolls_up() {
    let mut d = driver();
    d.tell(Msg::Resize(60, 14));
    d.open(4);
    let last = d.state.decision.list.cursor;
    d.press("k");
    d.shop.stream.as_mut().unwrap().text.push_str("mp\"):\n        pass\n");
    d.shop.stream.as_mut().unwrap().tokens += 9;
    d.tell(Msg::Tick);
    assert_eq!(d.state.decision.list.cursor, last - 1, "scrolled up: it holds still");
    d.press(">");
    d.shop.stream.as_mut().unwrap().text.push_str("        x = 1\n        y = 2\n");
    d.shop.stream.as_mut().unwrap().tokens += 9;
    d.tell(Msg::Tick);
    assert!(d.state.decision.list.cursor > last + 1, "at the end: it follows");
}

#[test]
fn the_place_is_kept_for_the_next_session() {
    let mut d = driver();
    d.press("f").type_in("in:pricing").press("Enter + 5");
    let kept = crate::tui::session::keep(&d.state);
    let mut shop = Shop::new();
    shop.snapshot.session = Some(Arc::new(kept));
    let again = Driver::new(shop, (160, 45));
    assert_eq!(again.state.screen, Screen::Log);
    assert_eq!(again.state.filter.text, "in:pricing");
    assert_eq!(again.state.shares, d.state.shares);
    assert_eq!(again.state.current().map(|row| row.id), Some(ProposalId(3)));
}

#[test]
fn x_stops_the_job_of_what_is_looked_at() {
    let mut d = driver();
    d.press("x");
    assert_eq!(d.sent(), [], "nothing runs for this draft");
    d.with_model_job();
    d.open(4).press("x");
    assert_eq!(d.sent(), [Command::Cancel { job: Some(crate::domain::command::JobId(5)) }]);
    d.open(5).press("x");
    assert_eq!(d.sent(), [Command::Cancel { job: Some(crate::domain::command::JobId(4)) }]);
}

#[test]
fn t_takes_the_newer_draft_of_a_stale_one() {
    let mut d = driver();
    d.open(7).press("t");
    assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(2)));
    d.open(3).press("t");
    assert_eq!(d.sent(), [Command::Prove { proposal: ProposalId(3) }]);
    d.open(1).press("t");
    assert_eq!(d.sent(), [Command::Replay { functions: vec![id("cart:Cart.total")] }]);
}

#[test]
fn places_are_walked_back_and_forward() {
    let mut d = driver();
    d.press("> Enter");
    assert_eq!(d.state.focus, Pane::Source);
    d.press("b");
    assert_eq!(d.state.focus, Pane::Decision);
    d.press("B");
    assert_eq!(d.state.focus, Pane::Source);
}

#[test]
fn what_a_model_was_asked_to_write_is_seen_while_it_writes_though_another_draft_is_there() {
    let mut d = driver();
    d.press("g");
    assert_eq!(d.sent(), [Command::AskModel { function: id("pricing:apply_discount"), remark: None }]);
    let mut rows = (*d.shop.snapshot.queue).clone();
    rows.push(super::fixture::queue(
        99,
        ProposalKind::Draft,
        "pricing:apply_discount",
        "shop/pricing.py",
        ProposalState::Streaming,
    ));
    d.shop.snapshot.queue = Arc::new(rows.clone());
    d.tell(Msg::Snapshot(Arc::new(d.shop.snapshot.clone())));
    assert_eq!(d.state.streaming(), Some(ProposalId(99)));
    // One that streams without being asked for here leaves the person where they are.
    d.press("K");
    let here = d.state.current().map(|row| row.id);
    rows.push(super::fixture::queue(
        100,
        ProposalKind::Draft,
        "pricing:apply_discount",
        "shop/pricing.py",
        ProposalState::Streaming,
    ));
    d.shop.snapshot.queue = Arc::new(rows);
    d.tell(Msg::Snapshot(Arc::new(d.shop.snapshot.clone())));
    assert_eq!(d.state.current().map(|row| row.id), here);
}

fn compared() -> Driver {
    let mut driver = Driver::new(Shop { diffed: Some(Arc::new(diffed())), ..Shop::new() }, (160, 45));
    driver.press("D Enter");
    assert_eq!(driver.sent(), [Command::Diff { reference: "HEAD".into() }]);
    driver.happen(Event::Diffed { reference: "HEAD".into(), functions: 2, compared: 38, differ: 3 });
    driver
}

#[test]
fn a_comparison_is_decided_on_as_its_changes_are() {
    let mut d = compared();
    d.press("a");
    assert_eq!(d.sent(), [], "what accepting writes is shown first");
    assert!(matches!(d.state.layers.last(), Some(Layer::Question(_))));
    d.press("a");
    assert_eq!(accepted(&mut d), [1]);
    let mut d = compared();
    d.press("r Enter");
    let reject = Command::Decide { proposals: vec![ProposalId(1)], verb: Verb::Reject, reason: None };
    assert_eq!(d.sent(), [reject]);
    let mut d = compared();
    d.press("o").type_in("free shipping was promised").press("Enter");
    assert!(matches!(d.sent().as_slice(), [Command::Decide { verb: Verb::Overrule, .. }]));
}

#[test]
fn after_an_edit_a_comparison_decides_nothing_and_offers_to_run_again() {
    let mut d = compared();
    d.shop.snapshot.tree = Digest(8);
    d.happen(Event::Resync);
    for key in ["a", "r", "o", "A", "R"] {
        d.press(key);
        assert_eq!(d.sent(), [], "{key}");
        d.press("Enter");
        assert_eq!(d.sent(), [], "the safe answer is marked");
    }
    d.press("a y");
    assert_eq!(d.sent(), [Command::Diff { reference: "HEAD".into() }]);
}

#[test]
fn what_was_recorded_with_todays_code_is_nothing_to_decide() {
    let mut d = compared();
    for _ in 0..d.state.diff.lines.rows.len() {
        d.press("j");
        if d.state.subject.as_ref().is_some_and(|subject| subject.short() == "shipping_for") {
            break;
        }
    }
    assert_eq!(d.state.subject, Some(id("pricing:shipping_for").into()));
    d.press("a r o");
    assert_eq!(d.sent(), []);
    assert!(d.state.layers.is_empty() && d.message().contains("Nothing to decide"), "{}", d.message());
}

#[test]
fn a_decision_stays_on_the_comparison_and_can_be_taken_back_there() {
    let mut d = compared();
    d.press("r Enter");
    d.shop.snapshot.queue = Arc::new(d.shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(1)).cloned().collect());
    d.happen(Event::Decided {
        proposal: ProposalId(1),
        subject: id("cart:Cart.total").into(),
        verb: Verb::Reject,
        line: "Kept as it was.".into(),
        again: false,
    });
    assert_eq!(d.state.screen, Screen::Diff);
    assert!(d.screen().contains("✗ stays red"), "{}", d.screen());
    d.press("u");
    assert_eq!(d.sent().last(), Some(&Command::Undo));
    d.shop.snapshot.queue = Shop::new().snapshot.queue;
    d.happen(Event::Undone { proposal: ProposalId(1), subject: id("cart:Cart.total").into(), line: "".into() });
    assert_eq!(d.state.screen, Screen::Diff);
    assert!(d.screen().contains("⋯ waits"), "{}", d.screen());
}

#[test]
fn enter_in_a_comparison_opens_source_and_call_and_back_leads_back() {
    let mut d = compared();
    d.press("Enter");
    assert_eq!((d.state.screen, d.state.focus), (Screen::Diff, Pane::Source));
    d.press("b");
    assert_eq!((d.state.screen, d.state.focus), (Screen::Diff, Pane::Diff));
    d.press(". .");
    d.press("Enter");
    assert_eq!((d.state.screen, d.state.focus), (Screen::Diff, Pane::Calls));
}
