//! One verdict from what the steps did and what the sentences came to. A model's opinion of the whole is never taken.

use serde_json::Value;

use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::spec::{End, Phase, Spec, Status, StepReport};
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling};
use crate::judge::data;
use crate::spec::run::{Ran, decided};
use crate::spec::sentences;

/// Says what a step came to by what rules decided.
#[must_use]
pub fn by_rules(end: &End, clauses: &[Decided], error_expected: bool) -> Status {
    let first = |outcome: ClauseOutcome| clauses.iter().any(|clause| clause.outcome == outcome);
    match end {
        End::NotRun { .. } => Status::Skipped,
        End::TimedOut { .. } | End::Died { .. } | End::Raised { .. } if !error_expected => Status::Failed,
        _ if first(ClauseOutcome::Violated) => Status::Failed,
        _ if first(ClauseOutcome::Unclear) || first(ClauseOutcome::Unknown) => Status::Unclear,
        // Only sentences about nothing: nothing was shown.
        _ if first(ClauseOutcome::Vacuous) && !first(ClauseOutcome::Holds) => Status::Unclear,
        _ => Status::Passed,
    }
}

/// Says what a group of steps came to: its own sentences, and the worst of its steps.
#[must_use]
pub fn group(clauses: &[Decided], inner: &[Status]) -> Status {
    let own = by_rules(&End::Returned { result: Value::Null }, clauses, false);
    [Status::Failed, Status::Unclear]
        .into_iter()
        .find(|status| own == *status || inner.contains(status))
        .unwrap_or(Status::Passed)
}

/// What the end of a test came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// What `pass_if` says, sentence by sentence.
    pub pass_if: Vec<Decided>,
    /// What `fail_if` says, sentence by sentence: one that holds fails the test.
    pub fail_if: Vec<Decided>,
}

impl Ending {
    /// Lists all of it as clauses that have to hold: those of `fail_if` with the opposite outcome.
    #[must_use]
    pub fn clauses(self) -> Vec<Decided> {
        let named = |what: &str, clause: Decided| Decided { text: format!("{what}: {}", clause.text), ..clause };
        let opposite = |outcome| match outcome {
            ClauseOutcome::Holds => ClauseOutcome::Violated,
            ClauseOutcome::Violated => ClauseOutcome::Holds,
            other => other,
        };
        let pass_if = self.pass_if.into_iter().map(|clause| named("pass_if", clause));
        let fail_if = self.fail_if.into_iter().map(|clause| {
            let outcome = opposite(clause.outcome);
            named("fail_if", Decided { outcome, ..clause })
        });
        pass_if.chain(fail_if).collect()
    }
}

/// Decides by rules what has to hold, and what must not, in the end.
#[must_use]
pub fn ending(spec: &Spec, ran: &Ran) -> Ending {
    let all = |text: &str| sentences::decide(text, false, |sentence| in_the_end(sentence, ran));
    Ending { pass_if: all(&spec.pass_if.text), fail_if: all(&spec.fail_if.text) }
}

fn in_the_end(sentence: &str, ran: &Ran) -> Option<Decided> {
    by_steps(sentence, &ran.steps).or_else(|| data::decide(sentence, &ran.known))
}

/// "all steps pass", "any step fails", "“Create a user” passes".
fn by_steps(sentence: &str, steps: &[StepReport]) -> Option<Decided> {
    let plain = sentence.trim().trim_end_matches('.');
    let lower = plain.to_lowercase();
    let own: Vec<&StepReport> = steps.iter().filter(|step| step.phase != Phase::Teardown).collect();
    let with = |status: Status| own.iter().find(|step| step.status == status).copied();
    let not_passed = || with(Status::Failed).or_else(|| with(Status::Skipped));
    let say = |outcome, why: String| Some(decided(plain, outcome, &why));
    match lower.as_str() {
        "all steps pass" | "every step passes" | "no step fails" => {
            return match (not_passed(), with(Status::Unclear)) {
                (Some(step), _) => say(ClauseOutcome::Violated, said(step)),
                (None, Some(step)) => say(ClauseOutcome::Unknown, said(step)),
                (None, None) => say(ClauseOutcome::Holds, String::new()),
            };
        }
        "any step fails" | "a step fails" | "some step fails" => {
            return match (not_passed(), with(Status::Unclear)) {
                (Some(step), _) => say(ClauseOutcome::Holds, said(step)),
                (None, Some(step)) => say(ClauseOutcome::Unknown, said(step)),
                (None, None) => say(ClauseOutcome::Violated, "No step fails.".into()),
            };
        }
        _ => {}
    }
    let (name, wanted) = [(" passes", Status::Passed), (" fails", Status::Failed)]
        .into_iter()
        .find_map(|(verb, status)| Some((plain.strip_suffix(verb)?, status)))?;
    let name = name.strip_prefix("step ").unwrap_or(name).trim().trim_matches(['"', '“', '”', '\'', '`']);
    let named: Vec<&&StepReport> = own.iter().filter(|step| step.name == name).collect();
    let (outcome, step) = if let Some(step) = named.iter().find(|step| step.status != wanted) {
        (if step.status == Status::Unclear { ClauseOutcome::Unknown } else { ClauseOutcome::Violated }, step)
    } else {
        (ClauseOutcome::Holds, named.first()?)
    };
    say(outcome, said(step))
}

/// Says what came of a step, in a sentence.
#[must_use]
pub fn said(step: &StepReport) -> String {
    let round = step.round.map_or(String::new(), |(round, of)| format!(" ({round} of {of})"));
    let what = match (step.status, step.end.error()) {
        (Status::Skipped, why) => format!("was not run: {}", why.unwrap_or_default()),
        (Status::Passed, _) => "passed".to_owned(),
        (_, Some(error)) => error.lines().next().unwrap_or_default().to_owned(),
        (Status::Failed, None) => first_of(step, &[ClauseOutcome::Violated]).unwrap_or_else(|| "failed".into()),
        (Status::Unclear, None) => {
            let open = [ClauseOutcome::Unclear, ClauseOutcome::Unknown, ClauseOutcome::Vacuous];
            first_of(step, &open).unwrap_or_else(|| "cannot be told".into())
        }
    };
    format!(
        "“{}”{round} in line {}: {}.",
        text::display_line(&step.name),
        step.line,
        text::display_line(what.trim_end_matches('.'))
    )
}

fn first_of(step: &StepReport, outcomes: &[ClauseOutcome]) -> Option<String> {
    let clause = step.clauses.iter().find(|clause| outcomes.contains(&clause.outcome))?;
    Some(if clause.why.is_empty() { clause.text.clone() } else { format!("{}: {}", clause.text, clause.why) })
}

/// Folds a test into its verdict and the reason for it.
#[must_use]
pub fn verdict(ran: &Ran, ending: &Ending) -> (Ruling, Sentence) {
    if ran.stopped {
        return (Ruling::Error, "The test was stopped.".into());
    }
    if let Some(seconds) = ran.late {
        return (Ruling::Fail, format!("The test did not finish in {seconds} s.").into());
    }
    // What teardown does is told, and decides nothing about the test.
    let own = || ran.steps.iter().filter(|step| step.phase != Phase::Teardown);
    let leaf = |status: Status| {
        own().find(|step| step.status == status && step.tool.is_some()).or_else(|| own().find(|step| step.status == status))
    };
    if let Some(step) = leaf(Status::Failed) {
        return (Ruling::Fail, said(step).into());
    }
    let sentence = |clause: &Decided| {
        if clause.why.is_empty() { format!("{}.", clause.text) } else { format!("{}: {}", clause.text, clause.why) }
    };
    let find = |clauses: &[Decided], outcomes: &[ClauseOutcome]| {
        clauses.iter().find(|clause| outcomes.contains(&clause.outcome)).map(sentence)
    };
    if let Some(why) = find(&ending.fail_if, &[ClauseOutcome::Holds]) {
        return (Ruling::Fail, format!("fail_if holds: {why}").into());
    }
    if let Some(why) = find(&ending.pass_if, &[ClauseOutcome::Violated]) {
        return (Ruling::Fail, format!("pass_if does not hold: {why}").into());
    }
    if let Some(step) = leaf(Status::Unclear).or_else(|| leaf(Status::Skipped)) {
        return (Ruling::Unclear, said(step).into());
    }
    let open = [ClauseOutcome::Unclear, ClauseOutcome::Unknown, ClauseOutcome::Vacuous];
    if let Some(why) = find(&ending.pass_if, &open) {
        return (Ruling::Unclear, format!("pass_if is open: {why}").into());
    }
    if let Some(why) = find(&ending.fail_if, &open) {
        return (Ruling::Unclear, format!("fail_if is open: {why}").into());
    }
    let passed = own().filter(|step| step.tool.is_some()).count();
    (Ruling::Pass, format!("{} passed.", text::count(passed, "step")).into())
}

#[cfg(test)]
mod tests;
