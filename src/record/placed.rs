//! Redacts secrets of recorded values that are known by their position among other values: in the column of a heading, as the
//! parameter of a statement, as an argument of a command. `base/laid.rs` finds them; `base/names.rs` and `base/forms.rs` know secret names and forms.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use crate::base::laid::{Part, may_tell, secrets};
use crate::base::redact::Redactor;
use crate::domain::call::Argument;
use crate::domain::parts::each;
use crate::domain::secret::{self, SecretType};
use crate::domain::value::Value;

/// Takes them out of a value.
pub(super) fn take_out(value: &mut Value, redactor: &mut Redactor) {
    if may_hold(value) {
        let found = secrets(&[(None, part(value, &mut 0))]);
        replace(&mut [value], found, redactor);
    }
}

/// Redacts arguments of a call that are secret because of another argument.
pub fn take_out_of_all(args: &mut [Argument], redactor: &mut Redactor) {
    if args.len() > 1 && args.iter().any(|arg| may_hold(&arg.value)) {
        let mut next = 0;
        let parts: Vec<_> = args.iter().map(|arg| (Some(arg.name.as_str()), part(&arg.value, &mut next))).collect();
        let found = secrets(&parts);
        replace(&mut args.iter_mut().map(|arg| &mut arg.value).collect::<Vec<_>>(), found, redactor);
    }
}

/// Tells, fast, whether a text in a value may make another one secret.
fn may_hold(value: &Value) -> bool {
    let mut may = false;
    value.walk(&mut |value| {
        may |= match value {
            Value::Str(text) => may_tell(text),
            Value::Bytes(bytes) => std::str::from_utf8(bytes).is_ok_and(may_tell),
            _ => false,
        };
        !may
    });
    may
}

/// Gives a value as groups of texts and numbers, which are numbered in the order in which `each` visits them.
fn part<'v>(value: &'v Value, next: &mut usize) -> Part<'v> {
    let mut own = || std::mem::replace(next, *next + 1);
    match value {
        Value::Str(text) => Part::Text(own(), text.as_str().into()),
        Value::Bytes(bytes) | Value::RawStr(bytes) => Part::Text(own(), String::from_utf8_lossy(bytes)),
        Value::Int(number) => Part::Number(own(), number.unsigned_abs()),
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) => {
            Part::Group(items.iter().map(|item| (None, part(item, next))).collect())
        }
        Value::Dict(pairs) => {
            let pair = |(key, value): &'v (Value, Value)| {
                let name = match key {
                    Value::Str(text) => Some(text.as_str()),
                    Value::Bytes(bytes) => std::str::from_utf8(bytes).ok(),
                    _ => None,
                };
                part(key, next);
                (name, part(value, next))
            };
            Part::Group(pairs.iter().map(pair).collect())
        }
        Value::Object { fields, .. } | Value::NamedTuple { fields, .. } | Value::Generator { args: fields, .. } => {
            Part::Group(named(fields, next))
        }
        Value::Sub { base, fields, .. } => {
            let base = part(base, next);
            let fields = named(fields, next);
            if fields.is_empty() { base } else { Part::Group([vec![(None, base)], fields].concat()) }
        }
        Value::New { args, kwargs: fields, .. } | Value::Exception { args, fields, .. } => {
            let args: Vec<_> = args.iter().map(|arg| (None, part(arg, next))).collect();
            // What is made of one value is like it: `deque([…])`.
            match (args.len(), fields.is_empty()) {
                (1, true) => args.into_iter().next().map_or(Part::Other, |(_, part)| part),
                _ => Part::Group([args, named(fields, next)].concat()),
            }
        }
        Value::Partial { function, args, kwargs } => {
            part(function, next);
            let args: Vec<_> = args.iter().map(|arg| (None, part(arg, next))).collect();
            Part::Group([args, named(kwargs, next)].concat())
        }
        Value::Shared(_, inner) => part(inner, next),
        // In other values, positions say nothing; their texts and numbers are counted all the same.
        _ => {
            value.walk(&mut |value| {
                *next += usize::from(is_leaf(value));
                true
            });
            Part::Other
        }
    }
}

fn named<'v>(fields: &'v [(String, Value)], next: &mut usize) -> Vec<(Option<&'v str>, Part<'v>)> {
    fields.iter().map(|(name, value)| (Some(name.as_str()), part(value, next))).collect()
}

fn is_leaf(value: &Value) -> bool {
    matches!(value, Value::Str(_) | Value::Bytes(_) | Value::RawStr(_) | Value::Int(_))
}

/// Puts secrets in the places of what was found, by the numbers of the texts.
fn replace(values: &mut [&mut Value], found: Vec<(usize, Range<usize>)>, redactor: &mut Redactor) {
    if found.is_empty() {
        return;
    }
    let found: HashMap<usize, Range<usize>> = found.into_iter().collect();
    let mut next = 0;
    for value in values {
        each(value, &mut |value| {
            if is_leaf(value) {
                if let Some(range) = found.get(&next) {
                    *value = without(value, range, redactor);
                }
                next += 1;
            }
        });
    }
}

fn without(value: &Value, range: &Range<usize>, redactor: &mut Redactor) -> Value {
    let (text, ty): (Cow<'_, str>, SecretType) = match value {
        Value::Str(text) => (text.as_str().into(), SecretType::Str),
        Value::Bytes(bytes) => (String::from_utf8_lossy(bytes), SecretType::Bytes),
        Value::RawStr(bytes) => (String::from_utf8_lossy(bytes), SecretType::Str),
        Value::Int(number) => (number.to_string().into(), SecretType::Int),
        other => return other.clone(),
    };
    let Some(held) = text.get(range.clone()).filter(|held| ty != SecretType::Int && held.len() < text.len()) else {
        return secret::by_form("assigned", redactor.number_of_placed(&text), ty, text.chars().count());
    };
    redactor.number_of_placed(held);
    let safe = [&text[..range.start], &redactor.placeholder(held, "assigned"), &text[range.end..]].concat();
    if ty == SecretType::Bytes { Value::Bytes(safe.into_bytes()) } else { Value::Str(safe) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::function::ParamKind;

    const SECRET: &str = "zQ8kd20fhWxLp1m";

    fn text(text: &str) -> Value {
        Value::Str(text.into())
    }

    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|item| text(item)).collect())
    }

    #[test]
    fn a_secret_that_another_value_tells_is_taken_out_and_equal_ones_after_it() {
        let statement = text("UPDATE u SET password = ? WHERE id = ?");
        let rows = Value::List(vec![list(&["user", "password"]), list(&["ada", SECRET])]);
        for value in [
            Value::Tuple(vec![statement.clone(), Value::Tuple(vec![text(SECRET), Value::Int(1)])]),
            Value::Dict(vec![(text("names"), list(&["user", "password"])), (text("values"), list(&["ada", SECRET]))]),
            rows.clone(),
            Value::Tuple(vec![Value::Float(1.0), Value::Dict(vec![(text("rows"), rows)])]),
            list(&["docker", "login", "-p", SECRET]),
            list(&["mysql", &format!("-p{SECRET}")]),
            Value::Tuple(vec![statement.clone(), Value::List(vec![Value::Bytes(SECRET.into()), Value::Int(1)])]),
        ] {
            let (mut cleaned, mut redactor) = (value.clone(), Redactor::default());
            take_out(&mut cleaned, &mut redactor);
            let shown = format!("{cleaned:?}");
            assert!(!shown.contains(SECRET) && !shown.contains("122, 81, 56"), "{shown}");
            assert!(redactor.was_placed(SECRET) && !redactor.was_placed("ada"));
        }
    }

    #[test]
    fn an_argument_tells_of_another_one() {
        let arg = |name: &str, value| Argument::new(name, ParamKind::PositionalOrKeyword, value);
        let statement = text("SELECT 1 FROM u WHERE name = %s AND password = %s");
        let mut args = [arg("self", Value::None), arg("sql", statement), arg("params", list(&["ada", "raclette"]))];
        take_out_of_all(&mut args, &mut Redactor::default());
        let Value::List(items) = &args[2].value else { unreachable!() };
        assert_eq!(items[0], text("ada"));
        assert!(matches!(items[1], Value::Secret { .. }), "{items:?}");
    }
}
