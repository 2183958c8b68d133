//! R24: names of tests and ids of rows, made from what tells the cases of a function apart. Words for a single value are
//! `names/values.rs`.

mod values;

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::call::{GeneratorEnd, Outcome};
use crate::domain::function::{Function, Module};
use crate::domain::value::Value;
use crate::generate::act::Target;
use crate::generate::case::Case;
use crate::generate::expect::RESULT;
use crate::generate::names::values::{WORD_MAX, is_number, slug, value_words};
use crate::generate::scope::snake;

/// Names the tests of a function: `test_total`, `test_cart_total`; distinct for all functions of a module.
#[must_use]
pub fn stem(function: &Function, module: Option<&Module>) -> String {
    let others = || {
        module.into_iter().flat_map(|module| &module.functions).filter(|other| other.id != function.id && !other.is_overload())
    };
    let only = !others().any(|other| other.written() == function.written());
    let qualname = if only { function.written() } else { function.id.qualname() };
    let own = slug_of(qualname, "_");
    let twin = others().any(|other| slug_of(other.id.qualname(), "_") == own);
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
        let others = module.functions.iter().filter(|other| !other.is_overload());
        others.map(|other| format!("test_{}", slug_of(other.id.qualname(), "_"))).any(|other| {
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
        let of_others = || all.iter().map(|other| other.args.get(at).map(|arg| &arg.recorded.value));
        if varies(value, of_others()) {
            // A name stands for `True` alone where there is nothing but `True` and `False` beside it.
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

#[cfg(test)]
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
    fn a_result_is_said_in_a_word_or_not_at_all() {
        assert_eq!(result_word(&Value::Int(-3)).as_deref(), Some("returns_minus_3"));
        assert_eq!(result_word(&Value::Str("None".into())), None, "it would read like another value");
    }
}
