//! R24: names of tests and ids of rows, made from what tells the cases of a function apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::{GeneratorEnd, Outcome};
use crate::domain::function::{Function, Module};
use crate::domain::value::{Value, python_float};
use crate::generate::act::Target;
use crate::generate::cases::Case;
use crate::generate::expect::RESULT;
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
    let qualname = function.id.qualname();
    let joint = if twin && qualname.contains('.') { "__" } else { "_" };
    // A public function and its private helper of the same name.
    if twin && function.is_private() {
        let (owner, name) = qualname
            .rsplit_once('.')
            .map_or((String::new(), qualname), |(owner, name)| (format!("{}{joint}", slug_of(owner, joint)), name));
        return format!("test_{owner}private_{}", slug_of(name, joint));
    }
    format!("test_{}", slug_of(qualname, joint))
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
    let (qualname, twin) = qualname.split_once('#').map_or((qualname, None), |(name, number)| (name, Some(number)));
    let mut parts: Vec<String> = qualname.split('.').map(|part| snake(part.trim_matches('_'))).collect();
    if let Some(last) = parts.last_mut()
        && let Some(number) = twin
    {
        last.push_str(&format!("_{number}"));
    }
    parts.join(joint)
}

/// What words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Names of tests: they say how a case ends.
    Tests,
    /// Ids of rows, which all end in one way.
    Rows,
}

/// Finds a word for each case, each different from the others.
#[must_use]
pub fn words(cases: &[&Case], purpose: Use) -> Vec<String> {
    let candidates: Vec<Vec<String>> = cases.iter().map(|case| candidates(case, cases, purpose)).collect();
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
        let word = alone.or(list.first()).cloned().unwrap_or_else(|| "case".into());
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
fn candidates(case: &Case, all: &[&Case], purpose: Use) -> Vec<String> {
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
        Outcome::Returned(value) if is_asserted(case) && !class_is_shared && purpose == Use::Tests => {
            words.extend(result_word(value));
        }
        _ => {}
    }
    words.extend(parts.iter().flatten().map(|word| format!("{prefix}{word}")));
    if let (Use::Rows, Outcome::Returned(Value::Int(_) | Value::Str(_) | Value::Enum { .. })) = (purpose, &case.outcome)
        && let Outcome::Returned(value) = &case.outcome
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

/// Lists words for each part that tells cases apart: arguments, then fields of the receiver; texts before numbers.
fn parts(case: &Case, all: &[&Case]) -> Vec<Vec<String>> {
    let mut parts: Vec<(bool, Vec<String>)> = Vec::new();
    for (at, arg) in case.args.iter().enumerate() {
        let value = &arg.recorded.value;
        if varies(value, all.iter().map(|other| other.args.get(at).map(|arg| &arg.recorded.value))) {
            parts.push((is_number(value), value_words(&arg.recorded.name, value)));
        }
    }
    parts.sort_by_key(|(number, _)| *number);
    let mut words: Vec<Vec<String>> = parts.into_iter().map(|(_, words)| words).collect();
    for (name, value) in receiver_fields(case) {
        let of_others =
            all.iter().map(|other| receiver_fields(other).iter().find(|(known, _)| known == name).map(|(_, value)| value));
        if varies(value, of_others) {
            words.push(value_words(name, value));
        }
    }
    words
}

fn varies<'v>(value: &Value, mut of_others: impl Iterator<Item = Option<&'v Value>>) -> bool {
    of_others.any(|other| other.is_none_or(|other| other.first_difference(value).is_some()))
}

fn is_number(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => true,
        Value::New { ty, .. } => matches!(ty.qualname.as_str(), "Decimal" | "Fraction"),
        _ => false,
    }
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

/// Says what a case returns, where that can be said in a word.
fn result_word(value: &Value) -> Option<String> {
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
        Value::Float(number) => number_words(&param, &python_float(*number)),
        Value::BigInt(digits) => number_words(&param, digits),
        Value::New { ty, args, .. } if matches!(ty.qualname.as_str(), "Decimal" | "Fraction") => match args.first() {
            Some(Value::Str(text)) => number_words(&param, text),
            _ => vec![param],
        },
        // A lambda, by its text.
        Value::New { ty, .. } if ty.qualname == "eval" => vec![format!("with_{param}")],
        Value::New { ty, args, .. } => {
            let class = snake(ty.short());
            let content = content_slug(args).map(|content| format!("{class}_{content}"));
            [Some(class), content].into_iter().flatten().collect()
        }
        Value::Object { ty, fields, .. } | Value::NamedTuple { ty, fields } => {
            let mut words = vec![snake(ty.short())];
            words.extend(fields.iter().filter(|(_, value)| is_plain(value)).flat_map(|(name, value)| value_words(name, value)));
            words
        }
        Value::Sub { ty, .. } => vec![snake(ty.short())],
        Value::Str(text) => text_words(&param, text),
        Value::Enum { name: Some(name), .. } => {
            slug(name).into_iter().flat_map(|name| [name.clone(), format!("{param}_{name}")]).collect()
        }
        Value::Name(ty) => vec![snake(ty.short())],
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            let mut words: Vec<String> = Vec::new();
            if items.len() > 1 {
                words.extend(content_slug(items));
            }
            words.extend(size_words(&param, items.len(), value));
            if let [one] = items.as_slice() {
                words.extend(content_words(&param, one));
            }
            words
        }
        Value::Dict(pairs) => {
            let mut words: Vec<String> = Vec::new();
            if pairs.len() > 1 {
                let keys: Vec<Value> = pairs.iter().map(|(key, _)| key.clone()).collect();
                words.extend(content_slug(&keys));
            }
            words.extend(size_words(&param, pairs.len(), value));
            if let [(key, one)] = pairs.as_slice() {
                words.extend(content_words(&key.summary(WORD_MAX), one));
            }
            words
        }
        Value::Shared(_, value) => value_words(&param, value),
        // The same object as another argument.
        Value::Ref(_) => Vec::new(),
        Value::Bytes(bytes) if bytes.is_empty() => vec![format!("empty_{param}")],
        other => slug(other.type_name()).map(|kind| format!("{param}_{kind}")).into_iter().collect(),
    }
}

fn number_words(param: &str, text: &str) -> Vec<String> {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return slug(text).map(|word| format!("{word}_{param}")).into_iter().collect();
    }
    let negative = text.starts_with('-');
    let zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    let exact = slug(text.trim_start_matches('-')).unwrap_or_default();
    if exact.len() > WORD_MAX {
        return vec![format!("{}_{param}", if negative { "negative" } else { "large" })];
    }
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
        Some(word) => {
            let mut words = vec![format!("long_{param}")];
            // Its beginning, up to where a word ends.
            let fits = word.match_indices('_').map(|(at, _)| at).rfind(|at| *at <= WORD_MAX);
            words.extend(fits.map(|at| format!("{param}_{}", &word[..at])));
            words
        }
        None => vec![format!("{param}_of_signs")],
    }
}

/// Tells whether a value is read at a glance.
fn is_plain(value: &Value) -> bool {
    matches!(value, Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Enum { .. })
}

/// Writes a few plain values as part of a name: `1_2_none`.
fn content_slug(items: &[Value]) -> Option<String> {
    const ITEMS: usize = 4;
    if items.is_empty() || items.len() > ITEMS || !items.iter().all(is_plain) {
        return None;
    }
    let texts: Vec<String> = items
        .iter()
        .map(|item| match item {
            Value::Str(text) => slug(text),
            Value::Int(number) if *number < 0 => Some(format!("minus_{}", number.unsigned_abs())),
            Value::Float(number) => {
                let digits = python_float(number.abs());
                let digits = slug(digits.strip_suffix(".0").unwrap_or(&digits));
                digits.map(|digits| if *number < 0.0 { format!("minus_{digits}") } else { digits })
            }
            Value::Enum { name, .. } => slug(name.as_deref()?),
            other => slug(&other.summary(WORD_MAX)),
        })
        .collect::<Option<_>>()?;
    Some(texts.join("_")).filter(|word| word.len() <= WORD_MAX * 2 / 3)
}

/// Lists words for the only item of a container.
fn content_words(param: &str, value: &Value) -> Vec<String> {
    match value {
        Value::Object { fields, .. } | Value::NamedTuple { fields, .. } => {
            fields.first().map(|(name, value)| content_words(name, value)).unwrap_or_default()
        }
        scalar if scalar.children().is_empty() || is_number(scalar) => value_words(param, scalar),
        _ => Vec::new(),
    }
}

fn size_words(param: &str, size: usize, value: &Value) -> Vec<String> {
    const NUMBERS: [&str; 13] =
        ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    if size == 0 {
        return vec![format!("empty_{param}"), format!("empty_{}", value.type_name())];
    }
    match NUMBERS.get(size) {
        Some(number) => vec![format!("{number}_in_{param}")],
        None => vec![format!("{size}_in_{param}")],
    }
}

/// Writes a text as part of a name; `None` when nothing is left of it.
fn slug(text: &str) -> Option<String> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    (!words.is_empty()).then(|| words.join("_"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::source::index::Index;

    #[test]
    fn functions_whose_names_read_alike_have_tests_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let source = "class Stats:\n    def quantile(self): pass\n    def _quantile(self): pass\n\ndef stats_quantile(): pass\n\ndef _load(): pass\n\ndef load(): pass\n";
        std::fs::write(folder.path().join("m.py"), source).unwrap();
        let index = Index::build(folder.path(), &[], &|_, _| {});
        let module = index.modules().next().unwrap();
        let stems: BTreeSet<String> = module.functions.iter().map(|function| stem(function, Some(module))).collect();
        let expected =
            ["test_load", "test_private_load", "test_stats__private_quantile", "test_stats__quantile", "test_stats_quantile"];
        assert_eq!(stems.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_say_what_is_special_about_a_value() {
        let text = |text: &str| Value::Str(text.into());
        let ints = |numbers: &[i64]| Value::List(numbers.iter().map(|n| Value::Int(*n)).collect());
        for (value, words) in [
            (ints(&[1, -2]), &["1_minus_2", "two_in_x"][..]),
            (ints(&[1, 2, 3, 4, 5]), &["five_in_x"]),
            (Value::List(vec![Value::Float(0.5), Value::Float(2.0), Value::None]), &["0_5_2_none", "three_in_x"]),
            (Value::Dict(vec![(text("a b"), Value::None), (text("c"), Value::None)]), &["a_b_c", "two_in_x"]),
            (text("the quick brown fox jumps over"), &["long_x", "x_the_quick_brown_fox"]),
            (text("?!"), &["x_of_signs"]),
        ] {
            assert_eq!(value_words("x", &value), words, "{value:?}");
        }
        assert_eq!(result_word(&Value::Int(-3)).as_deref(), Some("returns_minus_3"));
        assert_eq!(result_word(&text("None")), None, "it would read like another value");
    }
}
