//! What a model is asked about an intent, to judge it or to say it in clauses: rules, functions, journey, question, in this
//! order, so that what is the same from test to test comes first and a provider can keep it.
//!
//! The words are in `assets/prompts/judge.md` and `clauses.md`. What comes from the project stands between marks made from that very
//! content, is redacted, and can neither begin a line of the journey nor end its part. Equal questions are equal bytes, so
//! that answers can be kept and recorded; the nonce follows from all of it, and no data can hold the nonce of its own question.

use std::collections::{BTreeMap, HashSet};

use serde_json::json;

use crate::base::redact::Redactor;
use crate::base::seal;
use crate::base::text::display_line;
use crate::domain::callee::Callee;
use crate::domain::function::FunctionId;
use crate::domain::journey::JourneyEvent;
use crate::judge::compact::{clean, compact, with_whole_values};
use crate::judge::forms;
use crate::judge::names::Names;
use crate::judge::prompt_journey::{Cut, PromptJourney, TooLong, tokens};
use crate::judge::suggest::words;
use crate::judge::validate;

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Whether sentences of the intent were met.
    Verdict,
    /// Clauses that say the same as the intent.
    Clauses,
}

impl Wanted {
    fn template(self) -> &'static str {
        match self {
            Self::Verdict => include_str!("../../assets/prompts/judge.md"),
            Self::Clauses => include_str!("../../assets/prompts/clauses.md"),
        }
    }

    /// Gives a part of the template.
    fn section(self, name: &str) -> &'static str {
        let (_, rest) = self.template().split_once(&format!("=== {name}\n")).unwrap_or_default();
        rest.split_once("\n=== ").map_or(rest, |(own, _)| own)
    }

    /// Puts data between marks that only this very data has.
    fn fenced(self, name: &'static str, data: String) -> String {
        let mut mark = seal::sha256(&[data.as_bytes()]);
        mark.truncate(MARK);
        filled(self.section(name), &[(name, data), ("mark", mark)])
    }
}

/// Functions that did not run and whose names are sent.
const UNCALLED: usize = 150;
/// Bytes of one function's source.
const SOURCE_MAX: usize = 6 << 10;
/// Share of the budget that sources may take, in percent.
const SOURCES: usize = 40;
/// Lines with cut values that are named.
const CUT_SHOWN: usize = 10;
/// Tokens that it takes to say so.
const CUT_TOKENS: usize = 300;
/// Characters of a mark and of a nonce.
const MARK: usize = 16;

/// What is known of a test and asked about it.
pub struct Question<'a> {
    /// What is asked for.
    pub wanted: Wanted,
    /// The intent as written.
    pub intent: &'a str,
    /// The sentences of it that nothing else decides, or that are to be said in clauses.
    pub sentences: &'a [String],
    /// Of each sentence, whether it must not come about; none of an intent.
    pub must_not: &'a [bool],
    /// What rules decided already: sentence and outcome.
    pub decided: &'a [(String, &'static str)],
    /// The journey.
    pub events: &'a [JourneyEvent],
    /// Its values are what the sentences are about: they are sent whole, as far as they fit.
    pub whole: bool,
    /// What the project defines.
    pub names: &'a Names,
    /// The functions that ran: each with its source, bare, in the order of their first calls.
    pub sources: &'a [(FunctionId, String)],
    /// Others that a reader of the intent may look for.
    pub others: &'a [Callee],
    /// Why something is missing from the recording, if it is.
    pub incomplete: Option<&'a str>,
    /// Tokens that all of it may take.
    pub budget: usize,
}

/// The parts of a question, the steadiest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What is asked for.
    pub wanted: Wanted,
    /// The intent as it is sent.
    pub intent: String,
    /// What the model is and how it answers: the same for every test.
    pub rules: String,
    /// The functions: the same while the code is.
    pub functions: String,
    /// The journey: the same while the test does the same.
    pub journey: String,
    /// A hash of the functions.
    code: String,
    /// What fills the question, but for what changes from one asking to the next.
    filling: Vec<(&'static str, String)>,
    /// The numbers of the sentences.
    pub ids: Vec<String>,
    /// Of each sentence, whether it must not come about; none of an intent.
    pub must_not: Vec<bool>,
    /// The journey as it is sent.
    pub sent: PromptJourney,
    /// Something in the sources reads like an instruction.
    pub suspicious: bool,
    /// About how many tokens it takes.
    pub tokens: usize,
    /// The version of the template.
    pub version: u32,
}

impl Asked {
    /// Writes the question for one asking: the first, a second opinion, or a repair with what was wrong. Gives the nonce too.
    #[must_use]
    pub fn question(&self, opinion: usize, again: Option<&str>) -> (String, String) {
        let mut nonce = seal::sha256(&[self.hash().as_bytes(), &opinion.to_le_bytes(), again.unwrap_or_default().as_bytes()]);
        nonce.truncate(MARK);
        let again = again.map_or_else(String::new, |fault| {
            // What was wrong is said with words of the answer, and these may be the data's: so it stays data.
            format!("An answer to this question was not usable. Why, as data: {}. Answer anew.\n", json!(clean(fault)))
        });
        let turn = [("again", again), ("nonce", nonce.clone())];
        (filled(self.wanted.section("question"), &[&self.filling[..], &turn].concat()), nonce)
    }

    /// A hash of everything that is asked, whichever time.
    #[must_use]
    pub fn hash(&self) -> String {
        seal::sha256(&[self.journey.as_bytes(), self.standing().as_bytes()])
    }

    /// A hash of everything but the journey: its threads can have another order the next time.
    #[must_use]
    pub fn standing(&self) -> String {
        let parts = [&self.rules, &self.code].into_iter().chain(self.filling.iter().map(|(_, text)| text));
        seal::sha256(&parts.map(String::as_bytes).collect::<Vec<_>>())
    }
}

/// Writes a question.
///
/// # Errors
/// When it does not fit into its budget, whatever is left out.
pub fn ask(question: &Question<'_>, redactor: &mut Redactor) -> Result<Asked, TooLong> {
    let wanted = question.wanted;
    let version =
        wanted.template().lines().next().and_then(|line| line.strip_prefix("version ")?.parse().ok()).unwrap_or_default();
    let rules = filled(wanted.section("rules"), &[("forms", forms::page())]);
    let functions = functions(question, redactor);
    let ids: Vec<String> = (1..=question.sentences.len()).map(|number| format!("c{number}")).collect();
    let spans: Vec<String> = ids
        .iter()
        .zip(question.sentences)
        .map(|(id, text)| json!({ "id": id, "span": safe(text, redactor) }).to_string())
        .collect();
    let decided: Vec<String> = question
        .decided
        .iter()
        .map(|(text, outcome)| json!({ "sentence": safe(text, redactor), "outcome": outcome }).to_string())
        .collect();
    let decided = match decided.as_slice() {
        [] => String::new(),
        decided => format!("Already decided by rules, for your information:\n{}\n", decided.join("\n")),
    };
    let incomplete = question.incomplete.map_or_else(String::new, |why| {
        format!(
            "The recording is not complete ({}): what is not in it may have happened all the same.\n",
            display_line(&safe(why, redactor))
        )
    });
    let must_not = if question.must_not.contains(&true) { wanted.section("must_not") } else { "" };
    let asks = question.sentences.iter().any(|sentence| sentence.trim_end().ends_with('?'));
    let asks = if asks { wanted.section("asks") } else { "" };
    let intent = safe(question.intent, redactor);
    let mut filling = vec![
        ("intent", json!(intent).to_string()),
        ("sentences", spans.join("\n")),
        ("decided", format!("{must_not}{asks}{decided}")),
        ("incomplete", incomplete),
    ];
    let text = filled(wanted.section("question"), &filling);
    let around = tokens(&rules)
        + tokens(&functions)
        + tokens(&text)
        + tokens(wanted.section("functions"))
        + tokens(wanted.section("journey"));
    let left = question.budget.saturating_sub(around + MARK);
    let whole = || with_whole_values(question.events, question.names, &focus(question), left.saturating_sub(CUT_TOKENS));
    let sent = if question.whole { whole() } else { None };
    let is_whole = sent.is_some();
    let mut sent = match sent {
        Some(sent) => sent,
        None => compact(question.events, question.names, &focus(question), left)
            .map_err(|TooLong { needs }| TooLong { needs: needs.saturating_add(around) })?,
    };
    if question.whole && !is_whole {
        // Values were wanted whole, and are not.
        sent.steps = sent.steps.max(1);
    }
    if !sent.cut.is_empty() {
        let said = filled(wanted.section("cut"), &[("cut", cut_lines(&sent.cut))]);
        filling.iter_mut().filter(|(name, _)| *name == "decided").for_each(|(_, text)| text.insert_str(0, &said));
    }
    sent.change(&mut |text| redactor.redact_random(text));
    let journey = sent.text();
    let suspicious = validate::instruction(&functions).is_some();
    let code = seal::sha256(&[functions.as_bytes()]);
    let functions = wanted.fenced("functions", functions);
    let journey = wanted.fenced("journey", journey);
    let tokens = tokens(&rules) + tokens(&functions) + tokens(&journey) + tokens(&text);
    let must_not = question.must_not.to_vec();
    Ok(Asked { wanted, intent, rules, functions, journey, code, filling, ids, must_not, sent, suspicious, tokens, version })
}

/// Says which lines have values that are cut.
fn cut_lines(cut: &[Cut]) -> String {
    let mut said: Vec<String> = cut
        .iter()
        .take(CUT_SHOWN)
        .map(|cut| format!("{} shows at most {} bytes of each value, of {} in all", cut.line, cut.shown, cut.whole))
        .collect();
    if cut.len() > CUT_SHOWN {
        said.push(format!("and {} more lines", cut.len() - CUT_SHOWN));
    }
    said.join("; ")
}

/// Writes the functions: sources as far as there is room, of the others the names.
fn functions(question: &Question<'_>, redactor: &mut Redactor) -> String {
    let room = question.budget * SOURCES / 100;
    let mut used = 0;
    let mut parts = Vec::new();
    for (function, source) in question.sources {
        let name = question.names.called(&function.clone().into());
        let source = safe(source, redactor);
        let size = tokens(&source);
        if source.len() > SOURCE_MAX || used + size > room {
            parts.push(format!("# {} (source too long to show)", clean(&name)));
            continue;
        }
        used += size;
        parts.push(format!("# {}\n{source}", clean(&name)));
    }
    let uncalled: Vec<String> = question.others.iter().take(UNCALLED).map(|other| clean(&question.names.called(other))).collect();
    if !uncalled.is_empty() {
        parts.push(format!("# Not called: {}", uncalled.join(", ")));
    }
    parts.join("\n\n")
}

/// The functions that the intent speaks of, by the words that it shares with their names.
fn focus(question: &Question<'_>) -> HashSet<Callee> {
    let spoken: HashSet<String> = words(question.intent).collect();
    let functions = question.sources.iter().map(|(function, _)| function);
    functions
        .filter(|function| words(function.qualname()).any(|word| spoken.contains(&word)))
        .cloned()
        .map(Callee::Function)
        .collect()
}

/// Redacts first, so that nothing done later leaves half a secret.
fn safe(text: &str, redactor: &mut Redactor) -> String {
    clean(&redactor.redact_outgoing(text).unwrap_or_else(|| text.to_owned()))
}

/// Fills `{{name}}` places in one pass: what is filled in is not looked through again.
fn filled(template: &str, values: &[(&str, String)]) -> String {
    let values: BTreeMap<&str, &str> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, place, after)) =
        rest.split_once("{{").and_then(|(before, tail)| tail.split_once("}}").map(|(place, after)| (before, place, after)))
    {
        out.push_str(before);
        match values.get(place) {
            Some(value) => out.push_str(value),
            None => out.push_str(&format!("{{{{{place}}}}}")),
        }
        rest = after;
    }
    out + rest
}
