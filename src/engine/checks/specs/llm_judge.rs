//! What rules left open in a YAML test, put to the chosen model: one question for the whole test, once its steps have run.
//!
//! The steps are told as a journey, so that questions, answers and what is believed of them are those of intents
//! (`checks/llm/opinions.rs`). The verdict of the test is folded by `spec/fold.rs` from what came of each sentence.

use std::collections::HashMap;
use std::path::Path;

use crate::base::hash;
use crate::base::redact::Redactor;
use crate::base::sentence::Sentence;
use crate::domain::evaluator::Evaluator;
use crate::domain::spec::{End, Spec, Status, StepReport};
use crate::domain::verdict::{ClauseOutcome, Decided, Ruling};
use crate::engine::checks::llm::opinions::{About, Asking, Reply};
use crate::judge::answer::Outcome;
use crate::judge::prompt::{Question, Wanted};
use crate::spec::fold::{self, Ending};
use crate::spec::journey::{self, StepsJourney};
use crate::spec::run::Ran;

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
    let steps = journey::of_steps(&ran.steps);
    let open = open(ran, &before, &steps);
    let mut put = Put { ending: before, evaluator: None, broken: None, issues: Vec::new() };
    if open.is_empty() {
        return put;
    }
    let sentences: Vec<String> = open.iter().map(|one| one.asked.clone()).collect();
    let journey: Vec<String> = steps.events.iter().map(|event| event.text()).collect();
    let question = Question {
        wanted: Wanted::Verdict,
        intent: if spec.description.trim().is_empty() { &spec.name } else { &spec.description },
        sentences: &sentences,
        decided: &[],
        events: &steps.events,
        names: &steps.names,
        sources: &[],
        others: &[],
        incomplete: None,
        budget: asking.budget(),
    };
    let journey = hash::of(journey.join("\n").as_bytes()).to_string();
    let about = About { test: file.name, root: file.root, journey: &journey, refresh: file.refresh, dry: false };
    let mut answers: HashMap<Place, Decided> = HashMap::new();
    match asking.ask(&question, &about, redactor, &mut |_| {}).await {
        Reply::Decided { sentences, suspicion, .. } => {
            for (one, judged) in open.into_iter().zip(sentences) {
                let outcome = match judged.outcome {
                    // What looks like an order to the judge may be why: nothing passes on such a word.
                    Outcome::Holds if suspicion.is_some() => ClauseOutcome::Unclear,
                    Outcome::Holds => ClauseOutcome::Holds,
                    Outcome::Violated => ClauseOutcome::Violated,
                    Outcome::Vacuous => ClauseOutcome::Vacuous,
                    Outcome::Unclear => ClauseOutcome::Unclear,
                };
                let lines = judged.evidence.iter().filter_map(|line| steps.events.get(line.0 as usize - 1));
                let shown = lines.map(|event| event.text()).collect();
                let evidence = judged.evidence.iter().map(|line| format!("L{}", line.0)).collect();
                let decided = Decided { text: one.text, outcome, evidence, why: judged.why, shown, needs_model: false };
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
    add(Part::PassIf, &ending.pass_if, "Of all steps together");
    add(Part::FailIf, &ending.fail_if, "Of all steps together");
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
