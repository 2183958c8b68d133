//! Sentences about data: `result.users has exactly 10 items`, `every result.users[*].email matches email`.
//!
//! A sentence is read only when it begins with something that is known (`result`, `error`, `steps`, `stored`, a saved name)
//! and goes on in one of the forms here. All else is free English, which rules do not guess at.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::base::text;
use crate::domain::verdict::{ClauseOutcome, Decided};
use crate::judge::data::path::Path;

mod forms;
mod path;
#[cfg(test)]
mod tests;

/// Columns of a value that are shown.
const SHOWN: usize = 120;

/// Names and what they stand for.
pub type Scope = Map<String, Value>;

/// A sentence that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    every: bool,
    subject: Path,
    form: Form,
}

/// What is said of the subject.
#[derive(Debug, Clone, PartialEq)]
enum Form {
    Exists(bool),
    Is(Operand, bool),
    Compared(Comparison, Operand),
    Between(Operand, Operand),
    OneOf(Vec<Value>),
    Empty(bool),
    Kind(&'static str),
    Unique,
    Count(Comparison, u64),
    Fields(Vec<String>),
    Contains(Operand, bool),
    Starts(Operand),
    Ends(Operand),
    Matches(String, bool),
    SumOf(Path),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Exactly,
    AtLeast,
    AtMost,
    More,
    Less,
}

impl Comparison {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Exactly => ordering.is_eq(),
            Self::AtLeast => ordering.is_ge(),
            Self::AtMost => ordering.is_le(),
            Self::More => ordering.is_gt(),
            Self::Less => ordering.is_lt(),
        }
    }
}

/// A value that is written, or found.
#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Literal(Value),
    Found(Path),
}

/// Decides a sentence; `None` for free English.
#[must_use]
pub fn decide(sentence: &str, scope: &Scope) -> Option<Decided> {
    let sentence = sentence.trim().trim_end_matches('.').trim_end();
    let clause = forms::parse(sentence, &|name| scope.contains_key(name))?;
    let (outcome, why) = match evaluate(&clause, scope) {
        Ok(None) => (ClauseOutcome::Holds, String::new()),
        Ok(Some(nothing)) => (ClauseOutcome::Vacuous, nothing),
        Err(Refuted::Violated(why)) => (ClauseOutcome::Violated, why),
        Err(Refuted::Unclear(why)) => (ClauseOutcome::Unclear, why),
    };
    let why = text::display_line(&why).into();
    Some(Decided {
        text: text::display_line(sentence).into_owned(),
        outcome,
        evidence: Vec::new(),
        why,
        shown: Vec::new(),
        needs_model: false,
    })
}

/// Tells whether a sentence is about the error of a tool, which is then no surprise.
#[must_use]
pub fn is_about_error(sentence: &str) -> bool {
    let clause = forms::parse(sentence.trim().trim_end_matches('.').trim_end(), &|name| name == "error");
    clause.is_some_and(|clause| clause.subject.root() == "error" && clause.form != Form::Exists(false))
}

enum Refuted {
    Violated(String),
    Unclear(String),
}

fn violated<T>(why: String) -> Result<T, Refuted> {
    Err(Refuted::Violated(why))
}

/// `Ok(Some)` says that nothing was there to look at.
fn evaluate(clause: &Clause, scope: &Scope) -> Result<Option<String>, Refuted> {
    let subject = &clause.subject;
    let found = subject.find(scope);
    match (&clause.form, &found) {
        (Form::Exists(wanted), found) => {
            let there = found.as_ref().is_ok_and(|all| !all.is_empty() && all.iter().any(|(_, value)| !value.is_null()));
            return match (there, wanted) {
                (true, false) => violated(format!("{subject} is {}.", shown(&subject.all(scope)))),
                (false, true) => violated(format!("There is no {subject}.")),
                _ => Ok(None),
            };
        }
        (Form::Unique, Ok(all)) => return unique(subject, all),
        (_, Err(why)) => {
            return violated(failed(scope).map_or_else(
                || why.clone(),
                |error| {
                    // Its other lines stand with the step.
                    format!("{why} The tool failed: {}", error.lines().next().unwrap_or_default())
                },
            ));
        }
        _ => {}
    }
    let all = found.map_err(Refuted::Violated)?;
    if !subject.is_single() && !clause.every {
        return Err(Refuted::Unclear(format!("{subject} is many values: say “every {subject} …”.")));
    }
    if all.is_empty() {
        return Ok(Some(format!("There is no {subject}: nothing was looked at.")));
    }
    for (name, value) in &all {
        one(&clause.form, name, value, scope)?;
    }
    Ok(None)
}

fn failed(scope: &Scope) -> Option<&str> {
    scope.get("error")?.as_str()
}

fn unique(subject: &Path, all: &[(String, &Value)]) -> Result<Option<String>, Refuted> {
    // One list says it of its items.
    let items: Vec<(String, &Value)> = match all {
        [(name, Value::Array(items))] if subject.is_single() => {
            items.iter().enumerate().map(|(at, item)| (format!("{name}[{at}]"), item)).collect()
        }
        _ => all.to_vec(),
    };
    for (at, (name, value)) in items.iter().enumerate() {
        if let Some((first, _)) = items[..at].iter().find(|(_, other)| equal(other, value)) {
            return violated(format!("{name} and {first} are both {}.", shown(value)));
        }
    }
    Ok(items.is_empty().then(|| format!("There is no {subject}: nothing was looked at.")))
}

fn one(form: &Form, name: &str, value: &Value, scope: &Scope) -> Result<(), Refuted> {
    let is = || format!("{name} is {}.", shown(value));
    let check = |holds: bool| if holds { Ok(()) } else { violated(is()) };
    match form {
        Form::Exists(_) | Form::Unique => Ok(()),
        Form::Is(operand, wanted) => {
            let (other, said) = operand.value(scope)?;
            match (equal(value, other), wanted) {
                (true, true) | (false, false) => Ok(()),
                (false, true) => violated(format!("{}{said}", is())),
                (true, false) => violated(is()),
            }
        }
        Form::Compared(comparison, operand) => {
            let (other, said) = operand.value(scope)?;
            compared(value, other, *comparison).map_or_else(
                || violated(format!("{} It cannot be compared.", is())),
                |holds| {
                    if holds { Ok(()) } else { violated(format!("{}{said}", is())) }
                },
            )
        }
        Form::Between(least, most) => {
            let (least, most) = (least.value(scope)?.0, most.value(scope)?.0);
            let holds = compared(value, least, Comparison::AtLeast).zip(compared(value, most, Comparison::AtMost));
            check(holds == Some((true, true)))
        }
        Form::OneOf(values) => check(values.iter().any(|other| equal(value, other))),
        Form::Empty(wanted) => match size(value) {
            Some(size) if (size == 0) == *wanted => Ok(()),
            Some(size) => violated(format!("{name} has {}.", text::count(size, "item"))),
            None => check(value.is_null() == *wanted),
        },
        Form::Kind(kind) => check(is_kind(value, kind)),
        Form::Count(comparison, number) => match size(value) {
            Some(size) if comparison.holds((size as u64).cmp(number)) => Ok(()),
            Some(size) => violated(format!("{name} has {}.", text::count(size, "item"))),
            None => violated(format!("{} It has no items.", is())),
        },
        Form::Fields(fields) => {
            let Value::Object(have) = value else { return violated(format!("{} It has no fields.", is())) };
            match fields.iter().find(|field| !have.contains_key(*field)) {
                None => Ok(()),
                Some(missing) => violated(format!("{name} has no {missing}: it has {}.", path::names(have))),
            }
        }
        Form::Contains(operand, wanted) => {
            let (part, _) = operand.value(scope)?;
            check(contains(value, part) == *wanted)
        }
        Form::Starts(operand) => check(texts(value, operand.value(scope)?.0).is_some_and(|(text, part)| text.starts_with(part))),
        Form::Ends(operand) => check(texts(value, operand.value(scope)?.0).is_some_and(|(text, part)| text.ends_with(part))),
        Form::Matches(pattern, wanted) => {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // It was tried when the sentence was read.
            let Ok(pattern) = regex::Regex::new(pattern) else { return Err(Refuted::Unclear("The pattern is wrong.".into())) };
            check(pattern.is_match(&text) == *wanted)
        }
        Form::SumOf(parts) => {
            let parts_found = parts.find(scope).map_err(Refuted::Violated)?;
            let numbers: Option<Vec<f64>> = parts_found.iter().map(|(_, part)| part.as_f64()).collect();
            let (Some(numbers), Some(total)) = (numbers, value.as_f64()) else {
                return violated(format!("{} It, or some {parts}, is no number.", is()));
            };
            let sum: f64 = numbers.iter().sum();
            if (sum - total).abs() <= sum.abs().max(1.0) * 1e-9 {
                return Ok(());
            }
            violated(format!("{} The sum of {parts} is {sum}.", is()))
        }
    }
}

impl Operand {
    /// Gives the value, and says what it is where it was found.
    fn value<'a>(&'a self, scope: &'a Scope) -> Result<(&'a Value, String), Refuted> {
        match self {
            Self::Literal(value) => Ok((value, String::new())),
            Self::Found(path) => {
                let found = path.find(scope).map_err(Refuted::Violated)?;
                match found.as_slice() {
                    [(name, value)] => Ok((*value, format!(" {name} is {}.", shown(value)))),
                    _ => Err(Refuted::Unclear(format!("{path} is many values."))),
                }
            }
        }
    }
}

/// Compares values: `1` equals `1.0`, and true is no number.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            _ => a.to_string() == b.to_string() || a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a == b),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

fn compared(a: &Value, b: &Value, comparison: Comparison) -> Option<bool> {
    let ordering = match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?)?,
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => return None,
    };
    Some(comparison.holds(ordering))
}

fn size(value: &Value) -> Option<usize> {
    match value {
        Value::String(text) => Some(text.chars().count()),
        Value::Array(items) => Some(items.len()),
        Value::Object(fields) => Some(fields.len()),
        _ => None,
    }
}

fn is_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "text" => value.is_string(),
        "number" => value.is_number(),
        "whole number" => value.as_i64().is_some() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "flag" => value.is_boolean(),
        "list" => value.is_array(),
        _ => value.is_object(),
    }
}

fn contains(whole: &Value, part: &Value) -> bool {
    match whole {
        Value::String(text) => part.as_str().is_some_and(|part| text.contains(part)),
        Value::Array(items) => items.iter().any(|item| equal(item, part)),
        Value::Object(fields) => part.as_str().is_some_and(|name| fields.contains_key(name)),
        _ => false,
    }
}

fn texts<'a>(value: &'a Value, part: &'a Value) -> Option<(&'a str, &'a str)> {
    Some((value.as_str()?, part.as_str()?))
}

fn shown(value: &Value) -> String {
    text::cut(&text::display_line(&value.to_string()), SHOWN).into_owned()
}
