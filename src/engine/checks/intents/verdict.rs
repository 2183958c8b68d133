//! What decides an intent, and how the outcomes of its sentences become one verdict. Pure functions.

use std::collections::BTreeMap;

use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::clause::Outcome;
use crate::domain::evaluator::Evaluator;
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling, Verdict};
use crate::engine::checks::intents::clauses::Understood;
use crate::engine::checks::intents::request::Request;
use crate::judge::grammar;

/// Columns of what a failed assertion says that are told.
const SAID_MAX: usize = 200;
/// Lines of a journey given for a clause.
const EVIDENCE_MAX: usize = 20;

/// Cuts a text into its sentences.
pub(crate) fn own(text: &str) -> Vec<String> {
    grammar::sentences(text).into_iter().map(str::to_owned).collect()
}

/// Gives the sentences that decide an intent by themselves: its checks, or its own where each is a clause.
pub(crate) fn decisive(request: &Request) -> Option<Vec<String>> {
    let checks: Vec<String> = request.checks.iter().flat_map(|text| own(text)).collect();
    if !checks.is_empty() {
        return Some(checks);
    }
    let intent = own(&request.intent);
    (!intent.is_empty() && not_clauses(&intent).is_empty()).then_some(intent)
}

/// Lists the places of the sentences that are no clauses. One that names what is not there is a clause all the same: a typo is
/// no matter of opinion.
pub(crate) fn not_clauses(sentences: &[String]) -> Vec<usize> {
    (0..sentences.len()).filter(|at| grammar::parse(&sentences[*at]).is_err()).collect()
}

/// What is said of an intent in free English that nobody accepted anything for. `model` says how one may decide it.
pub(crate) fn undecided(request: &Request, sentences: &[String], model: &str) -> Verdict {
    let why = match sentences.iter().find_map(|sentence| grammar::parse(sentence).err()) {
        None => "The intent is empty.".to_owned(),
        Some(unclear) => format!("No clause says what has to hold for “{}”.", text::display_line(&unclear.sentence)),
    };
    let reason = format!(
        "{why} Say it in sentences that rules can decide: checks=[\"A is called before B\"], or accept what it does: \
         pytead-tui check --accept {}. Or let a model decide: {model}",
        text::display_line(&request.test)
    );
    verdict(Ruling::Unclear, reason, Vec::new())
}

pub(crate) fn anew(test: &str) -> String {
    format!("Accept it anew: pytead-tui check --accept {}.", text::display_line(test))
}

pub(crate) fn word(outcome: ClauseOutcome) -> &'static str {
    match outcome {
        ClauseOutcome::Holds => "holds",
        ClauseOutcome::Violated => "violated",
        ClauseOutcome::Vacuous => "vacuous",
        ClauseOutcome::Unknown | ClauseOutcome::Unclear => "unclear",
    }
}

pub(crate) fn verdict(ruling: Ruling, reason: impl Into<Sentence>, clauses: Vec<Decided>) -> Verdict {
    Verdict {
        verdict: ruling,
        overridden: false,
        evaluator: Evaluator::Rules,
        reason: reason.into(),
        clauses,
        uncovered: Vec::new(),
        asked: None,
        bound: None,
        proposed: None,
        tried: Vec::new(),
        shown: BTreeMap::new(),
    }
}

/// A test that failed by its own assertion: it is red, and says nothing about its intent.
pub(crate) fn failed_itself(said: &str) -> Verdict {
    let said = text::display_line(said.lines().next().unwrap_or_default().trim()).into_owned();
    let said = text::cut(said.trim_end_matches('.'), SAID_MAX);
    let reason =
        if said.is_empty() { "It fails by its own assertion.".into() } else { format!("It fails by its own assertion: {said}.") };
    Verdict { evaluator: Evaluator::Test, ..verdict(Ruling::Fail, reason, Vec::new()) }
}

/// Nothing was recorded, so nothing can be said about the test.
pub(crate) fn nothing_recorded() -> Verdict {
    verdict(Ruling::Error, "Nothing of the test was recorded, so nothing can be decided.", Vec::new())
}

pub(crate) fn decided(understood: &Understood, sentence: &str) -> Decided {
    let safe = |text: &str| text::display_line(text).into_owned();
    match understood {
        Understood::Clause { clause, finding, shown } => Decided {
            text: safe(clause),
            outcome: match finding.outcome {
                Outcome::Holds { .. } => ClauseOutcome::Holds,
                Outcome::Violated => ClauseOutcome::Violated,
                Outcome::Vacuous => ClauseOutcome::Vacuous,
                Outcome::Unknown { .. } => ClauseOutcome::Unknown,
            },
            evidence: finding.evidence.iter().take(EVIDENCE_MAX).map(ToString::to_string).collect(),
            why: finding.why.line(),
            shown: shown.iter().take(EVIDENCE_MAX).chain(&finding.closest).map(|line| safe(line)).collect(),
            needs_model: false,
        },
        Understood::Unclear { unclear, instead } => Decided {
            text: safe(sentence),
            outcome: ClauseOutcome::Unclear,
            evidence: Vec::new(),
            why: safe(unclear).into(),
            shown: instead.iter().map(|form| format!("can be said: {form}")).collect(),
            needs_model: false,
        },
    }
}

/// One violated clause fails the intent; one that is left open leaves it open; it takes one that really happened to pass.
pub(crate) fn fold(clauses: Vec<Decided>) -> Verdict {
    use ClauseOutcome as O;
    let first = |outcomes: &[O]| clauses.iter().find(|clause| outcomes.contains(&clause.outcome));
    let said = |clause: &Decided| format!("{}: {}", clause.text, clause.why);
    let (ruling, reason) = if let Some(violated) = first(&[O::Violated]) {
        (Ruling::Fail, said(violated))
    } else if let Some(open) = first(&[O::Unknown, O::Unclear]) {
        (Ruling::Unclear, said(open))
    } else if first(&[O::Holds]).is_none() {
        (Ruling::Unclear, "Nothing happened that the clauses speak of.".to_owned())
    } else {
        let holding = clauses.iter().filter(|clause| clause.outcome == O::Holds).count();
        let verb = if holding == 1 { "holds" } else { "hold" };
        (Ruling::Pass, format!("{} of {} {verb}.", holding, text::count(clauses.len(), "clause")))
    };
    verdict(ruling, reason, clauses)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn clause(outcome: ClauseOutcome) -> Decided {
        Decided { text: "A is called".into(), outcome, evidence: vec![], why: "Why.".into(), shown: vec![], needs_model: false }
    }

    #[test]
    fn one_violated_clause_fails_and_nothing_passes_by_default() {
        use ClauseOutcome as O;
        let ruling = |outcomes: &[O]| fold(outcomes.iter().map(|outcome| clause(*outcome)).collect()).verdict;
        assert_eq!(ruling(&[O::Holds, O::Unknown, O::Violated]), Ruling::Fail);
        assert_eq!(ruling(&[O::Holds, O::Unknown]), Ruling::Unclear);
        assert_eq!(ruling(&[O::Holds, O::Unclear]), Ruling::Unclear);
        assert_eq!(ruling(&[O::Vacuous, O::Vacuous]), Ruling::Unclear);
        assert_eq!(ruling(&[O::Vacuous, O::Holds]), Ruling::Pass);
        assert_eq!(ruling(&[]), Ruling::Unclear);
    }

    #[test]
    fn an_intent_of_clauses_needs_no_checks_and_free_english_is_never_guessed() {
        let request = |intent: &str, checks: &[&str]| Request {
            test: "t.py::t".into(),
            file: "t.py".into(),
            intent: intent.into(),
            checks: checks.iter().map(|check| (*check).to_owned()).collect(),
            journey: PathBuf::new(),
            show: Vec::new(),
            dry: false,
            refresh: false,
            tried: Vec::new(),
            failed: None,
        };
        assert_eq!(decisive(&request("A is called. B is never called.", &[])).map(|all| all.len()), Some(2));
        assert_eq!(decisive(&request("Save the user", &["A is called\nB is called"])).map(|all| all.len()), Some(2));
        assert_eq!(decisive(&request("A is called. Save the user politely.", &[])), None);
        assert_eq!(decisive(&request(" ", &[])), None);
        assert_eq!(not_clauses(&own("A is called. Save the user politely. B is never called.")), [1]);
    }
}
