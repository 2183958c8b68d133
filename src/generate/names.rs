//! R24: names of tests and ids of rows, made from what tells the cases of a function apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::Outcome;
use crate::domain::function::{Function, Module};
use crate::domain::value::Value;
use crate::generate::cases::Case;
use crate::generate::scope::snake;

/// Longer words tell nothing more.
const WORD_MAX: usize = 24;

/// Names the tests of a function: `test_total`, `test_cart_total`; distinct for all functions of a module.
#[must_use]
pub fn stem(function: &Function, module: Option<&Module>) -> String {
    let own = slug_of(function.id.qualname(), "_");
    let twin = module.is_some_and(|module| {
        module.functions.iter().any(|other| other.id != function.id && slug_of(other.id.qualname(), "_") == own)
    });
    let parts = if twin && function.id.qualname().contains('.') { slug_of(function.id.qualname(), "__") } else { own };
    format!("test_{parts}")
}

/// Joins the stem and what tells a test apart; two underscores where one would look like another function's test.
#[must_use]
pub fn name(stem: &str, what: &str, module: Option<&Module>) -> String {
    if what.is_empty() {
        return stem.to_owned();
    }
    let plain = format!("{stem}_{what}");
    let confused = module.is_some_and(|module| {
        module.functions.iter().map(|other| format!("test_{}", slug_of(other.id.qualname(), "_"))).any(|other| {
            other.len() > stem.len() && other.starts_with(stem) && (plain == other || plain.starts_with(&format!("{other}_")))
        })
    });
    if confused { format!("{stem}__{what}") } else { plain }
}

fn slug_of(qualname: &str, joint: &str) -> String {
    let qualname = qualname.split('#').next().unwrap_or(qualname);
    let parts: Vec<String> = qualname.split('.').map(|part| snake(part.trim_matches('_'))).collect();
    parts.join(joint)
}

/// Finds a word for each case, each different from the others.
#[must_use]
pub fn words(cases: &[&Case]) -> Vec<String> {
    let candidates: Vec<Vec<String>> = cases.iter().map(|case| candidates(case, cases)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for list in &candidates {
        for word in list.iter().collect::<BTreeSet<_>>() {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut used = BTreeSet::new();
    let mut out = Vec::new();
    for list in &candidates {
        let alone = list.iter().find(|word| counts.get(word.as_str()) == Some(&1) && !used.contains(*word));
        let word = alone.or_else(|| list.iter().find(|word| !used.contains(*word))).or(list.first());
        let word = word.cloned().unwrap_or_else(|| "case".into());
        let mut unique = word.clone();
        let mut number = 1;
        while !used.insert(unique.clone()) {
            number += 1;
            unique = format!("{word}_{number}");
        }
        out.push(unique);
    }
    out
}

/// Lists words for a case, the most telling first.
fn candidates(case: &Case, all: &[&Case]) -> Vec<String> {
    let varies = |at: usize| {
        all.iter().any(|other| match (other.args.get(at), case.args.get(at)) {
            (Some(a), Some(b)) => a.recorded.value.first_difference(&b.recorded.value).is_some(),
            _ => true,
        })
    };
    let mut of_args = Vec::new();
    for (at, arg) in case.args.iter().enumerate() {
        if varies(at) {
            of_args.extend(value_words(&arg.recorded.name, &arg.recorded.value));
        }
    }
    let mut words = Vec::new();
    match &case.outcome {
        Outcome::Raised { exception, .. } => {
            let raises = format!("raises_{}", snake(exception.type_name()));
            words.push(raises.clone());
            words.extend(of_args.iter().map(|word| format!("{raises}_{word}")));
        }
        Outcome::Returned(value) => {
            let shared = all.iter().filter(|other| other.class == case.class).count() > 1;
            let outcome = result_word(value);
            if let Some(word) = &outcome
                && !shared
            {
                words.push(word.clone());
            }
            words.extend(of_args.iter().cloned());
            words.extend(outcome.filter(|_| shared));
        }
        _ => words.extend(of_args.iter().cloned()),
    }
    if let [first, second, ..] = of_args.as_slice() {
        words.push(format!("{first}_{second}"));
    }
    words
}

fn result_word(value: &Value) -> Option<String> {
    let kind = match value {
        Value::None => "none",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Str(text) if text.is_empty() => "empty_string",
        Value::List(items) if items.is_empty() => "empty_list",
        Value::Tuple(items) if items.is_empty() => "empty_tuple",
        Value::Set(items) if items.is_empty() => "empty_set",
        Value::Dict(pairs) if pairs.is_empty() => "empty_dict",
        Value::Float(number) if number.is_nan() => "nan",
        Value::Enum { name: Some(name), .. } => return slug(name).map(|name| format!("returns_{name}")),
        _ => return None,
    };
    Some(format!("returns_{kind}"))
}

/// Lists words for an argument, from the general to the particular.
fn value_words(param: &str, value: &Value) -> Vec<String> {
    let param = slug(param).unwrap_or_else(|| "value".into());
    match value {
        Value::None => vec![format!("without_{param}")],
        Value::Bool(true) => vec![param],
        Value::Bool(false) => vec![format!("not_{param}")],
        Value::Int(number) => number_words(&param, &number.to_string()),
        Value::Float(number) if number.is_nan() => vec![format!("nan_{param}")],
        Value::Float(number) if number.is_infinite() => vec![format!("infinite_{param}")],
        Value::Float(number) => number_words(&param, &number.to_string()),
        Value::New { ty, args, .. } if matches!(ty.qualname.as_str(), "Decimal" | "Fraction") => match args.first() {
            Some(Value::Str(text)) => number_words(&param, text),
            _ => vec![param],
        },
        Value::New { ty, .. } | Value::Object { ty, .. } | Value::Sub { ty, .. } | Value::NamedTuple { ty, .. } => {
            vec![snake(ty.short())]
        }
        Value::Str(text) => text_words(&param, text),
        Value::Enum { name: Some(name), .. } => {
            slug(name).into_iter().flat_map(|name| [name.clone(), format!("{param}_{name}")]).collect()
        }
        Value::Name(ty) => vec![snake(ty.short())],
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => size_words(&param, items.len()),
        Value::Dict(pairs) => size_words(&param, pairs.len()),
        Value::Shared(_, value) => value_words(&param, value),
        Value::Bytes(bytes) if bytes.is_empty() => vec![format!("empty_{param}")],
        other => slug(other.type_name()).map(|kind| format!("{param}_{kind}")).into_iter().collect(),
    }
}

fn number_words(param: &str, text: &str) -> Vec<String> {
    let negative = text.starts_with('-');
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    let exact = slug(text.trim_start_matches('-')).unwrap_or_default();
    match (zero, negative) {
        (true, _) => vec![format!("zero_{param}"), format!("{param}_{exact}")],
        (false, true) => vec![format!("negative_{param}"), format!("{param}_minus_{exact}")],
        (false, false) => vec![format!("{param}_{exact}")],
    }
}

fn text_words(param: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return vec![format!("empty_{param}")];
    }
    if text.trim().is_empty() {
        return vec![format!("blank_{param}")];
    }
    if !text.is_ascii() {
        return vec![format!("unicode_{param}")];
    }
    match slug(text) {
        Some(word) if word.len() <= WORD_MAX && !word.starts_with(|c: char| c.is_ascii_digit()) => {
            vec![word.clone(), format!("{param}_{word}")]
        }
        Some(word) if word.len() <= WORD_MAX => vec![format!("{param}_{word}")],
        _ => vec![format!("long_{param}")],
    }
}

fn size_words(param: &str, size: usize) -> Vec<String> {
    match size {
        0 => vec![format!("empty_{param}")],
        1 => vec![format!("one_in_{param}")],
        2 => vec![format!("two_in_{param}")],
        3 => vec![format!("three_in_{param}")],
        size => vec![format!("{size}_in_{param}")],
    }
}

/// Writes a text as part of a name; `None` when nothing is left of it.
fn slug(text: &str) -> Option<String> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    (!words.is_empty()).then(|| words.join("_"))
}
