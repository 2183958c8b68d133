//! Where a test that somebody wrote expects of a call something else than was recorded of it.

use crate::base::text;
use crate::domain::call::{Call, Effect, Outcome};
use crate::domain::function::{Function, FunctionKind, ParamKind};
use crate::domain::value::Value;
use crate::source::claims::{self, Claim, Expected};

/// Columns of a value that is told.
const VALUE: usize = 60;

/// A test that expects something else than was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The test: `test_total`, `TestCart::test_total`.
    pub test: String,
    /// What was, and what it expects: `total([1, 2]) was 3, the test expects 4`.
    pub said: String,
}

impl Contradiction {
    /// Tells whether a test, or a row of one, is the one meant.
    #[must_use]
    pub fn is_of(&self, name: &str) -> bool {
        name.strip_prefix(self.test.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    }
}

/// Finds what tests in a text claim of a function that recorded calls deny, each claim once.
#[must_use]
pub fn contradictions(text: &str, function: &Function, calls: &[(Call, Effect)]) -> Vec<Contradiction> {
    // Of a method's object nobody can say whether it is the recorded one.
    if !matches!(function.kind, FunctionKind::Function | FunctionKind::StaticMethod) || function.is_generator {
        return Vec::new();
    }
    let mut found: Vec<Contradiction> = Vec::new();
    for claim in claims::claims(text, function.name()) {
        let recorded = calls.iter().find(|(call, _)| is_this(&claim, function, call));
        let Some(was) = recorded.and_then(|(_, effect)| denied(&claim.expected, &effect.outcome)) else { continue };
        let arg = |(name, value): &(Option<String>, Value)| {
            let value = value.summary(VALUE);
            name.as_ref().map_or_else(|| value.clone(), |name| format!("{name}={value}"))
        };
        let args: Vec<String> = claim.args.iter().map(arg).collect();
        let expected = match &claim.expected {
            Expected::Value(value) => value.summary(VALUE),
            Expected::Error(error) => error.clone(),
        };
        let said = format!("{}({}) {was}, the test expects {expected}", function.name(), args.join(", "));
        let one = Contradiction { test: claim.test, said: text::display_line(&said).into_owned() };
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// Tells whether a call was made with just these arguments.
fn is_this(claim: &Claim, function: &Function, call: &Call) -> bool {
    let mut given: Vec<(&str, &Value)> = Vec::new();
    for (at, (name, value)) in claim.args.iter().enumerate() {
        let by_place = || {
            let param = function.params.get(at)?;
            let takes = matches!(param.kind, ParamKind::PositionalOnly | ParamKind::PositionalOrKeyword);
            takes.then_some(param.name.as_str())
        };
        let Some(name) = name.as_deref().or_else(by_place) else { return false };
        given.push((name, value));
    }
    let empty = |value: &Value| {
        matches!(value, Value::Tuple(items) if items.is_empty()) || matches!(value, Value::Dict(pairs) if pairs.is_empty())
    };
    given.iter().all(|(name, _)| call.args.iter().any(|arg| arg.name == *name))
        && call.args.iter().all(|arg| {
            let default = || {
                let param = function.params.iter().find(|param| param.name == arg.name)?;
                claims::value(param.default.as_deref()?)
            };
            match arg.kind {
                ParamKind::VarPositional | ParamKind::VarKeyword => empty(&arg.value),
                _ => match given.iter().find(|(name, _)| *name == arg.name) {
                    Some((_, value)) => same(value, &arg.value) == Some(true),
                    None => default().is_some_and(|value| same(&value, &arg.value) == Some(true)),
                },
            }
        })
}

/// Says how a call ended, where that is certainly not what is expected.
fn denied(expected: &Expected, outcome: &Outcome) -> Option<String> {
    match (expected, outcome) {
        (Expected::Value(value), Outcome::Returned(was)) => {
            (same(value, was) == Some(false)).then(|| format!("was {}", was.summary(VALUE)))
        }
        (Expected::Error(_), Outcome::Returned(was)) => Some(format!("was {}", was.summary(VALUE))),
        (Expected::Value(_), Outcome::Raised { exception: Value::Exception { ty, .. }, .. }) => {
            Some(format!("raised {}", ty.short()))
        }
        // What is raised may be a kind of what is expected.
        _ => None,
    }
}

/// Tells whether Python takes two plain values for equal; `None` where they are not plain.
fn same(one: &Value, other: &Value) -> Option<bool> {
    use Value as V;
    #[allow(clippy::cast_precision_loss)] // as Python compares them, but for integers over 2^53
    let number = |value: &Value| match value {
        V::Bool(yes) => Some(f64::from(u8::from(*yes))),
        V::Int(number) => Some(*number as f64),
        V::Float(number) => Some(*number),
        _ => None,
    };
    let all = |one: &[Value], other: &[Value]| {
        let pairs: Vec<Option<bool>> = one.iter().zip(other).map(|(one, other)| same(one, other)).collect();
        match () {
            () if one.len() != other.len() || pairs.contains(&Some(false)) => Some(false),
            () if pairs.contains(&None) => None,
            () => Some(true),
        }
    };
    let within = |item: &Value, items: &[Value]| items.iter().any(|other| same(item, other) == Some(true));
    match (one, other) {
        (V::Shared(_, inner), other) | (other, V::Shared(_, inner)) => same(inner, other),
        (V::Int(one), V::Int(other)) => Some(one == other),
        (V::None, V::None) => Some(true),
        (V::Str(one), V::Str(other)) => Some(one == other),
        (V::Bytes(one), V::Bytes(other)) => Some(one == other),
        (V::List(one), V::List(other)) | (V::Tuple(one), V::Tuple(other)) => all(one, other),
        (V::Set(one) | V::FrozenSet(one), V::Set(other) | V::FrozenSet(other)) => {
            let plain = one.iter().chain(other).all(is_plain);
            plain.then(|| one.len() == other.len() && one.iter().all(|item| within(item, other)))
        }
        (V::Dict(one), V::Dict(other)) => {
            if one.len() != other.len() {
                return Some(false);
            }
            let values = one.iter().map(|(key, value)| {
                let found = other.iter().find(|(known, _)| same(key, known) == Some(true));
                found.map_or(Some(false), |(_, known)| same(value, known))
            });
            let values: Vec<Option<bool>> = values.collect();
            if values.contains(&Some(false)) { Some(false) } else { values.into_iter().collect::<Option<Vec<_>>>().map(|_| true) }
        }
        _ => match (number(one), number(other)) {
            (Some(one), Some(other)) => Some(one == other),
            _ => (is_plain(one) && is_plain(other)).then_some(false),
        },
    }
}

fn is_plain(value: &Value) -> bool {
    use Value as V;
    matches!(
        value,
        V::None
            | V::Bool(_)
            | V::Int(_)
            | V::Float(_)
            | V::Str(_)
            | V::Bytes(_)
            | V::List(_)
            | V::Tuple(_)
            | V::Dict(_)
            | V::Set(_)
            | V::FrozenSet(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_python_does() {
        let int = Value::Int;
        let str = |text: &str| Value::Str(text.into());
        assert_eq!(same(&int(1), &Value::Bool(true)), Some(true));
        assert_eq!(same(&Value::Float(3.0), &int(3)), Some(true));
        assert_eq!(same(&str("1"), &int(1)), Some(false));
        assert_eq!(same(&Value::List(vec![int(1)]), &Value::Tuple(vec![int(1)])), Some(false));
        let dict = |one: i64, other: i64| Value::Dict(vec![(str("a"), int(one)), (str("b"), int(other))]);
        let turned = Value::Dict(vec![(str("b"), int(2)), (str("a"), int(1))]);
        assert_eq!((same(&dict(1, 2), &turned), same(&dict(1, 3), &turned)), (Some(true), Some(false)));
        assert_eq!(same(&Value::Set(vec![int(1), int(2)]), &Value::FrozenSet(vec![int(2), int(1)])), Some(true));
        assert_eq!(same(&int(1), &Value::Ref(3)), None, "nobody can say");
        assert_eq!(same(&Value::List(vec![int(1), Value::Ref(3)]), &Value::List(vec![int(2), int(1)])), Some(false));
    }
}
