//! What differs beside the recorded inputs, in Review and beside a comparison with a commit: what a person sees, and the three keys.

use std::sync::Arc;

use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{CallId, Effect as CallEffect, Outcome};
use crate::domain::command::Command;
use crate::domain::decision::Verb;
use crate::domain::difference::Difference;
use crate::domain::event::{Event, JobKind};
use crate::domain::evidence::{Evidence, EvidenceKind, Finding};
use crate::domain::job_subject::JobSubject;
use crate::domain::near::{Apart, Distance, Near, NearChange, NearDifference, WithoutNear};
use crate::domain::proposal::{Body, Edit, ProposalId, ProposalKind, ProposalState};
use crate::domain::snapshot::{JobRow, ProposalView, QueueRow};
use crate::domain::value::Value;
use crate::domain::way::Way;
use crate::generate::near;
use crate::tui::layout::Screen;
use crate::tui::tests::compared::diffed;
use crate::tui::tests::fixture::{Driver, Shop, id, proposal, queue};
use crate::tui::tests::screens::shots;

/// The proposal about a near difference.
const NEAR: i64 = 8;
/// A terminal of the usual size, and a narrow one.
const BOTH: [(u16, u16); 2] = [(110, 30), (60, 20)];

fn difference() -> NearDifference {
    let ended = |text: &str| CallEffect { outcome: Outcome::Returned(Value::Str(text.into())), changed: vec![] };
    NearDifference {
        function: id("pricing:shipping_for"),
        path: RelPath::new("shop/pricing.py").unwrap(),
        line: 29,
        arguments: "(50, 'DE')".into(),
        call: CallId(4),
        recorded: "(49, 'DE')".into(),
        distance: Distance { place: "total".into(), how: Apart::Number, by: "1".into() },
        old: ended("4.90"),
        new: ended("0"),
        difference: Difference { path: String::new(), old: None, new: None },
        proposal: Some(ProposalId(NEAR)),
    }
}

/// The shop with a difference beside the recorded inputs that waits.
fn shop() -> Shop {
    let mut shop = Shop::new();
    let one = difference();
    let because = Edit {
        subject: one.function.clone().into(),
        path: one.path.clone(),
        hunk: vec!["-    if total > FREE_FROM:".into(), "+    if total >= FREE_FROM:".into()],
        line: 36,
    };
    let mut rows = (*shop.snapshot.queue).clone();
    let row = queue(NEAR, ProposalKind::Near, "pricing:shipping_for", "shop/pricing.py", ProposalState::Ready);
    rows.insert(1, QueueRow { about: near::short(&one).into(), proved: None, alone: true, ..row });
    shop.snapshot.queue = Arc::new(rows);
    shop.snapshot.near = Arc::new(Near { differences: vec![one.clone()], ..Near::default() });
    let change =
        NearChange { difference: one, args: vec![], way: Way::default(), code: Digest(3), because: vec![because], test: None };
    let mut proposal = proposal(NEAR, "pricing:shipping_for", ProposalState::Ready, Body::Near(Box::new(change)));
    proposal.evidence = vec![Evidence::new(Finding::Pass, EvidenceKind::Replays, "the same both times, under both versions")];
    let view = ProposalView { proposal, plan: vec![], blocked: None, newer: None, others: vec![], conflict: None };
    shop.views.insert(ProposalId(NEAR), view);
    shop.diffed = Some(Arc::new(diffed()));
    shop
}

/// Lets a search run over two functions.
fn searching(shop: &mut Shop) {
    let job = JobRow { kind: JobKind::Near, subject: JobSubject::Edited(2), done: 0, total: 0, ..shop.snapshot.jobs[0].clone() };
    shop.snapshot.jobs = Arc::new(vec![job]);
}

fn compare(driver: &mut Driver) {
    driver.press("D Enter");
    driver.happen(Event::Diffed { reference: "HEAD".into(), functions: 2, compared: 38, differ: 3 });
}

#[test]
fn a_near_difference_in_review() {
    shots("near", &BOTH, &shop(), |d| {
        d.open(NEAR);
    });
}

#[test]
fn the_section_of_near_differences_beside_a_comparison() {
    shots("near_diff", &BOTH, &shop(), |d| {
        compare(d);
        d.press("J");
    });
}

#[test]
fn the_section_while_a_search_runs_and_after_one_that_found_nothing() {
    let mut runs = shop();
    runs.snapshot.near = Arc::default();
    searching(&mut runs);
    shots("near_runs", &BOTH, &runs, |d| {
        compare(d);
        d.press("/").type_in("Beside").press("Enter");
    });
    let mut nothing = shop();
    nothing.snapshot.near = Arc::new(Near {
        searched: vec![(id("pricing:shipping_for"), 412)],
        not_searched: vec![(id("pricing:bulk_price"), WithoutNear::Outside)],
        ..Near::default()
    });
    shots("near_nothing", &BOTH, &nothing, |d| {
        compare(d);
        d.press("/").type_in("Beside").press("Enter");
    });
}

#[test]
fn nothing_is_said_where_nothing_was_searched() {
    let mut shop = shop();
    shop.snapshot.near = Arc::default();
    let mut d = Driver::new(shop, (160, 45));
    compare(&mut d);
    assert!(d.screen().contains("Gone, with their recorded calls") && !d.screen().contains("Beside"), "{}", d.screen());
}

#[test]
fn three_keys_decide_and_each_is_one_decision() {
    for (screen, open) in [(Screen::Review, "review"), (Screen::Diff, "diff")] {
        let at = || {
            let mut d = Driver::new(shop(), (160, 45));
            if screen == Screen::Diff {
                compare(&mut d);
                d.press("J");
            } else {
                d.open(NEAR);
            }
            assert_eq!(d.state.current().map(|row| row.id), Some(ProposalId(NEAR)), "{open}");
            assert_eq!(d.state.screen, screen);
            d.asked.clear();
            d
        };
        let mut d = at();
        d.press("O O");
        assert_eq!(d.sent(), [Command::Decide { proposals: vec![ProposalId(NEAR)], verb: Verb::Keep, reason: None }], "{open}");

        let mut d = at();
        d.press("o").type_in("50 has to cost 4.90").press("Enter");
        let reason = Some("50 has to cost 4.90".to_owned());
        assert_eq!(d.sent(), [Command::Decide { proposals: vec![ProposalId(NEAR)], verb: Verb::Overrule, reason }], "{open}");

        let mut d = at();
        // Where old and new are in sight, the first key decides.
        d.press(if screen == Screen::Diff { "a a" } else { "a" });
        let seen = d.shop.views[&ProposalId(NEAR)].proposal.sight(&[]);
        assert_eq!(d.sent(), [Command::Accept { proposal: ProposalId(NEAR), seen }], "{open}");

        let mut d = at();
        d.press("r");
        assert!(d.sent().is_empty() && d.message().contains("O keeps a test"), "{open}: {}", d.message());
    }
}

#[test]
fn what_nobody_recorded_is_never_decided_in_bulk() {
    let mut d = Driver::new(shop(), (160, 45));
    d.press("f").type_in("in:pricing").press("Enter R y");
    let decided = d.sent();
    assert!(!format!("{decided:?}").contains("ProposalId(8)"), "{decided:?}");
}

#[test]
fn the_key_that_keeps_a_test_says_where_it_has_nothing_to_keep() {
    let mut d = Driver::new(shop(), (160, 45));
    d.open(3).press("O");
    assert!(d.sent().is_empty() && d.message().contains("No difference beside"), "{}", d.message());
}
