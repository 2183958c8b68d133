//! The words that a case may be called by, the most telling first: how it ends, what is special about an argument, what that
//! is, and how it compares with those of the other cases.

use crate::domain::call::{GeneratorEnd, Outcome};
use crate::domain::value::Value;
use crate::domain::way::Given;
use crate::generate::act::Target;
use crate::generate::case::{Case, CaseArgument};
use crate::generate::expect::RESULT;
use crate::generate::names::Use;
use crate::generate::names::texts::slug;
use crate::generate::names::values::{WORD_MAX, is_number, value_words};
use crate::generate::scope::snake;

/// Longer ids of rows are not read.
pub(in crate::generate) const ID_MAX: usize = 40;

/// From so many cases on one of them is the largest.
const RANKED_MIN: usize = 3;

/// Lists words for a case.
pub(super) fn of(case: &Case, all: &[&Case], purpose: Use) -> Vec<String> {
    let parts = parts(case, all);
    let mut words = Vec::new();
    let mut prefix = String::new();
    let class_is_shared = all.iter().filter(|other| other.class == case.class).count() > 1;
    match &case.outcome {
        Outcome::Raised { exception, .. } | Outcome::Yielded { end: GeneratorEnd::Raised(exception), .. }
            if purpose == Use::Tests =>
        {
            prefix = format!("raises_{}", snake(exception.type_name()));
            words.push(prefix.clone());
            prefix.push('_');
        }
        Outcome::Returned(value) if is_asserted(case) && !class_is_shared => {
            words.extend(result_word(value).filter(|_| purpose == Use::Tests || is_special(value)));
        }
        _ => {}
    }
    words.extend(parts.iter().flatten().map(|word| format!("{prefix}{word}")));
    if let (Use::Rows, Outcome::Returned(value @ (Value::Int(_) | Value::Str(_) | Value::Enum { .. }))) = (purpose, &case.outcome)
        && let Some(gives) = slug(&value.summary(WORD_MAX)).filter(|word| word.len() <= WORD_MAX)
    {
        words.push(format!("gives_{gives}"));
    }
    for (at, first) in parts.iter().enumerate() {
        for second in parts.iter().skip(at + 1) {
            if let (Some(first), Some(second)) = (first.first(), second.first()) {
                words.push(format!("{prefix}{first}_{second}"));
            }
        }
    }
    words.extend(ranks(case, all).into_iter().map(|word| format!("{prefix}{word}")));
    if let Outcome::Returned(value) = &case.outcome
        && is_asserted(case)
        && !class_is_shared
    {
        words.push(result_word(value).unwrap_or_else(|| format!("returns_{}", snake(value.type_name()))));
    }
    words
}

fn is_asserted(case: &Case) -> bool {
    !matches!(case.target, Target::Class(_)) && case.assertions.iter().any(|assertion| assertion.subject.contains(RESULT))
}

/// Lists words for each part that tells cases apart: arguments, then whether they are given, then fields of the receiver;
/// texts before numbers.
fn parts(case: &Case, all: &[&Case]) -> Vec<Vec<String>> {
    let mut parts: Vec<(bool, Vec<String>)> = Vec::new();
    for (at, arg) in case.args.iter().enumerate() {
        let value = &arg.recorded.value;
        let of_others = || all.iter().map(|other| other.args.get(at).map(|arg| &arg.recorded.value));
        if varies(value, of_others()) {
            // The name alone means `True` only if every other value is `True` or `False`.
            let is_flag = of_others().flatten().all(|other| matches!(other, Value::Bool(_)));
            let words = match value {
                Value::Bool(yes) if !is_flag => {
                    vec![format!("{}_{yes}", slug(&arg.recorded.name).unwrap_or_else(|| "value".into()))]
                }
                _ => value_words(&arg.recorded.name, value),
            };
            parts.push((is_number(value), words));
        }
    }
    parts.sort_by_key(|(number, _)| *number);
    let mut words: Vec<Vec<String>> = parts.into_iter().map(|(_, words)| words).collect();
    words.extend(given(case, all));
    for (name, value) in receiver_fields(case) {
        let of_others =
            all.iter().map(|other| receiver_fields(other).iter().find(|(known, _)| known == name).map(|(_, value)| value));
        if varies(value, of_others) {
            words.push(value_words(name, value));
        }
    }
    words.retain(|words| !words.is_empty());
    words
}

/// Says of an argument that some calls leave out whether this one does.
fn given(case: &Case, all: &[&Case]) -> Vec<Vec<String>> {
    let is_left_out = |arg: &CaseArgument| arg.recorded.given == Given::LeftOut;
    let mut words = Vec::new();
    for (at, arg) in case.args.iter().enumerate() {
        let differs = all.iter().filter_map(|other| other.args.get(at)).any(|other| is_left_out(other) != is_left_out(arg));
        let name = slug(&arg.recorded.name).filter(|_| differs && !arg.recorded.kind.is_variadic());
        words.extend(name.map(|name| vec![format!("{}_{name}", if is_left_out(arg) { "default" } else { "given" })]));
    }
    words
}

fn varies<'v>(value: &Value, mut of_others: impl Iterator<Item = Option<&'v Value>>) -> bool {
    of_others.any(|other| other.is_none_or(|other| !other.same_as(value)))
}

fn receiver_fields(case: &Case) -> &[(String, Value)] {
    match (&case.target, &case.check.1) {
        (Target::Object(_) | Target::Unbound { .. }, Value::Tuple(values)) => match values.first() {
            Some(Value::Object { fields, .. } | Value::NamedTuple { fields, .. }) => fields,
            _ => &[],
        },
        _ => &[],
    }
}

/// Says of which arguments the case has the largest or the longest, or the smallest or the shortest.
fn ranks(case: &Case, all: &[&Case]) -> Vec<String> {
    let mut words = Vec::new();
    if all.len() < RANKED_MIN {
        return words;
    }
    for (at, arg) in case.args.iter().enumerate() {
        let others =
            || all.iter().filter(|other| other.call != case.call).map(|other| other.args.get(at).map(|arg| &arg.recorded.value));
        let Some(name) = slug(&arg.recorded.name) else { continue };
        let value = &arg.recorded.value;
        for (size, most, least) in [(number as fn(&Value) -> Option<f64>, "largest", "smallest"), (length, "longest", "shortest")]
        {
            let Some(own) = size(value) else { continue };
            let sizes: Option<Vec<f64>> = others().map(|other| other.and_then(size)).collect();
            let Some(sizes) = sizes else { continue };
            if sizes.iter().all(|other| own > *other) {
                words.push(format!("{most}_{name}"));
            } else if sizes.iter().all(|other| own < *other) {
                words.push(format!("{least}_{name}"));
            }
        }
    }
    words
}

/// Gives a number for its order among others.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::New { ty, args, .. } if ty.qualname == "Decimal" => match args.first() {
            Some(Value::Str(text)) => text.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Gives the length of what has one.
fn length(value: &Value) -> Option<f64> {
    let length = match value {
        Value::Str(text) => text.chars().count(),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => items.len(),
        Value::Dict(pairs) => pairs.len(),
        _ => return None,
    };
    Some(length as f64)
}

/// Tells whether a result stands out among others: nothing, what is empty, an answer.
fn is_special(value: &Value) -> bool {
    match value {
        Value::None | Value::Bool(_) => true,
        Value::Str(text) => text.is_empty(),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => items.is_empty(),
        Value::Dict(pairs) => pairs.is_empty(),
        Value::Float(number) => number.is_nan(),
        _ => false,
    }
}

/// Says what a case returns, where that can be said in a word.
pub(super) fn result_word(value: &Value) -> Option<String> {
    let kind = match value {
        Value::None => "none".to_owned(),
        Value::Bool(true) => "true".to_owned(),
        Value::Bool(false) => "false".to_owned(),
        Value::Str(text) if text.is_empty() => "empty_string".to_owned(),
        // What reads like another value would say something else than is so.
        Value::Str(text) => {
            slug(text).filter(|word| word.len() <= WORD_MAX / 2 && !["none", "true", "false", "nan"].contains(&word.as_str()))?
        }
        Value::List(items) if items.is_empty() => "empty_list".to_owned(),
        Value::Tuple(items) if items.is_empty() => "empty_tuple".to_owned(),
        Value::Set(items) if items.is_empty() => "empty_set".to_owned(),
        Value::Dict(pairs) if pairs.is_empty() => "empty_dict".to_owned(),
        Value::Float(number) if number.is_nan() => "nan".to_owned(),
        Value::Int(number) if *number >= 0 => number.to_string(),
        Value::Int(number) => format!("minus_{}", number.unsigned_abs()),
        Value::Enum { name: Some(name), .. } => slug(name)?,
        _ => return None,
    };
    Some(format!("returns_{kind}")).filter(|word| word.len() <= WORD_MAX + "returns_".len())
}
