//! Whole screens at five sizes.

use std::sync::Arc;

use crate::base::clock::Moment;
use crate::domain::call::{ProgramEnd, RecordingId};
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::{Decided, Trust};
use crate::tui::tests::fixture::{Driver, NOW, Shop};

const SIZES: [(u16, u16); 5] = [(160, 45), (100, 30), (60, 20), (40, 10), (30, 8)];

fn shots(name: &str, sizes: &[(u16, u16)], shop: &Shop, prepare: impl Fn(&mut Driver)) {
    for size in sizes {
        let mut driver = Driver::new(shop.clone(), *size);
        prepare(&mut driver);
        let screen = driver.screen();
        for line in screen.lines() {
            assert!(crate::base::text::width(line) <= usize::from(size.0), "{line:?}");
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen);
        });
    }
}

#[test]
fn a_ready_draft() {
    shots("ready", &SIZES, &Shop::new(), |d| {
        d.open(3);
    });
}

#[test]
fn a_change() {
    shots("change", &SIZES[..4], &Shop::new(), |d| {
        d.open(1);
    });
}

#[test]
fn a_streaming_draft() {
    shots("streaming", &SIZES[..4], &Shop::new(), |d| {
        d.with_model_job();
        d.open(4);
    });
}

#[test]
fn a_draft_in_proof() {
    shots("proving", &SIZES[..3], &Shop::new(), |d| {
        d.open(5);
    });
}

#[test]
fn a_refused_draft() {
    shots("refused", &SIZES[..3], &Shop::new(), |d| {
        d.open(6);
    });
}

#[test]
fn a_stale_draft() {
    shots("stale", &SIZES[1..3], &Shop::new(), |d| {
        d.open(7);
    });
}

fn fresh() -> Shop {
    let mut shop = Shop::new();
    shop.snapshot.queue = Arc::new(vec![]);
    shop.snapshot.recordings = Arc::new(vec![]);
    shop.snapshot.jobs = Arc::new(vec![]);
    shop.snapshot.can_undo = false;
    shop
}

#[test]
fn the_first_run() {
    shots("first_run", &SIZES, &fresh(), |_| {});
}

#[test]
fn the_trust_question() {
    let mut shop = fresh();
    shop.snapshot.trust = Trust::Unknown;
    shots("trust", &SIZES[..4], &shop, |_| {});
}

#[test]
fn a_recording_live() {
    let mut shop = Shop::new();
    let mut rows = (*shop.snapshot.recordings).clone();
    let mut live = rows[0].clone();
    live.id = RecordingId(8);
    live.command = vec!["python".into(), "-m".into(), "shop.serve".into()];
    live.end = ProgramEnd::Running;
    live.started = Moment(NOW.0 - 41_000);
    live.seen = 12_480;
    live.newest = vec!["Cart.total".into(), "Gateway.charge".into()];
    live.output = vec!["GET /cart 200 · POST /pay 200".into()];
    rows.insert(0, live);
    shop.snapshot.recordings = Arc::new(rows);
    shots("runs", &SIZES[..4], &shop, |d| {
        d.press("4");
    });
}

#[test]
fn the_log() {
    shots("log", &SIZES[..4], &Shop::new(), |d| {
        d.press("5");
    });
}

#[test]
fn the_help() {
    shots("help", &SIZES[..4], &Shop::new(), |d| {
        d.open(3).press("?").type_in("acc");
    });
}

#[test]
fn the_palette() {
    shots("palette", &SIZES[..4], &Shop::new(), |d| {
        d.open(3).press(":").type_in("rec");
    });
}

#[test]
fn the_bulk_question() {
    shots("bulk", &SIZES[..4], &Shop::new(), |d| {
        d.press("A");
    });
}

#[test]
fn the_filter_and_the_queue() {
    shots("filter", &SIZES[1..3], &Shop::new(), |d| {
        d.press("f").type_in("cart is:wai");
    });
    shots("queue", &SIZES[1..3], &Shop::new(), |d| {
        d.press("Q");
    });
}

#[test]
fn the_queues_end() {
    let mut shop = Shop::new();
    shop.snapshot.queue = Arc::new(shop.snapshot.queue.iter().filter(|row| row.id == ProposalId(3)).cloned().collect());
    shots("done", &SIZES[..4], &shop, |d| {
        d.press("a");
        d.shop.snapshot.queue = Arc::new(vec![]);
        d.shop.snapshot.decided = Decided { accepted: 1, ..Decided::default() };
        d.happen(crate::domain::event::Event::Decided {
            proposal: ProposalId(3),
            function: crate::tui::tests::fixture::id("pricing:apply_discount"),
            verb: crate::domain::decision::Verb::Accept,
            line: "Accepted apply_discount: 24 lines in tests/pytead/test_shop_pricing.py".into(),
        });
    });
}

#[test]
fn the_ascii_signs() {
    let mut driver = Driver::new(Shop::new(), (100, 30));
    driver.open(3);
    driver.state.glyphs = crate::tui::glyphs::Glyphs::Ascii;
    let screen = driver.screen();
    assert!(screen.is_ascii(), "{screen}");
}
