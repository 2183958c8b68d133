//! What is kept of a redacted value besides which others it equals, and what is used in its place where its call is made again.

use serde::{Deserialize, Serialize};

use crate::base::redact::PLACEHOLDER;
use crate::domain::value::Value;

/// The type of a redacted value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretType {
    /// A text.
    Str,
    /// Bytes.
    Bytes,
    /// A whole number.
    Int,
    /// A number.
    Float,
}

/// About how long a redacted value is, in characters, bytes or digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretLength {
    /// It is empty.
    Empty,
    /// Up to 7.
    Short,
    /// Up to 31.
    Middle,
    /// 32 and more.
    Long,
}

/// What a redacted value is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Look {
    /// Its type.
    pub ty: SecretType,
    /// Its length.
    pub length: SecretLength,
}

impl SecretType {
    /// Gives the name of the type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Str => "str",
            Self::Bytes => "bytes",
            Self::Int => "int",
            Self::Float => "float",
        }
    }

    /// Finds a type by its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Str, Self::Bytes, Self::Int, Self::Float].into_iter().find(|ty| ty.name() == name)
    }
}

impl SecretLength {
    const ALL: [Self; 4] = [Self::Empty, Self::Short, Self::Middle, Self::Long];

    /// Tells which a length is.
    #[must_use]
    pub fn of(length: usize) -> Self {
        match length {
            0 => Self::Empty,
            1..8 => Self::Short,
            8..32 => Self::Middle,
            _ => Self::Long,
        }
    }

    /// Gives its number, from 0.
    #[must_use]
    pub fn number(self) -> u64 {
        self as u64
    }

    /// Finds a length by its number.
    #[must_use]
    pub fn numbered(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|length| length.number() == number)
    }
}

/// Secrets that were told by their form are numbered from here on, those that were told by their name below.
const BY_FORM: u64 = 1 << 20;

/// Makes the value that stands for a text that is a secret by its form.
#[must_use]
pub fn by_form(kind: &str, number: usize, ty: SecretType, length: usize) -> Value {
    let look = Some(Look { ty, length: SecretLength::of(length) });
    Value::Secret { kind: kind.to_owned(), ordinal: BY_FORM + number as u64, look }
}

/// Gives the number of a secret as it is shown, beside its kind.
#[must_use]
pub fn shown(ordinal: u64) -> u64 {
    ordinal % BY_FORM
}

/// Older recordings tell nothing of what a redacted value was like: a text, as most are.
const UNKNOWN: Look = Look { ty: SecretType::Str, length: SecretLength::Middle };

/// What stands for a short text begins so, and for any other with [`PLACEHOLDER`].
pub const SHORT: &str = "[R#";

/// Characters of what stands for a long text.
const LONG: usize = 40;
/// The most of what stands for a middle one.
const MIDDLE_MAX: usize = 31;

/// Gives a value to use in the place of a redacted one (R5), of its type and about its length; the number tells it from others
/// of its call. `recorder/redact.py` makes the same.
#[must_use]
pub fn stand_in(kind: &str, number: usize, look: Option<Look>) -> Value {
    let Look { ty, length } = look.unwrap_or(UNKNOWN);
    let count = i64::try_from(number).unwrap_or(i64::MAX);
    let digits = match length {
        SecretLength::Empty => 0,
        SecretLength::Short => 1_000,
        _ => 100_000_000,
    };
    match (ty, length) {
        (SecretType::Int, SecretLength::Long) => Value::BigInt(format!("1{number:032}")),
        (SecretType::Int, _) => Value::Int(count.saturating_add(digits)),
        #[expect(clippy::cast_precision_loss, reason = "it is small")]
        (SecretType::Float, _) => Value::Float(count.saturating_add(digits) as f64 + 0.5),
        (SecretType::Str, _) => Value::Str(text(kind, number, length)),
        (SecretType::Bytes, _) => Value::Bytes(text(kind, number, length).into_bytes()),
    }
}

fn text(kind: &str, number: usize, length: SecretLength) -> String {
    let text = if number == 1 { format!("{PLACEHOLDER}{kind}]") } else { format!("{PLACEHOLDER}{kind}#{number}]") };
    match length {
        SecretLength::Empty => String::new(),
        SecretLength::Short => format!("{SHORT}{number}]"),
        SecretLength::Middle if text.len() > MIDDLE_MAX => format!("{PLACEHOLDER}#{number}]"),
        SecretLength::Middle => text,
        SecretLength::Long => format!("{text:-<LONG$}"),
    }
}

/// Tells whether a value is one that stands for a redacted one of this look.
#[must_use]
pub fn stands_for(value: &Value, look: Option<Look>) -> bool {
    let is_text = |text: &str| {
        let fits = look.is_none_or(|look| SecretLength::of(text.chars().count()) == look.length);
        fits && is_stand_in(text)
    };
    let within = |number: i64, from: i64| (from + 1..from + 1_000).contains(&number);
    match (look.unwrap_or(UNKNOWN).ty, value) {
        (SecretType::Str, Value::Str(text)) => is_text(text),
        (SecretType::Bytes, Value::Bytes(bytes)) => std::str::from_utf8(bytes).is_ok_and(is_text),
        (SecretType::Int, Value::Int(number)) => [1_000, 100_000_000].into_iter().any(|from| within(*number, from)),
        (SecretType::Int, Value::BigInt(digits)) => digits.len() == 33 && digits.starts_with("10000000000000"),
        #[expect(clippy::cast_possible_truncation, reason = "it is small, or not within")]
        (SecretType::Float, Value::Float(number)) => within(number.trunc() as i64, 1_000),
        _ => false,
    }
}

/// Tells whether a value may be what a secret of this look stands for, which an earlier version recorded as it is: that version took
/// fewer names for secret ones.
#[must_use]
pub fn was_kept(value: &Value, ordinal: u64, look: Option<Look>) -> bool {
    ordinal < BY_FORM && may_be(value, look)
}

/// Tells whether a value has the look of a secret.
#[must_use]
pub fn may_be(value: &Value, look: Option<Look>) -> bool {
    look.is_some_and(|look| match (look.ty, value) {
        (SecretType::Str, Value::Str(text)) => SecretLength::of(text.chars().count()) == look.length,
        (SecretType::Bytes, Value::Bytes(bytes)) => SecretLength::of(bytes.len()) == look.length,
        _ => false,
    })
}

/// Tells whether a text is one that stands for a secret.
#[must_use]
pub fn is_stand_in(text: &str) -> bool {
    text.starts_with(PLACEHOLDER) || text.starts_with(SHORT)
}

/// Gives a text without the numbers of the placeholders in it: another run may have met its secrets in another order. `None`
/// where there is none.
#[must_use]
pub fn unnumbered(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(PLACEHOLDER) {
        let (before, from) = rest.split_at(at + PLACEHOLDER.len());
        out.push_str(before);
        let kind = from.find(['#', ']']).unwrap_or(from.len());
        out.push_str(&from[..kind]);
        rest = &from[kind..];
        if let Some(number) = rest.strip_prefix('#') {
            rest = number.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    (!out.is_empty()).then(|| out + rest)
}

/// Does what [`unnumbered`] does for a text in bytes, such as the body of an answer.
#[must_use]
pub fn unnumbered_bytes(bytes: &[u8]) -> Option<Vec<u8>> {
    unnumbered(std::str::from_utf8(bytes).ok()?).map(String::into_bytes)
}

/// Lists the placeholders in a text, each without its end.
pub fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(PLACEHOLDER).filter_map(|(at, _)| text[at..].split(']').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_placeholders_say_nothing_in_a_text_or_in_bytes() {
        let (one, other) = ("{\"token\": \"[REDACTED:assigned#2]\"}", "{\"token\": \"[REDACTED:assigned#1]\"}");
        assert_eq!(unnumbered(one), unnumbered(other));
        let value = |text: &str| crate::domain::value::Value::Bytes(text.as_bytes().to_vec());
        assert!(value(one).same_as(&value(other)));
        assert!(!value(one).same_as(&value("{\"token\": \"[REDACTED:pin#1]\"}")));
        assert!(!value("one").same_as(&value("two")));
        assert_eq!(crate::domain::likeness::of(&value(one)), crate::domain::likeness::of(&value(other)));
        assert_eq!(unnumbered_bytes(b"\xff[REDACTED:pin#1]"), None, "no text");
    }

    #[test]
    fn what_stands_for_a_secret_has_its_type_and_length_and_is_found_again() {
        for ty in [SecretType::Str, SecretType::Bytes, SecretType::Int, SecretType::Float] {
            for length in [SecretLength::Short, SecretLength::Middle, SecretLength::Long] {
                let look = Some(Look { ty, length });
                for kind in ["otp", "a-kind-of-secret-with-a-very-long-name"] {
                    let (one, other) = (stand_in(kind, 1, look), stand_in(kind, 2, look));
                    assert_ne!(one, other);
                    assert_eq!(one.type_name(), ty.name());
                    let long = match &one {
                        Value::Str(text) => text.len(),
                        Value::Bytes(bytes) => bytes.len(),
                        Value::Int(number) => number.to_string().len(),
                        Value::BigInt(digits) => digits.len(),
                        _ => continue,
                    };
                    assert_eq!(SecretLength::of(long), length, "{one:?}");
                    assert!(stands_for(&one, look) && stands_for(&other, look), "{one:?}");
                }
            }
        }
        assert_eq!(stand_in("token", 1, None), Value::Str("[REDACTED:token]".into()));
        assert!(!stands_for(&Value::Str("hunter2".into()), None) && !stands_for(&Value::Int(7), None));
    }

    #[test]
    fn secrets_are_compared_by_what_they_are_like_and_by_which_are_equal() {
        let long = |ordinal| by_form("jwt", ordinal, SecretType::Str, 90);
        let named = |ordinal| Value::Secret { kind: "token".into(), ordinal, look: None };
        let pair = |one: Value, other: Value| Value::List(vec![one, other]);
        let text = |text: &str| Value::Str(text.into());
        for (old, new) in [
            (pair(long(1), long(2)), pair(long(7), long(3))),
            (pair(long(1), long(1)), pair(long(4), long(4))),
            (pair(named(1), named(2)), pair(text("[REDACTED:token]"), text("[REDACTED:token#2]"))),
            (text("a [REDACTED:jwt#1]"), text("a [REDACTED:jwt#9]")),
        ] {
            assert_eq!(old.first_difference(&new), None, "{old:?} {new:?}");
            assert_eq!(new.first_difference(&old), None, "{old:?} {new:?}");
        }
        for (old, new) in [
            (pair(long(1), long(2)), pair(long(3), long(3))),
            (pair(long(1), long(1)), pair(long(3), long(4))),
            (long(1), by_form("jwt", 1, SecretType::Str, 9)),
            (long(1), by_form("jwt", 1, SecretType::Bytes, 90)),
            (long(1), text("[REDACTED:jwt]")),
            (named(1), text("other")),
            (pair(named(1), named(2)), pair(text("[REDACTED:token]"), text("[REDACTED:token]"))),
            (text("a [REDACTED:jwt#1]"), text("a [REDACTED:card#1]")),
        ] {
            assert!(old.first_difference(&new).is_some() && new.first_difference(&old).is_some(), "{old:?} {new:?}");
        }
    }

    #[test]
    fn placeholders_are_told_without_their_numbers() {
        assert_eq!(unnumbered("a [REDACTED:jwt#12], [REDACTED:x]").as_deref(), Some("a [REDACTED:jwt], [REDACTED:x]"));
        assert_eq!(unnumbered("#1 and [R#2]"), None);
        assert_eq!(unnumbered("[REDACTED:").as_deref(), Some("[REDACTED:"));
    }

    #[test]
    fn what_an_earlier_version_recorded_is_the_secret_of_today_and_not_the_other_way() {
        let kept = Value::Str("0123456789".into());
        let look = |length| Some(Look { ty: SecretType::Str, length: SecretLength::of(length) });
        let named = |length| Value::Secret { kind: "token".into(), ordinal: 1, look: look(length) };
        assert!(kept.first_difference(&named(10)).is_none());
        assert!(kept.first_difference(&named(40)).is_some(), "of another length");
        assert!(named(10).first_difference(&kept).is_some(), "a secret that shows");
        assert!(kept.first_difference(&by_form("jwt", 1, SecretType::Str, 10)).is_some(), "a text that became a token");
    }
}
