//! Sentences about data: `result.users has exactly 10 items`, `every result.users[*].email matches email`.
//!
//! A sentence is read only when it begins with something that is known (`result`, `error`, `steps`, `stored`, a saved name)
//! and goes on in one of the forms here. All else is free English, which rules do not guess at.

use std::cmp::Ordering;
use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use crate::base::text;
use crate::domain::verdict::{ClauseOutcome, Decided};
use crate::judge::data::path::Path;

mod failure;
mod forms;
mod path;
pub mod rules;
#[cfg(test)]
mod tests;

/// Columns of a value that are shown.
const SHOWN: usize = 120;

/// Names and what they stand for.
pub type Scope = Map<String, Value>;

/// The names of formats, and their patterns.
pub const FORMATS: [(&str, &str); 6] = forms::FORMATS;

/// Tells whether a text is the name of a format, or a pattern between slashes.
#[must_use]
pub fn is_format(text: &str) -> bool {
    forms::pattern(text).is_some()
}

/// Gives the name that a place in the data begins with: `result` of `result.users[*].id`; none where it is no such place.
#[must_use]
pub fn root(place: &str) -> Option<&str> {
    let (path, rest) = Path::take(place, &|_| true)?;
    rest.is_empty().then(|| &place[..path.root().len()])
}

/// Tells whether one value is more than the other, where they can be compared.
#[must_use]
pub fn is_above(a: &Value, b: &Value) -> Option<bool> {
    ordering(a, b).map(Ordering::is_gt)
}

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
    /// Sorted; from the most to the least where it is true.
    Ordered(bool),
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
    let sentence = sentence.trim().trim_end_matches('.').trim_end();
    let clause = forms::parse(sentence, &|name| name == "error");
    failure::parse(sentence).is_some()
        || clause.is_some_and(|clause| clause.subject.root() == "error" && clause.form != Form::Exists(false))
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
        (Form::Unique, Ok(all)) => return unique(subject, &items(subject, all)),
        (Form::Ordered(descending), Ok(all)) => return ordered(subject, &items(subject, all), *descending),
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

/// Gives the values that are looked at one by one: of one list, its items.
fn items<'a>(subject: &Path, all: &[(String, &'a Value)]) -> Vec<(String, &'a Value)> {
    match all {
        [(name, Value::Array(items))] if subject.is_single() => {
            items.iter().enumerate().map(|(at, item)| (format!("{name}[{at}]"), item)).collect()
        }
        _ => all.to_vec(),
    }
}

fn nothing_of(subject: &Path, items: &[(String, &Value)]) -> Option<String> {
    items.is_empty().then(|| format!("There is no {subject}: nothing was looked at."))
}

fn unique(subject: &Path, items: &[(String, &Value)]) -> Result<Option<String>, Refuted> {
    let mut seen: HashMap<String, &str> = HashMap::with_capacity(items.len());
    for (name, value) in items {
        if let Some(first) = seen.insert(canonical(value), name) {
            return violated(format!("{name} and {first} are both {}.", shown(value)));
        }
    }
    Ok(nothing_of(subject, items))
}

fn ordered(subject: &Path, items: &[(String, &Value)], descending: bool) -> Result<Option<String>, Refuted> {
    for pair in items.windows(2) {
        let [(first, before), (next, after)] = pair else { continue };
        let said = |why: &str| format!("{next} is {}, and {first} before it is {}.{why}", shown(after), shown(before));
        match ordering(before, after) {
            None => return violated(said(" They cannot be compared.")),
            Some(Ordering::Greater) if !descending => return violated(said("")),
            Some(Ordering::Less) if descending => return violated(said("")),
            Some(_) => {}
        }
    }
    Ok(nothing_of(subject, items))
}

/// Writes a value so that equal ones are written alike.
fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => decimal(number),
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let mut fields: Vec<(String, &Value)> =
                fields.iter().map(|(key, value)| (Value::from(key.as_str()).to_string(), value)).collect();
            fields.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            format!(
                "{{{}}}",
                fields.iter().map(|(key, value)| format!("{key}:{}", canonical(value))).collect::<Vec<_>>().join(",")
            )
        }
        other => other.to_string(),
    }
}

/// Writes a number so that equal ones are written alike: a whole one with all its digits.
fn decimal(number: &Number) -> String {
    let written = number.to_string();
    if let Some(digits) = whole(&written) {
        return digits;
    }
    match written.parse::<f64>() {
        // Every number of this size is a whole one, and is written without an exponent here.
        Ok(float) if float.is_finite() && float.fract() == 0.0 => whole(&format!("{float:.0}")).unwrap_or(written),
        Ok(float) if float.is_finite() => float.to_string(),
        _ => written,
    }
}

/// Gives a whole number without zeros in front; `-0` is 0.
fn whole(written: &str) -> Option<String> {
    let (sign, digits) = written.strip_prefix('-').map_or(("", written), |rest| ("-", rest));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { "0".into() } else { format!("{sign}{digits}") })
}

fn one(form: &Form, name: &str, value: &Value, scope: &Scope) -> Result<(), Refuted> {
    let is = || format!("{name} is {}.", shown(value));
    let check = |holds: bool| if holds { Ok(()) } else { violated(is()) };
    match form {
        Form::Exists(_) | Form::Unique | Form::Ordered(_) => Ok(()),
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
        (Value::Number(a), Value::Number(b)) => decimal(a) == decimal(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

fn compared(a: &Value, b: &Value, comparison: Comparison) -> Option<bool> {
    ordering(a, b).map(|ordering| comparison.holds(ordering))
}

fn ordering(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (decimal(a), decimal(b));
            match (whole(&a), whole(&b)) {
                (Some(a), Some(b)) => Some(of_wholes(&a, &b)),
                _ => a.parse::<f64>().ok()?.partial_cmp(&b.parse::<f64>().ok()?),
            }
        }
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// Compares whole numbers of any length.
fn of_wholes(a: &str, b: &str) -> Ordering {
    let by_digits = |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (Some(a), Some(b)) => by_digits(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => by_digits(a, b),
    }
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
