//! Which cases are worth a reader's time (R20–R22): one of each kind of outcome first, direct and short ones before others.

use std::collections::BTreeMap;

use crate::base::hash::Digest;
use crate::domain::call::{GeneratorEnd, Outcome};
use crate::domain::proposal::LeftOut;
use crate::domain::value::Value;
use crate::generate::cases::{Case, Ending};

/// R21: the kind of outcome.
#[must_use]
pub fn class(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(value) => format!("returns {}", value_class(value)),
        Outcome::Raised { exception, .. } => format!("raises {}", exception.type_name()),
        Outcome::Yielded { items, end } => {
            let end = match end {
                GeneratorEnd::Returned(_) => "ends",
                GeneratorEnd::Raised(_) => "raises",
                GeneratorEnd::Open => "goes on",
            };
            format!("yields {} {end}", if items.is_empty() { "nothing" } else { "items" })
        }
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => "does not end".into(),
    }
}

fn value_class(value: &Value) -> String {
    let sign = |negative: bool, zero: bool| {
        if zero {
            "0"
        } else if negative {
            "<0"
        } else {
            ">0"
        }
    };
    match value {
        Value::None => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(number) => format!("int{}", sign(*number < 0, *number == 0)),
        Value::Float(number) if number.is_nan() => "nan".into(),
        Value::Float(number) => format!("float{}", sign(*number < 0.0, *number == 0.0)),
        Value::Str(text) => format!("str {}", if text.is_empty() { "empty" } else { "full" }),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            format!("{} {}", value.type_name(), if items.is_empty() { "empty" } else { "full" })
        }
        Value::Dict(pairs) => format!("dict {}", if pairs.is_empty() { "empty" } else { "full" }),
        Value::New { ty, args, .. } if ty.qualname == "Decimal" => match args.first() {
            Some(Value::Str(text)) => {
                format!("Decimal{}", sign(text.starts_with('-'), !text.contains(|c: char| ('1'..='9').contains(&c))))
            }
            _ => "Decimal".into(),
        },
        Value::Enum { name, .. } => format!("{} {}", value.type_name(), name.as_deref().unwrap_or_default()),
        Value::Shared(_, value) => value_class(value),
        other => other.type_name().to_owned(),
    }
}

/// Chooses cases: one of each kind of outcome first, direct calls before internal ones, short ones before long ones.
///
/// What is not chosen is counted with its reason.
#[must_use]
pub fn choose(cases: Vec<Case>, most: usize) -> (Vec<Case>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let cases = without_contradictions(cases, &mut left_out);
    let mut classes: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases {
        classes.entry(case.class.clone()).or_default().push(case);
    }
    for group in classes.values_mut() {
        group.sort_by_key(|case| (!case.direct, case.weight(), case.call));
        group.reverse();
    }
    let mut chosen = Vec::new();
    while chosen.len() < most {
        let before = chosen.len();
        for group in classes.values_mut() {
            if chosen.len() < most {
                chosen.extend(group.pop());
            }
        }
        if chosen.len() == before {
            break;
        }
    }
    let rest: u64 = classes.values().flatten().map(|case| case.times).sum();
    if rest > 0 {
        left_out.push(LeftOut { calls: rest, reason: format!("more of the same kinds: at most {most} cases a function") });
    }
    chosen.sort_by_key(|case| (!matches!(case.ending, Ending::Returns), case.call));
    (chosen, left_out)
}

/// Merges equal inputs; drops inputs that ended in different ways (R18).
fn without_contradictions(cases: Vec<Case>, left_out: &mut Vec<LeftOut>) -> Vec<Case> {
    let mut by_input: BTreeMap<(Digest, String), Vec<Case>> = BTreeMap::new();
    for case in cases {
        // Recordings that number objects differently still mean the same input.
        by_input.entry((case.input, case.check.0.clone())).or_default().push(case);
    }
    let mut kept = Vec::new();
    let mut unstable = 0;
    for (_, mut group) in by_input {
        group.sort_by_key(|case| case.call);
        let same = group.windows(2).all(|pair| pair[0].assertions == pair[1].assertions && pair[0].ending == pair[1].ending);
        let times: u64 = group.iter().map(|case| case.times).sum();
        if !same {
            unstable += times;
            continue;
        }
        if let Some(first) = group.into_iter().next() {
            kept.push(Case { times, ..first });
        }
    }
    if unstable > 0 {
        left_out.push(LeftOut { calls: unstable, reason: "the same input ended in different ways".into() });
    }
    kept.sort_by_key(|case| case.call);
    kept
}
