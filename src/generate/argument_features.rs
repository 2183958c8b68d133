//! Features of the arguments of a case: signs, kinds and sizes of values. Of cases that run the same lines, one with
//! `2 + 1 * 5` says more than one with `50`.

use std::collections::BTreeSet;

use crate::base::hash;
use crate::domain::value::Value;
use crate::domain::way::Given;
use crate::generate::case::Case;

/// So deep values are looked into.
const DEPTH: usize = 3;

/// So many items of a container are looked at.
const ITEMS: usize = 20;

/// A text of more characters counts as long.
const SHORT: usize = 12;

/// Gives a number for each thing that a case shows in its arguments.
#[must_use]
pub fn of(case: &Case) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for (at, arg) in case.args.iter().enumerate() {
        let mut note = |what: &str| {
            found.insert(u32::try_from(hash::of(format!("{at} {what}").as_bytes()).0 & u64::from(u32::MAX)).unwrap_or_default());
        };
        if arg.recorded.given == Given::LeftOut {
            note("left out");
        } else {
            look(&arg.recorded.value, DEPTH, &mut note);
        }
    }
    found
}

fn look(value: &Value, depth: usize, note: &mut impl FnMut(&str)) {
    match value {
        Value::None => note("None"),
        Value::Bool(yes) => note(if *yes { "True" } else { "False" }),
        Value::Int(number) => note(match number {
            ..0 => "negative",
            0 => "zero",
            1 => "one",
            _ => "number",
        }),
        Value::Float(number) if number.fract() != 0.0 => note(if *number < 0.0 { "negative fraction" } else { "fraction" }),
        Value::Float(number) => note(if *number < 0.0 { "negative" } else { "number" }),
        Value::Str(text) => look_at_text(text, note),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            size(value.type_name(), items.len(), note);
            if items.iter().take(ITEMS).enumerate().any(|(at, item)| items[..at].contains(item)) {
                note("repeated");
            }
            items.iter().take(ITEMS).filter(|_| depth > 0).for_each(|item| look(item, depth - 1, note));
        }
        Value::Dict(pairs) => {
            size("dict", pairs.len(), note);
            pairs.iter().take(ITEMS).filter(|_| depth > 0).for_each(|(_, held)| look(held, depth - 1, note));
        }
        other => {
            note(other.type_name());
            other.children().iter().take(ITEMS).filter(|_| depth > 0).for_each(|(_, held)| look(held, depth - 1, note));
        }
    }
}

fn look_at_text(text: &str, note: &mut impl FnMut(&str)) {
    for c in text.chars() {
        match c {
            'a'..='z' => note("letters"),
            'A'..='Z' => note("capitals"),
            '0'..='9' => note("digits"),
            c if c.is_ascii() => note(c.encode_utf8(&mut [0; 4])),
            _ => note("other letters"),
        }
    }
    note(match text.chars().count() {
        0 => "empty text",
        1..=SHORT => "short text",
        _ => "long text",
    });
}

fn size(kind: &str, count: usize, note: &mut impl FnMut(&str)) {
    note(&format!("{kind} of {}", count.min(2)));
}
