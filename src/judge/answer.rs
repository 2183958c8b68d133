//! What a model has to answer: its form as a JSON schema, and as types. Whether an answer is true is `validate.rs`.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// Names the form; it is part of what a kept verdict belongs to.
pub const SCHEMA: &str = "verdict/1";

/// An answer as a model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// [`SCHEMA`].
    pub schema: String,
    /// The nonce of the request.
    pub nonce: String,
    /// One for each sentence that was asked about.
    pub clauses: Vec<Sentence>,
    /// What would have to be known besides.
    pub missing_info: Vec<String>,
    /// Data that reads like instructions.
    pub suspected_injection: Vec<Cited>,
    /// How sure it is.
    pub confidence: Confidence,
    /// All of it together.
    pub verdict: Word,
    /// In a sentence.
    pub summary: String,
}

/// What it says of one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// Its number: `c1`.
    pub id: String,
    /// Its words.
    pub span: String,
    /// Why.
    pub analysis: String,
    /// Lines that show it.
    pub evidence: Vec<Quote>,
    /// What its outcome rests on, in a form that can be looked up.
    pub claims: Vec<Claim>,
    /// What came of it.
    pub outcome: Outcome,
}

/// A line and words of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The line's number.
    pub line: u32,
    /// Words that stand in it.
    pub quote: String,
}

/// A line and a text of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cited {
    /// The line's number; 0 for the functions.
    pub line: u32,
    /// What stands there.
    pub text: String,
}

/// Something about the calls of functions.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Which kind.
    pub claim: Kind,
    /// The function.
    pub function: String,
    /// For `before`, the other one; else empty.
    pub other: String,
}

/// The kinds of claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The function was called.
    Called,
    /// It was not.
    NotCalled,
    /// Both were called, and each call of the other began after one of the function had ended.
    Before,
}

/// What came of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The test did it.
    Holds,
    /// It did not.
    Violated,
    /// Nothing happened that it speaks of.
    Vacuous,
    /// The journey does not tell.
    Unclear,
}

/// How sure a model says it is. An order, no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// It guesses.
    Low,
    /// It thinks so.
    Medium,
    /// It is sure.
    High,
}

/// A verdict as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Word {
    /// No sentence is violated, none is open, and one holds.
    Pass,
    /// One is violated.
    Fail,
    /// Anything else.
    Unclear,
}

/// Gives the schema of an answer about the sentences with these numbers: reasons stand before outcomes, nothing is left out
/// and nothing added.
#[must_use]
pub fn schema(ids: &[String]) -> Json {
    let object = |fields: Json| {
        let required: Vec<String> = fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
        json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
    };
    // Without an end to each of them a weak model finds none.
    let text = json!({ "type": "string", "maxLength": 400 });
    let line = json!({ "type": "integer" });
    let word = |words: &[&str]| json!({ "type": "string", "enum": words });
    let list = |items: Json| json!({ "type": "array", "items": items, "maxItems": 16 });
    let sentence = object(json!({
        "id": { "type": "string", "enum": ids },
        "span": text,
        "analysis": text,
        "evidence": list(object(json!({ "line": line, "quote": text }))),
        "claims": list(object(json!({ "claim": word(&["called", "not_called", "before"]), "function": text, "other": text }))),
        "outcome": word(&["holds", "violated", "vacuous", "unclear"]),
    }));
    object(json!({
        "schema": word(&[SCHEMA]),
        "nonce": text,
        "clauses": { "type": "array", "items": sentence, "minItems": ids.len(), "maxItems": ids.len() },
        "missing_info": list(text.clone()),
        "suspected_injection": list(object(json!({ "line": line, "text": text }))),
        "confidence": word(&["low", "medium", "high"]),
        "verdict": word(&["PASS", "FAIL", "UNCLEAR"]),
        "summary": text,
    }))
}

/// What sentences come to that have to hold, and others that must not come about.
#[must_use]
pub fn fold_with(outcomes: impl IntoIterator<Item = Outcome>, must_not: &[bool]) -> Word {
    fold(outcomes.into_iter().enumerate().map(|(at, outcome)| match outcome {
        Outcome::Holds if must_not.get(at) == Some(&true) => Outcome::Violated,
        Outcome::Violated | Outcome::Vacuous if must_not.get(at) == Some(&true) => Outcome::Holds,
        other => other,
    }))
}

/// All together: one that is violated fails, one that is open leaves it open, and it takes one that holds to pass.
#[must_use]
pub fn fold(outcomes: impl IntoIterator<Item = Outcome>) -> Word {
    let outcomes: Vec<Outcome> = outcomes.into_iter().collect();
    if outcomes.contains(&Outcome::Violated) {
        Word::Fail
    } else if outcomes.contains(&Outcome::Unclear) || !outcomes.contains(&Outcome::Holds) {
        Word::Unclear
    } else {
        Word::Pass
    }
}
