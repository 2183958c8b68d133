//! What a person is asked, and what is shown on request: the engine's questions, refused writes, diffs of many, compared
//! drafts, a search that is typed.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::proposal::ProposalId;
use crate::domain::question::{About, Question, QuestionId};
use crate::domain::snapshot::Mark;
use crate::tui::app::{Effect, Msg};
use crate::tui::doc::Compare;
use crate::tui::layer::Layer;
use crate::tui::layout::Pane;
use crate::tui::tests::fixture::{Driver, Shop, id};

/// A moment after a question came, so that keys are meant for it.
const LATER: i64 = 1_000;

fn asking(about: About) -> Driver {
    let mut driver = Driver::new(Shop::new(), (160, 45));
    driver.open(3);
    driver.asked.clear();
    driver.shop.snapshot.questions = vec![Question { id: QuestionId(7), about }];
    driver.happen(Event::Resync);
    driver
}

fn send() -> About {
    let function = Some(id("pricing:bulk_price"));
    About::FirstSend { function, host: "api.example.com".into(), model: "m".into(), bytes: 2_100, tokens: 525 }
}

fn answer(yes: bool) -> Command {
    Command::Answer { question: QuestionId(7), yes }
}

#[test]
fn a_key_pressed_as_a_question_comes_answers_nothing() {
    let mut d = asking(send());
    assert!(d.screen().contains("api.example.com"));
    d.press("y");
    assert_eq!(d.sent(), []);
    d.now.0 += LATER;
    d.press("y");
    assert_eq!(d.sent(), [answer(true)]);
}

#[test]
fn nothing_is_sent_to_a_host_but_on_a_yes_and_its_bytes_can_be_read_first() {
    let mut d = asking(send());
    d.now.0 += LATER;
    d.press("v");
    assert!(d.screen().contains("qwen3-4b"), "{}", d.screen());
    d.press("Esc Enter");
    assert_eq!(d.sent(), [answer(false)]);
}

#[test]
fn esc_leaves_the_weak_sandbox_undecided_and_w_asks_again() {
    let mut d = asking(About::WeakContainment { why: vec!["No namespaces.".into()] });
    d.now.0 += LATER;
    d.press("Esc");
    assert_eq!((d.sent(), d.state.layers.len()), (vec![], 0));
    d.happen(Event::Resync);
    assert_eq!(d.state.layers.len(), 0, "it does not come back by itself");
    d.press("w n");
    assert_eq!(d.sent(), [answer(false)]);
}

#[test]
fn a_question_that_was_answered_elsewhere_goes() {
    let mut d = asking(send());
    assert_eq!(d.state.layers.len(), 1);
    d.shop.snapshot.questions.clear();
    d.happen(Event::Answered { question: QuestionId(7), yes: Some(true) });
    assert_eq!(d.state.layers.len(), 0);
}

#[test]
fn a_question_waits_while_something_is_typed() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("!").type_in("x");
    d.shop.snapshot.questions = vec![Question { id: QuestionId(7), about: send() }];
    d.happen(Event::Resync);
    assert!(matches!(d.state.layers.as_slice(), [Layer::Prompt(_)]));
    d.press("Esc");
    assert!(matches!(d.state.layers.as_slice(), [Layer::Question(_)]));
}

#[test]
fn a_refused_write_is_a_layer_and_t_reads_the_diff_again() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("a");
    let trouble = Trouble::environment("Not written: test_shop_pricing.py was changed by hand.").because("By hand.");
    d.happen(Event::Failed { trouble: trouble.clone() });
    assert!(d.screen().contains("make the diff anew"));
    d.shop.views.get_mut(&ProposalId(3)).unwrap().plan.clear();
    d.press("t");
    assert!(d.state.layers.is_empty());
    assert!(d.state.loaded().unwrap().view.plan.is_empty(), "the diff is the one of now");
    // What is known to be refused is said before it is asked for.
    d.shop.views.get_mut(&ProposalId(3)).unwrap().blocked = Some(trouble);
    d.happen(Event::EvidenceChanged { proposal: ProposalId(3) });
    d.sent();
    d.press("a");
    assert_eq!(d.sent(), []);
    assert!(matches!(d.state.layers.as_slice(), [Layer::Question(_)]));
}

#[test]
fn the_diffs_of_many_are_shown_line_by_line() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.press("A");
    assert!(d.screen().contains("tests/pytead/test_shop_cart.py"), "{}", d.screen());
    d.press("d");
    assert!(d.screen().contains("assert cart.total('FR') == Decimal('100.00')"), "{}", d.screen());
    d.press("Esc");
    assert!(matches!(d.state.layers.as_slice(), [Layer::Question(_)]), "the question is still there");
    assert_eq!(d.sent(), []);
}

#[test]
fn diffs_asked_for_too_early_are_shown_once_they_are_known() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.press("A");
    let (ids, plan) = d.state.kept.plan.take().unwrap();
    d.press("d");
    assert!(matches!(d.state.layers.as_slice(), [Layer::Question(_)]));
    d.tell(Msg::Plan(ids, plan));
    assert!(matches!(d.state.layers.as_slice(), [Layer::Question(_), Layer::Text(_)]));
}

#[test]
fn only_what_would_be_written_counts_as_seen() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3);
    d.sent();
    d.press("=");
    assert_eq!(d.state.decision.compare, Compare::Whole);
    d.press("a");
    assert_eq!(d.sent(), [], "the whole text is no diff");
    assert!(matches!(d.state.layers.as_slice(), [Layer::Question(_)]));
}

#[test]
fn enter_on_an_untouched_list_decides_nothing() {
    for keys in [": Enter", "? Enter", ": Down Enter"] {
        let mut d = Driver::new(Shop::new(), (160, 45));
        d.open(3);
        d.sent();
        d.press(keys);
        let decides = |command: &Command| matches!(command, Command::Decide { .. });
        assert!(!d.sent().iter().any(decides), "{keys}");
    }
}

#[test]
fn a_change_is_read_at_the_edit_that_caused_it() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(1);
    assert_eq!(d.state.source.path.as_ref().map(|path| path.as_str()), Some("shop/pricing.py"));
    assert_eq!(d.state.source.list.cursor + 1, 36);
    assert!(d.state.source.edited.contains(&36) && d.state.source.marks.get(&36) == Some(&Mark::Stale));
    d.open(3);
    assert!(d.state.source.edited.is_empty());
}

#[test]
fn a_change_whose_code_went_back_offers_nothing_to_decide() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(1);
    d.sent();
    let left = d.shop.snapshot.queue.iter().filter(|row| row.id != ProposalId(1)).cloned().collect();
    d.shop.snapshot.queue = Arc::new(left);
    d.happen(Event::BehaviourRestored { proposal: ProposalId(1), function: id("cart:Cart.total") });
    let screen = d.screen();
    assert!(screen.contains("ends as before again") && !screen.contains("accept new"), "{screen}");
    d.press("a r");
    assert_eq!(d.sent(), []);
}

#[test]
fn a_search_lights_up_while_it_is_typed_and_esc_brings_the_one_before_back() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.open(3).press("/").type_in("cent").press("Enter /  Ctrl-u").type_in("deci");
    assert_eq!(d.state.search.as_ref().map(|search| search.words.as_str()), Some("deci"));
    d.press("Esc");
    assert_eq!(d.state.search.as_ref().map(|search| search.words.as_str()), Some("cent"));
}

#[test]
fn a_filter_leaves_tests_out_unless_it_names_their_place() {
    let mut shop = Shop::new();
    let test = shop.snapshot.functions[0].clone();
    let path = shop.snapshot.files.iter().find(|file| file.is_test).unwrap().path.clone();
    let row = crate::domain::snapshot::FunctionRow { id: id("tests:test_cart"), path, ..test };
    shop.snapshot.functions = Arc::new(shop.snapshot.functions.iter().cloned().chain([row]).collect());
    let mut d = Driver::new(shop, (160, 45));
    let shown = |d: &Driver| d.state.nodes.iter().any(|node| node.label == "test_cart");
    d.press("f").type_in("cart").press("Enter");
    assert!(!shown(&d));
    d.press("f Ctrl-u").type_in("in:tests").press("Enter");
    assert!(shown(&d));
}

#[test]
fn a_click_on_the_filter_clears_it() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.press("f").type_in("in:cart").press("Enter");
    let title = d.screen().lines().nth(2).unwrap().to_owned();
    let column = title.chars().position(|c| c == '[').unwrap();
    d.tell(Msg::Mouse(crate::tui::app::Mouse::Press(u16::try_from(column + 2).unwrap(), 2)));
    assert!(d.state.filter.is_empty());
}

#[test]
fn the_background_is_asked_for_when_the_window_comes_to_the_front() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    d.state.dirty = false;
    d.tell(Msg::Focused);
    d.tell(Msg::Background(false));
    assert_eq!(d.asked, [Effect::AskBackground, Effect::TakeBackground(false)]);
    assert!(!d.state.dirty, "nothing is drawn for a question");
    assert_eq!(d.state.focus, Pane::Decision);
}
