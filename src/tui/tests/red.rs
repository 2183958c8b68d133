//! What stays readable of what is wrong: files that do not parse, changes that were rejected or noted as a bug.

use std::sync::Arc;

use crate::domain::command::Command;
use crate::domain::decision::{Decision, DecisionId, Verb};
use crate::domain::proposal::{ProposalId, ProposalState};
use crate::domain::snapshot::{FileRow, RedCall, RedRow};
use crate::tui::app::Msg;
use crate::tui::layer::Layer;
use crate::tui::tests::fixture::{Driver, NOW, Shop, id};

#[test]
fn nothing_is_called_fresh_while_a_file_does_not_parse() {
    let mut d = Driver::new(Shop::new(), (160, 45));
    let broken = d.state.snapshot.files.iter().filter(|file| file.error.is_some()).count();
    assert_eq!(broken, 1, "the shop's reports.py");
    let mut snapshot = (*d.state.snapshot).clone();
    (snapshot.queue, snapshot.stale) = (Arc::default(), 0);
    d.tell(Msg::Snapshot(Arc::new(snapshot.clone())));
    assert!(d.screen().contains("1 file does not parse") && !d.screen().contains("all fresh"), "{}", d.screen());
    let mended = snapshot.files.iter().cloned().map(|file| FileRow { error: None, ..file });
    snapshot.files = Arc::new(mended.collect());
    snapshot.generation += 1;
    d.tell(Msg::Snapshot(Arc::new(snapshot)));
    assert!(d.screen().contains("all fresh"), "{}", d.screen());
}

#[test]
fn rejecting_a_change_asks_why_and_enter_alone_gives_no_reason() {
    for (typed, reason) in [("", None), ("as the law says", Some("as the law says"))] {
        let mut d = Driver::new(Shop::new(), (160, 45));
        d.open(1);
        d.asked.clear();
        d.press("r");
        assert!(matches!(d.state.layers.last(), Some(Layer::Prompt(_))) && d.sent().is_empty());
        d.type_in(typed).press("Enter");
        let decide =
            Command::Decide { proposals: vec![ProposalId(1)], verb: Verb::Reject, reason: reason.map(ToOwned::to_owned) };
        assert_eq!(d.sent(), [decide]);
    }
}

#[test]
fn what_stays_red_says_what_who_and_why_where_it_is_red() {
    let mut shop = Shop::new();
    shop.snapshot.queue = Arc::default();
    shop.snapshot.red = Arc::new(vec![RedRow {
        proposal: ProposalId(2),
        function: id("cart:Cart.total"),
        decision: Some(Decision {
            id: DecisionId(1),
            proposal: ProposalId(2),
            subject: id("cart:Cart.total").into(),
            verb: Verb::Overrule,
            from: ProposalState::Ready,
            by: "ann".into(),
            at: NOW,
            reason: Some("bytes must stay capital".into()),
            basis: Default::default(),
            edits: vec![],
            undone: false,
        }),
        calls: vec![RedCall { call: "Cart.total(country='FR')".into(), change: "104.90 → 100.00".into() }],
        more: 0,
    }]);
    let mut d = Driver::new(shop, (160, 45));
    crate::tui::update::set_subject(&mut d.state, &id("cart:Cart.total").into());
    let screen = d.screen();
    for part in ["noted as a bug by ann,", "today 10:45", "Why: bytes must stay capital", "104.90 → 100.00", "1 red"] {
        assert!(screen.contains(part), "{part} in {screen}");
    }
    assert!(!screen.contains("all fresh") && !screen.contains("Nothing waits"), "{screen}");
    d.press("w");
    assert!(d.screen().contains("Why: shop.cart:Cart.total") && d.screen().contains("bytes must stay capital"), "{}", d.screen());
}
