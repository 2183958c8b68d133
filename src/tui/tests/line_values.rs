//! What each line gave in the selected call: where it stands, when it is asked for, and when it is forgotten.

use std::sync::Arc;

use crate::domain::call::CallId;
use crate::domain::event::Event;
use crate::domain::line_values::LineValues;
use crate::domain::snapshot::Trust;
use crate::tui::app::Msg;
use crate::tui::tests::fixture::{Driver, Shop, rel};
use crate::tui::tests::screens::{ALL, shots};

/// A line of the source with what it gave in the first call.
const AMOUNT: &str = "amount = price * (1 - rate)  Decimal('90.000')";

fn texts(all: &[(u32, &str)]) -> LineValues {
    LineValues {
        ran: [22, 24, 25, 26].into(),
        missed: [23].into(),
        texts: all.iter().map(|(line, text)| (*line, (*text).to_owned())).collect(),
        ..LineValues::default()
    }
}

/// The shop, whose first call was followed to its end and whose last to its exception; the second cannot be run again.
fn followed() -> Shop {
    let mut shop = Shop::new();
    let whole = texts(&[(24, "Decimal('0.1')"), (25, "Decimal('90.000')"), (26, "→ Decimal('90.00')")]);
    let raised = LineValues {
        ran: [22, 23].into(),
        missed: [24, 25, 26].into(),
        failed: [23].into(),
        texts: [(23, "✗ ValueError('negative price')".to_owned())].into(),
        is_cut: true,
    };
    shop.line_values.insert(CallId(1), Ok(Arc::new(whole)));
    shop.line_values.insert(CallId(2), Err("reads the file rates.json, which is gone".into()));
    shop.line_values.insert(CallId(4), Ok(Arc::new(raised)));
    shop
}

#[test]
fn values_stand_after_the_code_that_gave_them() {
    shots("line_values", &ALL, &followed(), |d| {
        d.open(3).press("d");
    });
    shots("line_values_of_an_exception", &ALL, &followed(), |d| {
        d.open(3).press("d ] ] ]");
    });
    shots("line_values_not_run", &ALL, &followed(), |d| {
        d.open(3).press("d ]");
    });
}

#[test]
fn the_selected_call_is_followed_and_no_other() {
    let mut driver = Driver::new(followed(), (160, 45));
    driver.open(3);
    assert_eq!(driver.followed.last(), Some(&Some(CallId(1))));
    assert!(driver.screen().contains(AMOUNT), "{}", driver.screen());
    driver.press("d ]");
    assert_eq!(driver.followed.last(), Some(&Some(CallId(2))));
    assert!(!driver.screen().contains(AMOUNT), "what another call gave is gone at once");
    assert!(driver.screen().contains("call 2 of 4 · not run again: r"), "{}", driver.screen());
    // What was on its way for the call before comes too late.
    driver.tell(Msg::LineValues(CallId(1), Ok(Arc::new(texts(&[(24, "late")])))));
    assert!(!driver.screen().contains("late"));
    driver.press("[");
    assert!(driver.screen().contains(AMOUNT));
    let times = driver.followed.len();
    driver.press("j k j");
    assert_eq!(driver.followed.len(), times, "the cursor of the source is no other call");
    driver.press("5");
    assert_eq!(driver.followed.last(), Some(&None), "out of sight, nothing is run");
}

#[test]
fn a_save_has_the_call_followed_again() {
    let mut driver = Driver::new(followed(), (160, 45));
    driver.open(3);
    let times = driver.followed.len();
    driver.shop.line_values.insert(CallId(1), Ok(Arc::new(texts(&[(25, "Decimal('80.000')")]))));
    driver.happen(Event::Saved { paths: vec![rel("shop/cart.py")], functions: vec![], because: None });
    assert_eq!(driver.followed[times..], [Some(CallId(1))]);
    assert!(driver.screen().contains("amount = price * (1 - rate)  Decimal('80.000')"), "{}", driver.screen());
}

#[test]
fn v_shows_the_whole_of_what_a_line_gave() {
    let mut shop = followed();
    let long = format!("'{}'", "x".repeat(300));
    shop.line_values.insert(CallId(1), Ok(Arc::new(texts(&[(25, &long)]))));
    let mut driver = Driver::new(shop, (160, 45));
    driver.open(3).press("d");
    let line = driver.screen().lines().find(|line| line.contains("amount = price")).map(str::to_owned).unwrap_or_default();
    assert!(line.contains("'xxx") && line.contains('…'), "{line}");
    driver.state.source.list.cursor = 24;
    driver.press("v");
    assert_eq!(driver.screen().matches('x').count() / 300, 1);
}

#[test]
fn where_nothing_may_run_nothing_is_asked_for() {
    let mut shop = followed();
    shop.snapshot.trust = Trust::ReadOnly;
    let mut driver = Driver::new(shop, (160, 45));
    driver.open(3);
    assert!(driver.followed.iter().all(Option::is_none), "{:?}", driver.followed);
}
