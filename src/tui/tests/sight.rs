//! What has to be in sight: all of what `a` writes, and the place where old and new differ.

use std::sync::Arc;

use crate::base::error::Trouble;
use crate::domain::call::{Effect, Outcome};
use crate::domain::command::Command;
use crate::domain::difference::Difference;
use crate::domain::proposal::{Body, ProposalId};
use crate::domain::value::Value;
use crate::tui::app::Msg;
use crate::tui::doc::Loaded;
use crate::tui::layer::Layer;
use crate::tui::layout::Pane;
use crate::tui::tests::fixture::{Driver, Shop};

fn at(columns: u16, rows: u16) -> Driver {
    let mut driver = Driver::new(Shop::new(), (columns, rows));
    driver.open(3);
    driver.asked.clear();
    driver
}

#[test]
fn what_is_partly_in_sight_is_shown_before_it_is_written() {
    for (columns, rows) in [(60, 20), (100, 24), (160, 16), (40, 10)] {
        let mut d = at(columns, rows);
        d.state.focus = Pane::Decision;
        d.press("a");
        assert_eq!(d.sent(), [], "{columns}x{rows}: not all of it was in sight");
        assert!(matches!(d.state.layers.last(), Some(Layer::Question(_))), "{columns}x{rows}");
        d.press("a");
        assert_eq!(d.sent().len(), 1, "{columns}x{rows}: the second writes");
    }
}

#[test]
fn what_was_read_to_its_end_is_written_at_once_and_what_was_skipped_is_not() {
    let mut d = at(60, 20);
    d.press("Space Space Space Space Space Space a");
    assert_eq!(d.sent().len(), 1);
    let mut d = at(60, 20);
    d.press("> a");
    assert_eq!(d.sent(), [], "its middle was never in sight");
}

#[test]
fn a_change_shows_what_differs_inside_of_long_values() {
    let list = |last: i64| Value::List((0..60).map(|n| Value::Int(if n == 59 { last } else { n })).collect());
    let gave = |last: i64| Effect { outcome: Outcome::Returned(list(last)), changed: vec![] };
    let mut shop = Shop::new();
    let view = shop.views.get_mut(&ProposalId(1)).unwrap();
    if let Body::Change(change) = &mut view.proposal.body {
        let call = &mut change.calls[0];
        (call.old, call.new) = (gave(300), gave(301));
        let values = (Some(Value::Int(300)), Some(Value::Int(301)));
        call.difference = Difference { path: "[59]".into(), old: values.0, new: values.1 };
    }
    let shown = Arc::new(Loaded::new(view.clone()));
    let lines: Vec<String> = shown.disk.iter().map(|row| row.row.text()).collect();
    let said = lines.join("\n");
    assert!(said.contains("at   [59]: 300 → 301"), "{said}");
    let of = |sign: &str| lines.iter().find(|line| line.trim_start().starts_with(sign)).unwrap().clone();
    assert!(of("old  …").ends_with("300]") && of("new  …").ends_with("301]"), "{said}");
    let mut d = Driver::new(shop, (100, 30));
    d.tell(Msg::Tick);
    d.open(1);
    assert!(d.screen().contains("300 → 301"), "{}", d.screen());
}

/// Has a draft still be on its way to the screen, as in the moment in which it appears.
fn still_read(size: (u16, u16)) -> Driver {
    let mut d = Driver::new(Shop::new(), size);
    d.open(3);
    d.state.decision.loaded = None;
    d.state.decision.shown = None;
    d.state.decision.asked = Some(ProposalId(3));
    d
}

fn arrives(d: &mut Driver) {
    let view = d.shop.views.get(&ProposalId(3)).cloned().map(Loaded::new);
    d.tell(Msg::Proposal(ProposalId(3), Box::new(view.ok_or_else(|| Trouble::internal("No such proposal.")))));
}

#[test]
fn a_key_pressed_while_a_draft_is_still_read_acts_once_it_is_here() {
    let mut d = still_read((160, 45));
    d.press("a");
    assert!(d.sent().is_empty() && d.state.layers.is_empty());
    assert!(d.message().contains("acts once it is here"), "{}", d.message());
    arrives(&mut d);
    assert!(d.sent().is_empty(), "nothing is written unseen");
    assert!(matches!(d.state.layers.last(), Some(Layer::Question(question)) if question.title.contains("Write 1 file?")));
    d.press("a");
    assert!(matches!(d.sent()[..], [Command::Accept { proposal: ProposalId(3), .. }]));

    let mut d = still_read((160, 45));
    d.press("i");
    arrives(&mut d);
    assert!(d.state.in_place.as_ref().is_some_and(|edit| edit.open));
}

#[test]
fn another_key_before_the_draft_is_here_is_another_wish() {
    let mut d = still_read((160, 45));
    d.press("a j");
    arrives(&mut d);
    assert!(d.sent().is_empty() && d.state.layers.is_empty());
    let mut d = still_read((160, 45));
    d.press("a J");
    arrives(&mut d);
    assert!(d.sent().is_empty() && d.state.layers.is_empty(), "it is not what line 2 names any more");
}
