//! Clauses proposed for a test that has run: from what it did, and by a model from its intent. Each is decided on the journey
//! of this very run; none counts before a person accepts it.

use crate::base::sentence::Sentence;
use crate::base::text;
use crate::domain::clause::Outcome;
use crate::domain::verdict::{Asked, ClauseOutcome, Proposed, ProposedClause, Ruling, Show, Suggested};
use crate::engine::checks::intents::clauses::{self, Understood};
use crate::engine::checks::intents::judge::{Journey, Judge, Standing};
use crate::engine::checks::intents::request::Request;
use crate::engine::checks::intents::verdict::{decided, decisive, own, verdict};
use crate::engine::checks::llm::clauses::Answered;
use crate::engine::checks::llm::opinions::{About, Asking};
use crate::judge::covering::left_over;
use crate::judge::grammar;
use crate::judge::names::Names;
use crate::judge::prompt::Wanted;
use crate::judge::suggest::{Suggestion, notices, suggest};

/// Nobody can be asked for clauses, and what to do.
pub(crate) const NO_MODEL: (&str, &str) = (
    "No model is chosen that could propose clauses.",
    "Choose one: model.provider or judge.provider in your settings, and judge.ask on.",
);
const SUSPICIOUS: &str = "The intent, the data or the sources of this test hold a text that reads like an instruction to a model: read each clause twice.";

/// Proposes clauses from what a test did, of which none is left open by what is missing.
pub(crate) fn from_journey(journey: &Journey, names: &Names, intent: &str) -> Vec<Suggested> {
    let suggested = |suggestion: Suggestion| {
        let notices = match suggestion.notices.as_slice() {
            [] => "notices nothing small".to_owned(),
            notices => format!("notices {}", notices.join(", ")),
        };
        let safe = |words: &str| text::display_line(words).into_owned();
        Suggested { text: safe(&suggestion.text), notices: Some(safe(&notices)) }
    };
    let holds = |suggestion: &Suggestion| {
        let missing = |clause: &_| journey.missing(clause);
        let understood = clauses::decide(names, &journey.events, &missing, &suggestion.text);
        matches!(understood, Understood::Clause { finding, .. } if matches!(finding.outcome, Outcome::Holds { .. }))
    };
    suggest(&journey.events, names, intent).into_iter().filter(holds).map(suggested).collect()
}

impl Judge {
    /// Has a model propose clauses where that is wanted. Who accepts some gets those that were proposed before: they say
    /// which words of the intent each is for.
    pub(crate) async fn proposed(
        &self,
        request: &Request,
        journey: &mut Journey,
        told: &str,
        tell: &mut (dyn FnMut(&Asked) + Send),
    ) -> Option<Proposed> {
        let wanted = request.show.contains(&Show::Proposals);
        let accepts = request.dry && request.show.contains(&Show::Journey);
        if !(wanted || accepts) {
            return None;
        }
        let none =
            |note: &str, asked| Some(Proposed { note: Some(note.into()), asked, ..Proposed::default() }).filter(|_| wanted);
        if request.intent.trim().is_empty() {
            return none("This test has no intent to be said in clauses: @semantic_test(intent=\"…\") gives it one.", None);
        }
        if decisive(request).is_some() {
            return none("Clauses beside the test decide it already: nothing is asked.", None);
        }
        let asking = match &self.asking {
            Ok(Some(asking)) => asking,
            Ok(None) => return none(&format!("{} {}", NO_MODEL.0, NO_MODEL.1), None),
            Err(why) => return none(why, None),
        };
        let about = About { test: &request.test, root: &self.root, journey: told, refresh: request.refresh, dry: request.dry };
        let material = self.to_be_said(request, journey);
        let question = material.question(Wanted::Clauses, &request.intent, &journey.events, asking.budget());
        match asking.propose(&question, &about, &mut journey.redactor, tell).await {
            Ok(answered) => Some(self.looked_at(request, journey, asking, answered, wanted)),
            Err((reason, asked)) => none(&reason, asked),
        }
    }

    /// Gives what a model would be sent to propose clauses.
    pub(crate) fn outgoing_proposals(&self, request: &Request, journey: &mut Journey, asking: &Asking) -> Result<String, String> {
        let material = self.to_be_said(request, journey);
        let question = material.question(Wanted::Clauses, &request.intent, &journey.events, asking.budget());
        asking.outgoing(&question, &mut journey.redactor)
    }

    /// Gathers what a model is told: all of the intent is open.
    fn to_be_said(&self, request: &Request, journey: &mut Journey) -> crate::engine::checks::intents::judge::Material {
        let sentences = own(&request.intent);
        let open = |sentence: &String| decided(&Understood::Unclear { unclear: String::new(), instead: Vec::new() }, sentence);
        let standing = Standing {
            open: (0..sentences.len()).collect(),
            clauses: sentences.iter().map(open).collect(),
            without: verdict(Ruling::Unclear, String::new(), Vec::new()),
        };
        self.material(request, journey, &standing)
    }

    /// Decides each proposed clause on what the test did, and finds what it would notice.
    fn looked_at(&self, request: &Request, journey: &Journey, asking: &Asking, answered: Answered, wanted: bool) -> Proposed {
        let names = self.names(request, journey);
        let safe = |text: &str| text::display_line(text).into_owned();
        let clause = |one: &crate::judge::proposed::Rendered| {
            let missing = |clause: &_| journey.missing(clause);
            let found = decided(&clauses::decide(&names, &journey.events, &missing, &one.text), &one.text);
            let bound = grammar::parse(&one.text).ok().and_then(|clause| names.bind(clause).ok());
            let holds = found.outcome == ClauseOutcome::Holds;
            let notices = bound.filter(|_| holds).map(|bound| notices(&journey.events, &bound)).unwrap_or_default();
            ProposedClause {
                text: safe(&one.text),
                span: safe(&one.span),
                outcome: found.outcome,
                why: found.why,
                notices: notices.into_iter().map(str::to_owned).collect(),
            }
        };
        let heard = answered.heard;
        let spans = heard.clauses.iter().map(|one| one.span.as_str());
        Proposed {
            by: asking.evaluator().to_string(),
            uncovered: left_over(&answered.intent, spans).iter().map(|words| safe(words.trim_end_matches('.'))).collect(),
            clauses: heard.clauses.iter().map(clause).collect(),
            left_out: heard.left_out.into_iter().map(Sentence::from).collect(),
            note: answered.suspicious.then(|| SUSPICIOUS.into()),
            asked: Some(answered.asked).filter(|_| wanted),
        }
    }
}

/// Writes proposed clauses for people, with the command that accepts those that hold.
pub(crate) fn lines(proposed: &Proposed, test: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    if !proposed.by.is_empty() {
        let kept = if proposed.asked.as_ref().is_some_and(|asked| asked.kept) { ", kept from before" } else { "" };
        out.push(format!("by {}{kept}:", proposed.by));
        if proposed.clauses.is_empty() {
            out.push("no clause".to_owned());
        }
    }
    out.extend(proposed.clauses.iter().map(|clause| format!("{}    # {}", clause.text, clause.about())));
    out.extend(proposed.uncovered.iter().map(|words| format!("No clause says “{words}”.")));
    if !proposed.left_out.is_empty() {
        out.push(format!("{} of the model's left out:", text::count(proposed.left_out.len(), "sentence")));
        out.extend(proposed.left_out.iter().map(|line| format!("    {line}")));
    }
    out.extend(proposed.note.as_ref().map(Sentence::to_string));
    if !proposed.clauses.is_empty() {
        out.push(format!(
            "Nothing is accepted yet. To accept a clause: pytead-tui check --accept {} -c \"…\".",
            text::display_line(test)
        ));
    }
    out
}
