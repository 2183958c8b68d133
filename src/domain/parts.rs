//! The parts of a value, to be changed where they stand; [`Value::walk`] only looks at them.

use crate::domain::value::{TypeName, Value};

/// Visits a value and all below it, parents first.
pub fn each(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    visit(value);
    children(value, &mut |child| each(child, visit));
}

/// Gives the name of a class, or of what is importable, that a value holds itself.
#[must_use]
pub fn type_of(value: &Value) -> Option<&TypeName> {
    match value {
        Value::Object { ty, .. }
        | Value::Sub { ty, .. }
        | Value::Name(ty)
        | Value::Enum { ty, .. }
        | Value::NamedTuple { ty, .. }
        | Value::New { ty, .. }
        | Value::Exception { ty, .. }
        | Value::Generator { ty, .. }
        | Value::Opaque { ty, .. } => Some(ty),
        _ => None,
    }
}

/// As [`type_of`], to be changed.
pub fn type_of_mut(value: &mut Value) -> Option<&mut TypeName> {
    match value {
        Value::Object { ty, .. }
        | Value::Sub { ty, .. }
        | Value::Name(ty)
        | Value::Enum { ty, .. }
        | Value::NamedTuple { ty, .. }
        | Value::New { ty, .. }
        | Value::Exception { ty, .. }
        | Value::Generator { ty, .. }
        | Value::Opaque { ty, .. } => Some(ty),
        _ => None,
    }
}

/// Visits the direct parts of a value.
pub fn children(value: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match value {
        Value::List(items) | Value::Tuple(items) | Value::Set(items) | Value::FrozenSet(items) | Value::Array { items, .. } => {
            items.iter_mut().for_each(visit);
        }
        Value::Dict(pairs) => pairs.iter_mut().for_each(|(key, value)| {
            visit(key);
            visit(value);
        }),
        Value::Object { fields, .. } | Value::NamedTuple { fields, .. } | Value::Generator { args: fields, .. } => {
            fields.iter_mut().for_each(|(_, value)| visit(value));
        }
        Value::Sub { base, fields, .. } => {
            visit(base);
            fields.iter_mut().for_each(|(_, value)| visit(value));
        }
        Value::New { args, kwargs: fields, .. } | Value::Exception { args, fields, .. } => {
            args.iter_mut().chain(fields.iter_mut().map(|(_, value)| value)).for_each(visit);
        }
        Value::Partial { function, args, kwargs } => {
            visit(function);
            args.iter_mut().chain(kwargs.iter_mut().map(|(_, value)| value)).for_each(visit);
        }
        Value::Shared(_, inner)
        | Value::Enum { value: inner, .. }
        | Value::Method { receiver: inner, .. }
        | Value::File { content: inner, .. } => visit(inner),
        Value::Cut { head, tail, .. } => {
            visit(head);
            visit(tail);
        }
        Value::None
        | Value::Ellipsis
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Complex(..)
        | Value::Str(_)
        | Value::RawStr(_)
        | Value::Bytes(_)
        | Value::Ref(_)
        | Value::Name(_)
        | Value::Secret { .. }
        | Value::Opaque { .. } => {}
    }
}
