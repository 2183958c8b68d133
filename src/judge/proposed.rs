//! Clauses that a model proposes for an intent: the form of its answer, and what of it can be looked at by a person.
//!
//! A sentence that is no clause, names what is not there, or renders words that are not in the intent is left out and said
//! so. Nothing here is accepted.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::base::text::{count, cut, display_line};
use crate::judge::covering::collapsed;
use crate::judge::grammar;
use crate::judge::names::Names;
use crate::judge::validate::{ANSWER_MAX, Fault, fault, spoken};

/// Names the form; it is part of what a kept answer belongs to.
pub const SCHEMA: &str = "clauses/1";
/// Clauses that are taken from one answer.
const MOST: usize = 24;
/// Characters of a clause.
const CLAUSE_MAX: usize = 300;
/// Columns of a sentence that is told to a person though it is left out.
const TOLD_MAX: usize = 120;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    schema: String,
    nonce: String,
    parts: Vec<Part>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    span: String,
    #[serde(rename = "reading")]
    _reading: String,
    clauses: Vec<String>,
}

/// What can be looked at of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// In the order of the answer.
    pub clauses: Vec<Rendered>,
    /// Sentences that were left out, each with why; fit for a terminal.
    pub left_out: Vec<String>,
}

/// A clause and the words of the intent that it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendered {
    /// The canonical sentence.
    pub text: String,
    /// The words, as the intent was told.
    pub span: String,
}

/// Gives the schema of an answer: what was understood stands before the clauses.
#[must_use]
pub fn schema() -> Json {
    let object = |fields: Json| {
        let required: Vec<String> = fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
        json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
    };
    // Without an end to each of them a weak model finds none.
    let text = json!({ "type": "string", "maxLength": 400 });
    let clauses = json!({ "type": "array", "items": { "type": "string", "maxLength": CLAUSE_MAX }, "maxItems": 8 });
    let part = object(json!({ "span": text, "reading": text, "clauses": clauses }));
    object(json!({
        "schema": { "type": "string", "enum": [SCHEMA] },
        "nonce": text,
        "parts": { "type": "array", "items": part, "maxItems": 16 },
    }))
}

/// Reads an answer about an intent as it was told.
///
/// # Errors
/// When it is none, or nothing of it can be looked at.
pub fn read(text: &str, nonce: &str, intent: &str, names: &Names) -> Result<Heard, Fault> {
    if text.len() > ANSWER_MAX {
        return fault("V1", format!("the answer is longer than {} KiB", ANSWER_MAX >> 10));
    }
    let answer: Answer = match serde_json::from_str(spoken(text)) {
        Ok(answer) => answer,
        Err(error) => return fault("V1", format!("the whole message has to be one JSON object of the schema: {error}")),
    };
    if answer.schema != SCHEMA {
        return fault("V1", format!("schema has to be {SCHEMA}"));
    }
    if answer.nonce != nonce {
        return fault("V2", "the nonce is not that of the request");
    }
    let intent = collapsed(intent);
    let mut heard = Heard { clauses: Vec::new(), left_out: Vec::new() };
    for part in &answer.parts {
        for sentence in &part.clauses {
            match rendered(sentence, &part.span, &intent, names) {
                Ok(clause) if heard.clauses.iter().any(|one| one.text == clause.text) => {}
                Ok(clause) if heard.clauses.len() < MOST => heard.clauses.push(clause),
                Ok(clause) => heard.left_out.push(told(&clause.text, "there are enough without it")),
                Err(why) => heard.left_out.push(told(sentence, &why)),
            }
        }
    }
    match (heard.clauses.as_slice(), heard.left_out.as_slice()) {
        ([], [first, ..]) => fault("V3", format!("none of {} can be used: {first}", count(heard.left_out.len(), "sentence"))),
        _ => Ok(heard),
    }
}

fn rendered(sentence: &str, span: &str, intent: &str, names: &Names) -> Result<Rendered, String> {
    if sentence.chars().count() > CLAUSE_MAX {
        return Err("it is too long".into());
    }
    let span = collapsed(span);
    if span.is_empty() || !intent.contains(&span) {
        return Err("the words it renders do not stand in the intent".into());
    }
    let sentence = sentence.trim();
    let clause = grammar::parse(sentence).map_err(|unclear| format!("it is no clause. {unclear}"))?;
    let text = clause.to_string();
    names.bind(clause).map_err(|unresolved| unresolved.to_string())?;
    // What is accepted is read again from a file, a line for each.
    if text.chars().any(char::is_control) || grammar::parse(&text).map(|again| again.to_string()).ok().as_ref() != Some(&text) {
        return Err("it cannot be written in one line".into());
    }
    Ok(Rendered { text, span })
}

fn told(sentence: &str, why: &str) -> String {
    let line = |text: &str| display_line(&collapsed(text)).into_owned();
    format!("“{}”: {}.", cut(&line(sentence), TOLD_MAX), line(why).trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::asking_tests::NAMES;

    const INTENT: &str = "Save them,\n then send a mail. Be polite.";

    fn answer(clauses: &[&str], span: &str) -> String {
        let part = json!({ "span": span, "reading": "…", "clauses": clauses });
        json!({ "schema": SCHEMA, "nonce": "5f", "parts": [part] }).to_string()
    }

    fn read(text: &str) -> Result<Heard, Fault> {
        super::read(text, "5f", INTENT, &NAMES)
    }

    #[test]
    fn what_is_no_clause_or_names_what_is_not_there_is_left_out_and_said() {
        let good = "Db.save must be called before Mail.send.";
        let span = "Save them, then send";
        let heard = read(&answer(&[good, "calls Db.save before Mail.send"], span)).unwrap();
        let one = Rendered { text: "Db.save is called before Mail.send".into(), span: span.into() };
        assert_eq!(heard, Heard { clauses: vec![one], left_out: vec![] }, "said twice is said once");
        let long = format!("Db.save is called with n=\"{}\"", "x".repeat(400));
        let bad = ["Be polite", "Db.svae is called", "\u{1b}[2J is called", &long];
        let all: Vec<&str> = [good].into_iter().chain(bad).collect();
        let heard = read(&answer(&all, span)).unwrap();
        assert_eq!((heard.clauses.len(), heard.left_out.len()), (1, bad.len()), "{:?}", heard.left_out);
        for (line, why) in heard.left_out.iter().zip(["no clause", "Db.svae", "no clause", "too long"]) {
            assert!(line.contains(why) && !line.contains('\u{1b}') && line.len() < 400, "{line}");
        }
        let elsewhere = read(&answer(&[good], "Delete everything")).unwrap_err();
        assert!(elsewhere.to_string().contains("do not stand in the intent"), "{elsewhere}");
    }

    #[test]
    fn an_answer_that_is_none_is_a_fault_and_one_without_clauses_is_not() {
        let good = answer(&["Db.save is called"], "Save them");
        assert_eq!(read(&format!("<think>{{}}</think>\n{good}")).unwrap().clauses.len(), 1);
        for (text, rule) in [
            (format!("Here it is: {good}"), "V1"),
            (format!("{good}{good}"), "V1"),
            (good.replace("clauses/1", "clauses/2"), "V1"),
            (good.replace("5f", "60"), "V2"),
            (answer(&["Be polite"], "Save them"), "V3"),
        ] {
            assert_eq!(read(&text).unwrap_err().rule, rule, "{text}");
        }
        assert!(read(&answer(&[], "Be polite")).unwrap().clauses.is_empty());
    }

    #[test]
    fn the_schema_asks_for_all_of_an_answer_and_nothing_else() {
        let (schema, whole) = (schema(), serde_json::from_str::<Json>(&answer(&[], "")).unwrap());
        let names = |of: &Json| {
            let all = of["required"].as_array().unwrap().iter();
            all.map(|name| name.as_str().unwrap().to_owned()).collect::<std::collections::BTreeSet<_>>()
        };
        let keys = |of: &Json| of.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
        let part = &schema["properties"]["parts"]["items"];
        assert_eq!((names(&schema), names(part)), (keys(&whole), keys(&whole["parts"][0])));
        assert_eq!((&schema["additionalProperties"], &part["additionalProperties"]), (&json!(false), &json!(false)));
    }
}
