//! What is done to values before they leave: secrets taken out, `__main__` given its name, inputs made comparable.

use std::collections::HashMap;

use crate::base::hash::{Digest, Hasher};
use crate::base::redact::Redactor;
use crate::domain::call::Argument;
use crate::domain::function::FunctionId;
use crate::domain::parts::{children, each, type_of_mut};
use crate::domain::value::Value;
use crate::domain::way::{Given, Way};
use crate::python::value::{encode, encode_arguments};

/// Shapes of secrets and known ones are longer than this.
const SECRET_MIN: usize = 8;

/// Takes secrets out of every text in a value and names what the module `__main__` is called when it is imported.
pub fn clean(value: &mut Value, redactor: &mut Redactor, main: Option<&str>) {
    each(value, &mut |value| match value {
        Value::Str(text) if text.len() >= SECRET_MIN => {
            if let Some(safe) = redactor.redact(text) {
                *text = safe;
            }
        }
        Value::RawStr(bytes) | Value::Bytes(bytes) if bytes.len() >= SECRET_MIN => {
            if let Some(safe) = redactor.redact(&String::from_utf8_lossy(bytes)) {
                *bytes = safe.into_bytes();
            }
        }
        other => {
            if let (Some(main), Some(ty)) = (main, type_of_mut(other))
                && ty.module == "__main__"
            {
                main.clone_into(&mut ty.module);
            }
        }
    });
}

/// Hashes a function and its arguments so that equal inputs are equal in every run: objects and secrets are numbered by
/// their first appearance, and the items of sets have an order of their own.
pub fn digest(function: &FunctionId, mut args: Vec<Argument>) -> Digest {
    let mut numbers = HashMap::new();
    for arg in &mut args {
        order_sets(&mut arg.value);
        renumber(&mut arg.value, &mut numbers);
    }
    let mut hasher = Hasher::default();
    for arg in args.iter_mut().filter(|arg| arg.given != Given::LeftOut) {
        arg.given = Given::Unknown;
    }
    hasher.part(function.0.as_bytes()).part(&encode_arguments(&args, Way::default()));
    hasher.digest()
}

/// Tells calls with equal arguments apart that are kept because they ended in different ways: the first one has the variant 0.
pub fn variant_of(input: Digest, variant: u64) -> Digest {
    match variant {
        0 => input,
        _ => Hasher::default().part(&input.0.to_le_bytes()).part(&variant.to_le_bytes()).digest(),
    }
}

fn order_sets(value: &mut Value) {
    children(value, &mut order_sets);
    if let Value::Set(items) | Value::FrozenSet(items) = value {
        items.sort_by_cached_key(|item| {
            let mut item = item.clone();
            renumber(&mut item, &mut HashMap::new());
            encode(&item)
        });
    }
}

fn renumber(value: &mut Value, numbers: &mut HashMap<(bool, u64), u64>) {
    each(value, &mut |value| {
        let is_secret = matches!(value, Value::Secret { .. });
        let ordinal = match value {
            Value::Object { ordinal, .. }
            | Value::Sub { ordinal, .. }
            | Value::Exception { ordinal, .. }
            | Value::Opaque { ordinal, .. }
            | Value::Secret { ordinal, .. }
            | Value::Ref(ordinal)
            | Value::Shared(ordinal, _) => ordinal,
            _ => return,
        };
        let next = numbers.len() as u64 + 1;
        *ordinal = *numbers.entry((is_secret, *ordinal)).or_insert(next);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::function::ParamKind;
    use crate::domain::value::ObjectKind;
    use crate::domain::value::TypeName;

    fn object(ordinal: u64, fields: Vec<Value>) -> Value {
        Value::Object {
            ordinal,
            ty: TypeName::new("__main__", "Cart"),
            kind: ObjectKind::Plain,
            fields: fields.into_iter().enumerate().map(|(at, value)| (format!("f{at}"), value)).collect(),
        }
    }

    fn input(values: Vec<Value>) -> Digest {
        let arg = |value| Argument::new("x", ParamKind::PositionalOrKeyword, value);
        digest(&FunctionId("m:f".into()), values.into_iter().map(arg).collect())
    }

    #[test]
    fn numbering_and_the_order_of_sets_do_not_matter_but_identity_does() {
        assert_eq!(input(vec![object(7, vec![]), Value::Ref(7)]), input(vec![object(2, vec![]), Value::Ref(2)]));
        assert_ne!(input(vec![object(7, vec![]), object(8, vec![])]), input(vec![object(7, vec![]), Value::Ref(7)]));
        let set = |items: [&str; 3]| Value::Set(items.iter().map(|text| Value::Str((*text).into())).collect());
        assert_eq!(input(vec![set(["a", "b", "c"])]), input(vec![set(["c", "a", "b"])]));
        assert_ne!(input(vec![Value::Int(1)]), input(vec![Value::Bool(true)]));
        let secret = |ordinal| Value::Secret { kind: "password".into(), ordinal };
        assert_eq!(input(vec![secret(3)]), input(vec![secret(9)]));
        assert_ne!(input(vec![secret(3), secret(3)]), input(vec![secret(3), secret(4)]));
    }

    #[test]
    fn secrets_leave_every_corner_of_a_value_and_main_gets_its_name() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let dict = Value::Dict(vec![(Value::Str(token.clone()), Value::Bytes(token.clone().into_bytes()))]);
        let mut value = Value::List(vec![object(1, vec![dict, Value::RawStr([token.as_bytes(), b"\xed\xa0\x80"].concat())])]);
        clean(&mut value, &mut Redactor::default(), Some("main"));
        let text = format!("{value:?}");
        assert!(!text.contains("a1B2") && text.contains("REDACTED:github-token#1"), "{text}");
        assert!(!format!("{:?}", encode(&value)).contains(&format!("{:?}", b"a1B2").replace(['[', ']'], "")));
        assert!(text.contains("\"main\"") && !text.contains("__main__"), "{text}");
    }
}
