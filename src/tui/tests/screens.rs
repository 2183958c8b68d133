//! Whole screens at five sizes.

use std::sync::Arc;

use crate::base::clock::Moment;
use crate::base::hash::Digest;
use crate::base::paths::RelPath;
use crate::domain::call::{ProgramEnd, RecordingId};
use crate::domain::event::{Event, JobKind};
use crate::domain::job_subject::JobSubject;
use crate::domain::proposal::ProposalId;
use crate::domain::snapshot::JobRow;
use crate::domain::snapshot::{Decided, Trust};
use crate::tui::tests::compared::diffed;
use crate::tui::tests::fixture::{Driver, NOW, Shop};

const SIZES: [(u16, u16); 5] = [(160, 45), (100, 30), (60, 20), (40, 10), (30, 8)];
/// The sizes that people have.
pub const ALL: [(u16, u16); 5] = [(160, 45), (110, 32), (80, 24), (60, 20), (40, 10)];
/// The sizes of what is not a main screen.
const BOTH: [(u16, u16); 2] = [SIZES[0], SIZES[2]];

pub fn shots(name: &str, sizes: &[(u16, u16)], shop: &Shop, prepare: impl Fn(&mut Driver)) {
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
    shots("proving", &SIZES[..4], &Shop::new(), |d| {
        d.open(5);
    });
}

#[test]
fn a_refused_draft() {
    shots("refused", &SIZES[..4], &Shop::new(), |d| {
        d.open(6);
    });
}

#[test]
fn a_stale_draft() {
    shots("stale", &SIZES[..4], &Shop::new(), |d| {
        d.open(7);
    });
}

pub fn fresh() -> Shop {
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

fn live() -> Shop {
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
    shop
}

#[test]
fn a_recording_live() {
    shots("runs", &SIZES[..4], &live(), |d| {
        d.press("4");
    });
    shots("runs_done", &SIZES[..4], &Shop::new(), |d| {
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
fn the_diffs_of_a_bulk() {
    shots("bulk_diffs", &BOTH, &Shop::new(), |d| {
        d.press("A d");
    });
    shots("bulk_reject", &BOTH, &Shop::new(), |d| {
        d.press("R");
    });
}

#[test]
fn the_filter_and_the_queue() {
    shots("filter", &SIZES[..4], &Shop::new(), |d| {
        d.press("f").type_in("cart is:wai");
    });
    shots("filtered", &SIZES[..4], &Shop::new(), |d| {
        d.press("f").type_in("in:cart").press("Enter");
    });
    shots("filtered_to_nothing", &BOTH, &Shop::new(), |d| {
        d.press("f").type_in("zzz").press("Enter");
    });
    shots("queue", &SIZES[..4], &Shop::new(), |d| {
        d.press("Q");
    });
}

#[test]
fn the_search() {
    shots("search", &BOTH, &Shop::new(), |d| {
        d.open(3).press("/").type_in("decimal");
    });
}

#[test]
fn every_pane_in_front() {
    for (name, keys) in [("functions", "Tab"), ("source", "Tab Tab"), ("calls", "Tab Tab Tab")] {
        shots(name, &SIZES[..4], &Shop::new(), |d| {
            d.open(3).press(keys);
        });
    }
    shots("zoomed", &BOTH, &Shop::new(), |d| {
        d.open(3).press("z");
    });
}

#[test]
fn the_keys_of_a_place() {
    shots("keys", &SIZES[..4], &Shop::new(), |d| {
        d.open(3).press("?");
    });
    shots("keys_of_the_log", &BOTH, &Shop::new(), |d| {
        d.press("5 ?");
    });
}

#[test]
fn what_is_typed() {
    for (name, proposal, keys, typed) in [
        ("record", 3, "!", ""),
        ("record_wrong", 3, "! Ctrl-u", "pytest 'x"),
        ("remark", 3, "m", "use pieces=10"),
        ("reason", 1, "o", "not yet"),
    ] {
        shots(name, &BOTH, &Shop::new(), |d| {
            d.open(proposal).press(keys).type_in(typed);
            if name == "record_wrong" {
                d.press("Enter");
            }
        });
    }
    shots("in_place", &BOTH, &Shop::new(), |d| {
        d.open(3).press("i").type_in("x");
    });
}

#[test]
fn what_is_read_whole() {
    for (name, proposal, keys) in [
        ("why", 3, "w"),
        ("in_full", 6, "v"),
        ("call_in_full", 3, "c v"),
        ("whole_text", 3, "="),
        ("output", 3, "4 v"),
        ("unbound", 3, "G"),
    ] {
        shots(name, &BOTH, &Shop::new(), |d| {
            d.open(proposal).press(keys);
        });
    }
    shots("compared", &BOTH, &two_drafts(), |d| {
        d.open(3).press("= =");
    });
}

/// Two drafts of one function, so that they can be compared.
fn two_drafts() -> Shop {
    let mut shop = Shop::new();
    let mut other = shop.views[&ProposalId(3)].clone();
    other.proposal.id = ProposalId(8);
    if let crate::domain::proposal::Body::Draft(draft) = &mut other.proposal.body {
        draft.text = draft.text.replace("str(result) == expected", "result == 90");
    }
    shop.views.insert(ProposalId(8), other);
    let mut queue = (*shop.snapshot.queue).clone();
    queue.push(crate::domain::snapshot::QueueRow { id: ProposalId(8), ..queue[2].clone() });
    shop.snapshot.queue = Arc::new(queue);
    shop
}

#[test]
fn the_questions() {
    use crate::domain::question::{About, Question, QuestionId};
    let weak = About::WeakContainment {
        why: vec![
            "Namespaces are refused here: kernel.unprivileged_userns_clone is 0.".into(),
            "Landlock is not in this kernel.".into(),
        ],
    };
    let send = About::FirstSend {
        function: Some(crate::tui::tests::fixture::id("pricing:bulk_price")),
        host: "api.example.com".into(),
        model: "gpt-large".into(),
        bytes: 2_100,
        tokens: 525,
    };
    for (name, about, keys) in [("question_weak", weak, ""), ("question_send", send.clone(), ""), ("question_bytes", send, "v")] {
        let mut shop = Shop::new();
        shop.snapshot.questions = vec![Question { id: QuestionId(1), about }];
        shots(name, &SIZES[..4], &shop, |d| {
            d.now.0 += 1_000;
            d.press(keys);
        });
    }
    shots("question_quit", &BOTH, &live(), |d| {
        d.press("q");
    });
    shots("question_diff", &BOTH, &Shop::new(), |d| {
        d.open(3).press("z Tab");
        d.state.zoomed = true;
        d.press("a");
    });
}

/// Accepts what is shown, by a second key where not all of it is in sight.
fn accept(d: &mut Driver) {
    d.press("a");
    if !d.state.layers.is_empty() {
        d.press("a");
    }
}

#[test]
fn a_file_that_changed_meanwhile() {
    shots("changed_meanwhile", &SIZES[..4], &Shop::new(), |d| {
        d.open(3);
        accept(d);
        let trouble =
            crate::base::error::Trouble::environment("Not written: tests/pytead/test_shop_pricing.py was changed by hand.")
                .because("It is not as it was when the diff was made.")
                .so("Your decision and the draft are kept. Make the diff anew.");
        d.happen(crate::domain::event::Event::Failed { trouble });
    });
}

#[test]
fn errors_and_empty_places() {
    let trouble = crate::base::error::Trouble::environment("No Python found in .venv or as python3.")
        .so("Choose one: pytead-tui --python PATH.");
    let mut no_python = fresh();
    no_python.snapshot.python = None;
    no_python.snapshot.python_trouble = Some(trouble.clone());
    no_python.snapshot.offers = vec![];
    shots("no_python", &BOTH, &no_python, |_| {});
    let mut empty = fresh();
    empty.snapshot.functions = Arc::new(vec![]);
    empty.snapshot.files = Arc::new(vec![]);
    shots("empty_project", &BOTH, &empty, |_| {});
    let mut reading = fresh();
    reading.snapshot.functions = Arc::new(vec![]);
    reading.snapshot.indexed = false;
    reading.snapshot.reading = (214, 909);
    shots("reading", &BOTH, &reading, |_| {});
    shots("error", &BOTH, &Shop::new(), |d| {
        d.open(3);
        d.tell(crate::tui::app::Msg::Trouble(trouble.clone()));
    });
    shots("error_why", &BOTH, &Shop::new(), |d| {
        d.open(3);
        d.tell(crate::tui::app::Msg::Trouble(trouble.clone()));
        d.press("w");
    });
    let mut read_only = Shop::new();
    read_only.snapshot.trust = Trust::ReadOnly;
    read_only.snapshot.watch = crate::domain::snapshot::WatchState::Paused {
        since: NOW,
        files: 3,
        first: vec![RelPath::new("shop/cart.py").unwrap(), RelPath::new("shop/pricing.py").unwrap()],
    };
    shots("only_reading", &BOTH, &read_only, |d| {
        d.press("!");
    });
    let mut paused = Shop::new();
    paused.snapshot.watch = read_only.snapshot.watch.clone();
    shots("paused", &BOTH, &paused, |_| {});
    shots("paused_why", &BOTH, &paused, |d| {
        d.press("w");
    });
    let mut quiet = Shop::new();
    quiet.snapshot.queue = Arc::new(vec![]);
    for (name, function) in [("never_called", "pricing:bulk_price"), ("untestable", "payment:Gateway._post")] {
        shots(name, &BOTH, &quiet, |d| {
            let place = d.state.nodes.iter().position(|node| node.label == function.split(':').nth(1).unwrap()).unwrap();
            d.press("Tab <");
            for _ in 0..place {
                d.press("j");
            }
        });
    }
}

#[test]
fn the_queues_end() {
    let mut shop = Shop::new();
    shop.snapshot.queue = Arc::new(shop.snapshot.queue.iter().filter(|row| row.id == ProposalId(3)).cloned().collect());
    shots("done", &SIZES[..4], &shop, |d| {
        accept(d);
        d.shop.snapshot.queue = Arc::new(vec![]);
        d.shop.snapshot.decided = Decided { accepted: 1, ..Decided::default() };
        d.happen(crate::domain::event::Event::Decided {
            proposal: ProposalId(3),
            subject: crate::tui::tests::fixture::id("pricing:apply_discount").into(),
            verb: crate::domain::decision::Verb::Accept,
            line: "Accepted apply_discount: 24 lines in tests/pytead/test_shop_pricing.py".into(),
            again: false,
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

/// The shop after a comparison with HEAD.
pub fn compared() -> Shop {
    Shop { diffed: Some(Arc::new(diffed())), ..Shop::new() }
}

fn compare(driver: &mut Driver) {
    driver.press("D Enter");
    driver.happen(Event::Diffed { reference: "HEAD".into(), functions: 2, compared: 38, differ: 3 });
}

#[test]
fn a_comparison_with_a_commit() {
    shots("diff", &SIZES[..4], &compared(), compare);
}

#[test]
fn a_comparison_whose_code_changed_since() {
    shots("diff_stale", &BOTH, &compared(), |d| {
        compare(d);
        d.shop.snapshot.tree = Digest(8);
        d.happen(Event::Resync);
        d.press("a");
    });
}

#[test]
fn a_comparison_under_way() {
    let mut shop = Shop::new();
    let job = JobRow {
        kind: JobKind::Diff,
        subject: JobSubject::Revision("HEAD".into()),
        done: 12,
        total: 40,
        ..shop.snapshot.jobs[0].clone()
    };
    shop.snapshot.jobs = Arc::new(vec![job]);
    shots("diff_runs", &BOTH, &shop, |d| {
        d.press("D Enter");
    });
}

#[test]
fn the_prompt_for_a_commit() {
    shots("diff_asks", &BOTH, &Shop::new(), |d| {
        d.press("D");
    });
}
