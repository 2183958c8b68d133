//! The tools about intents: what tests came to, and one test run and judged anew.
//!
//! An agent names a test; what the test does is recorded here, never told by the agent.

use serde_json::{Value, json};

use crate::base::error::Trouble;
use crate::domain::command::Command;
use crate::domain::snapshot::VerdictRow;
use crate::domain::verdict::{Decided, Ruling, Verdict};
use crate::engine::{Done, Handle};
use crate::mcp::answers::Page;
use crate::mcp::arguments::Arguments;
use crate::mcp::reading;
use crate::mcp::session::Request;
use crate::mcp::working::{self, seconds};

/// Clauses of a verdict, and evidence lines of a clause, that are shown.
const CLAUSES: usize = 30;
const LINES: usize = 12;
/// Tests of one node that are shown; the others are counted.
const TESTS: usize = 50;

/// `list_verdicts`
pub async fn list(handle: &Handle, given: &Arguments) -> Result<Value, Trouble> {
    let page: Page = reading::page(given, 20, 100)?;
    let wanted = match given.optional("verdict", 10)?.map(str::to_lowercase).as_deref() {
        None | Some("any") => None,
        Some("pass") => Some(Ruling::Pass),
        Some("fail") => Some(Ruling::Fail),
        Some("unclear") => Some(Ruling::Unclear),
        Some("error") => Some(Ruling::Error),
        Some(_) => return Err(Trouble::usage("verdict is any, pass, fail, unclear or error.")),
    };
    let snapshot = handle.refreshed().await;
    let rows: Vec<&VerdictRow> =
        snapshot.verdicts.iter().filter(|row| wanted.is_none_or(|wanted| wanted == row.ruling)).collect();
    Ok(page.of(&rows, "verdicts", |row| of_row(handle, row)))
}

fn of_row(handle: &Handle, row: &VerdictRow) -> Value {
    let mut out = json!({
        "test": row.test, "verdict": row.ruling, "overruled_by_a_person": row.overridden, "reason": row.reason,
        "decided_by": row.evaluator, "code_changed_since": row.stale, "waits_as_proposal": row.proposal,
    });
    if let Ok(view) = handle.judged(&row.test) {
        out["intent"] = view.judged.intent.clone().into();
        out["clauses"] = clauses(&view.judged.verdict);
    }
    out
}

fn clauses(verdict: &Verdict) -> Value {
    let one = |clause: &Decided| {
        let evidence: Vec<&String> =
            if clause.shown.is_empty() { &clause.evidence } else { &clause.shown }.iter().take(LINES).collect();
        json!({ "sentence": clause.text, "outcome": clause.outcome, "why": clause.why, "evidence": evidence })
    };
    let shown: Vec<Value> = verdict.clauses.iter().take(CLAUSES).map(one).collect();
    let more = verdict.clauses.len().saturating_sub(CLAUSES);
    let uncovered = verdict.uncovered.iter().map(|span| json!({ "sentence": span, "outcome": "not_covered" }));
    let rest = (more > 0).then(|| json!({ "and_more": more }));
    shown.into_iter().chain(uncovered).chain(rest).collect()
}

/// `check_intent`, and `evaluate_semantic_assertion` as it was called once.
pub async fn check(request: &Request<'_>) -> Result<Value, Trouble> {
    let Request { session, handle, given, .. } = request;
    let seconds = seconds(given, 120)?;
    let test = working::node_id(handle, given)?;
    let ask = session.may_ask();
    let worked = request.work(seconds, handle.perform(Command::Check { test: test.clone(), ask })).await?;
    let Done::Judged { tests } = worked.value else { return Err(working::too_late()) };
    let snapshot = handle.refreshed().await;
    let judged: Vec<Value> = tests.iter().take(TESTS).filter_map(|test| verdict(handle, &snapshot.verdicts, test)).collect();
    let opinions = tests.iter().filter_map(|test| handle.judged(test).ok()?.judged.verdict.asked).filter(|asked| asked.times > 0);
    session.count_opinions(opinions.count());
    let not_passed = |one: &&Value| one["verdict"] != json!(Ruling::Pass) && one["overruled_by_a_person"] != json!(true);
    let first = judged.iter().find(not_passed).or(judged.first());
    Ok(json!({
        "passed": judged.iter().find(not_passed).is_none(),
        "verdict": first.map(|one| one["verdict"].clone()),
        "reason": first.map(|one| one["reason"].clone()),
        "tests": judged, "tests_judged": tests.len(), "model_may_be_asked": ask,
    }))
}

fn verdict(handle: &Handle, rows: &[VerdictRow], test: &str) -> Option<Value> {
    let mut out = of_row(handle, rows.iter().find(|row| row.test == test)?);
    let asked = handle.judged(test).ok()?.judged.verdict.asked;
    out["asked_of_a_model"] = json!(asked.map(|asked| json!({ "model": asked.model, "host": asked.host, "times": asked.times })));
    Some(out)
}
