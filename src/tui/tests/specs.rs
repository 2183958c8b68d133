//! The YAML tests: the list, the steps as they come and what they came to, at every size; and what the keys do.

use std::sync::Arc;

use serde_json::json;

use crate::base::clock::Moment;
use crate::domain::command::{Command, JobId};
use crate::domain::evaluator::Evaluator;
use crate::domain::event::{Event, JobKind, JobState};
use crate::domain::job_subject::JobSubject;
use crate::domain::snapshot::{JobRow, Mark, Trust};
use crate::domain::spec::{End, Phase, Report, Status, StepReport};
use crate::domain::spec_board::{PlannedStep, Running, SpecMistake, SpecRow, SpecView};
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling};
use crate::tui::app::Effect;
use crate::tui::layout::{Pane, Screen};
use crate::tui::tests::fixture::{Driver, NOW, Shop, rel};
use crate::tui::tests::screens::shots;

const FOUR: [(u16, u16); 4] = [(160, 45), (100, 30), (60, 20), (40, 10)];

const REFUND: &str = r#"test:
  name: money comes back
  description: A lamp is bought and sent back.
steps:
  - name: buy a lamp
    tool: shop_buy
    args: {item: lamp, price: "100.00"}
    save_as: order
  - name: send it back
    tool: shop_refund
    args: {order: "${order.id}"}
    expect: |
      - result.status is 200
      - result.total is at least 100
teardown:
  - tool: shop_close
verdict: {pass_if: all steps pass, fail_if: any step fails}
"#;

fn planned(phase: Phase, name: &str, line: u32, save_as: Option<&str>) -> PlannedStep {
    PlannedStep {
        phase,
        name: name.into(),
        line,
        depth: 0,
        tool: Some(format!("shop_{}", name.split(' ').next().unwrap_or_default())),
        repeat: 1,
        save_as: save_as.map(str::to_owned),
    }
}

fn plan() -> Vec<PlannedStep> {
    vec![
        planned(Phase::Steps, "buy a lamp", 5, Some("order")),
        planned(Phase::Steps, "send it back", 9, None),
        planned(Phase::Teardown, "shop_close", 16, None),
    ]
}

fn decided(text: &str, outcome: ClauseOutcome, why: &str) -> Decided {
    Decided { text: text.into(), outcome, evidence: Vec::new(), why: why.into(), shown: Vec::new(), needs_model: false }
}

fn did(planned: &PlannedStep, status: Status, result: serde_json::Value, clauses: Vec<Decided>) -> StepReport {
    StepReport {
        phase: planned.phase,
        name: planned.name.clone(),
        line: planned.line,
        depth: planned.depth,
        round: None,
        tool: planned.tool.clone(),
        args: json!({ "item": "lamp", "price": "100.00" }),
        tries: 1,
        ms: 120,
        end: End::Returned { result },
        status,
        clauses,
        filled: Vec::new(),
        printed: String::new(),
    }
}

fn row(file: &str, name: &str, ruling: Option<Ruling>, reason: &str) -> SpecRow {
    SpecRow {
        file: rel(file),
        name: name.into(),
        mistakes: 0,
        ruling,
        reason: reason.into(),
        at: ruling.map(|_| Moment(NOW.0 - 60_000)),
        ms: 4_012,
        stale: None,
        running: None,
    }
}

fn view(row: &SpecRow, steps: Vec<StepReport>) -> SpecView {
    let last = row.ruling.map(|verdict| Report {
        file: row.file.to_string(),
        name: row.name.clone(),
        tags: Vec::new(),
        verdict,
        reason: row.reason.clone(),
        evaluator: Evaluator::Rules,
        steps: Vec::new(),
        clauses: vec![decided("pass_if: all steps pass", ClauseOutcome::Violated, "“send it back” in line 9.")],
        issues: vec!["The total has no currency.".into()],
        notes: vec!["The plugins were started anew: what they had opened before is gone.".into()],
        ms: row.ms,
    });
    SpecView {
        row: row.clone(),
        description: "A lamp is bought and sent back.".into(),
        tags: Vec::new(),
        mistakes: Vec::new(),
        plan: plan(),
        steps,
        last,
        because: Some("Cart.total, which it calls, changed in shop/cart.py".into()),
    }
}

fn refund() -> (SpecRow, Vec<StepReport>) {
    let plan = plan();
    let mut failed = did(
        &plan[1],
        Status::Failed,
        json!({ "status": 502, "error": "gateway busy" }),
        vec![
            decided("result.status is 200", ClauseOutcome::Violated, "It is 502."),
            decided("result.total is at least 100", ClauseOutcome::Unknown, "There is no total."),
        ],
    );
    failed.tries = 2;
    failed.filled = vec![("${order.id}".into(), "7".into())];
    failed.printed = "asking the gateway\nit is busy\n".into();
    let steps = vec![
        did(&plan[0], Status::Passed, json!({ "id": 7 }), Vec::new()),
        failed,
        did(&plan[2], Status::Passed, json!(null), Vec::new()),
    ];
    (
        row(
            "tests/llm/test_refund.yaml",
            "money comes back",
            Some(Ruling::Fail),
            "“send it back” in line 9: result.status is 200: It is 502.",
        ),
        steps,
    )
}

/// A shop with a test that failed, one that runs, one whose file is wrong, and one that passed with yesterday's code.
pub fn shop() -> Shop {
    let mut shop = Shop::new();
    let (failed, steps) = refund();
    let mut runs = row("tests/llm/test_checkout.yaml", "buy one lamp as a guest", None, "");
    runs.running = Some(Running {
        since: Moment(NOW.0 - 9_000),
        waits: false,
        done: 1,
        step: Some(("send it back".into(), 9, 2, 3)),
        because: None,
    });
    let mut wrong = row("tests/llm/test_wrong.yaml", "test_wrong.yaml", None, "`nme` is no field of `test`.");
    wrong.mistakes = 1;
    let mut stale = row("tests/llm/test_users.yaml", "a new user gets one mail", Some(Ruling::Pass), "3 steps passed.");
    stale.stale = Some("its plugin tests/llm/plugins/shop.py changed".into());
    let mut views = vec![
        view(&failed, steps),
        view(&runs, vec![did(&plan()[0], Status::Passed, json!({ "id": 7 }), Vec::new())]),
        view(&wrong, Vec::new()),
        view(&stale, Vec::new()),
    ];
    views[2].plan.clear();
    views[2].mistakes = vec![SpecMistake {
        line: 2,
        said: vec![
            "tests/llm/test_wrong.yaml:2:3: `nme` is no field of `test`. Did you mean `name`?".into(),
            "  2 |   nme: x".into(),
            "    |   ^^^".into(),
        ],
    }];
    shop.snapshot.specs = Arc::new(vec![failed, wrong, runs, stale]);
    shop.specs = views.into_iter().map(|view| (view.row.file.clone(), view)).collect();
    shop.sources.insert(rel("tests/llm/test_refund.yaml"), REFUND.to_owned());
    shop
}

fn driver(size: (u16, u16)) -> Driver {
    let mut driver = Driver::new(shop(), size);
    driver.press("3");
    driver
}

#[test]
fn the_list_and_a_failing_step_with_what_was_expected() {
    shots("specs_list", &FOUR, &shop(), |d| {
        d.press("3");
    });
    shots("specs_failed", &FOUR, &shop(), |d| {
        d.press("3 Enter");
    });
}

#[test]
fn steps_are_shown_as_they_come_and_mistakes_with_their_line() {
    shots("specs_running", &FOUR, &shop(), |d| {
        d.press("3 J J Tab");
    });
    shots("specs_wrong", &FOUR, &shop(), |d| {
        d.press("3 J Tab");
    });
    shots("specs_stale", &FOUR[..3], &shop(), |d| {
        d.press("3 J J J Tab");
    });
}

#[test]
fn without_a_yaml_test_the_screen_says_what_to_do() {
    shots("specs_none", &FOUR, &Shop::new(), |d| {
        d.press("3");
    });
}

#[test]
fn enter_goes_to_the_steps_and_to_the_line_and_b_comes_back() {
    let mut d = driver((160, 45));
    assert_eq!((d.state.screen, d.state.focus), (Screen::Specs, Pane::Specs));
    d.press("Enter");
    assert_eq!(d.state.focus, Pane::Steps);
    assert!(d.sent().is_empty(), "what came of it is of today's code");
    assert_eq!(d.state.source.list.cursor, 8, "the cursor is on the step that failed");
    assert_eq!(d.state.source.marks.get(&9), Some(&Mark::Failing));
    assert_eq!(d.state.source.marks.get(&5), Some(&Mark::Tested));
    d.press("Enter");
    assert_eq!(d.state.focus, Pane::Source);
    d.press("b b");
    assert_eq!(d.state.focus, Pane::Specs);
    d.press("Enter , e");
    let edit = d.asked.iter().find_map(|effect| match effect {
        Effect::EditSource { path, line } => Some((path.to_string(), *line)),
        _ => None,
    });
    assert_eq!(edit, Some(("tests/llm/test_refund.yaml".into(), 5)));
}

#[test]
fn what_has_no_result_of_today_is_run_by_enter_and_anything_by_t() {
    let mut d = driver((100, 30));
    d.press("t");
    let run = |file: &str| Command::RunSpecs { files: vec![rel(file)] };
    assert_eq!(d.sent(), [run("tests/llm/test_refund.yaml")]);
    d.press("J t");
    assert!(d.sent().is_empty() && d.message().contains("has mistakes"), "{}", d.message());
    d.press("J t");
    assert!(d.sent().is_empty() && d.message().contains("runs already"), "{}", d.message());
    d.press("J Enter");
    assert_eq!(d.sent(), [run("tests/llm/test_users.yaml")], "it is stale");
    assert_eq!(d.state.focus, Pane::Steps);
    d.press("T");
    let files: Vec<_> = ["refund", "checkout", "users"].map(|name| rel(&format!("tests/llm/test_{name}.yaml"))).into();
    assert_eq!(d.sent(), [Command::RunSpecs { files }], "all but the wrong one");
}

#[test]
fn nothing_runs_in_a_folder_that_is_only_read() {
    let mut shop = shop();
    shop.snapshot.trust = Trust::ReadOnly;
    let mut d = Driver::new(shop, (100, 30));
    d.press("3 t");
    assert!(d.sent().is_empty());
    d.press("3 T");
    assert!(d.sent().is_empty());
}

#[test]
fn x_stops_the_run_of_what_is_shown() {
    let mut shop = shop();
    let job = JobRow {
        id: JobId(9),
        kind: JobKind::Spec,
        subject: JobSubject::Spec(rel("tests/llm/test_checkout.yaml")),
        done: 0,
        total: 1,
        state: JobState::Running,
        started: NOW,
        ended: None,
        rate: None,
    };
    shop.snapshot.jobs = Arc::new(vec![job]);
    let mut d = Driver::new(shop, (100, 30));
    d.press("3 J J x");
    assert_eq!(d.sent(), [Command::Cancel { job: Some(JobId(9)) }]);
}

#[test]
fn steps_fold_and_unfold_and_are_shown_whole() {
    let mut d = driver((160, 45));
    d.press("Enter");
    assert!(d.screen().contains("asking the gateway") && d.screen().contains("${order.id} is 7"), "{}", d.screen());
    d.press("h");
    assert!(!d.screen().contains("asking the gateway"), "{}", d.screen());
    d.press(", l");
    assert!(d.screen().contains("call     shop_buy(item=\"lamp\", price=\"100.00\")"), "{}", d.screen());
    d.press(". v");
    assert!(d.screen().contains("\"error\": \"gateway busy\""), "{}", d.screen());
}

#[test]
fn news_of_the_test_that_is_shown_are_read_and_said_once_it_is_over() {
    let mut d = driver((160, 45));
    let file = rel("tests/llm/test_refund.yaml");
    let mut rows = (*d.shop.snapshot.specs).clone();
    rows[0].ruling = Some(Ruling::Pass);
    rows[0].reason = "2 steps passed.".into();
    d.shop.snapshot.specs = Arc::new(rows);
    d.shop.specs.get_mut(&file).unwrap().row.ruling = Some(Ruling::Pass);
    d.happen(Event::SpecEnded {
        file,
        name: "money comes back".into(),
        ruling: Ruling::Pass,
        reason: "2 steps passed.".into(),
        ms: 3,
        because: None,
    });
    assert_eq!(d.state.specs.view().unwrap().row.ruling, Some(Ruling::Pass));
    assert!(d.message().contains("PASS: money comes back."), "{}", d.message());
    assert!(d.screen().contains("[3 Specs 1! »1]"), "failed ones are counted in the tab: {}", d.screen());
}

#[test]
fn the_filter_narrows_the_list() {
    let mut d = driver((160, 45));
    d.press("f");
    d.type_in("is:failing");
    d.press("Enter");
    assert!(!d.screen().contains("a new user gets one mail"), "{}", d.screen());
    d.press("F");
    assert!(d.screen().contains("a new user gets one mail"), "{}", d.screen());
}
