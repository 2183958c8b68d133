//! What a test comes to, case by case: no opinion of the whole is taken, and nothing passes by default.

use serde_json::json;

use super::*;
use crate::base::sentence::Sentence;
use crate::spec::validate;

fn step(name: &str, status: Status, end: End) -> StepReport {
    StepReport {
        phase: Phase::Steps,
        name: name.into(),
        line: 3,
        depth: 0,
        round: None,
        tool: Some("t".into()),
        args: json!({}),
        tries: 1,
        ms: 0,
        end,
        status,
        clauses: Vec::new(),
        filled: Vec::new(),
        printed: String::new(),
    }
}

fn good(name: &str) -> StepReport {
    step(name, Status::Passed, End::Returned { result: json!(1) })
}

fn bad(name: &str) -> StepReport {
    step(name, Status::Failed, End::Raised { error: "ValueError: no".into() })
}

fn open(name: &str) -> StepReport {
    step(name, Status::Unclear, End::Returned { result: json!(1) })
}

fn folded(steps: Vec<StepReport>, pass_if: &str, fail_if: &str) -> (Ruling, Sentence) {
    let text = format!("test: {{name: t}}\nsteps: [{{tool: t}}]\nverdict:\n  pass_if: {pass_if:?}\n  fail_if: {fail_if:?}\n");
    let spec = validate::spec(&text).unwrap();
    let ran = Ran { steps, ..Ran::default() };
    verdict(&ran, &ending(&spec, &ran))
}

#[test]
fn a_verdict_follows_from_the_steps_and_the_sentences_alone() {
    let (all, any) = ("all steps pass", "any step fails");
    let ruling = |steps, pass_if: &str, fail_if: &str| folded(steps, pass_if, fail_if).0;
    assert_eq!(ruling(vec![good("a"), good("b")], all, any), Ruling::Pass);
    assert_eq!(ruling(vec![good("a"), bad("b")], all, any), Ruling::Fail);
    assert_eq!(ruling(vec![good("a"), open("b")], all, any), Ruling::Unclear);
    assert_eq!(ruling(vec![open("a"), bad("b")], all, any), Ruling::Fail);
    assert_eq!(ruling(vec![good("a")], "It works", any), Ruling::Unclear);
    assert_eq!(ruling(vec![good("a")], all, "Something is odd"), Ruling::Unclear);
    assert_eq!(ruling(vec![good("a")], "\"a\" passes", "\"a\" fails"), Ruling::Pass);
    assert_eq!(ruling(vec![good("a")], "\"a\" fails", any), Ruling::Fail);
    assert_eq!(ruling(vec![good("a")], all, "\"a\" passes"), Ruling::Fail);
    assert_eq!(ruling(vec![good("a")], "\"nobody\" passes", any), Ruling::Unclear, "a step that there is not");
    let why = folded(vec![good("a"), bad("b")], all, any).1;
    assert_eq!(why, "“b” in line 3: ValueError: no.");
}

#[test]
fn what_teardown_does_decides_nothing() {
    let teardown = StepReport { phase: Phase::Teardown, ..bad("c") };
    assert_eq!(folded(vec![good("a"), teardown], "all steps pass", "any step fails").0, Ruling::Pass);
}

#[test]
fn a_tool_that_raises_fails_its_step_unless_that_was_asked_for() {
    let raised = End::Raised { error: "E: x".into() };
    let holds = [decided("error exists", ClauseOutcome::Holds, "")];
    let violated = [decided("no error", ClauseOutcome::Violated, "")];
    let vacuous = [decided("every result[*] has id", ClauseOutcome::Vacuous, "")];
    let returned = End::Returned { result: json!(1) };
    assert_eq!(by_rules(&raised, &holds, false), Status::Failed);
    assert_eq!(by_rules(&raised, &holds, true), Status::Passed);
    assert_eq!(by_rules(&raised, &violated, true), Status::Failed);
    assert_eq!(by_rules(&returned, &vacuous, false), Status::Unclear, "nothing was looked at");
    assert_eq!(by_rules(&returned, &[vacuous[0].clone(), holds[0].clone()], false), Status::Passed);
    assert_eq!(by_rules(&returned, &[], false), Status::Passed);
    assert_eq!(group(&[], &[Status::Passed, Status::Unclear, Status::Failed]), Status::Failed);
}

#[test]
fn what_must_not_hold_is_told_as_the_opposite() {
    let clause = |outcome| vec![decided("any step fails", outcome, "")];
    let ending = Ending { pass_if: Vec::new(), fail_if: clause(ClauseOutcome::Violated) };
    let told = ending.clauses();
    assert_eq!((told[0].text.as_str(), told[0].outcome), ("fail_if: any step fails", ClauseOutcome::Holds));
}
