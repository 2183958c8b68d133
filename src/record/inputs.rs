//! What is done to values before they leave: secrets taken out, `__main__` given its name, inputs made comparable.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::base::bits::looks_secret;
use crate::base::hash::{Digest, Hasher};
use crate::base::redact::{self, Redactor, Safe};
use crate::domain::call::{Argument, Effect, GeneratorEnd, Outcome};
use crate::domain::function::FunctionId;
use crate::domain::parts::{children, each, type_of_mut};
use crate::domain::secret::{self, SecretType};
use crate::domain::value::Value;
use crate::domain::way::{Given, Way};
use crate::python::value::{encode, encode_arguments};
use crate::record::placed;

/// Shapes of secrets and known ones are longer than this.
const SECRET_MIN: usize = 8;

/// Shorter numbers are met by chance.
const NUMBER_MIN: i64 = 1_000_000_000;

/// The fields of a cookie that hold its value.
const COOKIE: [&str; 4] = ["value", "_value", "coded_value", "_coded_value"];

/// Takes secrets out of every text in a value and names what the module `__main__` is called when it is imported.
pub fn clean(value: &mut Value, redactor: &mut Redactor, main: Option<&str>) {
    placed::take_out(value, redactor);
    each(value, &mut |value| {
        if let Some(safe) = by_form(value, redactor) {
            *value = safe;
        } else if let Value::Dict(pairs) = value {
            by_member(pairs, redactor);
        } else if let Some(ty) = type_of_mut(value) {
            if let Some(main) = main.filter(|_| ty.module == "__main__") {
                main.clone_into(&mut ty.module);
            } else if ty.module.starts_with("urllib.") || ty.module.starts_with("http.") {
                by_type(value, redactor);
            }
        }
    });
}

/// Does so with how a call ended and what it changed.
pub fn clean_effect(effect: &mut Effect, redactor: &mut Redactor, main: Option<&str>) {
    match &mut effect.outcome {
        Outcome::Returned(value) => clean(value, redactor, main),
        Outcome::Raised { exception, mro } => {
            clean(exception, redactor, main);
            for name in mro {
                if let (Some(main), Some(rest)) = (main, name.strip_prefix("__main__:")) {
                    *name = format!("{main}:{rest}");
                }
            }
        }
        Outcome::Yielded { items, end } => {
            items.iter_mut().for_each(|item| clean(item, redactor, main));
            if let GeneratorEnd::Returned(value) | GeneratorEnd::Raised(value) = end {
                clean(value, redactor, main);
            }
        }
        Outcome::Unfinished | Outcome::TimedOut(_) | Outcome::Died(_) => {}
    }
    effect.changed.iter_mut().for_each(|(_, value)| clean(value, redactor, main));
}

/// Gives what is left of a text that holds secrets by their form.
fn by_form(value: &Value, redactor: &mut Redactor) -> Option<Value> {
    let (text, ty) = match value {
        Value::Str(text) => (Cow::Borrowed(text.as_str()), SecretType::Str),
        Value::RawStr(bytes) => (String::from_utf8_lossy(bytes), SecretType::Str),
        Value::Bytes(bytes) => (String::from_utf8_lossy(bytes), SecretType::Bytes),
        Value::Int(number) if *number >= NUMBER_MIN => return known_number(&number.to_string(), redactor),
        Value::BigInt(digits) => return known_number(digits, redactor),
        _ => return None,
    };
    if text.len() < SECRET_MIN {
        return None;
    }
    if redactor.was_placed(&text) {
        return Some(secret::by_form("assigned", redactor.number(&text), ty, text.chars().count()));
    }
    Some(match (redactor.redact_value(&text)?, value) {
        (Safe::Whole { kind, number }, _) => secret::by_form(kind, number, ty, text.chars().count()),
        (Safe::Part(safe), Value::Str(_)) => Value::Str(safe),
        (Safe::Part(safe), Value::RawStr(_)) => Value::RawStr(safe.into_bytes()),
        (Safe::Part(safe), _) => Value::Bytes(safe.into_bytes()),
    })
}

/// Takes out the texts under members of an enum with secret names: `{Field.PASSWORD: "x"}`.
fn by_member(pairs: &mut [(Value, Value)], redactor: &mut Redactor) {
    for (key, held) in pairs {
        if let (Value::Enum { name: Some(name), .. }, Value::Str(text)) = (&*key, &*held)
            && redact::is_value(name, text)
        {
            *held = secret::by_form("assigned", redactor.number(text), SecretType::Str, text.chars().count());
        }
    }
}

/// Gives what is left of a number whose digits are a known secret.
fn known_number(digits: &str, redactor: &mut Redactor) -> Option<Value> {
    let number = redactor.knows(digits).then(|| redactor.number(digits))?;
    Some(secret::by_form("secret", number, SecretType::Int, digits.len()))
}

/// Takes out of a value of the standard library what only its type tells: a cookie, the password of an address that was split.
fn by_type(value: &mut Value, redactor: &mut Redactor) {
    match value {
        Value::NamedTuple { ty, fields } if ty.module == "urllib.parse" => {
            fields.iter_mut().filter(|(name, _)| name == "netloc").for_each(|(_, place)| without_password(place, redactor));
        }
        Value::Sub { ty, fields, .. } if ty.module == "http.cookies" && ty.qualname == "Morsel" => cookie(fields, redactor),
        Value::Object { ty, fields, .. } if ty.module == "http.cookiejar" && ty.qualname == "Cookie" => cookie(fields, redactor),
        _ => {}
    }
}

/// Takes the password out of `user:password@host`.
fn without_password(place: &mut Value, redactor: &mut Redactor) {
    let text = match place {
        Value::Str(text) => text.clone(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => return,
    };
    let Some((user, host)) = text.rsplit_once('@') else { return };
    let Some((name, password)) = user.split_once(':').filter(|(_, password)| !password.is_empty()) else { return };
    let safe = format!("{name}:{}@{host}", redactor.placeholder(password, "password"));
    match place {
        Value::Bytes(bytes) => *bytes = safe.into_bytes(),
        place => *place = Value::Str(safe),
    }
}

/// Takes the value out of a cookie, unless it is a word.
fn cookie(fields: &mut [(String, Value)], redactor: &mut Redactor) {
    for (_, held) in fields.iter_mut().filter(|(name, _)| COOKIE.contains(&name.as_str())) {
        if let Value::Str(text) = held
            && looks_secret(text)
        {
            *held = secret::by_form("cookie", redactor.number(text), SecretType::Str, text.chars().count());
        }
    }
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
        if let Value::Str(text) = value
            && let Some(safe) = secret::unnumbered(text)
        {
            *text = safe;
        }
        if let Value::Bytes(bytes) = value
            && let Some(safe) = secret::unnumbered_bytes(bytes)
        {
            *bytes = safe;
        }
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
        let secret = |ordinal| Value::Secret { kind: "password".into(), ordinal, look: None };
        assert_eq!(input(vec![secret(3)]), input(vec![secret(9)]));
        assert_ne!(input(vec![secret(3), secret(3)]), input(vec![secret(3), secret(4)]));
    }

    #[test]
    fn what_only_the_type_of_a_value_tells_is_taken_out() {
        let text = |text: &str| Value::Str(text.into());
        let split = |netloc| Value::NamedTuple {
            ty: TypeName::new("urllib.parse", "SplitResult"),
            fields: vec![("scheme".into(), text("https")), ("netloc".into(), netloc)],
        };
        let cookie = |held: &str| Value::Sub {
            ordinal: 1,
            ty: TypeName::new("http.cookies", "Morsel"),
            base: Box::new(Value::Dict(vec![])),
            fields: vec![("_key".into(), text("visit")), ("_value".into(), text(held))],
        };
        let cleaned = |mut value: Value| {
            clean(&mut value, &mut Redactor::default(), None);
            value
        };
        assert_eq!(cleaned(split(text("ada:x@h"))), split(text("ada:[REDACTED:password#1]@h")));
        assert_eq!(cleaned(split(Value::Bytes(b"a:pw@h".to_vec()))), split(Value::Bytes(b"a:[REDACTED:password#1]@h".to_vec())));
        assert_eq!(cleaned(split(text("ada@h:80"))), split(text("ada@h:80")));
        assert_eq!(cleaned(cookie("dark")), cookie("dark"));
        assert!(format!("{:?}", cleaned(cookie("k3y9-zQ8d-20fh"))).contains("Secret { kind: \"cookie\""));
    }

    #[test]
    fn a_number_whose_digits_are_a_known_secret_is_taken_out() {
        let mut redactor = Redactor::new(["904173628580".to_owned()]);
        let long = "904173628580904173628580";
        let mut value = Value::List(vec![Value::Int(904_173_628_580), Value::Int(904_173_628_581), Value::BigInt(long.into())]);
        clean(&mut value, &mut redactor, None);
        let Value::List(items) = value else { unreachable!() };
        assert!(matches!(&items[0], Value::Secret { look: Some(look), .. } if look.ty == SecretType::Int), "{items:?}");
        assert_eq!(items[1..], [Value::Int(904_173_628_581), Value::BigInt(long.into())]);
    }

    #[test]
    fn secrets_leave_every_corner_of_a_value_and_main_gets_its_name() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let dict = Value::Dict(vec![(Value::Str(token.clone()), Value::Bytes(token.clone().into_bytes()))]);
        let mut value = Value::List(vec![object(1, vec![dict, Value::RawStr([token.as_bytes(), b"\xed\xa0\x80"].concat())])]);
        clean(&mut value, &mut Redactor::default(), Some("main"));
        let text = format!("{value:?}");
        assert!(!text.contains("a1B2") && text.contains("Secret { kind: \"github-token\""), "{text}");
        assert!(!format!("{:?}", encode(&value)).contains(&format!("{:?}", b"a1B2").replace(['[', ']'], "")));
        assert!(text.contains("\"main\"") && !text.contains("__main__"), "{text}");
    }
}
