//! Placeholders for what is not compared of a call's outcome, and the list of these parts.

use crate::domain::call::{Effect, GeneratorEnd, ITS_SIDE_EFFECTS, Outcome};
use crate::domain::value::{TypeName, Value};

/// Replaces the part of a text that differs from run to run.
pub const GAP: &str = "⋯";

const VARIES: &str = "varies";
const FOREIGN: &str = "foreign";

/// Makes the placeholder of a part that differs from run to run.
#[must_use]
pub fn varying() -> Value {
    placeholder(VARIES)
}

/// Makes the placeholder of the inside of another package's object.
#[must_use]
pub fn foreign() -> Value {
    placeholder(FOREIGN)
}

fn placeholder(name: &str) -> Value {
    Value::Opaque { ordinal: 0, ty: TypeName::new("", name) }
}

/// Tells whether a value is the placeholder of a part that differs from run to run.
#[must_use]
pub fn is_varying(value: &Value) -> bool {
    is_placeholder(value, VARIES)
}

/// Tells whether a value is the placeholder of any part that is not compared.
#[must_use]
pub fn is_left_out(value: &Value) -> bool {
    is_varying(value) || is_placeholder(value, FOREIGN)
}

fn is_placeholder(value: &Value, name: &str) -> bool {
    matches!(value, Value::Opaque { ty, .. } if ty.module.is_empty() && ty.qualname == name)
}

/// Lists the parts of an outcome that differ from run to run and are not compared: `result['token']`, `statements[1]`.
#[must_use]
pub fn parts(effect: &Effect) -> Vec<String> {
    let mut found = Vec::new();
    match &effect.outcome {
        Outcome::Returned(value) => list("result", value, &mut found),
        Outcome::Raised { exception, .. } => list("exception", exception, &mut found),
        Outcome::Yielded { items, end } => {
            for (at, item) in items.iter().enumerate() {
                list(&format!("item {at}"), item, &mut found);
            }
            if let GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value) = end {
                list("its end", value, &mut found);
            }
        }
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => {}
    }
    for (name, value) in &effect.changed {
        match value {
            Value::Dict(kinds) if name == ITS_SIDE_EFFECTS => {
                for (kind, value) in kinds {
                    list(if let Value::Str(kind) = kind { kind } else { name }, value, &mut found);
                }
            }
            value => list(name, value, &mut found),
        }
    }
    found
}

fn list(path: &str, value: &Value, found: &mut Vec<String>) {
    let has_gap = match value {
        Value::Str(text) => text.contains(GAP),
        Value::Bytes(bytes) => bytes.windows(GAP.len()).any(|window| window == GAP.as_bytes()),
        _ => false,
    };
    if has_gap || is_varying(value) {
        found.push(path.to_owned());
        return;
    }
    for (step, part) in value.children() {
        list(&format!("{path}{step}"), part, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_that_are_not_compared_are_listed_with_their_places() {
        let text = |text: &str| Value::Str(text.into());
        let dict = |pairs: Vec<(&str, Value)>| Value::Dict(pairs.into_iter().map(|(key, value)| (text(key), value)).collect());
        let effect = Effect {
            outcome: Outcome::Returned(dict(vec![("id", varying()), ("name", text("Ada")), ("page", text("a ⋯ z"))])),
            changed: vec![
                ("self".into(), Value::List(vec![Value::Int(1), foreign(), varying()])),
                (ITS_SIDE_EFFECTS.into(), dict(vec![("log", Value::List(vec![text("at ⋯")]))])),
            ],
        };
        assert_eq!(parts(&effect), ["result['id']", "result['page']", "self[2]", "log[0]"]);
        let items = Outcome::Yielded { items: vec![Value::Int(1), varying()], end: GeneratorEnd::Raised(varying()) };
        assert_eq!(parts(&Effect { outcome: items, changed: vec![] }), ["item 1", "its end"]);
    }
}
