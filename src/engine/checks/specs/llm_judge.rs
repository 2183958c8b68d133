//! What rules left open in a YAML test, put to the chosen model: one question for the whole test, once its steps have run.
//!
//! The steps are told as a journey, so that questions, answers and what is believed of them are those of intents
//! (`checks/llm/opinions.rs`). The verdict of the test is folded by `spec/fold.rs` from what came of each sentence.

use std::collections::HashMap;
use std::path::Path;

use crate::base::hash;
use crate::base::redact::Redactor;
use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::evaluator::Evaluator;
use crate::domain::journey::LineId;
use crate::domain::spec::{End, Spec, Status, StepReport};
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling};
use crate::engine::checks::llm::opinions::{About, Asking, Reply};
use crate::judge::answer::Outcome;
use crate::judge::prompt::{Question, Wanted};
use crate::judge::prompt_journey::PromptJourney;
use crate::spec::fold::{self, Ending};
use crate::spec::journey::{self, StepsJourney};
use crate::spec::run::Ran;
use crate::spec::{sentences, tools};

/// What came of putting open sentences to a model.
pub struct Put {
    /// What the end came to, with the model's word.
    pub ending: Ending,
    /// Who decided: the model, where one did.
    pub evaluator: Option<Evaluator>,
    /// The model broke, and why: that says nothing about the test.
    pub broken: Option<Sentence>,
    /// What else a person should hear of.
    pub issues: Vec<Sentence>,
}

/// The file of a test, and whether its sentences are asked about anew.
pub struct File<'a> {
    /// Its name.
    pub name: &'a str,
    /// The project's folder.
    pub root: &'a Path,
    /// Whether the model is asked, whatever it said before.
    pub refresh: bool,
}

/// Asks about all open sentences of a test, and writes what came of them into its steps.
pub async fn put(asking: &Asking, spec: &Spec, file: &File<'_>, ran: &mut Ran, redactor: &mut Redactor) -> Put {
    let before = fold::ending(spec, ran);
    // Secrets leave the values before anything is written or cut.
    let steps = journey::of_steps(&without_secrets(&ran.steps, redactor));
    let open = open(ran, &before, &steps);
    let mut put = Put { ending: before, evaluator: None, broken: None, issues: Vec::new() };
    if open.is_empty() {
        return put;
    }
    let asked: Vec<String> = open.iter().map(|one| one.asked.clone()).collect();
    let must_not: Vec<bool> = open.iter().map(|one| one.place.0 == Part::FailIf).collect();
    let requests = requests(spec);
    let mut intent = if spec.description.trim().is_empty() { spec.name.clone() } else { spec.description.clone() };
    if !requests.is_empty() {
        intent += &format!("\nFor the summary, it decides nothing: {}", requests.join(" "));
    }
    let question = Question {
        wanted: Wanted::Verdict,
        intent: &intent,
        sentences: &asked,
        must_not: &must_not,
        decided: &[],
        events: &steps.events,
        whole: true,
        names: &steps.names,
        sources: &[],
        others: &[],
        incomplete: None,
        budget: asking.budget(),
    };
    // All of every value belongs to the answer, whatever of it was sent.
    let values: Vec<String> = steps.events.iter().map(|event| format!("{:?}", event.what)).collect();
    let journey = hash::of(values.join("\n").as_bytes()).to_string();
    let cut = asking.written(&question, redactor).map(|written| Cuts::of(&written.sent, &steps)).unwrap_or_default();
    put.issues.extend(cut.said(&ran.steps));
    let about = About { test: file.name, root: file.root, journey: &journey, refresh: file.refresh, dry: false };
    let mut answers: HashMap<Place, Decided> = HashMap::new();
    match asking.ask(&question, &about, redactor, &mut |_| {}).await {
        Reply::Decided { sentences, suspicion, summary, .. } => {
            if !requests.is_empty() && !summary.is_empty() {
                put.issues.push(format!("The model reports: {}", text::display_line(&summary)).into());
            }
            for (one, judged) in open.into_iter().zip(sentences) {
                let must_not = one.place.0 == Part::FailIf;
                let unseen = cut.matters_to(one.place.0);
                let outcome = taken(judged.outcome, must_not, suspicion.is_some() || unseen);
                let why = if unseen && outcome != taken(judged.outcome, must_not, false) {
                    format!("Not all of the data fitted into the question, so this cannot be told of all of it: {}", judged.why)
                        .into()
                } else {
                    judged.why
                };
                let lines = judged.evidence.iter().filter_map(|line| steps.events.get(line.0 as usize - 1));
                let shown = lines.map(|event| event.text()).collect();
                let evidence = judged.evidence.iter().map(|line| format!("L{}", line.0)).collect();
                let decided = Decided { text: one.text, outcome, evidence, why, shown, needs_model: false };
                answers.insert(one.place, decided);
            }
            put.evaluator = Some(asking.evaluator());
            put.issues.extend(suspicion);
        }
        Reply::Not { ruling, reason, .. } => {
            for one in open {
                let decided = Decided {
                    text: one.text,
                    outcome: ClauseOutcome::Unclear,
                    evidence: Vec::new(),
                    why: reason.clone(),
                    shown: Vec::new(),
                    needs_model: false,
                };
                answers.insert(one.place, decided);
            }
            put.broken = (ruling == Ruling::Error).then_some(reason);
        }
    }
    settle(ran, &mut answers);
    put.ending = fold::ending(spec, ran);
    for (part, clauses) in [(Part::PassIf, &mut put.ending.pass_if), (Part::FailIf, &mut put.ending.fail_if)] {
        for (at, clause) in clauses.iter_mut().enumerate().filter(|(_, clause)| clause.needs_model) {
            if let Some(answer) = answers.remove(&(part, at)) {
                *clause = answer;
            }
        }
    }
    put
}

/// Lists what a test asks to be reported.
fn requests(spec: &Spec) -> Vec<String> {
    let mut texts = vec![spec.pass_if.text.clone(), spec.fail_if.text.clone()];
    tools::walk(spec, &mut |step| {
        texts.extend(step.expect.iter().chain(&step.analyze).map(|wording| wording.text.clone()));
    });
    texts.iter().flat_map(|text| sentences::read(text).requests).collect()
}

/// Gives steps without the secrets in what their tools were given, returned and raised.
fn without_secrets(steps: &[StepReport], redactor: &mut Redactor) -> Vec<StepReport> {
    let each = steps.iter().map(|step| {
        let mut step = step.clone();
        step.args = redactor.value(step.args);
        match &mut step.end {
            End::Returned { result } => *result = redactor.value(std::mem::take(result)),
            End::Raised { error } => *error = redactor.redact_placed(error).unwrap_or_else(|| std::mem::take(error)),
            End::TimedOut { .. } | End::Died { .. } | End::NotRun { .. } => {}
        }
        step
    });
    each.collect()
}

/// What of the data did not fit into a question.
#[derive(Debug, Default)]
struct Cuts {
    /// Values were told by their counts: of none is known what was seen.
    all: bool,
    /// The places of steps with cut values: bytes that were sent of each, and that there are.
    steps: Vec<(usize, usize, usize)>,
}

impl Cuts {
    fn of(sent: &PromptJourney, journey: &StepsJourney) -> Self {
        let step = |line: LineId| {
            // A call's end is the line after it.
            journey.lines.iter().position(|begin| begin.is_some_and(|begin| begin == line || begin.0 + 1 == line.0))
        };
        let steps = sent.cut.iter().filter_map(|cut| Some((step(cut.line)?, cut.shown, cut.whole))).collect();
        Self { all: sent.steps > 0, steps }
    }

    fn matters_to(&self, part: Part) -> bool {
        let any = self.all || !self.steps.is_empty();
        match part {
            Part::PassIf | Part::FailIf => any,
            Part::Step(at) => self.all || self.steps.iter().any(|(step, ..)| *step == at),
        }
    }

    fn said(&self, steps: &[StepReport]) -> Vec<Sentence> {
        if self.all {
            return vec!["The data of the steps did not fit into the question: the model saw parts of it.".into()];
        }
        let one = |(at, shown, whole): &(usize, usize, usize)| {
            let step = steps.get(*at)?;
            let (shown, whole) = (text::thousands(*shown), text::thousands(*whole));
            let name = text::display_line(name(step));
            Some(format!("The model saw at most {shown} of {whole} bytes of “{name}” in line {}.", step.line).into())
        };
        self.steps.iter().filter_map(one).collect()
    }
}

/// What is taken of a model's word on a sentence.
fn taken(outcome: Outcome, must_not: bool, in_doubt: bool) -> ClauseOutcome {
    match outcome {
        // What looks like an order to the judge may be why, or what it did not see may tell otherwise: nothing passes on such a word.
        Outcome::Holds if in_doubt && !must_not => ClauseOutcome::Unclear,
        Outcome::Violated | Outcome::Vacuous if in_doubt && must_not => ClauseOutcome::Unclear,
        Outcome::Holds => ClauseOutcome::Holds,
        // What must not come about did not, if its condition never did.
        Outcome::Vacuous if must_not => ClauseOutcome::Violated,
        Outcome::Violated => ClauseOutcome::Violated,
        Outcome::Vacuous => ClauseOutcome::Vacuous,
        Outcome::Unclear => ClauseOutcome::Unclear,
    }
}

/// Where a sentence stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Step(usize),
    PassIf,
    FailIf,
}

type Place = (Part, usize);

struct Open {
    place: Place,
    /// As it stands in the file.
    text: String,
    /// With the step it is about.
    asked: String,
}

fn open(ran: &Ran, ending: &Ending, steps: &StepsJourney) -> Vec<Open> {
    let mut open = Vec::new();
    let mut add = |part: Part, clauses: &[Decided], about: &str| {
        for (at, clause) in clauses.iter().enumerate().filter(|(_, clause)| clause.needs_model) {
            open.push(Open { place: (part, at), text: clause.text.clone(), asked: format!("{about}: {}", clause.text) });
        }
    };
    for (number, step) in ran.steps.iter().enumerate() {
        let line = steps.lines.get(number).copied().flatten().map_or_else(String::new, |line| format!(" (L{})", line.0));
        add(Part::Step(number), &step.clauses, &format!("Of the step “{}”{line}", name(step)));
    }
    add(Part::PassIf, &ending.pass_if, "pass_if, of all steps together");
    add(Part::FailIf, &ending.fail_if, "fail_if, of all steps together, must not come about");
    open
}

fn name(step: &StepReport) -> &str {
    if step.name.is_empty() { step.tool.as_deref().unwrap_or("group") } else { &step.name }
}

/// Writes the answers into the steps, and what each step came to with them.
fn settle(ran: &mut Ran, answers: &mut HashMap<Place, Decided>) {
    for (number, step) in ran.steps.iter_mut().enumerate() {
        for (at, clause) in step.clauses.iter_mut().enumerate() {
            if let Some(answer) = answers.remove(&(Part::Step(number), at)) {
                *clause = answer;
            }
        }
    }
    fold_steps(ran);
}

/// Finds out what each step that was open came to, once its sentences are decided; the inner ones first.
pub fn fold_steps(ran: &mut Ran) {
    for number in (0..ran.steps.len()).rev() {
        let depth = ran.steps[number].depth;
        let inner: Vec<Status> =
            ran.steps[number + 1..].iter().take_while(|step| step.depth > depth).map(|step| step.status).collect();
        let step = &mut ran.steps[number];
        if step.status != Status::Unclear {
            continue;
        }
        step.status = match &step.tool {
            None => fold::group(&step.clauses, &inner),
            // It was left open, so its error, where there is one, is what its sentences speak of.
            Some(_) => fold::by_rules(&End::Returned { result: serde_json::Value::Null }, &step.clauses, true),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fail_if_passes_on_no_word_in_doubt_and_fails_on_any() {
        use ClauseOutcome as C;
        let all = [Outcome::Holds, Outcome::Violated, Outcome::Vacuous, Outcome::Unclear];
        let each = |must_not: bool, in_doubt: bool| all.map(|outcome| taken(outcome, must_not, in_doubt));
        assert_eq!(each(false, false), [C::Holds, C::Violated, C::Vacuous, C::Unclear]);
        assert_eq!(each(false, true), [C::Unclear, C::Violated, C::Vacuous, C::Unclear]);
        assert_eq!(each(true, false), [C::Holds, C::Violated, C::Violated, C::Unclear]);
        assert_eq!(each(true, true), [C::Holds, C::Unclear, C::Unclear, C::Unclear]);
    }
}
