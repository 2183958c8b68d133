//! A hash of values. Equal values have equal hashes, so that a value is found among many without comparing it with all of them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use crate::domain::secret;
use crate::domain::value::Value;

/// Gives the hash of a value. Two values without a [`Value::first_difference`] have the same one.
#[must_use]
pub fn of(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    add(value, &mut hasher);
    hasher.finish()
}

/// Hashes what equal values share: not the numbers of objects, nor the order of sets.
fn add(value: &Value, to: &mut DefaultHasher) {
    // A secret and what stands in its place are the same.
    let is_secret = match value {
        Value::Secret { .. } => true,
        Value::Str(text) => secret::is_stand_in(text),
        Value::Bytes(bytes) => std::str::from_utf8(bytes).is_ok_and(secret::is_stand_in),
        _ => false,
    };
    if is_secret {
        return "secret".hash(to);
    }
    std::mem::discriminant(value).hash(to);
    match value {
        Value::Bool(is) => is.hash(to),
        Value::Int(number) => number.hash(to),
        Value::Float(number) if !number.is_nan() => number.to_bits().hash(to),
        Value::BigInt(text) => text.hash(to),
        Value::Str(text) => secret::unnumbered(text).as_ref().unwrap_or(text).hash(to),
        Value::Bytes(bytes) => secret::unnumbered_bytes(bytes).as_ref().unwrap_or(bytes).hash(to),
        Value::RawStr(bytes) => bytes.hash(to),
        Value::Name(ty) | Value::Opaque { ty, .. } | Value::New { ty, .. } | Value::Exception { ty, .. } => ty.hash(to),
        Value::Set(items) | Value::FrozenSet(items) => items.len().hash(to),
        Value::List(items) | Value::Tuple(items) => items.iter().for_each(|item| add(item, to)),
        Value::Dict(pairs) => pairs.iter().for_each(|(key, value)| {
            add(key, to);
            add(value, to);
        }),
        Value::Object { ty, fields, .. } => {
            ty.hash(to);
            fields.iter().for_each(|(name, value)| {
                name.hash(to);
                add(value, to);
            });
        }
        Value::Shared(_, value) => add(value, to),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::value::{ObjectKind, TypeName};

    fn cart(ordinal: u64, held: Value) -> Value {
        let fields = vec![("items".to_owned(), held), ("again".to_owned(), Value::Ref(ordinal))];
        Value::Object { ordinal, ty: TypeName::new("shop", "Cart"), kind: ObjectKind::Plain, fields }
    }

    #[test]
    fn what_does_not_differ_has_the_same_number() {
        let secret = Value::Secret { kind: "token".into(), ordinal: 3, look: None };
        let same = [
            (cart(1, Value::Int(1)), cart(7, Value::Int(1))),
            (Value::Set(vec![Value::Int(1), Value::Int(2)]), Value::Set(vec![Value::Int(2), Value::Int(1)])),
            (secret, Value::Str("[REDACTED:token]".into())),
            (Value::Float(f64::NAN), Value::Float(-f64::NAN)),
            (Value::Shared(1, Box::new(Value::List(vec![]))), Value::Shared(4, Box::new(Value::List(vec![])))),
        ];
        for (one, other) in same {
            assert_eq!(one.first_difference(&other), None);
            assert_eq!(of(&one), of(&other), "{one:?}");
        }
    }

    #[test]
    fn what_differs_is_told_apart_by_all_that_an_object_holds() {
        let others = [cart(1, Value::Int(2)), cart(1, Value::Bool(true)), Value::Int(1), Value::Float(0.0), Value::Float(-0.0)];
        let numbers: std::collections::BTreeSet<u64> = others.iter().chain([&cart(1, Value::Int(1))]).map(of).collect();
        assert_eq!(numbers.len(), others.len() + 1);
    }
}
